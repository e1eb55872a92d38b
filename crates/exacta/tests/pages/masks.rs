//! What differs from run to run, and what pages show for it.

use std::collections::BTreeSet;

/// The name that pages show for the one that came up as number `index`.
fn page_name(index: usize) -> String {
    // People see the end of a name, so each has another one.
    let end = (0xa1_703f + index * 0x2b_67d1) & 0xff_ffff;
    format!("01a1e340-{:04}-7d7c-8df5-f9b2c0{end:06x}", index + 1)
}

const NAME: &str = "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx";
/// A shorter beginning could belong to several names.
const BEGINNING: usize = 13;
/// So many characters of a name's end are shown.
const END: usize = 6;
const TIME: (&str, &str) = ("9999-99-99T99:99:99.999Z", "2026-11-16T09:30:00.000Z");
/// The same for people.
const MOMENT: (&str, &str) = ("9999-99-99 99:99:99", "2026-11-16 09:30:00");
const TOOK: (&str, &str) = ("(9.9 s)", "(0.1 s)");
const HEAD: &str = "cd372fb85148700fa88095e3492d3f9f5beb43e555e5ff26d95f5a6adc36f8e6";

/// A line of the page as it has to be typed.
pub(crate) fn to_real(line: &str, names: &[String]) -> String {
    let mut line = line.to_owned();
    for (index, real) in names.iter().enumerate() {
        let shown = page_name(index);
        for length in [shown.len(), BEGINNING] {
            line = line.replace(&shown[..length], &real[..length]);
        }
        line = line.replace(&shown[shown.len() - END..], &real[real.len() - END..]);
    }
    line
}

/// Every name in a text.
pub(crate) fn names_in(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    replace(text, NAME, |name| {
        found.insert(name.into());
        String::new()
    });
    found
}

/// A text of the program as pages show it; names that are new are added. `known` are those
/// that may stand there as their ends.
pub(crate) fn to_page(text: &str, names: &mut Vec<String>, known: &BTreeSet<String>) -> String {
    let text = named(&unfolded(text), names, known);
    // A message may repeat the beginning that was typed.
    let text = names.iter().enumerate().fold(text, |text, (index, real)| {
        text.replace(&real[..BEGINNING], &page_name(index)[..BEGINNING])
    });
    let text = replace(&text, TIME.0, |_| TIME.1.into());
    let text = replace(&text, MOMENT.0, |_| MOMENT.1.into());
    let text = replace(&text, TOOK.0, |_| TOOK.1.into());
    let heads = ["head ", "\"head\": \""];
    let text = heads.iter().fold(text, |text, before| {
        let shape = format!("{before}{}", "x".repeat(64));
        replace(&text, &shape, |_| format!("{before}{HEAD}"))
    });
    let user = format!("uid {}", rustix::process::geteuid().as_raw());
    text.replace(&user, "uid 1000")
}

/// The text with every name, whole or its end, as pages show it.
fn named(text: &str, names: &mut Vec<String>, known: &BTreeSet<String>) -> String {
    let mut done = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let whole = word.len() == NAME.len() && fits(word, NAME);
        let short = word.len() >= END && fits(word, &"x".repeat(word.len()));
        let full = match (whole, short) {
            (true, _) => Some(word),
            (_, true) => known.iter().map(String::as_str).find(|name| name.ends_with(word)),
            _ => None,
        };
        if let Some(full) = full {
            let index = names.iter().position(|name| name == full).unwrap_or_else(|| {
                names.push(full.into());
                names.len() - 1
            });
            let shown = page_name(index);
            done.push_str(&shown[shown.len() - word.len()..]);
        } else {
            done.push_str(word);
        }
        rest = after;
        if let Some(next) = rest.chars().next() {
            done.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    done
}

/// The text with every line on one row: where a line breaks depends on how long the paths
/// of this machine are.
fn unfolded(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for row in text.split('\n') {
        match (row.trim_start().strip_prefix("↪ "), lines.last_mut()) {
            (Some(rest), Some(line)) => {
                // Words break between words, the text of a file wherever the row is full.
                let number = line.trim_start().split_once(" | ").map(|(number, _)| number);
                let quoted =
                    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
                line.push_str(if quoted { "" } else { " " });
                line.push_str(rest);
            }
            _ => lines.push(row.into()),
        }
    }
    lines.join("\n")
}

/// Replaces every text of a shape: `x` is a hexadecimal digit, `9` a decimal one.
fn replace(text: &str, shape: &str, mut by: impl FnMut(&str) -> String) -> String {
    let mut rest = text;
    let mut done = String::new();
    while let Some(first) = rest.chars().next() {
        if let Some(found) = rest.get(..shape.len()).filter(|found| fits(found, shape)) {
            done.push_str(&by(found));
            rest = &rest[found.len()..];
        } else {
            done.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    done
}

fn fits(found: &str, shape: &str) -> bool {
    found.bytes().zip(shape.bytes()).all(|(found, shape)| match shape {
        b'x' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        b'9' => found.is_ascii_digit(),
        other => found == other,
    })
}

#[test]
fn names_keep_their_place_and_times_are_all_the_same() {
    let mut names = Vec::new();
    let none = BTreeSet::new();
    let (one, two) =
        ("0199d0c0-1111-7abc-8abc-0123456789ab", "0199d0c0-2222-7abc-8abc-0123456789cd");
    let text = format!("{one} {two} {one} at 2031-01-02T03:04:05.678Z (12.5 s) (3.5 s)\n");
    let shown = to_page(&text, &mut names, &none);
    let (first, second) = (page_name(0), page_name(1));
    assert_eq!(shown, format!("{first} {second} {first} at {} (12.5 s) (0.1 s)\n", TIME.1));
    assert_eq!(to_real(&format!("run {second} {}", &first[..BEGINNING]), &names), {
        format!("run {two} {}", &one[..BEGINNING])
    });
    let beginning = format!("there is no plan `{}`", &two[..BEGINNING]);
    let shown = to_page(&beginning, &mut names, &none);
    assert_eq!(shown, format!("there is no plan `{}`", &second[..BEGINNING]));
    let head = format!("head {} and {}", "a".repeat(64), "b".repeat(64));
    assert_eq!(to_page(&head, &mut names, &none), format!("head {HEAD} and {}", "b".repeat(64)));
}

#[test]
fn ends_of_names_are_names() {
    let mut names = Vec::new();
    let known =
        names_in("x 0199d0c0-1111-7abc-8abc-0123456789ab, 0199d0c0-2222-7abc-8abc-0123456789cd");
    assert_eq!(known.len(), 2);
    let shown = to_page("plan 6789cd: `exacta run 6789cd` facade 6789ab", &mut names, &known);
    let ends = [0, 1].map(|index| page_name(index)[page_name(index).len() - END..].to_owned());
    assert_eq!(shown, format!("plan {0}: `exacta run {0}` facade {1}", ends[0], ends[1]));
    assert_eq!(to_real(&format!("exacta undo {}", ends[1]), &names), "exacta undo 6789ab");
}
