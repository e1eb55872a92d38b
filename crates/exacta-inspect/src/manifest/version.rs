//! How far apart two version requirements are.

use exacta_core::judge::facts::VersionStep;

/// Whether the parts of the versions that may break users are the same.
pub(super) fn step(from: &str, to: &str) -> VersionStep {
    if leading(from) == leading(to) { VersionStep::Other } else { VersionStep::Major }
}

/// For each version of a requirement the numbers up to the first that is not zero, which
/// is the one that promises compatibility.
fn leading(requirement: &str) -> Vec<Vec<u64>> {
    let separators = |c: char| c.is_whitespace() || "^~<>=!,|()[]\"'@:".contains(c);
    requirement.split(separators).filter_map(numbers).collect()
}

fn numbers(token: &str) -> Option<Vec<u64>> {
    let token = token.strip_prefix(['v', 'V']).unwrap_or(token);
    if !token.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut out = Vec::new();
    for part in token.split('.') {
        let digits: String = part.chars().take_while(char::is_ascii_digit).take(18).collect();
        let number: u64 = digits.parse().unwrap_or(0);
        out.push(number);
        if number != 0 || digits.len() != part.len() {
            break;
        }
    }
    // `1` and `0.0` mean the same as `1.0` and `0`.
    while out.len() > 1 && out.last() == Some(&0) {
        out.pop();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_number_decides() {
        for (from, to, expected) in [
            ("1.2.3", "1.9", VersionStep::Other),
            ("^1.2", "^2.0", VersionStep::Major),
            ("0.3.1", "0.4.0", VersionStep::Major),
            ("0.3.1", "0.3.9", VersionStep::Other),
            (">=1.2,<2", ">=1.3,<2", VersionStep::Other),
            ("^1.2", "^1.2 || ^2.0", VersionStep::Major),
            ("1.2", "*", VersionStep::Major),
            ("1.2", "latest", VersionStep::Major),
            ("v1.2.0", "v1.3.0", VersionStep::Other),
            ("v0.0.0-2023-a", "v0.0.0-2024-b", VersionStep::Other),
            ("== 1.0", "== 2.0", VersionStep::Major),
            ("~> 6.1", "~> 7.0", VersionStep::Major),
            ("99999999999999999999999", "1", VersionStep::Major),
        ] {
            assert_eq!(step(from, to), expected, "{from} to {to}");
        }
    }
}
