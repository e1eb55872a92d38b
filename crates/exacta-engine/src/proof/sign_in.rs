//! Signing in at the review room: how a proof becomes a session, and a session a proof.
//!
//! A link is minted only for a [`Proof`], lasts two minutes and is good once. Whoever uses it
//! gets a session, which the room recognises by a secret of its own; only their hashes are
//! kept, in memory, so both end with the server. A proof that was shown to another process of
//! this user (`exacta review --web`) reaches the server as an order that this user's key
//! signed; it too is good once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::BASE64URL_NOPAD;
use exacta_core::model::digest::Digest;
use serde::{Deserialize, Serialize};

use super::passkey::Signed;
use super::{Behind, Proof, Shown};
use crate::machine::{Machine, MachineError};
use crate::trust::{Signer, verifies};

/// How long a link can be used.
pub const LINK_LASTS: Duration = Duration::from_mins(2);
/// How long a session lasts that is used.
pub const SESSION_LASTS: Duration = Duration::from_hours(8);
/// How long an order from another process can be used.
const ORDER_LASTS_MS: u64 = 60_000;
/// So many links or sessions are kept; the oldest goes.
const MOST: usize = 64;

/// The links and sessions of one server.
#[derive(Debug, Default)]
pub struct SignIns {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    links: BTreeMap<Digest, (Begun, Instant)>,
    sessions: BTreeMap<Digest, (Begun, Instant)>,
    /// Orders that were used, by their nonce.
    orders: BTreeSet<String>,
}

/// What a session begins with.
#[derive(Clone, Copy, Debug)]
struct Begun {
    behind: Behind,
    by_passkey: bool,
}

/// A person who signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    session: Digest,
    behind: Behind,
    by_passkey: bool,
}

impl SignedIn {
    /// What shows the right to decide.
    #[must_use]
    pub fn proof(&self) -> Proof {
        Proof { to_be_signed: self.by_passkey, ..Proof::from(Shown::SignedIn(self.behind)) }
    }

    /// What their session began with.
    pub(super) const fn behind(&self) -> Behind {
        self.behind
    }

    /// Whether they signed in with a passkey: then it signs what they let happen.
    #[must_use]
    pub const fn by_passkey(&self) -> bool {
        self.by_passkey
    }

    /// A word that only this session knows for `what`, such as the hash of a plan: a form
    /// that carries it was made for this person and this thing.
    #[must_use]
    pub fn word_for(&self, what: &str) -> String {
        Digest::of(format!("exacta/form/v1\n{}\n{what}", self.session).as_bytes()).to_string()
    }
}

/// A proof that was shown to another process of this user.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    behind: Behind,
    nonce: String,
    server: String,
    wall_ms: u64,
    signature: String,
}

impl Order {
    fn signed(&self) -> String {
        let behind = match self.behind {
            Behind::Terminal => "terminal",
            Behind::Credential => "credential",
        };
        format!("exacta/sign-in/v1\n{}\n{}\n{}\n{behind}", self.server, self.nonce, self.wall_ms)
    }
}

/// An order for a link at the server named `server`; `None` when nothing was proven.
///
/// # Errors
/// When the machine does not tell the time, or has no chance to offer.
pub fn order_sign_in(
    proof: &Proof,
    server: &str,
    signer: &Signer,
    machine: &dyn Machine,
) -> Result<Option<String>, MachineError> {
    let Some(behind) = proof.behind() else { return Ok(None) };
    let wall_ms = machine.now()?.wall_ms;
    let nonce = machine.new_id()?;
    let signature = String::new();
    let mut order = Order { behind, nonce, server: server.into(), wall_ms, signature };
    order.signature = signer.sign(order.signed().as_bytes());
    Ok(serde_json::to_string(&order).ok())
}

impl SignIns {
    /// Makes a link for a proof; `None` when nothing was proven.
    #[must_use]
    pub fn mint(&self, proof: &Proof, now: Instant) -> Option<String> {
        self.link(Begun { behind: proof.behind()?, by_passkey: false }, now)
    }

    /// Makes a link for somebody whose passkey signed the challenge of the door.
    #[must_use]
    pub fn mint_signed(&self, signed: &Signed, now: Instant) -> Option<String> {
        self.link(Begun { behind: signed.behind, by_passkey: true }, now)
    }

    fn link(&self, begins: Begun, now: Instant) -> Option<String> {
        let secret = secret()?;
        let mut kept = self.kept();
        kept.links.retain(|_, (_, made)| now.duration_since(*made) < LINK_LASTS);
        crowd_out(&mut kept.links);
        kept.links.insert(Digest::of(secret.as_bytes()), (begins, now));
        Some(secret)
    }

    /// Makes a link for an order of another process; `None` when it is not this user's, not
    /// for this server, too old or used.
    #[must_use]
    pub fn mint_for(
        &self,
        order: &str,
        server: &str,
        signer: &Signer,
        wall_ms: u64,
        now: Instant,
    ) -> Option<String> {
        let order: Order = serde_json::from_str(order).ok()?;
        let genuine = verifies(&signer.public(), order.signed().as_bytes(), &order.signature);
        let fresh = order.wall_ms.abs_diff(wall_ms) < ORDER_LASTS_MS;
        if !genuine || !fresh || order.server != server {
            return None;
        }
        let behind = order.behind;
        // A used one is remembered for as long as the server lives.
        if !self.kept().orders.insert(order.nonce) {
            return None;
        }
        self.mint(&Proof::from(behind.shown()), now)
    }

    /// Uses a link up: gives the secret of a new session, or nothing.
    #[must_use]
    pub fn enter(&self, link: &str, now: Instant) -> Option<String> {
        let (begins, made) = self.kept().links.remove(&Digest::of(link.as_bytes()))?;
        if now.duration_since(made) >= LINK_LASTS {
            return None;
        }
        self.begin(begins, now)
    }

    /// A session for somebody who showed the credential at the door.
    #[must_use]
    pub fn enter_with(&self, proof: &Proof, now: Instant) -> Option<String> {
        self.begin(Begun { behind: proof.behind()?, by_passkey: false }, now)
    }

    /// A session for somebody whose passkey signed the challenge of the door.
    #[must_use]
    pub fn enter_signed(&self, signed: &Signed, now: Instant) -> Option<String> {
        self.begin(Begun { behind: signed.behind, by_passkey: true }, now)
    }

    fn begin(&self, begun: Begun, now: Instant) -> Option<String> {
        let secret = secret()?;
        let mut kept = self.kept();
        kept.sessions.retain(|_, (_, used)| now.duration_since(*used) < SESSION_LASTS);
        crowd_out(&mut kept.sessions);
        kept.sessions.insert(Digest::of(secret.as_bytes()), (begun, now));
        Some(secret)
    }

    /// Who has this session.
    #[must_use]
    pub fn person(&self, secret: &str, now: Instant) -> Option<SignedIn> {
        let session = Digest::of(secret.as_bytes());
        let mut kept = self.kept();
        let (begun, used) = kept.sessions.get_mut(&session)?;
        if now.duration_since(*used) >= SESSION_LASTS {
            kept.sessions.remove(&session);
            return None;
        }
        *used = now;
        let Begun { behind, by_passkey } = *begun;
        Some(SignedIn { session, behind, by_passkey })
    }

    /// Whether a session has not ended. Looking does not use it.
    #[must_use]
    pub fn holds(&self, person: &SignedIn, now: Instant) -> bool {
        let kept = self.kept();
        let used = kept.sessions.get(&person.session).map(|(_, used)| *used);
        used.is_some_and(|used| now.duration_since(used) < SESSION_LASTS)
    }

    /// Ends a session.
    pub fn leave(&self, person: &SignedIn) {
        self.kept().sessions.remove(&person.session);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for one more: the oldest goes.
fn crowd_out<T>(kept: &mut BTreeMap<Digest, (T, Instant)>) {
    if kept.len() < MOST {
        return;
    }
    let oldest = kept.iter().min_by_key(|(_, (_, since))| *since).map(|(name, _)| *name);
    if let Some(oldest) = oldest {
        kept.remove(&oldest);
    }
}

fn secret() -> Option<String> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).ok()?;
    Some(BASE64URL_NOPAD.encode(&random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ThisMachine;

    const PROOF: Proof = Proof { shown: Shown::Terminal, assertion: None, to_be_signed: false };

    #[test]
    fn a_link_takes_a_proof_and_is_good_once_and_for_two_minutes() {
        let (rooms, now) = (SignIns::default(), Instant::now());
        assert_eq!(rooms.mint(&Proof::none(), now), None);
        let link = rooms.mint(&PROOF, now).unwrap();
        assert_eq!(rooms.person(&link, now), None, "a link is not a session");
        let session = rooms.enter(&link, now).unwrap();
        assert_eq!(rooms.enter(&link, now), None);
        let person = rooms.person(&session, now).unwrap();
        assert!(!person.proof().is_none() && rooms.holds(&person, now));
        assert_ne!(person.word_for("a"), person.word_for("b"));
        rooms.leave(&person);
        assert_eq!(rooms.person(&session, now), None);
        let late = rooms.mint(&PROOF, now).unwrap();
        assert_eq!(rooms.enter(&late, now + LINK_LASTS), None);
        let session = rooms.enter_with(&PROOF, now).unwrap();
        let person = rooms.person(&session, now).unwrap();
        let over = now + SESSION_LASTS;
        let almost = over.checked_sub(Duration::from_secs(1)).unwrap();
        assert!(rooms.holds(&person, almost), "looking does not use it");
        assert!(!rooms.holds(&person, over), "an open stream does not outlive it");
        assert_eq!(rooms.person(&session, over), None);
    }

    #[test]
    fn an_order_is_good_once_at_its_server_and_cannot_be_made_up() {
        let (rooms, now) = (SignIns::default(), Instant::now());
        let (mine, other) = (Signer::new(&[1; 32]), Signer::new(&[2; 32]));
        let wall = ThisMachine.now().unwrap().wall_ms;
        let made =
            |signer: &Signer| order_sign_in(&PROOF, "here", signer, &ThisMachine).unwrap().unwrap();
        assert_eq!(order_sign_in(&Proof::none(), "here", &mine, &ThisMachine).unwrap(), None);
        let order = made(&mine);
        assert_eq!(rooms.mint_for(&order, "there", &mine, wall, now), None);
        assert_eq!(rooms.mint_for(&made(&other), "here", &mine, wall, now), None);
        assert_eq!(rooms.mint_for(&order, "here", &mine, wall + 120_000, now), None);
        let stronger = order.replace("terminal", "credential");
        assert_eq!(rooms.mint_for(&stronger, "here", &mine, wall, now), None);
        assert!(rooms.mint_for(&order, "here", &mine, wall, now).is_some());
        assert_eq!(rooms.mint_for(&order, "here", &mine, wall, now), None);
    }
}
