//! Bounds a text before Cedar's parser sees it, and says where each policy begins.
//!
//! The parser builds its tree by recursion and has no bound of its own: a few hundred
//! brackets, or a long chain of `&&`, would overflow the stack and end the process. Here the
//! text is walked once, without recursion, by the parser's own rules for comments and
//! strings. What passes is shallow enough for every later walk over the tree.

/// How deep brackets may be nested.
pub(super) const MOST_NESTED: usize = 32;
/// How many operators one policy may have. A chain of them is as deep as it is long.
pub(super) const MOST_OPERATORS: usize = 250;
/// How many policies one file may have.
pub(super) const MOST_POLICIES: usize = 1_000;

/// Words that join or nest expressions.
const JOINING: [&str; 7] = ["if", "in", "has", "like", "is", "when", "unless"];

/// Where the text goes beyond a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beyond {
    /// The byte.
    pub(super) at: usize,
    /// What is too much.
    pub(super) message: String,
    /// What to do.
    pub(super) help: &'static str,
}

/// The bytes at which the policies of a text begin.
///
/// # Errors
/// When the text goes beyond a bound.
pub(super) fn scan(text: &str) -> Result<Vec<usize>, Beyond> {
    let mut scan = Scan::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let length = match byte {
            b'/' if rest.starts_with(b"//") => {
                at += until(rest, |b| matches!(b, b'\n' | b'\r'));
                continue;
            }
            b'"' => string(rest),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => until(rest, |b| !is_word(b)),
            b'0'..=b'9' => until(rest, |b| !b.is_ascii_digit()),
            b'&' | b'|' | b'=' | b'!' | b'<' | b'>' | b':' => {
                1 + usize::from(matches!(
                    rest,
                    [b'&', b'&', ..]
                        | [b'|', b'|', ..]
                        | [b'=' | b'!' | b'<' | b'>', b'=', ..]
                        | [b':', b':', ..]
                ))
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => 1,
        };
        scan.token(at, rest.get(..length).unwrap_or_default())?;
        at += length.max(1);
    }
    Ok(scan.begins)
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn until(bytes: &[u8], ends: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| ends(*byte)).unwrap_or(bytes.len())
}

/// The length of a string with its quotes; to the end when it is not closed.
fn string(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

#[derive(Default)]
struct Scan {
    begins: Vec<usize>,
    /// Whether a policy has begun and not yet ended.
    within: bool,
    nested: usize,
    operators: usize,
}

impl Scan {
    fn token(&mut self, at: usize, token: &[u8]) -> Result<(), Beyond> {
        if token == b";" {
            (self.within, self.operators) = (false, 0);
            return Ok(());
        }
        if !self.within {
            self.within = true;
            self.begins.push(at);
            if self.begins.len() > MOST_POLICIES {
                let message = format!("the file has more than {MOST_POLICIES} policies");
                return Err(Beyond { at, message, help: "join some of them" });
            }
        }
        match token {
            b"(" | b"[" | b"{" => self.nested += 1,
            b")" | b"]" | b"}" => self.nested = self.nested.saturating_sub(1),
            _ => {}
        }
        if self.nested > MOST_NESTED {
            let message = format!("brackets are nested more than {MOST_NESTED} deep");
            return Err(Beyond { at, message, help: "write the condition flatter" });
        }
        self.operators += usize::from(nests(token));
        if self.operators > MOST_OPERATORS {
            let message = format!("the policy has more than {MOST_OPERATORS} operators");
            return Err(Beyond {
                at,
                message,
                help: "split it into several policies, or compare with a set",
            });
        }
        Ok(())
    }
}

/// Whether a token can make the tree deeper.
fn nests(token: &[u8]) -> bool {
    match token.first() {
        Some(b'"' | b'0'..=b'9' | b')' | b']' | b'}' | b',' | b'@') | None => false,
        Some(byte) if is_word(*byte) => JOINING.iter().any(|word| word.as_bytes() == token),
        Some(_) => token != b"::" && token != b":",
    }
}
