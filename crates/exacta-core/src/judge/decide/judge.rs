//! The decision itself.

use alloc::string::String;
use alloc::vec::Vec;

use super::asks;
use super::decision::{Decision, Kind};
use super::input::DecideInput;
use super::reason::{Reason, ReasonKind};
use super::session::{SessionTotals, Spend};
use super::setting::Setting;
use super::table;
use crate::judge::policy::{Clause, Profile, RuleVerdict, Then};
use crate::judge::score::table::MANY_DELETES;
use crate::judge::score::{Class, Evidence};
use crate::text::shown::shown;

/// Decides on an assessed plan.
///
/// The table says how far the scores let it go; everything that asks, denies or is not
/// known can only take it back from there.
#[must_use]
pub fn decide(input: &DecideInput<'_>) -> Decision {
    let effective = Setting::effective(&input.profile, &input.ceiling);
    let (risk, quality) = (input.assessment.risk.score, input.assessment.quality.overall);
    // Under a value that nobody knows nothing runs alone.
    let row = table::row(quality.get(), risk, effective.unwrap_or(Profile::Manual));
    let own = Spend::of(input.subject, &input.assessment.risk);
    let session = input.session.and(&own).totals();

    let mut against = unknown(input);
    against.extend(asks::of(input, effective));
    against.extend(worse_together(input, &own));
    let over = over_budget(input, row.kind, own.totals(), session);
    // What is said of the proposer alone is not said twice.
    let said = |reason: &Reason| over.iter().any(|known| known.kind == reason.kind);
    let of_all = everybody_over_budget(input, &own);
    let of_all: Vec<Reason> = of_all.into_iter().filter(|reason| !said(reason)).collect();
    against.extend(over.into_iter().chain(of_all));
    against.extend(input.rules.iter().map(ruled));
    let kind = against.iter().fold(row.kind, |kind, reason| {
        kind.min(if reason.kind == ReasonKind::RuleDenies { Kind::Reject } else { Kind::Wait })
    });

    let profile = effective.map_or("unknown", Profile::as_str);
    let matched = Reason {
        kind: ReasonKind::Row,
        message: match (row.kind, against.is_empty()) {
            (Kind::AutoNotify | Kind::AutoSilent, false) => {
                format!("by risk {risk} and quality {quality} alone it would run under `{profile}`")
            }
            _ => format!("{} (risk {risk}, quality {quality}, profile `{profile}`)", row.says),
        },
        to_pass: (!row.to_pass.is_empty()).then(|| row.to_pass.into()),
        evidence: Vec::new(),
    };
    let mut reasons: Vec<Reason> = core::iter::once(matched).chain(against).collect();
    if kind == Kind::Reject {
        // Nobody can approve a plan that is rejected: only what rejects it tells a way out.
        let rejects = |reason: &Reason| match reason.kind {
            ReasonKind::Row => row.kind == Kind::Reject,
            kind => kind == ReasonKind::RuleDenies,
        };
        for reason in reasons.iter_mut().filter(|reason| !rejects(reason)) {
            reason.to_pass = None;
        }
    }
    Decision { kind, row: row.name, profile: effective, session, reasons }
}

fn unknown(input: &DecideInput<'_>) -> Vec<Reason> {
    [
        (&input.profile, ReasonKind::UnknownProfile, "profile"),
        (&input.ceiling, ReasonKind::UnknownCeiling, "autonomy ceiling"),
    ]
    .into_iter()
    .filter(|(setting, ..)| setting.known().is_none())
    .map(|(setting, kind, what)| {
        Reason::saying(kind, format!("the {what} `{setting}` is not known"), Vec::new())
    })
    .collect()
}

/// What is over the budget, by the plan itself or together with earlier ones.
fn over_budget(
    input: &DecideInput<'_>,
    row: Kind,
    own: SessionTotals,
    all: SessionTotals,
) -> Vec<Reason> {
    let reason = |kind, alone: bool, does: [&str; 2], rest: String| {
        let [adds, add] = does;
        if !alone {
            let who = "with this plan the proposer's plans";
            return Reason::saying(kind, format!("{who} {add} {rest}"), Vec::new());
        }
        let mut reason = Reason::saying(kind, format!("this plan alone {adds} {rest}"), Vec::new());
        // Waiting for earlier plans to pass would not help.
        reason.to_pass = Some("a person approves, or the plan does less".into());
        reason
    };
    let mut out = Vec::new();
    let most = input.budget.risk;
    let alone = own.risk > most;
    // The row has said of a plan alone that it is too risky to run unasked.
    if all.risk > most && !(alone && row <= Kind::Wait) {
        let risk = if alone { own.risk } else { all.risk };
        let rest = format!("to a risk of {risk}; {most} may run unasked");
        out.push(reason(ReasonKind::SessionRisk, alone, ["adds up", "add up"], rest));
    }
    let most = input.budget.files;
    let alone = own.files > most;
    if all.files > most {
        let files = if alone { own.files } else { all.files };
        let word = if files == 1 { "file" } else { "files" };
        let rest = format!("{files} {word}; {most} may be touched unasked");
        out.push(reason(ReasonKind::SessionFiles, alone, ["touches", "touch"], rest));
    }
    let most = input.budget.lines;
    let alone = own.lines > most;
    if all.lines > most {
        let lines = if alone { own.lines } else { all.lines };
        let word = if lines == 1 { "line" } else { "lines" };
        let rest = format!("{lines} {word}; {most} may be changed unasked");
        out.push(reason(ReasonKind::SessionLines, alone, ["changes", "change"], rest));
    }
    out
}

/// What is over twice the budget, over all proposers.
fn everybody_over_budget(input: &DecideInput<'_>, own: &Spend) -> Vec<Reason> {
    let all = input.everybody.and(own).totals();
    let budget = input.budget;
    [
        (ReasonKind::SessionRisk, all.risk, budget.risk, "points of risk"),
        (ReasonKind::SessionFiles, all.files, budget.files, "files"),
        (ReasonKind::SessionLines, all.lines, budget.lines, "lines"),
    ]
    .into_iter()
    .filter(|(_, used, most, _)| *used > most.saturating_mul(2))
    .map(|(kind, used, most, what)| {
        let most = most.saturating_mul(2);
        let message = format!(
            "with this plan the plans of all proposers come to {used} {what}; {most} may run unasked"
        );
        Reason::saying(kind, message, Vec::new())
    })
    .collect()
}

/// What recent plans and this one do together that this one alone does not.
fn worse_together(input: &DecideInput<'_>, own: &Spend) -> Option<Reason> {
    let alone = input.assessment.risk.class.as_ref().map(|classed| classed.class);
    let recent = input.session.deletes.max(input.everybody.deletes);
    let deletes = recent.saturating_add(own.deletes);
    let (class, evidence) = match input.together {
        Some((class, evidence)) if Some(*class) > alone => (*class, evidence.clone()),
        _ if deletes > MANY_DELETES && alone < Some(Class::Dangerous) => {
            (Class::Dangerous, Evidence::of_plan(format!("{deletes} files deleted in all"), 0))
        }
        _ => return None,
    };
    let message = format!("together with recent plans the change is {class}: {}", evidence.finding);
    Some(Reason::saying(ReasonKind::SessionClass, message, vec![evidence]))
}

fn ruled(rule: &RuleVerdict) -> Reason {
    let (kind, does) = match rule.then {
        Then::Deny => (ReasonKind::RuleDenies, "denies the plan"),
        Then::Ask => (ReasonKind::RuleAsks, "asks for a person"),
    };
    let message = format!("{} {does}: {}", rule.name(), shown(rule.reason.as_bytes()));
    let evidence =
        rule.steps.iter().map(|step| Evidence::of_step(step, rule.reason.clone(), 0)).collect();
    let mut reason = Reason::saying(kind, message, evidence);
    if matches!(rule.clause, Clause::Text { .. }) {
        let person = if rule.then == Then::Ask { ", or let a person approve" } else { "" };
        reason.to_pass = Some(format!("propose a plan that a policy of that file permits{person}"));
    }
    reason
}
