//! A branch for a server of the user's own: the approval there is for one base and one tree, and
//! a further push has none.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::gated::{Gated, text};
use crate::project::Said;
use crate::room::Room;

const POLICY: &str = "version = 1\nprofile = \"manual\"\ndecide = \"hash\"\n";
const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x@x"];

/// Another machine with a clone, as far as anybody can tell.
struct Runner {
    clone: TempDir,
    home: TempDir,
}

impl Runner {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.clone.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home.path());
        command
    }

    fn git(&self, args: &[&str]) {
        let done = self.command("git").args(WHO).args(args).output().unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    fn commit(&self, name: &str, content: &str) {
        fs::write(self.clone.path().join(name), content).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", content.trim()]);
    }

    fn exacta(&self, room: &Room, token: &Path, args: &[&str]) -> Said {
        let server = room.said["api_url"].as_str().unwrap();
        self.command(env!("CARGO_BIN_EXE_exacta"))
            .args(args)
            .args(["--server", server, "--token-file"])
            .arg(token)
            .arg("--json")
            .output()
            .unwrap()
            .into()
    }
}

#[test]
fn an_approval_at_the_server_is_for_this_base_and_tree_alone() {
    let gated = Gated::of(&[("a.md", "Hello.\n"), ("run.sh", "echo 1\n")], POLICY);
    gated.project.git(&["init", "-q", "-b", "main"]);
    gated.project.git(&["add", "."]);
    gated.project.git(&[&WHO[..], &["commit", "-qm", "begin"]].concat());
    let room = Room::open(&gated);
    let token = Path::new(room.said["agent_token_file"].as_str().unwrap());
    let runner = Runner { clone: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
    runner.git(&["clone", "-q", gated.project.path().to_str().unwrap(), "."]);
    runner.git(&["checkout", "-qb", "topic"]);
    runner.commit("run.sh", "echo 2\n");
    runner.commit("new.md", "New.\n");
    runner.git(&["checkout", "-q", "main"]);
    let verify = |code: i32| -> Value {
        let said = runner.exacta(&room, token, &["verify", "--approved", "topic"]);
        assert_eq!(said.code, code, "{} {}", said.out, said.err);
        said.json()
    };
    let propose = || runner.exacta(&room, token, &["propose", "--git", "main..topic"]);
    assert_eq!(verify(15)["ok"], false);
    let said = propose();
    assert_eq!(said.code, 11, "{} {}", said.out, said.err);
    let plan = said.json();
    let (id, hash) = (text(&plan["plan_id"]), text(&plan["plan_hash"]));
    // The same push once more is the same plan.
    assert_eq!(propose().json()["plan_id"], plan["plan_id"]);
    assert_eq!(verify(15)["ok"], false);
    let shown = gated.json(&["show", &id, "--json"], 0).to_string();
    assert!(shown.contains("run.sh") && shown.contains("new.md"), "{shown}");
    gated.json(&["approve", &id, "--hash", &hash, "--json"], 0);
    let yes = verify(0);
    assert_eq!((&yes["plan_id"], &yes["plan_hash"]), (&plan["plan_id"], &plan["plan_hash"]));
    assert_eq!(yes["tree"], plan["tree"]);
    // One more push, even one that leaves every approved file as it is.
    runner.git(&["checkout", "-q", "topic"]);
    runner.commit("more.md", "More.\n");
    runner.git(&["checkout", "-q", "main"]);
    assert_eq!(verify(15)["ok"], false);
    // Back to what was approved it is approved again; with another base it is not.
    runner.git(&["branch", "-f", "topic", "topic~1"]);
    verify(0);
    runner.commit("base.md", "Base.\n");
    assert_eq!(verify(15)["ok"], false);
    // Nobody else may ask, and no token leaves for a foreign place.
    let wrong = runner.home.path().join("wrong");
    fs::write(&wrong, "nobody").unwrap();
    let said = runner.exacta(&room, &wrong, &["propose", "--git", "main..topic"]);
    assert_eq!(said.code, 1, "{} {}", said.out, said.err);
    let said: Said = runner
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["propose", "--git", "main..topic", "--server", "http://gate.example"])
        .env("EXACTA_TOKEN", "canary-77")
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, 1, "{} {}", said.out, said.err);
    assert!(said.err.contains("plain HTTP") && !said.err.contains("canary-77"), "{}", said.err);
    assert_eq!(gated.read("run.sh"), "echo 1\n");
}
