//! `exacta review --web`: a sign-in link for the review room, shown on this terminal alone.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

use exacta_core::judge::policy::Decide;
use exacta_engine::gate::GateError;
use exacta_engine::machine::ThisMachine;
use exacta_engine::proof::{ControllingTerminal, order_sign_in};
use exacta_engine::trust::TrustStore;

use super::door::{self, Door};
use super::serve::RoomPlace;
use super::{confirm, credential};
use crate::cli::CliError;
use crate::exit::Exit;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// A server of this machine takes a connection sooner than this.
const SOON: Duration = Duration::from_millis(300);
/// No answer of ours is longer.
const LONGEST: u64 = 64 << 10;

/// Shows a link that signs whoever uses it in, once, within two minutes.
pub(super) fn sign_in(
    door: &Door,
    credential: Option<&Path>,
    phone: bool,
) -> Result<Exit, CliError> {
    let secrets = door.identity.secrets()?;
    let place = place(&door::outer()?, &secrets.project)?;
    let target = match (&place.outside, phone) {
        (_, false) => place.url.clone(),
        (Some(outside), true) => outside.clone(),
        (None, true) => {
            return Err(CliError::Usage {
                message: "the server is reached from this machine alone".into(),
                help: "`exacta serve --address IP --host NAME --cert FILE --key FILE` serves a \
                       phone too"
                    .into(),
            });
        }
    };
    // What a server left behind that was killed leads nowhere.
    let listens = (Ipv4Addr::LOCALHOST, place.port).into();
    TcpStream::connect_timeout(&listens, SOON).map_err(|_| not_served())?;
    let policy = door.policy().map_err(CliError::Policy)?;
    let proof = match (policy.decide, credential) {
        (Decide::Credential, Some(file)) => credential::proof(file)?,
        (Decide::Credential, None) => {
            let address = format!("{target}/sign-in");
            show(&format!("sign in with the credential: {address}"), &address, phone)?;
            return Ok(Exit::Done);
        }
        (Decide::Terminal | Decide::Hash, _) => confirm::typed_yes(&format!(
            "Sign in at the review room {target}\n  whoever has the link decides on every plan there"
        ))?,
    };
    let order = order_sign_in(&proof, &target, &secrets.signer, &ThisMachine)
        .map_err(GateError::from)?
        .ok_or(GateError::NotEntitled { needed: policy.decide })?;
    let link = ordered(&place, &target, &order)?;
    show(&format!("open this link within two minutes; it is good once:\n  {link}"), &link, phone)?;
    Ok(Exit::Done)
}

/// Shows a way into the room at the terminal and nowhere else: not on standard output, in no
/// file, in no argument of a program. Even an address without a secret names the room, which no
/// agent is to know.
fn show(words: &str, address: &str, phone: bool) -> Result<(), CliError> {
    let Some(terminal) = ControllingTerminal::open() else {
        return Err(GateError::NotEntitled { needed: Decide::Terminal }.into());
    };
    let mut screen = terminal.file()?;
    writeln!(screen, "{words}")?;
    if phone {
        writeln!(screen, "{}", qr(address))?;
    }
    Ok(())
}

/// What agents are told of the review room of a project, if its server listens now. They
/// never learn its name.
pub(crate) fn open_place(project: &exacta_core::model::id::ProjectId) -> Option<String> {
    let place = place(&door::outer().ok()?, project).ok()?;
    let address = (Ipv4Addr::LOCALHOST, place.port).into();
    TcpStream::connect_timeout(&address, SOON).ok()?;
    Some(exacta_server::way_in(place.port))
}

/// Where the server of this project listens.
fn place(
    outer: &TrustStore,
    project: &exacta_core::model::id::ProjectId,
) -> Result<RoomPlace, CliError> {
    let text = outer.room(project)?.ok_or_else(not_served)?;
    serde_json::from_str(&text).map_err(|_| not_served())
}

fn not_served() -> CliError {
    CliError::Usage {
        message: "no server serves this project".into(),
        help: "`exacta serve` starts one".into(),
    }
}

/// Hands the order to the server and reads the link.
fn ordered(place: &RoomPlace, target: &str, order: &str) -> Result<String, CliError> {
    let body = serde_json::json!({ "order": order }).to_string();
    let address = (Ipv4Addr::LOCALHOST, place.port);
    let mut stream = TcpStream::connect(address).map_err(|_| not_served())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "POST /sign-in/order HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        place.port,
        body.len()
    )?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let link = answer
        .split_once("\r\n\r\n")
        .filter(|(head, _)| head.starts_with("HTTP/1.1 200 "))
        .and_then(|(_, body)| serde_json::from_str::<serde_json::Value>(body).ok())
        .and_then(|body| Some(body.get("url")?.as_str()?.to_owned()))
        // Another program may listen there by now; it learns nothing that it could use.
        .filter(|url| url.starts_with(&format!("{target}/sign-in/")));
    link.ok_or_else(not_served)
}

/// An address as a picture that phones read from the screen.
fn qr(address: &str) -> String {
    exacta_server::qr_text(address).unwrap_or_default()
}
