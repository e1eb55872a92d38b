//! Large and hostile drafts: everything ends soon, and cost grows with size, not faster.
//!
//! Times are wall-clock with much slack; growth is measured between a size and four
//! times that size, where a quadratic scan shows as 16.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "test code reports by panicking, and prints what it measured"
)]

use exacta_core::read::parse::json::MAX_INTEGER;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use exacta_core::model::change::FileMode;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::digest::Blob;
use exacta_core::model::plan::{Action, Content, Draft, FileAction, Payload, Step, ToolCall};
use exacta_core::read::parse::json::Json;
use exacta_core::read::parse::{Limits, draft, locate, patch};
use exacta_core::read::validate::{graph, targets};
use exacta_core::text::pointer::Pointer;
use exacta_testkit::{Check, processor_time};
use serde_json::{Value, json};

/// Longer than any of these takes on a slow, busy machine.
const SOON: Duration = Duration::from_secs(20);

fn rules(issues: &[Issue]) -> BTreeSet<(&'static str, String)> {
    issues.iter().map(|issue| (issue.code.as_str(), issue.rule.to_string())).collect()
}

/// A line of what the system tells about this process, in KiB; 0 where it does not.
fn memory_kib(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|text| text.starts_with(line)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// Runs `f`, says how long it took and how much memory it added, and bounds both.
fn bounded<T>(what: &str, mib: u64, f: impl FnOnce() -> T) -> T {
    // From here on the system notes the peak anew.
    let noted = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let (before, start) = (memory_kib("VmRSS:"), Instant::now());
    let result = f();
    let took = start.elapsed();
    let grown = memory_kib("VmHWM:").saturating_sub(before) / 1024;
    eprintln!("{what}: {:.3} s, {grown} MiB more", took.as_secs_f64());
    assert!(took < SOON, "{what} took {took:?}");
    // Other tests share the process, except where each has its own.
    if noted && std::env::var_os("NEXTEST").is_some() {
        assert!(grown <= mib, "{what} took {grown} MiB");
    }
    result
}

/// The refusal of planner text by the parser.
fn refusal(text: &[u8]) -> BTreeSet<(&'static str, String)> {
    rules(&draft(text, Limits::default()).unwrap_err())
}

fn one(code: &'static str, rule: &str) -> BTreeSet<(&'static str, String)> {
    BTreeSet::from([(code, rule.to_owned())])
}

/// Asserts that four times the size takes far less than sixteen times the time.
fn grows_linearly<T>(what: &str, size: usize, prepare: impl Fn(usize) -> T, f: impl Fn(&T)) {
    let best = |size: usize| {
        let input = prepare(size);
        let time = |()| {
            let start = processor_time();
            f(&input);
            processor_time().checked_sub(start).unwrap()
        };
        [(); 5].map(time).into_iter().min().unwrap()
    };
    let (small, large) = (best(size), best(4 * size));
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    eprintln!("{what}: {size} in {small:?}, {} in {large:?}, ratio {ratio:.1}", 4 * size);
    assert!(ratio < 10.0, "{what}: four times the size took {ratio:.1} times as long");
}

// ---- limits ----

#[test]
fn a_hundred_thousand_opening_brackets_are_refused() {
    for open in ["[", "{\"a\":", "{\"steps\":["] {
        let text = open.repeat(100_000);
        let found = bounded("100,000 opening brackets", 16, || refusal(text.as_bytes()));
        assert_eq!(found, one("PLAN_SCHEMA_INVALID", "depth"));
    }
}

#[test]
fn a_body_of_64_mib_is_refused_unread() {
    let mut text = b"{\"goal\":\"".to_vec();
    text.resize(64 << 20, b'x');
    let found = bounded("64 MiB body", 1, || refusal(&text));
    assert_eq!(found, one("PLAN_TOO_LARGE", "raw_size"));
    let found = bounded("64 MiB patch", 1, || rules(&patch(&text, Limits::default()).unwrap_err()));
    assert_eq!(found, one("PLAN_TOO_LARGE", "raw_size"));
}

#[test]
fn a_million_keys_are_refused() {
    let keys: Vec<String> = (0..1_000_000).map(|n| format!("\"{n}\":0")).collect();
    let nested = format!("{{\"steps\":[],\"inputs\":{{{}}}}}", keys.join(","));
    let found = bounded("10^6 keys in inputs", 256, || refusal(nested.as_bytes()));
    assert_eq!(found, one("PLAN_TOO_LARGE", "values"));
    let top = format!("{{{}}}", keys.join(","));
    let found = bounded("10^6 keys at the top", 256, || refusal(top.as_bytes()));
    assert_eq!(found, one("PLAN_TOO_LARGE", "values"));
}

#[test]
fn as_many_unknown_keys_as_are_read_are_refused_with_a_short_list() {
    let keys: Vec<String> = (0..400_000).map(|n| format!("\"unknown{n}\":0")).collect();
    let text = format!("{{\"steps\":[],{}}}", keys.join(","));
    let issues = bounded("400,000 unknown keys", 512, || {
        draft(text.as_bytes(), Limits::default()).unwrap_err()
    });
    assert_eq!(rules(&issues), one("PLAN_SCHEMA_INVALID", "unknown_field"));
    assert_eq!(issues.len(), 101);
    assert!(issues[100].message.contains("399900 more"), "{}", issues[100].message);
}

#[test]
fn a_diff_of_a_million_hunks_is_refused() {
    let mut diff = String::from("--- a/x\n+++ b/x\n");
    for n in 1..=1_000_000 {
        writeln!(diff, "@@ -{n} +{n} @@\n-a\n+b").unwrap();
    }
    let step = json!({"step_id": "step_1", "type": "file_modify", "target": "x", "diff": diff});
    let text = json!({ "steps": [step] }).to_string();
    assert_eq!(refusal(text.as_bytes()), one("PLAN_TOO_LARGE", "raw_size"));
    // Also where the operator lets texts of that size in.
    let check = Check::on([("x", "a\n".repeat(1_000_000))]);
    let limits = Limits { raw_bytes: 256 << 20 };
    let issues = bounded("10^6 hunks in a draft", 512, || {
        check.draft(draft(text.as_bytes(), limits).unwrap()).issues
    });
    assert_eq!(rules(&issues), one("DIFF_MALFORMED", "diff"));
    let whole = format!("diff --git a/x b/x\nindex 1234567..89abcde 100644\n{diff}");
    let issues =
        bounded("10^6 hunks in a patch", 512, || patch(whole.as_bytes(), limits).unwrap_err());
    assert_eq!(issues.len(), 1, "{issues:#?}");
}

#[test]
fn a_name_of_megabytes_costs_no_search_for_similar_ones() {
    let long = "x".repeat(4 << 20);
    let mut steps: Vec<Value> = (1..=10_000)
        .map(|n| json!({"step_id": format!("step_{n}"), "tool": "NotifyUser", "dependencies": []}))
        .collect();
    steps[0]["dependencies"] = json!([long]);
    let text = json!({ "steps": steps }).to_string();
    let issues =
        bounded("a dependency of 4 MiB", 256, || Check::default().text(&text).unwrap().issues);
    assert!(issues.iter().any(|issue| issue.rule == "PV-2" && issue.help.len() < 2000));
    let text = format!("{{\"steps\":[],\"{long}\":1}}");
    let found = bounded("a key of 4 MiB", 256, || refusal(text.as_bytes()));
    assert_eq!(found, one("PLAN_TOO_LARGE", "key_size"));
}

#[test]
fn many_edits_of_a_large_file_are_refused() {
    let edits: Vec<Value> =
        (0..50_000).map(|n| json!({"old": format!("word{n} "), "new": format!("w{n} ")})).collect();
    let step = json!({"step_id": "s", "type": "file_modify", "target": "x", "edits": edits});
    let text = json!({ "steps": [step] }).to_string();
    let content = (0..400_000).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let check = Check::on([("x", content)]);
    let issues = bounded("50,000 edits of 4 MB", 256, || check.text(&text).unwrap().issues);
    assert!(rules(&issues).contains(&("PLAN_TOO_LARGE", "edits".into())), "{issues:#?}");
}

#[test]
fn constraints_are_few_and_short() {
    let with = |constraints: Value| {
        let step = json!({"step_id": "s", "tool": "NotifyUser"});
        json!({"constraints": constraints, "steps": [step]}).to_string()
    };
    let many = vec![json!({"kind": "no_delete"}); 65];
    assert_eq!(refusal(with(json!(many)).as_bytes()), one("PLAN_TOO_LARGE", "constraints"));
    let globs: Vec<String> = (0..1001).map(|n| format!("src/{n}/**")).collect();
    let long = json!([{"kind": "paths_within", "globs": globs}]);
    assert_eq!(refusal(with(long).as_bytes()), one("PLAN_TOO_LARGE", "constraints"));
    let globs = |n: usize| (0..20).map(|k| format!("s{n}/[!a]{k}*/**")).collect::<Vec<_>>();
    let many = |count: usize| {
        let list = (0..count).map(|n| json!({"kind": "paths_except", "globs": globs(n)}));
        with(list.collect())
    };
    let found = refusal(many(51).as_bytes());
    assert_eq!(found, one("PLAN_TOO_LARGE", "constraints"));
    bounded("1,000 globs", 64, || Check::default().sound(many(50)));
    let full = vec![json!({"kind": "no_delete"}); 64];
    Check::default().sound(with(json!(full)));
}

#[test]
fn findings_are_counted_and_kept_small() {
    let empty = format!("{{\"steps\":[{}{{}}]}}", "{},".repeat(400_000));
    let mut drafts = vec![("400,001 empty steps", empty)];
    let long = format!("\"step_id\":\"{}\"", "x".repeat(65_000));
    let unknown = (0..200).map(|n| format!(",\"u{n}\":1")).collect::<Vec<_>>().concat();
    let step = format!("{{{long}{unknown}}},");
    drafts.push(("long ids with many findings", format!("{{\"steps\":[{}1]}}", step.repeat(200))));
    let numbers = "1,".repeat(400_000);
    drafts.push((
        "400,001 numbers for dependencies",
        format!("{{\"steps\":[{{\"step_id\":\"s\",\"dependencies\":[{numbers}1]}}]}}"),
    ));
    let members = (0..400_000).map(|n| format!("\"m{n}\":1,")).collect::<Vec<_>>().concat();
    drafts.push((
        "findings beside 400,000 members",
        format!("{{{members}\"steps\":[{}1]}}", "{\"x\":1},".repeat(2_000)),
    ));
    for (what, text) in drafts {
        let issues = bounded(what, 256, || draft(text.as_bytes(), Limits::default()).unwrap_err());
        assert!(issues.len() <= 1_001, "{what}: {}", issues.len());
        assert!(issues.iter().all(|issue| issue.step_id.as_ref().is_none_or(|id| id.len() <= 128)));
    }
}

#[test]
fn lines_made_to_be_compared_for_ever_are_not() {
    let shuffled = |seed: usize, count: usize| -> String {
        let line = |n: usize| format!("{}\n", (n * n * 31 + seed * n + seed) % 97 % 10);
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    let swapped = |a: &str, b: &str, count: usize| [a, b].concat().repeat(count);
    let pairs = [
        ("two lines in turn", swapped("a\n", "b\n", 80_000), swapped("b\n", "a\n", 80_000)),
        ("ten lines in disorder", shuffled(1, 160_000), shuffled(7, 160_000)),
    ];
    for (what, old, new) in pairs {
        // Whole, and cut into parts that are each small enough to be compared.
        for parts in [1, 40, 400] {
            let slice = |text: &str, part: usize| -> String {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let size = lines.len() / parts;
                lines[part * size..(part + 1) * size].concat()
            };
            let mut check = roomy();
            let mut steps = Vec::new();
            for part in 0..parts {
                check.tree.put(format!("f{part}"), slice(&old, part), FileMode::REGULAR);
                steps.push(json!({"step_id": format!("s{part}"), "type": "file_modify",
                    "target": format!("f{part}"), "content": slice(&new, part)}));
            }
            let text = json!({ "steps": steps }).to_string();
            let what = format!("{what}, {parts} files");
            let issues = bounded(&what, 256, || check.text(&text).unwrap().issues);
            assert!(issues.is_empty(), "{issues:#?}");
        }
    }
}

// ---- growth ----

/// A policy under which size alone refuses nothing.
fn roomy() -> Check {
    let mut check = Check::default();
    check.policy.caps.max_files = MAX_INTEGER.unsigned_abs();
    check.policy.caps.max_changed_lines = MAX_INTEGER.unsigned_abs();
    check.policy.caps.max_steps = MAX_INTEGER.unsigned_abs();
    check.policy.caps.max_pages = MAX_INTEGER.unsigned_abs();
    check.policy.caps.max_tool_calls = MAX_INTEGER.unsigned_abs();
    check.policy.caps.max_cost_micro_usd = MAX_INTEGER.unsigned_abs();
    check.policy.token_budget = MAX_INTEGER.unsigned_abs();
    check
}

fn chain(count: usize) -> String {
    let steps: Vec<Value> = (1..=count)
        .map(|n| {
            json!({"step_id": format!("step_{n}"), "type": "file_create",
                   "target": format!("d{}/f{n}", n % 97), "content": "x\n"})
        })
        .collect();
    json!({ "steps": steps }).to_string()
}

#[test]
fn a_chain_of_ten_thousand_steps_is_sound() {
    let text = chain(10_000);
    bounded("10,000-step chain", 512, || roomy().sound(&text));
    // Written backwards, so that every dependency points forward.
    let steps: Vec<Value> = (1..=10_000)
        .rev()
        .map(|n| {
            let needs = if n > 1 { json!([format!("step_{}", n - 1)]) } else { json!([]) };
            json!({"step_id": format!("step_{n}"), "tool": "NotifyUser", "dependencies": needs})
        })
        .collect();
    let text = json!({ "steps": steps }).to_string();
    let examined = bounded("10,000 steps backwards", 512, || roomy().sound(&text));
    assert!(examined.issues.is_empty());
}

#[test]
fn the_cost_of_a_chain_is_linear() {
    grows_linearly("chain", 2_500, chain, |text| drop(roomy().sound(text)));
}

/// Steps on one file, one after the other; `apart` other steps stand between two of them.
fn one_file(count: usize, apart: usize) -> Draft {
    let mut draft = Draft::empty();
    for n in 0..count {
        let target = if n % (apart + 1) == 0 { "one".into() } else { format!("other{n}") };
        let content = Content::Text(Blob::new(format!("{n}\n").into_bytes()));
        let payload = if target == "one" && n > 0 {
            Payload::Replace(content)
        } else {
            Payload::Create(content)
        };
        draft.steps.push(step(n, Action::File(FileAction { target, payload, mode: None })));
    }
    draft
}

fn step(n: usize, action: Action) -> Step {
    Step {
        step_id: format!("step_{}", n + 1),
        title: None,
        description: None,
        order: None,
        dependencies: None,
        requires_approval: None,
        risk_tier: None,
        action,
    }
}

#[test]
fn ten_thousand_steps_on_one_file_are_sound() {
    for apart in [0, 1] {
        let draft = one_file(10_000, apart);
        let examined = bounded("10,000 steps, one file", 512, || roomy().draft(draft));
        assert!(examined.is_sound(), "{:#?}", examined.issues.first());
    }
}

#[test]
fn the_cost_of_steps_on_one_file_is_linear_where_they_follow_each_other() {
    grows_linearly(
        "steps on one file",
        2_500,
        |n| one_file(n, 0),
        |draft| {
            drop(roomy().draft(draft.clone()));
        },
    );
}

#[test]
fn many_files_with_indirect_order_stay_in_bounds() {
    // Every file is written twice, and only a long way round orders the two.
    let count = 100_000;
    let mut draft = Draft::empty();
    for n in 0..count {
        let content = Content::Text(Blob::new(vec![b'x']));
        let (target, payload) = if n < count / 2 {
            (format!("f{n}"), Payload::Create(content))
        } else {
            (format!("f{}", n - count / 2), Payload::Delete)
        };
        draft.steps.push(step(n, Action::File(FileAction { target, payload, mode: None })));
    }
    let issues = bounded("50,000 indirect pairs over 100,000 steps", 256, || {
        let mut issues = Vec::new();
        let graph = graph(&draft, &mut issues);
        targets(&draft, &graph, &mut issues);
        issues
    });
    assert!(issues.is_empty(), "{:?}", issues.first());
}

fn notify(n: usize, dependencies: Vec<String>) -> Step {
    let call = ToolCall { name: "NotifyUser".into(), args: Json::Obj(Vec::new()) };
    Step { dependencies: Some(dependencies), ..step(n, Action::Tool(call)) }
}

fn broken(count: usize) -> Draft {
    let mut draft = Draft::empty();
    draft.steps = (0..count).map(|n| notify(n, vec![format!("nobody_{n}")])).collect();
    draft
}

#[test]
fn ten_thousand_broken_dependencies_are_all_named() {
    let draft = broken(10_000);
    let issues = bounded("10,000 broken dependencies", 256, || {
        let mut issues = Vec::new();
        graph(&draft, &mut issues);
        issues
    });
    assert_eq!(issues.len(), 10_000);
    assert!(issues.iter().all(|issue| issue.rule == "PV-2"));
    let text: usize = issues.iter().map(|issue| issue.help.len() + issue.message.len()).sum();
    assert!(text < 2_000_000, "{text} bytes of findings");
    grows_linearly("broken dependencies", 5_000, broken, |draft| {
        graph(draft, &mut Vec::new());
    });
}

#[test]
fn cycles_of_any_shape_are_named_in_bounded_time() {
    let id = |n: usize| format!("step_{}", n + 1);
    let mut ring = Draft::empty();
    ring.steps = (0..10_000).map(|n| notify(n, vec![id((n + 1) % 10_000)])).collect();
    let mut pairs = Draft::empty();
    pairs.steps = (0..10_000).map(|n| notify(n, vec![id(n ^ 1)])).collect();
    let mut selves = Draft::empty();
    selves.steps = (0..10_000).map(|n| notify(n, vec![id(n)])).collect();
    // A cycle that nearly everything waits for, each through its own long way.
    let mut tail = Draft::empty();
    tail.steps = (0..10_000).map(|n| notify(n, vec![id(if n == 0 { 1 } else { n - 1 })])).collect();
    for (what, draft, cycles) in
        [("ring", ring, 1), ("pairs", pairs, 5_000), ("selves", selves, 10_000), ("tail", tail, 1)]
    {
        let issues = bounded(what, 256, || {
            let mut issues = Vec::new();
            graph(&draft, &mut issues);
            issues
        });
        assert_eq!(issues.len(), cycles, "{what}");
        assert!(issues.iter().all(|issue| issue.rule == "PV-3"), "{what}");
    }
}

/// Two layers, every step of the second needs every step of the first.
fn layers(width: usize) -> Draft {
    let first: Vec<String> = (0..width).map(|n| format!("step_{}", n + 1)).collect();
    let mut draft = Draft::empty();
    draft.steps = (0..width).map(|n| notify(n, Vec::new())).collect();
    draft.steps.extend((width..2 * width).map(|n| notify(n, first.clone())));
    draft
}

#[test]
fn a_graph_of_a_million_edges_is_sorted() {
    let draft = layers(1_000);
    let sorted = bounded("10^6 edges", 256, || graph(&draft, &mut Vec::new()));
    assert_eq!(sorted.order.len(), 2_000);
    assert_eq!(sorted.needs.iter().map(Vec::len).sum::<usize>(), 1_000_000);
    // Four times the edges are twice the width.
    grows_linearly(
        "edges",
        90_000,
        |edges| layers(edges.isqrt()),
        |draft| {
            graph(draft, &mut Vec::new());
        },
    );
}

#[test]
fn places_of_many_findings_on_one_line_cost_one_walk() {
    let text = |count: usize| {
        let steps: Vec<String> = (1..=count)
            .map(|n| format!("{{\"step_id\":\"step_{n}\",\"tool\":\"NotifyUser\",\"x\":1}}"))
            .collect();
        format!("{{\"steps\":[{}]}}", steps.join(","))
    };
    let issues = bounded("20,000 findings on one line", 512, || {
        draft(text(20_000).as_bytes(), Limits::default()).unwrap_err()
    });
    // 1,000 and one that counts the rest.
    assert_eq!(issues.len(), 1_001);
    assert!(issues[..1_000].windows(2).all(|pair| pair[0].place < pair[1].place));
    grows_linearly(
        "findings on one line",
        5_000,
        |count| {
            let at = |n: usize| Pointer::root().key("steps").index(n).key("x");
            let issues: Vec<Issue> = (0..count)
                .map(|n| Issue::error(Code::PlanSchemaInvalid, "unknown_field", "x").at(at(n)))
                .collect();
            (text(count), issues)
        },
        |(text, issues)| locate(text, &mut issues.clone()),
    );
}

#[test]
fn long_lists_of_claims_and_addresses_cost_one_lookup_each() {
    let draft = |count: usize| {
        let urls: Vec<String> = (0..count).map(|n| format!("https://h{n}.example/")).collect();
        let hosts: Vec<String> = (0..count).map(|n| format!("h{n}.example")).collect();
        let people: Vec<String> = (0..count).map(|n| format!("p{n}@corp.com")).collect();
        let text = json!({
            "recipe": "Custom", "inputs": {"pages": urls}, "web_allowed_domains": hosts,
            "recipient_hints": people, "allowed_primitives": vec!["CallApi"; count],
            "steps": [{"step_id": "s", "tool": {"name": "CallApi", "args": {"urls": urls, "to": people}}}]
        });
        text.to_string()
    };
    let check = |count: usize| {
        let mut check = roomy();
        check.policy.allowed_domains = (0..count).map(|n| format!("h{n}.example")).collect();
        check.policy.allowed_recipients = (0..count).map(|n| format!("p{n}@corp.com")).collect();
        check
    };
    grows_linearly(
        "claims and addresses",
        1_000,
        |count| (check(count), draft(count)),
        |(check, text)| {
            let issues = check.text(text).unwrap().issues;
            assert!(issues.is_empty(), "{:?}", issues.first());
        },
    );
}
