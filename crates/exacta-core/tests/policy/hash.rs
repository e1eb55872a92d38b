//! What the policy hash covers, and what it leaves out.

use crate::merged;
use exacta_core::judge::policy::{Policy, Profile};
use exacta_core::model::digest::Digest;

fn hash(operator: &str, project: &str) -> Digest {
    merged("", operator, project).policy.hash().unwrap()
}

#[test]
fn every_byte_counts_but_the_two_values() {
    let text = "# note\nprofile = 'manual' # why\nautonomy_ceiling=\"balanced\"\nttl_minutes = 5\n";
    let same = hash(text, "");
    // Changed and changed back is the same policy again.
    assert_eq!(same, hash(text, ""));
    for (from, to) in [
        ("'manual'", "'conservative'"),
        ("'manual'", "\"balanced\""),
        ("'manual'", "\"\"\"manual\"\"\""),
        ("\"balanced\"", "'manual'"),
    ] {
        let changed = text.replace(from, to);
        assert_eq!(hash(&changed, ""), same, "{changed}");
    }
    for (from, to) in [
        ("# note", "# not"),
        ("# why", "# whz"),
        ("= 5", "=  5"),
        ("= 5", "= 6"),
        ("profile = 'manual' # why\n", ""),
        ("\n", "\r\n"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        assert_ne!(hash(&changed, ""), same, "{changed}");
    }
}

#[test]
fn a_policy_that_uses_every_key_has_a_hash() {
    let text = "ttl_minutes = 5
constraints = ['no_delete', {kind = 'paths_within', globs = ['src/**']}]
allowed_domains = ['b.example', '*.a.example']
caps = {max_steps = 1, max_tool_calls = 2, max_pages = 3, max_cost_usd = 4, max_files = 5}
session_budget = {risk = 1, files = 2, minutes = 30}
prices = {default = 1, models = {b = 2, 'a/x' = 3}}
proposers.p = {provider = 'x', model = 'y', class = 'LOCAL_ONLY', skills = ['s']}
skills.s = {primitives = ['ReadWeb'], caps = {max_steps = 1, max_files = 2, max_cost_usd = 3}}
checks.c = {command = ['make'], timeout_seconds = 5}
[[rule]]
match = {paths = ['a'], ops = ['delete'], tools = ['ReadWeb'], effects = ['read'], min_risk = 1, min_changed_lines = 2, proposers = ['p'], recipes = ['Custom']}
then = 'deny'
reason = 'why'
";
    assert_ne!(hash(text, ""), hash(text, "# more"));
}

#[test]
fn layers_are_told_apart() {
    let comment = "# a comment\n";
    assert_ne!(hash(comment, ""), hash("", comment));
    assert_ne!(hash(comment, ""), Policy::default().hash().unwrap());
    assert_ne!(hash(comment, comment), hash(comment, ""));
    let split = hash("#ab\n", "#c\n");
    assert_ne!(split, hash("#a\n", "#bc\n"));
}

#[test]
fn built_in_values_count() {
    let other = Policy { ttl_minutes: 31, ..Policy::default() };
    assert_ne!(other.hash().unwrap(), Policy::default().hash().unwrap());
}

#[test]
fn profile_and_ceiling_are_recorded_by_themselves() {
    for (text, profile, ceiling, effective) in [
        ("# nothing", Profile::Manual, Profile::Balanced, Profile::Manual),
        ("profile='balanced'", Profile::Balanced, Profile::Balanced, Profile::Balanced),
        (
            "profile='balanced'\nautonomy_ceiling='manual'",
            Profile::Balanced,
            Profile::Manual,
            Profile::Manual,
        ),
        ("profile='manual'", Profile::Manual, Profile::Balanced, Profile::Manual),
    ] {
        let policy = merged("", text, "").policy;
        let record = policy.record().unwrap();
        assert_eq!(record.active_profile, profile, "{text}");
        assert_eq!(record.autonomy_ceiling, ceiling, "{text}");
        assert_eq!(record.effective_profile, effective, "{text}");
        assert_eq!(record.safety_policy_version, "1");
        assert_eq!(record.safety_policy_hash, policy.hash().unwrap());
    }
}
