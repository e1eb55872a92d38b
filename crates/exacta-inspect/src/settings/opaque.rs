//! Code that nobody can read: minified, packed, or one long text.

use exacta_core::judge::facts::FactKind;

use super::look::{Look, Told};

/// A line of code that is longer is not written by hand.
const LONG: usize = 1500;
/// and has fewer spaces than one in so many bytes.
const ONE_SPACE_IN: usize = 40;

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    if look.subject.prose || !look.acts() {
        return;
    }
    let name = look.subject.path.name().to_lowercase();
    let packed = [
        ".min.js",
        ".min.css",
        ".min.mjs",
        ".bundle.js",
        ".pack.js",
        "-min.js",
        ".umd.js",
        ".js.map",
    ];
    if packed.iter().any(|end| name.ends_with(end)) {
        out.push(Told::whole(FactKind::OpaqueCode { sign: "minified".to_owned() }));
        return;
    }
    let code = look.subject.language.is_some()
        || look.subject.ends_in(&[
            "css", "html", "htm", "vue", "svelte", "php", "rb", "sh", "ps1", "lua", "pl",
        ]);
    if !code {
        return;
    }
    for (index, line) in look.come() {
        let spaces = line.bytes().filter(u8::is_ascii_whitespace).count();
        if line.len() > LONG && spaces * ONE_SPACE_IN < line.len() {
            let kind = FactKind::OpaqueCode { sign: "one long line".to_owned() };
            out.push(Told::at(index, false, kind));
            return;
        }
    }
}
