//! The fenced blocks of a Markdown page.

use std::ops::Range;

/// A fenced block: its info string and where its text stands in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) info: String,
    pub(crate) text: Range<usize>,
}

/// Every fenced block, in order. A block closes with as many backticks as it opened.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<(&str, String, usize)> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let row = line.trim_end();
        let ticks = row.len() - row.trim_start_matches('`').len();
        let (fence, info) = row.split_at(ticks);
        match &open {
            None if ticks >= 3 => open = Some((fence, info.into(), at + line.len())),
            Some((opened, name, start)) if *opened == fence && info.is_empty() => {
                all.push(Block { info: name.clone(), text: *start..at });
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    assert!(open.is_none(), "a block is not closed");
    all
}

#[test]
fn a_longer_fence_holds_a_shorter_one() {
    let page = "a\n````text draft\n```json\n{}\n```\n````\n```text\nx\n```\n";
    let found: Vec<_> = blocks(page).into_iter().map(|b| (b.info, &page[b.text])).collect();
    assert_eq!(
        found,
        [("text draft".into(), "```json\n{}\n```\n"), ("text".into(), "x\n")]
            as [(String, &str); 2]
    );
}
