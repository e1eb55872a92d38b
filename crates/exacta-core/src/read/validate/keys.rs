//! Argument names that say where a call goes: to a page, a person or a file.

use alloc::string::String;

/// Arguments that hold addresses of pages.
const URL_KEYS: &[&str] = &[
    "url",
    "urls",
    "uri",
    "uris",
    "link",
    "links",
    "href",
    "source",
    "sources",
    "sourceurl",
    "endpoint",
    "endpoints",
    "websourceurl",
    "dailysources",
    "host",
    "hosts",
    "hostname",
    "domain",
    "domains",
    "baseurl",
    "apiurl",
    "webhook",
    "webhookurl",
    "callback",
    "callbackurl",
    "proxy",
    "server",
    "origin",
];
/// Arguments that hold mail addresses.
const RECIPIENT_KEYS: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "replyto",
    "from",
    "sender",
    "address",
    "addresses",
    "email",
    "emails",
    "emailaddress",
    "mail",
    "mailto",
];
/// Arguments that name files which leave with the call.
const FILE_KEYS: &[&str] = &[
    "attachment",
    "attachments",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
];
/// Arguments that name other places or tools.
const NAME_KEYS: &[&str] = &["path", "paths", "name", "tool", "toolname"];

/// What the keys around a value say it is; more than one can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sense(u8);

impl Sense {
    pub(super) const URL: Self = Self(1);
    pub(super) const RECIPIENT: Self = Self(2);
    pub(super) const FILE: Self = Self(4);
    const NAME: Self = Self(8);

    /// Whether the value steers where a call goes.
    pub(super) fn steers(self) -> bool {
        self.0 != 0
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the value must be text: an address or a file.
    pub(super) fn is_text(self) -> bool {
        self.has(Self(7))
    }

    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What stands below `key` in a value of this sense. Case, `_` and `-` make no other
    /// name, and nothing below a key sheds what the key says.
    #[must_use]
    pub(super) fn below(self, key: &str) -> Self {
        const LONGEST: usize = 64;
        if key.len() > LONGEST {
            return self;
        }
        let plain: String = key
            .chars()
            .filter(|c| !matches!(c, '_' | '-'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let lists = [
            (URL_KEYS, Self::URL),
            (RECIPIENT_KEYS, Self::RECIPIENT),
            (FILE_KEYS, Self::FILE),
            (NAME_KEYS, Self::NAME),
        ];
        lists
            .into_iter()
            .filter(|(list, _)| list.contains(&plain.as_str()))
            .fold(self, |sense, (_, own)| sense.and(own))
    }
}
