//! The steps of a plan as a graph of drawn: a lane goes from a step to those that need it.

use exacta_core::review::ReviewedStep;

/// One lane: the step that it comes from, while others still need it.
type Lane = Option<usize>;

/// The graph, a line or two a step: what is drawn, and which step stands behind it.
pub(super) fn graph(steps: &[ReviewedStep]) -> Vec<(String, Option<usize>)> {
    let mut left: Vec<usize> = steps
        .iter()
        .enumerate()
        .map(|(at, _)| steps.iter().filter(|step| step.needs.contains(&at)).count())
        .collect();
    let mut lanes: Vec<Lane> = Vec::new();
    let mut drawn = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let into: Vec<usize> = (0..lanes.len())
            .filter(|lane| source(&lanes, *lane).is_some_and(|from| step.needs.contains(&from)))
            .collect();
        for need in &step.needs {
            if let Some(left) = left.get_mut(*need) {
                *left = left.saturating_sub(1);
            }
        }
        let ends = |lane: usize| {
            source(&lanes, lane).is_none_or(|from| left.get(from).is_none_or(|left| *left == 0))
        };
        let reused = into.iter().copied().find(|lane| ends(*lane));
        let own = reused
            .or_else(|| (0..lanes.len()).find(|lane| source(&lanes, *lane).is_none()))
            .unwrap_or(lanes.len());
        if into.iter().any(|lane| *lane != own) {
            drawn.push((joint(&lanes, &into, own, &ends), None));
        }
        let ended: Vec<usize> = (0..lanes.len()).filter(|lane| ends(*lane)).collect();
        for lane in ended {
            if let Some(lane) = lanes.get_mut(lane) {
                *lane = None;
            }
        }
        if own == lanes.len() {
            lanes.push(None);
        }
        let node: Vec<&str> = (0..lanes.len())
            .map(|lane| match (lane == own, source(&lanes, lane)) {
                (true, _) => "●",
                (false, Some(_)) => "│",
                (false, None) => " ",
            })
            .collect();
        drawn.push((node.join(" ").trim_end().to_owned(), Some(at)));
        if let Some(lane) = lanes.get_mut(own) {
            *lane = left.get(at).is_some_and(|left| *left > 0).then_some(at);
        }
        while lanes.last().is_some_and(Option::is_none) {
            lanes.pop();
        }
    }
    drawn
}

fn source(lanes: &[Lane], lane: usize) -> Option<usize> {
    lanes.get(lane).copied().flatten()
}

/// The line above a step that lanes lead into from the side.
fn joint(lanes: &[Lane], into: &[usize], own: usize, ends: &dyn Fn(usize) -> bool) -> String {
    let first = into.iter().copied().chain([own]).min().unwrap_or(own);
    let last = into.iter().copied().chain([own]).max().unwrap_or(own);
    let mut line = String::new();
    for lane in 0..=lanes.len().max(own.saturating_add(1)).saturating_sub(1) {
        let (left, right) = (lane > first && lane <= last, lane >= first && lane < last);
        let above = source(lanes, lane).is_some();
        let below = if lane == own { true } else { above && !(into.contains(&lane) && ends(lane)) };
        let joins = lane == own || into.contains(&lane);
        line.push_str(match (joins, left, right, above, below) {
            (true, false, true, true, true) => "├",
            (true, true, false, true, true) => "┤",
            (true, _, _, true, true) | (false, true, true, true, _) => "┼",
            (true, false, true, true, false) => "╰",
            (true, true, false, true, false) => "╯",
            (true, true, true, true, false) => "┴",
            (true, false, true, false, _) => "╭",
            (true, true, false, false, _) => "╮",
            (true, true, true, false, _) => "┬",
            (_, false, false, true, _) => "│",
            (_, true, true, false, _) => "─",
            _ => " ",
        });
        line.push_str(if right { "─" } else { " " });
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(needs: &[&[usize]]) -> String {
        let steps: Vec<ReviewedStep> = needs
            .iter()
            .enumerate()
            .map(|(at, needs)| ReviewedStep {
                id: format!("s{at}"),
                needs: needs.to_vec(),
                paths: Vec::new(),
                effects: Vec::new(),
            })
            .collect();
        let lines = graph(&steps).into_iter();
        let lines = lines.map(|(line, step)| match step {
            Some(step) => format!("{line} s{step}"),
            None => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_chain_is_one_lane() {
        assert_eq!(drawn(&[&[], &[0], &[1]]), "● s0\n● s1\n● s2");
    }

    #[test]
    fn lanes_part_and_meet() {
        // Two independent steps that a third needs, and one that nobody needs.
        assert_eq!(drawn(&[&[], &[], &[0, 1], &[]]), "● s0\n│ ● s1\n├─╯\n● s2\n● s3");
        // One that two need, and a last one that needs both.
        assert_eq!(drawn(&[&[], &[0], &[0], &[1, 2]]), "● s0\n├─╮\n│ ● s1\n● │ s2\n├─╯\n● s3");
    }

    #[test]
    fn every_step_is_there_once_whatever_the_graph() {
        for count in 1..6_usize {
            for bits in 0..(1_u32 << (count * (count - 1) / 2)) {
                let mut at = 0;
                let needs: Vec<Vec<usize>> = (0..count)
                    .map(|step| {
                        (0..step)
                            .filter(|_| {
                                at += 1;
                                bits >> (at - 1) & 1 == 1
                            })
                            .collect()
                    })
                    .collect();
                let needs: Vec<&[usize]> = needs.iter().map(Vec::as_slice).collect();
                let drawn = drawn(&needs);
                assert_eq!(drawn.matches('●').count(), count, "{needs:?}\n{drawn}");
            }
        }
    }
}
