//! git inside the walls of the checks, in a repository of ours.
//!
//! The repository that git works in is made anew each time: our configuration, no hooks, no
//! attributes, its own folder for new objects. Of the real one it borrows objects and names,
//! to read only. Answers are files, because the walls have one stream for output and errors.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exacta_core::text::shown::visible;

use super::error::IntakeError;
use super::repository::Repository;
use crate::checks::conduct::{self, Output};
use crate::checks::view::{Errand, ViewFolder};
use crate::checks::{NetworkReach, Room, Verdict};
use crate::run::{CheckProgress, Quiet};

/// How long all calls of one visit may take.
const TIME: Duration = Duration::from_mins(5);
/// The same for one that only looks up a name: a name that is a pipe would never be read.
const TIME_OF_A_NAME: Duration = Duration::from_secs(30);
/// The most bytes of one answer.
pub(super) const ANSWER: u64 = 256 << 20;
/// The same for the shell, in blocks of 512 bytes; a shell that counts in larger ones allows more.
const BLOCKS: u64 = ANSWER / 512;
/// What no configuration may turn on, whoever wrote it.
pub(crate) const SETTINGS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "protocol.allow=never",
    "merge.renormalize=false",
    "gc.auto=0",
    "maintenance.auto=false",
];
/// The environment of git, beside that of the room.
pub(crate) const ENVIRONMENT: [(&str, &str); 11] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C.UTF-8"),
];
/// The first version with everything that is asked of it.
const NEEDED: (u32, u32) = (2, 45);

/// One call of git.
#[derive(Default)]
pub(super) struct Call<'c> {
    /// Its arguments.
    pub(super) arguments: Vec<&'c str>,
    /// What it reads.
    pub(super) input: Option<&'c [u8]>,
}

impl<'c> Call<'c> {
    /// A call that reads nothing.
    pub(super) fn of(arguments: &[&'c str]) -> Self {
        Self { arguments: arguments.to_vec(), input: None }
    }
}

/// What came of a call.
pub(super) struct Answer {
    pub(super) code: i32,
    pub(super) output: Vec<u8>,
    /// What was written to standard error by all calls of the visit.
    errors: String,
}

impl Answer {
    /// The output of a call that must succeed.
    pub(super) fn sound(self) -> Result<Vec<u8>, IntakeError> {
        if self.code == 0 { Ok(self.output) } else { Err(self.failed()) }
    }

    pub(super) fn failed(self) -> IntakeError {
        let first = self.errors.lines().find(|line| !line.trim().is_empty());
        IntakeError::Git(first.unwrap_or("it gave no reason").to_owned())
    }
}

/// git, the walls around it, and the repository that it works in.
pub(super) struct Git<'r> {
    room: &'r Room,
    folder: ViewFolder,
    reads: Vec<PathBuf>,
    program: String,
    /// The empty tree: no attributes are read from it.
    nothing: &'static str,
}

impl<'r> Git<'r> {
    /// Makes the repository of ours beside the real one.
    pub(super) fn prepare(
        project: &Path,
        repository: &Repository,
        room: &'r Room,
    ) -> Result<Self, IntakeError> {
        let folder = ViewFolder::bare(project, &room.scratch)?;
        let (reads, program) = (repository.shown().collect(), String::new());
        let nothing = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let mut git = Self { room, folder, reads, program, nothing };
        let config = repository.common.join("config");
        let settings = git.find_git(&config)?;
        git.make(repository, &settings)?;
        Ok(git)
    }

    /// Finds a git that is new enough; gives what the real configuration says, as data.
    fn find_git(&mut self, config: &Path) -> Result<Vec<u8>, IntakeError> {
        let path = self.room.environment.iter().find(|(name, _)| name == "PATH");
        let folders = path.map(|(_, path)| path.clone()).unwrap_or_default();
        let mut found = Vec::new();
        for folder in std::env::split_paths(&folders) {
            let program = folder.join("git");
            let Some(name) = program.to_str().filter(|_| program.is_file()) else { continue };
            name.clone_into(&mut self.program);
            let file = text(config)?;
            let list = ["config", "--file", file, "--no-includes", "--null", "--list"];
            let calls = [Call::of(&["--version"]), Call::of(&list)];
            let answers = self.visit(&calls, false, TIME_OF_A_NAME)?;
            let [version, settings] = two(answers)?;
            let version = String::from_utf8_lossy(&version.output).trim().to_owned();
            if is_new_enough(&version) {
                return settings.sound();
            }
            found.push(format!("`{}`", visible(version.as_bytes())));
        }
        let found = if found.is_empty() { "none on PATH".into() } else { found.join(", ") };
        Err(IntakeError::NoGit(found))
    }

    fn make(&mut self, repository: &Repository, settings: &[u8]) -> Result<(), IntakeError> {
        let mut ours = String::from("[core]\n\trepositoryformatversion = 1\n\tbare = true\n");
        for (key, value) in entries(settings) {
            let known = match key.as_str() {
                "extensions.objectformat" if value == "sha256" => {
                    self.nothing =
                        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
                    ours.push_str("[extensions]\n\tobjectformat = sha256\n");
                    true
                }
                "extensions.objectformat" => value == "sha1",
                "extensions.refstorage" => matches!(value.as_str(), "files" | "reftable"),
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
                return Err(IntakeError::Repository(format!(
                    "`{key}` in its configuration is not known"
                )));
            }
        }
        if repository.tables {
            ours.push_str("[extensions]\n\trefstorage = reftable\n");
        }
        let at = self.at();
        for name in ["objects/info", "objects/pack", "info"] {
            fs::create_dir_all(at.join(name))?;
        }
        fs::write(at.join("config"), ours)?;
        fs::write(at.join("HEAD"), &repository.head)?;
        if let Some(shallow) = &repository.shallow {
            fs::write(at.join("shallow"), shallow)?;
        }
        let borrowed = repository.common.join("objects");
        let borrowed = text(&borrowed)?;
        if borrowed.contains('\n') {
            return Err(IntakeError::Repository("its path has a line break".into()));
        }
        fs::write(at.join("objects/info/alternates"), format!("{borrowed}\n"))?;
        for name in ["refs", "packed-refs", "reftable"] {
            let real = repository.common.join(name);
            if real.exists() {
                std::os::unix::fs::symlink(real, at.join(name))?;
            }
        }
        Ok(())
    }

    /// Where our repository lies.
    fn at(&self) -> PathBuf {
        self.folder.tree().join("git")
    }

    /// Lets attributes that are no part of a commit count from now on.
    pub(super) fn attributes(&self, text: &[u8]) -> Result<(), IntakeError> {
        Ok(fs::write(self.at().join("info/attributes"), text)?)
    }

    /// Makes the calls one after the other, inside the walls.
    pub(super) fn ask(&self, calls: &[Call<'_>]) -> Result<Vec<Answer>, IntakeError> {
        self.visit(calls, true, TIME)
    }

    /// Makes one call.
    pub(super) fn ask_one(&self, call: Call<'_>) -> Result<Answer, IntakeError> {
        let answer = self.ask(&[call])?.pop();
        answer.ok_or_else(|| IntakeError::Git("it gave no answer".into()))
    }

    /// Makes one call that only looks up a name.
    pub(super) fn look_up(&self, call: Call<'_>) -> Result<Answer, IntakeError> {
        let answer = self.visit(&[call], true, TIME_OF_A_NAME)?.pop();
        answer.ok_or_else(|| IntakeError::Git("it gave no answer".into()))
    }

    fn visit(
        &self,
        calls: &[Call<'_>],
        inside: bool,
        time: Duration,
    ) -> Result<Vec<Answer>, IntakeError> {
        let tree = self.folder.tree();
        let mut script = format!("ulimit -f {BLOCKS}\n");
        for (index, call) in calls.iter().enumerate() {
            let mut words = vec![quoted(&self.program)];
            if inside {
                words.push(quoted(&format!("--attr-source={}", self.nothing)));
                words.push("--no-pager".into());
                words.extend(SETTINGS.iter().flat_map(|set| ["-c".into(), quoted(set)]));
            }
            words.extend(call.arguments.iter().map(|argument| quoted(argument)));
            let from = match call.input {
                Some(bytes) => {
                    fs::write(tree.join(format!("in{index}")), bytes)?;
                    format!("in{index}")
                }
                None => "/dev/null".into(),
            };
            let words = words.join(" ");
            let _ = writeln!(script, "{words} <{from} >out{index}; echo $? >code{index}");
        }
        let command = ["/bin/sh".to_owned(), "-c".into(), script];
        let errand = Errand {
            command: &command,
            folder: Path::new(""),
            input: None,
            network: &NetworkReach::Nothing,
            home: None,
        };
        let mut request = self.folder.errand(self.room, &errand)?;
        request.reads.extend(self.reads.iter().cloned());
        request.environment.retain(|(name, _)| !name.starts_with("GIT_"));
        request.environment.extend(ENVIRONMENT.map(|(name, value)| (name.into(), value.into())));
        let at = if inside { self.at() } else { PathBuf::from("/nonexistent") };
        request.environment.push(("GIT_DIR".into(), text(&at)?.to_owned()));
        let progress = CheckProgress::new("git", 0, 1);
        let ended =
            conduct::conduct(self.room, &request, Some(time), &Quiet, progress, Output::Keep)?;
        let errors: String = String::from_utf8_lossy(&ended.output)
            .lines()
            .map(|line| visible(line.as_bytes()) + "\n")
            .collect();
        if ended.verdict != Verdict::Passed {
            return Err(IntakeError::Git(ended.verdict.to_string()));
        }
        (0..calls.len())
            .map(|index| {
                let code = read(&tree.join(format!("code{index}")))?;
                let code = String::from_utf8_lossy(&code).trim().parse().unwrap_or(-1);
                let output = read(&tree.join(format!("out{index}")))?;
                Ok(Answer { code, output, errors: errors.clone() })
            })
            .collect()
    }
}

/// The two answers of a visit with two calls.
pub(super) fn two(answers: Vec<Answer>) -> Result<[Answer; 2], IntakeError> {
    <[Answer; 2]>::try_from(answers).map_err(|_| IntakeError::Git("it gave no answer".into()))
}

fn text(path: &Path) -> Result<&str, IntakeError> {
    path.to_str().ok_or_else(|| IntakeError::Repository("its path is not UTF-8".into()))
}

/// A word that the shell takes as it is.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A file that was written inside the walls; a link is not followed.
pub(crate) fn read(at: &Path) -> Result<Vec<u8>, IntakeError> {
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(at)?;
    if !file.metadata()?.is_file() {
        return Err(IntakeError::Git("its answer is not a file".into()));
    }
    let mut bytes = Vec::new();
    file.take(ANSWER + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > ANSWER {
        return Err(IntakeError::TooLarge(format!(
            "git answers with more than {} MiB",
            ANSWER >> 20
        )));
    }
    Ok(bytes)
}

/// Keys and values as `git config --null --list` writes them.
pub(crate) fn entries(text: &[u8]) -> impl Iterator<Item = (String, String)> {
    text.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).map(|entry| {
        let entry = String::from_utf8_lossy(entry);
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
        (key.to_owned(), value.to_owned())
    })
}

pub(crate) fn is_new_enough(version: &str) -> bool {
    let mut numbers = version
        .strip_prefix("git version ")
        .unwrap_or_default()
        .split('.')
        .map(|number| number.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(first), Some(second)) => (first, second) >= NEEDED,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for new in
            ["git version 2.45.0", "git version 2.47.3", "git version 2.100.1", "git version 3.0"]
        {
            assert!(is_new_enough(new), "{new}");
        }
        for old in ["git version 2.39.5 (Apple Git-154)", "git version 2.9.1", "git 2.50", ""] {
            assert!(!is_new_enough(old), "{old}");
        }
    }

    #[test]
    fn words_stay_one_word_for_the_shell() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("';touch x;'"), r"''\'';touch x;'\'''");
    }
}
