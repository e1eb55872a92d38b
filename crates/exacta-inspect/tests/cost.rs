//! What an inspection costs beside the parse it cannot do without.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

use std::time::Duration;

use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::processor_time;

/// The allocator of the program: parser and reader both take memory from it there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A source of about 200 lines; `changed` lines of it differ.
fn source(language: &str, file: usize, changed: usize) -> String {
    let mut text = String::new();
    for n in 0..20 {
        let value = if n < changed { n + 1000 } else { n };
        let part = match language {
            "rs" => format!(
                "/// Adds up what the {n}th list holds.\npub fn total_{file}_{n}(items: &[u32], limit: u32) -> Option<u32> {{\n    let mut sum = 0_u32;\n    for item in items {{\n        if *item > limit && limit != {value} {{\n            return None;\n        }}\n        sum = sum.checked_add(*item)?;\n    }}\n    Some(sum)\n}}\n"
            ),
            "py" => format!(
                "def total_{file}_{n}(items, limit={value}):\n    \"\"\"Adds up what the list holds.\"\"\"\n    total = 0\n    for item in items:\n        if item > limit and limit != {n}:\n            return None\n        total += item\n    log.debug(\"total of %s is %s\", items, total)\n    return total\n\n"
            ),
            _ => format!(
                "// Adds up what the list holds.\nexport function total{file}x{n}(items: number[], limit: number): number | null {{\n  let sum = 0;\n  for (const item of items) {{\n    if (item > limit && limit !== {value}) {{\n      return null;\n    }}\n    sum += item;\n  }}\n  return sum;\n}}\n"
            ),
        };
        text.push_str(&part);
    }
    text
}

fn measure(changed: usize, files: usize) -> (Duration, Duration) {
    let languages: [(&str, tree_sitter::Language); 3] = [
        ("rs", tree_sitter_rust::LANGUAGE.into()),
        ("py", tree_sitter_python::LANGUAGE.into()),
        ("ts", tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    ];
    let images: Vec<(usize, String, String)> = (0..files)
        .map(|file| {
            let which = file % languages.len();
            (which, source(languages[which].0, file, 0), source(languages[which].0, file, changed))
        })
        .collect();
    let start = processor_time();
    for (which, before, after) in &images {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&languages[*which].1).unwrap();
        assert!(parser.parse(before, None).is_some() && parser.parse(after, None).is_some());
    }
    let raw = processor_time().saturating_sub(start);
    let steps = images.iter().enumerate().map(|(file, (which, before, after))| StepInput {
        step: "step_1",
        path: RelPath::parse(&format!("src/f{file}.{}", languages[*which].0)).unwrap(),
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
        moved: false,
    });
    let request = Request { steps: steps.collect(), ..Request::default() };
    let start = processor_time();
    let report = inspect(&request);
    let whole = processor_time().saturating_sub(start);
    assert!(!report.facts.is_empty());
    (raw, whole)
}

/// Two and a half parses are the bound; half of that is usual.
#[test]
fn an_inspection_costs_a_few_parses_at_most() {
    for changed in [2, 20] {
        measure(changed, 10);
        let mut ratios: Vec<u128> = Vec::new();
        for _ in 0..5 {
            let (raw, whole) = measure(changed, 100);
            println!("{changed} of 20 functions changed: parse {raw:?}, inspection {whole:?}");
            ratios.push(whole.as_micros() * 100 / raw.as_micros().max(1));
        }
        let best = ratios.iter().min().copied().unwrap_or(0);
        println!("{changed} of 20: {best} hundredths");
        assert!(best < 250, "{ratios:?}");
    }
}
