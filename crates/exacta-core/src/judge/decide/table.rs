//! The decision table as data: the first row that matches decides.
//!
//! `docs/concepts/decision.md` is printed from here.

use alloc::string::String;
use core::fmt::Write as _;
use core::ops::RangeInclusive;

use super::decision::Kind;
use super::reason::ReasonKind;
use crate::judge::policy::Profile;
use crate::judge::score::Thousandths;
use crate::judge::score::table::{
    GOOD_FROM, HIGH_FROM, MAX_RISK, MEDIUM_FROM, START, SUFFICIENT_FROM,
};

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its stable name.
    pub name: &'static str,
    /// Quality in thousandths.
    pub quality: RangeInclusive<u32>,
    /// Risk.
    pub risk: RangeInclusive<u32>,
    /// Effective profiles.
    pub profiles: &'static [Profile],
    /// What happens.
    pub kind: Kind,
    /// Why, in a sentence.
    pub says: &'static str,
    /// What would have to change; empty for rows that let a plan run.
    pub to_pass: &'static str,
}

const ANY: &[Profile] = &[Profile::Manual, Profile::Conservative, Profile::Balanced];

/// Every row, in order.
pub const ROWS: [Row; 7] = [
    Row {
        name: "quality_insufficient",
        quality: 0..=SUFFICIENT_FROM - 1,
        risk: 0..=MAX_RISK,
        profiles: ANY,
        kind: Kind::Reject,
        says: "its quality is too low to run at all",
        to_pass: "propose a plan without the findings that cost quality; it needs 0.600",
    },
    Row {
        name: "manual",
        quality: 0..=START,
        risk: 0..=MAX_RISK,
        profiles: &[Profile::Manual],
        kind: Kind::Wait,
        says: "every plan waits for a person under `manual`",
        to_pass: "a person approves; in `manual` no plan runs alone",
    },
    Row {
        name: "risk_high",
        quality: SUFFICIENT_FROM..=START,
        risk: HIGH_FROM..=MAX_RISK,
        profiles: ANY,
        kind: Kind::Wait,
        says: "high risk always asks a person",
        to_pass: "a person approves, or the plan does less; its risk may be 65 at most",
    },
    Row {
        name: "risk_medium_in_conservative",
        quality: SUFFICIENT_FROM..=START,
        risk: MEDIUM_FROM..=HIGH_FROM - 1,
        profiles: &[Profile::Conservative],
        kind: Kind::Wait,
        says: "medium risk asks a person under `conservative`",
        to_pass: "a person approves, or the plan does less; its risk may be 30 at most in `conservative`",
    },
    Row {
        name: "quality_moderate",
        quality: SUFFICIENT_FROM..=GOOD_FROM - 1,
        risk: 0..=HIGH_FROM - 1,
        profiles: ANY,
        kind: Kind::Wait,
        says: "its quality is not good enough to run alone",
        to_pass: "a person approves, or the findings that cost quality go; it needs 0.750",
    },
    Row {
        name: "risk_medium_in_balanced",
        quality: GOOD_FROM..=START,
        risk: MEDIUM_FROM..=HIGH_FROM - 1,
        profiles: &[Profile::Balanced],
        kind: Kind::AutoNotify,
        says: "medium risk, good quality: runs alone under `balanced`, and you are told",
        to_pass: "",
    },
    Row {
        name: "risk_low",
        quality: GOOD_FROM..=START,
        risk: 0..=MEDIUM_FROM - 1,
        profiles: &[Profile::Conservative, Profile::Balanced],
        kind: Kind::AutoSilent,
        says: "low risk, good quality: runs alone",
        to_pass: "",
    },
];

/// What happens where no row matches.
pub const NO_ROW: Row = Row {
    name: "no_row",
    quality: 0..=START,
    risk: 0..=MAX_RISK,
    profiles: ANY,
    kind: Kind::Wait,
    says: "nothing says that it may run alone",
    to_pass: "a person approves",
};

/// The first row that matches.
#[must_use]
pub fn row(quality: u32, risk: u32, profile: Profile) -> Row {
    let matches = |row: &Row| {
        row.quality.contains(&quality)
            && row.risk.contains(&risk)
            && row.profiles.contains(&profile)
    };
    ROWS.into_iter().find(matches).unwrap_or(NO_ROW)
}

/// The table as the documentation prints it.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::new();
    out.push_str("| row | quality | risk | effective profile | decision |\n");
    out.push_str("| --- | --- | --- | --- | --- |\n");
    for row in ROWS {
        let profiles = if row.profiles == ANY {
            String::from("any")
        } else {
            row.profiles
                .iter()
                .map(|profile| profile.as_str())
                .collect::<alloc::vec::Vec<_>>()
                .join(", ")
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {}–{} | {}–{} | {profiles} | {} |",
            row.name,
            Thousandths::new(*row.quality.start()),
            Thousandths::new(*row.quality.end()),
            row.risk.start(),
            row.risk.end(),
            row.kind.as_str(),
        );
    }
    out
}

/// Everything that can stand against running alone, as the documentation prints it.
#[must_use]
pub fn reasons_markdown() -> String {
    let mut out =
        String::from("| reason | when | what would have to change |\n| --- | --- | --- |\n");
    for kind in ReasonKind::ALL.iter().filter(|kind| **kind != ReasonKind::Row) {
        let _ = writeln!(out, "| `{}` | {} | {} |", kind.as_str(), kind.summary(), kind.to_pass());
    }
    out
}
