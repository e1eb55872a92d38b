//! What the record keeps of what a passkey signed, and whether that still holds.

use data_encoding::BASE64URL_NOPAD;
use exacta_core::record::PasskeyAssertion;
use ring::digest::{SHA256, digest};

use super::passkey::{AskedPasskey, ClientData, challenge, key_of};

/// What the record says in place of the part of a name that is another one at each start.
const FRESH: &str = "*";

/// What the record says of what the browser was asked for. A room's name is another one at each
/// start, below the one that passkeys are for. The record does not name it: whoever read it there
/// could be sent the session from another port. Its place is marked, and the hash that was signed
/// is kept, so the signature can still be checked, and all of it by whoever knows the name.
pub(super) fn recorded(
    asked: &AskedPasskey<'_>,
    client_data: &[u8],
    hash: &[u8],
) -> (String, Option<String>) {
    let host = asked.origin.split("//").nth(1).and_then(|rest| rest.split(':').next());
    let fresh = host.and_then(|host| host.strip_suffix(asked.rp_id)?.strip_suffix('.'));
    let Some(fresh) = fresh.filter(|fresh| !fresh.is_empty()) else {
        return (BASE64URL_NOPAD.encode(client_data), None);
    };
    let shown = String::from_utf8_lossy(client_data).replace(fresh, FRESH);
    (BASE64URL_NOPAD.encode(shown.as_bytes()), Some(BASE64URL_NOPAD.encode(hash)))
}

/// Whether what stands on the record was signed by the key that it names, about the text that it
/// names.
#[must_use]
pub fn still_verifies(kept: &PasskeyAssertion) -> bool {
    let read = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).ok();
    let fields = [&kept.authenticator_data, &kept.client_data, &kept.public_key, &kept.signature];
    let [Some(data), Some(client), Some(key), Some(signature)] = fields.map(|text| read(text))
    else {
        return false;
    };
    let hash = match &kept.client_data_hash {
        None => Some(digest(&SHA256, &client).as_ref().to_vec()),
        Some(hash) => read(hash),
    };
    let said: Option<ClientData> = serde_json::from_slice(&client).ok();
    let (Some(hash), Some(said)) = (hash, said) else { return false };
    said.challenge == BASE64URL_NOPAD.encode(&challenge(&kept.act))
        && key_of(&key).is_some_and(|key| key.signed(&[data, hash].concat(), &signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RP: &str = "abc.localhost";

    fn kept(origin: &str, client: &str) -> (String, Option<String>) {
        let hash = digest(&SHA256, client.as_bytes());
        let asked = AskedPasskey { challenge: b"", origin, rp_id: RP };
        recorded(&asked, client.as_bytes(), hash.as_ref())
    }

    #[test]
    fn the_record_does_not_name_the_room_and_whoever_knows_it_can_check_all_of_it() {
        let origin = "http://fresh.abc.localhost:4100";
        let client = format!(r#"{{"type":"webauthn.get","challenge":"c","origin":"{origin}"}}"#);
        let (shown, hash) = kept(origin, &client);
        let shown = String::from_utf8(BASE64URL_NOPAD.decode(shown.as_bytes()).unwrap()).unwrap();
        assert!(!shown.contains("fresh") && shown.contains("http://*.abc.localhost:4100"));
        let whole = shown.replace('*', "fresh");
        let again = digest(&SHA256, whole.as_bytes());
        assert_eq!(hash, Some(BASE64URL_NOPAD.encode(again.as_ref())));
    }

    #[test]
    fn a_name_that_lasts_stands_there_as_it_is() {
        for origin in ["http://abc.localhost:4100", "https://gate.example"] {
            let client = format!(r#"{{"origin":"{origin}"}}"#);
            let (shown, hash) = kept(origin, &client);
            assert_eq!(BASE64URL_NOPAD.decode(shown.as_bytes()).unwrap(), client.as_bytes());
            assert_eq!(hash, None);
        }
    }
}
