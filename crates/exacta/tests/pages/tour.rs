//! A page that is followed line by line at a terminal, in a project of its own.
//!
//! Names, times and heads of the record differ from run to run. In the page the first name
//! that comes up is always the same, and so is the second; a command of the page that
//! gives such a name, or the beginning of one, gets the real one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::block::Block;
use super::masks;
use super::page::Page;
use super::project::copy;
use super::terminal;

/// What the gate asks with; the rest of the line is what the page answers.
const PROMPT: &str = "Type yes to confirm, anything else to go back: ";
/// Where the reader of the page is at home.
const HOME: &str = "~";

/// Somebody who follows a page.
pub(crate) struct Tour {
    home: TempDir,
    folder: PathBuf,
    /// Names as they really are, in the order in which they came up.
    names: Vec<String>,
}

/// Follows a page in a copy of a folder of the repository, and settles it.
pub(crate) fn follow(name: &str, sample: &str) {
    let mut page = Page::read(name);
    // Each guide has a folder of its own, so that they can be followed in any order.
    let guide = name.strip_prefix("docs/guides/").and_then(|guide| guide.strip_suffix(".md"));
    let mut tour = Tour::in_copy_of(sample, guide.unwrap_or("tour"));
    let mut commands = 0;
    for block in page.blocks.clone() {
        match block.info.split(' ').collect::<Vec<_>>().as_slice() {
            ["console"] => {
                let real = tour.play(page.of(&block), &mut commands);
                page.is_really(&block, real);
            }
            [_, "file", path] => tour.write(path, &page, &block),
            _ => {}
        }
    }
    assert!(commands > 0, "{name} has nothing to follow");
    page.settle();
}

impl Tour {
    fn in_copy_of(sample: &str, name: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(format!("exacta-{name}"));
        fs::create_dir(&folder).unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(sample), &folder);
        Self { home, folder, names: Vec::new() }
    }

    fn write(&self, path: &str, page: &Page, block: &Block) {
        let path = match path.strip_prefix("~/") {
            Some(rest) => self.home.path().join(rest),
            None => self.folder.join(path),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, page.of(block)).unwrap();
    }

    /// Runs each command of a block; gives the block as it really is.
    fn play(&mut self, block: &str, commands: &mut usize) -> String {
        let mut real = String::new();
        for part in format!("\n{block}").split("\n$ ").skip(1) {
            *commands += 1;
            let (line, shown) = part.split_once('\n').unwrap_or((part, ""));
            let answers = shown.lines().filter_map(|line| line.strip_prefix(PROMPT)).collect();
            let said = self.run(&masks::to_real(line, &self.names), answers);
            let known = self.known();
            let _ = write!(real, "$ {line}\n{}", masks::to_page(&said, &mut self.names, &known));
        }
        real
    }

    /// The names on the record of the folder.
    fn known(&self) -> BTreeSet<String> {
        let logs = self.folder.ancestors().map(|above| above.join(".exacta/log"));
        let Some(log) = logs.into_iter().find(|log| log.is_dir()) else { return BTreeSet::new() };
        let files = fs::read_dir(log).unwrap().map(|entry| entry.unwrap().path());
        files.flat_map(|file| masks::names_in(&fs::read_to_string(file).unwrap())).collect()
    }

    /// One line, in the folder where the one before it ended.
    fn run(&mut self, line: &str, answers: Vec<&str>) -> String {
        let home = self.home.path();
        let ends_in = home.join(".ends-in");
        let program = Path::new(env!("CARGO_BIN_EXE_exacta")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let script = format!("{line}\npwd > '{}'\n", ends_in.display());
        let file = home.join(".line");
        fs::write(&file, script).unwrap();
        let environment = [
            ("PATH", format!("{}:{path}", program.display())),
            ("HOME", home.display().to_string()),
            ("NO_COLOR", "1".into()),
            ("TERM", "dumb".into()),
            ("LANG", "C.UTF-8".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_PAGER", "cat".into()),
            ("GIT_AUTHOR_NAME", "Ada".into()),
            ("GIT_AUTHOR_EMAIL", "ada@example.com".into()),
            ("GIT_COMMITTER_NAME", "Ada".into()),
            ("GIT_COMMITTER_EMAIL", "ada@example.com".into()),
        ];
        let said = terminal::run(&file, &self.folder, &environment, PROMPT, answers);
        self.folder = fs::read_to_string(ends_in).unwrap().trim_end().into();
        said.replace(&home.display().to_string(), HOME)
    }
}
