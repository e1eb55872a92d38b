//! `docs/concepts/`: a draft that is shown as good is accepted, any other is refused.

use super::example;
use super::page::Page;

#[test]
fn the_drafts_of_the_plan_page_are_what_it_says() {
    let mut page = Page::read("docs/concepts/plan.md");
    let outcomes = example::run(&page);
    assert!(outcomes.iter().any(|outcome| outcome.ok));
    for outcome in outcomes {
        assert_eq!(outcome.exit, if outcome.ok { 0 } else { 10 }, "{}", outcome.output);
        if let Some(shown) = outcome.shown {
            page.is_really(&shown, outcome.output);
        }
    }
    page.settle();
}
