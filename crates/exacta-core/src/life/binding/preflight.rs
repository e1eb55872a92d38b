//! The comparison right before a run.

use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

use super::record::{PlanBinding, ProviderClass, Source};
use crate::judge::decide::Setting;
use crate::model::digest::Digest;
use crate::text::shown::shown;

/// The state of the system now, gathered in the same way as the record was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// How the model binding is known.
    pub source: Source,
    /// The provider.
    pub provider_id: String,
    /// The model.
    pub model_id: String,
    /// The provider's class.
    pub provider_class: String,
    /// SHA-256 of the policy.
    pub safety_policy_hash: Digest,
    /// The profile.
    pub active_profile: String,
    /// The ceiling.
    pub autonomy_ceiling: String,
    /// How old the plan is, in milliseconds.
    pub age_ms: u64,
    /// How old it may become, in milliseconds.
    pub ttl_ms: u64,
}

/// What is compared, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// The ceiling is more permissive now, or unknown.
    CeilingMorePermissive,
    /// The ceiling is more restrictive now.
    CeilingMoreRestrictive,
    /// Another profile.
    Profile,
    /// Another policy.
    PolicyHash,
    /// Another provider.
    Provider,
    /// Another model.
    Model,
    /// The provider's class is less strict now, or unknown.
    ClassLessStrict,
    /// The provider's class is stricter now.
    ClassMoreStrict,
    /// The plan is too old.
    Age,
}

impl Row {
    /// What changed, in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::CeilingMorePermissive => "ceiling more permissive",
            Self::CeilingMoreRestrictive => "ceiling more restrictive",
            Self::Profile => "profile",
            Self::PolicyHash => "policy hash",
            Self::Provider => "provider",
            Self::Model => "model",
            Self::ClassLessStrict => "class less strict",
            Self::ClassMoreStrict => "class more strict",
            Self::Age => "age",
        }
    }
}

/// A row that does not hold, with both values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Difference {
    /// The value now.
    pub current: String,
    /// The value when the plan was made.
    pub recorded: String,
    /// Which.
    pub row: Row,
}

/// Whether the plan may start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "preflight", rename_all = "snake_case")]
#[must_use]
pub enum Preflight {
    /// It may.
    Allow,
    /// It may, if it is still decided so under the stricter ceiling.
    Reevaluate {
        /// The ceilings.
        difference: Difference,
    },
    /// It may not; its state stays what it is.
    Block {
        /// The first row that blocks.
        difference: Difference,
    },
}

/// Compares a plan's record with the state of the system.
///
/// The first row that blocks is reported. A stricter ceiling alone does not block; the
/// decision is made again under it.
pub fn preflight(recorded: &PlanBinding, current: &Current) -> Preflight {
    let ceilings = ceiling(recorded, current);
    let blocked = |row: &Difference| row.row != Row::CeilingMoreRestrictive;
    if let Some(difference) = ceilings.clone().filter(blocked).or_else(|| rest(recorded, current)) {
        return Preflight::Block { difference };
    }
    match ceilings {
        Some(difference) => Preflight::Reevaluate { difference },
        None => Preflight::Allow,
    }
}

fn differ(row: Row, recorded: &str, current: &str) -> Difference {
    let [recorded, current] = [recorded, current].map(|text| shown(text.as_bytes()));
    Difference { current, recorded, row }
}

fn ceiling(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    let (then, now) = (&recorded.autonomy_ceiling, &current.autonomy_ceiling);
    let row = match (Setting::read(then).known(), Setting::read(now).known()) {
        (Some(then), Some(now)) if then == now => return None,
        (Some(then), Some(now)) if now < then => Row::CeilingMoreRestrictive,
        _ => Row::CeilingMorePermissive,
    };
    Some(differ(row, then, now))
}

fn rest(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    profile(recorded, current)
        .or_else(|| policy(recorded, current))
        .or_else(|| provider(recorded, current))
        .or_else(|| model(recorded, current))
        .or_else(|| class(recorded, current))
        .or_else(|| age(current))
}

fn profile(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    let (then, now) = (&recorded.active_profile, &current.active_profile);
    let known = Setting::read(then).known().is_some();
    (then != now || !known).then(|| differ(Row::Profile, then, now))
}

fn policy(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    let (then, now) = (recorded.safety_policy_hash, current.safety_policy_hash);
    (then != now).then(|| differ(Row::PolicyHash, &format!("{then}"), &format!("{now}")))
}

/// Like is compared with like: what was measured is not matched by a claim.
fn provider(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    if recorded.source != current.source {
        let tell = |source: Source, id: &str| format!("{id} ({})", source.as_str());
        let then = tell(recorded.source, &recorded.provider_id);
        let now = tell(current.source, &current.provider_id);
        return Some(differ(Row::Provider, &then, &now));
    }
    let (then, now) = (&recorded.provider_id, &current.provider_id);
    (then != now).then(|| differ(Row::Provider, then, now))
}

fn model(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    let (then, now) = (&recorded.model_id, &current.model_id);
    (then != now).then(|| differ(Row::Model, then, now))
}

/// Reached only where provider and model are equal; another one blocks before.
fn class(recorded: &PlanBinding, current: &Current) -> Option<Difference> {
    let (then, now) = (&recorded.provider_class, &current.provider_class);
    let strict = match (ProviderClass::read(then), ProviderClass::read(now)) {
        (Some(then), Some(now)) => now <= then,
        _ => false,
    };
    (!strict).then(|| differ(Row::ClassLessStrict, then, now))
}

fn age(current: &Current) -> Option<Difference> {
    let seconds = |ms: u64| format!("{}.{:03} s", ms / 1000, ms % 1000);
    (current.age_ms >= current.ttl_ms).then(|| {
        let limit = format!("less than {}", seconds(current.ttl_ms));
        differ(Row::Age, &limit, &seconds(current.age_ms))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> PlanBinding {
        PlanBinding {
            source: Source::Measured,
            provider_id: "anthropic".into(),
            model_id: "model-1".into(),
            model_version: None,
            provider_class: "TRUSTED_CLOUD".into(),
            provider_request_id: None,
            request_hash: Digest::of(b"request"),
            safety_policy_version: "1".into(),
            safety_policy_hash: Digest::of(b"policy"),
            active_profile: "conservative".into(),
            autonomy_ceiling: "conservative".into(),
            timestamp: "2026-01-01T00:00:00Z".into(),
        }
    }

    fn current() -> Current {
        Current {
            source: Source::Measured,
            provider_id: "anthropic".into(),
            model_id: "model-1".into(),
            provider_class: "TRUSTED_CLOUD".into(),
            safety_policy_hash: Digest::of(b"policy"),
            active_profile: "conservative".into(),
            autonomy_ceiling: "conservative".into(),
            age_ms: 0,
            ttl_ms: 1_800_000,
        }
    }

    type Alter = fn(&mut Current);

    fn blocked(outcome: Preflight) -> Option<(Row, String, String)> {
        match outcome {
            Preflight::Block { difference } => {
                Some((difference.row, difference.recorded, difference.current))
            }
            Preflight::Allow | Preflight::Reevaluate { .. } => None,
        }
    }

    #[test]
    fn the_nine_rows() {
        let rows: [(Alter, Row, &str, &str); 7] = [
            (|c| c.provider_id = "openai".into(), Row::Provider, "anthropic", "openai"),
            (|c| c.model_id = "model-2".into(), Row::Model, "model-1", "model-2"),
            (
                |c| c.provider_class = "UNTRUSTED_CLOUD".into(),
                Row::ClassLessStrict,
                "TRUSTED_CLOUD",
                "UNTRUSTED_CLOUD",
            ),
            (|c| c.age_ms = 1_800_000, Row::Age, "less than 1800.000 s", "1800.000 s"),
            (|c| c.active_profile = "manual".into(), Row::Profile, "conservative", "manual"),
            (
                |c| c.autonomy_ceiling = "balanced".into(),
                Row::CeilingMorePermissive,
                "conservative",
                "balanced",
            ),
            (
                |c| c.source = Source::Claimed,
                Row::Provider,
                "anthropic (measured)",
                "anthropic (claimed)",
            ),
        ];
        for (alter, row, then, now) in rows {
            let mut current = current();
            alter(&mut current);
            let expected = Some((row, then.into(), now.into()));
            assert_eq!(blocked(preflight(&recorded(), &current)), expected, "{row:?}");
        }

        let mut other = current();
        other.safety_policy_hash = Digest::of(b"policy.");
        let (row, then, now) = blocked(preflight(&recorded(), &other)).unwrap();
        assert_eq!(row, Row::PolicyHash);
        assert_eq!(then, format!("{}", Digest::of(b"policy")));
        assert_eq!(now, format!("{}", Digest::of(b"policy.")));

        let mut stricter = current();
        stricter.provider_class = "LOCAL_ONLY".into();
        assert_eq!(preflight(&recorded(), &stricter), Preflight::Allow);

        let mut stricter = current();
        stricter.autonomy_ceiling = "manual".into();
        let difference = differ(Row::CeilingMoreRestrictive, "conservative", "manual");
        assert_eq!(preflight(&recorded(), &stricter), Preflight::Reevaluate { difference });

        assert_eq!(preflight(&recorded(), &current()), Preflight::Allow);
    }

    #[test]
    fn rows_are_looked_at_in_their_order() {
        let steps: [(Alter, Row); 6] = [
            (|c| c.age_ms = u64::MAX, Row::Age),
            (|c| c.provider_class = "UNTRUSTED_CLOUD".into(), Row::ClassLessStrict),
            (|c| c.model_id = "other".into(), Row::Model),
            (|c| c.provider_id = "other".into(), Row::Provider),
            (|c| c.safety_policy_hash = Digest::of(b""), Row::PolicyHash),
            (|c| c.active_profile = "balanced".into(), Row::Profile),
        ];
        for ceiling in ["conservative", "manual"] {
            let mut current = current();
            current.autonomy_ceiling = ceiling.into();
            for (alter, row) in steps {
                alter(&mut current);
                assert_eq!(blocked(preflight(&recorded(), &current)).unwrap().0, row);
            }
            current.autonomy_ceiling = "balanced".into();
            let row = blocked(preflight(&recorded(), &current)).unwrap().0;
            assert_eq!(row, Row::CeilingMorePermissive);
        }
    }

    #[test]
    fn unknown_words_block_on_either_side() {
        type AlterBoth = fn(&mut PlanBinding, &mut Current);
        let alter: [(AlterBoth, Row); 5] = [
            (|_, c| c.autonomy_ceiling = "Balanced".into(), Row::CeilingMorePermissive),
            (|r, _| r.autonomy_ceiling = "yolo".into(), Row::CeilingMorePermissive),
            (
                |r, c| {
                    r.active_profile = "yolo".into();
                    c.active_profile = "yolo".into();
                },
                Row::Profile,
            ),
            (|_, c| c.provider_class = "LOCAL".into(), Row::ClassLessStrict),
            (|r, _| r.provider_class = "LOCAL".into(), Row::ClassLessStrict),
        ];
        for (alter, row) in alter {
            let (mut recorded, mut current) = (recorded(), current());
            alter(&mut recorded, &mut current);
            assert_eq!(blocked(preflight(&recorded, &current)).unwrap().0, row);
        }
        for (then, now, row) in [
            ("LOCAL_ONLY", "TRUSTED_CLOUD", Some(Row::ClassLessStrict)),
            ("LOCAL_ONLY", "UNTRUSTED_CLOUD", Some(Row::ClassLessStrict)),
            ("UNTRUSTED_CLOUD", "TRUSTED_CLOUD", None),
            ("UNTRUSTED_CLOUD", "UNTRUSTED_CLOUD", None),
        ] {
            let (mut recorded, mut current) = (recorded(), current());
            (recorded.provider_class, current.provider_class) = (then.into(), now.into());
            assert_eq!(blocked(preflight(&recorded, &current)).map(|b| b.0), row, "{then} {now}");
        }
    }

    #[test]
    fn a_plan_is_too_old_from_the_limit_on() {
        for (age, old) in [(0, false), (1_799_999, false), (1_800_000, true), (1_800_001, true)] {
            let mut current = current();
            current.age_ms = age;
            assert_eq!(blocked(preflight(&recorded(), &current)).is_some(), old, "{age}");
        }
    }

    #[test]
    fn the_record_survives_the_disk_and_nothing_else_does() {
        let text = serde_json::to_string(&recorded()).unwrap();
        assert_eq!(serde_json::from_str::<PlanBinding>(&text).unwrap(), recorded());
        assert_eq!(recorded().hash().unwrap(), Digest::of(text.as_bytes()));
        assert!(serde_json::from_str::<PlanBinding>(&text.replace("measured", "known")).is_err());
        let more = text.replacen('{', "{\"approved\":true,", 1);
        assert!(serde_json::from_str::<PlanBinding>(&more).is_err());
    }
}
