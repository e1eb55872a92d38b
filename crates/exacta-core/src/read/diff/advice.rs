//! What a planner can do about each problem of a diff.

use super::problem::{DiffProblem, Difference};

impl DiffProblem {
    /// What a planner can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty | Self::NoHunk => {
                "write `--- a/<target>`, `+++ b/<target>` and at least one hunk"
            }
            Self::Unterminated => "end every line of the diff, the last one too, with a newline",
            Self::Header { .. } | Self::HeaderMissing(_) => {
                "start with `--- a/<target>` and `+++ b/<target>` (a new file: `--- /dev/null`), byte for byte: no quotes, tabs or dates"
            }
            Self::DevNull(_) => "use a step of type `file_create` or `file_delete` instead",
            Self::GitHeader(_) => {
                "remove every line before `--- `; hand in git output with `--patch` instead"
            }
            Self::NotAHunk(_) | Self::Trailing(_) => {
                "keep only the two header lines and the hunks; no prose, fences or blank lines"
            }
            Self::HunkHeader(_) => {
                "write `@@ -<line>[,<count>] +<line>[,<count>] @@` in plain decimal numbers"
            }
            Self::ZeroStart => "lines are counted from 1; line 0 only goes with count 0",
            Self::EmptyLine => {
                "an empty context line is a single space; nothing follows the last hunk"
            }
            Self::Sign(_) => "start each line of a hunk with a space, `+` or `-`",
            Self::TooFewLines { .. } | Self::TooManyLines { .. } => {
                "count again: context and `-` lines are old, context and `+` lines are new"
            }
            Self::Marker(_) | Self::StrayMarker | Self::AfterEnd(_) => {
                "put `\\ No newline at end of file` once, right after the last line of a file that lacks its newline"
            }
            Self::ChangesNothing => "leave out what stays as it is",
            Self::Order { .. } => "order the hunks by line and merge those that overlap",
            Self::NewStart { .. } => {
                "new line = old line + lines added by the hunks before − lines they removed"
            }
            Self::TooManyHunks => "give the whole new file as `content`",
            Self::SecondFile(_) => "make one step for each file",
            Self::CreationHunk => "give all lines of the new file in one hunk, each with `+`",
            Self::DeletionHunk => "give all lines of the deleted file in one hunk, each with `-`",
            Self::Missing => "use `file_create` for a file that does not exist yet",
            Self::Exists => "use `file_modify` for a file that exists",
            Self::LineDiffers { difference: Difference::CarriageReturn, .. } => {
                "lines that end with CR LF in the file need their CR in the diff too, and only those; \
                 where `.gitattributes` has git convert them, its diffs lack the CR: make the change \
                 by capturing the command that makes it, or hand the file in as a draft"
            }
            Self::LineDiffers { difference: Difference::WhiteSpace, .. } => {
                "only white space differs; copy the line exactly as it is in the file"
            }
            Self::LineDiffers { .. } | Self::PastEnd { .. } => {
                "make the diff again from the file as it is now"
            }
            Self::HasNewline(_) => {
                "remove `\\ No newline at end of file` behind this line, or add the lines that follow"
            }
            Self::LacksNewline(_) => "add `\\ No newline at end of file` behind this line",
            Self::NotAtEnd(_) => "add at least one line of context after the change",
            Self::NotAtStart => "add line 1 as context",
            Self::OpenLine(_) => {
                "replace the last line: `-` with `\\ No newline at end of file`, then `+` with a newline"
            }
            Self::EndsEarly(_) => "remove `\\ No newline at end of file`",
            Self::OtherBytes => "make the patch again from the file as it is now",
            Self::Leftover(_) => "make the deletion again from the file as it is now",
        }
    }
}
