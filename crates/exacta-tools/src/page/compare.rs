//! Whether a page changed in a way that its watcher cares about.

use std::collections::BTreeMap;

/// What was seen of a page: its lines without what is ignored.
pub type Watched = Vec<String>;

/// The most lines of a difference that are reported.
const SHOWN: usize = 20;
/// The most characters of one reported line.
const LINE: usize = 300;

/// The share of words that must differ, in thousandths, for each tenth of sensitivity.
const THRESHOLDS: [(u8, u64); 9] =
    [(90, 0), (80, 2), (70, 5), (60, 8), (50, 10), (40, 25), (30, 50), (20, 100), (10, 200)];

/// Words of pages that stand in front of the page that was asked for.
const BLOCKED: [&str; 9] = [
    "captcha",
    "are you a robot",
    "verify you are human",
    "verifying you are human",
    "checking your browser",
    "enable javascript and cookies to continue",
    "unusual traffic",
    "access denied",
    "too many requests",
];
/// Pages that only stand in front are short.
const BLOCKED_CHARS: usize = 3000;

/// What is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Lines that are new.
    pub added: Vec<String>,
    /// Lines that are gone.
    pub removed: Vec<String>,
    /// The share of words that differ, in thousandths.
    pub share: u64,
}

impl Change {
    /// The difference for a person; empty when there is none.
    pub fn alert(&self) -> String {
        let shown = |sign: char, lines: &[String]| -> Vec<String> {
            let mut text: Vec<String> = lines
                .iter()
                .take(SHOWN)
                .map(|line| format!("{sign} {}", line.chars().take(LINE).collect::<String>()))
                .collect();
            if lines.len() > SHOWN {
                text.push(format!("{sign} and {} more lines", lines.len().saturating_sub(SHOWN)));
            }
            text
        };
        [shown('-', &self.removed), shown('+', &self.added)].concat().join("\n")
    }
}

/// The lines of a text that count: white space made one, ignored text gone, and lines of
/// which nothing is left gone too.
pub fn lines_of(text: &str, ignore: &[String]) -> Watched {
    let ignore: Vec<String> = ignore.iter().map(|text| one_space(text)).collect();
    text.lines()
        .map(|line| {
            let mut line = one_space(line);
            for ignored in ignore.iter().filter(|ignored| !ignored.is_empty()) {
                line = line.replace(ignored.as_str(), " ");
            }
            one_space(&line)
        })
        .filter(|line| !line.is_empty())
        .collect()
}

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The share of words that must differ, in thousandths.
pub fn threshold(sensitivity_percent: u8) -> u64 {
    let found = THRESHOLDS.iter().find(|(percent, _)| sensitivity_percent >= *percent);
    found.map_or(200, |(_, share)| *share)
}

/// What changed from `before` to `now`, if it is enough. Lines that only moved are the same.
pub fn compare(before: &[String], now: &[String], sensitivity_percent: u8) -> Option<Change> {
    let mut count: BTreeMap<&str, i64> = BTreeMap::new();
    for line in before {
        *count.entry(line).or_default() -= 1;
    }
    for line in now {
        *count.entry(line).or_default() += 1;
    }
    let mut pick = |lines: &[String], sign: i64| -> Vec<String> {
        let mut picked = Vec::new();
        for line in lines {
            if let Some(left) = count.get_mut(line.as_str())
                && left.signum() == sign
            {
                *left -= sign;
                picked.push(line.clone());
            }
        }
        picked
    };
    let added = pick(now, 1);
    let removed = pick(before, -1);
    if added.is_empty() && removed.is_empty() {
        return None;
    }
    let words = |lines: &[String]| -> u64 {
        lines
            .iter()
            .map(|line| line.split(' ').count())
            .sum::<usize>()
            .try_into()
            .unwrap_or(u64::MAX)
    };
    let changed = words(&added).max(words(&removed));
    let all = words(before).max(words(now)).max(1);
    let share = changed.saturating_mul(1000) / all;
    (share >= threshold(sensitivity_percent)).then_some(Change { added, removed, share })
}

/// Whether a page stands in front of the one that was asked for, and by which word.
pub fn looks_blocked(text: &str) -> Option<&'static str> {
    if text.chars().count() > BLOCKED_CHARS {
        return None;
    }
    let text = text.to_lowercase();
    BLOCKED.into_iter().find(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Watched {
        lines_of(text, &[])
    }

    #[test]
    fn ignored_text_is_in_neither_comparison_nor_alert() {
        let ignore = ["Views: 17".to_owned(), "Views: 18".to_owned(), "today".to_owned()];
        let before = lines_of("Price 5\nViews:   17\nmade today", &ignore);
        let now = lines_of("Price 6\nViews: 18\nmade", &ignore);
        let change = compare(&before, &now, 90).unwrap();
        assert_eq!(change.alert(), "- Price 5\n+ Price 6");
        let same = lines_of("Price 5\nViews: 18\nmade  today", &ignore);
        assert_eq!(compare(&before, &same, 90), None);
    }

    #[test]
    fn moved_lines_and_spaces_are_no_change() {
        assert_eq!(compare(&lines("a\nb\n\nc  d"), &lines("c d\na\nb"), 90), None);
        let change = compare(&lines("a\na"), &lines("a"), 90).unwrap();
        assert_eq!((change.added.len(), change.removed.len()), (0, 1));
    }

    #[test]
    fn sensitivity_is_a_share_of_words() {
        let before: Watched = (0..100).map(|n| format!("word{n}")).collect();
        let mut now = before.clone();
        now.push("one more".into());
        let share = compare(&before, &now, 90).unwrap().share;
        assert_eq!(share, 19);
        for (percent, changed) in [(90, true), (50, true), (40, false), (10, false)] {
            assert_eq!(compare(&before, &now, percent).is_some(), changed, "{percent}");
        }
        assert!((10..=90).step_by(10).map(threshold).is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn pages_in_front_are_known_by_their_words() {
        assert_eq!(looks_blocked("Please solve this CAPTCHA"), Some("captcha"));
        assert_eq!(looks_blocked("Our shop is open"), None);
        assert_eq!(looks_blocked(&"A long article about a captcha. ".repeat(200)), None);
    }
}
