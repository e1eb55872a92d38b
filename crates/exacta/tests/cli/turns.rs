//! `agent`, turn by turn: each becomes one plan; what was approved is in the project, what was
//! rejected is taken back in the copy, what was sent back reaches the agent as text. Killed at
//! any time, the project holds what was approved until then.

use std::fs;
use std::thread;
use std::time::Duration;

use crate::gated::{Gated, text};
use crate::person::Person;

/// An agent that does what it is told in one line, and says what it heard.
const AGENT: &str = r#"
import os, subprocess, threading
def swap(name, target):
    os.rename(name, name + ".old")
    os.symlink(target, name)
while True:
    try:
        line = input("ready> ")
    except EOFError:
        break
    word, _, rest = line.partition(" ")
    if word == "w":
        name, _, content = rest.partition(" ")
        open(name, "a").write(content + "\n")
        print("wrote", name)
    elif word == "c":
        who = ["-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run(["git", *who, "commit", "-qam", rest], check=True)
        print("committed")
    elif word == "p":
        print("holds", repr(open(rest).read()) if os.path.exists(rest) else "nothing")
    elif word == "l":
        name, _, target = rest.partition(" ")
        threading.Timer(3, swap, (name, target)).start()
        print("later", name)
    elif word == "q":
        break
    else:
        print("heard:", line)
"#;

fn gated() -> Gated {
    let files = [("a.txt", "a\n"), ("b.txt", "b\n"), ("agent.py", AGENT)];
    let gated = Gated::of(&files, "version = 1\nprofile = \"manual\"\n");
    gated.project.git(&["init", "-q", "-b", "main"]);
    gated.project.git(&["add", "."]);
    let who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    gated.project.git(&[&who[..], &["commit", "-qm", "begin"]].concat());
    gated
}

fn start(gated: &Gated) -> Person {
    let mut person = Person::at(gated, "agent /usr/bin/python3 --prompt 'ready>' -- agent.py", 160);
    person.sees("ready>");
    person
}

/// A turn that is approved; the agent is back afterwards.
fn approved(person: &mut Person, line: &str) {
    person.types(&format!("{line}\r"));
    person.decides("a", "");
    goes_back(person);
}

fn goes_back(person: &mut Person) {
    person.sees("Enter goes back to");
    person.types("\r");
    person.sees("ready>");
}

#[test]
fn ten_turns_with_approvals_refusals_and_kills_between() {
    let gated = gated();
    let mut person = start(&gated);
    // 1: approved.
    approved(&mut person, "w a.txt one");
    assert_eq!(gated.read("a.txt"), "a\none\n");
    // 2: rejected, so that the copy is as before, too, and the agent is told.
    person.types("w a.txt two\r");
    person.decides("r", "not like this");
    goes_back(&mut person);
    person.sees("heard: Exacta: the user rejected these changes");
    person.sees("not like this");
    assert_eq!(gated.read("a.txt"), "a\none\n");
    person.types("p a.txt\r");
    person.sees("holds 'a\\none\\n'");
    // 3: sent back: the copy keeps it, the agent hears why.
    person.types("w b.txt three\r");
    person.decides("c", "say it in two lines");
    goes_back(&mut person);
    person.sees("heard: Exacta: the user sent this back");
    person.sees("say it in two lines");
    assert_eq!(gated.read("b.txt"), "b\n");
    // 4: it goes on from there, and both are approved as one.
    approved(&mut person, "w b.txt four");
    assert_eq!(gated.read("b.txt"), "b\nthree\nfour\n");
    // 5: a commit in the copy gives the plan its words; the repository of the project stays.
    // The commit comes with the change, so that both are one turn.
    person.types("w a.txt five\rc Say five in a.txt\r");
    person.decides("a", "");
    goes_back(&mut person);
    assert_eq!(gated.read("a.txt"), "a\none\nfive\n");
    let plans = gated.json(&["list", "--json"], 0);
    let goals: Vec<&str> =
        plans.as_array().unwrap().iter().filter_map(|plan| plan["goal"].as_str()).collect();
    assert!(goals.contains(&"Say five in a.txt"), "{goals:?}");
    assert_eq!(
        String::from_utf8_lossy(&gated.project.git(&["log", "--format=%s"])).trim(),
        "begin"
    );
    // 6: killed while a plan is on the screen.
    person.types("w a.txt six\r");
    person.sees("lines seen");
    person.kills();
    assert_eq!(gated.read("a.txt"), "a\none\nfive\n");
    // 7: a fresh copy begins at what was approved.
    let mut person = start(&gated);
    person.types("p a.txt\r");
    person.sees("holds 'a\\none\\nfive\\n'");
    approved(&mut person, "w c.txt seven");
    assert_eq!(gated.read("c.txt"), "seven\n");
    // 8: killed while the agent waits, with something that nobody has decided on.
    approved(&mut person, "w a.txt eight");
    person.types("p c.txt\r");
    person.sees("holds 'seven\\n'");
    person.kills();
    // 9: the person edits the file meanwhile; theirs is kept.
    let mut person = start(&gated);
    gated.project.write("b.txt", "mine\n");
    person.types("w b.txt nine\r");
    person.sees("yours is kept");
    goes_back(&mut person);
    assert_eq!(gated.read("b.txt"), "mine\n");
    // 10: the copy has taken it over.
    approved(&mut person, "w b.txt ten");
    assert_eq!(gated.read("b.txt"), "mine\nten\n");
    person.types("q\r");
    person.sees("again on the same copy?");
    person.types("\r");
    person.ends();
    assert_eq!(gated.read("a.txt"), "a\none\nfive\neight\n");
    assert_eq!(gated.read("c.txt"), "seven\n");
    let verified = gated.json(&["verify", "--json"], 0);
    assert_eq!(verified["ok"], true);
    // The next one clears what the killed ones left.
    let left = fs::read_dir(gated.home().join(".cache/exacta")).map_or(0, Iterator::count);
    assert!(left <= 1, "{left} copies are left");
}

#[test]
fn the_persons_key_ends_a_turn_and_does_not_reach_the_agent() {
    let gated = gated();
    let mut person = Person::start(&gated, "agent /usr/bin/python3 -- agent.py");
    person.sees("ready>");
    person.types("w a.txt one\r");
    person.sees("wrote a.txt");
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(gated.read("a.txt"), "a\n");
    assert_eq!(gated.json(&["list", "--json"], 2).as_array().map(Vec::len), None);
    person.types("\u{1d}");
    person.decides("a", "");
    person.sees("Enter goes back to");
    person.types("\r");
    person.sees("ready>");
    assert_eq!(gated.read("a.txt"), "a\none\n");
    person.types("x\r");
    person.sees("heard: x");
    // Whoever has seen enough ends it there.
    person.types("w a.txt two\r");
    person.sees("wrote a.txt");
    person.types("\u{1d}");
    person.decides("r", "enough");
    person.sees("Enter goes back to");
    person.types("end\r");
    person.ends();
    assert_eq!(gated.read("a.txt"), "a\none\n");
    let plans = gated.json(&["list", "--json"], 0);
    let states: Vec<String> =
        plans.as_array().unwrap().iter().map(|plan| text(&plan["state"])).collect();
    assert!(states.contains(&"user_approved".to_owned()), "{states:?}");
    assert!(states.contains(&"rejected".to_owned()), "{states:?}");
}

/// The agent still runs while its turn is decided on, and the copy is its own.
#[test]
fn links_that_an_agent_makes_while_it_waits_lead_nowhere() {
    let gated = gated();
    let keys = gated.home().join(".keys");
    fs::create_dir(&keys).unwrap();
    for name in ["one.txt", "two.txt"] {
        fs::write(keys.join(name), "the user's\n").unwrap();
    }
    gated.project.write("src/one.txt", "the project's\n");
    let mut person = start(&gated);
    // Both are rejected; one is taken from the project again, the other goes from the copy.
    person.types(&format!("l src {}\rw src/one.txt x\rw src/two.txt x\r", keys.display()));
    person.sees("later src");
    thread::sleep(Duration::from_secs(4));
    person.decides("r", "no");
    goes_back(&mut person);
    person.sees("heard: Exacta: the user rejected these changes");
    for name in ["one.txt", "two.txt"] {
        assert_eq!(fs::read_to_string(keys.join(name)).unwrap(), "the user's\n", "{name}");
    }
    assert_eq!(gated.read("src/one.txt"), "the project's\n");
    person.kills();
}

#[test]
fn an_interactive_rebase_runs_on_the_copy_and_its_files_are_proposed() {
    let gated = gated();
    let who = ["-c", "user.name=x", "-c", "user.email=x@x"];
    for (name, content) in [("a.txt", "a\nfirst\n"), ("b.txt", "b\nsecond\n")] {
        gated.project.write(name, content);
        gated.project.git(&[&who[..], &["commit", "-qam", name]].concat());
    }
    // Dropping the last commit takes its change back; the same in a copy of the repository.
    let direct = tempfile::tempdir().unwrap();
    let copied = gated.command("cp").args(["-a", "."]).arg(direct.path()).status().unwrap();
    assert!(copied.success());
    let edit = "GIT_SEQUENCE_EDITOR=\"sed -i -e '2s/^pick/drop/'\"";
    let rebased = gated
        .command("sh")
        .current_dir(direct.path())
        .args(["-c", &format!("{edit} git -c user.name=x -c user.email=x@x rebase -i HEAD~2")])
        .output()
        .unwrap();
    assert!(rebased.status.success(), "{rebased:?}");
    let mut person = Person::start(
        &gated,
        "agent git --env GIT_EDITOR --env GIT_COMMITTER_NAME -- -c core.editor='vim -u NONE -n' \
         -c user.name=x -c user.email=x@x rebase -i HEAD~2",
    );
    person.sees("pick");
    thread::sleep(Duration::from_millis(500));
    person.types("jcwdrop\u{1b}");
    thread::sleep(Duration::from_millis(300));
    person.types(":wq\r");
    person.decides("a", "");
    person.sees("again on the same copy?");
    person.types("\r");
    person.ends();
    for name in ["a.txt", "b.txt"] {
        let wanted = fs::read_to_string(direct.path().join(name)).unwrap();
        assert_eq!(gated.read(name), wanted, "{name}");
    }
    assert_eq!(gated.read("b.txt"), "b\n");
    assert_eq!(
        String::from_utf8_lossy(&gated.project.git(&["log", "-1", "--format=%s"])).trim(),
        "b.txt"
    );
}
