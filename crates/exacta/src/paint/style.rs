//! Styles by meaning.

use anstyle::{AnsiColor, Style};
use exacta_core::review::{Line, Role, RowKind};

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const MARK: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FOUND: Style = Style::new().invert();
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
const HIDDEN: Style = AnsiColor::Yellow.on_default().invert();

/// How a role looks on a row of this kind.
pub(super) fn of(role: Role, kind: RowKind) -> Style {
    // Names and comments of a new line keep its colour.
    let base = match kind {
        RowKind::Line(Line { before: None, .. }) => ADDED,
        _ => Style::new(),
    };
    match role {
        Role::Plain | Role::Untrusted | Role::Context => Style::new(),
        Role::Strong => STRONG,
        Role::Quiet => QUIET,
        Role::Mark => MARK,
        Role::Good => GOOD,
        Role::Warning | Role::Becomes => WARNING,
        Role::Error => ERROR,
        Role::Added => ADDED,
        Role::Removed => REMOVED,
        Role::AddedWord => ADDED.bold().invert(),
        Role::RemovedWord => REMOVED.bold().invert(),
        Role::Hidden | Role::Tab | Role::LastSpace => HIDDEN,
        Role::Keyword => AnsiColor::Magenta.on_default(),
        Role::Quoted => AnsiColor::Yellow.on_default(),
        Role::Literal => AnsiColor::Cyan.on_default(),
        Role::Comment => base.dimmed(),
        Role::Type => AnsiColor::Blue.on_default(),
        Role::Function => base.bold(),
    }
}
