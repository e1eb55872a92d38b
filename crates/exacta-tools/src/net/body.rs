//! Takes what a server sends in bounds: bytes on the wire, bytes after decompression, and
//! how much one may become of the other.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

use crate::error::ToolError;

/// How many bytes may come of one once there is a megabyte: text does not shrink further.
const MOST_GROWTH: u64 = 100;
const FREE: u64 = 1024 * 1024;

/// What is wrong with a body.
fn refused(code: &'static str, message: String) -> ToolError {
    ToolError::new(code, message)
}

/// Takes the parts of a body one after another.
pub(super) struct Body {
    most: u64,
    wire: u64,
    sink: Sink,
}

enum Sink {
    Plain(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
}

/// Bytes that stop growing at a bound.
struct Bounded {
    bytes: Vec<u8>,
    most: u64,
    full: bool,
}

impl Bounded {
    fn len(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap_or(u64::MAX)
    }
}

impl Write for Bounded {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let more = u64::try_from(part.len()).unwrap_or(u64::MAX);
        if self.len().saturating_add(more) > self.most {
            self.full = true;
            return Err(io::Error::other("too long"));
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Body {
    /// A body of at most `most` bytes, in the encoding that the answer names.
    pub(super) fn new(encoding: Option<&str>, most: u64) -> Result<Self, ToolError> {
        let bounded = Bounded { bytes: Vec::new(), most, full: false };
        let sink = match encoding.map(|name| name.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Sink::Plain(bounded),
            Some("gzip" | "x-gzip") => Sink::Gzip(Box::new(MultiGzDecoder::new(bounded))),
            Some(_) => {
                let message = "the answer has an encoding that was not asked for".into();
                return Err(refused("HTTP_ENCODING", message));
            }
        };
        Ok(Self { most, wire: 0, sink })
    }

    /// Takes the next part.
    pub(super) fn take(&mut self, part: &[u8]) -> Result<(), ToolError> {
        self.wire = self.wire.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
        if self.wire > self.most {
            return Err(too_long(self.most));
        }
        match &mut self.sink {
            Sink::Plain(bounded) => bounded.write_all(part).map_err(|_| too_long(self.most)),
            Sink::Gzip(decoder) => {
                // In small pieces, so that no piece grows past the bound unseen.
                for piece in part.chunks(4096) {
                    if decoder.write_all(piece).is_err() {
                        let full = decoder.get_ref().full;
                        return Err(if full { too_long(self.most) } else { broken() });
                    }
                    let grown = decoder.get_ref().len();
                    if grown > FREE && grown > self.wire.saturating_mul(MOST_GROWTH) {
                        return Err(refused(
                            "HTTP_BOMB",
                            "the answer grows without measure when it is unpacked".into(),
                        ));
                    }
                }
                Ok(())
            }
        }
    }

    /// The whole body.
    pub(super) fn finish(self) -> Result<Vec<u8>, ToolError> {
        match self.sink {
            Sink::Plain(bounded) => Ok(bounded.bytes),
            Sink::Gzip(_) if self.wire == 0 => Ok(Vec::new()),
            Sink::Gzip(decoder) => {
                decoder.finish().map(|bounded| bounded.bytes).map_err(|_| broken())
            }
        }
    }
}

fn too_long(most: u64) -> ToolError {
    refused("HTTP_TOO_LONG", format!("the answer is longer than {most} bytes"))
}

fn broken() -> ToolError {
    refused("HTTP_ENCODING", "the answer cannot be unpacked".into())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn taken(encoding: Option<&str>, most: u64, parts: &[&[u8]]) -> Result<Vec<u8>, &'static str> {
        let mut body = Body::new(encoding, most).map_err(|fault| fault.code)?;
        for part in parts {
            body.take(part).map_err(|fault| fault.code)?;
        }
        body.finish().map_err(|fault| fault.code)
    }

    #[test]
    fn bodies_are_taken_up_to_their_bound() {
        assert_eq!(taken(None, 4, &[b"ab", b"cd"]).unwrap(), b"abcd");
        assert_eq!(taken(None, 4, &[b"ab", b"cde"]), Err("HTTP_TOO_LONG"));
        let zipped = packed(b"hello hello hello");
        assert_eq!(taken(Some("GZIP"), 100, &[&zipped]).unwrap(), b"hello hello hello");
        let (one, two) = zipped.split_at(7);
        assert_eq!(taken(Some("gzip"), 100, &[one, two]).unwrap(), b"hello hello hello");
        assert_eq!(taken(Some("gzip"), 100, &[one]), Err("HTTP_ENCODING"));
        assert_eq!(taken(Some("gzip"), 100, &[b"not gzip at all"]), Err("HTTP_ENCODING"));
        assert_eq!(taken(Some("br"), 100, &[b"x"]), Err("HTTP_ENCODING"));
        assert_eq!(taken(Some("gzip, gzip"), 100, &[&packed(&zipped)]), Err("HTTP_ENCODING"));
    }

    #[test]
    fn a_bomb_stops_at_its_first_growth() {
        let bomb = packed(&vec![0; 50 << 20]);
        assert_eq!(taken(Some("gzip"), 8 << 20, &[&bomb]), Err("HTTP_BOMB"));
        assert_eq!(taken(Some("gzip"), 100 << 20, &[&bomb]), Err("HTTP_BOMB"));
        assert_eq!(taken(Some("gzip"), 1000, &[&bomb]), Err("HTTP_TOO_LONG"));
    }
}
