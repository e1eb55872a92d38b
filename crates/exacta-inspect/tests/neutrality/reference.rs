//! Compilers and parsers that say whether two texts are the same program.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Pair;

/// Who is asked.
pub(crate) enum Reference {
    Python,
    C,
    /// Node with the parser in this folder, or with the one that it brings along.
    Acorn(Option<PathBuf>),
    /// The words outside of comments, one by one.
    Words,
}

const PYTHON: &str = r#"
import json, sys, warnings
warnings.simplefilter("ignore")
def shape(code):
    consts = [shape(c) if hasattr(c, "co_code") else (type(c).__name__, repr(c)) for c in code.co_consts]
    return [code.co_code.hex(), consts, list(code.co_names), code.co_argcount, code.co_kwonlyargcount,
            code.co_posonlyargcount, code.co_flags, list(code.co_varnames), list(code.co_cellvars),
            list(code.co_freevars), code.co_name, code.co_stacksize]
out = []
for i, (before, after) in enumerate(json.load(sys.stdin)):
    try:
        old = shape(compile(before, "x", "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        continue
    try:
        if old != shape(compile(after, "x", "exec", dont_inherit=True)):
            out.append(i)
    except (SyntaxError, ValueError):
        out.append(i)
print(json.dumps(out))
"#;

const ACORN: &str = r#"
const acorn = require(process.argv[2] ? process.argv[2] + "/node_modules/acorn" : "internal/deps/acorn/acorn/dist/acorn");
const strip = (key, value) => (key === "start" || key === "end" ? undefined : typeof value === "bigint" ? String(value) : value);
const tree = (text) => {
  for (const sourceType of ["module", "script"]) {
    try {
      return JSON.stringify(acorn.parse(text, { ecmaVersion: "latest", sourceType, allowHashBang: true, allowReturnOutsideFunction: true }), strip);
    } catch (error) { continue; }
  }
  return null;
};
let text = "";
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => {
  const out = [];
  JSON.parse(text).forEach(([before, after], i) => {
    const old = tree(before);
    if (old !== null && old !== tree(after)) out.push(i);
  });
  console.log(JSON.stringify(out));
});
"#;

impl Reference {
    /// Another parser: the one that the command has put somewhere, or node's own.
    pub(crate) fn acorn() -> Option<Self> {
        if let Some(folder) = std::env::var_os("EXACTA_ACORN") {
            return Some(Self::Acorn(Some(folder.into())));
        }
        let own = "require('internal/deps/acorn/acorn/dist/acorn')";
        let asked = Command::new("node").args(["--expose-internals", "-e", own]).output();
        asked.is_ok_and(|answer| answer.status.success()).then_some(Self::Acorn(None))
    }

    /// The pairs that are not the same program.
    pub(crate) fn differ(&self, pairs: &[Pair]) -> Vec<String> {
        let tell = |pair: &Pair| {
            format!("{}\n--- before\n{}\n--- after\n{}", pair.origin, pair.before, pair.after)
        };
        match self {
            Self::Python => listed(Command::new("python3").args(["-c", PYTHON]), pairs),
            Self::Acorn(folder) => {
                let mut node = Command::new("node");
                listed(node.args(["--expose-internals", "-e", ACORN, "x"]).args(folder), pairs)
            }
            Self::C => pairs
                .iter()
                .filter(|p| assembly(&p.before) != assembly(&p.after))
                .map(tell)
                .collect(),
            Self::Words => {
                pairs.iter().filter(|p| words(&p.before) != words(&p.after)).map(tell).collect()
            }
        }
    }
}

/// Hands all pairs over at once and reads which of them differ.
fn listed(command: &mut Command, pairs: &[Pair]) -> Vec<String> {
    let texts: Vec<(&str, &str)> =
        pairs.iter().map(|p| (p.before.as_str(), p.after.as_str())).collect();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let question = serde_json::to_vec(&texts).unwrap();
    let writer = std::thread::spawn(move || input.write_all(&question));
    let answer = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(answer.status.success(), "the reference failed");
    let differ: Vec<usize> = serde_json::from_slice(&answer.stdout).unwrap();
    differ
        .iter()
        .map(|i| {
            let pair = &pairs[*i];
            format!("{}\n--- before\n{}\n--- after\n{}", pair.origin, pair.before, pair.after)
        })
        .collect()
}

/// The assembly that gcc makes; of a text that it does not take alone, the words that its
/// preprocessor leaves when it removes comments.
fn assembly(text: &str) -> Vec<u8> {
    let whole = ["-x", "c", "-w", "-g0", "-O1", "-D__LINE__=0", "-S", "-o", "-", "-"];
    let words = ["-x", "c", "-w", "-fpreprocessed", "-E", "-P", "-"];
    gcc(&whole, text)
        .or_else(|| gcc(&words, text).map(|left| written_out(&String::from_utf8_lossy(&left))))
        .unwrap_or_default()
}

/// What the preprocessor leaves, a word a line; its own lines whole, for their ends count.
fn written_out(left: &str) -> Vec<u8> {
    let mut out = String::new();
    for line in left.lines() {
        if line.trim_start().starts_with('#') {
            out.push_str(&line.split_whitespace().collect::<Vec<_>>().join(" "));
            out.push('\n');
        } else {
            out.extend(words(line).into_iter().map(|word| word + "\n"));
        }
    }
    out.into_bytes()
}

fn gcc(args: &[&str], text: &str) -> Option<Vec<u8>> {
    let mut child = Command::new("gcc")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let answer = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    answer.status.success().then_some(answer.stdout)
}

/// Words outside of comments, for JavaScript without regular expressions.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else if matches!(first, '"' | '\'' | '`') {
            let mut escaped = false;
            let mut after = rest.char_indices().skip(1);
            let close = after.find(|(_, c)| {
                let closes = !escaped && *c == first;
                escaped = !escaped && *c == '\\';
                closes
            });
            let close = close.map_or(rest.len(), |(at, _)| at + 1);
            out.push(rest[..close].to_owned());
            close
        } else if first.is_alphanumeric() {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            out.push(rest[..end].to_owned());
            end
        } else {
            out.push(first.to_string());
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    out
}
