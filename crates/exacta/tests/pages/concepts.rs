//! `docs/concepts/`: a draft that is shown as good is accepted, any other is refused.

use super::example;
use super::page::Page;

#[test]
fn the_examples_of_the_pages_are_what_they_say() {
    for name in ["plan", "policy"] {
        examples(Page::read(&format!("docs/concepts/{name}.md")));
    }
}

fn examples(mut page: Page) {
    let outcomes = example::run(&page);
    assert!(outcomes.iter().any(|outcome| outcome.ok));
    for outcome in outcomes {
        // A good plan may run alone (0) or wait for a person (11).
        let good = matches!(outcome.exit, 0 | 11);
        assert_eq!(good, outcome.ok, "{}: {}", outcome.exit, outcome.output);
        if let Some(shown) = outcome.shown {
            page.is_really(&shown, outcome.output);
        }
    }
    page.settle();
}
