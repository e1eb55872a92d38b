//! Choosing steps and hunks on a screen of its own.

use std::io;

use super::Terminal;
use super::document::Document;
use super::key::Key;
use super::pager::Pager;
use super::prompt::{keys, rows, screen};
use super::selection::Selection;
use super::terminal::Event;
use crate::paint::Look;

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

/// The number of a hunk, while it is typed.
#[derive(Default)]
struct Typed(Option<u32>);

impl Typed {
    /// Takes a digit; the number, once no further digit can belong to it.
    fn digit(&mut self, digit: u32, count: u32) -> Option<u32> {
        let number = self.0.take().unwrap_or_default().saturating_mul(10).saturating_add(digit);
        if number > 0 && number.saturating_mul(10) <= count {
            self.0 = Some(number);
            return None;
        }
        Some(number)
    }

    /// What is told while there is more to type.
    fn told(&self) -> Option<String> {
        self.0.map(|number| format!("hunk {number}_   another digit, or Enter for hunk {number}"))
    }
}

/// Lets the person choose; `about` has everything about a step.
pub(super) fn select(
    terminal: &mut Terminal,
    selection: &mut Selection,
    about: &dyn Fn(&str, Look) -> Document,
) -> io::Result<Selected> {
    let mut cursor = 0;
    let mut said = selection.count();
    let mut typed = Typed::default();
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
        let event = terminal.event()?;
        // Any key but a digit ends a number; Enter takes it, the others leave it.
        let ended = match &event {
            Event::Key(Key::Char('0'..='9')) | Event::Resized | Event::Tick => None,
            Event::Key(_) | Event::Closed => typed.0.take(),
        };
        match event {
            Event::Closed | Event::Key(Key::Interrupt | Key::EndOfInput) => {
                return Ok(Selected::Gone);
            }
            Event::Key(Key::Enter) if ended.is_some() => {
                said = selection.toggle_hunk(cursor, ended.unwrap_or_default());
            }
            Event::Key(Key::Escape) if ended.is_some() => said = selection.count(),
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
            Event::Key(Key::Char(digit @ '0'..='9')) => {
                let digit = digit.to_digit(10).unwrap_or_default();
                said = match typed.digit(digit, selection.count_of(cursor)) {
                    Some(number) => selection.toggle_hunk(cursor, number),
                    None => typed.told().unwrap_or_default(),
                };
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
    let hunks = match selection.count_of(cursor) {
        0 => String::new(),
        count => format!("1 to {count}: hunk by hunk"),
    };
    let choose = [
        "up, down: move",
        "n, p: other file",
        "space, x: choose or leave out",
        hunks.as_str(),
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
