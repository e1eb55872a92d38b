//! The keys explained, on a screen of their own that scrolls where it is small.

use std::io;

use super::Terminal;
use super::document::Document;
use super::key::Key;
use super::pager::Pager;
use super::prompt::{draw, keys};
use super::terminal::Event;

/// What moves in a review, besides what decides.
const MOVES: [&str; 5] = [
    "space, b  a page on, and back",
    "n, p  to the next part or file, and back",
    "arrows, j, k  a line down or up",
    "g, G  to the first and to the last page",
    "/  search; N, P  to the next line found, and the one before",
];

/// Shows what decides and what moves; whether the terminal is still there afterwards.
pub(super) fn help(terminal: &mut Terminal, decides: &[&str]) -> io::Result<bool> {
    let mut document = Document::default();
    decides.iter().chain(&MOVES).for_each(|line| document.line(*line));
    let mut pager = Pager::new(document, terminal.look());
    loop {
        let width = terminal.size().0;
        let foot = |pager: &Pager| {
            let more = if pager.seen() < pager.rows() { "space, arrows: more" } else { "" };
            keys(width, [more, "Esc: back"])
        };
        let height = draw(terminal, &mut pager, &foot)?;
        match terminal.event()? {
            Event::Closed | Event::Key(Key::Interrupt | Key::EndOfInput) => return Ok(false),
            Event::Key(key) if pager.moved(&key, height) => {}
            Event::Key(_) => return Ok(true),
            Event::Resized => pager.resize(terminal.look()),
            Event::Tick => {}
        }
    }
}
