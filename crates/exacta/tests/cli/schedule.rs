//! Schedules from an approval to their firings, and what the operator is told.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::recipe::{POLICY, World};

const INTENT: &str = "watch https://site.example/p.html";

/// A server that ends with its test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn policy() -> String {
    let primitives = r#"primitives = ["ReadWeb", "NotifyUser", "ScheduleRun"]"#;
    let (top, tables) = POLICY.split_once("[tools.mail]").unwrap();
    format!(
        "{top}{primitives}\n[tools.mail]{tables}webhook = \"https://site.example/hook\"\n\
         secret = \"hook\"\n[tools.secrets.hook]\nenv = \"HOOK_SECRET\"\n"
    )
}

impl World {
    fn serve(&self) -> Serving {
        let mut child = self
            .command(&["serve", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("api_url"), "{line}");
        Serving(child)
    }

    fn schedules(&self) -> Vec<Value> {
        let list = self.run(&["recipe", "schedule", "list", "--json"], 0);
        list["schedules"].as_array().unwrap().clone()
    }

    fn file(&self, ending: &str) -> PathBuf {
        let folder = self.gated.project.path().join(".exacta/tools/schedules");
        let found = fs::read_dir(folder).unwrap().map(|one| one.unwrap().path());
        let mut found = found.filter(|path| path.to_str().unwrap().ends_with(ending));
        found.next().unwrap()
    }

    /// Lets it be due: as if the time of its firing had passed while nobody served.
    fn let_it_be_due(&self) {
        let path = self.file(".progress");
        let mut progress: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let day = 24 * 3600 * 1000;
        progress["since_ms"] = json!(progress["since_ms"].as_i64().unwrap() - 2 * day);
        if let Some(fired) = progress["fired_ms"].as_i64() {
            progress["fired_ms"] = json!(fired - 2 * day);
        }
        fs::write(path, progress.to_string()).unwrap();
    }

    /// Waits until the schedule has fired again.
    fn fired(&self) -> Value {
        let before = self.schedules()[0]["fired_ms"].clone();
        self.let_it_be_due();
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let now = self.schedules()[0].clone();
            let fresh = now["fired_ms"].as_i64() > before.as_i64();
            if fresh && now["outcome"].is_string() {
                sleep(Duration::from_millis(300));
                return self.schedules()[0].clone();
            }
            assert!(Instant::now() < end, "it did not fire: {now}");
            sleep(Duration::from_millis(100));
        }
    }

    fn plans(&self) -> usize {
        self.run(&["list", "--json"], 0).as_array().unwrap().len()
    }

    fn posts(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("site.posts")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn set_up(&self) -> Value {
        let args = ["recipe", "schedule", "WebsiteMonitor", "--intent", INTENT, "--every", "1h"];
        let made = self.run(&[&args[..], &["--json"]].concat(), 11);
        assert!(self.schedules().is_empty(), "nothing is kept before a person approves");
        let (id, hash) = (made["plan_id"].as_str().unwrap(), made["plan_hash"].as_str().unwrap());
        self.run(&["approve", id, "--hash", hash, "--run", "--json"], 0);
        made
    }
}

#[test]
fn a_schedule_takes_an_approval_fires_fresh_plans_and_makes_up_for_what_was_missed_once() {
    let world = World::new(&policy());
    world.page("p.html", "<p>Price 5</p>");
    world.set_up();
    let kept = world.schedules();
    assert_eq!((kept.len(), &kept[0]["when"]), (1, &json!("every 1h")));
    assert_eq!(kept[0]["fired_ms"], Value::Null);
    let before = world.plans();
    let _server = world.serve();
    let fired = world.fired();
    assert_eq!((&fired["outcome"], &fired["failures"]), (&json!("completed"), &json!(0)));
    // Two days of hours were missed; they are made up for once.
    sleep(Duration::from_secs(3));
    assert_eq!(world.plans(), before + 1);
    let plan = fired["plan_id"].as_str().unwrap();
    let status = world.run(&["status", plan, "--json"], 0);
    assert_eq!(
        (&status["decision"], &status["run_status"]),
        (&json!("auto_silent"), &json!("COMPLETED"))
    );
    let id = fired["schedule"].as_str().unwrap();
    world.run(&["recipe", "schedule", "remove", id.split_at(6).0], 0);
    assert!(world.schedules().is_empty());
    assert_eq!(world.gated.json(&["verify", "--json"], 0)["ok"], true);
}

#[test]
fn what_was_not_approved_does_not_fire_and_three_failures_are_told() {
    let world = World::new(&policy());
    world.page("p.html", "<p>Price 5</p>");
    world.set_up();
    let _server = world.serve();
    let before = world.plans();
    // Somebody writes another address into the file.
    let path = world.file(".json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("p.html", "other.html")).unwrap();
    for failures in 1..=3 {
        let fired = world.fired();
        assert_eq!(fired["failures"], failures);
        assert!(fired["outcome"].as_str().unwrap().contains("not what was approved"), "{fired}");
    }
    assert_eq!(world.plans(), before, "no plan was made of it");
    let posts = world.posts();
    let told: Vec<&Value> = posts
        .iter()
        .filter(|post| post["body"].as_str().unwrap().contains("schedule_failing"))
        .collect();
    assert_eq!(told.len(), 1, "{posts:?}");
}

#[test]
fn a_waiting_plan_is_told_signed_and_without_hash_or_content() {
    let world = World::new(&policy());
    let _server = world.serve();
    sleep(Duration::from_secs(2));
    let plan = world.gated.project.path().join("plan.json");
    let draft = json!({"goal": "a secret goal", "steps": [{
        "step_id": "step_1", "title": "Write the notes", "type": "file_create",
        "target": "notes.txt", "content": "nobody's business\n", "requires_approval": true,
    }]});
    fs::write(&plan, draft.to_string()).unwrap();
    let made = world.run(&["propose", plan.to_str().unwrap(), "--no-run", "--json"], 11);
    let end = Instant::now() + Duration::from_secs(30);
    while world.posts().is_empty() {
        assert!(Instant::now() < end, "nobody was told");
        sleep(Duration::from_millis(100));
    }
    let post = world.posts()[0].clone();
    let body = post["body"].as_str().unwrap();
    let said: Value = serde_json::from_str(body).unwrap();
    assert_eq!(said["plan_id"], made["plan_id"]);
    assert!(said["risk"].is_number() && said["expires_in_sec"].is_number(), "{said}");
    for kept in ["secret goal", "notes.txt", "nobody", made["plan_hash"].as_str().unwrap()] {
        assert!(!body.contains(kept), "{body}");
    }
    let signature = post["signature"].as_str().unwrap();
    let (time, _) = signature.strip_prefix("t=").unwrap().split_once(',').unwrap();
    let expected =
        exacta_tools::notice::signature(b"what both know", time.parse().unwrap(), body.as_bytes());
    assert_eq!(signature, expected);
    sleep(Duration::from_secs(2));
    assert_eq!(world.posts().len(), 1, "told once");
}
