//! Writes one message: seven-bit lines, no header that a text could break out of.

use std::fmt::Write as _;

use data_encoding::BASE64;
use exacta_core::model::web::mail_key;

use crate::error::ToolError;

/// The most recipients of one message.
const MOST_RECIPIENTS: usize = 20;
/// The longest line that goes out as it is.
const LINE: usize = 78;
/// The most bytes of text in one encoded word.
const WORD: usize = 42;
/// The longest subject.
const SUBJECT: usize = 500;
/// The longest text.
const BODY: usize = 1024 * 1024;

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Who it is from.
    pub from: String,
    /// Whom it goes to.
    pub to: Vec<String>,
    /// Who gets a copy.
    pub cc: Vec<String>,
    /// Who gets a copy that nobody sees.
    pub bcc: Vec<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub body: String,
    /// The date, as mail writes it.
    pub date: String,
    /// Its own name, without angle brackets.
    pub message_id: String,
}

/// Whether a text is more than one line of a header to anybody.
pub fn ends_a_line(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}'))
}

fn refused(message: impl Into<String>) -> ToolError {
    ToolError::new("MAIL_REFUSED", message)
}

impl Draft {
    /// Everybody it goes to, once each.
    ///
    /// # Errors
    /// When there is nobody, or too many, or one of them twice, or not a bare address.
    pub fn recipients(&self) -> Result<Vec<String>, ToolError> {
        let mut all: Vec<String> = Vec::new();
        for address in self.to.iter().chain(&self.cc).chain(&self.bcc) {
            let Some(key) = mail_key(address) else {
                return Err(refused(format!(
                    "`{}` is not a bare mail address",
                    address.escape_debug()
                )));
            };
            if all.iter().any(|one| one.eq_ignore_ascii_case(&key)) {
                return Err(refused(format!("`{key}` is named twice")));
            }
            all.push(key);
        }
        if self.to.is_empty() {
            return Err(refused("nobody is named in `to`"));
        }
        if all.len() > MOST_RECIPIENTS {
            return Err(refused(format!(
                "{} recipients are named; a mail goes to {MOST_RECIPIENTS} at most",
                all.len()
            )));
        }
        Ok(all)
    }

    /// The message, every line ended by CR LF. Whoever gets a hidden copy is not in it.
    ///
    /// # Errors
    /// When a header would not be one line, or something is too long.
    pub fn written(&self) -> Result<Vec<u8>, ToolError> {
        self.recipients()?;
        if mail_key(&self.from).is_none() {
            return Err(refused("the address that mail comes from is not a bare address"));
        }
        for (name, text) in
            [("subject", &self.subject), ("date", &self.date), ("message id", &self.message_id)]
        {
            if ends_a_line(text) {
                return Err(refused(format!("the {name} has a line end or a control character")));
            }
        }
        if self.subject.len() > SUBJECT {
            return Err(refused(format!("the subject is longer than {SUBJECT} bytes")));
        }
        if self.body.len() > BODY {
            return Err(refused("the text is longer than 1 MiB"));
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "From: {}\r\n", self.from);
        let _ = write!(text, "To: {}\r\n", self.to.join(",\r\n "));
        if !self.cc.is_empty() {
            let _ = write!(text, "Cc: {}\r\n", self.cc.join(",\r\n "));
        }
        let _ = write!(text, "Subject: {}\r\n", encoded(&self.subject));
        if !self.date.is_empty() {
            let _ = write!(text, "Date: {}\r\n", self.date);
        }
        if !self.message_id.is_empty() {
            let _ = write!(text, "Message-ID: <{}>\r\n", self.message_id);
        }
        text.push_str("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n");
        let body = lines(&self.body);
        if plain(&body) {
            text.push_str("Content-Transfer-Encoding: 7bit\r\n\r\n");
            text.push_str(&body);
        } else {
            text.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
            let packed = BASE64.encode(body.as_bytes());
            for line in packed.as_bytes().chunks(76) {
                text.push_str(std::str::from_utf8(line).unwrap_or_default());
                text.push_str("\r\n");
            }
        }
        Ok(text.into_bytes())
    }
}

/// A text with every kind of line end made CR LF, and one at its end.
fn lines(text: &str) -> String {
    let mut lines = text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    if !lines.ends_with("\r\n") {
        lines.push_str("\r\n");
    }
    lines
}

/// Whether every line may go out as it is.
fn plain(body: &str) -> bool {
    let shown = |b: u8| b == b'\t' || (b' '..=b'~').contains(&b);
    body.split("\r\n").all(|line| line.len() <= LINE && line.bytes().all(shown))
}

/// A header text: as it is, or in encoded words of which each stands on a line of its own.
fn encoded(text: &str) -> String {
    let simple = text.len() <= LINE - 10
        && text.bytes().all(|b| (b' '..=b'~').contains(&b))
        && !text.contains("=?");
    if simple {
        return text.to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if word.len().saturating_add(c.len_utf8()) > WORD {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.push(word);
    let word = |word: &String| format!("=?utf-8?B?{}?=", BASE64.encode(word.as_bytes()));
    words.iter().map(word).collect::<Vec<_>>().join("\r\n ")
}

#[cfg(test)]
mod tests {
    use mail_parser::MessageParser;

    use super::*;

    fn draft() -> Draft {
        Draft {
            from: "me@corp.example".into(),
            to: vec!["you@corp.example".into()],
            subject: "Hello".into(),
            body: "One.\nTwo.".into(),
            date: "Wed, 18 Nov 2026 04:00:00 +0000".into(),
            message_id: "k@exacta.corp.example".into(),
            ..Draft::default()
        }
    }

    #[test]
    fn a_message_reads_back_as_it_was_meant() {
        for (subject, body) in [
            ("Hello", "One.\nTwo."),
            (
                "Grüße 😊 an alle, die diese lange Zeile lesen wollen und auch lesen können",
                "ümlaut\r\nx\ry\n",
            ),
            ("=?utf-8?B?Zm9v?=", ".\n..\n.\r\n.\r"),
            ("", ""),
            ("a", &"long ".repeat(500)),
            ("b", "tab\tand \u{7} bell"),
        ] {
            let bytes =
                Draft { subject: subject.into(), body: body.into(), ..draft() }.written().unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            assert!(text.is_ascii(), "{text}");
            assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
            assert!(text.split("\r\n").all(|line| line.len() <= 78), "{text}");
            let back = MessageParser::default().parse(&bytes).unwrap();
            assert_eq!(back.subject().unwrap_or_default(), subject);
            let read = back.body_text(0).unwrap_or_default().replace("\r\n", "\n");
            assert_eq!(read.trim_end(), body.replace("\r\n", "\n").replace('\r', "\n").trim_end());
        }
    }

    #[test]
    fn no_header_holds_another() {
        for subject in ["a\r\nBcc: e@x.example", "a\nb", "a\rb", "a\0b", "a\u{2028}b", "a\u{85}b"] {
            let fault = Draft { subject: subject.into(), ..draft() }.written().unwrap_err();
            assert_eq!(fault.code, "MAIL_REFUSED", "{subject:?}");
        }
        for address in [
            "you@corp.example\r\nRCPT TO:<e@x.example>",
            "\"a\" <e@x.example>",
            "a@b@c.example",
            " you@corp.example",
            "you@corp.example\n",
            "you@[127.0.0.1]",
            "you@localhost",
            "you@c\u{43e}rp.example",
            "",
        ] {
            for at in 0..3 {
                let mut draft = draft();
                match at {
                    0 => draft.to = vec![address.into()],
                    1 => draft.cc = vec![address.into()],
                    _ => draft.bcc = vec![address.into()],
                }
                assert!(draft.written().is_err(), "{address:?}");
            }
        }
        assert!(Draft { from: "me@corp.example>\r\nX: y".into(), ..draft() }.written().is_err());
    }

    #[test]
    fn nobody_is_written_to_twice_and_few_at_once() {
        let twice = Draft { cc: vec!["you@CORP.example".into()], ..draft() };
        assert!(twice.recipients().is_err());
        let many = |count: usize| Draft {
            to: (0..count).map(|n| format!("a{n}@corp.example")).collect(),
            ..draft()
        };
        assert_eq!(many(20).recipients().unwrap().len(), 20);
        assert!(many(21).recipients().is_err());
        assert!(many(0).recipients().is_err());
    }

    #[test]
    fn hidden_copies_are_not_in_the_message() {
        let draft = Draft { bcc: vec!["boss@corp.example".into()], ..draft() };
        assert_eq!(draft.recipients().unwrap().len(), 2);
        let text = String::from_utf8(draft.written().unwrap()).unwrap();
        assert!(!text.to_lowercase().contains("boss"), "{text}");
    }
}
