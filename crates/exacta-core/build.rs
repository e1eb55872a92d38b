//! Packs two Unicode tables: look-alike characters, and code points that nobody has given a
//! meaning.
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
    fs::write(folder.join("unassigned.rs"), unassigned())
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
