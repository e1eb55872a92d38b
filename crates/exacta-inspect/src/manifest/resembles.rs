//! New dependencies whose names are one slip away from a well-known one.

use std::sync::LazyLock;

use exacta_core::judge::facts::{Ecosystem, FactKind};
use hashbrown::{HashMap, HashSet};

/// Well-known names of each ecosystem.
static POPULAR: LazyLock<HashMap<&'static str, HashSet<&'static str>>> = LazyLock::new(|| {
    let list = include_str!("../../data/popular_packages.txt");
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            Some((words.next()?, words.collect()))
        })
        .collect()
});

/// Shorter names are one slip away from too many.
const SHORTEST: usize = 4;
/// Longer ones are not compared.
const LONGEST: usize = 80;

/// What the added dependency looks like.
pub(super) fn resembles(kind: &FactKind) -> Option<FactKind> {
    let FactKind::DependencyAdded { ecosystem, name, .. } = kind else { return None };
    let known = POPULAR.get(ecosystem.as_str())?;
    let plain = plain(*ecosystem, name);
    if known.contains(plain.as_str()) || !(SHORTEST..=LONGEST).contains(&plain.len()) {
        return None;
    }
    // In the order of the alphabet, so that the same name is told everywhere.
    let alike =
        known.iter().filter(|other| other.len() >= SHORTEST && one_slip(&plain, other)).min()?;
    Some(FactKind::ResemblesPackage { name: name.clone(), resembles: (*alike).to_owned() })
}

/// The name as its registry compares it.
fn plain(ecosystem: Ecosystem, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if ecosystem == Ecosystem::Python { lower.replace(['_', '.'], "-") } else { lower }
}

/// Whether one letter more, less or else, two exchanged, or a sign between words makes one
/// name the other.
fn one_slip(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.replace(['-', '_', '.'], "");
    if one != other && bare(one) == bare(other) {
        return true;
    }
    // The name with the ending of its language is not the name.
    if one.strip_suffix("js").is_some_and(|name| bare(name) == bare(other)) {
        return true;
    }
    let (mine, theirs): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if mine.len().abs_diff(theirs.len()) > 1 {
        return false;
    }
    let same = mine.iter().zip(&theirs).take_while(|(left, right)| left == right).count();
    let mine = mine.get(same..).unwrap_or_default();
    let theirs = theirs.get(same..).unwrap_or_default();
    let exchanged = match (mine, theirs) {
        ([first, second, mine @ ..], [other, another, theirs @ ..]) => {
            (first, second) == (another, other) && mine == theirs
        }
        _ => false,
    };
    let after = |letters: &[char]| letters.get(1..).unwrap_or_default().to_vec();
    exchanged
        || after(mine) == theirs
        || mine == after(theirs)
        || !mine.is_empty() && after(mine) == after(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ecosystem: Ecosystem, name: &str) -> bool {
        let kind = FactKind::DependencyAdded { ecosystem, name: name.into(), to: String::new() };
        resembles(&kind).is_some()
    }

    #[test]
    fn one_slip_is_told_and_the_name_itself_is_not() {
        for name in [
            "expres",
            "expresss",
            "exprses",
            "axois",
            "lodahs",
            "crossenv",
            "reqct-dom",
            "cross-env.js",
        ] {
            assert!(told(Ecosystem::Npm, name), "{name}");
        }
        assert!(told(Ecosystem::Maven, "com.goog1e.guava:guava"));
        assert!(told(Ecosystem::Nuget, "Newtonsoft.Jsom"));
        assert!(!told(Ecosystem::Nuget, "Newtonsoft.Json"));
        assert!(told(Ecosystem::Composer, "symfony/consoles"));
        assert!(told(Ecosystem::Python, "request") && told(Ecosystem::Python, "python_dateutl"));
        assert!(!told(Ecosystem::Npm, "express") && !told(Ecosystem::Npm, "something-else"));
        assert!(!told(Ecosystem::Python, "Python_DateUtil"));
    }
}
