//! The difference of two images: unified or side by side, hunk by hunk, nothing cut off.

use std::collections::BTreeSet;

use exacta_core::model::digest::Digest;
use exacta_core::review::{Difference, Dump, Hunk, Line, Position, Row, RowKind};
use maud::{Markup, html};

use super::marks::Marks;
use super::row::{fragment, spans};

/// How differences are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// Removed and added lines below each other.
    #[default]
    Unified,
    /// Beside each other.
    Split,
}

impl Layout {
    /// The word in addresses.
    #[must_use]
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Split => "split",
        }
    }

    /// The layout that a word in an address means.
    #[must_use]
    pub(super) fn named(word: Option<&str>) -> Self {
        if word == Some("split") { Self::Split } else { Self::Unified }
    }
}

/// Everything that drawing a difference needs besides itself.
pub(super) struct Drawing<'a> {
    /// How.
    pub(super) layout: Layout,
    /// Where it stands in the review.
    pub(super) at: (usize, usize),
    /// The rows that findings lead to.
    pub(super) targets: &'a BTreeSet<(usize, usize, usize)>,
    /// What moved, what only changes white space.
    pub(super) marks: &'a Marks,
    /// Where more lines of the file come from; none where they cannot be had.
    pub(super) context: Option<&'a str>,
    /// How many lines the image after has.
    pub(super) lines_after: usize,
    /// Whether hunks can be chosen, and under which step.
    pub(super) choose: Option<&'a str>,
}

/// The whole difference as a table.
pub(super) fn difference(one: &Difference, drawing: &Drawing<'_>) -> Markup {
    let split = drawing.layout == Layout::Split;
    let mut bodies: Vec<Markup> = Vec::new();
    let mut hunks = one.hunks.iter();
    let mut shown: (usize, usize) = (0, 0);
    let chunks = one.rows.chunk_by(|_, next| !matches!(next.kind, RowKind::Hunk(_)));
    let mut index = 0;
    for rows in chunks {
        let hunk = hunks.next();
        if let Some(hunk) = hunk {
            let count = hunk.after.start.saturating_sub(shown.1);
            bodies.push(gap(drawing, shown, count));
            shown = (hunk.before.end, hunk.after.end);
        }
        bodies.push(chunk(one, rows, hunk, index, drawing));
        index += rows.len();
    }
    if !one.hunks.is_empty() {
        let count = drawing.lines_after.saturating_sub(shown.1);
        bodies.push(gap(drawing, shown, count));
    }
    html! {
        table.diff.split[split] data-path=(one.path) {
            caption.hide { "changes of " (one.path) }
            @if split { colgroup { col.num; col; col.num; col; } }
            @for body in &bodies { (body) }
        }
    }
}

/// Lines between two hunks, to be opened.
fn gap(drawing: &Drawing<'_>, from: (usize, usize), count: usize) -> Markup {
    let Some(context) = drawing.context.filter(|_| count > 0) else { return html! {} };
    let href = format!(
        "{context}&before={}&after={}&count={count}&view={}",
        from.0,
        from.1,
        drawing.layout.as_str()
    );
    let words = if count == 1 { "show 1 line".into() } else { format!("show {count} lines") };
    html! {
        tbody.gap { tr { td colspan="4" {
            a.expand href=(href) { (words) }
        } } }
    }
}

/// One hunk.
fn chunk(
    one: &Difference,
    rows: &[Row],
    hunk: Option<&Hunk>,
    index: usize,
    drawing: &Drawing<'_>,
) -> Markup {
    let (part, block) = drawing.at;
    let (head, lines) = match rows.split_first() {
        Some((head, lines)) if matches!(head.kind, RowKind::Hunk(_)) => (Some(head), lines),
        _ => (None, rows),
    };
    let first = index + usize::from(head.is_some());
    let number = hunk.map(|hunk| hunk.number);
    let spaces = drawing.marks.only_spaces((part, block, index));
    let moved = lines
        .iter()
        .enumerate()
        .any(|(at, _)| drawing.marks.moved((part, block, first + at)).is_some());
    let id = format!("h{part}-{block}-{}", number.unwrap_or(0));
    html! {
        tbody.hunk id=(id) data-hunk=[number] data-step=[one.step.as_deref()]
            data-mark=(mark(one, lines)) {
            @if let Some(head) = head {
                tr.head { td colspan="4" { div.headline {
                    @if let (Some(step), Some(number)) = (drawing.choose, number) {
                        label.take title="take this hunk (x)" {
                            input type="checkbox" form="parts" name="hunk" checked
                                value={ (step) ":" (number) };
                            " take"
                        }
                    }
                    span.where { (spans(&head.spans)) }
                    @if spaces { span.tag { "only white space differs" } }
                    @if moved { span.tag { "has lines that moved" } }
                    @if one.hunks.len() > 1 {
                        label.seen title="mark as reviewed (v)" hidden {
                            input type="checkbox" data-seen=(id); " reviewed"
                        }
                    }
                } } }
            }
            @if drawing.layout == Layout::Split {
                @for pair in pairs(lines, first) { (side_by_side(pair, (part, block), drawing)) }
            } @else {
                @for (at, row) in lines.iter().enumerate() {
                    (unified(row, (part, block, first + at), drawing))
                }
            }
        }
    }
}

/// How many digits of a hash tell one thing of a plan from another.
const MARK: usize = 16;

/// A word for what somebody has looked at: the same as long as it says the same.
pub(super) fn mark_of(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string().chars().take(MARK).collect()
}

/// The mark of a hunk. Line numbers do not count, so that it stays the same when lines are
/// added elsewhere.
fn mark(one: &Difference, lines: &[Row]) -> String {
    let mut text = format!("{}\n{}\n", one.path, one.step.as_deref().unwrap_or_default());
    for row in lines {
        if let RowKind::Line(line) = row.kind {
            text.push_str(sign(line).1);
        }
        text.push_str(&row.text());
        text.push('\n');
    }
    mark_of(&text)
}

/// What a row's line is: its class, its sign.
fn sign(line: Line) -> (&'static str, &'static str) {
    match (line.before, line.after) {
        (Some(_), None) => ("del", "-"),
        (None, _) => ("add", "+"),
        (Some(_), Some(_)) => ("", " "),
    }
}

fn id_of(at: (usize, usize, usize), drawing: &Drawing<'_>) -> Option<String> {
    let place = Position { part: at.0, block: at.1, row: at.2 };
    drawing.targets.contains(&at).then(|| fragment(place))
}

fn unended(line: Line) -> Markup {
    html! { @if line.unended { span.quiet { " no newline at the end" } } }
}

fn unified(row: &Row, at: (usize, usize, usize), drawing: &Drawing<'_>) -> Markup {
    let RowKind::Line(line) = row.kind else {
        return html! { tr { td colspan="4" { (spans(&row.spans)) } } };
    };
    let (class, sign) = sign(line);
    let moved = drawing.marks.moved(at);
    let class = if moved.is_some() { format!("{class} mv") } else { class.to_owned() };
    html! {
        tr class=[Some(class).filter(|class| !class.is_empty())] id=[id_of(at, drawing)] title=[moved] {
            td.n { @if let Some(number) = line.before { (number) } }
            td.n { @if let Some(number) = line.after { (number) } }
            td.s { (sign) }
            td.c { (spans(&row.spans)) (unended(line)) }
        }
    }
}

/// A row on the left, one on the right; the same one where a line stays.
type Pair<'r> = (Option<(usize, &'r Row)>, Option<(usize, &'r Row)>);

/// Lines that stand for each other, in their order; what is left over stands alone.
fn beside<'r>(old: &mut Vec<(usize, &'r Row)>, new: &mut Vec<(usize, &'r Row)>) -> Vec<Pair<'r>> {
    let count = old.len().max(new.len());
    let lines = (0..count).map(|at| (old.get(at).copied(), new.get(at).copied())).collect();
    old.clear();
    new.clear();
    lines
}

/// Removed and added lines beside each other, in their order.
fn pairs(rows: &[Row], first: usize) -> Vec<Pair<'_>> {
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for (at, row) in rows.iter().enumerate() {
        let here = (first + at, row);
        match row.kind {
            RowKind::Line(Line { before: Some(_), after: None, .. }) => old.push(here),
            RowKind::Line(Line { before: None, .. }) => new.push(here),
            _ => {
                pairs.extend(beside(&mut old, &mut new));
                pairs.push((Some(here), Some(here)));
            }
        }
    }
    pairs.extend(beside(&mut old, &mut new));
    pairs
}

fn side_by_side(pair: Pair<'_>, at: (usize, usize), drawing: &Drawing<'_>) -> Markup {
    let half = |one: Option<(usize, &Row)>, left: bool| -> Markup {
        let Some((index, row)) = one else {
            return html! { td.n {} td.c.none {} };
        };
        let RowKind::Line(line) = row.kind else {
            return html! { td.n {} td.c { (spans(&row.spans)) } };
        };
        let number = if left { line.before } else { line.after };
        let stays = line.before.is_some() && line.after.is_some();
        let here = (at.0, at.1, index);
        let id = id_of(here, drawing).filter(|_| !stays || !left);
        let moved = drawing.marks.moved(here);
        let class = match (stays, left) {
            (true, _) => "c",
            (false, true) => "c del",
            (false, false) => "c add",
        };
        let class = if moved.is_some() { format!("{class} mv") } else { class.to_owned() };
        let spoken = match (stays, left) {
            (true, _) => None,
            (false, true) => Some("removed "),
            (false, false) => Some("added "),
        };
        html! {
            td.n { @if let Some(number) = number { (number) } }
            td class=(class) id=[id] title=[moved] {
                @if let Some(spoken) = spoken { span.hide { (spoken) } }
                (spans(&row.spans)) (unended(line))
            }
        }
    };
    html! { tr { (half(pair.0, true)) (half(pair.1, false)) } }
}

/// Lines that stay, for a gap that was opened. `before` and `after` count from 0.
pub(super) fn context(lines: &[Row], before: u32, after: u32, layout: Layout) -> Markup {
    html! {
        @for (at, row) in (0_u32..).zip(lines) {
            tr {
                td.n { (before + at + 1) }
                @if layout == Layout::Split { td.c { (spans(&row.spans)) } }
                td.n { (after + at + 1) }
                @if layout == Layout::Unified { td.s { " " } }
                td.c { (spans(&row.spans)) }
            }
        }
    }
}

/// Every byte of an image that is not text.
pub(super) fn dump(dump: &Dump) -> Markup {
    html! {
        pre.dump {
            @for index in 0..dump.len() { (spans(&dump.row(index).spans)) "\n" }
        }
    }
}
