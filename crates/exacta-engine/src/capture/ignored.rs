//! What the project's own `.gitignore` files name, as they were before the command ran: no
//! command hides what it made by naming it in its copy. Only what is new is left out by them,
//! because git does not ignore what it keeps.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// Longer files are not read to their end.
const MOST_BYTES: u64 = 1 << 20;
/// More rules of a file do not count.
const MOST_RULES: usize = 10_000;

/// The rules of each folder; each is read once.
#[derive(Default)]
pub(super) struct Ignored(BTreeMap<PathBuf, Vec<Rule>>);

/// A line of a `.gitignore`.
struct Rule {
    text: String,
    segments: Vec<Segment>,
    negated: bool,
    folders_only: bool,
    /// It is about the path below its folder, not about a name anywhere.
    anchored: bool,
}

enum Segment {
    /// Any number of folders.
    Folders,
    Name(Vec<Piece>),
}

enum Piece {
    Many,
    Any,
    One(u8),
    Set { ranges: Vec<(u8, u8)>, negated: bool },
}

impl Ignored {
    /// The pattern that names a path of the project or a folder around it, as it is written.
    pub(super) fn by(&mut self, path: &Path, project: &Path) -> Option<String> {
        let names: Vec<&str> = path.to_str()?.split('/').collect();
        for folder in (0..names.len()).filter_map(|count| names.get(..count)) {
            let folder: PathBuf = folder.iter().collect();
            let file = project.join(&folder).join(".gitignore");
            self.0.entry(folder).or_insert_with(|| rules(&file));
        }
        // Below an ignored folder nothing is kept, whatever a later rule says.
        (1..=names.len()).find_map(|count| self.names(names.get(..count)?, count < names.len()))
    }

    /// The last rule that fits decides.
    fn names(&self, names: &[&str], is_folder: bool) -> Option<String> {
        let above = (0..names.len()).filter_map(|count| names.split_at_checked(count));
        let mut fitting = above.filter_map(|(folder, below)| {
            let rules = self.0.get(&folder.iter().collect::<PathBuf>())?;
            rules.iter().rfind(|rule| rule.fits(below, is_folder))
        });
        fitting.next_back().filter(|rule| !rule.negated).map(|rule| rule.text.clone())
    }
}

impl Rule {
    fn parse(line: &str) -> Option<Self> {
        let text = line.trim_end_matches(['\r', ' ']);
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let (negated, pattern) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let folders_only = pattern.ends_with('/');
        let pattern = pattern.trim_end_matches('/');
        let anchored = pattern.contains('/');
        let pattern = pattern.trim_start_matches('/');
        if pattern.is_empty() {
            return None;
        }
        let segment = |word: &str| match word {
            "**" => Segment::Folders,
            word => Segment::Name(pieces(word.as_bytes())),
        };
        let segments = pattern.split('/').map(segment).collect();
        Some(Self { text: text.into(), segments, negated, folders_only, anchored })
    }

    fn fits(&self, below: &[&str], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let path = if self.anchored { Some(below) } else { below.last().map(std::slice::from_ref) };
        path.is_some_and(|path| {
            fits(
                &self.segments,
                path,
                |segment| matches!(segment, Segment::Folders),
                |segment, name| match segment {
                    Segment::Folders => true,
                    Segment::Name(pieces) => {
                        let many = |piece: &Piece| matches!(piece, Piece::Many);
                        fits(pieces, name.as_bytes(), many, |piece, byte| piece.fits(*byte))
                    }
                },
            )
        })
    }
}

impl Piece {
    fn fits(&self, byte: u8) -> bool {
        match self {
            Self::Many | Self::Any => true,
            Self::One(one) => *one == byte,
            Self::Set { ranges, negated } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&byte)) != *negated
            }
        }
    }
}

/// Whether a pattern fits the whole of something. Only the last star is ever tried again, so
/// that no pattern takes long.
fn fits<P, T>(
    pattern: &[P],
    whole: &[T],
    is_star: impl Fn(&P) -> bool,
    one_fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(one) = whole.get(seen) {
        match (pattern.get(at), again) {
            (Some(star), _) if is_star(star) => {
                at += 1;
                again = Some((at, seen));
            }
            (Some(piece), _) if one_fits(piece, one) => {
                at += 1;
                seen += 1;
            }
            (_, Some((after, from))) => {
                (at, seen) = (after, from + 1);
                again = Some((after, from + 1));
            }
            (_, None) => return false,
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(is_star))
}

fn pieces(mut word: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while let Some((first, rest)) = word.split_first() {
        word = rest;
        pieces.push(match (first, rest.split_first()) {
            (b'*', _) => Piece::Many,
            (b'?', _) => Piece::Any,
            (b'\\', Some((escaped, rest))) => {
                word = rest;
                Piece::One(*escaped)
            }
            (b'[', Some(_)) => match set(rest) {
                Some((piece, rest)) => {
                    word = rest;
                    piece
                }
                None => Piece::One(b'['),
            },
            (other, _) => Piece::One(*other),
        });
    }
    pieces
}

/// What stands in brackets, and what comes after them.
fn set(inside: &[u8]) -> Option<(Piece, &[u8])> {
    let negated = matches!(inside.first(), Some(b'!' | b'^'));
    let inside = if negated { inside.get(1..)? } else { inside };
    // A bracket that comes first is one of the set.
    let end = 1 + inside.get(1..)?.iter().position(|byte| *byte == b']')?;
    let (mut members, rest) = (inside.get(..end)?, inside.get(end + 1..)?);
    let mut ranges = Vec::new();
    while let Some((first, others)) = members.split_first() {
        members = others;
        match others {
            [b'-', to, others @ ..] => {
                ranges.push((*first, *to));
                members = others;
            }
            _ => ranges.push((*first, *first)),
        }
    }
    Some((Piece::Set { ranges, negated }, rest))
}

fn rules(file: &Path) -> Vec<Rule> {
    // Neither a link nor a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(file, flags, Mode::empty()) else { return Vec::new() };
    let file = File::from(file);
    if !file.metadata().is_ok_and(|file| file.is_file()) {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    if file.take(MOST_BYTES).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(Rule::parse).take(MOST_RULES).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn patterns_name_what_git_ignores() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        let top = "# built\n*.o\n/out\nlogs/\n!keep.o\ndoc/*.pdf\n**/gen/*.c\na/**/z\n[Bb]in/\n";
        fs::write(folder.path().join(".gitignore"), top).unwrap();
        fs::write(folder.path().join("src/.gitignore"), "/made.c\n!lib.o\n").unwrap();
        let mut ignored = Ignored::default();
        for (path, expected) in [
            ("net.o", Some("*.o")),
            ("src/deep/net.o", Some("*.o")),
            ("keep.o", None),
            ("src/lib.o", None),
            ("src/made.c", Some("/made.c")),
            ("made.c", None),
            ("out/x", Some("/out")),
            ("src/out", None),
            ("logs", None),
            ("src/logs/a", Some("logs/")),
            ("logs/keep.o", Some("logs/")),
            ("doc/a.pdf", Some("doc/*.pdf")),
            ("doc/x/a.pdf", None),
            ("src/x/gen/y.c", Some("**/gen/*.c")),
            ("a/z", Some("a/**/z")),
            ("a/b/c/z", Some("a/**/z")),
            ("Bin/x", Some("[Bb]in/")),
            ("main.c", None),
        ] {
            assert_eq!(ignored.by(Path::new(path), folder.path()).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let folder = tempfile::tempdir().unwrap();
        let stars = format!("{}b\n{}b\n", "*a".repeat(2_000), "**/a/".repeat(500));
        fs::write(folder.path().join(".gitignore"), stars).unwrap();
        let path = format!("{}{}", "a/".repeat(100), "a".repeat(200));
        assert_eq!(Ignored::default().by(Path::new(&path), folder.path()), None);
    }
}
