//! A policy of the operator's beside the one that was noted before: which is stricter.
//!
//! Whoever can point a variable at another folder, or write into the operator's file, must
//! not loosen anything by that. Until a person confirms it, the new text is laid over the
//! noted one like a project's: it may tighten, and no more.

use alloc::vec::Vec;

use super::caps::Cap;
use super::effective::Merged;
use super::layer::{Layer, LayerName, Source};
use super::merge::merge;
use super::model::Policy;
use crate::model::digest::Digest;

/// The stricter of what was noted and what is there now. `layers` are those in force, the
/// operator's new one among them.
#[must_use]
pub fn stricter(layers: &[Layer], noted: Option<&Layer>) -> Merged {
    let mut all: Vec<Layer> = noted.cloned().into_iter().collect();
    let (now, others): (Vec<Layer>, Vec<Layer>) =
        layers.iter().cloned().partition(|layer| layer.source.layer == LayerName::Operator);
    // What the new text leaves open is what the built-in values say, and counts as well.
    let outer = others.iter().filter(|layer| layer.source.layer == LayerName::System);
    let alone: Vec<Layer> = outer.cloned().chain(now.iter().cloned()).collect();
    let mut layer = now.into_iter().next().unwrap_or_else(|| {
        let (digest, layer) = (Digest::of(b""), LayerName::Operator);
        Layer::empty(Source { digest, layer })
    });
    spell_out(&mut layer, &merge(&alone).policy);
    layer.source = Source { layer: LayerName::Project, ..layer.source };
    if let Some(noted) = noted {
        layer.rules.retain(|rule| !noted.rules.contains(rule));
    }
    all.push(layer);
    let outer = others.iter().filter(|layer| layer.source.layer == LayerName::System);
    let own = merge(&outer.chain(&all).cloned().collect::<Vec<_>>()).ignored;
    all.extend(others);
    let mut merged = merge(&all);
    // What was laid like a project's came first of these, and is the operator's word.
    let ours = own.iter().filter(|entry| entry.layer == LayerName::Project).count();
    let as_project = merged.ignored.iter_mut().filter(|entry| entry.layer == LayerName::Project);
    as_project.take(ours).for_each(|entry| entry.layer = LayerName::Operator);
    merged
}

/// Says every value that a policy has and that can be tightened.
fn spell_out(layer: &mut Layer, policy: &Policy) {
    let budget = &policy.session_budget;
    layer.profile = Some(policy.profile);
    layer.autonomy_ceiling = Some(policy.autonomy_ceiling);
    layer.decide = Some(policy.decide);
    layer.commit = Some(policy.commit);
    layer.editor_decides = Some(policy.editor_decides);
    layer.ttl_minutes = Some(policy.ttl_minutes);
    layer.token_budget = Some(policy.token_budget);
    layer.retention_days = Some(policy.retention_days);
    layer.allowed_domains = Some(policy.allowed_domains.clone());
    layer.allowed_recipients = Some(policy.allowed_recipients.clone());
    layer.primitives = Some(policy.primitives.clone());
    layer.unasked_primitives = Some(policy.unasked_primitives.clone());
    layer.known_urls = Some(policy.known_urls.clone());
    layer.project_config = Some(policy.project_config.clone());
    layer.session_risk = Some(budget.risk);
    layer.session_files = Some(budget.files);
    layer.session_lines = Some(budget.lines);
    layer.session_minutes = Some(budget.minutes);
    layer.caps = Cap::WORDS.iter().map(|(_, cap)| (*cap, cap.of(&policy.caps))).collect();
}

impl Policy {
    /// Whether both decide alike, whatever files they came from.
    #[must_use]
    pub fn decides_like(&self, other: &Self) -> bool {
        let plain = |policy: &Self| {
            let mut policy = policy.clone();
            policy.sources.clear();
            policy.arbiters = super::arbiter::Arbiters::default();
            policy.rules.sort_by_cached_key(|rule| format!("{rule:?}"));
            policy.constraints.sort_by_cached_key(|constraint| format!("{constraint:?}"));
            policy
        };
        plain(self) == plain(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::policy::{Profile, read};

    fn operator(text: &str) -> Layer {
        read(LayerName::Operator, text.as_bytes()).unwrap()
    }

    fn both(noted: &str, now: &str) -> (Merged, bool) {
        let (noted, now) = (operator(noted), [operator(now)]);
        let strict = stricter(&now, Some(&noted));
        let same = strict.policy.decides_like(&merge(&now).policy);
        (strict, same)
    }

    #[test]
    fn what_is_looser_than_noted_does_not_hold_and_what_is_tighter_does() {
        let rule = "[[rule]]\nthen = \"ask\"\nreason = \"r\"\nmatch = { paths = [\"a/**\"] }\n";
        let ruled = format!("profile = \"balanced\"\n{rule}");
        for (noted, now, tighter) in [
            ("profile = \"balanced\"\n", "profile = \"balanced\"\n", true),
            ("profile = \"balanced\"\n", "profile = \"conservative\"\n", true),
            ("profile = \"conservative\"\n", "profile = \"balanced\"\n", false),
            ("", "profile = \"balanced\"\n", false),
            ("ttl_minutes = 10\n", "", false),
            ("", "ttl_minutes = 10\n", true),
            ("", "ttl_minutes = 600\n", false),
            ("", "decide = \"hash\"\n", false),
            ("decide = \"hash\"\n", "", true),
            ("", "allowed_domains = [\"a.example\"]\n", false),
            ("allowed_domains = [\"a.example\"]\n", "allowed_domains = []\n", true),
            ("", "[proposers.x]\nprovider = \"p\"\nmodel = \"m\"\nclass = \"LOCAL_ONLY\"\n", false),
            ("profile = \"balanced\"\n", ruled.as_str(), true),
            (ruled.as_str(), "profile = \"balanced\"\n", false),
            (ruled.as_str(), ruled.as_str(), true),
        ] {
            assert_eq!(both(noted, now).1, tighter, "{noted} / {now}");
        }
        let (strict, _) = both(
            "profile = \"conservative\"\nttl_minutes = 20\n",
            "profile = \"balanced\"\nttl_minutes = 5\n",
        );
        assert_eq!((strict.policy.profile, strict.policy.ttl_minutes), (Profile::Conservative, 5));
        // What does not hold is named as whose word it was.
        let noted = operator("profile = \"conservative\"\n");
        let project = b"profile = \"balanced\"\nttl_minutes = 600\n";
        let now = [
            operator("profile = \"balanced\"\n"),
            read(LayerName::Project, project.as_slice()).unwrap(),
        ];
        let ignored = stricter(&now, Some(&noted)).ignored;
        let said: Vec<_> = ignored.iter().map(|entry| (entry.key.as_str(), entry.layer)).collect();
        let looser = |layer| said.iter().filter(|said| **said == ("profile", layer)).count();
        assert_eq!((looser(LayerName::Operator), looser(LayerName::Project)), (1, 1), "{said:?}");
        assert!(said.contains(&("ttl_minutes", LayerName::Project)), "{said:?}");
        // Where nothing is said, the built-in values hold, or the noted ones if they are stricter.
        let noted = operator("profile = \"balanced\"\nttl_minutes = 5\n");
        let nowhere = stricter(&[], Some(&noted)).policy;
        assert_eq!((nowhere.profile, nowhere.ttl_minutes), (Profile::Manual, 5));
    }
}
