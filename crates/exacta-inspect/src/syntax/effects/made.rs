//! Calls and what they are handed, parts that are cut out of values, and what is shown.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::key::{key, words};
use super::role::Role;
use super::unknown::is_plain_call;
use crate::syntax::field::Field as _;

/// Longer lists of arguments are not looked at.
const MOST: usize = 240;

/// A call by the name of what is called.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// With the name as key.
    pub(super) deed: Deed,
    /// Its arguments, with their brackets.
    pub(super) given: String,
    /// Whether the language has a plain function of this name.
    pub(super) plain: bool,
    /// Whether it only asks for a value, or writes words for readers.
    pub(super) light: bool,
}

impl Made {
    /// How it is shown.
    pub(super) fn shown(&self) -> Deed {
        Deed { key: format!("{}{}", self.deed.key, self.given), ..self.deed.clone() }
    }
}

impl Pass<'_> {
    /// Notes a call for what it does, cuts out, looks up or shows.
    pub(super) fn made(&mut self, node: Node<'_>, name: &str, list: Option<Node<'_>>) {
        let list = list.or_else(|| {
            let end = node.child_count().checked_sub(1)?;
            node.child(end).filter(|_| self.role(node) == Role::Macro)
        });
        let log = is_log(name);
        let alone = !log && node.end_byte() - node.start_byte() <= MOST && self.is_statement(node);
        if alone {
            let deed = self.deed(key(node, self.text), node);
            self.effects.sequence.push(deed);
        }
        let quiet = log || is_plain_call(self.language, name) && !keeps_within(name);
        let quiet = quiet && !(alone && self.is_kept(node));
        // What the file may define itself: a call by a small plain name, of no member.
        let own = quiet && !is_log(name) && name.starts_with(|c: char| c.is_ascii_lowercase());
        let own = own && node.field("function").is_some_and(|called| called.kind() == "identifier");
        let (cuts, looks, shows) = (cuts(name), looks_up(name), is_log(name) || answers(name));
        if quiet && !own && !cuts && !looks && !shows {
            return;
        }
        let short = list.filter(|list| list.end_byte() - list.start_byte() <= MOST);
        let given = short.map(|list| key(list, self.text)).unwrap_or_default();
        if cuts && ends_at_number(&given) {
            let deed = self.deed(format!("{name}{given}"), node);
            self.effects.parts.push(deed);
        }
        if shows {
            self.shows(node, name, &given, list);
        }
        let asks = given == "()" && !keeps_within(name) && !self.is_statement(node);
        let writes = ["%", "\\n", "{}"].iter().any(|sign| given.contains(sign))
            || matches!(name, "require" | "import");
        let light = asks || writes;
        let made = Made { deed: self.deed(name.to_owned(), node), given, plain: quiet, light };
        if looks {
            self.effects.lookups.push(made);
        } else if own || !quiet {
            self.effects.calls.push(made);
        }
    }

    /// Whether a call is made on something that outlives its function: a member.
    fn is_kept(&self, node: Node<'_>) -> bool {
        let held = node.field("object");
        let text = held.or_else(|| node.field("function")).map(|callee| self.piece(callee));
        let text = text.unwrap_or_default();
        let holder = if held.is_some() {
            text
        } else {
            text.rsplit_once(['.', '>']).map_or("", |(holder, _)| holder.trim_end_matches('-'))
        };
        let member = |own: &str| holder.starts_with(own) && holder.len() > own.len();
        ["self.", "this.", "this->"].into_iter().any(member)
            || self.language == Language::Cpp && holder.len() > 2 && holder.ends_with('_')
    }

    /// Whether nothing else stands on the line where a call begins, and nothing takes its value.
    fn is_statement(&self, node: Node<'_>) -> bool {
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        let from = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
        let before = before.get(from..).unwrap_or_default().trim();
        let behind = self.text.get(node.end_byte()..).unwrap_or_default();
        let ends = behind.is_empty() || behind.starts_with([';', '\n', '\r', '?']);
        matches!(before, "" | "await" | "{") && ends
    }

    /// A member that is set, before or behind what is done with it.
    pub(super) fn set_before(&mut self, node: Node<'_>) {
        if let Some(left) = node.field("left")
            && left.end_byte() - left.start_byte() <= MOST
            && self.piece(left).contains(['.', '>'])
        {
            let deed = self.deed(format!("={}", key(left, self.text)), node);
            self.effects.sequence.push(deed);
        }
    }

    /// What a reader, a log or whoever asked is shown.
    fn shows(&mut self, node: Node<'_>, name: &str, given: &str, list: Option<Node<'_>>) {
        let debug = given.contains(":?");
        let inside = given.get(1..given.len().saturating_sub(1)).unwrap_or_default();
        for part in parts(inside) {
            if is_whole(part, debug) || name == "Error" && part.contains("err.Error()") {
                let deed = self.deed(part.to_owned(), node);
                self.effects.shown.push(deed);
            }
        }
        if answers(name)
            && let Some(first) = list.and_then(|list| list.named_child(0))
        {
            let picked = first.kind() == "object" || first.kind() == "dictionary";
            if picked || self.role(first) == Role::Name {
                let deed = self.deed(format!("{name}{given}"), node);
                self.effects.replies.push((deed, picked));
            }
        }
    }

    /// A part of a value that ends at a fixed place: `a[:4]`, `&a[..4]`.
    pub(super) fn cut(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let text = key(node, self.text);
        let sign = if self.language == Language::Rust { ".." } else { ":" };
        let ends = text.split_once(sign).is_some_and(|(_, end)| {
            end.trim_start_matches('=').starts_with(|c: char| c.is_ascii_digit())
        });
        if ends && text.len() <= MOST {
            let whole = parent.filter(|_| self.language != Language::Go).unwrap_or(node);
            let deed = self.deed(key(whole, self.text), node);
            self.effects.parts.push(deed);
        }
    }

    /// What is held while a block runs, and given back behind it.
    pub(super) fn held_around(&mut self, node: Node<'_>) {
        let text = self.piece(node);
        if text.len() <= 80 && !text.contains('(') {
            let deed = self.deed(format!("with {text}"), node);
            self.effects.upkeep.push(deed);
        }
    }

    /// A text that tells browsers and caches to be careful.
    pub(super) fn careful(&mut self, inner: &str, node: Node<'_>) {
        const WORDS: &[&str] = &[
            "nosniff",
            "no-store",
            "x-content-type-options",
            "x-frame-options",
            "sameorigin",
            "strict-transport-security",
            "content-security-policy",
            "referrer-policy",
            "permissions-policy",
            "cross-origin-",
            "samesite=",
            "httponly",
            "private,",
        ];
        if inner.len() < 4
            || inner.len() > 200
            || inner.contains(' ') && !inner.contains([';', ','])
        {
            return;
        }
        let lower = inner.to_ascii_lowercase();
        if WORDS.iter().any(|word| lower.contains(word)) {
            let deed = self.deed(lower, node);
            self.effects.upkeep.push(deed);
        }
    }
}

/// The parts of what stands between the brackets of a list of arguments.
pub(super) fn parts(inside: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    inside.split(move |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// Whether a value is all that somebody sent, all that surrounds the program, or a secret.
fn is_whole(part: &str, debug: bool) -> bool {
    const ALL: &[&str] =
        &["self", "this", "req", "request", "headers", "env", "locals()", "globals()"];
    const AROUND: &[&str] =
        &["vars(", "__dict__", "process.env", "os.environ", "os.Environ()", "env::vars", ".stack"];
    if part.starts_with(['"', '\'', '`']) {
        return false;
    }
    let measured =
        ["len(", ".length", ".size", ".len()", "count"].iter().any(|of| part.contains(of));
    let last = || {
        let bare = part.trim_end_matches(['(', ')']);
        words(bare.rsplit(['.', '(', '&', ':', '>']).next().unwrap_or(bare))
    };
    ALL.contains(&part)
        || AROUND.iter().any(|word| part.contains(word))
        || debug && part.starts_with("self.") && !part.contains('(')
        || !measured
            && last().iter().any(|word| {
                matches!(
                    word.as_str(),
                    "headers"
                        | "cookie"
                        | "cookies"
                        | "body"
                        | "payload"
                        | "environ"
                        | "credential"
                        | "credentials"
                        | "secret"
                        | "secrets"
                        | "password"
                        | "passphrase"
                        | "token"
                        | "raw"
                        | "data"
                )
            })
}

/// Whether arguments end with a number, as those that say where to stop.
fn ends_at_number(given: &str) -> bool {
    let last = given.trim_end_matches(')').rsplit([',', '(']).next().unwrap_or_default();
    let skips = given.starts_with('(') && !given.contains(',');
    let number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    number && (!skips || given.len() > 2)
}

/// Functions that cut a part out of a value and leave the rest.
fn cuts(name: &str) -> bool {
    matches!(
        name,
        "slice"
            | "substring"
            | "substr"
            | "subarray"
            | "take"
            | "truncate"
            | "copyOf"
            | "copyOfRange"
            | "subList"
            | "first"
            | "left"
            | "islice"
    )
}

/// Functions that look something up and may be told what there is otherwise.
fn looks_up(name: &str) -> bool {
    matches!(
        name,
        "get" | "getOrDefault" | "get_or_default" | "setdefault" | "getattr" | "getenv" | "pop"
    )
}

/// Functions that answer whoever asked.
fn answers(name: &str) -> bool {
    matches!(name, "json" | "jsonify" | "send" | "JSON" | "Json" | "render" | "Error" | "Fprintln")
}

/// Functions that write down for readers what happens.
pub(super) fn is_log(name: &str) -> bool {
    matches!(
        name,
        "log"
            | "debug"
            | "info"
            | "warn"
            | "warning"
            | "error"
            | "trace"
            | "print"
            | "println"
            | "printf"
            | "fprintf"
            | "puts"
            | "eprintln"
            | "eprint"
            | "Println"
            | "Printf"
            | "Print"
            | "Fprintf"
            | "fine"
            | "finer"
            | "severe"
            | "dbg"
            | "exception"
            | "critical"
            | "Infof"
            | "Debugf"
            | "Warnf"
            | "Info"
            | "Debug"
            | "Warn"
            | "Logf"
            | "Log"
    )
}

/// Plain functions that keep a value within bounds, make it unambiguous or empty it.
fn keeps_within(name: &str) -> bool {
    matches!(
        name,
        "min"
            | "max"
            | "clamp"
            | "take"
            | "truncate"
            | "limit"
            | "resolve"
            | "normalize"
            | "normalise"
            | "canonicalize"
            | "absolute"
            | "abspath"
            | "realpath"
            | "basename"
            | "keys"
            | "replace"
            | "replaceAll"
            | "replace_all"
            | "ReplaceAll"
            | "freeze"
            | "clear"
            | "Clean"
            | "lock"
            | "unlock"
            | "sync_all"
            | "flush"
            | "checked_add"
            | "checked_sub"
            | "checked_mul"
    )
}
