//! On what conditions lines are compiled: `#if` and its kin, and parts that never are.
//!
//! Code that nobody compiles does nothing, and a line that stays may begin or stop to do
//! something by what is written around it. Whether a condition holds is not known here,
//! except where it is a constant; but whether it is another one is.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A condition that never holds.
const NEVER: &str = "0";

/// So many conditions of a line are told apart, the outermost ones.
const MOST: usize = 16;

/// A directive goes on over so many lines.
const LINES: usize = 64;

type Condition = Rc<str>;

/// The conditions of each line of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// From which line on which conditions have to hold, all of them.
    from: BTreeMap<usize, Vec<Condition>>,
}

/// What became of a line that was code and is code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It is compiled when it was compiled before, or more often.
    Same,
    /// More has to hold.
    Wrapped,
    /// Something else has to hold.
    Exchanged,
}

/// One `#if` up to its `#endif`.
struct Frame {
    /// What has to hold here.
    now: Vec<Condition>,
    /// What may not have held before: the conditions of the branches above.
    not: Vec<Condition>,
}

impl Conditions {
    /// Lines from the first to the last of each part are never compiled.
    pub(super) fn never(parts: &[(usize, usize)]) -> Self {
        let mut from = BTreeMap::new();
        for (first, last) in parts {
            from.insert(*first, vec![NEVER.into()]);
            from.insert(last + 1, Vec::new());
        }
        Self { from }
    }

    /// Reads the directives of C. `code` says which lines are more than comments.
    pub(super) fn of_directives(text: &str, code: &[bool]) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let directives: Vec<(usize, &str, String)> = lines
            .iter()
            .enumerate()
            .filter(|(row, _)| code.get(*row).copied().unwrap_or_default())
            .filter_map(|(row, line)| {
                let (word, rest) = directive(line)?;
                Some((row, word, whole(rest, &lines, row)))
            })
            .collect();
        let mut from = BTreeMap::new();
        let mut frames: Vec<Frame> = Vec::new();
        for (index, (row, word, rest)) in directives.iter().enumerate() {
            let next = directives.get(index + 1);
            match *word {
                "if" | "ifdef" | "ifndef" => {
                    let guard = index == 0
                        && *word == "ifndef"
                        && next.is_some_and(|(_, word, name)| {
                            *word == "define" && name.split_whitespace().next() == Some(rest.trim())
                        });
                    let now = if guard { Vec::new() } else { parts(word, rest) };
                    let not = if guard { Vec::new() } else { negated(&now) };
                    frames.push(Frame { now, not });
                }
                "elif" | "elifdef" | "elifndef" | "else" => {
                    let Some(frame) = frames.last_mut() else { continue };
                    let here = if *word == "else" {
                        Vec::new()
                    } else {
                        parts(word.trim_start_matches("el"), rest)
                    };
                    let beyond = negated(&here);
                    frame.now = frame.not.iter().cloned().chain(here).take(MOST).collect();
                    if *word != "else" && frame.not.len() < MOST {
                        frame.not.extend(beyond);
                    }
                }
                "endif" => {
                    frames.pop();
                }
                _ => continue,
            }
            let all = frames.iter().flat_map(|frame| &frame.now);
            from.insert(row + 1, all.take(MOST).cloned().collect());
        }
        Self { from }
    }

    fn at(&self, row: usize) -> &[Condition] {
        self.from.range(..=row).next_back().map(|(_, all)| all.as_slice()).unwrap_or_default()
    }

    /// Lines that are never compiled do not live.
    pub(super) fn leave_out(&self, live: &mut [bool]) {
        let starts: Vec<usize> = self.from.keys().copied().collect();
        for (index, (first, all)) in self.from.iter().enumerate() {
            if all.iter().any(|one| **one == *NEVER) {
                let end = starts.get(index + 1).copied().unwrap_or(live.len());
                live.iter_mut().take(end).skip(*first).for_each(|row| *row = false);
            }
        }
    }

    /// What became of the line `was` that is now the line `is` of `after`.
    pub(crate) fn turn(&self, was: usize, after: &Self, is: usize) -> Turn {
        let (was, is) = (self.at(was), after.at(is));
        if within(is, was) {
            Turn::Same
        } else if within(was, is) {
            Turn::Wrapped
        } else {
            Turn::Exchanged
        }
    }
}

/// Whether all of `few` are among `many`, in the same order.
fn within(few: &[Condition], many: &[Condition]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|one| rest.any(|other| other == one))
}

/// The word after `#` and what follows it.
fn directive(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().strip_prefix('#')?.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    line.split_at_checked(end)
}

/// What follows a directive's word, over all of its lines and without comments.
fn whole(rest: &str, lines: &[&str], row: usize) -> String {
    let mut all = rest.trim_end().to_owned();
    for next in lines.iter().skip(row + 1).take(LINES) {
        let Some(begun) = all.strip_suffix('\\') else { break };
        all = format!("{begun} {}", next.trim());
    }
    let end = all.find("//").into_iter().chain(all.find("/*")).min().unwrap_or(all.len());
    all.truncate(end);
    all
}

/// The parts of a condition that all have to hold.
fn parts(word: &str, rest: &str) -> Vec<Condition> {
    let name: String = rest.split_whitespace().collect();
    let all = match word {
        "ifdef" => return vec![format!("defined{name}").into()],
        "ifndef" => return vec![format!("!defined{name}").into()],
        _ => name,
    };
    if all.contains("||") {
        return vec![all.into()];
    }
    all.replace(['(', ')'], "")
        .split("&&")
        .filter(|part| !matches!(*part, "1" | "true" | "!0" | "!false"))
        .map(|part| if matches!(part, "false" | "!1" | "!true") { NEVER } else { part })
        .take(MOST)
        .map(Condition::from)
        .collect()
}

/// What holds when not all of `all` do.
fn negated(all: &[Condition]) -> Vec<Condition> {
    match all {
        [] => vec![NEVER.into()],
        _ if all.iter().any(|one| **one == *NEVER) => Vec::new(),
        [one] => vec![match one.strip_prefix('!') {
            Some(rest) => rest.into(),
            None => format!("!{one}").into(),
        }],
        _ => vec![format!("!({})", all.join("&&")).into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Conditions {
        Conditions::of_directives(text, &vec![true; text.lines().count()])
    }

    #[test]
    fn each_line_has_the_conditions_around_it() {
        let text = "#ifndef A_H\n#define A_H\na\n#ifdef B\nb\n# if defined(C) && \\\n  D // why\nc\n#else\nd\n#endif\n#elif E\ne\n#else\nf\n#endif\n#if 0\ng\n#else\nh\n#endif\n#endif\n";
        let all = of(text);
        for (line, expected) in [
            ("a", vec![]),
            ("b", vec!["definedB"]),
            ("c", vec!["definedB", "definedC", "D"]),
            ("d", vec!["definedB", "!(definedC&&D)"]),
            ("e", vec!["!definedB", "E"]),
            ("f", vec!["!definedB", "!E"]),
            ("g", vec!["0"]),
            ("h", vec![]),
        ] {
            let row = text.lines().position(|one| one == line).unwrap();
            let found: Vec<&str> = all.at(row).iter().map(|one| &**one).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn what_becomes_of_a_line_depends_on_what_has_to_hold() {
        for (before, after, turn) in [
            ("x", "#if A\nx\n#endif", Turn::Wrapped),
            ("#if A\nx\n#endif", "x", Turn::Same),
            ("#if A\nx\n#endif", "#if A && B\nx\n#endif", Turn::Wrapped),
            ("#if A\nx\n#endif", "#if B\nx\n#endif", Turn::Exchanged),
            ("#if A\nx\n#endif", "#if A\n#else\nx\n#endif", Turn::Exchanged),
            ("#ifdef A\nx\n#endif", "#if defined(A)\nx\n#endif", Turn::Same),
            ("#ifndef A\n#define A\nx\n#endif", "#ifndef B\n#define B\nx\n#endif", Turn::Same),
        ] {
            let row = |text: &str| text.lines().position(|one| one == "x").unwrap();
            assert_eq!(of(before).turn(row(before), &of(after), row(after)), turn, "{after}");
        }
    }
}
