//! What tools remember between runs: what was seen, and how often something was done today.
//!
//! What a run saw is only *pending* until the step that reports it is done; a run that
//! fails in between finds it again, so no alert is lost and none is repeated.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use exacta_core::model::digest::Digest;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::ToolError;
use crate::folder;

/// The longest file of memory.
const MOST: u64 = 16 * 1024 * 1024;

/// The memory of one project's tools.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    folder: PathBuf,
}

impl Memory {
    /// The memory in this folder.
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The name of what is remembered about these words.
    pub(crate) fn name(kind: &str, words: &[&str]) -> String {
        let text = json!([kind, words]).to_string();
        let digest = Digest::of(text.as_bytes()).to_string();
        let hex = digest.rsplit(':').next().unwrap_or_default();
        format!("{kind}-{}", hex.chars().take(32).collect::<String>())
    }

    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, ToolError> {
        folder::read(&self.folder.join(format!("{name}.json")), MOST)
    }

    fn load(&self, name: &str) -> Result<Value, ToolError> {
        let bytes = self.bytes(name)?;
        // What cannot be read is forgotten: then everything is seen for the first time.
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null))
    }

    /// What was taken of a day. What cannot be read has no end that could be kept to.
    fn day(&self, name: &str) -> Result<Option<Day>, ToolError> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|_| {
            let file = self.folder.join(format!("{name}.json"));
            ToolError::new(
                "MEMORY_DAMAGED",
                format!(
                    "`{}` counts what was done today and cannot be read; remove it to count anew",
                    file.display()
                ),
            )
        })
    }

    fn keep(&self, name: &str, value: &Value) -> Result<(), ToolError> {
        folder::put(&self.folder, &format!("{name}.json"), value.to_string().as_bytes())?;
        Ok(())
    }

    /// What was settled last under this name.
    pub(crate) fn settled(&self, name: &str) -> Result<Option<Value>, ToolError> {
        Ok(self.load(name)?.get("settled").filter(|value| !value.is_null()).cloned())
    }

    /// Notes what was seen now, until [`Memory::settle`] is called.
    pub(crate) fn pend(&self, name: &str, seen: &Value) -> Result<(), ToolError> {
        folder::locked(&self.folder, || {
            let settled = self.load(name)?.get("settled").cloned().unwrap_or(Value::Null);
            self.keep(name, &json!({"settled": settled, "pending": seen}))
        })
    }

    /// What is pending has been reported by the step with this key.
    pub(crate) fn settle(&self, name: &str, by: &str) -> Result<(), ToolError> {
        folder::locked(&self.folder, || {
            let value = self.load(name)?;
            match value.get("pending").filter(|pending| !pending.is_null()) {
                Some(pending) => {
                    let before = value.get("settled");
                    self.keep(name, &json!({"settled": pending, "before": before, "by": by}))
                }
                None => Ok(()),
            }
        })
    }

    /// What the step with this key reported is taken back: it is to be reported again. What
    /// others have reported or seen since stays.
    pub(crate) fn unsettle(&self, name: &str, by: &str) -> Result<(), ToolError> {
        folder::locked(&self.folder, || {
            let value = self.load(name)?;
            if value.get("by").and_then(Value::as_str) != Some(by) {
                return Ok(());
            }
            self.keep(
                name,
                &json!({"settled": value.get("before"), "pending": value.get("settled")}),
            )
        })
    }

    /// Remembers at once.
    pub(crate) fn set(&self, name: &str, seen: &Value) -> Result<(), ToolError> {
        folder::locked(&self.folder, || self.keep(name, &json!({"settled": seen})))
    }

    /// Takes one of the `most` that a day has, once a key. A second time for the same key is
    /// free and says so.
    ///
    /// # Errors
    /// When the day has no more.
    pub(crate) fn take_one(
        &self,
        kind: &str,
        key: &str,
        day: &str,
        most: u64,
    ) -> Result<Taken, ToolError> {
        let name = format!("day-{kind}");
        folder::locked(&self.folder, || {
            let mut keys = self
                .day(&name)?
                .filter(|kept| kept.day == day)
                .map_or_else(BTreeSet::new, |kept| kept.keys);
            if keys.contains(key) {
                return Ok(Taken::Before);
            }
            if u64::try_from(keys.len()).unwrap_or(u64::MAX) >= most {
                return Ok(Taken::NoneLeft);
            }
            keys.insert(key.to_owned());
            self.keep(&name, &json!({"day": day, "keys": keys}))?;
            Ok(Taken::Now)
        })
    }
}

/// What was taken of one day.
#[derive(Deserialize)]
struct Day {
    day: String,
    keys: BTreeSet<String>,
}

/// Whether one of the day's was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Now.
    Now,
    /// This key has taken its one before.
    Before,
    /// The day has no more.
    NoneLeft,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_counts_once_it_was_reported() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path());
        let name = Memory::name("page", &["https://a.example/", ".x"]);
        assert_eq!(memory.settled(&name).unwrap(), None);
        memory.set(&name, &json!("one")).unwrap();
        memory.pend(&name, &json!("two")).unwrap();
        assert_eq!(memory.settled(&name).unwrap(), Some(json!("one")));
        memory.settle(&name, "a").unwrap();
        memory.settle(&name, "b").unwrap();
        assert_eq!(memory.settled(&name).unwrap(), Some(json!("two")));
        // Taken back by whoever reported it, it counts as it did before.
        memory.unsettle(&name, "b").unwrap();
        assert_eq!(memory.settled(&name).unwrap(), Some(json!("two")));
        memory.unsettle(&name, "a").unwrap();
        memory.unsettle(&name, "a").unwrap();
        assert_eq!(memory.settled(&name).unwrap(), Some(json!("one")));
        memory.settle(&name, "c").unwrap();
        assert_eq!(memory.settled(&name).unwrap(), Some(json!("two")));
        assert_ne!(name, Memory::name("page", &["https://a.example/.x"]));
    }

    #[test]
    fn a_day_has_so_many_and_a_key_takes_one() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path());
        let take = |key, day| memory.take_one("mail", key, day, 2).unwrap();
        assert_eq!(take("a", "1"), Taken::Now);
        assert_eq!(take("a", "1"), Taken::Before);
        assert_eq!(take("b", "1"), Taken::Now);
        assert_eq!(take("c", "1"), Taken::NoneLeft);
        assert_eq!(take("c", "2"), Taken::Now);
        assert_eq!(take("a", "2"), Taken::Now);
        // A count that cannot be read is not none.
        for damaged in ["", "{}", "[", "{\"day\":\"2\",\"keys\":{}}"] {
            std::fs::write(folder.path().join("day-mail.json"), damaged).unwrap();
            let fault = memory.take_one("mail", "d", "2", 2).unwrap_err();
            assert_eq!(fault.code, "MEMORY_DAMAGED", "{damaged:?}");
        }
    }
}
