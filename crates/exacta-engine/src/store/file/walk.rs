//! Walking the record line by line, and telling what was done to it.
//!
//! A line fits when it names the bytes before it. Where one does not, its own number, its
//! signature and its neighbours tell whether it or the line before it was changed, whether
//! lines are missing, or whether it stands in the wrong place.
//!
//! A signature covers its line, the link in it, and so every line before it. Of a stretch
//! of lines that fit, the newest good signature therefore vouches for all up to it; only
//! what follows it is read line by line.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use exacta_core::model::digest::Digest;
use exacta_core::record;

use super::check::MOST;
use super::entry::{Owner, Sound};
use super::place;
use super::segment::{NOT_WRITTEN_HERE, is_rest};
use crate::store::{Depth, Problem, ProblemKind, Report};
use crate::trust::Checkpoint;
use crate::workspace::Spot;

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

/// A line that fits and has not been vouched for yet.
struct Waiting {
    line: Vec<u8>,
    /// Which entry it is.
    entry: u64,
    /// Whether its successor or the head outside names other bytes. Who changes a line
    /// can change neither.
    disowned: bool,
}

pub(super) struct Walk<'a> {
    owner: Owner<'a>,
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
    /// The newest lines that fit.
    stretch: Vec<Waiting>,
    /// Whether it was said that lines are missing here.
    gap: bool,
    /// Lines that stood in the wrong place, by the link that they name.
    aside: BTreeMap<Vec<u8>, Vec<u8>>,
    problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(owner: Owner<'a>, heads: &'a [Checkpoint], depth: Depth) -> Self {
        Self {
            owner,
            heads,
            depth,
            file: place::folder().to_string(),
            head: Digest::NOTHING,
            count: 0,
            unsigned: 0,
            newest: Newest::Signed,
            stretch: Vec::new(),
            gap: false,
            aside: BTreeMap::new(),
            problems: Vec::new(),
        }
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
        self.vouch();
        // An append that a dying process did not finish was never acknowledged, and is cut
        // off by the next one; anywhere else half a line is damage.
        if !rest.is_empty() && !is_last {
            let message = "the last line of the file is not whole".into();
            self.problem(ProblemKind::Cut, Some(self.count + 1), message);
            self.gap = true;
        } else if !rest.is_empty() && self.is_all_there() && !is_rest(rest, &self.head) {
            self.problem(ProblemKind::Misplaced, Some(self.count + 1), NOT_WRITTEN_HERE.into());
        }
    }

    /// Whether everything that was acknowledged came before, and nothing of it was changed.
    fn is_all_there(&self) -> bool {
        let noted = self.heads.iter().map(|head| head.entries).max().unwrap_or(0);
        self.count >= noted && self.newest != Newest::Bad
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
        self.vouch();
        // What stood too early may belong here.
        while let Some(early) = self.aside.remove(&hex(&self.head)) {
            self.accept(&early, None);
            if self.is_next(line) {
                return true;
            }
        }
        self.vouch();
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
        let vouched = next_vouches || self.owner.signed(line);
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
        let entry = self.count;
        let noted = self.heads.iter().any(|kept| kept.entries == entry && kept.head != hash);
        self.newest = Newest::Unsigned;
        if self.depth.entries {
            let disowned = noted
                || next.is_some_and(|next| {
                    record::previous(next).is_ok_and(|previous| previous != hex(&hash))
                });
            self.stretch.push(Waiting { line: line.to_vec(), entry, disowned });
        }
        if noted {
            self.vouch();
            if self.newest != Newest::Bad {
                let message = "it is not the entry that was acknowledged".into();
                self.problem(ProblemKind::Replaced, Some(entry), message);
            }
        }
    }

    /// Finds out whether the newest lines that fit are the gate's.
    fn vouch(&mut self) {
        let stretch = std::mem::take(&mut self.stretch);
        let length = stretch.len() as u64;
        if length == 0 {
            return;
        }
        let covered = self.covered(&stretch);
        self.unsigned = match covered {
            0 => self.unsigned.saturating_sub(length),
            _ => 0,
        };
        self.newest = Newest::Signed;
        for waiting in stretch.iter().skip(covered) {
            self.unsigned += 1;
            self.newest = Newest::Unsigned;
            match self.owner.judge(&waiting.line, waiting.entry, self.depth) {
                Ok(Sound::Unsigned) => {}
                Ok(Sound::Signed) => {
                    self.unsigned = 0;
                    if self.depth.signatures {
                        self.newest = Newest::Signed;
                    }
                }
                Err(fault) => {
                    let changed = fault.changed || waiting.disowned;
                    let kind = if changed { ProblemKind::Edited } else { ProblemKind::ForeignKey };
                    self.problem(kind, Some(waiting.entry), fault.message);
                    (self.unsigned, self.newest) = (0, Newest::Bad);
                }
            }
        }
    }

    /// How many lines of a stretch end with its newest good signature. Nobody but the gate
    /// can sign, and it signs nothing that follows a bad line: the good ones come first.
    fn covered(&self, stretch: &[Waiting]) -> usize {
        if !self.depth.signatures {
            return 0;
        }
        let line = |at: usize| stretch.get(at).map_or(&[][..], |waiting| &waiting.line);
        let signed: Vec<usize> =
            (0..stretch.len()).filter(|at| record::signed_part("", line(*at)).is_some()).collect();
        let good = match signed.last() {
            Some(last) if self.owner.signed(line(*last)) => signed.len(),
            _ => signed.partition_point(|at| self.owner.signed(line(*at))),
        };
        good.checked_sub(1).and_then(|last| signed.get(last)).map_or(0, |at| at + 1)
    }

    fn problem(&mut self, kind: ProblemKind, entry: Option<u64>, message: String) {
        if self.problems.len() < MOST {
            self.problems.push(Problem { kind, entry, file: self.file.clone(), message });
        }
    }

    pub(super) fn end(mut self) -> Report {
        self.vouch();
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
