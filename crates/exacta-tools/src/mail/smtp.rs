//! Hands a message to a mail server, in phases that the record knows.
//!
//! *Offering*: connect, protect, sign in, name sender and recipients. Whatever fails here
//! has sent nothing. *Transmitting*: from the effect point, which is durable before `DATA`
//! is said. A refusal with a number is certain; anything lost is unknown. There is no
//! second attempt from here.

use std::sync::Arc;

use data_encoding::BASE64;
use exacta_core::judge::policy::Security;
use rustls::pki_types::ServerName;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use crate::context::ToolContext;
use crate::error::{AfterEffect, ToolError};
use crate::net::Network;

/// The longest line of an answer, and the most lines.
const LINE: usize = 2048;
const LINES: usize = 100;

/// A mail server that the operator named.
pub struct Server {
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// Whom to sign in as.
    pub login: Option<(String, SecretString)>,
}

/// What a server is told beside the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Who it is from.
    pub from: String,
    /// Everybody it goes to.
    pub to: Vec<String>,
    /// The message, every line ended by CR LF.
    pub message: Vec<u8>,
}

/// An answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reply {
    code: u16,
    lines: Vec<String>,
}

trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// A conversation with a server.
struct Talk {
    wire: Box<dyn Wire>,
    /// What was read and not yet used.
    ahead: Vec<u8>,
}

/// Hands a message over; what the server says in the end.
///
/// # Errors
/// When it was not taken, or nobody knows whether it was; the error says which.
pub async fn submit(
    ctx: &ToolContext,
    network: &Network,
    server: &Server,
    envelope: &Envelope,
) -> Result<String, ToolError> {
    let mut talk = offer(network, server, envelope).await?;
    ctx.effect_point().await?;
    // From here on the start is on the record.
    let lost = |fault: ToolError| ToolError {
        after_effect: AfterEffect::Unknown,
        retryable: false,
        ..fault
    };
    let refused = |reply: &Reply| {
        let said = said(reply);
        ToolError::new("MAIL_REFUSED", format!("the server refused the mail: {said}"))
    };
    let reply = talk.ask("DATA").await.map_err(lost)?;
    if reply.code != 354 {
        return Err(refused(&reply));
    }
    talk.send(&stuffed(&envelope.message)).await.map_err(lost)?;
    let reply = talk.reply().await.map_err(lost)?;
    if !(200..300).contains(&reply.code) {
        return Err(refused(&reply));
    }
    // Whatever comes of this, the mail is theirs now.
    let _ = talk.send(b"QUIT\r\n").await;
    Ok(said(&reply))
}

/// Everything before the mail itself: nothing has left when this fails.
async fn offer(network: &Network, server: &Server, envelope: &Envelope) -> Result<Talk, ToolError> {
    for address in envelope.to.iter().chain([&envelope.from]) {
        let breaks = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '<' | '>');
        if address.is_empty() || address.chars().any(breaks) {
            return Err(ToolError::new("MAIL_REFUSED", "an address of the mail is not one"));
        }
    }
    let stream = network.connect(&server.host, server.port).await?;
    let mut talk = match server.security {
        Security::Tls => {
            let wire = protect(network, &server.host, Box::new(stream)).await?;
            let mut talk = Talk { wire, ahead: Vec::new() };
            talk.greeting().await?;
            talk
        }
        Security::Starttls => {
            let mut talk = Talk { wire: Box::new(stream), ahead: Vec::new() };
            talk.greeting().await?;
            if !talk.hello().await?.iter().any(|word| word.eq_ignore_ascii_case("STARTTLS")) {
                return Err(ToolError::new(
                    "MAIL_UNPROTECTED",
                    format!("`{}` offers no protection (STARTTLS); nothing was sent", server.host),
                ));
            }
            talk.expect("STARTTLS", 220).await?;
            // What somebody slipped in before the protection began is not an answer.
            talk.ahead.clear();
            let wire = protect(network, &server.host, talk.wire).await?;
            Talk { wire, ahead: Vec::new() }
        }
    };
    let offers = talk.hello().await?;
    if let Some((user, password)) = &server.login {
        talk.sign_in(user, password, &offers).await?;
    }
    talk.expect(&format!("MAIL FROM:<{}>", envelope.from), 250).await?;
    for address in &envelope.to {
        let reply = talk.ask(&format!("RCPT TO:<{address}>")).await?;
        if !matches!(reply.code, 250 | 251) {
            let said = said(&reply);
            let _ = talk.send(b"RSET\r\nQUIT\r\n").await;
            return Err(ToolError::new(
                "MAIL_REFUSED",
                format!("the server does not take mail for `{address}`: {said}"),
            ));
        }
    }
    Ok(talk)
}

async fn protect(
    network: &Network,
    host: &str,
    wire: Box<dyn Wire>,
) -> Result<Box<dyn Wire>, ToolError> {
    let failed = |why: String| {
        ToolError::new("MAIL_UNPROTECTED", format!("`{host}` cannot be trusted: {why}"))
    };
    let name = ServerName::try_from(host.to_owned()).map_err(|fault| failed(fault.to_string()))?;
    let connector = TlsConnector::from(Arc::clone(network.tls()));
    let stream = connector.connect(name, wire).await.map_err(|fault| failed(fault.to_string()))?;
    Ok(Box::new(stream))
}

/// A message as it goes over the wire: dots at line starts doubled, the end at its end.
fn stuffed(message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(message.len().saturating_add(64));
    let mut line_start = true;
    for byte in message {
        if line_start && *byte == b'.' {
            bytes.push(b'.');
        }
        bytes.push(*byte);
        line_start = *byte == b'\n';
    }
    if !bytes.ends_with(b"\r\n") {
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b".\r\n");
    bytes
}

fn lost(why: &str) -> ToolError {
    ToolError::new("MAIL_LOST", format!("the mail server: {why}")).retryable()
}

/// What a server said, for a person.
fn said(reply: &Reply) -> String {
    let text = reply.lines.join(" ");
    let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    format!("{} {text}", reply.code)
}

impl Talk {
    async fn send(&mut self, bytes: &[u8]) -> Result<(), ToolError> {
        self.wire.write_all(bytes).await.map_err(|fault| lost(&fault.to_string()))?;
        self.wire.flush().await.map_err(|fault| lost(&fault.to_string()))
    }

    async fn ask(&mut self, command: &str) -> Result<Reply, ToolError> {
        self.send(format!("{command}\r\n").as_bytes()).await?;
        self.reply().await
    }

    async fn expect(&mut self, command: &str, code: u16) -> Result<Reply, ToolError> {
        let reply = self.ask(command).await?;
        if reply.code == code {
            return Ok(reply);
        }
        // The word alone: an argument may be a secret.
        let word = command.split(' ').next().unwrap_or_default();
        let fault =
            ToolError::new("MAIL_REFUSED", format!("the server refused {word}: {}", said(&reply)));
        Err(if (400..500).contains(&reply.code) { fault.retryable() } else { fault })
    }

    async fn greeting(&mut self) -> Result<(), ToolError> {
        let reply = self.reply().await?;
        if reply.code == 220 {
            return Ok(());
        }
        Err(ToolError::new("MAIL_REFUSED", format!("the server refused to talk: {}", said(&reply))))
    }

    /// What the server offers.
    async fn hello(&mut self) -> Result<Vec<String>, ToolError> {
        Ok(self.expect("EHLO localhost", 250).await?.lines)
    }

    async fn sign_in(
        &mut self,
        user: &str,
        password: &SecretString,
        offers: &[String],
    ) -> Result<(), ToolError> {
        let ways = offers.iter().find_map(|line| {
            let upper = line.to_ascii_uppercase();
            upper.strip_prefix("AUTH ").map(ToOwned::to_owned)
        });
        let ways = ways.unwrap_or_default();
        let offered = |way: &str| ways.split_whitespace().any(|one| one == way);
        let secret = password.expose_secret();
        let last = if offered("PLAIN") {
            let word = BASE64.encode(format!("\0{user}\0{secret}").as_bytes());
            self.ask(&format!("AUTH PLAIN {word}")).await?
        } else if offered("LOGIN") {
            self.expect("AUTH LOGIN", 334).await?;
            self.expect(&BASE64.encode(user.as_bytes()), 334).await.map_err(|_| refused_login())?;
            self.ask(&BASE64.encode(secret.as_bytes())).await?
        } else {
            return Err(ToolError::new(
                "MAIL_REFUSED",
                "the server offers no way to sign in that is known here",
            ));
        };
        if last.code == 235 { Ok(()) } else { Err(refused_login()) }
    }

    /// Reads one answer: lines of one code, of which the last has no dash.
    async fn reply(&mut self) -> Result<Reply, ToolError> {
        let mut lines = Vec::new();
        let mut code = None;
        loop {
            let line = self.line().await?;
            let text = String::from_utf8_lossy(&line).into_owned();
            let (number, rest) = text.split_at_checked(3).unwrap_or(("", ""));
            let number: u16 = number
                .parse()
                .ok()
                .filter(|number| (200..600).contains(number))
                .ok_or_else(|| lost("it does not speak SMTP"))?;
            if code.is_some_and(|code| code != number) {
                return Err(lost("its answer contradicts itself"));
            }
            code = Some(number);
            let mut rest = rest.chars();
            let sign = rest.next();
            lines.push(rest.as_str().to_owned());
            match sign {
                None | Some(' ') => return Ok(Reply { code: number, lines }),
                Some('-') if lines.len() < LINES => {}
                _ => return Err(lost("it does not speak SMTP")),
            }
        }
    }

    /// One line without its end. A line ends with CR LF and nothing else.
    async fn line(&mut self) -> Result<Vec<u8>, ToolError> {
        loop {
            if let Some(at) = self.ahead.windows(2).position(|two| two == b"\r\n") {
                let mut line: Vec<u8> = self.ahead.drain(..at.saturating_add(2)).collect();
                line.truncate(at);
                return Ok(line);
            }
            if self.ahead.len() > LINE {
                return Err(lost("a line of its answer does not end"));
            }
            let mut part = [0; 1024];
            let count =
                self.wire.read(&mut part).await.map_err(|fault| lost(&fault.to_string()))?;
            if count == 0 {
                return Err(lost("it hung up"));
            }
            self.ahead.extend_from_slice(part.get(..count).unwrap_or_default());
        }
    }
}

fn refused_login() -> ToolError {
    ToolError::new("MAIL_REFUSED", "the server refused the name or the secret")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_an_end() {
        for (message, wire) in [
            ("a\r\n", "a\r\n.\r\n"),
            (".\r\n..\r\na.\r\n", "..\r\n...\r\na.\r\n.\r\n"),
            ("a", "a\r\n.\r\n"),
            ("", "\r\n.\r\n"),
        ] {
            assert_eq!(stuffed(message.as_bytes()), wire.as_bytes(), "{message:?}");
        }
    }

    /// Every way to say "end" that some server takes for one.
    #[test]
    fn no_text_ends_a_mail_early() {
        use super::super::compose::Draft;
        let ends =
            ["\n.\n", "\r\n.\r", "\r.\r", "\n.\r\n", "\r\n.\n", "\r\n\0.\r\n", "\r\n.\r\r\n"];
        for end in ends {
            let draft = Draft {
                from: "me@corp.example".into(),
                to: vec!["you@corp.example".into()],
                subject: "s".into(),
                body: format!("a{end}MAIL FROM:<evil@x.example>\r\nDATA\r\n.\r\n"),
                ..Draft::default()
            };
            let wire = stuffed(&draft.written().unwrap());
            let text = String::from_utf8(wire).unwrap();
            let inner = text.strip_suffix("\r\n.\r\n").unwrap();
            assert!(!inner.replace("\r\n", "").contains(['\r', '\n', '\0']), "{end:?}");
            assert!(!inner.split("\r\n").any(|line| line == "."), "{end:?}: {inner:?}");
        }
    }
}
