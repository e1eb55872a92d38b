//! A project with a gate of its own, for every test that goes through one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Project, Said};

/// A project whose gate keeps its key in a home of its own.
pub(crate) struct Gated {
    pub(crate) project: Project,
    pub(crate) home: TempDir,
}

pub(crate) const HASH: &str = "version = 1\nprofile = \"conservative\"\ndecide = \"hash\"\n";

impl Gated {
    /// With an operator policy.
    pub(crate) fn of(files: &[(&str, &str)], policy: &str) -> Self {
        let gated = Self { project: Project::of(files), home: TempDir::new().unwrap() };
        gated.policy(policy);
        gated
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Another policy, as if it were met for the first time.
    pub(crate) fn policy(&self, text: &str) {
        let folder = self.home.path().join(".config/exacta");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("policy.toml"), text).unwrap();
        met_anew(self.home());
    }

    /// What is noted of the operator's policy.
    pub(crate) fn note(&self) -> PathBuf {
        self.home.path().join(".local/state/exacta/policy.json")
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.project.command(program);
        command.env("HOME", self.home.path()).env_remove("XDG_CONFIG_HOME");
        command
    }

    pub(crate) fn exacta(&self, args: &[&str]) -> Said {
        self.command(env!("CARGO_BIN_EXE_exacta")).args(args).output().unwrap().into()
    }

    pub(crate) fn json(&self, args: &[&str], code: i32) -> Value {
        let said = self.exacta(args);
        assert_eq!(said.code, code, "{args:?}\n{}\n{}", said.out, said.err);
        said.json()
    }

    /// Runs the program at a terminal where somebody types `yes` when asked.
    pub(crate) fn at_terminal(&self, args: &[&str]) -> Said {
        self.at_terminal_in(self.project.path(), args)
    }

    /// The same in another folder.
    pub(crate) fn at_terminal_in(&self, folder: &Path, args: &[&str]) -> Said {
        let line = format!("{} {}", env!("CARGO_BIN_EXE_exacta"), args.join(" "));
        let typed = format!("(sleep 1; echo yes; sleep 1) | script -qec '{line}' /dev/null");
        self.command("sh").current_dir(folder).args(["-c", &typed]).output().unwrap().into()
    }

    pub(crate) fn propose(&self, plan: &str, code: i32) -> Value {
        let path = self.home.path().join("plan.json");
        fs::write(&path, plan).unwrap();
        self.json(&["propose", path.to_str().unwrap(), "--json"], code)
    }

    /// The hash of a plan on the record.
    pub(crate) fn hash(&self, plan: &str) -> String {
        text(&self.json(&["status", plan, "--json"], 0)["plan_hash"])
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project.path().join(name)).unwrap()
    }
}

/// Notes the policy that lies there now, as if it were met for the first time.
pub(crate) fn met_anew(home: &Path) {
    let at = home.join(".local/state/exacta/policy.json");
    let Ok(text) = fs::read(&at) else { return };
    let mut note: Value = serde_json::from_slice(&text).unwrap();
    let place = PathBuf::from(note["place"].as_str().unwrap());
    for (key, file) in [("keys", "policy.toml"), ("cedar", "policy.cedar")] {
        note[key] = fs::read_to_string(place.join(file)).map_or(Value::Null, Value::String);
    }
    fs::write(&at, note.to_string()).unwrap();
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// An id as people see it, where no other one ends alike.
pub(crate) fn end(id: &str) -> &str {
    id.split_at(id.len() - 6).1
}

pub(crate) const MAIN: (&str, &str) = ("src/main.py", "a = 1\nb = 2\n# we say hi to all\n");

pub(crate) const SMALL: &str = r#"{"goal":"greet","steps":[{"step_id":"step_1","title":"Greet in src/main.py",
"type":"file_modify","target":"src/main.py","edits":[{"old":"hi","new":"hello"}]}]}"#;

/// A plan that always waits: it adds a workflow. Steps two and three belong together.
pub(crate) const WAITS: &str = r#"{"goal":"notes and checks","steps":[
{"step_id":"step_1","title":"Add a workflow","type":"file_create","target":".github/workflows/a.yml","content":"on: push\n","dependencies":[]},
{"step_id":"step_2","title":"Add NOTES.md","type":"file_create","target":"NOTES.md","content":"one\n","dependencies":[]},
{"step_id":"step_3","title":"Extend NOTES.md","type":"file_modify","target":"NOTES.md","edits":[{"old":"one","new":"two"}],"dependencies":["step_2"]}]}"#;
