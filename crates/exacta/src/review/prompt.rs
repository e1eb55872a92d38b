//! A line of text asked for at the foot of the screen.

use std::io;

use super::Terminal;
use super::key::Key;
use super::pager::Pager;
use super::terminal::Event;
use super::wrap;

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
            Event::Key(Key::Enter) => return Ok(Answer::Text(typed.trim().to_owned())),
            Event::Key(Key::Escape) => return Ok(Answer::Back),
            Event::Key(_) | Event::Tick => {}
        }
    }
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

fn wrapped(terminal: &Terminal, foot: &[String]) -> Vec<String> {
    let (width, height) = terminal.size();
    let look = terminal.look();
    let finished: Vec<_> = foot.iter().map(|line| look.finish(line)).collect();
    let rows = finished.iter().flat_map(|line| wrap::rows(line, width, look.signs()));
    let mut foot: Vec<String> = rows.collect();
    // The end of what is typed stays in sight, whatever the height.
    let most = height.saturating_sub(1).max(1);
    foot.drain(..foot.len().saturating_sub(most));
    foot
}

/// Puts rows at the top, others at the foot, and a line between.
pub(super) fn screen(terminal: &mut Terminal, page: &[String], foot: &[String]) -> io::Result<()> {
    let (width, height) = terminal.size();
    let clear = "\u{1b}[K\r\n";
    let mut out = String::from("\u{1b}[H");
    for row in page.iter().take(height.saturating_sub(foot.len() + 1)) {
        out.push_str(row);
        out.push_str(clear);
    }
    for _ in page.len() + foot.len() + 1..height {
        out.push_str(clear);
    }
    out.push_str(&"-".repeat(width));
    out.push_str("\u{1b}[K");
    for row in foot {
        out.push_str("\r\n");
        out.push_str(row);
        out.push_str("\u{1b}[K");
    }
    terminal.write(&out)
}
