//! Passkeys: a key that an authenticator keeps, and what it signs.
//!
//! A passkey is registered by somebody who has signed in, and stands for the proof that their
//! session began with. Only [`Passkey::verify`] makes a [`Signed`]: the browser was asked by
//! this server, at this address, for this challenge; a person was there and was recognised; the
//! counter has moved on.

use data_encoding::BASE64URL_NOPAD;
use exacta_core::model::digest::Digest;
use exacta_core::record::PasskeyAssertion;
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::assertion::recorded;
use super::sign_in::SignedIn;
use super::{Behind, Proof};

/// A person touched it.
const PRESENT: u8 = 0x01;
/// It recognised the person, by a PIN, a finger or a face.
const VERIFIED: u8 = 0x04;
/// A new key is described.
const DESCRIBES_KEY: u8 = 0x40;
/// How public keys of the two kinds begin, as DER.
const P256: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
const EDWARDS: &[u8] = &[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The longest name of a passkey.
const NAME: usize = 60;

/// Why a passkey proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyError {
    /// What the browser says was asked for is something else.
    #[error("the browser answered something else than was asked: {0}")]
    Asked(&'static str),
    /// What the authenticator says does not do.
    #[error("the authenticator's answer does not do: {0}")]
    Answer(&'static str),
    /// The signature is another key's.
    #[error("the signature is not this passkey's")]
    Signature,
    /// The counter stood still: there may be a copy of the key.
    #[error("the passkey's counter did not move on; there may be a copy of it")]
    Counter,
}

/// What the browser was asked for.
#[derive(Clone, Copy, Debug)]
pub struct AskedPasskey<'a> {
    /// The challenge.
    pub challenge: &'a [u8],
    /// Which page asked.
    pub origin: &'a str,
    /// For which name passkeys are.
    pub rp_id: &'a str,
}

/// A passkey that is kept: the public half, and how far its counter has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passkey {
    /// Its id, in base64url.
    pub id: String,
    /// For which name it is.
    pub rp_id: String,
    /// What its owner calls it.
    pub name: String,
    /// The public key, DER in base64url.
    public_key: String,
    counter: u32,
    behind: Behind,
}

/// A new passkey as the browser hands it in.
#[derive(Clone, Copy, Debug)]
pub struct NewPasskey<'a> {
    /// Its id.
    pub id: &'a [u8],
    /// What its owner calls it.
    pub name: &'a str,
    /// The public key, DER.
    pub public_key: &'a [u8],
    /// What the authenticator said.
    pub authenticator_data: &'a [u8],
    /// What the browser says it was asked for.
    pub client_data: &'a [u8],
}

/// What a passkey signed, as the browser hands it in.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyAnswer<'a> {
    /// What the authenticator said.
    pub authenticator_data: &'a [u8],
    /// What the browser says it was asked for.
    pub client_data: &'a [u8],
    /// The signature over both.
    pub signature: &'a [u8],
}

/// Something that a passkey has signed; made by [`Passkey::verify`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    pub(super) behind: Behind,
    pub(super) assertion: PasskeyAssertion,
}

/// What every authenticator says first.
struct Said<'a> {
    flags: u8,
    counter: u32,
    rest: &'a [u8],
}

#[derive(Deserialize)]
pub(super) struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    pub(super) challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    cross_origin: bool,
}

fn asked_for(asked: &AskedPasskey<'_>, kind: &str, client_data: &[u8]) -> Result<(), PasskeyError> {
    let said: ClientData = serde_json::from_slice(client_data)
        .map_err(|_| PasskeyError::Asked("it cannot be read"))?;
    if said.kind != kind {
        return Err(PasskeyError::Asked("another ceremony"));
    }
    if said.challenge != BASE64URL_NOPAD.encode(asked.challenge) {
        return Err(PasskeyError::Asked("another challenge"));
    }
    if said.origin != asked.origin || said.cross_origin {
        return Err(PasskeyError::Asked("another page"));
    }
    Ok(())
}

fn said<'a>(asked: &AskedPasskey<'_>, data: &'a [u8]) -> Result<Said<'a>, PasskeyError> {
    let short = PasskeyError::Answer("it is too short");
    let (name, rest) = data.split_at_checked(32).ok_or_else(|| short.clone())?;
    let (flags, rest) = rest.split_first().ok_or_else(|| short.clone())?;
    let (counter, rest) = rest.split_first_chunk::<4>().ok_or(short)?;
    if name != digest(&SHA256, asked.rp_id.as_bytes()).as_ref() {
        return Err(PasskeyError::Answer("it is for another name"));
    }
    if flags & PRESENT == 0 || flags & VERIFIED == 0 {
        return Err(PasskeyError::Answer("nobody was recognised"));
    }
    Ok(Said { flags: *flags, counter: u32::from_be_bytes(*counter), rest })
}

impl Passkey {
    /// A new one, of somebody who has signed in.
    ///
    /// # Errors
    /// When it is not what was asked for.
    pub fn register(
        person: &SignedIn,
        asked: &AskedPasskey<'_>,
        new: &NewPasskey<'_>,
    ) -> Result<Self, PasskeyError> {
        asked_for(asked, "webauthn.create", new.client_data)?;
        let said = said(asked, new.authenticator_data)?;
        // Sixteen bytes name the kind of authenticator, two the length of the id.
        let id = said.rest.get(16..).and_then(|rest| {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            rest.get(..usize::from(u16::from_be_bytes(*length)))
        });
        let described = said.flags & DESCRIBES_KEY != 0 && id == Some(new.id);
        if !described || new.id.is_empty() {
            return Err(PasskeyError::Answer("it describes another key"));
        }
        key_of(new.public_key).ok_or(PasskeyError::Answer("its kind of key is not taken"))?;
        Ok(Self {
            id: BASE64URL_NOPAD.encode(new.id),
            rp_id: asked.rp_id.into(),
            name: new.name.chars().filter(|c| !c.is_control()).take(NAME).collect(),
            public_key: BASE64URL_NOPAD.encode(new.public_key),
            counter: said.counter,
            behind: person.behind(),
        })
    }

    /// Checks what it signed, and notes its counter. `act` is the text that the challenge is
    /// the SHA-256 of.
    ///
    /// # Errors
    /// When anything is not exactly as asked; then nothing was proven.
    pub fn verify(
        &mut self,
        asked: &AskedPasskey<'_>,
        act: &str,
        given: &PasskeyAnswer<'_>,
    ) -> Result<Signed, PasskeyError> {
        if self.rp_id != asked.rp_id || asked.challenge != challenge(act).as_slice() {
            return Err(PasskeyError::Asked("another challenge"));
        }
        asked_for(asked, "webauthn.get", given.client_data)?;
        let said = said(asked, given.authenticator_data)?;
        let key = BASE64URL_NOPAD
            .decode(self.public_key.as_bytes())
            .map_err(|_| PasskeyError::Signature)?;
        let hash = digest(&SHA256, given.client_data);
        let signed = [given.authenticator_data, hash.as_ref()].concat();
        if !key_of(&key).is_some_and(|key| key.signed(&signed, given.signature)) {
            return Err(PasskeyError::Signature);
        }
        if (said.counter != 0 || self.counter != 0) && said.counter <= self.counter {
            return Err(PasskeyError::Counter);
        }
        self.counter = said.counter;
        let (client_data, client_data_hash) = recorded(asked, given.client_data, hash.as_ref());
        let assertion = PasskeyAssertion {
            act: act.into(),
            authenticator_data: BASE64URL_NOPAD.encode(given.authenticator_data),
            client_data,
            client_data_hash,
            key_id: self.id.clone(),
            public_key: self.public_key.clone(),
            signature: BASE64URL_NOPAD.encode(given.signature),
        };
        Ok(Signed { behind: self.behind, assertion })
    }
}

/// A public key of a kind that is taken.
pub(super) enum Key<'a> {
    P256(&'a [u8]),
    Edwards(&'a [u8]),
}

impl Key<'_> {
    pub(super) fn signed(&self, text: &[u8], signature: &[u8]) -> bool {
        let verified = match self {
            Self::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(text, signature)
            }
            Self::Edwards(point) => UnparsedPublicKey::new(&ED25519, point).verify(text, signature),
        };
        verified.is_ok()
    }
}

pub(super) fn key_of(der: &[u8]) -> Option<Key<'_>> {
    if let Some(point) = der.strip_prefix(P256) {
        return (point.len() == 65).then_some(Key::P256(point));
    }
    let point = der.strip_prefix(EDWARDS)?;
    (point.len() == 32).then_some(Key::Edwards(point))
}

/// What a passkey is asked to sign for a text.
#[must_use]
pub fn challenge(act: &str) -> Vec<u8> {
    digest(&SHA256, act.as_bytes()).as_ref().to_vec()
}

/// The text of an act on a plan. `command` is the hash of the command that is meant, with
/// everything that is chosen in it; the nonce makes it good once.
#[must_use]
pub fn act_text(
    act: &str,
    plan_id: &str,
    plan_hash: Digest,
    command: Digest,
    nonce: &str,
) -> String {
    format!("exacta/act/v2\n{act}\n{plan_id}\n{plan_hash}\n{command}\n{nonce}")
}

/// Whether a text is that of exactly this command.
pub(super) fn is_about(text: &str, act: &str, command: Digest) -> bool {
    let mut lines = text.lines();
    lines.next() == Some("exacta/act/v2")
        && lines.next() == Some(act)
        && lines.nth(2) == Some(command.to_string().as_str())
}

impl SignedIn {
    /// What shows the right to decide where a passkey signed the act, too; nothing where it
    /// stands for another proof than the session.
    #[must_use]
    pub fn proof_with(&self, signed: &Signed) -> Option<Proof> {
        let assertion = Some(std::sync::Arc::new(signed.assertion.clone()));
        (signed.behind == self.behind()).then(|| Proof { assertion, ..self.proof() })
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};

    use super::super::sign_in::SignIns;
    use super::super::{Shown, still_verifies};
    use super::*;

    const ORIGIN: &str = "http://abc.localhost:4100";
    const RP: &str = "abc.localhost";

    /// An authenticator, as a browser's pages see it.
    enum Authenticator {
        P256(EcdsaKeyPair),
        Edwards(Ed25519KeyPair),
    }

    impl Authenticator {
        fn both() -> [Self; 2] {
            let random = SystemRandom::new();
            let document =
                EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
            let p256 = EcdsaKeyPair::from_pkcs8(
                &ECDSA_P256_SHA256_ASN1_SIGNING,
                document.as_ref(),
                &random,
            );
            let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
            let edwards = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
            [Self::P256(p256.unwrap()), Self::Edwards(edwards)]
        }

        fn der(&self) -> Vec<u8> {
            match self {
                Self::P256(key) => [P256, key.public_key().as_ref()].concat(),
                Self::Edwards(key) => [EDWARDS, key.public_key().as_ref()].concat(),
            }
        }

        fn sign(&self, data: &[u8], client: &[u8]) -> Vec<u8> {
            let signed = [data, digest(&SHA256, client).as_ref()].concat();
            match self {
                Self::P256(key) => {
                    key.sign(&SystemRandom::new(), &signed).unwrap().as_ref().to_vec()
                }
                Self::Edwards(key) => key.sign(&signed).as_ref().to_vec(),
            }
        }
    }

    fn client(kind: &str, challenge: &[u8], origin: &str) -> Vec<u8> {
        let challenge = BASE64URL_NOPAD.encode(challenge);
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}","x":1}}"#)
            .into_bytes()
    }

    fn data(rp: &str, flags: u8, counter: u32, rest: &[u8]) -> Vec<u8> {
        let name = digest(&SHA256, rp.as_bytes());
        [name.as_ref(), &[flags], &counter.to_be_bytes(), rest].concat()
    }

    fn person() -> SignedIn {
        let (rooms, now) = (SignIns::default(), std::time::Instant::now());
        let proof = Proof::from(Shown::Terminal);
        let session = rooms.enter_with(&proof, now).unwrap();
        rooms.person(&session, now).unwrap()
    }

    fn registered(key: &Authenticator) -> Passkey {
        let asked = AskedPasskey { challenge: b"new", origin: ORIGIN, rp_id: RP };
        let describing = [[0; 16].as_slice(), &[0, 3], b"id1", b"cose"].concat();
        let (said, der) = (data(RP, 0x45, 0, &describing), key.der());
        let client = client("webauthn.create", b"new", ORIGIN);
        let new = NewPasskey {
            id: b"id1",
            name: "phone",
            public_key: &der,
            authenticator_data: &said,
            client_data: &client,
        };
        let other = NewPasskey { id: b"id2", ..new };
        assert!(Passkey::register(&person(), &asked, &other).is_err());
        let weak = data(RP, 0x41, 0, &describing);
        let unverified = NewPasskey { authenticator_data: &weak, ..new };
        assert!(Passkey::register(&person(), &asked, &unverified).is_err());
        Passkey::register(&person(), &asked, &new).unwrap()
    }

    #[test]
    fn only_an_answer_to_exactly_what_was_asked_proves_anything() {
        for key in Authenticator::both() {
            let passkey = registered(&key);
            let act =
                act_text("approve", "plan", Digest::of(b"plan"), Digest::of(b"command"), "nonce");
            let wanted = challenge(&act);
            let asked = AskedPasskey { challenge: &wanted, origin: ORIGIN, rp_id: RP };
            let try_it = |client: &[u8], data: &[u8], act: &str| {
                let signature = key.sign(data, client);
                let answer = PasskeyAnswer {
                    authenticator_data: data,
                    client_data: client,
                    signature: &signature,
                };
                passkey.clone().verify(&asked, act, &answer)
            };
            let get = client("webauthn.get", &wanted, ORIGIN);
            let good = data(RP, 0x05, 7, b"");
            assert!(try_it(&get, &good, &act).is_ok());
            for (client, data, act, why) in [
                (client("webauthn.create", &wanted, ORIGIN), good.clone(), &*act, "ceremony"),
                (client("webauthn.get", b"other", ORIGIN), good.clone(), &*act, "challenge"),
                (
                    client("webauthn.get", &wanted, "http://abc.localhost:4101"),
                    good.clone(),
                    &*act,
                    "origin",
                ),
                (get.clone(), data("evil.example", 0x05, 7, b""), &*act, "name"),
                (get.clone(), data(RP, 0x01, 7, b""), &*act, "not recognised"),
                (get.clone(), data(RP, 0x04, 7, b""), &*act, "not present"),
                (get.clone(), good.clone(), "another act", "act"),
                (get.clone(), b"short".to_vec(), &*act, "short"),
            ] {
                assert!(try_it(&client, &data, act).is_err(), "{why}");
            }
            let mut signature = key.sign(&good, &get);
            if let Some(last) = signature.last_mut() {
                *last ^= 1;
            }
            let forged = PasskeyAnswer {
                authenticator_data: &good,
                client_data: &get,
                signature: &signature,
            };
            assert_eq!(passkey.clone().verify(&asked, &act, &forged), Err(PasskeyError::Signature));
        }
    }

    #[test]
    fn what_stands_on_the_record_can_be_checked_and_does_not_name_the_room() {
        let origin = "http://fresh.abc.localhost:4100";
        for key in Authenticator::both() {
            let mut passkey = registered(&key);
            let act =
                act_text("approve", "plan", Digest::of(b"plan"), Digest::of(b"command"), "nonce");
            let wanted = challenge(&act);
            let asked = AskedPasskey { challenge: &wanted, origin, rp_id: RP };
            let (client, data) = (client("webauthn.get", &wanted, origin), data(RP, 0x05, 1, b""));
            let signature = key.sign(&data, &client);
            let answer = PasskeyAnswer {
                authenticator_data: &data,
                client_data: &client,
                signature: &signature,
            };
            let kept = passkey.verify(&asked, &act, &answer).unwrap().assertion;
            let client = BASE64URL_NOPAD.decode(kept.client_data.as_bytes()).unwrap();
            assert!(!String::from_utf8(client).unwrap().contains("fresh"));
            assert!(still_verifies(&kept));
            let other_act =
                PasskeyAssertion { act: act.replace("approve", "undo"), ..kept.clone() };
            let other_hash =
                PasskeyAssertion { client_data_hash: Some("AAAA".into()), ..kept.clone() };
            let without = PasskeyAssertion { client_data_hash: None, ..kept };
            assert!(![other_act, other_hash, without].iter().any(still_verifies));
        }
    }

    #[test]
    fn a_counter_that_stands_still_is_refused() {
        for key in Authenticator::both() {
            let mut passkey = registered(&key);
            let act =
                act_text("approve", "plan", Digest::of(b"plan"), Digest::of(b"command"), "nonce");
            let wanted = challenge(&act);
            let asked = AskedPasskey { challenge: &wanted, origin: ORIGIN, rp_id: RP };
            let client = client("webauthn.get", &wanted, ORIGIN);
            for (counter, fine) in [(0, true), (5, true), (5, false), (4, false), (6, true)] {
                let data = data(RP, 0x05, counter, b"");
                let signature = key.sign(&data, &client);
                let answer = PasskeyAnswer {
                    authenticator_data: &data,
                    client_data: &client,
                    signature: &signature,
                };
                assert_eq!(passkey.verify(&asked, &act, &answer).is_ok(), fine, "{counter}");
            }
        }
    }

    #[test]
    fn an_act_is_about_one_command() {
        let (plan, one, two) = (Digest::of(b"p"), Digest::of(b"1"), Digest::of(b"2"));
        let text = act_text("approve", "plan", plan, one, "n");
        assert!(is_about(&text, "approve", one));
        assert!(!is_about(&text, "approve", two) && !is_about(&text, "undo", one));
        assert!(!is_about("sign in", "approve", one));
        // A word with a line of its own does not move the others.
        assert!(!is_about(&act_text("approve", "a\nb", plan, one, "n"), "approve", one));
    }
}
