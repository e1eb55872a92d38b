//! `docs/errors/`: each code has a page, and its example has that finding.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use exacta_core::model::code::Code;

use super::example::{self, Kind};
use super::page::Page;

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let pages: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let codes = Code::ALL.iter().map(|code| format!("{}.md", code.as_str())).collect();
    assert_eq!(pages, codes);
}

#[test]
fn the_example_of_each_page_has_its_finding() {
    for code in Code::ALL {
        let (code, is_finding) = (code.as_str(), code.is_finding());
        let mut page = Page::read(&format!("docs/errors/{code}.md"));
        assert!(page.text.starts_with(&format!("# {code}\n\n")), "{code}: the title");
        assert!(page.text.contains("\n## What to do\n"), "{code}: what to do is missing");
        // A command that was not carried out has no text that shows it.
        if !is_finding {
            continue;
        }
        assert!(page.text.contains("\n## Example\n"), "{code}: an example is missing");
        let outcomes = example::run(&page);
        assert!(!outcomes.is_empty(), "{code}: there is no example");
        for outcome in outcomes {
            let (word, exit) = match outcome.kind {
                _ if outcome.ok => ("warning", 0),
                Kind::Results => ("error", 15),
                Kind::Draft | Kind::Patch | Kind::Policy => ("error", 10),
            };
            assert_eq!(outcome.exit, exit, "{code}: {}", outcome.output);
            assert!(outcome.output.contains(&format!("{word}[{code}]")), "{}", outcome.output);
            let shown = outcome.shown.unwrap_or_else(|| panic!("{code}: no output is shown"));
            page.is_really(&shown, findings(&outcome.output));
        }
        page.settle();
    }
}

/// The findings alone: what stands before the verdict.
fn findings(output: &str) -> String {
    let end =
        ["\nrefused:", "\nbroken:", "\ngood:"].iter().find_map(|verdict| output.find(verdict));
    format!("{}\n", output[..end.expect("there is a verdict")].trim_end())
}
