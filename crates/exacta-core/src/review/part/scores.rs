//! Risk and quality with their evidence, and what nothing was found for.

use alloc::vec::Vec;

use super::{Sheet, joined};
use crate::judge::score::{Quality, Risk};
use crate::review::assessment;
use crate::review::model::{Part, PartKind};
use crate::review::row::{Role, Row};

pub(in crate::review) fn risk(risk: &Risk) -> Part {
    let clear = risk.factors.iter().filter(|factor| factor.score == 0);
    let names = clear.map(|factor| factor.name).collect();
    scored(PartKind::Risk, assessment::risk(risk), names)
}

pub(in crate::review) fn quality(quality: &Quality) -> Part {
    let each = quality.dimensions.each();
    let clear = each.iter().filter(|(_, scored)| scored.applicable && scored.findings.is_empty());
    let names = clear.map(|(dimension, _)| dimension.name()).collect();
    let mut part = scored(PartKind::Quality, assessment::quality(quality), names);
    let mut sheet = Sheet(core::mem::take(&mut part.blocks));
    for (dimension, _) in each.iter().filter(|(_, scored)| !scored.applicable) {
        let why = "no intent names a path, a name or a quoted word to look for";
        let text = format!("{} does not apply: {why}", dimension.name());
        sheet.row(Row::prose(2).with(Role::Quiet, text));
    }
    sheet.part(PartKind::Quality)
}

fn scored(kind: PartKind, rows: Vec<Row>, clear: Vec<&str>) -> Part {
    let mut sheet = Sheet::default();
    sheet.gap();
    sheet.rows(rows);
    if !clear.is_empty() {
        let text = format!("no problems in {}", joined(clear));
        sheet.row(Row::prose(2).with(Role::Quiet, text));
    }
    sheet.part(kind)
}
