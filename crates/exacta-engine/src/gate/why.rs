//! Why a run did not complete: a short text beside the result list, which the record names
//! by its hash. Whoever was not there when it ran finds it again.

use exacta_core::life::ledger::RunEntry;
use exacta_core::model::digest::Blob;

use super::handle::Gate;
use crate::checks;

/// No more of a check's last lines is kept.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: usize = 2 << 10;
/// No more of a reason is kept; a long list of files is cut.
const REASON_BYTES: usize = 2 << 10;

impl Gate<'_> {
    /// The text about a run that did not complete: the reason in the first line, then what
    /// the check that did not pass wrote last.
    pub(super) fn reason_kept(&self, why: &str, checks: &[checks::Outcome]) -> Blob {
        let mut text = cut(why.lines().next().unwrap_or_default(), REASON_BYTES).to_owned();
        let failed = checks.iter().rfind(|check| check.verdict != checks::Verdict::Passed);
        if let Some(check) = failed {
            let output = String::from_utf8_lossy(&check.output);
            let lines: Vec<&str> = output.trim_end().lines().collect();
            for line in lines.iter().skip(lines.len().saturating_sub(TAIL_LINES)) {
                text.push('\n');
                text.push_str(cut(line, TAIL_BYTES / TAIL_LINES * 2));
            }
        }
        Blob::new((self.ports.mask)(&text).into_bytes())
    }

    /// Why a run did not complete, if the record says so; the reason is the first line.
    #[must_use]
    pub fn why(&self, run: &RunEntry) -> Option<String> {
        let blob = self.objects.get(&run.why?).ok()?;
        Some(String::from_utf8_lossy(blob.bytes()).into_owned())
    }
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
