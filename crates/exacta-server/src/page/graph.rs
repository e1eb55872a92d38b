//! The steps of a plan as a graph, drawn as SVG: what needs what, from left to right.

use exacta_core::review::ReviewedStep;
use maud::{Markup, html};

/// Larger graphs tell nobody anything; the list of steps says the same.
const MOST_STEPS: usize = 80;
const WIDTH: usize = 168;
const HEIGHT: usize = 34;
const ACROSS: usize = 48;
const DOWN: usize = 14;
/// So many characters of an id fit into a box; the list has all of them.
const LABEL: usize = 20;

/// A step's place and how it stands.
pub(super) struct Node {
    pub(super) id: String,
    pub(super) needs: Vec<usize>,
    /// How it stands, as a class; none before a run.
    pub(super) state: Option<&'static str>,
    /// What it does, for whoever points at it.
    pub(super) says: String,
}

/// The nodes of a plan that has not run.
pub(super) fn nodes(steps: &[ReviewedStep]) -> Vec<Node> {
    let node = |step: &ReviewedStep| {
        let says: Vec<String> = step.effects.iter().map(exacta_core::review::Row::text).collect();
        let (id, needs) = (step.id.clone(), step.needs.clone());
        Node { id, needs, state: None, says: says.join("; ") }
    };
    steps.iter().map(node).collect()
}

/// The graph; nothing where there is nothing to see in one.
pub(super) fn graph(nodes: &[Node]) -> Markup {
    let edges: usize = nodes.iter().map(|node| node.needs.len()).sum();
    if nodes.len() < 2 || nodes.len() > MOST_STEPS || edges == 0 {
        return html! {};
    }
    let mut columns: Vec<usize> = Vec::new();
    for node in nodes {
        // Steps stand in the order they run, so what one needs is placed before it.
        let deepest = node.needs.iter().filter_map(|need| columns.get(*need)).max();
        columns.push(deepest.map_or(0, |column| column + 1));
    }
    let mut rows: Vec<usize> = Vec::new();
    let mut used: Vec<usize> = vec![0; nodes.len() + 1];
    for column in &columns {
        let row = used.get_mut(*column).map_or(0, |used| {
            *used += 1;
            *used - 1
        });
        rows.push(row);
    }
    let at = |index: usize| {
        let (column, row) = (columns.get(index).copied(), rows.get(index).copied());
        let x = column.unwrap_or(0) * (WIDTH + ACROSS) + 4;
        let y = row.unwrap_or(0) * (HEIGHT + DOWN) + 4;
        (x, y)
    };
    let width =
        (columns.iter().max().map_or(0, |column| column + 1)) * (WIDTH + ACROSS) - ACROSS + 8;
    let height = used.iter().max().copied().unwrap_or(1) * (HEIGHT + DOWN) - DOWN + 8;
    let label = |id: &str| {
        let short: String = id.chars().take(LABEL).collect();
        if short.len() < id.len() { format!("{short}…") } else { short }
    };
    html! {
        div.graph tabindex="0" role="group" aria-label="graph of the steps" {
            svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="img" aria-label={ (nodes.len()) " steps; the list says what each needs" } {
                @for (index, node) in nodes.iter().enumerate() {
                    @for need in &node.needs {
                        @let (from, to) = (at(*need), at(index));
                        @let (x1, y1) = (from.0 + WIDTH, from.1 + HEIGHT / 2);
                        @let (x2, y2) = (to.0, to.1 + HEIGHT / 2);
                        path.edge d={
                            "M" (x1) " " (y1) " C" (x1 + ACROSS / 2) " " (y1) " "
                            (x2.saturating_sub(ACROSS / 2)) " " (y2) " " (x2) " " (y2)
                        } {}
                    }
                }
                @for (index, node) in nodes.iter().enumerate() {
                    @let (x, y) = at(index);
                    g class={ "node " (node.state.unwrap_or("")) } {
                        title { (node.id) ": " (node.says) }
                        rect x=(x) y=(y) width=(WIDTH) height=(HEIGHT) rx="6" {}
                        text x=(x + 10) y=(y + 21) { (label(&node.id)) }
                    }
                }
            }
        }
    }
}
