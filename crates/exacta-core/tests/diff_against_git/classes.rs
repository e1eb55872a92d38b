//! The documented classes of what git accepts and we refuse.

use std::collections::BTreeMap;
use std::fmt;

use exacta_core::read::diff::{DiffProblem, Difference, PatchProblem};

/// The page that lists the classes and the reason for each.
const PAGE: &str = include_str!("../../../../docs/design/diffs.md");

/// How often each class was met.
#[derive(Default)]
pub(crate) struct Classes(BTreeMap<&'static str, usize>);

impl Classes {
    /// Counts a class, which must be on the page.
    pub(crate) fn count(&mut self, class: Option<&'static str>, about: impl Fn() -> String) {
        let Some(class) = class else { panic!("git accepts, we refuse, no class:\n{}", about()) };
        assert!(
            PAGE.contains(&format!("| {class} |")),
            "`{class}` is not in diffs.md:\n{}",
            about()
        );
        *self.0.entry(class).or_default() += 1;
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused by us alone:")?;
        self.0.iter().try_for_each(|(class, count)| write!(f, " {class} {count},"))
    }
}

/// The class of a diff that git accepts with this report.
pub(crate) fn diff_class(problem: &DiffProblem, text: &[u8], report: &str) -> Option<&'static str> {
    // git says when it moved a hunk, except for a pure removal: there it starts one line
    // too early and does not count that line.
    let moved = report.contains("offset") || text.windows(5).any(|bytes| bytes == b",0 @@");
    let has_marker = text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"\\ "));
    Some(match problem {
        DiffProblem::Unterminated => "no last newline",
        DiffProblem::Header { .. } | DiffProblem::DevNull(_) => "header names",
        DiffProblem::GitHeader(_) | DiffProblem::NotAHunk(_) | DiffProblem::Trailing(_) => {
            "text around"
        }
        DiffProblem::SecondFile(_) => "second file",
        DiffProblem::HunkHeader(_) => "number form",
        DiffProblem::ZeroStart => "line zero",
        DiffProblem::NewStart { .. } => "new line numbers",
        DiffProblem::Order { .. } => "hunk order",
        DiffProblem::CreationHunk | DiffProblem::DeletionHunk => "whole file",
        DiffProblem::EmptyLine => "empty line",
        DiffProblem::TooManyLines { .. } => "surplus lines",
        DiffProblem::ChangesNothing => "no change",
        DiffProblem::Marker(_)
        | DiffProblem::StrayMarker
        | DiffProblem::AfterEnd(_)
        | DiffProblem::HasNewline(_)
        | DiffProblem::OpenLine(_)
        | DiffProblem::EndsEarly(_) => "newline marker",
        DiffProblem::LineDiffers { .. }
        | DiffProblem::PastEnd { .. }
        | DiffProblem::LacksNewline(_)
        | DiffProblem::NotAtEnd(_)
        | DiffProblem::NotAtStart
            if moved =>
        {
            "offset"
        }
        // A last line without newline matches every line that goes on with white space.
        DiffProblem::LineDiffers {
            difference: Difference::CarriageReturn | Difference::WhiteSpace,
            ..
        } if has_marker => "newline marker",
        _ => return None,
    })
}

/// The class of a patch that git accepts with this report.
pub(crate) fn patch_class(
    problem: &PatchProblem,
    text: &[u8],
    report: &str,
) -> Option<&'static str> {
    Some(match problem {
        PatchProblem::Hunk(problem) => return diff_class(problem, text, report),
        PatchProblem::Prose(_)
        | PatchProblem::Garbage(_)
        | PatchProblem::Plain(_)
        | PatchProblem::InMessage(_)
        | PatchProblem::Encoded(_)
        | PatchProblem::OnlyIn(_) => "text around",
        PatchProblem::Unterminated => "no last newline",
        PatchProblem::Converted => "converted line ends",
        PatchProblem::OutOfPlace(_) | PatchProblem::Expected(_) => "header order",
        PatchProblem::Names(_)
        | PatchProblem::OtherName { .. }
        | PatchProblem::Prefix { .. }
        | PatchProblem::Quote(_)
        | PatchProblem::TwoNames { .. }
        | PatchProblem::MixedNames
        | PatchProblem::Stamp(_)
        | PatchProblem::SameName => "header names",
        PatchProblem::Path { .. } | PatchProblem::NotUtf8(_) => "target names",
        PatchProblem::Repeated { .. } => "repeated file",
        PatchProblem::Unsupported(_) | PatchProblem::Mode(_) => "unsupported section",
        PatchProblem::ModeChange
        | PatchProblem::Index(_)
        | PatchProblem::Percent(_)
        | PatchProblem::Stays => "header values",
        PatchProblem::CutOff => "cut off",
        PatchProblem::ChangesNothing => "no change",
        PatchProblem::Empty
        | PatchProblem::NoFiles
        | PatchProblem::Packed(_)
        | PatchProblem::TooMuchBinary(_)
        | PatchProblem::StillThere(_)
        | PatchProblem::NotThere(_)
        | PatchProblem::Tangled(_)
        | PatchProblem::TooManyPatches(_)
        | PatchProblem::TooManyFiles(_) => return None,
    })
}
