//! Walking the record line by line, and telling what was done to it.
//!
//! A line fits when it names the bytes before it. Where one does not, its own number, its
//! signature and its neighbours tell whether it or the line before it was changed, whether
//! lines are missing, or whether it stands in the wrong place.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use exacta_core::digest::Digest;
use exacta_core::record::{self, Entry, Event};

use super::check::{Depth, Problem, ProblemKind, Report};
use super::error::LogError;
use super::place;
use crate::outer::{Checkpoint, verifies};
use crate::workspace::Spot;

/// No more problems than this are listed.
const MOST: usize = 100;

/// What is known about the newest line that fits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Newest {
    /// It is not what it was, and that was said.
    Bad,
    /// Its own signature is good.
    Signed,
    /// Only the next line can vouch for it.
    Unsigned,
}

/// What follows a line.
#[derive(Clone, Copy)]
struct Ahead<'b> {
    /// The rest of its file.
    rest: &'b [u8],
    /// The next file.
    next_file: &'b [u8],
}

impl<'b> Ahead<'b> {
    /// The next line, if there is a whole one.
    fn line(self) -> Option<&'b [u8]> {
        let from = if self.rest.is_empty() { self.next_file } else { self.rest };
        memchr::memchr(b'\n', from).and_then(|length| from.get(..length))
    }

    /// Whether a line further on names `link` as the one before it.
    fn has_successor_of(self, link: &Digest) -> bool {
        let begins = format!("{{\"prev\":\"{link}\",");
        memchr::memmem::find(self.rest, begins.as_bytes()).is_some()
    }
}

pub(super) struct Walk<'a> {
    project: &'a str,
    public: &'a str,
    heads: &'a [Checkpoint],
    depth: Depth,
    file: String,
    /// The link that the next line must name.
    head: Digest,
    /// Entries so far, by their own count.
    count: u64,
    /// Entries since the last signature.
    unsigned: u64,
    newest: Newest,
    /// Whether it was said that lines are missing here.
    gap: bool,
    /// Lines that stood in the wrong place, by the link that they name.
    aside: BTreeMap<Vec<u8>, Vec<u8>>,
    problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
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
            unsigned: 0,
            newest: Newest::Signed,
            gap: false,
            aside: BTreeMap::new(),
            problems: Vec::new(),
        })
    }

    /// The file that is read next.
    pub(super) fn enter(&mut self, file: &Spot) {
        self.file = file.to_string();
    }

    /// Files are missing, from `first` on.
    pub(super) fn gone(&mut self, first: &Spot, files: u32) {
        self.enter(first);
        let message = match files {
            1 => "the file is missing".into(),
            more => format!("the file is missing, and {} after it", more - 1),
        };
        self.problem(ProblemKind::Missing, Some(self.count + 1), message);
        self.gap = true;
    }

    /// The file is there but holds no lines.
    pub(super) fn unreadable(&mut self, message: String) {
        self.problem(ProblemKind::Replaced, Some(self.count + 1), message);
        self.gap = true;
    }

    pub(super) fn segment(&mut self, bytes: &[u8], next_file: &[u8], is_last: bool) {
        let mut rest = bytes;
        while let Some(length) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(length);
            rest = after.get(1..).unwrap_or_default();
            if self.problems.len() < MOST {
                self.line(line, Ahead { rest, next_file });
            }
        }
        // An append that a dying process did not finish was never acknowledged, and is cut
        // off by the next one; anywhere else half a line is damage.
        if !rest.is_empty() && !is_last {
            let message = "the last line of the file is not whole".into();
            self.problem(ProblemKind::Cut, Some(self.count + 1), message);
            self.gap = true;
        }
    }

    fn line(&mut self, line: &[u8], ahead: Ahead<'_>) {
        if self.is_next(line) || self.fits_all_the_same(line, ahead) {
            self.gap = false;
            self.accept(line, ahead.line());
        }
    }

    fn is_next(&self, line: &[u8]) -> bool {
        record::previous(line).is_ok_and(|previous| previous == hex(&self.head))
    }

    /// A line that does not name the one before it: says what is wrong, and whether the
    /// walk goes on with it.
    fn fits_all_the_same(&mut self, line: &[u8], ahead: Ahead<'_>) -> bool {
        // What stood too early may belong here.
        while let Some(early) = self.aside.remove(&hex(&self.head)) {
            self.accept(&early, None);
            if self.is_next(line) {
                return true;
            }
        }
        let number = self.count + 1;
        let seq = match record::read(line) {
            Ok(entry) => entry.seq,
            Err(fault) => {
                // More of what was said already is not another entry.
                if self.newest != Newest::Bad {
                    self.problem(ProblemKind::Edited, Some(number), fault.to_string());
                    self.step(line);
                    self.newest = Newest::Bad;
                }
                return false;
            }
        };
        match seq.cmp(&number) {
            Ordering::Equal if self.newest == Newest::Bad || self.gap => true,
            Ordering::Equal => self.blame(line, number, ahead),
            Ordering::Greater if self.gap => {
                self.count = seq - 1;
                true
            }
            Ordering::Greater if !ahead.has_successor_of(&self.head) => {
                let message = match seq - number {
                    1 => format!("entry {number} is missing"),
                    _ => format!("entries {number} to {} are missing", seq - 1),
                };
                self.problem(ProblemKind::Missing, Some(number), message);
                // What follows is counted as it counts itself.
                self.count = seq - 1;
                true
            }
            Ordering::Greater | Ordering::Less => {
                let message = format!("entry {seq} stands here, in the place of {number}");
                self.problem(ProblemKind::Misplaced, Some(number), message);
                if let Ok(previous) = record::previous(line) {
                    self.aside.insert(previous.to_vec(), line.to_vec());
                }
                false
            }
        }
    }

    /// Two neighbours do not fit: one of them was changed.
    fn blame(&mut self, line: &[u8], number: u64, ahead: Ahead<'_>) -> bool {
        let hash = hex(&record::link(line));
        let next_vouches = ahead
            .line()
            .and_then(|next| record::previous(next).ok())
            .is_some_and(|previous| previous == hash);
        let vouched = next_vouches || self.is_signed_well(line);
        let message = "it was changed: its neighbour was chained to other bytes".into();
        if number > 1 && vouched && self.newest == Newest::Unsigned {
            self.problem(ProblemKind::Edited, Some(number - 1), message);
            return true;
        }
        self.problem(ProblemKind::Edited, Some(number), message);
        self.step(line);
        self.newest = Newest::Bad;
        false
    }

    /// Goes on to the next line.
    fn step(&mut self, line: &[u8]) -> Digest {
        self.head = record::link(line);
        self.count += 1;
        self.unsigned += 1;
        self.head
    }

    fn accept(&mut self, line: &[u8], next: Option<&[u8]>) {
        let hash = self.step(line);
        let noted = self.heads.iter().any(|kept| kept.entries == self.count && kept.head != hash);
        self.newest = Newest::Unsigned;
        if self.depth.entries {
            // Who changes a line cannot make the next one name it, nor the head outside.
            let disowned = noted
                || next.is_some_and(|next| {
                    record::previous(next).is_ok_and(|previous| previous != hex(&hash))
                });
            self.meaning(line, disowned);
        }
        if noted && self.newest != Newest::Bad {
            let message = "it is not the entry that was acknowledged".into();
            self.problem(ProblemKind::Replaced, Some(self.count), message);
        }
    }

    /// What the entry says, and whether its signatures are the record's.
    fn meaning(&mut self, line: &[u8], disowned: bool) {
        let entry = match record::read(line) {
            Ok(entry) if entry.seq == self.count => entry,
            Ok(entry) => return self.bad(true, format!("it says that it is entry {}", entry.seq)),
            Err(fault) => return self.bad(true, fault.to_string()),
        };
        if let Event::RecordBegun { key, project, .. } = &entry.event
            && (project != self.project || key != self.public)
        {
            let message = "the record was begun for another project or with another key";
            return self.bad(disowned, message.into());
        }
        if !self.depth.signatures {
            self.unsigned = if entry.sig.is_some() { 0 } else { self.unsigned };
            return;
        }
        if !self.approval_is_genuine(&entry) {
            return self.bad(disowned, "the approval in it is not signed well".into());
        }
        if entry.sig.is_some() {
            if !self.is_signed_well(line) {
                let message = "it does not carry the signature of the record's key";
                return self.bad(disowned, message.into());
            }
            (self.unsigned, self.newest) = (0, Newest::Signed);
        }
    }

    /// The newest line is not one of ours, or not any more.
    fn bad(&mut self, changed: bool, message: String) {
        let kind = if changed { ProblemKind::Edited } else { ProblemKind::ForeignKey };
        self.problem(kind, Some(self.count), message);
        (self.unsigned, self.newest) = (0, Newest::Bad);
    }

    fn is_signed_well(&self, line: &[u8]) -> bool {
        record::signed_part(self.project, line)
            .is_some_and(|(message, signature)| verifies(self.public, &message, signature))
    }

    fn approval_is_genuine(&self, entry: &Entry) -> bool {
        let Event::PlanApproved { approval, .. } = &entry.event else { return true };
        approval
            .message(self.project)
            .is_ok_and(|message| verifies(self.public, &message, &approval.signature))
    }

    fn problem(&mut self, kind: ProblemKind, entry: Option<u64>, message: String) {
        if self.problems.len() < MOST {
            self.problems.push(Problem { kind, entry, file: self.file.clone(), message });
        }
    }

    pub(super) fn end(mut self) -> Report {
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
