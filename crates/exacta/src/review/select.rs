//! Choosing steps and hunks: what a step needs comes with it, what needs it goes with it.

use std::collections::BTreeSet;
use std::io;

use exacta_core::review::{Block, FileState, Review, ReviewedFile};
use exacta_engine::gate::Parts;

use super::document::Document;
use super::key::Key;
use super::pager::Pager;
use super::prompt::{keys, rows, screen};
use super::terminal::Event;
use super::{Kept, Terminal};
use crate::paint::{Look, lines_of, one_line};

/// More names than this are counted instead.
const MOST_NAMED: usize = 12;

/// Steps in execution order, each with what it needs, chosen or not.
pub(super) struct Selection {
    ids: Vec<String>,
    /// The same as a person may see them.
    names: Vec<String>,
    about: Vec<String>,
    /// The files of each step, for lists that have no room for more.
    files: Vec<String>,
    needs: Vec<Vec<usize>>,
    needed_by: Vec<Vec<usize>>,
    chosen: Vec<bool>,
    /// How many hunks of each step can be taken one by one.
    hunks: Vec<u32>,
    /// Those of them that are left out.
    left: Vec<BTreeSet<u32>>,
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
    fn taken(&self, step: usize) -> String {
        let (Some(count), Some(left)) = (self.hunks.get(step), self.left.get(step)) else {
            return String::new();
        };
        if left.is_empty() {
            return String::new();
        }
        let taken: Vec<u32> = (1..=*count).filter(|number| !left.contains(number)).collect();
        format!(", {} of {count}", hunks(&taken))
    }

    /// Takes a hunk or leaves it out, and says what that brought along.
    fn toggle_hunk(&mut self, step: usize, number: u32) -> String {
        let count = self.hunks.get(step).copied().unwrap_or_default();
        let name = self.names.get(step).cloned().unwrap_or_default();
        if number > count {
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
        if said.is_empty() { format!("{name}{}", self.taken(step)) } else { said }
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
    fn choose_all(&mut self, choose: bool) -> String {
        self.chosen.fill(choose);
        self.left.fill(BTreeSet::new());
        self.count()
    }

    /// How many steps are chosen.
    fn count(&self) -> String {
        match (self.chosen.iter().filter(|chosen| **chosen).count(), self.chosen.len()) {
            (count, all) if count == all => "all steps are chosen".into(),
            (0, _) => "no step is chosen".into(),
            (count, all) => format!("{count} of {all} steps are chosen"),
        }
    }

    /// The next step, or the one before, that touches other files than the one at `cursor`.
    fn other_file(&self, cursor: usize, next: bool) -> usize {
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

/// Hunks by their numbers.
fn hunks(numbers: &[u32]) -> String {
    let names: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match names.split_last() {
        None => "no hunk".into(),
        Some((one, [])) => format!("hunk {one}"),
        Some((last, others)) => format!("hunks {} and {last}", others.join(", ")),
    }
}

/// What came of choosing.
pub(super) enum Selected {
    /// Go on with what is chosen.
    Done,
    /// The same, and say what should change in the rest.
    DoneWithRest,
    /// Back to the review.
    Back,
    /// The terminal is gone, or Ctrl-C.
    Gone,
}

/// Lets the person choose; `about` has everything about a step.
pub(super) fn select(
    terminal: &mut Terminal,
    selection: &mut Selection,
    about: &dyn Fn(&str, Look) -> Document,
) -> io::Result<Selected> {
    let mut cursor = 0;
    let mut said = selection.count();
    let mut marked: Option<(usize, Pager)> = None;
    loop {
        // Compared once, however often it is drawn.
        let mut at_cursor = marked.take().filter(|(step, _)| *step == cursor);
        let (_, pager) = at_cursor.get_or_insert_with(|| {
            let id = selection.ids.get(cursor).map_or("", String::as_str);
            (cursor, Pager::new(about(id, terminal.look()), terminal.look()))
        });
        let room = draw(terminal, selection, cursor, &said, pager)?;
        let page = isize::try_from(room).unwrap_or(1);
        let last = selection.ids.len().saturating_sub(1);
        match terminal.event()? {
            Event::Closed | Event::Key(Key::Interrupt | Key::EndOfInput) => {
                return Ok(Selected::Gone);
            }
            Event::Key(Key::Up | Key::Char('k')) => cursor = cursor.saturating_sub(1),
            Event::Key(Key::Down | Key::Char('j')) => cursor = (cursor + 1).min(last),
            Event::Key(Key::Char('n')) => cursor = selection.other_file(cursor, true),
            Event::Key(Key::Char('p')) => cursor = selection.other_file(cursor, false),
            Event::Key(Key::Char('A')) => said = selection.choose_all(true),
            Event::Key(Key::Char('N')) => said = selection.choose_all(false),
            Event::Key(Key::Home | Key::Char('g')) => cursor = 0,
            Event::Key(Key::End | Key::Char('G')) => cursor = last,
            Event::Key(Key::PageDown | Key::Char('f')) => pager.scroll(page, room),
            Event::Key(Key::PageUp | Key::Char('b')) => pager.scroll(-page, room),
            Event::Key(Key::Char(' ' | 'x')) => said = selection.toggle(cursor),
            Event::Key(Key::Char(digit @ '1'..='9')) => {
                said = selection.toggle_hunk(cursor, digit.to_digit(10).unwrap_or_default());
            }
            Event::Key(Key::Enter | Key::Char('c')) if selection.chosen().is_empty() => {
                said = "nothing is chosen; choose a step, or go back with Esc".into();
            }
            Event::Key(Key::Enter) => return Ok(Selected::Done),
            Event::Key(Key::Char('c')) => return Ok(Selected::DoneWithRest),
            Event::Key(Key::Escape | Key::Char('q')) => return Ok(Selected::Back),
            Event::Resized => at_cursor = None,
            Event::Key(_) => said = "that is not a key here".into(),
            Event::Tick => {}
        }
        marked = at_cursor;
    }
}

/// Fewer rows than this tell nothing about a step.
const FEWEST: usize = 4;

/// Draws the list and, below it, the step under the cursor; how many rows that one has.
fn draw(
    terminal: &mut Terminal,
    selection: &Selection,
    cursor: usize,
    said: &str,
    marked: &mut Pager,
) -> io::Result<usize> {
    let (width, height) = terminal.size();
    let fold = |line: String| rows(terminal, &[line]);
    let mut foot = fold(said.to_owned());
    let choose = [
        "up, down: move",
        "n, p: other file",
        "space, x: choose or leave out",
        "1 to 9: hunk by hunk",
        "PageUp, PageDown: what the step does",
    ];
    let end = ["A all", "N none", "Enter: go on", "c: and send the rest back", "Esc: back"];
    foot.extend(keys(width, choose.into_iter().chain(end)));
    let room = height.saturating_sub(foot.len() + 1).max(1);
    let mut list = Vec::new();
    let (mut from, mut to) = (0, 0);
    for (at, (name, chosen)) in selection.names.iter().zip(&selection.chosen).enumerate() {
        let pointer = if at == cursor { '>' } else { ' ' };
        let partly = selection.left.get(at).is_some_and(|left| !left.is_empty());
        let cross = match (*chosen, partly) {
            (true, true) => '~',
            (true, false) => 'x',
            (false, _) => ' ',
        };
        if at == cursor {
            from = list.len();
        }
        list.extend(fold(format!(
            "{pointer} [{cross}] {name}{}  {}",
            selection.taken(at),
            selection.about.get(at).map_or("", String::as_str)
        )));
        if at == cursor {
            to = list.len();
        }
    }
    // A long list leaves room for what the step under the cursor does; that step itself
    // stays in sight, in the middle where it can.
    let wanted = room.saturating_sub(marked.rows() + 1).max(room * 2 / 5).max(to - from);
    let listed = list.len().min(wanted);
    let top =
        from.saturating_sub(listed / 2).min(list.len() - listed).max(to.saturating_sub(listed));
    let mut page: Vec<String> = list.into_iter().skip(top).take(listed.min(room)).collect();
    let left = room.saturating_sub(page.len());
    page.extend(below(marked, left));
    screen(terminal, &page, &foot)?;
    // One row is empty, one may count.
    Ok(left.saturating_sub(2).max(1))
}

/// The step under the cursor on the rows that the list leaves, with where they stand in it.
fn below(marked: &mut Pager, room: usize) -> Vec<String> {
    if room < FEWEST {
        return Vec::new();
    }
    let mut rows = vec![String::new()];
    let room = room - 1;
    if marked.rows() <= room {
        rows.extend(marked.page(room));
        return rows;
    }
    rows.extend(marked.page(room - 1));
    let (first, all) = (marked.top() + 1, marked.rows());
    let last = (marked.top() + room - 1).min(all);
    rows.push(format!("lines {first} to {last} of {all} of this step"));
    rows
}
