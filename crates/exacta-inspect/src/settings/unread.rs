//! Scripts and code of languages without a grammar, and commands in documents.
//!
//! What cannot be read reaches the unknown. Lines that only say something to readers are
//! left out, so that a comment there stays a comment.

use exacta_core::judge::facts::{FactKind, Reach};

use super::look::{Look, Told};
use crate::excerpt::excerpt;

/// Endings of code that no grammar of ours reads.
const CODE: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "fish",
    "ksh",
    "csh",
    "ps1",
    "psm1",
    "bat",
    "cmd",
    "rb",
    "php",
    "phtml",
    "pl",
    "pm",
    "lua",
    "r",
    "jl",
    "ex",
    "exs",
    "erl",
    "hrl",
    "kt",
    "kts",
    "swift",
    "cs",
    "fs",
    "vb",
    "scala",
    "groovy",
    "clj",
    "cljs",
    "cljc",
    "edn",
    "hs",
    "ml",
    "mli",
    "dart",
    "nim",
    "zig",
    "v",
    "d",
    "pas",
    "f",
    "f90",
    "asm",
    "s",
    "tcl",
    "awk",
    "sed",
    "vue",
    "svelte",
    "astro",
    "erb",
    "ejs",
    "hbs",
    "jinja",
    "j2",
    "twig",
    "mustache",
    "haml",
    "slim",
    "pug",
    "jsp",
    "asp",
    "aspx",
    "cshtml",
    "razor",
    "m",
    "mm",
    "sol",
    "vy",
    "move",
    "cu",
    "cl",
    "glsl",
    "hlsl",
    "wgsl",
    "vbs",
    "applescript",
    "elm",
    "purs",
    "rkt",
    "scm",
    "lisp",
    "el",
    "vim",
    "coffee",
    "cr",
    "raku",
    "prolog",
    "cob",
    "ada",
    "adb",
    "bzl",
    "star",
    "rego",
    "cue",
    "jsonnet",
    "dhall",
    "nix",
    "tf",
    "hcl",
    "sql",
    "ipynb",
    "html",
    "htm",
    "xhtml",
    "svg",
    "liquid",
    "njk",
    "tmpl",
    "gotmpl",
    "proto",
    "thrift",
    "graphql",
    "gql",
    "prisma",
    "sas",
    "stan",
    "wat",
    "xsl",
    "xslt",
];

pub(super) fn detect(look: &Look<'_>, out: &mut Vec<Told>) {
    if look.subject.prose {
        commands(look, out);
        return;
    }
    let code = look.subject.language.is_none() && CODE.contains(&look.subject.ending.as_str());
    if code && !look.deleted && look.acts() {
        let (line, in_before) = look.first();
        let kind = FactKind::Reaches { reach: Reach::Unread, name: excerpt(&look.subject.ending) };
        out.push(Told { line, in_before, kind });
    }
}

/// A document that tells people to fetch something and run it.
fn commands(look: &Look<'_>, out: &mut Vec<Told>) {
    for index in &look.diff.added {
        let Some(line) = look.after.lines.get(*index) else { continue };
        if fetches_and_runs(line) {
            let kind = FactKind::Reaches { reach: Reach::RunsProgram, name: excerpt(line) };
            out.push(Told::at(*index, false, kind));
            return;
        }
    }
}

fn fetches_and_runs(line: &str) -> bool {
    let lower = line.get(..line.len().min(2000)).unwrap_or(line).to_ascii_lowercase();
    let fetches = ["curl ", "wget ", "iwr ", "irm ", "invoke-webrequest", "invoke-restmethod"];
    let runs = [
        "| sh",
        "|sh",
        "| bash",
        "|bash",
        "| sudo",
        "|sudo",
        "| zsh",
        "| python",
        "|python",
        "| node",
        "| perl",
        "iex",
        "invoke-expression",
        "bash -c",
        "sh -c",
        "bash <(",
        "sh <(",
    ];
    fetches.iter().any(|word| lower.contains(word)) && runs.iter().any(|word| lower.contains(word))
}
