//! Rows of a review: spans of text, each with the role it plays.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::glyph::{Glyph, glyphs};
use super::model::Anchor;
use super::syntax::TokenKind;

/// What a piece of text is; how it looks is up to whoever paints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Words of ours.
    Plain,
    /// The name of what follows.
    Strong,
    /// What matters less.
    Quiet,
    /// A name or a place that stands out.
    Mark,
    /// Good news.
    Good,
    /// What to look at twice.
    Warning,
    /// What stands in the way.
    Error,
    /// Stands between a value and what it becomes.
    Becomes,
    /// Words of the planner or of whoever asked; nothing in them was checked.
    Untrusted,
    /// Text of a line that stays.
    Context,
    /// Text of a line that is new.
    Added,
    /// Text of a line that is gone.
    Removed,
    /// The part of a new line that the line it replaces does not have.
    AddedWord,
    /// The part of a line that is gone which its replacement does not have.
    RemovedWord,
    /// A character that does not show, or could be taken for another, spelled out.
    Hidden,
    /// One tab; the text is the tab itself.
    Tab,
    /// Spaces at the end of a line; the text is the spaces themselves.
    LastSpace,
    /// Code: `if`, `fn`, `return`.
    Keyword,
    /// Code: text in quotes.
    Quoted,
    /// Code: a number, `true`, `null`.
    Literal,
    /// Code: a comment.
    Comment,
    /// Code: the name of a type.
    Type,
    /// Code: the name of a function, where it is defined.
    Function,
}

impl From<TokenKind> for Role {
    fn from(kind: TokenKind) -> Self {
        match kind {
            TokenKind::Keyword => Self::Keyword,
            TokenKind::Quoted => Self::Quoted,
            TokenKind::Literal => Self::Literal,
            TokenKind::Comment => Self::Comment,
            TokenKind::Type => Self::Type,
            TokenKind::Function => Self::Function,
        }
    }
}

/// A piece of text and its role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// What it is.
    pub role: Role,
    /// What it says; untrusted text was made visible before.
    pub text: String,
}

/// A line of one of two images, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// Its number before; absent where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// Its number after; absent where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// Whether the file ends here without a line feed.
    pub unended: bool,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Names what follows; a place to jump to.
    Heading,
    /// The same for a file among others.
    File,
    /// Words of ours.
    Prose,
    /// Content of which every character counts, such as names and arguments.
    Content,
    /// The line that the row above is about.
    Excerpt,
    /// Words of somebody else, to be set apart.
    Quote,
    /// Content that somebody else wrote, to be set apart.
    QuotedContent,
    /// Begins a hunk, which has this number; none where it cannot be selected by one.
    Hunk(Option<u32>),
    /// A line of an image.
    Line(Line),
}

/// One row; however long it is, it is whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// What it is.
    pub kind: RowKind,
    /// How far it is set in, in columns.
    pub indent: u8,
    /// What stands on it.
    pub spans: Vec<Span>,
    /// The line that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
}

impl Row {
    /// An empty row.
    #[must_use]
    pub fn new(kind: RowKind, indent: u8) -> Self {
        Self { kind, indent, spans: Vec::new(), anchor: None }
    }

    /// A row of our words.
    #[must_use]
    pub fn prose(indent: u8) -> Self {
        Self::new(RowKind::Prose, indent)
    }

    /// A row of which every character counts.
    #[must_use]
    pub fn content(indent: u8) -> Self {
        Self::new(RowKind::Content, indent)
    }

    /// Adds words that need no care: ours, or such as were made visible before.
    #[must_use]
    pub fn say(self, text: impl AsRef<str>) -> Self {
        self.with(Role::Plain, text)
    }

    /// The same in a role.
    #[must_use]
    pub fn with(mut self, role: Role, text: impl AsRef<str>) -> Self {
        self.push(role, text.as_ref());
        self
    }

    /// Adds a text of unknown make: every character of it shows, and shows as itself.
    #[must_use]
    pub fn show(mut self, role: Role, text: &[u8]) -> Self {
        for (_, glyph) in glyphs(text) {
            self.glyph(glyph, role);
        }
        self
    }

    /// Adds what one glyph shows.
    pub(super) fn glyph(&mut self, glyph: Glyph, role: Role) {
        let role = glyph.role().unwrap_or(role);
        if self.spans.last().is_none_or(|span| span.role != role || role == Role::Tab) {
            self.spans.push(Span { role, text: String::new() });
        }
        if let Some(span) = self.spans.last_mut() {
            glyph.write(&mut span.text);
        }
    }

    fn push(&mut self, role: Role, text: &str) {
        match self.spans.last_mut().filter(|span| span.role == role) {
            Some(span) => span.text.push_str(text),
            None if text.is_empty() => {}
            None => self.spans.push(Span { role, text: text.to_owned() }),
        }
    }

    /// Everything on the row, roles aside.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}
