//! A line of text asked for at the foot of the screen.

use std::fmt::Write as _;
use std::io;

use exacta_engine::proof::{confirmation, confirms};

use super::Terminal;
use super::key::Key;
use super::pager::Pager;
use super::terminal::Event;
use crate::paint::wrap::{self, Breaks};

/// What came of a question.
pub(super) enum Answer {
    /// Text, without white space around it.
    Text(String),
    /// The person stepped back.
    Back,
    /// The terminal is gone, or Ctrl-C.
    Gone,
}

/// Asks; `foot` stands above the line that is typed.
pub(super) fn prompt(
    terminal: &mut Terminal,
    pager: &mut Pager,
    foot: &dyn Fn(&Pager) -> Vec<String>,
    question: &str,
) -> io::Result<Answer> {
    let mut typed = String::new();
    loop {
        let lines = |pager: &Pager| {
            let mut lines = foot(pager);
            lines.push(format!("{question}{typed}_"));
            lines
        };
        draw(terminal, pager, &lines)?;
        match terminal.event()? {
            Event::Closed | Event::Key(Key::Interrupt | Key::EndOfInput) => {
                return Ok(Answer::Gone);
            }
            Event::Resized => pager.resize(terminal.look()),
            Event::Key(Key::Char(c)) => typed.push(c),
            Event::Key(Key::Paste(text)) => {
                typed.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
            }
            Event::Key(Key::Backspace) => {
                typed.pop();
            }
            Event::Key(Key::ClearLine) => typed.clear(),
            Event::Key(Key::ClearWord) => {
                let mut before = typed.trim_end().char_indices().rev();
                let kept = before.find(|(_, c)| c.is_whitespace());
                typed.truncate(kept.map_or(0, |(at, c)| at + c.len_utf8()));
            }
            Event::Key(Key::Enter) => return Ok(Answer::Text(typed.trim().to_owned())),
            Event::Key(Key::Escape) => return Ok(Answer::Back),
            Event::Key(_) | Event::Tick => {}
        }
    }
}

/// Asks for a yes, in the form that the command line has: the answer, or that there is none.
pub(super) fn confirm(
    terminal: &mut Terminal,
    pager: &mut Pager,
    foot: &dyn Fn(&Pager) -> Vec<String>,
) -> io::Result<Option<bool>> {
    Ok(match prompt(terminal, pager, foot, &confirmation(None))? {
        Answer::Gone => None,
        Answer::Text(text) => Some(confirms(&text, None)),
        Answer::Back => Some(false),
    })
}

/// Draws the page and, below it, lines of ours; those wrap and take rows from the page.
/// They are written once the page counts as seen, so that they can say so.
pub(super) fn draw(
    terminal: &mut Terminal,
    pager: &mut Pager,
    foot: &dyn Fn(&Pager) -> Vec<String>,
) -> io::Result<usize> {
    let height = terminal.size().1;
    let room = height.saturating_sub(wrapped(terminal, &foot(pager)).len() + 1);
    let page = pager.page(room);
    let foot = wrapped(terminal, &foot(pager));
    screen(terminal, &page, &foot)?;
    Ok(room.max(1))
}

/// The lines on rows of their own, as many of the last as there is room for.
fn wrapped(terminal: &Terminal, foot: &[String]) -> Vec<String> {
    let mut foot = rows(terminal, foot);
    // The end of what is typed stays in sight, whatever the height.
    foot.drain(..foot.len().saturating_sub(most(terminal)));
    foot
}

/// How many rows a foot can have.
fn most(terminal: &Terminal) -> usize {
    terminal.size().1.saturating_sub(1).max(1)
}

/// The rows of lines.
pub(super) fn rows(terminal: &Terminal, lines: &[String]) -> Vec<String> {
    let look = terminal.look();
    let fold = |line: &String| -> Vec<String> {
        let rows = look.finish(line);
        let rows = wrap::rows(&rows, terminal.size().0, look.signs(), Breaks::Words);
        rows.map(|row| row.text).collect()
    };
    lines.iter().flat_map(fold).collect()
}

/// Whether all of a foot can be on the screen, with a question below it.
pub(super) fn fits(terminal: &Terminal, foot: &[String], question: &str) -> bool {
    let asked = rows(terminal, &[format!("{question}_")]).len();
    rows(terminal, foot).len() + asked <= most(terminal)
}

/// Keys with what they do, on as many lines as the width needs; none of them is parted.
pub(super) fn keys<'a>(width: usize, keys: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const BETWEEN: &str = "   ";
    let mut lines: Vec<String> = Vec::new();
    for key in keys.into_iter().filter(|key| !key.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.len() + BETWEEN.len() + key.len() <= width => {
                line.push_str(BETWEEN);
                line.push_str(key);
            }
            _ => lines.push(key.to_owned()),
        }
    }
    lines
}

/// Puts rows at the top, others at the foot, and a line between.
pub(super) fn screen(terminal: &mut Terminal, page: &[String], foot: &[String]) -> io::Result<()> {
    let (width, height) = terminal.size();
    let rule = "-".repeat(width);
    let room = height.saturating_sub(foot.len() + 1);
    let page = page.iter().take(room).map(String::as_str);
    let rows = page.chain(std::iter::repeat("")).take(room);
    let rows = rows.chain([rule.as_str()]).chain(foot.iter().map(String::as_str));
    let mut out = String::new();
    for (index, row) in rows.enumerate() {
        // Each at its own place, so that none can move another. Cleared before it is drawn:
        // behind a full row some terminals would clear its last character.
        let _ = write!(out, "\u{1b}[{};1H\u{1b}[K{row}", index + 1);
    }
    terminal.write(&out)
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn no_key_is_parted_from_what_it_does() {
        let all = ["a approve", "", "c request changes", "q later"];
        assert_eq!(keys(40, all), ["a approve   c request changes   q later"]);
        assert_eq!(keys(38, all), ["a approve   c request changes", "q later"]);
        assert_eq!(keys(10, all), ["a approve", "c request changes", "q later"]);
    }
}
