//! Signed statements in the DSSE envelope, which other tools can verify too.

use data_encoding::{BASE64, HEXLOWER};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::{PublicKey, Signer};

/// What the payload is.
pub const IN_TOTO: &str = "application/vnd.in-toto+json";

/// A payload with who signed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Envelope {
    /// The payload, in base64.
    pub payload: String,
    /// What it is.
    pub payload_type: String,
    /// Who signed it.
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeSignature {
    /// The public key, as records name it.
    pub keyid: String,
    /// The signature, in base64.
    pub sig: String,
}

/// Why an envelope does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not one.
    #[error("it is not a signed statement: {0}")]
    Unreadable(String),
    /// It is of another kind.
    #[error("its payload is `{0}`, not an in-toto statement")]
    OtherType(String),
    /// Nobody with that key signed these bytes.
    #[error("no signature in it was made with the key {0}")]
    NotSigned(String),
}

impl Envelope {
    /// Signs a statement.
    ///
    /// # Errors
    /// When it has no JSON form, or the signature no bytes.
    pub fn sign(statement: &Value, signer: &Signer) -> Result<Self, serde_json::Error> {
        let body = serde_json::to_vec(statement)?;
        let signature = signer.sign(&message(IN_TOTO, &body));
        let signature = HEXLOWER.decode(signature.as_bytes()).map_err(serde::ser::Error::custom)?;
        let sig = BASE64.encode(&signature);
        let signatures = vec![EnvelopeSignature { keyid: signer.public(), sig }];
        Ok(Self { payload: BASE64.encode(&body), payload_type: IN_TOTO.into(), signatures })
    }

    /// The statement, if the holder of `key` signed it.
    ///
    /// # Errors
    /// [`EnvelopeError`]: nothing that it says is to be believed.
    pub fn open(text: &[u8], key: &str) -> Result<Value, EnvelopeError> {
        let unreadable = |error: &dyn std::fmt::Display| {
            EnvelopeError::Unreadable(error.to_string().chars().take(200).collect())
        };
        let envelope: Self = serde_json::from_slice(text).map_err(|error| unreadable(&error))?;
        if envelope.payload_type != IN_TOTO {
            return Err(EnvelopeError::OtherType(envelope.payload_type));
        }
        let body =
            BASE64.decode(envelope.payload.as_bytes()).map_err(|error| unreadable(&error))?;
        let public = PublicKey::parse(key).ok_or_else(|| EnvelopeError::NotSigned(key.into()))?;
        let signed = message(IN_TOTO, &body);
        let holds = envelope.signatures.iter().any(|signature| {
            let bytes = BASE64.decode(signature.sig.as_bytes()).unwrap_or_default();
            public.verifies(&signed, &HEXLOWER.encode(&bytes))
        });
        if !holds {
            return Err(EnvelopeError::NotSigned(key.into()));
        }
        serde_json::from_slice(&body).map_err(|error| unreadable(&error))
    }
}

/// What is signed: kind and body, each with its length, so that none can be read as the other.
fn message(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signed_bytes_are_those_of_the_standard() {
        let expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
        assert_eq!(message("http://example.com/HelloWorld", b"hello world"), expected);
    }

    #[test]
    fn only_what_was_signed_with_that_key_opens() {
        let (one, two) = (Signer::new(&[1; 32]), Signer::new(&[2; 32]));
        let said = serde_json::json!({ "a": 1 });
        let envelope = Envelope::sign(&said, &one).unwrap();
        let text = serde_json::to_vec(&envelope).unwrap();
        assert_eq!(Envelope::open(&text, &one.public()), Ok(said));
        assert!(Envelope::open(&text, &two.public()).is_err());
        assert!(Envelope::open(&text, "").is_err());
        let other = BASE64.encode(b"{\"a\":2}");
        let forged = Envelope { payload: other, ..envelope.clone() };
        assert!(Envelope::open(&serde_json::to_vec(&forged).unwrap(), &one.public()).is_err());
        let forged = Envelope { payload_type: "text/plain".into(), ..envelope };
        assert!(Envelope::open(&serde_json::to_vec(&forged).unwrap(), &one.public()).is_err());
    }
}
