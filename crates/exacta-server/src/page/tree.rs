//! The files of a plan as a tree of folders, with what becomes of each.

use std::collections::BTreeMap;

use exacta_core::review::{FileState, ReviewedFile};
use maud::{Markup, html};

/// A folder: its folders, its files with their places in the list.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<(&'a str, usize, &'a ReviewedFile)>,
}

/// A letter for what becomes of a file, and the word.
pub(super) const fn state(state: FileState) -> (&'static str, &'static str, &'static str) {
    match state {
        FileState::Created => ("A", "created", "good"),
        FileState::Modified => ("M", "changed", "warn"),
        FileState::Deleted => ("D", "deleted", "bad"),
        FileState::RenamedFrom => ("R", "renamed", "warn"),
        FileState::RenamedTo => ("R", "renamed away", "warn"),
        FileState::Unchanged => ("=", "unchanged in the end", "quiet"),
    }
}

/// The tree; every file leads to its difference.
pub(super) fn tree(files: &[ReviewedFile]) -> Markup {
    let mut root = Folder::default();
    for (index, file) in files.iter().enumerate() {
        let mut parts: Vec<&str> = file.path.as_str().split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let mut at = &mut root;
        for part in parts {
            at = at.folders.entry(part).or_default();
        }
        at.files.push((name, index, file));
    }
    let sum = |of: fn(&ReviewedFile) -> u64| files.iter().map(of).sum::<u64>();
    html! {
        nav.tree aria-label="files" {
            @if !files.is_empty() {
                p.total {
                    (files.len()) @if files.len() == 1 { " file" } @else { " files" }
                    span.counts { (counts(sum(|file| file.added), sum(|file| file.removed))) }
                }
                label hidden { span.hide { "Find a file" }
                    input #find-file type="search" placeholder="Find a file" autocomplete="off" spellcheck="false"; }
            }
            (folder(&root))
        }
    }
}

/// How many lines come and go.
fn counts(added: u64, removed: u64) -> Markup {
    html! {
        @if added > 0 { span.plus { "+" (added) } }
        @if removed > 0 { span.minus { "−" (removed) } }
    }
}

fn folder(one: &Folder<'_>) -> Markup {
    html! {
        ul {
            @for (name, inside) in &one.folders {
                @let (name, inside) = joined(name, inside);
                li { details open { summary { (name) "/" } (folder(inside)) } }
            }
            @for (name, index, file) in &one.files {
                @let (letter, word, class) = state(file.state);
                li.file {
                    a href={ "#f" (index) } data-path=(file.path) title=(file.path) {
                        span class={ "letter " (class) } title=(word) { (letter) }
                        span.name { (name) }
                        span.counts { (counts(file.added, file.removed)) }
                    }
                }
            }
        }
    }
}

/// Folders that hold nothing but one folder stand on one line with it.
fn joined<'f, 'a>(name: &str, inside: &'f Folder<'a>) -> (String, &'f Folder<'a>) {
    let (mut name, mut inside) = (name.to_owned(), inside);
    while inside.files.is_empty()
        && let Some((next, deeper)) = inside.folders.first_key_value()
        && inside.folders.len() == 1
    {
        name = format!("{name}/{next}");
        inside = deeper;
    }
    (name, inside)
}
