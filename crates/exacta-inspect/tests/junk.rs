//! Text that no parser can make sense of costs little and is judged the same every time.
//!
//! What ends the repair of broken text is counted, not timed: the same files end the same
//! way on an idle machine and on a busy one.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use exacta_core::judge::facts::{FactKind, Reason, Report};
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::processor_time;

/// One file a language.
const FILES: [&str; 9] =
    ["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.c", "a.cpp"];

/// What is repeated until the file is full. Each makes at least one grammar's repair or
/// lexer start over again and again.
const SHARDS: [&str; 8] =
    ["~&*", "->*&", "case x:", "(]{)", "\\\n", "r#\"", "{[(", "function f(){"];

fn ask(path: &str, text: &str) -> (Report, Duration) {
    let path = RelPath::parse(path).unwrap();
    let step = StepInput {
        step: "step_1",
        path,
        before: Some(b"\n"),
        after: Some(text.as_bytes()),
        moved: false,
    };
    roomy(&Request { steps: vec![step], ..Request::default() })
}

/// The facts, found with the room on the stack that the child has, and the time it took.
fn roomy(request: &Request<'_>) -> (Report, Duration) {
    let work = || {
        let start = processor_time();
        let report = inspect(request);
        (report, processor_time().saturating_sub(start))
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

fn given_up(report: &Report) -> bool {
    report
        .facts
        .iter()
        .any(|fact| fact.kind == FactKind::NotAnalysed { reason: Reason::ParserBudget })
}

fn junk(shard: &str, bytes: usize) -> String {
    shard.repeat(bytes / shard.len())
}

#[test]
fn junk_costs_little_and_ends_alike_on_a_busy_machine() {
    let (mut slowest, mut gave_up) = ((Duration::ZERO, String::new()), 0);
    for shard in SHARDS {
        let text = junk(shard, 50_000);
        for path in FILES {
            let (report, used) = ask(path, &text);
            if used > slowest.0 {
                slowest = (used, format!("{path}: {shard:?}"));
            }
            assert!(used < Duration::from_secs(10), "{path}: {shard:?} took {used:?}");
            gave_up += usize::from(given_up(&report));
        }
    }
    println!("slowest 50 kB: {slowest:?}, given up {gave_up}");
    assert!(gave_up >= 8, "nothing here is junk enough");

    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut n = 1_u64;
                while !over.load(Ordering::Relaxed) {
                    n = std::hint::black_box(n.wrapping_mul(3));
                }
            });
        }
        for (shard, path) in SHARDS.iter().zip(FILES) {
            let text = junk(shard, 20_000);
            let first = ask(path, &text).0;
            let beside = scope.spawn({
                let text = text.clone();
                move || ask(path, &text).0
            });
            assert_eq!(first, ask(path, &text).0, "{path}: {shard:?}");
            assert_eq!(first, beside.join().unwrap(), "{path}: {shard:?}");
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn the_largest_files_end_in_bounded_work() {
    let full = std::env::var_os("EXACTA_TEST_FULL").is_some();
    for (shards, path) in [(&SHARDS[..1], "a.ts"), (&SHARDS[4..6], "a.py"), (&SHARDS[..], "a.go")] {
        for shard in shards.iter().take(if full { shards.len() } else { 1 }) {
            let text = junk(shard, 2_000_000);
            let (report, used) = ask(path, &text);
            println!("{path}: {shard:?} {used:?}, given up {}", given_up(&report));
            assert!(used < Duration::from_secs(50), "{path}: {shard:?} took {used:?}");
        }
    }
}

/// Sixteen broken files share what one plan may take.
#[test]
fn many_broken_files_take_no_more_than_a_few() {
    let text = junk("->*&", 200_000);
    let paths: Vec<RelPath> =
        (0..16).map(|n| RelPath::parse(&format!("f{n}.ts")).unwrap()).collect();
    let steps = paths.iter().map(|path| StepInput {
        step: "step_1",
        path: path.clone(),
        before: Some(b"\n"),
        after: Some(text.as_bytes()),
        moved: false,
    });
    let sound: &[u8] = b"export function f() {}\n";
    let last = StepInput {
        step: "step_2",
        path: RelPath::parse("last.ts").unwrap(),
        before: Some(sound),
        after: Some(b""),
        moved: false,
    };
    let request = Request { steps: steps.chain([last]).collect(), ..Request::default() };
    let (report, used) = roomy(&request);
    println!("sixteen broken files: {used:?}");
    assert!(used < Duration::from_secs(30), "{used:?}");
    let broken = report
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::NotAnalysed { reason: Reason::ParserBudget });
    assert_eq!(broken.count(), 16);
    let removed = |fact: &exacta_core::judge::facts::Fact| {
        fact.step == "step_2" && matches!(fact.kind, FactKind::PublicRemoved { .. })
    };
    assert!(report.facts.iter().any(removed), "a sound file is read all the same");
}

/// Functions in functions, and classes in classes: sound, deep, and not quadratic.
#[test]
fn deep_and_sound_files_stay_linear() {
    for (path, open, close) in
        [("a.js", "function a(){if(x){}", "}"), ("A.java", "class A{void m(){if(x){}}", "}")]
    {
        let build = |depth: usize| open.repeat(depth) + &close.repeat(depth);
        let (small, large) = (build(500), build(8_000));
        let time = |text: &str| {
            let changed = format!("{text}\n// changed\n");
            let step = StepInput {
                step: "step_1",
                path: RelPath::parse(path).unwrap(),
                before: Some(text.as_bytes()),
                after: Some(changed.as_bytes()),
                moved: false,
            };
            roomy(&Request { steps: vec![step], ..Request::default() }).1
        };
        time(&small);
        let (small, large) = (time(&small), time(&large));
        println!("{path}: {small:?} then {large:?}");
        assert!(large < (small * 64).max(Duration::from_secs(2)), "{small:?} then {large:?}");
    }
}
