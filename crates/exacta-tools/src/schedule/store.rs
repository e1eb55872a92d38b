//! What is kept of schedules: one file each, written by the step that a person approved, and
//! beside it how its firings went. The file only says where to look: whoever fires it compares
//! it with the plan on the record.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::when::When;
use crate::error::ToolError;
use crate::folder;

/// The form of the files.
const VERSION: u32 = 1;
/// No schedule is longer.
const MOST: u64 = 64 * 1024;
/// So many schedules a project can have.
const SCHEDULES: usize = 100;

/// A schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    version: u32,
    /// Names it.
    pub key: String,
    /// The run whose step made it.
    pub run_id: String,
    /// The plan of that run.
    pub plan_id: String,
    /// The step.
    pub step_id: String,
    /// What the step was called with.
    pub args: Value,
}

/// How the firings of a schedule went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Since when it counts, in milliseconds.
    pub since_ms: i64,
    /// When it fired last, in milliseconds.
    pub fired_ms: Option<i64>,
    /// The plan of that firing.
    pub plan_id: Option<String>,
    /// How that ended, in a word.
    pub outcome: Option<String>,
    /// How many firings in a row failed.
    pub failures: u32,
}

/// The schedules of a project.
#[derive(Clone, Debug)]
pub struct Schedules {
    folder: PathBuf,
}

impl Schedule {
    /// A schedule that a step makes.
    pub fn new(key: &str, (plan_id, run_id, step_id): (&str, &str, &str), args: &Value) -> Self {
        Self {
            version: VERSION,
            key: key.into(),
            run_id: run_id.into(),
            plan_id: plan_id.into(),
            step_id: step_id.into(),
            args: args.clone(),
        }
    }

    /// When it is due next, in milliseconds, given how it went so far.
    #[must_use]
    pub fn due_ms(&self, progress: &Progress) -> Option<i64> {
        self.due(progress).map(Timestamp::as_millisecond)
    }

    /// When it is due next, given how it went so far.
    #[must_use]
    pub fn due(&self, progress: &Progress) -> Option<Timestamp> {
        let when = When::of(&self.args).ok()?;
        let since = Timestamp::from_millisecond(progress.since_ms).ok()?;
        let after = match progress.fired_ms {
            Some(fired) => Timestamp::from_millisecond(fired).ok()?.max(since),
            None => since,
        };
        when.next(since, after)
    }
}

impl Schedules {
    /// The schedules that the tools with this memory keep.
    #[must_use]
    pub fn at(memory: &Path) -> Self {
        Self { folder: memory.join("schedules") }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// Keeps a schedule; the same one a second time changes nothing.
    ///
    /// # Errors
    /// When it cannot be written, or there are too many.
    pub fn add(&self, schedule: &Schedule) -> Result<(), ToolError> {
        let failed = |fault: serde_json::Error| ToolError::new("SCHEDULE", fault.to_string());
        folder::locked(&self.folder, || {
            let known = self.list()?;
            if known.iter().any(|(one, _)| one.key == schedule.key) {
                return Ok(());
            }
            if known.len() >= SCHEDULES {
                return Err(ToolError::new("SCHEDULE", "the project has a hundred schedules"));
            }
            let since_ms = Timestamp::now().as_millisecond();
            let progress = Progress { since_ms, ..Progress::default() };
            // First since when: a schedule without it would be due at once.
            self.keep(&schedule.key, &progress)?;
            let text = serde_json::to_vec_pretty(schedule).map_err(failed)?;
            folder::put(&self.folder, &format!("{}.json", schedule.key), &text)?;
            Ok(())
        })
    }

    /// Every schedule with how it went; what cannot be read is left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<(Schedule, Progress)>, ToolError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(fault) => return Err(folder::failed(&self.folder, &fault)),
        };
        let mut found = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            let key = name.to_str().and_then(|name| name.strip_suffix(".json"));
            let Some(key) = key.filter(|key| is_key(key)) else { continue };
            let Some(bytes) = folder::read(&self.file(key), MOST)? else { continue };
            let Ok(schedule) = serde_json::from_slice::<Schedule>(&bytes) else { continue };
            if schedule.version != VERSION || schedule.key != key {
                continue;
            }
            if let Some(progress) = self.progress(key)? {
                found.push((schedule, progress));
            }
        }
        found.sort_by(|(one, _), (other, _)| one.run_id.cmp(&other.run_id));
        Ok(found)
    }

    fn progress(&self, key: &str) -> Result<Option<Progress>, ToolError> {
        let bytes = folder::read(&self.folder.join(format!("{key}.progress")), MOST)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Keeps how a schedule went.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, key: &str, progress: &Progress) -> Result<(), ToolError> {
        let text = serde_json::to_vec(progress)
            .map_err(|fault| ToolError::new("SCHEDULE", fault.to_string()))?;
        folder::put(&self.folder, &format!("{key}.progress"), &text)?;
        Ok(())
    }

    /// Removes a schedule; whether there was one.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, key: &str) -> Result<bool, ToolError> {
        if !is_key(key) {
            return Ok(false);
        }
        folder::locked(&self.folder, || {
            let mut there = false;
            for path in [self.file(key), self.folder.join(format!("{key}.progress"))] {
                match fs::remove_file(&path) {
                    Ok(()) => there = true,
                    Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => {}
                    Err(fault) => return Err(folder::failed(&path, &fault)),
                }
            }
            Ok(there)
        })
    }
}

fn is_key(key: &str) -> bool {
    key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_schedule_is_kept_once_and_removed_whole() {
        let folder = tempfile::tempdir().unwrap();
        let schedules = Schedules::at(folder.path());
        assert!(schedules.list().unwrap().is_empty());
        let schedule = Schedule::new(KEY, ("p", "r", "step_1"), &json!({"every": "1h"}));
        schedules.add(&schedule).unwrap();
        let (_, mut progress) = schedules.list().unwrap().remove(0);
        progress.failures = 2;
        schedules.keep(KEY, &progress).unwrap();
        // The same step of the same run, after a crash.
        schedules.add(&schedule).unwrap();
        assert_eq!(schedules.list().unwrap(), [(schedule, progress)]);
        assert!(!schedules.remove("../x").unwrap());
        assert!(schedules.remove(KEY).unwrap() && !schedules.remove(KEY).unwrap());
        assert!(schedules.list().unwrap().is_empty());
    }

    #[test]
    fn what_was_missed_is_due_once() {
        let hour = 3_600_000;
        let schedule = Schedule::new(KEY, ("p", "r", "step_1"), &json!({"every": "1h"}));
        let mut progress = Progress::default();
        assert_eq!(schedule.due(&progress).unwrap().as_millisecond(), hour);
        // The machine slept for a day: due since long, and after the one firing in an hour.
        let now = 24 * hour + 5;
        assert!(schedule.due(&progress).unwrap().as_millisecond() <= now);
        progress.fired_ms = Some(now);
        assert_eq!(schedule.due(&progress).unwrap().as_millisecond(), 25 * hour);
    }
}
