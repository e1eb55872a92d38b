//! Single changes to a valid list: those that break the contract, those that may not.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde_json::{Value, json};

/// The reasons that mean something to the check.
const WORDS: [&str; 4] = ["blocked", "outcome_unknown", "rolled_back", "file_group_not_committed"];

/// A change to one thing that the contract fixes. Each must be found when the plan is
/// known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Breaking {
    FlipOk,
    FlipSkipped,
    RenameStep,
    ChangeTool,
    DropRow,
    RepeatRow,
    ErrorOnOkRow,
    UnexplainFailure,
    UnsayBlocked,
    OtherStatus,
    OtherCount,
    FailedDrop,
    FailedAdd,
    FailedRepeat,
    FailedSwap,
    BlockedDrop,
    BlockedAdd,
    BlockedRepeat,
    MetaOk,
    MetaSkipped,
    MetaReason,
    MetaDrop,
    MetaMove,
    MetaRepeat,
}

impl Breaking {
    pub(super) const ALL: [Self; 24] = [
        Self::FlipOk,
        Self::FlipSkipped,
        Self::RenameStep,
        Self::ChangeTool,
        Self::DropRow,
        Self::RepeatRow,
        Self::ErrorOnOkRow,
        Self::UnexplainFailure,
        Self::UnsayBlocked,
        Self::OtherStatus,
        Self::OtherCount,
        Self::FailedDrop,
        Self::FailedAdd,
        Self::FailedRepeat,
        Self::FailedSwap,
        Self::BlockedDrop,
        Self::BlockedAdd,
        Self::BlockedRepeat,
        Self::MetaOk,
        Self::MetaSkipped,
        Self::MetaReason,
        Self::MetaDrop,
        Self::MetaMove,
        Self::MetaRepeat,
    ];

    /// Changes the list at a place chosen by `dice`; `None` when it has no such place.
    pub(super) fn apply(self, results: &Value, dice: usize) -> Option<Value> {
        let mut entries = results.as_array().unwrap().clone();
        let mut meta = entries.pop().unwrap();
        let rows = &mut entries;
        let all: Vec<String> =
            rows.iter().map(|row| row["step_id"].as_str().unwrap().to_string()).collect();
        match self {
            Self::FlipOk => flip(pick(rows, dice, |_| true)?, "ok"),
            Self::FlipSkipped => flip(pick(rows, dice, |_| true)?, "skipped"),
            Self::RenameStep => pick(rows, dice, |_| true)?["step_id"] = json!("someone else"),
            Self::ChangeTool => pick(rows, dice, |_| true)?["tool"] = json!("another"),
            Self::DropRow => {
                let place = dice.checked_rem(rows.len())?;
                rows.remove(place);
            }
            Self::RepeatRow => {
                let row = pick(rows, dice, |_| true)?.clone();
                rows.push(row);
            }
            Self::ErrorOnOkRow => pick(rows, dice, |row| row["ok"] == true)?["error"] = json!("e"),
            Self::UnexplainFailure => {
                let row = pick(rows, dice, is_failed)?;
                row["error"] = Value::Null;
                row["reason"] = json!("");
            }
            Self::UnsayBlocked => {
                pick(rows, dice, |row| row["reason"] == "blocked")?["reason"] = json!("waiting");
            }
            Self::OtherStatus => {
                let others: Vec<&str> = ["COMPLETED", "PARTIAL", "FAILED", "BLOCKED"]
                    .into_iter()
                    .filter(|status| meta["task_status"] != *status)
                    .collect();
                meta["task_status"] = json!(others[dice % others.len()]);
            }
            Self::OtherCount => {
                let count =
                    &mut meta["stats"][["total_steps", "ok", "skipped", "failed"][dice % 4]];
                *count = json!(count.as_u64().unwrap() + 1);
            }
            Self::FailedDrop => drop(remove(&mut meta["failed_steps"], dice)?),
            Self::FailedAdd => add(&mut meta["failed_steps"], &all, dice)?,
            Self::FailedRepeat => repeat(&mut meta["failed_steps"], dice)?,
            Self::FailedSwap => {
                let list = meta["failed_steps"].as_array_mut().unwrap();
                let end = list.len().checked_sub(1).filter(|end| *end > 0)?;
                list.swap(0, end);
            }
            Self::BlockedDrop => drop(remove(&mut meta["blocked_steps"], dice)?),
            Self::BlockedAdd => add(&mut meta["blocked_steps"], &all, dice)?,
            Self::BlockedRepeat => repeat(&mut meta["blocked_steps"], dice)?,
            Self::MetaOk => flip(&mut meta, "ok"),
            Self::MetaSkipped => flip(&mut meta, "skipped"),
            Self::MetaReason if meta["ok"] == true => return None,
            Self::MetaReason => meta["reason"] = Value::Null,
            Self::MetaDrop => return Some(Value::Array(entries)),
            Self::MetaMove => {
                let place = dice.checked_rem(rows.len())?;
                rows.insert(place, meta);
                return Some(Value::Array(entries));
            }
            Self::MetaRepeat => rows.insert(dice % (rows.len() + 1), meta.clone()),
        }
        entries.push(meta);
        Some(Value::Array(entries))
    }
}

/// A change to something that the contract leaves free, with the sentence that says so.
/// None may be found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Free {
    /// Only `__meta__` has a place; `failed_steps` follows the rows.
    RowOrder,
    /// `blocked_steps` has no order.
    BlockedOrder,
    /// `output` is any value, or none.
    Output,
    /// The text of an error is the executor's, and a skipped row may have one.
    ErrorText,
    /// A failed row needs an error *or* a reason.
    ErrorBesideReason,
    /// Outside the four words of the contract a reason is free text, also on an ok row.
    ReasonText,
    /// Any text may say why a run is not complete, and a complete one may have a remark.
    MetaReasonText,
}

impl Free {
    pub(super) const ALL: [Self; 7] = [
        Self::RowOrder,
        Self::BlockedOrder,
        Self::Output,
        Self::ErrorText,
        Self::ErrorBesideReason,
        Self::ReasonText,
        Self::MetaReasonText,
    ];

    pub(super) fn apply(self, results: &Value, dice: usize) -> Option<Value> {
        let mut entries = results.as_array().unwrap().clone();
        let mut meta = entries.pop().unwrap();
        let rows = &mut entries;
        let free_reason =
            |row: &Value| !WORDS.contains(&row["reason"].as_str().unwrap_or_default());
        match self {
            Self::RowOrder => {
                let by = dice.checked_rem(rows.len())?;
                rows.rotate_left(by);
                meta["failed_steps"] = rows
                    .iter()
                    .filter(|row| is_failed(row))
                    .map(|row| row["step_id"].clone())
                    .collect();
            }
            Self::BlockedOrder => meta["blocked_steps"].as_array_mut().unwrap().reverse(),
            Self::Output => {
                pick(rows, dice, |_| true)?["output"] = json!([{"step_id": "__meta__"}, 1.5]);
            }
            Self::ErrorText => pick(rows, dice, |row| row["ok"] == false)?["error"] = json!("e"),
            Self::ErrorBesideReason => {
                let explained = |row: &Value| is_failed(row) && row["reason"].is_string();
                pick(rows, dice, explained)?["error"] = Value::Null;
            }
            Self::ReasonText => pick(rows, dice, free_reason)?["reason"] = json!("as it is"),
            Self::MetaReasonText => meta["reason"] = json!("as it is"),
        }
        entries.push(meta);
        Some(Value::Array(entries))
    }
}

/// Gives a row another word of the contract, or takes it away: only the model can say
/// what follows.
pub(super) fn reword(results: &Value, dice: usize) -> Option<Value> {
    let mut entries = results.as_array().unwrap().clone();
    let meta = entries.pop().unwrap();
    let row = pick(&mut entries, dice / 8, |_| true)?;
    row["reason"] = json!(WORDS.get(dice % 5).unwrap_or(&"other"));
    entries.push(meta);
    Some(Value::Array(entries))
}

fn is_failed(row: &Value) -> bool {
    row["ok"] == false && row["skipped"] == false
}

fn pick(rows: &mut [Value], dice: usize, fits: impl Fn(&Value) -> bool) -> Option<&mut Value> {
    let count = rows.iter().filter(|row| fits(row)).count();
    let place = dice.checked_rem(count)?;
    rows.iter_mut().filter(|row| fits(row)).nth(place)
}

fn flip(entry: &mut Value, field: &str) {
    entry[field] = json!(entry[field] == false);
}

fn remove(list: &mut Value, dice: usize) -> Option<Value> {
    let list = list.as_array_mut().unwrap();
    let place = dice.checked_rem(list.len())?;
    Some(list.remove(place))
}

fn add(list: &mut Value, all: &[String], dice: usize) -> Option<()> {
    let list = list.as_array_mut().unwrap();
    let others: Vec<&String> =
        all.iter().filter(|id| !list.contains(&Value::from(id.as_str()))).collect();
    let id = others.get(dice.checked_rem(others.len())?)?;
    list.push(Value::from(id.as_str()));
    Some(())
}

fn repeat(list: &mut Value, dice: usize) -> Option<()> {
    let list = list.as_array_mut().unwrap();
    let id = list.get(dice.checked_rem(list.len())?)?.clone();
    list.push(id);
    Some(())
}
