//! What "tighter" means for each kind of value.
//!
//! Every function takes the value in force and what a later layer wants, and gives a
//! value that is never looser than the one in force. `heeded` says whether the layer got
//! all it wanted; if not, that is reported.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::words::Decide;

/// The outcome of laying one value over another.
pub(super) struct Step<T> {
    /// The value now in force.
    pub(super) value: T,
    /// Whether that is all that the later layer asked for.
    pub(super) heeded: bool,
}

fn step<T>(value: T, heeded: bool) -> Step<T> {
    Step { value, heeded }
}

/// Smaller is tighter; so are profiles, which are ordered strictest first.
pub(super) fn at_most<T: Copy + Ord>(now: &T, wanted: &T) -> Step<T> {
    step(*now.min(wanted), wanted <= now)
}

/// Larger is tighter.
pub(super) fn at_least<T: Copy + Ord>(now: &T, wanted: &T) -> Step<T> {
    step(*now.max(wanted), wanted >= now)
}

/// Only `hash` can be tightened; `terminal` and `credential` cannot be compared.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of every function here")]
pub(super) fn proof(now: &Decide, wanted: &Decide) -> Step<Decide> {
    match (now, wanted) {
        (Decide::Hash, better) => step(*better, true),
        (now, wanted) => step(*now, now == wanted),
    }
}

/// Fewer names are tighter.
pub(super) fn fewer(now: &BTreeSet<String>, wanted: &BTreeSet<String>) -> Step<BTreeSet<String>> {
    step(now & wanted, wanted.is_subset(now))
}

/// Fewer names are tighter, and no list at all is the loosest.
#[expect(clippy::ref_option, reason = "the signature of every function here")]
pub(super) fn fewer_of_any(
    now: &Option<BTreeSet<String>>,
    wanted: &Option<BTreeSet<String>>,
) -> Step<Option<BTreeSet<String>>> {
    match (now, wanted) {
        (None, list) => step(list.clone(), true),
        (Some(now), None) => step(Some(now.clone()), true),
        (Some(now), Some(wanted)) => {
            let Step { value, heeded } = fewer(now, wanted);
            step(Some(value), heeded)
        }
    }
}

/// Fewer hosts are tighter; `*.` entries cover every name below, so they are narrowed
/// and not only compared.
pub(super) fn fewer_hosts(
    now: &BTreeSet<String>,
    wanted: &BTreeSet<String>,
) -> Step<BTreeSet<String>> {
    let within = |of: &BTreeSet<String>, list: &BTreeSet<String>| -> BTreeSet<String> {
        of.iter().filter(|entry| covered(entry, list)).cloned().collect()
    };
    let kept = within(wanted, now);
    let heeded = kept.len() == wanted.len();
    step(&kept | &within(now, wanted), heeded)
}

/// Whether every host that `entry` stands for is in `list`.
fn covered(entry: &str, list: &BTreeSet<String>) -> bool {
    let host = entry.strip_prefix('*').unwrap_or(entry);
    list.contains(entry)
        || host
            .match_indices('.')
            .filter_map(|(at, _)| host.get(at..))
            .any(|tail| list.contains(&format!("*{tail}")))
}

/// More names are tighter: the later layer adds to the list.
pub(super) fn more(now: &BTreeSet<String>, wanted: &BTreeSet<String>) -> Step<BTreeSet<String>> {
    step(now | wanted, true)
}

/// Nothing is tighter: what the first layer said stays.
pub(super) fn as_it_was<T: Clone + PartialEq>(now: &T, wanted: &T) -> Step<T> {
    step(now.clone(), now == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &str) -> BTreeSet<String> {
        names.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn hosts_are_narrowed_through_wildcards() {
        for (now, wanted, value, heeded) in [
            ("a.x b.x", "a.x", "a.x", true),
            ("*.x", "a.x", "a.x", true),
            ("a.x", "*.x", "a.x", false),
            ("*.x", "*.a.x", "*.a.x", true),
            ("*.x", "x", "", false),
            ("*.x *.y", "*.a.x z", "*.a.x", false),
            ("", "a.x", "", false),
            ("a.x", "", "", true),
            ("*.a.x b.x", "*.x", "*.a.x b.x", false),
        ] {
            let step = fewer_hosts(&set(now), &set(wanted));
            assert_eq!((step.value, step.heeded), (set(value), heeded), "{now} / {wanted}");
        }
    }

    #[test]
    fn only_hash_gives_way() {
        for (now, wanted, value, heeded) in [
            (Decide::Hash, Decide::Terminal, Decide::Terminal, true),
            (Decide::Hash, Decide::Credential, Decide::Credential, true),
            (Decide::Hash, Decide::Hash, Decide::Hash, true),
            (Decide::Terminal, Decide::Hash, Decide::Terminal, false),
            (Decide::Credential, Decide::Hash, Decide::Credential, false),
            (Decide::Terminal, Decide::Credential, Decide::Terminal, false),
            (Decide::Credential, Decide::Terminal, Decide::Credential, false),
        ] {
            let step = proof(&now, &wanted);
            assert_eq!((step.value, step.heeded), (value, heeded), "{now:?} / {wanted:?}");
        }
    }
}
