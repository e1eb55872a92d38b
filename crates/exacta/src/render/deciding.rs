//! What decided about a plan that breaks no rule, as findings that other tools can list.
//!
//! A plan that waits or is rejected for its quality has no issue; without this a report for
//! a pull request or a CI would show nothing where the command ends with 10 or 11.

use exacta_core::judge::decide::{Kind, Reason, ReasonKind};
use exacta_core::judge::score::{Evidence, Quality, Risk, Thousandths};

use crate::wire::CheckReport;

/// More than these are not listed.
const MOST: usize = 200;
/// Below this quality, and above this risk, a row of the table is about them.
const GOOD_QUALITY: u32 = 750;
const LOW_RISK: u32 = 30;

/// One thing that decided.
pub(super) struct Deciding {
    /// Whether it rejects the plan; else it asks for a person.
    pub(super) rejects: bool,
    /// What kind of thing it is, for tools that group by it.
    pub(super) id: String,
    /// What is so, and what would help.
    pub(super) message: String,
    /// The file and the line it is about.
    pub(super) place: Option<(String, Option<u32>)>,
}

/// Everything that decided against running alone; empty when the plan would, or when
/// issues say what is wrong with it.
pub(super) fn deciding(report: &CheckReport) -> Vec<Deciding> {
    let rejects = match report.decision {
        Kind::Wait => false,
        Kind::Reject => true,
        Kind::AutoNotify | Kind::AutoSilent => return Vec::new(),
    };
    let mut list = Vec::new();
    for reason in &report.reasons {
        let message = with_help(reason);
        let id = reason.kind.as_str();
        if reason.evidence.is_empty() {
            list.push(Deciding { rejects, id: id.into(), message: message.clone(), place: None });
        }
        let with = |evidence| found(rejects, id.to_owned(), &message, evidence);
        list.extend(reason.evidence.iter().map(with));
        if reason.kind == ReasonKind::Row {
            list.extend(report.quality.iter().flat_map(|quality| lost(rejects, quality)));
            list.extend(report.risk.iter().flat_map(|risk| risky(rejects, risk)));
        }
    }
    list.truncate(MOST);
    list
}

fn with_help(reason: &Reason) -> String {
    match &reason.to_pass {
        Some(to_pass) => format!("{} (to pass: {to_pass})", reason.message),
        None => reason.message.clone(),
    }
}

fn found(rejects: bool, id: String, about: &str, evidence: &Evidence) -> Deciding {
    let step = evidence.step_id.as_deref().map_or_else(String::new, |step| format!("{step}: "));
    let place = evidence.path.as_ref().map(|path| (path.as_str().to_owned(), evidence.line));
    Deciding { rejects, id, message: format!("{step}{}: {about}", evidence.finding), place }
}

/// What took quality away, when there is too little of it.
fn lost(rejects: bool, quality: &Quality) -> Vec<Deciding> {
    if quality.overall.get() >= GOOD_QUALITY {
        return Vec::new();
    }
    let of_dimension = quality.dimensions.each().into_iter().flat_map(|(dimension, scored)| {
        let about = move |points: u32| {
            format!("takes {} from {}", Thousandths::new(points), dimension.name())
        };
        scored.findings.iter().map(move |evidence| {
            found(rejects, "quality".into(), &about(evidence.points), evidence)
        })
    });
    of_dimension.collect()
}

/// What added risk, when there is too much of it.
fn risky(rejects: bool, risk: &Risk) -> Vec<Deciding> {
    if risk.score <= LOW_RISK {
        return Vec::new();
    }
    let of_factor = risk.factors.iter().flat_map(|factor| {
        factor.evidence.iter().map(|evidence| {
            let about = format!("adds {} to {}", evidence.points, factor.name);
            found(rejects, "risk".into(), &about, evidence)
        })
    });
    of_factor.collect()
}
