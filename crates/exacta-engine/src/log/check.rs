//! Checking the whole record: every link, every signature, the head noted outside.
//!
//! Nothing is trusted here, no snapshot and no index. The first bad entry is named, and
//! what kind of change it was, as far as that can be told.

use exacta_core::digest::Digest;
use exacta_core::record::{self, Entry, Event};
use schemars::JsonSchema;
use serde::Serialize;

use super::error::LogError;
use super::open::Log;
use super::place;
use crate::outer::{Checkpoint, verifies};
use crate::workspace::PortError;

/// No more problems than this are listed.
const MOST: usize = 100;

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// An entry says something else than it did.
    Edited,
    /// Entries or files are gone.
    Missing,
    /// An entry stands where it does not belong, or twice.
    Misplaced,
    /// The record ends before the head that was noted.
    Cut,
    /// The record is another one than the one that was noted.
    Replaced,
    /// An entry was signed with a key that is not the record's.
    ForeignKey,
    /// The project was moved.
    Moved,
    /// The project is a copy.
    Copied,
    /// The record came with the files; nothing is known of it here.
    NoCheckpointHere,
    /// A plan or audit file is not what the record says.
    Projection,
    /// An object has other bytes than its name promises, or is gone.
    Object,
}

impl ProblemKind {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Missing => "missing",
            Self::Misplaced => "misplaced",
            Self::Cut => "cut",
            Self::Replaced => "replaced",
            Self::ForeignKey => "foreign_key",
            Self::Moved => "moved",
            Self::Copied => "copied",
            Self::NoCheckpointHere => "no_checkpoint_here",
            Self::Projection => "projection",
            Self::Object => "object",
        }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// The entry, if it is about one.
    pub entry: Option<u64>,
    /// The file, below the project root.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

/// What the check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many entries were read.
    pub entries: u64,
    /// The link of the newest one.
    pub head: Digest,
    /// What is wrong; empty when nothing is.
    pub problems: Vec<Problem>,
}

/// Which parts are checked; the chain always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Whether signatures are verified.
    pub signatures: bool,
    /// Whether every entry is read, not only its link.
    pub entries: bool,
}

impl Depth {
    /// Everything.
    pub const WHOLE: Self = Self { signatures: true, entries: true };
}

impl Log<'_> {
    /// Checks the record against itself, its signatures, the head that was noted outside
    /// and any further head that somebody kept.
    ///
    /// # Errors
    /// When a file cannot be read at all.
    pub fn check(&self, kept: &[Checkpoint], depth: Depth) -> Result<Report, LogError> {
        let mut heads: Vec<Checkpoint> = kept.to_vec();
        heads.extend(self.vouchers.checkpoints.load()?);
        let (project, public) = (self.vouchers.project, self.vouchers.signer.public());
        check(self.port, project, &public, &heads, depth)
    }
}

/// Checks the record of `project` that the key `public` signs.
///
/// # Errors
/// When a file cannot be read at all.
pub(crate) fn check(
    port: &dyn crate::workspace::Workspace,
    project: &str,
    public: &str,
    heads: &[Checkpoint],
    depth: Depth,
) -> Result<Report, LogError> {
    let names = port.list(&place::folder())?;
    let last = names.iter().filter_map(|name| place::number_of(name)).max().unwrap_or(0);
    let mut walk = Walk::new(project, public, heads, depth)?;
    for number in 1..=last {
        walk.file = place::segment(number).to_string();
        match port.read(&place::segment(number)) {
            Ok(bytes) => walk.segment(&bytes, number == last),
            Err(PortError::Gone(_)) => walk.gone(),
            Err(PortError::Refused { fault, .. }) => {
                let message = format!("the file cannot be part of a record: {fault}");
                walk.problem(ProblemKind::Replaced, None, message);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(walk.end())
}

/// A line that waits for the next one to vouch for it.
struct Before<'b> {
    number: u64,
    line: &'b [u8],
}

struct Walk<'a> {
    project: &'a str,
    public: &'a str,
    heads: &'a [Checkpoint],
    depth: Depth,
    file: String,
    /// The link that the next line must name.
    head: Digest,
    /// Entries so far, by their own count.
    count: u64,
    /// The key and project of the stretch being read.
    signer: Option<(String, String)>,
    /// Entries since the last signature.
    unsigned: u64,
    problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    fn new(
        project: &'a str,
        public: &'a str,
        heads: &'a [Checkpoint],
        depth: Depth,
    ) -> Result<Self, LogError> {
        let head = Digest::parse(record::NOTHING_BEFORE)
            .map_err(|error| LogError::Broken { entry: 0, why: error.to_string() })?;
        Ok(Self {
            project,
            public,
            heads,
            depth,
            file: place::folder().to_string(),
            head,
            count: 0,
            signer: None,
            unsigned: 0,
            problems: Vec::new(),
        })
    }

    fn problem(&mut self, kind: ProblemKind, entry: Option<u64>, message: String) {
        if self.problems.len() < MOST {
            self.problems.push(Problem { kind, entry, file: self.file.clone(), message });
        }
    }

    fn gone(&mut self) {
        let entry = Some(self.count + 1);
        self.problem(ProblemKind::Missing, entry, "the file is missing".into());
    }

    fn segment(&mut self, bytes: &[u8], is_last: bool) {
        let mut rest = bytes;
        let mut before: Option<Before<'_>> = None;
        while let Some(length) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(length);
            rest = after.get(1..).unwrap_or_default();
            self.line(line, before.as_ref(), rest);
            before = Some(Before { number: self.count, line });
        }
        // An append that a dying process did not finish was never acknowledged, and is cut
        // off by the next one; anywhere else half a line is damage.
        if !rest.is_empty() && !is_last {
            let message = "the last line of the file is not whole".into();
            self.problem(ProblemKind::Cut, Some(self.count + 1), message);
        }
    }

    fn line(&mut self, line: &[u8], before: Option<&Before<'_>>, rest: &[u8]) {
        let number = self.count + 1;
        let head = record::link(line);
        match record::previous(line) {
            Err(fault) => self.problem(ProblemKind::Edited, Some(number), fault.to_string()),
            Ok(previous) if previous != hex(&self.head) => {
                self.broken(line, number, before, head, rest);
            }
            Ok(_) => {}
        }
        self.head = head;
        self.count = number;
        self.unsigned += 1;
        self.meaning(line, number);
        let replaced = |kept: &&Checkpoint| kept.entries == self.count && kept.head != head;
        if self.heads.iter().any(|kept| replaced(&kept)) {
            let message = "it is not the entry that was acknowledged".into();
            self.problem(ProblemKind::Replaced, Some(number), message);
        }
    }

    /// Two neighbours do not fit: tells which of them changed, or what is between them.
    fn broken(
        &mut self,
        line: &[u8],
        number: u64,
        before: Option<&Before<'_>>,
        head: Digest,
        rest: &[u8],
    ) {
        let says = record::read(line).map(|entry| entry.seq).ok();
        match says {
            Some(seq) if seq > number => {
                let message = match seq - number {
                    1 => format!("entry {number} is missing"),
                    _ => format!("entries {number} to {} are missing", seq - 1),
                };
                self.problem(ProblemKind::Missing, Some(number), message);
                // What follows is counted as it counts itself.
                self.count = seq - 1;
            }
            Some(seq) if seq < number => {
                let message = format!("entry {seq} stands here, in the place of {number}");
                self.problem(ProblemKind::Misplaced, Some(number), message);
            }
            _ => {
                let next = memchr::memchr(b'\n', rest).and_then(|length| rest.get(..length));
                let vouched = next
                    .and_then(|next| record::previous(next).ok())
                    .is_some_and(|previous| previous == hex(&head))
                    || self.is_signed_well(line);
                let bad = match before {
                    Some(before) if vouched && !self.is_signed_well(before.line) => before.number,
                    _ => number,
                };
                let message = "it was changed: its neighbour was chained to other bytes".into();
                self.problem(ProblemKind::Edited, Some(bad), message);
            }
        }
    }

    fn is_signed_well(&self, line: &[u8]) -> bool {
        let Some((project, key)) = &self.signer else { return false };
        record::signed_part(project, line)
            .is_some_and(|(message, signature)| verifies(key, &message, signature))
    }

    /// What the entry says, and whether its signature is the record's.
    fn meaning(&mut self, line: &[u8], number: u64) {
        if !self.depth.entries {
            return;
        }
        let entry = match record::read(line) {
            Ok(entry) => entry,
            Err(fault) => {
                return self.problem(ProblemKind::Edited, Some(number), fault.to_string());
            }
        };
        if let Event::RecordBegun { key, project, .. } = &entry.event {
            self.signer = Some((project.clone(), key.clone()));
        }
        if entry.sig.is_some() {
            self.unsigned = 0;
            if self.depth.signatures && !self.is_signed_well(line) {
                let message = "it does not carry the signature of the record's key".into();
                self.problem(ProblemKind::ForeignKey, Some(number), message);
            }
        }
        self.approval(&entry, number);
    }

    fn approval(&mut self, entry: &Entry, number: u64) {
        let (Event::PlanApproved { approval, .. }, Some((project, key))) =
            (&entry.event, &self.signer)
        else {
            return;
        };
        if !self.depth.signatures {
            return;
        }
        let genuine = approval
            .message(project)
            .is_ok_and(|message| verifies(key, &message, &approval.signature));
        if !genuine {
            let message = format!("the approval of {} is not signed well", approval.plan_id);
            self.problem(ProblemKind::ForeignKey, Some(number), message);
        }
    }

    fn end(mut self) -> Report {
        if let Some((project, key)) = self.signer.clone()
            && (project != self.project || key != self.public)
        {
            let message = "the record was begun for another project or with another key".into();
            self.problem(ProblemKind::ForeignKey, Some(self.count), message);
        }
        self.file = place::folder().to_string();
        let noted = self.heads.iter().map(|head| head.entries).max().unwrap_or(0);
        // Unsigned entries at the end were never acknowledged; they do not count.
        let whole = self.count.saturating_sub(if self.depth.entries { self.unsigned } else { 0 });
        if whole < noted {
            let message = format!("the record has {whole} entries; {noted} were acknowledged");
            self.problem(ProblemKind::Cut, Some(whole + 1), message);
        }
        Report { entries: self.count, head: self.head, problems: self.problems }
    }
}

fn hex(digest: &Digest) -> Vec<u8> {
    digest.to_string().into_bytes()
}
