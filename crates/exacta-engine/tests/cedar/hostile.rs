//! Texts that would bring the parser down never reach it, and none brings the process down.
//!
//! Tests run on stacks of two MiB. What overflows one ends the whole test program.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::LayerName::{Operator, Project};
use exacta_engine::policy::read_cedar;
use exacta_testkit::Rng;

use crate::world::{ADDS, judged, kind, policy};

/// The bounds, as `scan` has them.
const NESTED: usize = 32;
const OPERATORS: usize = 250;
const POLICIES: usize = 1_000;

fn when(condition: &str) -> String {
    format!("forbid (principal, action, resource) when {{ {condition} }};")
}

/// A condition that grows with a number, and does so by nesting.
type Shape = (&'static str, fn(usize) -> String);

const NESTING: [Shape; 6] = [
    ("round", |n| format!("{}resource.steps > 0{}", "(".repeat(n), ")".repeat(n))),
    ("set", |n| format!("{0}1{1} == {0}2{1}", "[".repeat(n), "]".repeat(n))),
    ("record", |n| format!("{0}1{1} == {0}2{1}", "{a: ".repeat(n), "}".repeat(n))),
    ("call", |n| format!("{}[1]{}", "[1].containsAll(".repeat(n), ")".repeat(n))),
    ("index", |n| format!("resource{}", "[\"touched\"]".repeat(n))),
    ("mixed", |n| "([{a: ".repeat(n)),
];

const CHAINS: [Shape; 10] = [
    ("and", |n| vec!["resource.steps > 0"; n].join(" && ")),
    ("or", |n| vec!["resource.steps > 9"; n].join(" || ")),
    ("plus", |n| format!("{} > 0", vec!["resource.steps"; n].join(" + "))),
    ("times", |n| format!("{} > 0", vec!["1"; n].join(" * "))),
    ("minus", |n| format!("{}1 < 0", "-".repeat(n))),
    ("not", |n| format!("{}(resource.steps > 0)", "!".repeat(n))),
    ("dots", |n| format!("resource{} > 0", ".touched".repeat(n))),
    ("if", |n| format!("{}false{}", "if resource.steps > 9 then true else ".repeat(n), "")),
    ("if in if", |n| format!("{}true{}", "if ".repeat(n), " then true else false".repeat(n))),
    ("whens", |n| vec!["resource.steps > 0"; n].join(" } when { ")),
];

/// Reads a text as a project's and, if it can be used, asks it.
fn survives(text: &str) -> bool {
    let Ok(file) = read_cedar(Project, text.as_bytes()) else { return false };
    drop(file);
    kind(&judged(&policy(&[(Project, text)]), ADDS, None));
    true
}

#[test]
fn nothing_overflows_the_stack() {
    for (name, shape) in NESTING.into_iter().chain(CHAINS) {
        // Around the bounds everything is built, checked, asked and taken down again.
        for n in (1..=NESTED + 2).chain([OPERATORS / 4, OPERATORS / 2, OPERATORS - 2, OPERATORS]) {
            survives(&when(&shape(n)));
        }
        for n in [OPERATORS + 1, 5_000, 20_000, 100_000] {
            assert!(!survives(&when(&shape(n))), "{name} {n}");
        }
    }
}

#[test]
fn a_policy_within_the_bounds_can_be_used() {
    for (name, shape) in CHAINS {
        let n = match name {
            "minus" | "not" => 3,
            "dots" | "if in if" => continue,
            _ => 50,
        };
        assert!(
            survives(&when(&shape(n))),
            "{name} {:?}",
            read_cedar(Project, when(&shape(n)).as_bytes()).err()
        );
    }
    assert!(survives(&when(&NESTING[0].1(NESTED - 1))));
    let list = (0..5_000).map(|n| format!("\"src/{n}.rs\"")).collect::<Vec<_>>().join(", ");
    assert!(survives(&when(&format!("[{list}].containsAny(resource.touched.paths)"))));
    let many = when("resource.steps > 0").repeat(POLICIES);
    assert_eq!(kind(&judged(&policy(&[(Project, &many)]), ADDS, None)), Kind::Reject);
    assert!(!survives(&when("resource.steps > 0").repeat(POLICIES + 1)));
}

/// Cedar's type checker stops looking, without a word, where the stack gets short.
#[test]
fn a_mistake_at_the_bottom_of_the_deepest_policy_is_found() {
    let shallow = std::thread::Builder::new().stack_size(192 << 10);
    let tries = || {
        for (name, shape) in CHAINS {
            for n in [10, 60, 80, 100, 120, OPERATORS - 4] {
                let condition = shape(n).replacen("resource.steps", "resource.stepz", 1);
                let issues = read_cedar(Project, when(&condition).as_bytes()).err();
                let known = name == "times" || name == "minus" || name == "if in if";
                assert!(known || issues.is_some(), "{name} {n}");
            }
        }
    };
    shallow.spawn(tries).unwrap().join().unwrap();
}

#[test]
fn bounds_are_told_with_their_place() {
    for (text, expected) in [
        (when(&"(".repeat(40)), "brackets are nested more than 32 deep"),
        (when(&vec!["true"; 600].join(" && ")), "the policy has more than 250 operators"),
        (when("true").repeat(1_001), "the file has more than 1000 policies"),
    ] {
        let issues = read_cedar(Operator, text.as_bytes()).unwrap_err();
        assert_eq!(issues.len(), 1);
        assert_eq!((issues[0].rule.as_ref(), issues[0].message.as_str()), ("bound", expected));
        assert!(issues[0].place.is_some() && !issues[0].help.is_empty());
    }
}

#[test]
fn brackets_in_comments_and_strings_do_not_count() {
    let brackets = "([{".repeat(100);
    for text in [
        format!("// {brackets}\n"),
        format!("// \"{brackets}\r"),
        format!("@reason(\"{brackets} // \\\" {brackets}\") {}", when("resource.steps > 0")),
        when(&format!("resource.skill == \"\\\\{brackets}\"")),
    ] {
        assert!(survives(&text), "{text}: {:?}", read_cedar(Project, text.as_bytes()));
    }
    // A comment ends where the parser ends it.
    assert!(!survives(&format!("// \r {}", when(&"(".repeat(5_000)))));
}

#[test]
fn damaged_texts_are_refused_or_read_and_nothing_else() {
    let whole = "@id(\"a\") @reason(\"b\") forbid (principal is Proposer, action in [Action::\"may_run\"], resource == Plan::\"plan\")\n\
                 when { resource.touched.paths.contains(\"a\\u{41}\\n\") && (if resource.risk > -1 then principal has model else false) }\n\
                 unless { context.session.files <= 3 || resource.skill like \"w*\\*\" || {a: resource.risk}.a == 101 };";
    assert!(survives(whole), "{:?}", read_cedar(Project, whole.as_bytes()).err());
    let pieces = [
        "(",
        ")",
        "[",
        "{",
        "}",
        "\"",
        "\\",
        ";",
        "//",
        "&&",
        "||",
        "!",
        "-",
        "if ",
        "?principal",
        "\u{202e}",
        "é",
        "\0",
        "::",
        "9223372036854775808",
        "permit",
        "@",
    ];
    let mut read = 0;
    for seed in 0..4_000 {
        let mut rng = Rng::new(seed);
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..=rng.below(3) {
            let (at, other) = (rng.below(text.len()), rng.below(text.len()));
            match rng.below(3) {
                0 => drop(text.drain(at..(at + 1 + rng.below(8)).min(text.len()))),
                1 => drop(text.splice(at..at, rng.pick(&pieces).chars()).collect::<Vec<_>>()),
                _ => text.swap(at, other),
            }
        }
        read += usize::from(survives(&text.into_iter().collect::<String>()));
    }
    assert!(read > 10, "{read} of them can be used all the same");
}
