//! The differences of a plan, a section a file, with what can be chosen, commented and opened.

use std::collections::BTreeSet;

use exacta_core::review::{
    Block, FileState, Part, PartKind, Position, Review, ReviewedFile, RowKind,
};
use maud::{Markup, html};

use super::difference::{self, Drawing, Layout};
use super::marks::Marks;
use super::plan::{PlanView, escaped};
use super::row::words;
use super::tree;

/// Every row that a finding leads to.
fn targets(review: &Review) -> BTreeSet<(usize, usize, usize)> {
    let mut targets = BTreeSet::new();
    for block in review.parts.iter().flat_map(|part| &part.blocks) {
        let Block::Rows(rows) = block else { continue };
        let places = rows.iter().filter_map(|row| row.anchor.as_ref()?.place);
        targets.extend(places.map(|Position { part, block, row }| (part, block, row)));
    }
    targets
}

/// The step whose hunks of this file can be taken one by one.
pub(super) fn choosable<'r>(review: &'r Review, file: &'r ReviewedFile) -> Option<&'r str> {
    let [step] = file.steps.as_slice() else { return None };
    let alone = review.steps.iter().any(|one| one.id == *step && one.paths.len() == 1);
    (file.state == FileState::Modified && file.renamed.is_none() && alone).then_some(step.as_str())
}

/// The differences, a section a file.
pub(super) fn changes(view: &PlanView<'_>) -> Markup {
    let review = view.review;
    let (marks, targets) = (&Marks::of(review), &targets(review));
    let found = review.parts.iter().enumerate().find(|(_, part)| part.kind == PartKind::Changes);
    let Some((at, part)) = found else { return html! {} };
    let sections = sections(part);
    let href = view.href();
    let other = match view.layout {
        Layout::Unified => Layout::Split,
        Layout::Split => Layout::Unified,
    };
    let decides = view.waits() && review.obstacle.is_none();
    html! {
        section.changes aria-labelledby="changes" {
            div.bar {
                h2 #changes { "Changes" span.quiet { " (" (review.files.len()) ")" } }
                a.button #layout href={ (href) "?view=" (other.as_str()) "#changes" } {
                    @if other == Layout::Split { "Side by side " } @else { "Unified " } kbd { "u" }
                }
            }
            @for (index, file) in review.files.iter().enumerate() {
                @let blocks = sections.get(index).map(Vec::as_slice).unwrap_or_default();
                @let (letter, word, class) = tree::state(file.state);
                @let choose = choosable(review, file).filter(|_| decides);
                article.file id={ "f" (index) } data-path=(file.path) {
                    header {
                        h3 {
                            button.fold type="button" hidden aria-expanded="true" aria-label={ "fold " (file.path) } {}
                            span class={ "letter " (class) } { (letter) }
                            " " span.path { (file.path) }
                        }
                        span.quiet {
                            (word)
                            @if let Some(other) = &file.renamed { " (" (other) ")" }
                            @if file.mode_before != file.mode_after {
                                @if let (Some(was), Some(is)) = (file.mode_before, file.mode_after) {
                                    " " span.warn { "mode " (was) " → " (is) }
                                }
                            }
                        }
                        span.counts { span.plus { "+" (file.added) } " " span.minus { "−" (file.removed) } }
                        @if let Some(since) = view.since { (super::since::of_file(since, file.path.as_str())) }
                        @for step in &file.steps { code.step title="the step that does it" { (step) } }
                        @if let Some(step) = choose.filter(|_| has_hunks(blocks)) {
                            input type="hidden" form="parts" name="hunked" value=(step);
                        }
                        @if view.editor && file.state != FileState::Created {
                            form.open method="post" action={ (href) "/open" } {
                                input type="hidden" name="token" value=(view.token);
                                input type="hidden" name="plan_hash" value=(view.status.plan_hash);
                                input type="hidden" name="path" value=(file.path);
                                input type="hidden" name="line" value=(first_line(blocks));
                                button.plain title="opens the file as it is now, at this line" { "Open in editor" }
                            }
                        }
                        label.seen title="mark the file as reviewed and fold it (f)" hidden {
                            input type="checkbox" data-file-seen=(difference::mark_of(&format!("{} {:?} {:?}", file.path, file.after, file.mode_after))); " reviewed"
                        }
                        @if decides {
                            details.comment { summary { "Comment" }
                                input type="hidden" form="parts" name="place" value={ "lines:after:1:1:" (file.path) };
                                label.hide for={ "c" (index) } { "Comment on " (file.path) }
                                textarea id={ "c" (index) } form="parts" name="comment" rows="2" {}
                            }
                        }
                    }
                    @for (block, one) in blocks {
                        @match one {
                            Block::Rows(rows) => {
                                @for row in rows.iter().filter(|row| !row.spans.is_empty() && row.kind != RowKind::File) { (words(row)) }
                            }
                            Block::Dump(dump) => (difference::dump(dump)),
                            Block::Difference(one) => {
                                @let step = one.step.as_deref();
                                @let more = format!("{href}/context?path={}&step={}", escaped(one.path.as_str()), escaped(step.unwrap_or_default()));
                                @let length = view.lengths.get(&(one.path.as_str().to_owned(), one.step.clone())).copied();
                                (difference::difference(one, &Drawing {
                                    layout: view.layout,
                                    at: (at, *block),
                                    targets,
                                    marks,
                                    context: length.map(|_| more.as_str()),
                                    lines_after: length.unwrap_or_default(),
                                    choose: choose.filter(|_| one.hunks.len() > 1),
                                }))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The first line that differs.
fn first_line(blocks: &[(usize, Block)]) -> usize {
    let hunks = blocks.iter().find_map(|(_, block)| match block {
        Block::Difference(one) => one.hunks.first(),
        _ => None,
    });
    let first = hunks
        .map(|hunk| hunk.changes.first().map_or(hunk.before.start, |changed| changed.before.start));
    first.unwrap_or_default().saturating_add(1)
}

/// Whether there is more than one hunk to choose from.
fn has_hunks(blocks: &[(usize, Block)]) -> bool {
    blocks.iter().any(|(_, block)| matches!(block, Block::Difference(one) if one.hunks.len() > 1))
}

/// The blocks of the part, file by file: each begins with the row that names it.
fn sections(part: &Part) -> Vec<Vec<(usize, Block)>> {
    let mut sections: Vec<Vec<(usize, Block)>> = Vec::new();
    for (index, block) in part.blocks.iter().enumerate() {
        match block {
            Block::Rows(rows) => {
                let mut from = 0;
                for (at, row) in rows.iter().enumerate() {
                    if row.kind != RowKind::File {
                        continue;
                    }
                    push(&mut sections, index, rows.get(from..at).unwrap_or_default());
                    sections.push(Vec::new());
                    from = at;
                }
                push(&mut sections, index, rows.get(from..).unwrap_or_default());
            }
            other => {
                if let Some(last) = sections.last_mut() {
                    last.push((index, other.clone()));
                }
            }
        }
    }
    sections
}

fn push(sections: &mut [Vec<(usize, Block)>], index: usize, rows: &[exacta_core::review::Row]) {
    if let Some(last) = sections.last_mut().filter(|_| !rows.is_empty()) {
        last.push((index, Block::Rows(rows.to_vec())));
    }
}
