//! Packs the Unicode table of look-alike characters.
//!
//! `unicode-security` keeps it as thousands of small slices, each of which the loader of
//! the program has to find its place for at every start. Packed, it is three flat arrays.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
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
    let table = format!(
        "static CHARACTERS: [char; {count}] = [{characters}];\n\
         static ENDS: [u16; {count}] = [{ends}];\n\
         const LOOKS: &str = \"{}\";\n",
        looks.escape_unicode()
    );
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("skeleton.rs"), table)
}
