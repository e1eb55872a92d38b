//! Packs tables: look-alike characters, code points that nobody has given a meaning, and the
//! names of files that run by themselves, which are kept in `data/`.
//!
//! `unicode-security` keeps the first as thousands of small slices, each of which the loader
//! of the program has to find its place for at every start. Packed, it is three flat arrays.
//! Of the second only the ranges are needed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let folder = Path::new(&folder);
    fs::write(folder.join("skeleton.rs"), look_alikes())?;
    fs::write(folder.join("unassigned.rs"), unassigned())?;
    println!("cargo::rerun-if-changed=data");
    let names = fs::read_to_string("data/autorun.txt")?;
    fs::write(folder.join("autorun.rs"), auto_run(&names)?)?;
    let harmless = fs::read_to_string("data/harmless_names.txt")?;
    fs::write(folder.join("harmless.rs"), harmless_names(&harmless)?)
}

/// `snake_case` as the name of a variant.
fn variant(word: &str) -> String {
    word.split('_')
        .flat_map(|part| {
            let mut letters = part.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(letters)
        })
        .collect()
}

/// One line of a list: its words, and what stands after the tab.
fn entries(list: &str) -> impl Iterator<Item = (Vec<&str>, Option<&str>)> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| match line.split_once('\t') {
        Some((words, note)) => (words.split(' ').collect(), Some(note)),
        None => (line.split(' ').collect(), None),
    })
}

/// Names by why they count.
type Rows<'l> = Vec<(String, Vec<&'l str>)>;

/// The tables of `data/autorun.txt`.
fn auto_run(list: &str) -> io::Result<String> {
    let mut tables = ["folder", "prefix", "name", "suffix"].map(|form| (form, Rows::new()));
    let (mut pairs, mut hooks, mut programs) = (String::new(), String::new(), String::new());
    for (words, program) in entries(list) {
        let unknown = || io::Error::other(format!("data/autorun.txt: {}", words.join(" ")));
        let (form, why, name, below) = match words.as_slice() {
            [form, why, name] => (*form, variant(why), *name, ""),
            ["pair", why, name, below] => ("pair", variant(why), *name, *below),
            _ => return Err(unknown()),
        };
        match form {
            "pair" => {
                let _ = write!(pairs, "(AutoRun::{why},{name:?},{below:?}),");
            }
            "hook" => {
                let _ = write!(hooks, "{name:?},");
            }
            _ => {
                let table = tables.iter_mut().find(|(known, _)| *known == form);
                let (_, rows) = table.ok_or_else(unknown)?;
                match rows.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, names)) => names.push(name),
                    None => rows.push((why, vec![name])),
                }
            }
        }
        if let Some(program) = program {
            let _ = write!(programs, "({form:?},{name:?},{below:?},{program:?}),");
        }
    }
    let mut out = String::new();
    for (form, rows) in tables {
        let constant = match form {
            "folder" => "FOLDERS",
            "prefix" => "PREFIXES",
            "name" => "NAMES",
            _ => "SUFFIXES",
        };
        let _ = write!(out, "pub(super) const {constant}: &[(AutoRun, &[&str])] = &[");
        for (why, names) in rows {
            let _ = write!(out, "(AutoRun::{why}, &{names:?}),");
        }
        out.push_str("];\n");
    }
    let _ = writeln!(out, "pub(super) const PAIRS: &[(AutoRun, &str, &str)] = &[{pairs}];");
    let _ = writeln!(out, "pub(super) const GIT_HOOKS: &[&str] = &[{hooks}];");
    let _ =
        writeln!(out, "pub(super) const PROGRAMS: &[(&str, &str, &str, &str)] = &[{programs}];");
    Ok(out)
}

/// The table of `data/harmless_names.txt`.
fn harmless_names(list: &str) -> io::Result<String> {
    let mut rows = String::new();
    for (words, reason) in entries(list) {
        let ([how, name], Some(_)) = (words.as_slice(), reason) else {
            let line = words.join(" ");
            return Err(io::Error::other(format!("data/harmless_names.txt: {line}")));
        };
        let _ = write!(rows, "(Harmless::{},{name:?}),", variant(how));
    }
    Ok(format!("const HARMLESS: &[(Harmless, &str)] = &[{rows}];\n"))
}

/// The ranges without a meaning.
fn unassigned() -> String {
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut open = false;
    for c in '\0'..=char::MAX {
        let bare = c.general_category() == GeneralCategory::Unassigned;
        match ranges.last_mut() {
            Some((_, last)) if bare && open => *last = c,
            _ if bare => ranges.push((c, c)),
            _ => {}
        }
        open = bare;
    }
    let mut list = String::new();
    for (first, last) in &ranges {
        let _ = write!(list, "('\\u{{{:x}}}','\\u{{{:x}}}'),", u32::from(*first), u32::from(*last));
    }
    format!("static UNASSIGNED: [(char, char); {}] = [{list}];\n", ranges.len())
}

fn look_alikes() -> String {
    let (mut characters, mut ends, mut looks) = (String::new(), String::new(), String::new());
    let mut count = 0;
    for c in '\0'..=char::MAX {
        // Texts are taken apart before they are looked up.
        if !c.nfd().eq([c]) {
            continue;
        }
        let mut buffer = [0; 4];
        let character = &*c.encode_utf8(&mut buffer);
        if unicode_security::skeleton(character).eq([c]) {
            continue;
        }
        looks.extend(unicode_security::skeleton(character));
        count += 1;
        let _ = write!(characters, "'\\u{{{:x}}}',", u32::from(c));
        let _ = write!(ends, "{},", looks.len());
    }
    format!(
        "static CHARACTERS: [char; {count}] = [{characters}];\n\
         static ENDS: [u16; {count}] = [{ends}];\n\
         const LOOKS: &str = \"{}\";\n",
        looks.escape_unicode()
    )
}
