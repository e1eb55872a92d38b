//! Two values and the sign between them: which way a comparison goes, what is added.
//!
//! A comparison that keeps both of its values and gets another sign decides otherwise, and so
//! does one that is gone; a kept value from which something else is taken is another value.

use hashbrown::HashSet;
use tree_sitter::Node;

use super::gather::{Deed, Effects, Pass};
use super::key::between;

/// Longer values are not compared.
const MOST: usize = 120;
/// Stands between the values of a key.
pub(super) const BETWEEN: char = '\u{1f}';

/// Every sign that is told apart, by what is written.
fn sign_of(written: &str) -> Option<&'static str> {
    macro_rules! signs {
        ($($sign:literal)*) => { match written { $($sign => Some($sign),)* _ => None } };
    }
    signs!(
        "<" "<=" ">" ">=" "==" "!=" "===" "!==" "&&" "||" "and" "or" "+" "-" "*" "/" "%" "&" "|"
        "^" "<<" ">>" ">>>" "=" "+=" "-=" "*=" "/=" "%=" "|=" "&=" "^=" "<<=" ">>=" "in" "notin"
        "is" "isnot" "//" "??"
    )
}

/// Two values and their sign.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    /// With both values as key.
    pub(super) deed: Deed,
    pub(super) sign: &'static str,
}

impl Operation {
    /// Whether it asks which of two values is the larger.
    pub(super) fn is_bound(&self) -> bool {
        matches!(self.sign, "<" | "<=" | ">" | ">=")
    }

    /// Whether it puts a value somewhere.
    pub(super) fn sets(&self) -> bool {
        self.sign.ends_with('=') && !matches!(self.sign, "==" | "!=" | "===" | "!==" | "<=" | ">=")
    }

    /// Whether it changes a value that is kept: a member or an entry of something.
    pub(super) fn keeps(&self) -> Option<&str> {
        let (left, _) = self.deed.key.split_once(BETWEEN)?;
        (matches!(self.sign, "+=" | "-=" | "*=" | "/=") && left.contains(['.', '[', '>']))
            .then_some(left)
    }

    /// How it is shown.
    pub(super) fn shown(&self) -> String {
        match self.deed.key.split_once(BETWEEN) {
            Some((left, right)) => format!("{left} {} {right}", self.sign),
            None => self.deed.key.clone(),
        }
    }
}

impl Effects {
    /// Names in what is held against something else.
    pub(super) fn compared(&self) -> HashSet<&str> {
        let bounds = self.operations.iter().filter(|one| one.is_bound());
        bounds
            .flat_map(|one| one.deed.key.split(|c: char| !(c.is_alphanumeric() || c == '_')))
            .collect()
    }
}

impl Pass<'_> {
    /// Two parts of a node with a sign between them.
    pub(super) fn operation(&mut self, node: Node<'_>) {
        if node.named_child_count() != 2 {
            return;
        }
        let (Some(left), Some(right)) = (node.named_child(0), node.named_child(1)) else { return };
        if node.end_byte() - node.start_byte() > 2 * MOST {
            return;
        }
        let sign = self.text.get(left.end_byte()..right.start_byte()).unwrap_or_default().trim();
        // Only what has more than signs in it, such as a comment, needs a copy.
        let found = if sign.bytes().all(|byte| byte.is_ascii_punctuation()) && !sign.contains("//")
        {
            sign_of(sign)
        } else {
            sign_of(&between(left.end_byte(), right.start_byte(), self.text))
        };
        let Some(sign) = found else { return };
        let mut key = between(left.start_byte(), left.end_byte(), self.text);
        key.push(BETWEEN);
        key.push_str(&between(right.start_byte(), right.end_byte(), self.text));
        let deed = self.deed(key, node);
        self.effects.operations.push(Operation { deed, sign });
    }
}
