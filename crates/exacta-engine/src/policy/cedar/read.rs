//! The text of a `policy.cedar` → policies that can be asked, or every mistake in it.
//!
//! Nothing is used in part. What Cedar itself would only warn about, but what can never
//! apply, is a mistake here: its author takes it for a protection.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use cedar_policy::{
    Effect, Policy, PolicyId, PolicySet, ValidationMode, ValidationWarning, Validator,
};
use exacta_core::judge::policy::LayerName;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::{Issue, Place};
use exacta_core::model::digest::Digest;
use exacta_core::text::shown::shown;
use miette::Diagnostic;

use super::file::{CedarFile, CedarPolicy};
use super::scan::{Beyond, scan};
use super::schema;

/// The annotation that names a policy.
const NAME: &str = "id";
/// The annotation that says why it is there.
const REASON: &str = "reason";
/// What a layer that may not permit is given instead.
const IMPLICIT: &str = "permit (principal, action, resource);";

/// The most mistakes that are listed.
const MOST_MISTAKES: usize = 100;
/// What to do where Cedar does not say.
const ADVICE: &str = "the Cedar schema says what a policy can be about";

/// Reads the file of a layer.
///
/// # Errors
/// Every mistake, each with its place.
pub(super) fn read(layer: LayerName, bytes: &[u8]) -> Result<CedarFile, Vec<Issue>> {
    let text = str::from_utf8(bytes).map_err(|fault| {
        let valid = bytes.get(..fault.valid_up_to()).unwrap_or_default();
        let at = Place::of(&String::from_utf8_lossy(valid), fault.valid_up_to());
        vec![invalid("utf8", Some(at), "the bytes are not UTF-8 text").help("save it as UTF-8")]
    })?;
    let begins = scan(text).map_err(|Beyond { at, message, help }| {
        vec![invalid("bound", Some(Place::of(text, at)), message).help(help)]
    })?;
    let set = PolicySet::from_str(text).map_err(|errors| {
        let first = errors.iter().take(MOST_MISTAKES + 1);
        settled(first.map(|error| issue("cedar", error, text)).collect())
    })?;
    let policies = listed(&set, text, &begins)?;
    let mut issues = refused(layer, &policies);
    issues.extend(set.templates().map(|template| {
        let place = position(template.id()).and_then(|at| begins.get(at));
        let place = place.map(|at| Place::of(text, *at));
        invalid("template", place, "a template stands for policies that nobody makes of it")
            .help("name the proposer, or leave the slot out")
    }));
    let warnings = validated(&set, text, &policies, &mut issues);
    if !issues.is_empty() {
        return Err(settled(issues));
    }
    let mut file = CedarFile {
        layer,
        digest: Digest::of(bytes),
        set,
        warnings,
        policies: policies.into_values().collect(),
    };
    if layer.is_trusted() {
        file.warn_if_nothing_is_permitted();
    } else {
        file.set.add(implicit()?).map_err(|error| vec![internal(&error.to_string())])?;
    }
    Ok(file)
}

/// Every policy by its number from 0.
///
/// Our own walk and the parser must agree on where policies begin; if they did not, a
/// verdict could name the wrong one.
fn listed(
    set: &PolicySet,
    text: &str,
    begins: &[usize],
) -> Result<BTreeMap<usize, CedarPolicy>, Vec<Issue>> {
    if begins.len() != set.num_of_policies() + set.num_of_templates() {
        return Err(vec![internal("the policies cannot be told apart")]);
    }
    let each = set.policies().map(|policy| {
        let number = position(policy.id())?;
        let place = Place::of(text, *begins.get(number)?);
        let said = |key| policy.annotation(key).filter(|text| !text.is_empty()).map(String::from);
        let listed = CedarPolicy {
            name: said(NAME).unwrap_or_else(|| (number + 1).to_string()),
            reason: said(REASON),
            permits: policy.effect() == Effect::Permit,
            place,
            id: policy.id().clone(),
        };
        Some((number, listed))
    });
    let each: Option<_> = each.collect();
    each.ok_or_else(|| vec![internal("the policies cannot be told apart")])
}

/// The number in the name that the parser gave a policy.
pub(super) fn position(id: &PolicyId) -> Option<usize> {
    let id: &str = id.as_ref();
    id.strip_prefix("policy")?.parse().ok()
}

/// What is sound Cedar but may not stand in this layer's file.
fn refused(layer: LayerName, policies: &BTreeMap<usize, CedarPolicy>) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut taken: BTreeMap<&str, u32> = BTreeMap::new();
    for policy in policies.values() {
        let name = shown(policy.name.as_bytes());
        if policy.permits && !layer.is_trusted() {
            let message = format!("policy `{name}` permits; a project's file may only forbid");
            issues
                .push(invalid("permit", Some(policy.place), message).help(
                    "write `forbid` with the opposite condition, or let the operator permit",
                ));
        }
        if let Some(line) = taken.insert(&policy.name, policy.place.line) {
            let message = format!("policy `{name}` has the name of the one at line {line}");
            issues
                .push(invalid("name", Some(policy.place), message).help("give each its own `@id`"));
        }
    }
    issues
}

/// Checks every policy against the schema: mistakes are added, doubts are returned.
fn validated(
    set: &PolicySet,
    text: &str,
    policies: &BTreeMap<usize, CedarPolicy>,
    issues: &mut Vec<Issue>,
) -> Vec<Issue> {
    let Some(schema) = schema::schema() else {
        issues.push(internal("the schema cannot be read"));
        return Vec::new();
    };
    let result = Validator::new(schema.clone()).validate(set, ValidationMode::Strict);
    let found = |id: &PolicyId, error: &dyn Diagnostic| {
        let mut issue = issue("schema", error, text);
        let policy = position(id).and_then(|number| policies.get(&number));
        // Cedar speaks of a policy by the name that its parser made up.
        let made_up = format!("for policy `{id}`, ");
        let name = policy.map_or_else(|| id.to_string(), |policy| shown(policy.name.as_bytes()));
        issue.message = format!("policy `{name}`: {}", issue.message.replace(&made_up, ""));
        issue.help = issue.help.replace(&made_up, "");
        issue.place = issue.place.or_else(|| policy.map(|policy| policy.place));
        issue
    };
    issues.extend(result.validation_errors().map(|error| found(error.policy_id(), error)));
    let mut warnings = Vec::new();
    for warning in result.validation_warnings() {
        let mut issue = found(warning.policy_id(), warning);
        if never_applies(warning) {
            issue.help = "correct its condition, or remove it".into();
            issues.push(issue);
        } else {
            warnings.push(Issue { rule: "doubt".into(), ..as_warning(issue) });
        }
    }
    settled(warnings)
}

fn never_applies(warning: &ValidationWarning) -> bool {
    matches!(
        warning,
        ValidationWarning::ImpossiblePolicy(_) | ValidationWarning::InvalidActionApplication(_)
    )
}

fn implicit() -> Result<Policy, Vec<Issue>> {
    Policy::parse(Some(PolicyId::new("implicit")), IMPLICIT)
        .map_err(|error| vec![internal(&error.to_string())])
}

/// A mistake as Cedar words it.
fn issue(rule: &'static str, error: &dyn Diagnostic, text: &str) -> Issue {
    let label = error.labels().and_then(|mut labels| labels.next());
    let place = label.as_ref().map(|label| Place::of(text, label.offset()));
    let expected = label.and_then(|label| label.label().map(String::from));
    let help = error.help().map(|help| help.to_string()).or(expected);
    let help = help.filter(|help| !help.is_empty()).unwrap_or_else(|| ADVICE.into());
    invalid(rule, place, error.to_string()).help(help)
}

fn invalid(rule: &'static str, place: Option<Place>, message: impl Into<String>) -> Issue {
    Issue { place, ..Issue::error(Code::PolicyInvalid, rule, message) }
}

pub(super) fn internal(message: &str) -> Issue {
    invalid("internal", None, message).help("this is a fault of the program; please report it")
}

pub(super) fn as_warning(issue: Issue) -> Issue {
    Issue { severity: exacta_core::model::diagnostic::Severity::Warning, ..issue }
}

/// From the top of the file to its end, each once: Cedar keeps them in no order. Beyond
/// the most that anybody reads they are only said to be there.
fn settled(mut issues: Vec<Issue>) -> Vec<Issue> {
    issues.sort_by(|a, b| (a.place, &a.message).cmp(&(b.place, &b.message)));
    issues.dedup();
    if issues.len() > MOST_MISTAKES {
        issues.truncate(MOST_MISTAKES);
        let more = invalid("cedar", None, "there are more mistakes");
        issues.push(more.help("correct the ones that are listed"));
    }
    issues
}
