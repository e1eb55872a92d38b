//! What git writes before the first section when it is asked for more than the patch: the lines
//! of `--stat`, `--numstat`, `--shortstat`, `--dirstat`, `--summary` and `--raw`.
//!
//! A line is skipped only if it has exactly one of these shapes, and only if the sections follow
//! at once. None of the shapes starts as a line of a diff does, so nothing can hide there.

use super::super::lines::Cursor;

/// Skips the lines if they are what git writes there; otherwise the cursor stays.
pub(super) fn skip(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    while ahead.peek().is_some_and(|line| is_summary(line.bytes)) {
        ahead.next_line();
    }
    if ahead.at() > cursor.at() && ahead.peek().is_some_and(|line| line.bytes.is_empty()) {
        ahead.next_line();
    }
    if ahead.starts_with(b"diff --git ") {
        *cursor = ahead;
    }
}

/// Whether a text is a patch with such lines before it.
#[must_use]
pub fn leads_to_a_patch(text: &[u8]) -> bool {
    let mut cursor = Cursor::new(text, 1);
    skip(&mut cursor);
    cursor.at() > 0
}

fn is_summary(line: &[u8]) -> bool {
    let Ok(line) = core::str::from_utf8(line) else { return false };
    if line.contains(|c: char| c.is_control() && c != '\t') {
        return false;
    }
    match line.as_bytes().first() {
        Some(b' ') => {
            let line = line.get(1..).unwrap_or_default();
            is_stat(line) || is_total(line) || is_share(line) || is_event(line) || line == "..."
        }
        Some(b':') => is_raw(line),
        _ => is_counted(line),
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_mode(word: &str) -> bool {
    word.len() == 6 && word.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
}

/// `src/a.rs | 12 +++---`, `logo.png | Bin 0 -> 12 bytes`.
fn is_stat(line: &str) -> bool {
    let Some((name, counts)) = line.rsplit_once(" | ") else { return false };
    if name.trim().is_empty() {
        return false;
    }
    let counts = counts.trim_start();
    if let Some(sizes) = counts.strip_prefix("Bin") {
        let mut words = sizes.split_ascii_whitespace();
        return match [words.next(), words.next(), words.next(), words.next(), words.next()] {
            [None, ..] => true,
            [Some(old), Some("->"), Some(new), Some("bytes"), None] => {
                is_number(old) && is_number(new)
            }
            _ => false,
        };
    }
    let (number, bar) = counts.split_once(' ').unwrap_or((counts, ""));
    is_number(number) && bar.bytes().all(|byte| matches!(byte, b'+' | b'-'))
}

/// `2 files changed, 3 insertions(+), 1 deletion(-)`.
fn is_total(line: &str) -> bool {
    line.split(", ").enumerate().all(|(at, part)| {
        let Some((number, words)) = part.split_once(' ') else { return false };
        let files = matches!(words, "file changed" | "files changed");
        let lines =
            matches!(words, "insertion(+)" | "insertions(+)" | "deletion(-)" | "deletions(-)");
        is_number(number) && if at == 0 { files } else { lines }
    })
}

/// `43.7% src/`, behind one more space or two.
fn is_share(line: &str) -> bool {
    let Some((share, folder)) = line.trim_start().split_once("% ") else { return false };
    let number = share.split_once('.');
    number.is_some_and(|(whole, part)| is_number(whole) && is_number(part)) && folder.ends_with('/')
}

/// `create mode 100644 a.rs`, `rename a.rs => b.rs (90%)`.
fn is_event(line: &str) -> bool {
    let of = |start: &str| line.strip_prefix(start);
    if let Some(rest) = of("create mode ").or_else(|| of("delete mode ")) {
        return rest.split_once(' ').is_some_and(|(mode, name)| is_mode(mode) && !name.is_empty());
    }
    if let Some(rest) = of("mode change ") {
        let mut words = rest.splitn(4, ' ');
        let (old, arrow, new) = (words.next(), words.next(), words.next());
        return old.is_some_and(is_mode) && arrow == Some("=>") && new.is_some_and(is_mode);
    }
    let rest = of("rename ").or_else(|| of("copy ")).or_else(|| of("rewrite "));
    rest.and_then(|rest| rest.strip_suffix("%)")?.rsplit_once(" ("))
        .is_some_and(|(name, percent)| !name.is_empty() && is_number(percent))
}

/// `:100644 100644 7bf8c38 0000000 M<tab>a.rs`.
fn is_raw(line: &str) -> bool {
    let Some((head, names)) = line.split_once('\t') else { return false };
    let mut words = head.get(1..).unwrap_or_default().split(' ');
    let [old, new, before, after, status] =
        core::array::from_fn(|_| words.next().unwrap_or_default());
    let is_name = |hash: &str| {
        (4..=64).contains(&hash.len())
            && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let score = status.get(1..).unwrap_or_default();
    words.next().is_none()
        && is_mode(old)
        && is_mode(new)
        && is_name(before)
        && is_name(after)
        && status.starts_with(|c: char| c.is_ascii_uppercase())
        && (score.is_empty() || is_number(score))
        && !names.is_empty()
}

/// `12<tab>3<tab>a.rs`, `-<tab>-<tab>logo.png`.
fn is_counted(line: &str) -> bool {
    let mut columns = line.splitn(3, '\t');
    let (Some(added), Some(removed), Some(name)) = (columns.next(), columns.next(), columns.next())
    else {
        return false;
    };
    let both = is_number(added) && is_number(removed) || (added, removed) == ("-", "-");
    both && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn what_git_writes_before_a_patch_is_known_by_its_shape() {
        for line in [
            " c.bin            | Bin 3 -> 4 bytes",
            " c.bin | Bin",
            " d/a.txt          |   2 +-",
            " b.txt => e b.txt |   0",
            " a | b.txt | 12 ++++++------",
            " new.txt (new)        |   1 +",
            " ...",
            " 5 files changed, 2 insertions(+), 1 deletion(-)",
            " 1 file changed, 1 insertion(+)",
            " 0 files changed",
            "  43.7% d/",
            " 100.0% src/sub/",
            " rename b.txt => e b.txt (100%)",
            " rename {a => b}/x (90%)",
            " copy a => b (95%)",
            " rewrite a (99%)",
            " create mode 100644 new.txt",
            " delete mode 100755 old.txt",
            " mode change 100644 => 100755 sp ace.txt",
            ":100644 100644 d5d0b8b 0b41465 M\tc.bin",
            ":100644 100644 0ff3bbb 0ff3bbb R100\tb.txt\te b.txt",
            "-\t-\tc.bin",
            "0\t0\tb.txt => e b.txt",
        ] {
            let text = String::from(line) + "\n\ndiff --git a/x b/x\n";
            assert!(leads_to_a_patch(text.as_bytes()), "{line}");
        }
    }

    #[test]
    fn nothing_else_is_skipped() {
        for line in [
            "",
            " ",
            "words",
            " words",
            "--- a/x",
            "+++ b/x",
            "@@ -1 +1 @@",
            "-a\t-\tx",
            "+1\t1\tx",
            " a | b",
            " a | 1 x",
            " | 1 +",
            " x | 1 +\r",
            " x | \u{1b}[32m1\u{1b}[m +",
            " 1 file changed, and more",
            " create mode 644 x",
            " create mode 100644 ",
            ":100644 100644 d5d0b8b M\tx",
            ":100644 100644 zzzzzzz 0b41465 M\tx",
            "1\t1\t",
            "diff --cc x",
        ] {
            let text = String::from(line) + "\n\ndiff --git a/x b/x\n";
            assert!(!leads_to_a_patch(text.as_bytes()), "{line}");
        }
        for text in [
            "",
            "diff --git a/x b/x\n",
            " x | 1 +\n",
            " x | 1 +\n\n\ndiff --git a/x b/x\n",
            " x | 1 +\nwords\ndiff --git a/x b/x\n",
            " x | 1 +\n\n x | 1 +\ndiff --git a/x b/x\n",
            " x | 1 +\n\n--- a/x\n+++ b/x\n",
        ] {
            assert!(!leads_to_a_patch(text.as_bytes()), "{text}");
        }
    }
}
