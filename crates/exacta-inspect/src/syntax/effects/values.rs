//! Plain values with a name or a place: defaults, options, sizes, numbers that are handed on;
//! and the types in which numbers are kept.

use crate::syntax::field::Field as _;
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::key::{between, without_numbers, words};

/// Longer values are not plain.
const MOST: usize = 120;

/// A value that stands behind a name.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// With the name as key.
    pub(super) deed: Deed,
    pub(super) text: String,
    /// Whether it holds where nobody says otherwise.
    pub(super) default: bool,
    /// Whether others know it by this number.
    pub(super) listed: bool,
}

/// A number and the type that it is kept in.
#[derive(Clone, Debug)]
pub(super) struct Width {
    /// With the name, or what is cast, as key.
    pub(super) deed: Deed,
    /// Bits, and whether there is a sign.
    pub(super) bits: (u32, bool),
    pub(super) cast: bool,
}

/// Whether a text is one plain value, and no text.
pub(super) fn is_plain(value: &str) -> bool {
    number(value).is_some()
        || matches!(
            value.trim_start_matches('~'),
            "true"
                | "false"
                | "True"
                | "False"
                | "None"
                | "null"
                | "nil"
                | "undefined"
                | "NULL"
                | "nullptr"
                | "Infinity"
                | "0u"
        )
        || is_name(value)
}

fn is_name(value: &str) -> bool {
    value.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
}

/// What a sum of plain numbers comes to, in the order of its signs.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim_matches(['(', ')']);
    if text.len() > MOST || !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    let mut result: Option<f64> = None;
    let mut sign = "";
    let mut rest = text;
    loop {
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| matches!(c, '*' | '+' | '/' | '<' | '-'))
            .map_or(rest.len(), |(at, _)| at);
        let one = plain_number(rest.get(..end)?)?;
        result = Some(match (sign, result) {
            ("", None) => one,
            ("*", Some(so_far)) => so_far * one,
            ("+", Some(so_far)) => so_far + one,
            ("-", Some(so_far)) => so_far - one,
            ("/", Some(so_far)) if one != 0.0 => so_far / one,
            ("<<", Some(so_far)) => so_far * one.exp2(),
            _ => return None,
        });
        rest = rest.get(end..)?;
        if rest.is_empty() {
            return result;
        }
        let known = ["<<", "*", "+", "-", "/"];
        sign = known.iter().copied().find(|sign| rest.starts_with(sign))?;
        rest = rest.get(sign.len()..)?;
    }
}

fn plain_number(text: &str) -> Option<f64> {
    let bare = text.replace(['_', '\''], "");
    let (minus, bare) = bare.strip_prefix('-').map_or((false, bare.as_str()), |rest| (true, rest));
    let digits = |text: &str, radix| {
        let digits: String = text.chars().take_while(|c| c.is_digit(radix)).collect();
        i64::from_str_radix(&digits, radix).ok()
    };
    let radix = match bare.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => 10,
    };
    #[expect(clippy::cast_precision_loss, reason = "only how many times larger it is counts")]
    let value = if radix == 10 {
        let end = bare
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e')))
            .unwrap_or(bare.len());
        let (number, unit) = bare.split_at_checked(end)?;
        if unit.len() > 5 || unit.contains(|c: char| !(c.is_alphanumeric())) {
            return None;
        }
        number.trim_end_matches(['.', 'e']).parse::<f64>().ok()?
    } else {
        digits(bare.get(2..)?, radix)? as f64
    };
    Some(if minus { -value } else { value })
}

/// Whether a number is half as large again as it was, or as small.
pub(super) fn differs(was: &str, is: &str) -> bool {
    matches!((number(was), number(is)), (Some(was), Some(is)) if was.abs().max(is.abs()) >= 1.5 * was.abs().min(is.abs()))
}

/// Whether one value is far from another: not both numbers, or four times as large.
pub(super) fn far(was: &str, is: &str) -> bool {
    match (number(was), number(is)) {
        (Some(was), Some(is)) => {
            let (small, large) = (was.abs().min(is.abs()), was.abs().max(is.abs()));
            large >= 4.0 * small || (was < 0.0) != (is < 0.0)
        }
        _ => true,
    }
}

/// Whether a value is sixteen times as large or small as it was, or nothing, in whatever unit.
pub(super) fn leaps(was: &str, is: &str) -> bool {
    let (Some((was, shape)), Some((is, other))) = (magnitude(was), magnitude(is)) else {
        return false;
    };
    let (small, large) = (was.abs().min(is.abs()), was.abs().max(is.abs()));
    shape == other && was != 0.0 && (large >= 16.0 * small || (was < 0.0) != (is < 0.0))
}

/// How much a value with one unit or several numbers comes to, and how it is written.
fn magnitude(text: &str) -> Option<(f64, String)> {
    if text.len() > MOST || text.contains(['"', '\'', '`']) {
        return None;
    }
    if let Some(value) = number(text) {
        return Some((value, "#".to_owned()));
    }
    let (mut value, mut shape, mut found) = (1.0, String::new(), false);
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            c if c.is_ascii_digit() => rest.find(|c: char| !(word(c) || c == '.')),
            c if word(c) => rest.find(|c: char| !word(c)),
            c => Some(c.len_utf8()),
        };
        let (token, behind) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = behind;
        if first.is_ascii_digit() {
            value *= plain_number(token)?;
            found = true;
            shape.push('#');
        } else if let Some((start, factor)) = unit(token).filter(|_| word(first)) {
            value *= factor;
            found = true;
            shape.push_str(&start);
            shape.push('@');
        } else {
            shape.push_str(token);
        }
    }
    found.then_some((value, shape))
}

/// A name that ends in a unit of time, without it, and how many milliseconds that is.
fn unit(name: &str) -> Option<(String, f64)> {
    let mut parts = words(name);
    let factor = match parts.pop()?.trim_end_matches('s') {
        "nano" | "nanosecond" => 0.000_001,
        "micro" | "microsecond" => 0.001,
        "milli" | "millisecond" => 1.0,
        "sec" | "second" => 1_000.0,
        "min" | "minute" => 60_000.0,
        "hour" => 3_600_000.0,
        "day" => 86_400_000.0,
        "week" => 604_800_000.0,
        _ => return None,
    };
    Some((parts.concat(), factor))
}

/// Whether rights of a file as octal digits let others in whom they kept out.
pub(super) fn opens(was: &str, is: &str) -> bool {
    let bits = |text: &str| {
        let digits = text.strip_prefix("0o").or_else(|| text.strip_prefix('0'))?;
        u32::from_str_radix(digits, 8).ok().filter(|_| digits.len() == 3)
    };
    matches!((bits(was), bits(is)), (Some(was), Some(is)) if is & !was & 0o077 != 0)
}

/// Bits of a type of whole numbers, and whether it has a sign.
fn bits(kind: &str) -> Option<(u32, bool)> {
    let bare = kind.replace("std::", "").replace("const", "");
    Some(match bare.as_str() {
        "int8_t" | "i8" | "int8" | "byte" => (8, true),
        "uint8_t" | "u8" | "uint8" | "unsignedchar" => (8, false),
        "int16_t" | "i16" | "int16" | "short" => (16, true),
        "uint16_t" | "u16" | "uint16" | "unsignedshort" => (16, false),
        "int32_t" | "i32" | "int32" | "int" => (32, true),
        "uint32_t" | "u32" | "uint32" | "unsigned" | "unsignedint" => (32, false),
        "int64_t" | "i64" | "int64" | "long" | "longlong" | "ssize_t" | "isize" | "ptrdiff_t" => {
            (64, true)
        }
        "uint64_t" | "u64" | "uint64" | "unsignedlong" | "unsignedlonglong" | "size_t"
        | "usize" => (64, false),
        "i128" => (128, true),
        "u128" => (128, false),
        _ => return None,
    })
}

impl Pass<'_> {
    fn short(&self, node: Node<'_>) -> Option<String> {
        (node.end_byte() - node.start_byte() <= MOST)
            .then(|| between(node.start_byte(), node.end_byte(), self.text))
    }

    /// A name with a plain value: an option, a field, a member that is set.
    pub(super) fn named_value(&mut self, node: Node<'_>) {
        let kind = node.kind();
        let field = |names: &[&'static str]| names.iter().find_map(|name| node.field(name));
        let name = field(&["name", "key", "left", "field", "declarator", "pattern"]);
        let value = field(&["value", "right", "default_value"]);
        let (name, value) = match (name, value) {
            (Some(name), Some(value)) => (name, value),
            // Entries of Go, and designated ones of C, have no names for their parts.
            _ if matches!(kind, "keyed_element" | "initializer_pair" | "field_initializer") => {
                let last = u32::try_from(node.named_child_count()).unwrap_or(0).saturating_sub(1);
                match (node.named_child(0), node.named_child(last)) {
                    (Some(name), Some(value)) if last > 0 => (name, value),
                    _ => return,
                }
            }
            _ => return,
        };
        let Some(value) = self.short(value) else { return };
        let text = value.starts_with(['"', '\'', '`']);
        if !(is_plain(&value) || text || number(&value).is_some() || value.contains(['*', '<'])) {
            return;
        }
        let Some(name) = self.short(name) else { return };
        let default =
            kind.contains("default") || kind.contains("parameter") || kind.contains("field_def");
        let default = default || kind == "field_declaration";
        let default =
            default || kind == "assignment_pattern" || kind == "object_assignment_pattern";
        let listed = kind == "enumerator" && number(&value).is_some();
        let deed = self.deed(name, node);
        self.effects.values.push(Value { deed, text: value, default, listed });
    }

    /// One of several that are counted in the order in which they stand.
    pub(super) fn listed_in_order(&mut self, node: Node<'_>) {
        if matches!(node.kind(), "enumerator" | "enum_variant" | "enum_constant")
            && let Some(name) = node.field("name")
        {
            let deed = self.deed(self.piece(name).to_owned(), node);
            self.effects.sequence.push(Deed { function: "enum".into(), ..deed });
        }
    }

    /// A call that is handed plain numbers.
    pub(super) fn handed_numbers(&mut self, node: Node<'_>, name: &str, list: Option<Node<'_>>) {
        let Some(arguments) = list.and_then(|list| self.short(list)) else { return };
        let digits = arguments
            .split(['(', ',', ')'])
            .any(|one| one.starts_with(|c: char| c.is_ascii_digit()));
        if digits {
            let place = format!("{name}{}", without_numbers(&arguments));
            let deed = self.deed(place, node);
            self.effects.values.push(Value {
                deed,
                text: arguments,
                default: false,
                listed: false,
            });
        }
    }

    /// The size of an array, which is the room that there is.
    pub(super) fn room(&mut self, node: Node<'_>) {
        if let Some(size) = node.named_child(0).filter(|_| node.kind() == "dimensions_expr") {
            let Some(value) = self.short(size) else { return };
            let deed = self.deed("new[]".to_owned(), node);
            self.effects.values.push(Value { deed, text: value, default: false, listed: false });
            return;
        }
        let (Some(name), Some(size)) = (node.field("declarator"), node.field("size")) else {
            return;
        };
        let (Some(name), Some(value)) = (self.short(name), self.short(size)) else { return };
        let deed = self.deed(format!("{name}[]"), node);
        self.effects.values.push(Value { deed, text: value, default: false, listed: false });
    }

    /// A name with a type of whole numbers, or a value that is cast to one.
    pub(super) fn width(&mut self, node: Node<'_>) {
        let Some(kind) = node.field("type") else { return };
        let Some(bits) = self.short(kind).and_then(|kind| bits(&kind)) else { return };
        let cast = node.kind().contains("cast");
        let name = ["declarator", "name", "pattern", "value"]
            .iter()
            .find_map(|field| node.field(field))
            .and_then(|name| self.short(name));
        let Some(name) = name else { return };
        let name = if cast { name } else { name.split('=').next().unwrap_or(&name).to_owned() };
        let deed = self.deed(name, node);
        self.effects.widths.push(Width { deed, bits, cast });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_numbers_are_worked_out() {
        for (text, value) in [
            ("64*1024", 65536.0),
            ("10<<20", 10_485_760.0),
            ("0x10", 16.0),
            ("1_000u32", 1000.0),
            ("-1", -1.0),
            ("1.5", 1.5),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["a", "1+a", "", "f(1)", "1;2"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert!(far("5", "5000") && far("32", "2") && far("5", "Infinity") && far("1", "-1"));
        assert!(!far("5", "6") && !far("64*1024", "32*1024"));
    }
}
