//! Which of the names that tests newly use are parts of something that they know.
//!
//! A part is known if its receiver is: if what stands at the root of the call stood in the
//! file before, is defined in it, is made of something known, or is brought in. What is
//! brought in is asked about by its own name. Modules through which code reaches out of
//! itself vouch for none of their parts.
//!
//! This reads words, not trees: what it is not sure of stays unknown.

use exacta_core::judge::facts::Language;

use super::brought::stands_alone;
use crate::syntax::reaches_out;

/// So many places of one name are looked at, so far back from each.
const MOST_PLACES: usize = 48;
const FARTHEST: usize = 2_000;
/// What is made of something that is made of something, up to this depth.
const DEEPEST: usize = 4;

/// Roots that vouch for nothing besides those that reach out.
const ANYTHING: &[&str] = &[
    "globalThis",
    "window",
    "global",
    "module",
    "require",
    "exports",
    "Reflect",
    "Object",
    "Function",
    "importlib",
    "builtins",
    "sys",
    "ctypes",
    "gc",
    "inspect",
    "System",
    "Class",
    "ClassLoader",
    "MethodHandles",
    "Unsafe",
    "unsafe",
    "syscall",
    "plugin",
    "reflect",
    "std",
    "core",
    "libc",
    "ptr",
    "mem",
    "super",
    "os",
    "fs",
    "net",
    "tls",
    "dgram",
    "http",
    "https",
    "http2",
    "dns",
    "cluster",
    "worker_threads",
    "inspector",
    "repl",
    "v8",
    "process",
    "shutil",
    "tempfile",
    "glob",
    "multiprocessing",
    "signal",
    "ssl",
    "urllib",
    "ioutil",
    "env",
    "Files",
    "Paths",
    "Runtime",
    "Thread",
];

/// A file of tests, before and after.
pub(crate) struct Tests<'a> {
    pub(crate) language: Language,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
    /// What the file defines.
    pub(crate) defines: &'a [String],
}

impl Tests<'_> {
    /// Whether a name is only used of something that is known.
    pub(crate) fn knows(&self, name: &str) -> bool {
        if name.is_empty() || !name.chars().all(is_part) {
            return is_this_machine(name);
        }
        let mut places = 0;
        for (at, _) in self.after.match_indices(name) {
            let (before, rest) = self.after.split_at(at);
            let behind = rest.get(name.len()..).unwrap_or_default();
            if before.ends_with(is_part) || behind.starts_with(is_part) {
                continue;
            }
            places += 1;
            if places > MOST_PLACES {
                return false;
            }
            let line = self.line(at);
            if self.is_remark(line) {
                continue;
            }
            let fits = match root(before) {
                Root::None => self.own_import(name),
                Root::Word(root) => self.is_known(root, 0),
                Root::Unclear => false,
            };
            if !fits {
                return false;
            }
        }
        places > 0
    }

    fn line(&self, at: usize) -> &str {
        let (before, rest) = self.after.split_at(at);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = at + rest.find('\n').unwrap_or(rest.len());
        self.after.get(start..end).unwrap_or_default()
    }

    fn is_remark(&self, line: &str) -> bool {
        let mark = if self.language == Language::Python { "#" } else { "//" };
        line.trim_start().starts_with(mark)
    }

    /// Whether what stands at the root of a call is known.
    fn is_known(&self, root: &str, depth: usize) -> bool {
        if depth > DEEPEST || ANYTHING.contains(&root) || reaches_out(self.language, root) {
            return false;
        }
        let imports: Vec<&str> = self.imports(root).collect();
        if imports.iter().any(|line| {
            line.split(|c| !is_part(c))
                .filter(|word| !["import", "require"].contains(word))
                .any(|word| ANYTHING.contains(&word) || reaches_out(self.language, word))
        }) {
            return false;
        }
        if !imports.is_empty() {
            return imports.iter().any(|line| self.vouches(line));
        }
        self.defines.iter().any(|name| name == root)
            || self.is_made_of_known(root, depth).unwrap_or_else(|| stands_alone(self.before, root))
    }

    /// Whether what a line brings in is asked about by its own name, or was there before.
    fn vouches(&self, line: &str) -> bool {
        let words = line.trim_start();
        // Of these only the names of their parts are asked about.
        let asked = match self.language {
            Language::Go => words.split('/').next().is_some_and(|host| host.contains('.')),
            Language::Java => !["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|own| {
                words.trim_start_matches("import ").trim_start_matches("static ").starts_with(own)
            }),
            Language::Python => !["pathlib", "logging", "io"].iter().any(|own| words.contains(own)),
            _ => true,
        };
        asked || self.before.lines().any(|before| before == line)
    }

    /// Lines that bring a name in.
    fn imports<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t str> {
        let opens = |line: &str| {
            let line = line.trim_start();
            ["import ", "from ", "use ", "pub use "].iter().any(|word| line.starts_with(word))
                || line.contains("require(")
                || self.language == Language::Go && line.trim_end().ends_with('"')
        };
        let names = move |line: &&str| line.split(|c| !is_part(c)).any(|word| word == name);
        self.after.lines().filter(names).filter(move |line| opens(line)).take(8)
    }

    /// Whether a name is brought in from the project's own files, which says how it is meant.
    fn own_import(&self, name: &str) -> bool {
        let own = |line: &str| match self.language {
            Language::Python => line.trim_start().starts_with("from ."),
            Language::JavaScript | Language::TypeScript => {
                let module = line.trim_end().trim_end_matches([';', ')']);
                let module = module.trim_end_matches(['"', '\'']).rsplit(['"', '\'']).next();
                module.is_some_and(|path| {
                    path.starts_with('.')
                        && !path.contains("node_modules")
                        && !path.contains("vendor")
                })
            }
            Language::Rust => ["use crate::", "use super::", "use self::"]
                .iter()
                .any(|open| line.trim_start().starts_with(open)),
            _ => false,
        };
        let mut imports = self.imports(name).peekable();
        imports.peek().is_some() && imports.all(own)
    }

    /// Whether everything that is newly put behind a name begins with something known;
    /// `None` where nothing is.
    fn is_made_of_known(&self, name: &str, depth: usize) -> Option<bool> {
        let mut made = 0;
        for (at, _) in self.after.match_indices(name) {
            let (before, rest) = self.after.split_at(at);
            let behind = rest.get(name.len()..).unwrap_or_default();
            if before.ends_with(is_part) || before.ends_with('.') || behind.starts_with(is_part) {
                continue;
            }
            let behind = behind.trim_start_matches([' ', ')', ']', '}']);
            let value = behind.strip_prefix(":=").or_else(|| {
                behind.strip_prefix('=').filter(|value| !value.starts_with(['=', '>']))
            });
            let Some(value) = value else { continue };
            made += 1;
            if made > MOST_PLACES {
                return Some(false);
            }
            if !self.before.contains(self.line(at)) && !self.begins_known(value, depth) {
                return Some(false);
            }
        }
        (made > 0).then_some(true)
    }

    /// Whether a value begins with something known.
    fn begins_known(&self, value: &str, depth: usize) -> bool {
        let mut rest = value.trim_start();
        loop {
            let next = ["await ", "new ", "&mut ", "&", "*"]
                .iter()
                .find_map(|word| rest.strip_prefix(word));
            match next {
                Some(next) => rest = next.trim_start(),
                None => break,
            }
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '[' | '{')) {
            return true;
        }
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let root = rest.get(..end).unwrap_or_default();
        !root.is_empty() && self.is_known(root, depth + 1)
    }
}

/// Whether an address is one of the machine itself: what a test makes up.
fn is_this_machine(address: &str) -> bool {
    let rest = ["http://", "https://", "ws://", "wss://"]
        .iter()
        .find_map(|scheme| address.strip_prefix(scheme));
    let Some(rest) = rest else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    let port = ["localhost", "127.0.0.1", "[::1]"].iter().find_map(|own| host.strip_prefix(own));
    port.is_some_and(|port| {
        port.is_empty()
            || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// What stands at the root of the call that ends here.
#[derive(Debug, PartialEq, Eq)]
enum Root<'t> {
    /// Nothing stands before it.
    None,
    Word(&'t str),
    Unclear,
}

fn root(before: &str) -> Root<'_> {
    let start = before.len().saturating_sub(FARTHEST);
    let near = (start..before.len()).find_map(|at| before.get(at..)).unwrap_or_default();
    let Some(mut rest) = without_dot(near) else { return Root::None };
    loop {
        rest = rest.trim_end().trim_end_matches(['!', '?']);
        if rest.ends_with([')', ']']) {
            let Some(shorter) = before_brackets(rest) else { return Root::Unclear };
            rest = shorter.trim_end();
            continue;
        }
        let start = rest.rfind(|c| !is_part(c)).map_or(0, |at| {
            at + rest.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let (shorter, word) = rest.split_at(start);
        if !word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')) {
            return Root::Unclear;
        }
        match without_dot(shorter) {
            Some(shorter) => rest = shorter,
            // What is cut off may be a part of something else.
            None if start == 0 => return Root::Unclear,
            None => return Root::Word(word),
        }
    }
}

fn without_dot(text: &str) -> Option<&str> {
    let text = text.trim_end();
    ["?.", "::", "->", "."].iter().find_map(|dot| text.strip_suffix(dot))
}

/// What stands before a part in brackets with which a text ends.
fn before_brackets(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut signs = text.char_indices().rev();
    while let Some((at, c)) = signs.next() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(..at);
                }
            }
            // A sign inside of a text is not one.
            '"' | '\'' | '`' => loop {
                let (at, inner) = signs.next()?;
                if inner == '\n' {
                    return None;
                }
                if inner == c {
                    if text.get(..at).is_some_and(|before| before.ends_with('\\')) {
                        return None;
                    }
                    break;
                }
            },
            '/' if text.get(..at).is_some_and(|before| before.ends_with('/')) => return None,
            '#' => return None,
            _ => {}
        }
    }
    None
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_call_is_found_behind_its_arguments() {
        for (before, expected) in [
            ("  a.", Root::Word("a")),
            ("  a(\")\").b[1].", Root::Word("a")),
            ("\n  a\n  .b(c => { d() })\n  .", Root::Word("a")),
            (" new A().", Root::Word("A")),
            (" a?.", Root::Word("a")),
            (" evil(\"(\").", Root::Word("evil")),
            (" evil(// (\n).", Root::Unclear),
            (" \"a\".", Root::Unclear),
            (" (a).", Root::Unclear),
            ("", Root::None),
        ] {
            assert_eq!(root(before), expected, "{before}");
        }
    }

    #[test]
    fn a_part_is_known_if_its_receiver_is() {
        let before = "import app from '../app'\nimport fs from 'fs'\nit('a', () => app.get())\n";
        let knows = |added: &str, name: &str| {
            let after = format!("{before}{added}");
            Tests { language: Language::JavaScript, before, after: &after, defines: &[] }
                .knows(name)
        };
        for (added, name) in [
            ("it('b', () => app.patch())", "patch"),
            ("it('b', () => {\n  const res = await app.get()\n  res.fresh()\n})", "fresh"),
            ("const { fresh } = require('../lib/a')\nfresh()", "fresh"),
            ("import other from 'other'\nother.fresh()", "fresh"),
            ("app.get('http://localhost:80/a')", "http://localhost:80/a"),
            ("// fresh is new\napp.fresh()", "fresh"),
        ] {
            assert!(knows(added, name), "{added}");
        }
        for (added, name) in [
            ("fresh()", "fresh"),
            ("unheard.fresh()", "fresh"),
            ("it('b', (given) => given.fresh())", "fresh"),
            ("fs.fresh()", "fresh"),
            ("import a from 'child_process'\na.fresh()", "fresh"),
            ("const a = unheard()\na.fresh()", "fresh"),
            ("const a = app()\na.fresh()\nfresh()", "fresh"),
            ("globalThis.fresh()", "fresh"),
            ("const { fresh } = require('other')\nfresh()", "fresh"),
            ("const { fresh } = require('../node_modules/a')\nfresh()", "fresh"),
            ("import other from 'other'", "other"),
            ("app.get('http://localhost.evil/a')", "http://localhost.evil/a"),
            ("app.get('http://localhost@evil/a')", "http://localhost@evil/a"),
            ("app.get('http://169.254.169.254/')", "http://169.254.169.254/"),
        ] {
            assert!(!knows(added, name), "{added}");
        }
    }
}
