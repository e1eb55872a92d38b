//! git inside the walls of the checks, with the one right to write into the repository.
//!
//! It sees the repository, without the working tree and without the home. Over the
//! configuration lies ours, over what else steers it nothing. Links in the repository lead
//! nowhere, because nothing else is there.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exacta_core::text::shown::visible;

use super::place::{Place, refuse};
use crate::checks::conduct::{self, Output};
use crate::checks::view::{Errand, ViewFolder};
use crate::checks::{NetworkReach, Room, Verdict};
use crate::intake::IntakeError;
use crate::intake::confined::{ENVIRONMENT, SETTINGS, entries, is_new_enough, quoted, read};
use crate::run::{CheckProgress, Quiet};

/// Where the repository is seen.
const AT: &str = "/exacta-repository";
/// How long one visit may take.
const TIME: Duration = Duration::from_mins(5);
/// The private index.
pub(super) const INDEX: &str = "index";

/// A word of a call.
#[derive(Clone, Copy)]
pub(super) enum Word<'c> {
    /// These letters.
    Plain(&'c str),
    /// What an earlier call of the visit said.
    Said(usize),
}

/// One call of git.
pub(super) struct Call<'c> {
    words: Vec<Word<'c>>,
    input: Option<&'c [u8]>,
    private: bool,
}

impl<'c> Call<'c> {
    pub(super) fn of(words: &[&'c str]) -> Self {
        Self {
            words: words.iter().map(|word| Word::Plain(word)).collect(),
            input: None,
            private: false,
        }
    }

    pub(super) fn with(words: &[Word<'c>]) -> Self {
        Self { words: words.to_vec(), input: None, private: false }
    }

    pub(super) fn reading(mut self, input: &'c [u8]) -> Self {
        self.input = Some(input);
        self
    }

    /// On the private index.
    pub(super) fn aside(mut self) -> Self {
        self.private = true;
        self
    }
}

/// git, the walls around it, and the repository.
pub(super) struct Walls<'p> {
    room: &'p Room,
    place: &'p Place,
    folder: ViewFolder,
    program: String,
    who: Vec<(String, String)>,
}

impl<'p> Walls<'p> {
    /// Builds them around a repository that names the project back; `who` is the environment
    /// that says who commits.
    pub(super) fn prepare(
        room: &'p Room,
        place: &'p Place,
        project: &Path,
        who: Vec<(String, String)>,
    ) -> Result<Self, IntakeError> {
        let folder = ViewFolder::bare(project, &room.scratch)?;
        let mut walls = Self { room, place, folder, program: String::new(), who };
        let settings = walls.find_git()?;
        walls.place.leads_back(|file| {
            let text = if file == place.common.join("config") {
                settings.clone()
            } else {
                walls.settings(file)?
            };
            let named = entries(&text).filter(|(key, _)| key == "core.worktree");
            Ok(named.map(|(_, value)| value).collect())
        })?;
        fs::write(walls.aside("config"), ours(&settings)?)?;
        Ok(walls)
    }

    /// A file beside the repository that the calls see under this name.
    pub(super) fn aside(&self, name: &str) -> PathBuf {
        self.folder.tree().join(name)
    }

    /// Finds a git that is new enough; gives the configuration of the repository, as data.
    fn find_git(&mut self) -> Result<Vec<u8>, IntakeError> {
        let path = self.room.environment.iter().find(|(name, _)| name == "PATH");
        let folders = path.map(|(_, path)| path.clone()).unwrap_or_default();
        let mut found = String::from("none on PATH");
        for folder in std::env::split_paths(&folders) {
            let program = folder.join("git");
            let Some(name) = program.to_str().filter(|_| program.is_file()) else { continue };
            name.clone_into(&mut self.program);
            let config = self.place.common.join("config");
            let file = text(&config)?;
            let list = ["config", "--file", file, "--no-includes", "--null", "--list"];
            let calls = [Call::of(&["--version"]), Call::of(&list)];
            let mut answers = self.visit(&calls, std::slice::from_ref(&config))?.into_iter();
            let version = answers.next().unwrap_or_default();
            let version = String::from_utf8_lossy(&version).trim().to_owned();
            if is_new_enough(&version) {
                return answers.next().ok_or_else(|| refuse("its configuration cannot be read"));
            }
            found = format!("`{}`", visible(version.as_bytes()));
        }
        Err(IntakeError::NoGit(found))
    }

    fn settings(&self, file: &Path) -> Result<Vec<u8>, IntakeError> {
        let list = ["config", "--file", text(file)?, "--no-includes", "--null", "--list"];
        let answers = self.visit(&[Call::of(&list)], &[file.to_owned()])?;
        answers.into_iter().next().ok_or_else(|| refuse("its configuration cannot be read"))
    }

    /// Makes calls one after the other, until one fails; what each of them said.
    ///
    /// # Errors
    /// When one fails.
    pub(super) fn ask(&self, calls: &[Call<'_>]) -> Result<Vec<Vec<u8>>, IntakeError> {
        self.visit(calls, &[])
    }

    /// `files` are shown alone; where there are none the repository is.
    fn visit(&self, calls: &[Call<'_>], files: &[PathBuf]) -> Result<Vec<Vec<u8>>, IntakeError> {
        let inside = files.is_empty();
        let mut script = String::new();
        for (at, call) in calls.iter().enumerate() {
            let mut words = vec![quoted(&self.program)];
            if call.private {
                words.insert(0, format!("GIT_INDEX_FILE={}", quoted(text(&self.aside(INDEX))?)));
            }
            if inside {
                words.push("--literal-pathspecs --no-pager".into());
                words.extend(SETTINGS.iter().flat_map(|set| ["-c".into(), quoted(set)]));
            }
            words.extend(call.words.iter().map(|word| match word {
                Word::Plain(word) => quoted(word),
                Word::Said(earlier) => format!("\"$(cat out{earlier})\""),
            }));
            let from = match call.input {
                Some(bytes) => {
                    fs::write(self.aside(&format!("in{at}")), bytes)?;
                    format!("in{at}")
                }
                None => "/dev/null".into(),
            };
            let words = words.join(" ");
            let _ = writeln!(script, "{words} <{from} >out{at} || exit 1; echo >done{at}");
        }
        for at in 0..calls.len() {
            // Of an earlier visit.
            let _ = fs::remove_file(self.aside(&format!("done{at}")));
        }
        let command = ["/bin/sh".to_owned(), "-c".into(), script];
        let errand = Errand {
            command: &command,
            folder: Path::new(""),
            input: None,
            network: &NetworkReach::Nothing,
            home: Some(Path::new(AT)),
        };
        let mut request = self.folder.errand(self.room, &errand)?;
        request.reads.extend(files.iter().cloned());
        request.environment.retain(|(name, _)| !name.starts_with("GIT_"));
        request.environment.extend(ENVIRONMENT.map(|(name, value)| (name.into(), value.into())));
        let mut at = PathBuf::from("/nonexistent");
        if inside {
            let below = self.place.folder.strip_prefix(&self.place.common);
            at = Path::new(AT).join("git");
            request.kept = vec![(self.place.common.clone(), at.clone())];
            request.over = vec![(self.aside("config"), at.join("config"))];
            // Attributes and grafts that are no part of any commit.
            request.hidden.push(at.join("info"));
            at.extend(below);
            request.environment.extend(self.who.iter().cloned());
        }
        request.environment.push(("GIT_DIR".into(), text(&at)?.to_owned()));
        let progress = CheckProgress::new("git", 0, 1);
        let ended =
            conduct::conduct(self.room, &request, Some(TIME), &Quiet, progress, Output::Keep)?;
        match ended.verdict {
            Verdict::Passed => {}
            Verdict::Failed(_) => {
                let said = String::from_utf8_lossy(&ended.output);
                let first = said.lines().find(|line| !line.trim().is_empty());
                let first = first.unwrap_or("it gave no reason");
                return Err(IntakeError::Git(visible(first.as_bytes())));
            }
            other => return Err(IntakeError::Git(other.to_string())),
        }
        (0..calls.len())
            .map(|at| {
                read(&self.aside(&format!("done{at}")))?;
                read(&self.aside(&format!("out{at}")))
            })
            .collect()
    }
}

/// The configuration that git reads: how objects and names are kept, and who may read them.
fn ours(settings: &[u8]) -> Result<String, IntakeError> {
    let mut ours = String::from("[core]\n\trepositoryformatversion = 1\n\tbare = false\n");
    let mut extensions = String::new();
    for (key, value) in entries(settings) {
        let known = match key.as_str() {
            "extensions.objectformat" | "extensions.refstorage" => {
                let name = key.trim_start_matches("extensions.");
                let _ = writeln!(extensions, "\t{name} = {value}");
                matches!(value.as_str(), "sha1" | "sha256" | "files" | "reftable")
            }
            "core.sharedrepository" | "core.logallrefupdates" => {
                let plain = value.chars().all(|letter| letter.is_ascii_alphanumeric());
                let name = key.trim_start_matches("core.");
                if plain && !value.is_empty() {
                    let _ = writeln!(ours, "\t{name} = {value}");
                }
                plain
            }
            // Missing objects are never fetched; git says which one is missing.
            "extensions.partialclone"
            | "extensions.noop"
            | "extensions.preciousobjects"
            | "extensions.worktreeconfig"
            | "extensions.relativeworktrees" => true,
            key => !key.starts_with("extensions."),
        };
        if !known {
            let key = visible(key.as_bytes());
            return Err(refuse(&format!("`{key}` in its configuration is not known")));
        }
    }
    Ok(if extensions.is_empty() { ours } else { format!("{ours}[extensions]\n{extensions}") })
}

fn text(path: &Path) -> Result<&str, IntakeError> {
    path.to_str().ok_or_else(|| refuse("its path is not UTF-8"))
}
