//! A record in memory. Clones share it, as processes share one on disk.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exacta_core::life::lifecycle::Moment;
use exacta_core::model::digest::Digest;
use exacta_core::record::{self, Entry, Head, Stamp};
use exacta_engine::store::{
    Added, AppendError, Depth, LogError, Problem, ProblemKind, Replica, Report, Store, Terms,
    Wanted,
};
use exacta_engine::trust::Checkpoint;

/// A record in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Vec<String>>,
    /// Goes on with each append.
    clock: AtomicU64,
}

impl MemoryStore {
    /// A record without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record of somebody else, with these lines.
    #[must_use]
    pub fn with_lines(lines: Vec<String>) -> Self {
        Self(Arc::new(Shared { lines: Mutex::new(lines), clock: AtomicU64::new(1_000) }))
    }

    fn now(&self) -> Moment {
        let ms = self.0.clock.fetch_add(1, Ordering::Relaxed);
        Moment { boot: "memory".into(), boottime_ms: ms, wall_ms: ms }
    }
}

/// Adds to a replica what `lines` say beyond it; every line must follow the one before.
fn fold(replica: &mut Replica, lines: &[String]) -> Result<(), LogError> {
    let known = usize::try_from(replica.head().entries).unwrap_or(usize::MAX);
    let Some(fresh) = lines.get(known..) else {
        let entries = lines.len() as u64;
        return Err(LogError::Cut { entries, noted: replica.head().entries });
    };
    for line in fresh {
        let head = replica.head();
        let (entry, head) = next(line, &head)?;
        replica.add(&entry, head.link);
    }
    Ok(())
}

/// The entry of a line that follows `head`, and where the record ends with it.
fn next(line: &str, head: &Head) -> Result<(Entry, Head), LogError> {
    let number = head.entries + 1;
    let broken = |why: String| LogError::Broken { entry: number, why };
    let entry = record::read(line.as_bytes()).map_err(|fault| broken(fault.to_string()))?;
    if entry.prev != head.link || entry.seq != number {
        return Err(broken("it does not follow the entry before it".into()));
    }
    Ok((entry, Head { entries: number, link: record::link(line.as_bytes()) }))
}

impl Store for MemoryStore {
    fn project(&self) -> &'static str {
        "memory"
    }

    fn append(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        terms: Terms<'_>,
    ) -> Result<Added, AppendError> {
        let mut lines = self.lines();
        fold(replica, &lines)?;
        replica.allows(wanted)?;
        if !(terms.holds)()? {
            return Err(AppendError::Moved);
        }
        let at = self.now();
        let time = at.wall_ms.to_string();
        let stamp = Stamp { actor: wanted.actor.clone(), at, key: wanted.key.clone(), time };
        let mut entries = Vec::new();
        for event in &wanted.events {
            let sealed = record::seal(&replica.head(), event.clone(), &stamp, None);
            let sealed = sealed.map_err(LogError::from)?;
            lines.push(sealed.line);
            replica.add(&sealed.entry, sealed.head.link);
            entries.push(sealed.entry);
        }
        Ok(Added { entries, behind: None })
    }

    fn catch_up(&self, replica: &mut Replica) -> Result<(), LogError> {
        fold(replica, &self.lines())
    }

    fn read(&self, replica: &Replica, from: u64) -> Result<Vec<Entry>, LogError> {
        let mut head = Head { entries: 0, link: Digest::NOTHING };
        let mut entries = Vec::new();
        let upto = usize::try_from(replica.head().entries).unwrap_or(usize::MAX);
        for line in self.lines().iter().take(upto) {
            let (entry, after) = next(line, &head)?;
            head = after;
            entries.extend((entry.seq >= from).then_some(entry));
        }
        if head == replica.head() {
            return Ok(entries);
        }
        let why = "the entries do not lead to the newest one".into();
        Err(LogError::Broken { entry: head.entries, why })
    }

    fn verify(&self, kept: &[Checkpoint], _: Depth) -> Result<Report, LogError> {
        let mut problems = Vec::new();
        let mut problem = |kind, entry, message: String| {
            problems.push(Problem { kind, entry: Some(entry), file: "memory".into(), message });
        };
        let mut head = Head::BEGINNING;
        for line in self.lines().iter() {
            match next(line, &head) {
                Ok((_, after)) => head = after,
                Err(error) => {
                    problem(ProblemKind::Edited, head.entries + 1, error.to_string());
                    break;
                }
            }
            let replaced =
                |kept: &Checkpoint| kept.entries == head.entries && kept.head != head.link;
            if kept.iter().any(replaced) {
                problem(ProblemKind::Replaced, head.entries, "another entry was kept".into());
            }
        }
        if kept.iter().any(|kept| kept.entries > head.entries) {
            problem(ProblemKind::Cut, head.entries + 1, "more entries were kept".into());
        }
        Ok(Report { entries: head.entries, head: head.link, problems })
    }
}
