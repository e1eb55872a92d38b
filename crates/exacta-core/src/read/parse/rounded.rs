//! Numbers that say more than a double keeps.
//!
//! Two texts such as `0.1` and `0.10000000000000000000000001` are one value to most readers,
//! so what a person sees and what a hash covers would differ. The JSON layer is told values,
//! not texts; so the texts are looked up here, and only in a document that has such numbers.

use alloc::string::String;

/// Which number of the document, counting those that are no plain integers from 0, does not
/// survive a double. The document must be JSON.
pub(super) fn first_rounded(text: &str) -> Option<usize> {
    numbers(text).filter(|number| is_real(number)).position(|number| !survives(number))
}

/// The numbers of a JSON text, in order.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        loop {
            let at = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit())?;
            let found = rest.get(at..)?;
            if let Some(inside) = found.strip_prefix('"') {
                rest = after_string(inside);
                continue;
            }
            let end = found.find(|c: char| !is_in_number(c)).unwrap_or(found.len());
            rest = found.get(end..).unwrap_or_default();
            return found.get(..end);
        }
    })
}

fn is_in_number(c: char) -> bool {
    matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')
}

/// What follows the string that `inside` begins in.
fn after_string(inside: &str) -> &str {
    let mut from = 0;
    while let Some(bytes) = inside.as_bytes().get(from..)
        && let Some(at) = memchr::memchr2(b'"', b'\\', bytes)
    {
        // A backslash takes the byte behind it along.
        let quote = bytes.get(at) == Some(&b'"');
        from += if quote { at + 1 } else { at + 2 };
        if quote {
            return inside.get(from..).unwrap_or_default();
        }
    }
    ""
}

/// Whether the JSON reader tells this number as a double: it has a fraction or an exponent,
/// or is the zero that no integer is.
fn is_real(number: &str) -> bool {
    number == "-0" || number.contains(['.', 'e', 'E'])
}

/// Whether the text of the double that is hashed is the same number.
fn survives(number: &str) -> bool {
    number
        .parse::<f64>()
        .is_ok_and(|value| Decimal::of(number) == Decimal::of(ryu_js::Buffer::new().format(value)))
}

/// A number by its digits, without zeros at the ends, and the place of the first of them.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(number: &str) -> Self {
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('-');
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        if digits.is_empty() {
            return Self { digits: String::new(), exponent: 0 };
        }
        // Beyond any double either way, so the exact value makes no difference.
        let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
        let before_point = i64::try_from(whole.len()).unwrap_or(i64::MAX / 4)
            - i64::try_from(zeros).unwrap_or(i64::MAX / 4);
        Self {
            digits: digits.trim_end_matches('0').into(),
            exponent: exponent.saturating_add(before_point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn what_a_double_keeps_survives() {
        for number in [
            "0.0",
            "-0",
            "-0.0",
            "0e5",
            "1.0",
            "1.10",
            "100.0",
            "1E2",
            "1e-2",
            "0.001",
            "12.5e-3",
            "0.1",
            "0.30000000000000004",
            "123.456789",
            "2251799813685248.5",
            "5e-324",
            "-0.000000000000000000000000000000000000000000000000000000000000000000000000000001",
            "1000000000000000.0",
            "1e+3",
            "1424953923781206.2",
        ] {
            assert!(survives(number), "{number}");
        }
        for number in [
            "0.10000000000000000000000001",
            "0.10000000000000001",
            "9007199254740990.4",
            "1e-400",
            "-1e-400",
            "123.456e-789",
            "123e-10000000",
            "1e-99999999999999999999",
            "2e-324",
            "1424953923781206.3",
            "3.141592653589793238",
            "1.0000000000000000000000000000001",
        ] {
            assert!(!survives(number), "{number}");
        }
    }

    #[test]
    fn numbers_are_found_outside_strings_only() {
        let text = r#"{"1.5":["\"2.5","\\",3.5,-4e1],"a\\\"5.5":true,"x":6}"#;
        assert_eq!(numbers(text).collect::<Vec<_>>(), ["3.5", "-4e1", "6"]);
        assert_eq!(first_rounded(r#"[1, 0.1, 2.50, "1e-400", 1e-400, 0.1]"#), Some(2));
        assert_eq!(first_rounded("[7, -0, 0.5]"), None);
    }

    proptest! {
        #[test]
        fn what_a_double_is_written_as_survives(value in any::<f64>()) {
            prop_assume!(value.is_finite());
            let mut buffer = ryu_js::Buffer::new();
            let text = buffer.format(value);
            prop_assert!(survives(text));
            prop_assert_eq!(text.parse(), Ok(value));
        }
    }
}
