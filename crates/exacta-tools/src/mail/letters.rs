//! Reads mail: one message, an mbox, a Maildir, or a folder of messages. Looking changes
//! nothing: no flag, no name, and where the system allows it no access time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Cursor, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{HeaderName, HeaderValue, Message, MessageParser, MimeHeaders as _};
use serde::{Deserialize, Serialize};

use crate::error::ToolError;

/// The most messages that are read at once.
const MOST_LETTERS: usize = 200;
/// The longest message.
const MOST_BYTES: u64 = 25 * 1024 * 1024;
/// The longest mailbox file.
const MOST_MBOX: u64 = 200 * 1024 * 1024;
/// The most characters of a message's text.
const TEXT: usize = 20_000;
/// The most characters of a header.
const HEADER: usize = 500;
/// Asks the system to leave the access time alone.
const NO_ATIME: i32 = rustix::fs::OFlags::NOATIME.bits().cast_signed();

/// One message, as far as sorting and summing up need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// Its own name, without angle brackets.
    pub id: String,
    /// The name of the message that its conversation began with.
    pub thread: String,
    /// Who wrote it: the bare address.
    pub sender: String,
    /// Who wrote it: the name.
    pub sender_name: String,
    /// The subject.
    pub subject: String,
    /// When it was written, in the form of RFC 3339.
    pub date: String,
    /// What it says, as plain text.
    pub text: String,
    /// The names of what is attached.
    pub attached: Vec<String>,
    /// Whether it went to many: a list or a bulk sender.
    pub bulk: bool,
}

/// The messages in a text: one, or those of an mbox.
pub fn letters_in(bytes: &[u8]) -> Vec<Letter> {
    if bytes.starts_with(b"From ") {
        let messages = MessageIterator::new(Cursor::new(bytes)).take(MOST_LETTERS);
        return messages.filter_map(|message| letter(message.ok()?.contents())).collect();
    }
    letter(bytes).into_iter().collect()
}

/// The messages of a file or folder.
///
/// # Errors
/// When it cannot be read.
pub fn letters_at(path: &Path) -> Result<Vec<Letter>, ToolError> {
    let about = fs::metadata(path).map_err(|fault| failed(path, &fault))?;
    if about.is_file() {
        let bytes = look(path, MOST_MBOX)?;
        return Ok(letters_in(&bytes));
    }
    let maildir = path.join("cur").is_dir() && path.join("new").is_dir();
    let folders =
        if maildir { vec![path.join("new"), path.join("cur")] } else { vec![path.to_owned()] };
    let mut files = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(&folder).map_err(|fault| failed(&folder, &fault))? {
            let entry = entry.map_err(|fault| failed(&folder, &fault))?;
            let name = entry.file_name();
            let named = maildir
                || Path::new(&name).extension().is_some_and(|end| end == "eml" || end == "mbox");
            // Not through links: the folder is what the operator named.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if named && is_file && !name.as_encoded_bytes().starts_with(b".") {
                files.push(entry.path());
            }
        }
    }
    files.sort_by(|one, two| one.file_name().cmp(&two.file_name()));
    let mut letters = Vec::new();
    for file in files {
        letters.extend(letters_in(&look(&file, MOST_BYTES)?));
        if letters.len() >= MOST_LETTERS {
            letters.truncate(MOST_LETTERS);
            break;
        }
    }
    Ok(letters)
}

fn failed(path: &Path, fault: &io::Error) -> ToolError {
    ToolError::new("INBOX_UNREADABLE", format!("`{}`: {fault}", path.display()))
}

/// Reads a file and leaves no trace of it, as far as its owner may.
fn look(path: &Path, most: u64) -> Result<Vec<u8>, ToolError> {
    let quiet = OpenOptions::new().read(true).custom_flags(NO_ATIME).open(path);
    let file = quiet.or_else(|_| File::open(path)).map_err(|fault| failed(path, &fault))?;
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|fault| failed(path, &fault))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        let path: PathBuf = path.to_owned();
        let message = format!("`{}` is longer than {most} bytes", path.display());
        return Err(ToolError::new("INBOX_UNREADABLE", message));
    }
    Ok(bytes)
}

fn letter(bytes: &[u8]) -> Option<Letter> {
    let message = MessageParser::default().parse(bytes)?;
    let from = message.from().or_else(|| message.sender()).and_then(|list| list.first());
    let id = message.message_id().unwrap_or_default().to_owned();
    let text = message.body_text(0).unwrap_or_default();
    // A message that has neither sender nor text is not one.
    if from.is_none() && text.trim().is_empty() && message.subject().is_none() {
        return None;
    }
    Some(Letter {
        thread: thread(&message).unwrap_or_else(|| id.clone()),
        id,
        sender: short(from.and_then(|from| from.address()).unwrap_or_default()),
        sender_name: short(from.and_then(|from| from.name()).unwrap_or_default()),
        subject: short(message.subject().unwrap_or_default()),
        date: message.date().map(mail_parser::DateTime::to_rfc3339).unwrap_or_default(),
        text: text.chars().take(TEXT).collect(),
        attached: message
            .attachments()
            .map(|part| short(part.attachment_name().unwrap_or("(no name)")))
            .take(MOST_LETTERS)
            .collect(),
        bulk: bulk(&message),
    })
}

/// The first message of the conversation.
fn thread(message: &Message<'_>) -> Option<String> {
    [message.references(), message.in_reply_to()].into_iter().find_map(|value| match value {
        HeaderValue::Text(one) => Some(one.to_string()),
        HeaderValue::TextList(list) => list.first().map(ToString::to_string),
        _ => None,
    })
}

fn bulk(message: &Message<'_>) -> bool {
    let has = |name: &'static str| {
        message.header(HeaderName::parse(name).unwrap_or(HeaderName::Other(name.into()))).is_some()
    };
    has("List-Unsubscribe")
        || has("List-Id")
        || message.header_raw("Precedence").is_some_and(|value| {
            let value = value.trim().to_ascii_lowercase();
            value == "bulk" || value == "list" || value == "junk"
        })
}

/// One line of a header.
fn short(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(HEADER).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "From: Ann <ann@corp.example>\r\nTo: me@corp.example\r\nSubject: =?utf-8?B?SGkg8J+Yig==?=\r\nMessage-ID: <2@x>\r\nReferences: <1@x> <1b@x>\r\nDate: Wed, 18 Nov 2026 04:00:00 +0000\r\n\r\nCould you look?\r\n";

    #[test]
    fn one_message_keeps_sender_and_thread() {
        let letters = letters_in(ONE.as_bytes());
        let letter = letters.first().unwrap();
        assert_eq!((letter.id.as_str(), letter.thread.as_str()), ("2@x", "1@x"));
        assert_eq!(
            (letter.sender.as_str(), letter.sender_name.as_str()),
            ("ann@corp.example", "Ann")
        );
        assert_eq!(letter.subject, "Hi 😊");
        assert!(letter.date.starts_with("2026-11-18T04:00:00"), "{}", letter.date);
        assert!(!letter.bulk);
    }

    #[test]
    fn a_mailbox_a_maildir_and_a_folder_are_read_and_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let mbox = place.path().join("box.mbox");
        let text = ONE.replace("\r\n", "\n");
        fs::write(&mbox, format!("From a b\n{text}\nFrom a b\n{}", text.replace("<2@x>", "<3@x>")))
            .unwrap();
        assert_eq!(letters_at(&mbox).unwrap().len(), 2);
        let maildir = place.path().join("maildir");
        for sub in ["cur", "new", "tmp"] {
            fs::create_dir_all(maildir.join(sub)).unwrap();
        }
        fs::write(maildir.join("new/1.host"), ONE).unwrap();
        fs::write(maildir.join("cur/2.host:2,S"), ONE).unwrap();
        fs::write(maildir.join("tmp/3.host"), ONE).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", maildir.join("new/0.link")).unwrap();
        let before = fs::metadata(maildir.join("new/1.host")).unwrap().accessed().unwrap();
        assert_eq!(letters_at(&maildir).unwrap().len(), 2);
        assert!(maildir.join("new/1.host").exists() && maildir.join("cur/2.host:2,S").exists());
        assert_eq!(fs::metadata(maildir.join("new/1.host")).unwrap().accessed().unwrap(), before);
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.eml"), ONE).unwrap();
        fs::write(folder.join("notes.txt"), ONE).unwrap();
        assert_eq!(letters_at(&folder).unwrap().len(), 1);
        assert!(letters_at(&place.path().join("nothing")).is_err());
    }

    #[test]
    fn hostile_bytes_do_no_harm() {
        for bytes in [
            &b""[..],
            b"\0\0\0",
            b"From ",
            b"From a\n>From b\n\n\n",
            b"Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n--a\r\n--a--",
            b"Subject: =?utf-8?B?!!!!?=\r\n\r\n",
        ] {
            let _ = letters_in(bytes);
        }
        let deep = "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n".repeat(5_000);
        let _ = letters_in(deep.as_bytes());
    }

    #[test]
    fn letters_to_many_are_known() {
        let list = ONE.replace("To: me", "List-Unsubscribe: <mailto:x@y.example>\r\nTo: me");
        assert!(letters_in(list.as_bytes()).first().unwrap().bulk);
        let list = ONE.replace("To: me", "Precedence: Bulk\r\nTo: me");
        assert!(letters_in(list.as_bytes()).first().unwrap().bulk);
    }
}
