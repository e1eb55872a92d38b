//! The RFC 8785 form of values, written in one pass.
//!
//! Members must arrive in canonical order: hashed structs declare their fields that way
//! and [`Json`](crate::read::parse::json::Json) sorts its members. The writer checks the order
//! of every key and refuses anything else, so a field in the wrong place is an error and
//! never another hash. `serde_json_canonicalizer`, which sorts for itself at three times
//! the cost, is the reference that tests compare with.

extern crate std;

use alloc::vec::Vec;
use core::cmp::Ordering;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

use crate::read::parse::json::MAX_INTEGER;

/// Writes the canonical form of a value.
///
/// # Errors
/// When members do not come in canonical order, when a number is not one that every
/// reader agrees on, or when the sink fails.
pub fn write<T: Serialize>(value: &T, sink: impl Write) -> Result<(), serde_json::Error> {
    value.serialize(&mut Serializer::with_formatter(sink, Canonical::default()))
}

/// The order of keys: by UTF-16 code units.
#[must_use]
pub fn key_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        return a.cmp(b);
    }
    a.encode_utf16().cmp(b.encode_utf16())
}

/// Compact output with JavaScript's numbers and a check of the key order.
#[derive(Default)]
struct Canonical {
    /// The last key of each object that is open, outermost first; buffers are kept for
    /// reuse when an object ends.
    last: Vec<LastKey>,
    /// How many objects are open.
    depth: usize,
    /// The key being written, unescaped.
    key: Vec<u8>,
    in_key: bool,
}

#[derive(Default)]
struct LastKey {
    text: Vec<u8>,
    any: bool,
}

impl Canonical {
    /// Ends the key and compares it with the one before it.
    fn close_key(&mut self) -> io::Result<()> {
        self.in_key = false;
        let open = self.depth.checked_sub(1).and_then(|at| self.last.get_mut(at));
        let Some(LastKey { text, any }) = open else { return Ok(()) };
        if *any && byte_key_order(text, &self.key) != Ordering::Less {
            return Err(io::Error::other("the members are not in canonical order"));
        }
        core::mem::swap(text, &mut self.key);
        *any = true;
        Ok(())
    }
}

/// [`key_order`] on the bytes of keys.
fn byte_key_order(a: &[u8], b: &[u8]) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        return a.cmp(b);
    }
    match (core::str::from_utf8(a), core::str::from_utf8(b)) {
        (Ok(a), Ok(b)) => key_order(a, b),
        // Keys are always text; anything else is out of order.
        _ => Ordering::Equal,
    }
}

fn in_range<W: ?Sized + Write>(writer: &mut W, value: i128) -> io::Result<()> {
    if value.unsigned_abs() > MAX_INTEGER.unsigned_abs().into() {
        return Err(io::Error::other("an integer is beyond 2^53−1"));
    }
    write!(writer, "{value}")
}

impl Formatter for Canonical {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.last.get_mut(self.depth) {
            Some(reused) => reused.any = false,
            None => self.last.push(LastKey::default()),
        }
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.key.clear();
        self.in_key = true;
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.close_key()
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        text: &str,
    ) -> io::Result<()> {
        if self.in_key {
            self.key.extend_from_slice(text.as_bytes());
        }
        writer.write_all(text.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let (byte, short) = match escape {
            CharEscape::Quote => (b'"', Some(b"\\\"")),
            CharEscape::ReverseSolidus => (b'\\', Some(b"\\\\")),
            CharEscape::Solidus => (b'/', Some(b"\\/")),
            CharEscape::Backspace => (0x08, Some(b"\\b")),
            CharEscape::FormFeed => (0x0c, Some(b"\\f")),
            CharEscape::LineFeed => (b'\n', Some(b"\\n")),
            CharEscape::CarriageReturn => (b'\r', Some(b"\\r")),
            CharEscape::Tab => (b'\t', Some(b"\\t")),
            CharEscape::AsciiControl(byte) => (byte, None),
        };
        if self.in_key {
            self.key.push(byte);
        }
        match short {
            Some(text) => writer.write_all(text),
            None => write!(writer, "\\u{byte:04x}"),
        }
    }

    fn write_i64<W: ?Sized + Write>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        in_range(writer, value.into())
    }

    fn write_u64<W: ?Sized + Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        in_range(writer, value.into())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(ryu_js::Buffer::new().format(value).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::json;
    use alloc::string::String;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write(&json::read(text).unwrap(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_form_is_that_of_the_reference() {
        for text in [
            r#"{"b":1,"a":[true,null,"\u0001\"\\\b\f\n\r\t\u007f/"],"":{"\u20ac":0,"\ud83d\ude00":1,"\ufb33":2}}"#,
            r"[0,-0,1.0,1e-7,0.000001,123456789012345.67,5e-324,-1.5]",
            "{\"z\":{},\"\\n\":[],\"1\":\"\u{e9}\"}",
        ] {
            let reference: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(written(text), serde_json_canonicalizer::to_string(&reference).unwrap());
        }
    }

    #[test]
    fn a_member_out_of_order_is_an_error() {
        #[derive(Serialize)]
        struct Wrong {
            b: u8,
            a: u8,
        }
        assert!(write(&Wrong { b: 1, a: 2 }, io::sink()).is_err());
        assert!(write(&[u64::MAX], io::sink()).is_err());
        assert!(write(&[i64::MIN], io::sink()).is_err());
    }
}
