//! SHA-256 names for bytes and for canonical JSON.
//!
//! Every object of the product (blob, plan, policy) is named by such a digest. The
//! canonical form is RFC 8785; it is streamed into the hash, never kept.

extern crate std;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use data_encoding::HEXLOWER;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use crate::model::canonical;

/// How many bytes of canonical form are gathered before they are hashed.
const SINK_BUFFER: usize = 16 * 1024;

/// A SHA-256 digest; written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 lower-case hexadecimal digits")]
pub struct NotADigest;

impl Digest {
    /// Names nothing: what the first line of a chain has before it.
    pub const NOTHING: Self = Self([0; 32]);

    /// Hashes bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes the RFC 8785 form of a value, streamed.
    ///
    /// # Errors
    /// As [`canonical::write`]: the value's members must come in canonical order.
    pub fn of_canonical<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        let mut sink = std::io::BufWriter::with_capacity(SINK_BUFFER, Sink(Sha256::new()));
        canonical::write(value, &mut sink)?;
        let sink = sink.into_inner().map_err(|error| serde_json::Error::io(error.into_error()))?;
        Ok(Self(sink.0.finalize().into()))
    }

    /// Reads the written form. Upper-case or shortened forms are refused.
    ///
    /// # Errors
    /// When the text is anything but 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() {
            return Err(NotADigest);
        }
        HEXLOWER.decode_mut(text.as_bytes(), &mut bytes).map_err(|_| NotADigest)?;
        Ok(Self(bytes))
    }

    /// Hands out the written form without allocating.
    fn with_text<R>(&self, use_it: impl FnOnce(&str) -> R) -> R {
        let mut text = [0; 64];
        HEXLOWER.encode_mut(&self.0, &mut text);
        use_it(core::str::from_utf8(&text).unwrap_or_default())
    }

    /// The raw 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Written)
    }
}

/// Reads the written form from wherever it lies.
struct Written;

impl de::Visitor<'_> for Written {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash of 64 lower-case hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
        Digest::parse(text).map_err(E::custom)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "SHA-256, 64 lower-case hexadecimal digits",
            "pattern": "^[0-9a-f]{64}$"
        })
    }
}

/// A digest in the making, for bytes that are never all in memory.
#[derive(Clone, Debug, Default)]
pub struct Hashing(Sha256);

impl Hashing {
    /// Adds bytes at the end.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes added.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Lets the canonicaliser write straight into the hash.
struct Sink(Sha256);

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An immutable file image together with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob {
    bytes: Arc<Vec<u8>>,
    digest: Digest,
}

impl Blob {
    /// Takes the bytes and names them.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        Self { bytes: Arc::new(bytes), digest }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The name: SHA-256 of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes, {:?})", self.bytes.len(), self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_digest_reads_back_only_in_its_one_written_form() {
        let digest = Digest::of(b"abc");
        let text = digest.to_string();
        assert_eq!(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Digest::parse(&text), Ok(digest));
        for wrong in [
            text.to_uppercase(),
            text.get(1..).unwrap().into(),
            format!("{text}0"),
            format!(" {text}"),
        ] {
            assert_eq!(Digest::parse(&wrong), Err(NotADigest), "{wrong}");
        }
    }

    #[test]
    fn canonical_hash_ignores_key_order() {
        // Not `Value`, whose order depends on what other crates ask of it.
        let a = crate::read::parse::json::read("{\"b\":[1,\"\u{e9}\"],\"a\":null}").unwrap();
        let b =
            crate::read::parse::json::read(" { \"a\" : null, \"b\":[1,\"\\u00e9\"] } ").unwrap();
        assert_eq!(Digest::of_canonical(&a).unwrap(), Digest::of_canonical(&b).unwrap());
        assert_eq!(
            Digest::of_canonical(&a).unwrap(),
            Digest::of("{\"a\":null,\"b\":[1,\"\u{e9}\"]}".as_bytes())
        );
    }
}
