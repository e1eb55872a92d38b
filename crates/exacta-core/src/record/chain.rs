//! The chain: each line carries the hash of the raw bytes of the line before it.
//!
//! `prev` stands at a fixed place and the signature at the end, so that the chain and the
//! signatures can be checked on raw bytes; what an entry says is read only after that.

extern crate std;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::entry::{Actor, CommandKey, Entry};
use super::event::{Event, VERSION};
use crate::life::lifecycle::Moment;
use crate::model::digest::Digest;

/// What the first entry has as `prev`.
pub const NOTHING_BEFORE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where the hash of the line before begins.
const BEFORE_LINK: &[u8] = b"{\"prev\":\"";
const LINK: usize = 64;
const BEFORE_SIGNATURE: &str = ",\"sig\":\"";
const SIGNATURE: usize = 128;

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It does not begin with the hash of the line before.
    #[error("the line does not begin with `prev`")]
    NoLink,
    /// It is no entry of this version.
    #[error("the line is no entry: {0}")]
    NotAnEntry(String),
    /// The record has another form than the one that this version reads.
    #[error("the record has the form {found}, and this program reads the form {VERSION}")]
    OtherVersion {
        /// The form it has.
        found: u64,
    },
    /// It is not written the way this product writes entries.
    #[error("the line is not in its one written form")]
    OtherSpelling,
}

/// The end of a record: how many entries it has, and the link of the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// How many entries there are.
    pub entries: u64,
    /// What the next line has as `prev`.
    pub link: Digest,
}

impl Head {
    /// The end of a record that has no entry yet.
    pub const BEGINNING: Self = Self { entries: 0, link: Digest::NOTHING };
}

/// What the entries of one append have in common: who, when, by which command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Who.
    pub actor: Actor,
    /// Both clocks.
    pub at: Moment,
    /// The idempotency key of the command.
    pub key: Option<CommandKey>,
    /// The wall clock, for people.
    pub time: String,
}

/// An event that has its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The entry, with its signature.
    pub entry: Entry,
    /// Its line, without the newline.
    pub line: String,
    /// The end of the record once the line is there.
    pub head: Head,
}

/// Gives an event its number, its time and its link behind `prev`, and the signature that
/// `sign` makes of the line, if there is one to make.
///
/// # Errors
/// Never for values of these types; the serialiser's error is passed on.
pub fn seal(
    prev: &Head,
    event: Event,
    stamp: &Stamp,
    sign: Option<&dyn Fn(&str) -> String>,
) -> Result<Sealed, serde_json::Error> {
    let mut entry = Entry {
        prev: prev.link,
        seq: prev.entries + 1,
        time: stamp.time.clone(),
        at: stamp.at.clone(),
        actor: stamp.actor.clone(),
        key: stamp.key.as_ref().map(|key| key.key.clone()),
        command: stamp.key.as_ref().map(|key| key.command),
        event,
        sig: None,
    };
    let mut line = written(&entry)?;
    if let Some(sign) = sign {
        let signature = sign(&line);
        line = with_signature(line, &signature);
        entry.sig = Some(signature);
    }
    let head = Head { entries: entry.seq, link: link(line.as_bytes()) };
    Ok(Sealed { entry, line, head })
}

/// The line of an entry, without signature and newline.
///
/// # Errors
/// Never for values of this type; the serialiser's error is passed on.
pub fn written(entry: &Entry) -> Result<String, serde_json::Error> {
    serde_json::to_string(entry).map(escaped)
}

/// Writes characters that some programs take for a line's end, or do not show, as escapes.
/// They can only stand in strings, where an escape means the same.
fn escaped(line: String) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}')
    };
    if is_plain(line.as_bytes()) || !line.chars().any(hidden) {
        return line;
    }
    let mut written = String::with_capacity(line.len() + 16);
    for c in line.chars() {
        if !hidden(c) {
            written.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // A string takes whatever is written to it.
            let _ = write!(written, "\\u{unit:04x}");
        }
    }
    written
}

/// Whether every byte is a letter, digit, sign or space that everybody shows: nothing to
/// escape, and one look at each byte tells.
fn is_plain(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Adds the signature as the last member.
#[must_use]
pub fn with_signature(mut line: String, signature: &str) -> String {
    line.pop();
    line.push_str(BEFORE_SIGNATURE);
    line.push_str(signature);
    line.push_str("\"}");
    line
}

/// What a signature covers: the project and the line up to the signature.
#[must_use]
pub fn signed_part<'l>(project: &str, line: &'l [u8]) -> Option<(Vec<u8>, &'l str)> {
    let tail = BEFORE_SIGNATURE.len() + SIGNATURE + 2;
    let (body, tail) = line.split_at_checked(line.len().checked_sub(tail)?)?;
    let tail = core::str::from_utf8(tail).ok()?;
    let signature = tail.strip_prefix(BEFORE_SIGNATURE)?.strip_suffix("\"}")?;
    Some((message(project, body), signature))
}

/// What is to be signed of a line that has no signature yet.
#[must_use]
pub(super) fn message(project: &str, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(body.len() + project.len() + 20);
    message.extend_from_slice(b"exacta/entry/v1\0");
    message.extend_from_slice(project.as_bytes());
    message.push(0);
    message.extend_from_slice(body);
    message
}

/// What is to be signed of a sealed line.
#[must_use]
pub fn to_sign(project: &str, unsigned: &str) -> Vec<u8> {
    let body = unsigned.strip_suffix('}').unwrap_or(unsigned);
    message(project, body.as_bytes())
}

/// What the next line has as `prev`.
#[must_use]
pub fn link(line: &[u8]) -> Digest {
    Digest::of(line)
}

/// The hash that a line names as the one before it, as written.
///
/// # Errors
/// When the line does not begin with one.
pub fn previous(line: &[u8]) -> Result<&[u8], LineFault> {
    line.strip_prefix(BEFORE_LINK)
        .and_then(|rest| rest.split_at_checked(LINK))
        .filter(|(_, rest)| rest.starts_with(b"\","))
        .map(|(link, _)| link)
        .ok_or(LineFault::NoLink)
}

/// What a line says that a signature vouches for: whoever signed it wrote it in its one
/// written form.
///
/// # Errors
/// When it is no entry.
pub fn read_vouched(line: &[u8]) -> Result<Entry, LineFault> {
    previous(line)?;
    let text =
        core::str::from_utf8(line).map_err(|error| LineFault::NotAnEntry(format!("{error}")))?;
    understood(text)
}

/// What a text says; a record of another form is told apart from one that was damaged.
fn understood(text: &str) -> Result<Entry, LineFault> {
    let read: Result<Entry, _> = serde_json::from_str(text);
    let other = match &read {
        Ok(Entry { event: Event::RecordBegun { version, .. }, .. }) => Some(u64::from(*version)),
        Ok(_) => None,
        // The first form did not say what it was.
        Err(_) => serde_json::from_str::<serde_json::Value>(text).ok().and_then(|line| {
            let begun = line.get("event")?.get("record_begun")?;
            Some(begun.get("version").and_then(serde_json::Value::as_u64).unwrap_or(1))
        }),
    };
    match other.filter(|found| *found != u64::from(VERSION)) {
        Some(found) => Err(LineFault::OtherVersion { found }),
        None => read.map_err(|error| LineFault::NotAnEntry(format!("{error}"))),
    }
}

/// What a line says.
///
/// # Errors
/// When it is no entry in its one written form.
pub fn read(line: &[u8]) -> Result<Entry, LineFault> {
    let entry = read_vouched(line)?;
    if is_written_so(&entry, line) { Ok(entry) } else { Err(LineFault::OtherSpelling) }
}

/// Whether an entry's one written form is this line. Most lines are plain and have no
/// escapes; those are compared while they are written, without being kept.
fn is_written_so(entry: &Entry, line: &[u8]) -> bool {
    let mut left = Left(line);
    let same =
        is_plain(line) && serde_json::to_writer(&mut left, entry).is_ok() && left.0.is_empty();
    same || written(entry).is_ok_and(|written| written.as_bytes() == line)
}

/// What is still to be written; anything else is refused.
struct Left<'l>(&'l [u8]);

impl std::io::Write for Left<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(std::io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::lifecycle::Moment;
    use crate::record::{Actor, Event};

    fn entry(text: &str) -> Entry {
        Entry {
            prev: Digest::of(b"before"),
            seq: 1,
            time: "2025-11-16T06:45:00.123Z".into(),
            at: Moment { boot: "boot".into(), boottime_ms: 1, wall_ms: 2 },
            actor: Actor::system(),
            key: Some(text.into()),
            command: Some(Digest::of(b"command")),
            event: Event::PlanPaused { plan_id: crate::model::id::PlanId::parse("plan").unwrap() },
            sig: None,
        }
    }

    #[test]
    fn what_is_sealed_follows_what_came_before() {
        let stamp = Stamp {
            actor: Actor::system(),
            at: Moment { boot: "boot".into(), boottime_ms: 1, wall_ms: 2 },
            key: Some(CommandKey { key: "k".into(), command: Digest::of(b"command") }),
            time: "t".into(),
        };
        let event =
            || Event::PlanPaused { plan_id: crate::model::id::PlanId::parse("plan").unwrap() };
        let first = seal(&Head::BEGINNING, event(), &stamp, None).unwrap();
        assert_eq!(previous(first.line.as_bytes()).unwrap(), NOTHING_BEFORE.as_bytes());
        let sign = |_: &str| "ab".repeat(64);
        let second = seal(&first.head, event(), &stamp, Some(&sign)).unwrap();
        assert_eq!((second.entry.seq, second.head.entries), (2, 2));
        assert_eq!(second.entry.prev, link(first.line.as_bytes()));
        assert_eq!(second.head.link, link(second.line.as_bytes()));
        for sealed in [first, second] {
            assert_eq!(read(sealed.line.as_bytes()), Ok(sealed.entry));
        }
    }

    #[test]
    fn an_entry_reads_from_its_one_written_form_and_no_other() {
        for text in ["plain", "a \" b \\ c", "\n\u{7f}", "ümlaut", "\u{200b}\u{202e}", "\u{e0001}"]
        {
            let entry = entry(text);
            let line = written(&entry).unwrap();
            assert_eq!(read(line.as_bytes()), Ok(entry), "{line}");
            assert!(!line.contains(['\u{200b}', '\u{202e}', '\u{7f}', '\u{e0001}']), "{line}");
            for other in [
                line.replace("\"seq\":1", "\"seq\": 1"),
                line.replace("\"seq\":1", "\"seq\":1.0"),
                line.replace("plan_paused", "plan\\u005fpaused"),
                line.replace("\\u200b", "\u{200b}"),
                line.replace("\\u202e", "\\u202E"),
                line.replace('ü', "\\u00fc"),
                format!("{line} "),
                line.replace("\"time\"", "\"extra\":1,\"time\""),
            ] {
                if other != line {
                    assert!(read(other.as_bytes()).is_err(), "{other}");
                }
            }
        }
    }
}
