//! Names that look like other names.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;

use super::line::Line;
use super::scan::Found;
use super::subject::Subject;
use crate::excerpt::{code_point, shorten};
use crate::fold::{ascii_look, fold};

/// The plain names of a file, gathered when a foreign one turns up.
pub(crate) struct LookAlikes<'a> {
    image: &'a [&'a str],
    plain: Option<BTreeSet<&'a str>>,
}

impl<'a> LookAlikes<'a> {
    pub(crate) fn new(image: &'a [&'a str]) -> Self {
        Self { image, plain: None }
    }

    /// Reports names of the line that mix alphabets, or that equal a plain name of the
    /// file to the eye.
    pub(crate) fn detect(
        &mut self,
        subject: &Subject<'_>,
        line: &Line<'_>,
        found: &mut Vec<Found>,
    ) {
        // A comment is read by people alone, in whatever language they write.
        if line.raw.is_ascii() || line.comment && !subject.prose {
            return;
        }
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        if !subject.prose {
            seen.extend(
                line.code.chars().filter_map(|c| Some((show_char(c), sign(c)?.to_owned()))),
            );
        }
        for name in names(line.code).filter(|name| !name.is_ascii()) {
            let Some(twin) = twin(name) else {
                let plain = near(name).filter(|plain| self.plain().contains(plain.as_str()));
                seen.extend(plain.map(|plain| (show(name), plain)));
                continue;
            };
            let mixed = name.split('_').any(|part| {
                part.bytes().any(|byte| byte.is_ascii_alphabetic()) && !part.is_ascii()
            });
            // Letters that stand alone are words of many languages.
            let word = name.chars().nth(1).is_some();
            let known = word && !subject.prose && self.plain().contains(twin.as_str());
            if mixed || known {
                seen.insert(show(name), twin);
            }
        }
        for (identifier, resembles) in seen {
            let kind = FactKind::LookAlikeIdentifier { identifier, resembles };
            found.push(Found::new(line, kind));
        }
    }

    fn plain(&mut self) -> &BTreeSet<&'a str> {
        let image = self.image;
        self.plain.get_or_insert_with(|| {
            image.iter().flat_map(|line| names(line)).filter(|name| name.is_ascii()).collect()
        })
    }
}

fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty())
}

/// The ASCII name that this one looks like, when every foreign letter has an ASCII twin.
fn twin(name: &str) -> Option<String> {
    let mut twins = 0;
    for c in name.chars().filter(|c| !c.is_ascii()) {
        if foreign(c) && ascii_look_or_plain(c).is_some() {
            twins += 1;
        } else if !accented(c) {
            return None;
        }
    }
    (twins > 0).then(|| fold(name).into_owned())
}

/// The ASCII name that differs from this one only by the missing dot of a letter, or by an
/// old form of it.
fn near(name: &str) -> Option<String> {
    let old = |c: char| matches!(c, '\u{131}' | '\u{237}' | '\u{17f}');
    (name.chars().any(old) && name.chars().all(|c| c.is_ascii() || old(c)))
        .then(|| fold(name).into_owned())
}

/// The sign that a letter, or the sign of another alphabet, looks like in code.
fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{1c0}' => "|",
        '\u{1c1}' => "||",
        '\u{1c3}' => "!",
        '\u{37e}' => ";",
        _ => return None,
    })
}

fn show_char(c: char) -> String {
    let mut buffer = [0; 4];
    show(c.encode_utf8(&mut buffer))
}

fn ascii_look_or_plain(c: char) -> Option<char> {
    ascii_look(c).or_else(|| {
        let mut buffer = [0; 4];
        let folded = fold(c.encode_utf8(&mut buffer));
        let mut plain = folded.chars();
        match (plain.next(), plain.next()) {
            (Some(only), None) if only.is_ascii_alphanumeric() => Some(only),
            _ => None,
        }
    })
}

/// Letters of other alphabets, and styled forms of ours.
fn foreign(c: char) -> bool {
    matches!(c,
        '\u{250}'..='\u{2af}' | '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'
        | '\u{1d00}'..='\u{1dbf}' | '\u{1f00}'..='\u{1fff}' | '\u{2100}'..='\u{214f}'
        | '\u{2c80}'..='\u{2cff}' | '\u{a4d0}'..='\u{a4ff}' | '\u{ab70}'..='\u{abbf}'
        | '\u{ff10}'..='\u{ff5a}' | '\u{10280}'..='\u{1044f}' | '\u{1d400}'..='\u{1d7ff}')
}

/// A Latin letter with a mark, as many languages write it.
fn accented(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// The name with foreign letters shown by code point.
fn show(name: &str) -> String {
    let mut shown = String::new();
    for c in name.chars() {
        if c.is_ascii() {
            shown.push(c);
        } else {
            shown.push_str(&code_point(c));
        }
    }
    shorten(&shown)
}

/// What the last component of the path, or a folder above it, could be taken for.
pub(crate) fn look_alike_path(path: &RelPath) -> Option<String> {
    path.components().flat_map(names).find_map(|part| {
        let mixed = part.bytes().any(|byte| byte.is_ascii_alphabetic()) && !part.is_ascii();
        mixed.then(|| twin(part)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, image: &[&str]) -> Vec<FactKind> {
        let path = RelPath::parse(path).unwrap();
        let line = Line::new(image, image.len() - 1, false).unwrap();
        let mut found = Vec::new();
        LookAlikes::new(image).detect(&Subject::new(&path), &line, &mut found);
        found.into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn mixed_and_confusable_names_are_found() {
        for raw in [
            "let p\u{430}ssword = 1;",
            "def is_\u{430}dmin(user):",
            "\u{ff45}xec(x)",
            "\u{1d41e}val(x)",
            "if (x \u{1c3}= y) {",
            "if (a) { b(x)\u{37e} }",
        ] {
            assert_eq!(found("a.py", &[raw]).len(), 1, "{raw}");
        }
        let whole = found("a.py", &["scope = 1", "\u{455}\u{441}\u{43e}\u{440}\u{435} = 2"]);
        assert_eq!(found("a.py", &["admin = 0", "adm\u{131}n = 1"]).len(), 1);
        assert!(
            matches!(&whole[..], [FactKind::LookAlikeIdentifier { resembles, .. }] if resembles == "scope"),
            "{whole:?}"
        );
    }

    #[test]
    fn other_languages_are_left_alone() {
        for raw in [
            "# Привет, мир",
            "print('café naïve')",
            "let größe = 1;",
            "delay_μs = 3",
            "Δt = 1",
            "# 5 µs",
            "名前 = 'x'",
            "// sınıf adı",
            "x = '\u{441} \u{43e}'",
        ] {
            let image = ["c = o = 1", raw];
            assert!(found("a.py", &image).is_empty(), "{raw}: {:?}", found("a.py", &image));
        }
    }

    #[test]
    fn look_alike_paths_are_found() {
        let path = |text| RelPath::parse(text).unwrap();
        let cyrillic = path("src/m\u{430}in.rs");
        assert_eq!(look_alike_path(&cyrillic).as_deref(), Some("main"));
        assert_eq!(look_alike_path(&path("src/main.rs")), None);
        assert_eq!(look_alike_path(&path("docs/日本語.txt")), None);
    }
}
