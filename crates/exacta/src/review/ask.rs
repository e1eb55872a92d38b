//! The question: the review page by page, and one of five answers.
//!
//! Approving takes three keys: `a`, `y`, Enter. Whatever ends the question otherwise
//! (Ctrl-C, a closed terminal, a signal) decides nothing.

use std::io;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::key::Key;
use super::outcome::colours;
use super::pager::Pager;
use super::prompt::{Answer, draw, prompt};
use super::section::{compose, effects, time};
use super::select::{Selected, Selection, select};
use super::terminal::Event;
use super::{Choice, ReviewPlan, Terminal, text};

/// Shows the plan at the terminal and takes a choice.
pub(crate) fn ask(plan: &ReviewPlan<'_>, terminal: &mut Terminal) -> io::Result<Choice> {
    let look = terminal.look();
    // How long it can be decided stands at the foot, where time goes on.
    let timeless = ReviewPlan { expires_in: None, ..*plan };
    let document = compose(&timeless, look.signs(), &colours(plan, look));
    let mut question = Question {
        plan,
        deadline: plan.expires_in.and_then(|left| Instant::now().checked_add(left)),
        // Looks at every image, so once.
        obstacle: plan.obstacle(),
        pager: Pager::new(document, look),
        terminal,
        note: String::new(),
        selection: None,
    };
    let mut step = question.begin().map(|()| None);
    loop {
        match step {
            Ok(None) => {}
            Ok(Some(choice)) => return Ok(choice),
            // A terminal that went away while it was written to.
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
                return Ok(Choice::Later);
            }
            Err(error) => return Err(error),
        }
        step = question.step();
    }
}

/// Columns and rows below which a question and what it is about are not seen together.
const SMALLEST: (usize, usize) = (30, 10);

/// What stands below the page: how much was seen, and what can be done.
fn foot(
    steps: usize,
    obstacle: Option<&str>,
    note: &str,
    left: &str,
    pager: &Pager,
) -> Vec<String> {
    let mut foot = Vec::new();
    foot.extend(note.lines().map(str::to_owned));
    let seen = seen(pager);
    foot.push(format!("{seen}   space, b: page   n, p: part   arrows: line   g, G: ends"));
    let decide = match obstacle {
        None if steps > 1 => "a approve   s select   ",
        None => "a approve   ",
        Some(_) => "",
    };
    foot.push(format!("{decide}c request changes   r reject   q later{left}"));
    foot
}

fn seen(pager: &Pager) -> String {
    format!("{} of {} lines seen", pager.seen(), pager.rows())
}

struct Question<'q, 'p> {
    plan: &'q ReviewPlan<'p>,
    obstacle: Option<&'static str>,
    /// When the plan expires.
    deadline: Option<Instant>,
    pager: Pager,
    terminal: &'q mut Terminal,
    note: String,
    /// What was chosen, once there was a choice.
    selection: Option<Selection>,
}

impl Question<'_, '_> {
    /// Shows the first page before any key counts.
    fn begin(&mut self) -> io::Result<()> {
        draw(self.terminal, &mut self.pager, &|_| vec![String::new(), String::new()])?;
        self.terminal.forget_keys()
    }

    /// Draws, takes one key, and returns the choice if it was one.
    fn step(&mut self) -> io::Result<Option<Choice>> {
        let (steps, obstacle) = (self.plan.draft.steps.len(), self.obstacle);
        let note = self.note.clone();
        let left = self.left();
        let foot = |pager: &Pager| foot(steps, obstacle, &note, &left, pager);
        let height = draw(self.terminal, &mut self.pager, &foot)?;
        let page = isize::try_from(height).unwrap_or(1);
        let key = match self.terminal.event()? {
            Event::Closed => return Ok(Some(Choice::Later)),
            Event::Tick => return Ok(None),
            Event::Resized => {
                self.pager.resize(self.terminal.look());
                return Ok(None);
            }
            Event::Key(key) => key,
        };
        self.note.clear();
        match key {
            Key::Interrupt | Key::EndOfInput | Key::Char('q' | 'l') => {
                return Ok(Some(Choice::Later));
            }
            Key::Down | Key::Enter | Key::Char('j') => self.pager.scroll(1, height),
            Key::Up | Key::Char('k') => self.pager.scroll(-1, height),
            Key::PageDown | Key::Char(' ' | 'f') => self.pager.scroll(page, height),
            Key::PageUp | Key::Char('b') => self.pager.scroll(-page, height),
            Key::Home | Key::Char('g') => self.pager.go_to_end(false, height),
            Key::End | Key::Char('G') => self.pager.go_to_end(true, height),
            Key::Char('n') => self.pager.go_to_heading(true, height),
            Key::Char('p') => self.pager.go_to_heading(false, height),
            Key::Char('a') => return self.approve(),
            Key::Char('s') => return self.select(),
            Key::Char('c') => return self.words("What should change? ", Choice::RequestChanges),
            Key::Char('r') => return self.words("Why is it rejected? ", Choice::Reject),
            Key::Char('?' | 'h') => self.note = self.keys(),
            Key::Char(c) => self.note = format!("`{c}` is no key here; `?` explains the keys"),
            _ => self.note = "that is no key here; `?` explains the keys".into(),
        }
        Ok(None)
    }

    /// How long the plan can still be decided, as it stands behind the keys.
    fn left(&self) -> String {
        match self.deadline.map(|at| at.saturating_duration_since(Instant::now())) {
            None => String::new(),
            Some(Duration::ZERO) => "   its time is over".into(),
            Some(left) => format!("   {} left", time(left)),
        }
    }

    /// What each key does, a line each.
    fn keys(&self) -> String {
        let approve = "a  approve; asks once more, then what was approved runs\n";
        let select = "s  select steps; those chosen become a plan of their own\n";
        let decide = match (self.obstacle, self.plan.draft.steps.len()) {
            (Some(_), _) => String::new(),
            (None, 1) => approve.to_owned(),
            (None, _) => format!("{approve}{select}"),
        };
        format!(
            "{decide}c  request changes; you say what, and this plan is over\n\
             r  reject; you say why, and this plan is over\n\
             q  later; nothing is decided\n\
             n, p  to the next part or file, and back"
        )
    }

    /// Why nothing can be approved here, if so.
    fn obstacle(&self) -> Option<&'static str> {
        let (width, height) = self.terminal.size();
        let small = width < SMALLEST.0 || height < SMALLEST.1;
        let too_small = small.then_some("the terminal is too small to show what is approved");
        self.obstacle.or(too_small)
    }

    fn approve(&mut self) -> io::Result<Option<Choice>> {
        if let Some(obstacle) = self.obstacle() {
            self.note = obstacle.into();
            return Ok(None);
        }
        let what = match self.plan.draft.steps.len() {
            1 => "the step".to_owned(),
            count => format!("all {count} steps"),
        };
        let approves = format!("This approves {what} of the plan.");
        self.confirm(&[approves], Choice::Approve)
    }

    fn select(&mut self) -> io::Result<Option<Choice>> {
        if let Some(obstacle) = self.obstacle() {
            self.note = obstacle.into();
            return Ok(None);
        }
        if self.plan.draft.steps.len() < 2 {
            self.note = "the plan has one step; approve it or not".into();
            return Ok(None);
        }
        let signs = self.terminal.look().signs();
        let describe = |id: &str| effects(self.plan, id, signs);
        let files = |id: &str| {
            let of_step = self.plan.changes.iter().filter(|change| change.step == id);
            let names = of_step.map(|change| text::line(change.path.as_str().as_bytes(), signs));
            names.collect::<Vec<_>>().join(", ")
        };
        // What was left out before stays left out, until it is chosen again.
        let selection =
            self.selection.get_or_insert_with(|| Selection::all(self.plan.draft, describe, files));
        match select(self.terminal, selection)? {
            Selected::Gone => return Ok(Some(Choice::Later)),
            Selected::Back => return Ok(None),
            Selected::Done => {}
        }
        let (chosen, left_out) = (selection.chosen(), selection.left_out());
        self.pager.resize(self.terminal.look());
        if left_out.is_empty() {
            return self.approve();
        }
        let names = |chosen: bool| selection.names(chosen, signs);
        let foot = [
            format!(
                "This approves {} of {} steps: {}.",
                chosen.len(),
                chosen.len() + left_out.len(),
                names(true)
            ),
            format!(
                "Left out: {}. What is chosen becomes a plan of its own and is checked again.",
                names(false)
            ),
        ];
        self.confirm(&foot, Choice::Select(chosen))
    }

    fn confirm(&mut self, foot: &[String], choice: Choice) -> io::Result<Option<Choice>> {
        let hash = self.plan.plan_hash;
        let foot = |pager: &Pager| {
            let mut lines = foot.to_vec();
            lines.push(format!("plan_hash {hash}"));
            lines.push(seen(pager));
            lines
        };
        let question = "Type y and Enter to approve, anything else to go back: ";
        match prompt(self.terminal, &mut self.pager, &foot, question)? {
            Answer::Gone => Ok(Some(Choice::Later)),
            Answer::Text(text) if matches!(text.as_str(), "y" | "yes") => Ok(Some(choice)),
            Answer::Text(_) | Answer::Back => {
                self.note = "nothing was approved".into();
                Ok(None)
            }
        }
    }

    fn words(
        &mut self,
        question: &str,
        choice: impl Fn(String) -> Choice,
    ) -> io::Result<Option<Choice>> {
        let foot = |_: &Pager| vec!["Enter goes on, Esc goes back.".to_owned()];
        match prompt(self.terminal, &mut self.pager, &foot, question)? {
            Answer::Gone => Ok(Some(Choice::Later)),
            Answer::Text(text) if !text.is_empty() => self.send(text, choice),
            Answer::Text(_) | Answer::Back => {
                self.note = "nothing was said, so nothing was decided".into();
                Ok(None)
            }
        }
    }

    /// What was said ends the plan, so it is asked for once more: whoever believed to be at
    /// a shell has typed a line by then.
    fn send(
        &mut self,
        said: String,
        choice: impl Fn(String) -> Choice,
    ) -> io::Result<Option<Choice>> {
        let signs = self.terminal.look().signs();
        let shown = text::line(said.as_bytes(), signs);
        let foot =
            |_: &Pager| vec![format!("You say: {shown}"), "This plan is over then.".to_owned()];
        let question = "Type y and Enter to say so, anything else to go back: ";
        match prompt(self.terminal, &mut self.pager, &foot, question)? {
            Answer::Gone => Ok(Some(Choice::Later)),
            Answer::Text(text) if matches!(text.as_str(), "y" | "yes") => Ok(Some(choice(said))),
            Answer::Text(_) | Answer::Back => {
                self.note = "nothing was decided".into();
                Ok(None)
            }
        }
    }
}
