//! What is chosen of a plan: what a step needs comes with it, what needs it goes with it.

use std::collections::BTreeSet;

use exacta_core::review::{Block, FileState, Review, ReviewedFile};
use exacta_engine::gate::Parts;

use super::Kept;
use crate::paint::{Look, lines_of, one_line};

/// More names than this are counted instead.
const MOST_NAMED: usize = 12;

/// Steps in execution order, each with what it needs, chosen or not.
pub(super) struct Selection {
    pub(super) ids: Vec<String>,
    /// The same as a person may see them.
    pub(super) names: Vec<String>,
    pub(super) about: Vec<String>,
    /// The files of each step, for lists that have no room for more.
    files: Vec<String>,
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
    pub(super) chosen: Vec<bool>,
    /// How many hunks of each step can be taken one by one.
    hunks: Vec<u32>,
    /// Those of them that are left out.
    pub(super) left: Vec<BTreeSet<u32>>,
}

/// How many hunks of a step can be taken one by one: those of the one file that it modifies.
pub(super) fn hunks_of(review: &Review, id: &str) -> u32 {
    let alone = |file: &&ReviewedFile| {
        file.state == FileState::Modified && file.renamed.is_none() && file.steps == [id]
    };
    let step = review.steps.iter().find(|step| step.id == id);
    if step.is_none_or(|step| step.paths.len() != 1) || !review.files.iter().any(|f| alone(&f)) {
        return 0;
    }
    let mut blocks = review.parts.iter().flat_map(|part| &part.blocks);
    let count = blocks.find_map(|block| match block {
        Block::Difference(one) if one.step.as_deref() == Some(id) => Some(one.hunks.len()),
        _ => None,
    });
    count.filter(|count| *count > 1).and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
}

impl Selection {
    /// All steps, all chosen.
    pub(super) fn all(review: &Review, look: Look) -> Self {
        let count = review.steps.len();
        let mut selection = Self {
            ids: Vec::new(),
            names: Vec::new(),
            about: Vec::new(),
            files: Vec::new(),
            needs: Vec::new(),
            needed_by: vec![Vec::new(); count],
            chosen: vec![true; count],
            hunks: Vec::new(),
            left: vec![BTreeSet::new(); count],
        };
        for (place, step) in review.steps.iter().enumerate() {
            for need in &step.needs {
                selection.needed_by.get_mut(*need).into_iter().for_each(|list| list.push(place));
            }
            let effects = step.effects.iter().map(|row| lines_of(row, look, 0).concat());
            selection.about.push(effects.collect::<Vec<_>>().join("; "));
            let paths = step.paths.iter().map(|path| one_line(path.as_str(), look));
            selection.files.push(paths.collect::<Vec<_>>().join(", "));
            selection.names.push(one_line(&step.id, look));
            selection.hunks.push(hunks_of(review, &step.id));
            selection.ids.push(step.id.clone());
            selection.needs.push(step.needs.clone());
        }
        selection
    }

    /// The chosen steps.
    pub(super) fn chosen(&self) -> Vec<String> {
        self.picked(true)
    }

    /// The others.
    pub(super) fn left_out(&self) -> Vec<String> {
        self.picked(false)
    }

    /// What is left out.
    pub(super) fn kept(&self) -> Kept {
        let steps = self.left_out().into_iter().collect();
        let partly = self.ids.iter().zip(&self.chosen).zip(&self.left);
        let partly = partly.filter(|((_, chosen), left)| **chosen && !left.is_empty());
        let hunks = partly.map(|((id, _), left)| (id.clone(), left.clone())).collect();
        Kept { steps, hunks }
    }

    /// Leaves out what was left out before.
    pub(super) fn leave_out(&mut self, kept: &Kept) {
        for at in 0..self.ids.len() {
            let Some(id) = self.ids.get(at).cloned() else { continue };
            let chosen = self.chosen.get(at).copied().unwrap_or_default();
            if chosen && kept.steps.contains(&id) {
                self.toggle(at);
            } else if chosen && let Some(hunks) = kept.hunks.get(&id) {
                for number in hunks {
                    self.toggle_hunk(at, *number);
                }
            }
        }
    }

    /// Whether anything is left out.
    pub(super) fn leaves_out(&self) -> bool {
        self.is_partial() || self.chosen.contains(&false)
    }

    /// Whether hunks of a chosen step are left out.
    pub(super) fn is_partial(&self) -> bool {
        self.chosen.iter().zip(&self.left).any(|(chosen, left)| *chosen && !left.is_empty())
    }

    /// What is chosen: whole steps, and hunks of the others.
    pub(super) fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        for (at, id) in self.ids.iter().enumerate() {
            if !self.chosen.get(at).copied().unwrap_or_default() {
                continue;
            }
            match self.left.get(at).filter(|left| !left.is_empty()) {
                None => drop(parts.steps.insert(id.clone())),
                Some(left) => {
                    let all = 1..=self.hunks.get(at).copied().unwrap_or_default();
                    let taken = all.filter(|number| !left.contains(number)).collect();
                    parts.hunks.insert(id.clone(), taken);
                }
            }
        }
        parts
    }

    /// The hunks of a step that are taken, in words; nothing where all are.
    pub(super) fn taken(&self, step: usize) -> String {
        let (Some(count), Some(left)) = (self.hunks.get(step), self.left.get(step)) else {
            return String::new();
        };
        if left.is_empty() {
            return String::new();
        }
        let taken: Vec<u32> = (1..=*count).filter(|number| !left.contains(number)).collect();
        format!(", {} of {count}", hunks(&taken))
    }

    /// How many hunks of a step can be taken one by one.
    pub(super) fn count_of(&self, step: usize) -> u32 {
        self.hunks.get(step).copied().unwrap_or_default()
    }

    /// Takes a hunk or leaves it out, and says what that brought along.
    pub(super) fn toggle_hunk(&mut self, step: usize, number: u32) -> String {
        let count = self.count_of(step);
        let name = self.names.get(step).cloned().unwrap_or_default();
        if number == 0 || number > count {
            return match count {
                0 => format!("the hunks of {name} cannot be taken one by one"),
                _ => format!("{name} has {count} hunks"),
            };
        }
        let mut said = String::new();
        if !self.chosen.get(step).copied().unwrap_or_default() {
            said = self.toggle(step);
            if let Some(left) = self.left.get_mut(step) {
                left.extend(1..=count);
            }
        }
        if let Some(left) = self.left.get_mut(step)
            && !left.remove(&number)
        {
            left.insert(number);
        }
        let left = self.left.get(step).map_or(0, BTreeSet::len);
        if left == count as usize {
            self.left.get_mut(step).into_iter().for_each(BTreeSet::clear);
            return self.toggle(step);
        }
        if left > 0 {
            // What needs a step needs all of it.
            let mut gone = Vec::new();
            let mut open = self.needed_by.get(step).cloned().unwrap_or_default();
            while let Some(other) = open.pop() {
                if let Some(chosen) = self.chosen.get_mut(other).filter(|chosen| **chosen) {
                    *chosen = false;
                    gone.extend(self.names.get(other).cloned());
                    open.extend(self.needed_by.get(other).into_iter().flatten());
                }
            }
            if !gone.is_empty() {
                return format!("{} needs all of {name}: left out", gone.join(", "));
            }
        }
        match (said.is_empty(), left) {
            (false, _) => said,
            (true, 0) => format!("all of {name} is chosen"),
            (true, _) => format!("{name}{}", self.taken(step)),
        }
    }

    fn picked(&self, wanted: bool) -> Vec<String> {
        let steps = self.ids.iter().zip(&self.chosen);
        steps.filter(|(_, chosen)| **chosen == wanted).map(|(id, _)| id.clone()).collect()
    }

    /// The chosen steps, or the others, each with its files.
    pub(super) fn names(&self, wanted: bool) -> String {
        let picked = self.chosen.iter().enumerate().filter(|(_, chosen)| **chosen == wanted);
        let mut names: Vec<String> = picked.map(|(step, _)| self.name(step)).collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        if more > 1 {
            names.truncate(MOST_NAMED);
            names.push(format!("and {more} more"));
        }
        names.join(", ")
    }

    /// What is left out: whole steps, and hunks of the others.
    pub(super) fn left_names(&self) -> String {
        let partly = self.chosen.iter().zip(&self.left).enumerate();
        let partly = partly.filter(|(_, (chosen, left))| **chosen && !left.is_empty());
        let mut names: Vec<String> = partly
            .map(|(step, (_, left))| {
                let left: Vec<u32> = left.iter().copied().collect();
                let name = self.files.get(step).filter(|files| !files.is_empty());
                let name = name.or_else(|| self.names.get(step)).map_or("", String::as_str);
                format!("{} of {name}", hunks(&left))
            })
            .collect();
        if self.chosen.contains(&false) {
            names.push(self.names(false));
        }
        names.join(", ")
    }

    /// A step by its id and its files.
    fn name(&self, step: usize) -> String {
        let id = self.names.get(step).cloned().unwrap_or_default();
        let taken = self.taken(step);
        match self.files.get(step).filter(|files| !files.is_empty()) {
            Some(files) => format!("{id} ({files}{taken})"),
            None => id,
        }
    }

    /// Chooses all steps, or none.
    pub(super) fn choose_all(&mut self, choose: bool) -> String {
        self.chosen.fill(choose);
        self.left.fill(BTreeSet::new());
        self.count()
    }

    /// How many steps are chosen.
    pub(super) fn count(&self) -> String {
        match (self.chosen.iter().filter(|chosen| **chosen).count(), self.chosen.len()) {
            (count, all) if count == all => "all steps are chosen".into(),
            (0, _) => "no step is chosen".into(),
            (count, all) => format!("{count} of {all} steps are chosen"),
        }
    }

    /// The next step, or the one before, that touches other files than the one at `cursor`.
    pub(super) fn other_file(&self, cursor: usize, next: bool) -> usize {
        let here = self.files.get(cursor);
        let other = |at: &usize| self.files.get(*at) != here;
        let found = if next {
            (cursor..self.files.len()).find(other)
        } else {
            (0..cursor).rev().find(other)
        };
        found.unwrap_or(cursor)
    }

    /// Chooses a step or leaves it out, and says what that brought along.
    pub(super) fn toggle(&mut self, step: usize) -> String {
        let choose = !self.chosen.get(step).copied().unwrap_or_default();
        let mut along = Vec::new();
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            let Some(chosen) = self.chosen.get_mut(step).filter(|chosen| **chosen != choose) else {
                continue;
            };
            *chosen = choose;
            self.left.get_mut(step).into_iter().for_each(BTreeSet::clear);
            along.push(step);
            let along = if choose { &self.needs } else { &self.needed_by };
            open.extend(along.get(step).into_iter().flatten());
        }
        along.retain(|other| *other != step);
        along.sort_unstable();
        let name = |step: usize| self.names.get(step).map_or("", String::as_str);
        let names = along.iter().map(|step| name(*step)).collect::<Vec<_>>().join(", ");
        match (choose, along.is_empty()) {
            (true, true) => format!("{} is chosen", name(step)),
            (true, false) => format!("{0} needs {names}: chosen with it", name(step)),
            (false, true) => format!("{} is left out", name(step)),
            (false, false) => format!("{names} cannot run without {}: left out too", name(step)),
        }
    }
}

/// Hunks by their numbers; three or more in a row are a range.
fn hunks(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*number) => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let mut names: Vec<String> = Vec::new();
    for (first, last) in runs {
        match last - first {
            0 => names.push(first.to_string()),
            1 => names.extend([first.to_string(), last.to_string()]),
            _ => names.push(format!("{first} to {last}")),
        }
    }
    match names.split_last() {
        None => "no hunk".into(),
        Some((one, [])) if numbers.len() == 1 => format!("hunk {one}"),
        Some((one, [])) => format!("hunks {one}"),
        Some((last, others)) => format!("hunks {} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::hunks;

    #[test]
    fn hunks_in_a_row_are_a_range() {
        for (numbers, wanted) in [
            (&[][..], "no hunk"),
            (&[3], "hunk 3"),
            (&[1, 2], "hunks 1 and 2"),
            (&[1, 3], "hunks 1 and 3"),
            (&[1, 2, 3], "hunks 1 to 3"),
            (&[1, 2, 3, 5, 8, 9, 10], "hunks 1 to 3, 5 and 8 to 10"),
        ] {
            assert_eq!(hunks(numbers), wanted);
        }
    }
}
