//! Risk, quality and reasons as rows: every point with its evidence and its line.

use alloc::string::String;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::model::{Anchor, Side};
use super::row::{Role, Row, RowKind};
use crate::judge::decide::Reason;
use crate::judge::score::{Class, Evidence, FactorScore, Level, Quality, Risk, Thousandths};
use crate::text::shown::visible;

/// How many characters a full bar has.
const BAR: u32 = 20;

/// The risk, a row each for score, factors, evidence and floors.
#[must_use]
pub fn risk(risk: &Risk) -> Vec<Row> {
    let mut rows = vec![headline_of_risk(risk)];
    rows.extend(class(risk));
    for factor in risk.factors.iter().filter(|factor| factor.score > 0) {
        let most = format!("{}{}", factor.max, capped(factor));
        rows.push(Row::prose(2).say(format!("{:<20} {:>3} of {most}", factor.name, factor.score)));
        rows.extend(evidence(&factor.evidence, Points::Added));
    }
    rows.extend(floors(risk));
    rows
}

/// The risk in a row.
#[must_use]
pub fn headline_of_risk(risk: &Risk) -> Row {
    let (word, role) = match risk.level {
        Level::Low => ("low", Role::Good),
        Level::Medium => ("medium", Role::Warning),
        Level::High => ("high", Role::Error),
    };
    let row = Row::new(RowKind::Prose, 0).with(Role::Strong, "Risk");
    let row = row.say(format!(" {}/100 ", risk.score)).with(role, word);
    row.say(format!("  {}", bar(risk.score, 100)))
}

/// The class of what the plan does: why in a sentence, the line that tells, and how much
/// of the change was understood.
#[must_use]
pub fn class(risk: &Risk) -> Vec<Row> {
    let Some(classed) = &risk.class else { return Vec::new() };
    let role = match classed.class {
        Class::Neutral | Class::Additive => Role::Good,
        Class::Behaviour => Role::Warning,
        Class::Dangerous => Role::Error,
    };
    let row = Row::new(RowKind::Prose, 0).with(Role::Strong, "Effect").say(" ");
    let row = row.with(role, classed.class.as_str());
    let sentence = classed.class.sentence();
    let mut rows = vec![row.say(format!("  {sentence}; {}% understood", classed.understood))];
    rows.extend(evidence(core::slice::from_ref(&classed.evidence), Points::Added));
    rows
}

/// Why the risk is at least some number.
#[must_use]
pub fn floors(risk: &Risk) -> Vec<Row> {
    let floors = risk.floors.iter().map(|floor| {
        let (step, reason) = (visible(floor.step_id.as_bytes()), visible(floor.reason.as_bytes()));
        Row::prose(2).say(format!("at least {:<11} {step}: {reason}", floor.at_least))
    });
    floors.collect()
}

/// The quality, a row each for score, dimensions and evidence.
#[must_use]
pub fn quality(quality: &Quality) -> Vec<Row> {
    let mut rows = vec![headline_of_quality(quality)];
    for (dimension, scored) in quality.dimensions.each() {
        if !scored.applicable || scored.findings.is_empty() {
            continue;
        }
        rows.push(Row::prose(2).say(format!("{:<20} {}", dimension.name(), scored.score)));
        rows.extend(evidence(&scored.findings, Points::Lost));
    }
    rows
}

/// The quality in a row.
#[must_use]
pub fn headline_of_quality(quality: &Quality) -> Row {
    let bar = bar(quality.overall.get(), 1000);
    let row = Row::new(RowKind::Prose, 0).with(Role::Strong, "Quality");
    row.say(format!(" {}  {bar}", quality.overall))
}

/// One reason: what is so, its evidence, what would have to change.
#[must_use]
pub fn reason(reason: &Reason) -> Vec<Row> {
    let mut rows = asked(reason);
    if let Some(to_pass) = &reason.to_pass {
        let row = Row::prose(4).with(Role::Mark, "to pass");
        rows.push(row.say(format!(": {}", visible(to_pass.as_bytes()))));
    }
    rows
}

/// The same for whoever decides: advice for the planner is not for them.
#[must_use]
pub fn asked(reason: &Reason) -> Vec<Row> {
    let mut rows = vec![Row::prose(2).say(visible(reason.message.as_bytes()))];
    rows.extend(evidence(&reason.evidence, Points::Added));
    rows
}

/// Why the findings of a factor add up to more than the factor; else nothing.
#[must_use]
pub fn capped(factor: &FactorScore) -> String {
    let points = factor.evidence.iter().map(|one| u64::from(one.points)).sum::<u64>();
    if points > u64::from(factor.max) { format!(", {points} points found") } else { String::new() }
}

/// What the points of a finding are.
#[derive(Clone, Copy, Debug)]
pub enum Points {
    /// Added to a risk factor.
    Added,
    /// Taken from a quality dimension, in thousandths as the dimension itself.
    Lost,
}

impl Points {
    /// Where the line of a finding stands, below its words.
    fn margin(self) -> u8 {
        match self {
            Self::Added => 10,
            Self::Lost => 11,
        }
    }

    fn shown(self, points: u32) -> String {
        match self {
            // What only asks has no points to show.
            _ if points == 0 => "-".into(),
            Self::Added => format!("+{points:<4}"),
            Self::Lost => format!("-{}", Thousandths::new(points)),
        }
    }
}

/// Each finding with its points, its place and the line itself.
#[must_use]
pub fn evidence(list: &[Evidence], kind: Points) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in list {
        let place = match (&item.path, item.line, &item.step_id) {
            (Some(path), Some(line), _) => format!("{path}:{line}"),
            (Some(path), None, _) => path.to_string(),
            (None, _, Some(step)) => step.clone(),
            (None, _, None) => String::new(),
        };
        let finding = visible(item.finding.as_bytes());
        let mut row = Row::prose(4).say(format!("{} {finding}", kind.shown(item.points)));
        if !place.is_empty() {
            row = row.say("  ").with(Role::Quiet, visible(place.as_bytes()));
        }
        row.anchor = anchor(item);
        rows.push(row);
        if let Some(excerpt) = &item.excerpt {
            let row = Row::new(RowKind::Excerpt, kind.margin());
            rows.push(row.with(Role::Quiet, visible(excerpt.as_bytes())));
        }
    }
    rows
}

/// The line that a finding is about. Which image it belongs to is found out when the review
/// is put together and both are at hand.
fn anchor(item: &Evidence) -> Option<Anchor> {
    let (path, line) = (item.path.clone()?, item.line?);
    Some(Anchor { path, step: item.step_id.clone(), side: Side::After, line, place: None })
}

/// A bar that reads without colour.
#[must_use]
pub fn bar(value: u32, full: u32) -> String {
    let filled = value.min(full) * BAR / full;
    let part = |count: u32, sign: &str| sign.repeat(count as usize);
    format!("[{}{}]", part(filled, "#"), part(BAR - filled, "."))
}
