//! The question: the review page by page, and one of six answers.
//!
//! Approving takes three keys: `a`, `y`, Enter. Whatever ends the question otherwise
//! (Ctrl-C, a closed terminal, a signal) decides nothing.

use std::io;
use std::time::{Duration, Instant};

use exacta_core::review::{Obstacle, Review, Syntax, compose, step, time};
use exacta_engine::proof::confirmation;
use rustix::io::Errno;

use super::choice::why_not;
use super::document::Document;
use super::foot::{Foot, TOO_SMALL, is_small, seen};
use super::help::help;
use super::key::Key;
use super::outcome::syntax;
use super::pager::Pager;
use super::prompt::{self, Answer, draw, prompt};
use super::search::{Found, Wanted};
use super::select::{Selected, select};
use super::selection::{Selection, hunks_of};
use super::terminal::Event;
use super::{Choice, Start, Subject, Terminal};
use crate::paint::one_line;

/// Shows the plan at the terminal and takes a choice. `overtaken` says why there is nothing to
/// decide any more, once that is so; it is asked now and then. `start` has what was said and
/// left out before.
pub(crate) fn ask(
    subject: &Subject<'_>,
    terminal: &mut Terminal,
    overtaken: &dyn Fn() -> Option<String>,
    start: &Start,
) -> io::Result<Choice> {
    let look = terminal.look();
    // How long it can be decided stands at the foot, where time goes on.
    let timeless = Subject { expires_in: None, ..*subject };
    let syntax = syntax(subject, look);
    let review = compose(&timeless, &syntax);
    let mut question = Question {
        subject,
        syntax,
        deadline: subject.expires_in.and_then(|left| Instant::now().checked_add(left)),
        obstacle: review.obstacle.map(|obstacle| why_not(obstacle).into()),
        renews: review.obstacle == Some(Obstacle::Stale),
        overtaken,
        pager: Pager::new(Document::of_review(&review, look), look),
        selection: (!start.kept.is_empty()).then(|| {
            let mut selection = Selection::all(&review, look);
            selection.leave_out(&start.kept);
            selection
        }),
        review,
        terminal,
        note: start.note.clone(),
        then_runs: start.then_runs,
        then_commits: start.then_commits,
        wanted: None,
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

/// How a plan ends without being approved.
struct No {
    /// What is asked for.
    question: &'static str,
    /// What it means for the plan.
    ends: &'static str,
}

const CHANGES: No = No {
    question: "What should change? ",
    ends: "This requests changes and ends the plan; whoever made it is asked for another one.",
};
const REJECTION: No =
    No { question: "Why is it rejected? ", ends: "This rejects the plan for good." };

struct Question<'q, 'p> {
    subject: &'q Subject<'p>,
    review: Review,
    syntax: Syntax,
    /// Why nothing can be approved.
    obstacle: Option<String>,
    /// Whether a fresh plan can take its place.
    renews: bool,
    /// Says what has become of the plan since.
    overtaken: &'q dyn Fn() -> Option<String>,
    /// When the plan expires.
    deadline: Option<Instant>,
    pager: Pager,
    terminal: &'q mut Terminal,
    note: String,
    /// Whether what is approved runs at once.
    then_runs: bool,
    /// Whether what has run is committed.
    then_commits: bool,
    /// What was looked for last.
    wanted: Option<Wanted>,
    /// What was chosen, once there was a choice.
    selection: Option<Selection>,
}

impl Question<'_, '_> {
    /// Shows the first page before any key counts. Where the keys will stand it is empty, so
    /// that no line counts as seen that they cover.
    fn begin(&mut self) -> io::Result<()> {
        self.draw(false)?;
        self.terminal.forget_keys()
    }

    /// Draws the page and its foot; how many rows the page has.
    fn draw(&mut self, with_keys: bool) -> io::Result<usize> {
        let left = self.left();
        let decides: &[&str] = match (&self.obstacle, self.review.steps.len()) {
            (Some(_), _) if self.renews => &["R renew"],
            (Some(_), _) => &[],
            (None, 1) if !self.has_hunks() => &["a approve"],
            (None, _) => &["a approve", "s select"],
        };
        let others = ["c request changes", "r reject", "q later", left.as_str()];
        let foot = Foot {
            size: self.terminal.size(),
            note: &self.note,
            decides: &[decides, &others].concat(),
        };
        if with_keys {
            return draw(self.terminal, &mut self.pager, &|pager| foot.lines(pager));
        }
        let rows = prompt::rows(self.terminal, &foot.lines(&self.pager)).len();
        draw(self.terminal, &mut self.pager, &|_| vec![String::new(); rows])
    }

    /// Draws, takes one key, and returns the choice if it was one.
    fn step(&mut self) -> io::Result<Option<Choice>> {
        let height = self.draw(true)?;
        let key = match self.terminal.event()? {
            Event::Closed => return Ok(Some(Choice::Later)),
            Event::Tick => {
                self.look_around();
                return Ok(None);
            }
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
            key if self.pager.moved(&key, height) => {}
            Key::Char('a') => return self.approve(),
            Key::Char('R') => return self.renew(),
            Key::Char('s') => return self.select(),
            Key::Char('c') => return self.words(&CHANGES, Choice::RequestChanges),
            Key::Char('r') => return self.words(&REJECTION, Choice::Reject),
            Key::Char('/') => return self.search(height),
            Key::Char('N') => self.find(true, height),
            Key::Char('P') => self.find(false, height),
            Key::Char('?' | 'h') => return self.help(),
            Key::Char(c) => self.note = format!("`{c}` is not a key here; `?` explains the keys"),
            _ => self.note = "that is not a key here; `?` explains the keys".into(),
        }
        Ok(None)
    }

    /// How long the plan can still be decided, as it stands behind the keys.
    fn left(&self) -> String {
        match self.deadline.map(|at| at.saturating_duration_since(Instant::now())) {
            None => String::new(),
            Some(Duration::ZERO) => "it has expired".into(),
            Some(left) => format!("{} left", time(left)),
        }
    }

    /// Says what each key does.
    fn help(&mut self) -> io::Result<Option<Choice>> {
        let mut decides = Vec::new();
        if self.obstacle.is_none() {
            decides.push(match (self.then_runs, self.then_commits) {
                (true, true) => {
                    "a  approve; asks once more, then what was approved runs and is committed"
                }
                (true, false) => "a  approve; asks once more, then what was approved runs",
                (false, _) => "a  approve; asks once more, and nothing runs yet",
            });
            if self.has_hunks() {
                decides.push("s  select steps and hunks; those chosen become a plan of their own");
            } else if self.review.steps.len() > 1 {
                decides.push("s  select steps; those chosen become a plan of their own");
            }
        }
        if self.renews {
            decides.push("R  renew; a fresh plan of the same draft, and this one ends");
        }
        decides.extend([
            "c  request changes; you say what, and this plan ends",
            "r  reject; you say why, and this plan ends",
            "q  later; nothing is decided",
        ]);
        let still_there = help(self.terminal, &decides)?;
        self.pager.resize(self.terminal.look());
        Ok((!still_there).then_some(Choice::Later))
    }

    /// Asks what to look for; nothing stands for what was looked for last.
    fn search(&mut self, height: usize) -> io::Result<Option<Choice>> {
        let foot = |_: &Pager| vec!["Enter goes there, Esc goes back.".to_owned()];
        match prompt(self.terminal, &mut self.pager, &foot, "Search: ")? {
            Answer::Gone => return Ok(Some(Choice::Later)),
            Answer::Back => return Ok(None),
            Answer::Text(words) if words.is_empty() => {}
            Answer::Text(words) => self.wanted = Some(Wanted::new(&words)),
        }
        self.find(true, height);
        Ok(None)
    }

    fn find(&mut self, next: bool, height: usize) {
        let Some(wanted) = &self.wanted else {
            self.note = "nothing was looked for; `/` asks for it".into();
            return;
        };
        let words = one_line(wanted.words(), self.terminal.look());
        self.note = match self.pager.find(wanted, next, height) {
            None => format!("no line has `{words}`"),
            Some(Found { number, of, around }) => {
                let around = match (around, next) {
                    (false, _) => "",
                    (true, true) => ", from the start again",
                    (true, false) => ", from the end again",
                };
                format!("line {number} of {of} with `{words}`{around}")
            }
        };
    }

    /// Notices what happened beside the review: a file was changed, somebody decided, the
    /// time is over. There is nothing to approve from then on.
    fn look_around(&mut self) {
        if self.obstacle.is_some() {
            return;
        }
        let late = self.deadline.is_some_and(|at| at <= Instant::now());
        let over = late.then(|| "it has expired".to_owned());
        if let Some(why) = over.or_else(self.overtaken) {
            let why = one_line(&why, self.terminal.look());
            self.note = format!("this can no longer be approved: {why}; R makes a fresh plan");
            self.obstacle = Some(self.note.clone());
            self.renews = true;
        }
    }

    /// Why nothing can be approved here, if so.
    fn obstacle(&mut self) -> Option<String> {
        self.look_around();
        let small = is_small(self.terminal.size()).then(|| TOO_SMALL.into());
        self.obstacle.clone().or(small)
    }

    /// Asks for a fresh plan where this one can no longer be approved.
    fn renew(&mut self) -> io::Result<Option<Choice>> {
        self.look_around();
        if !self.renews {
            self.note = "this plan can still be decided; there is nothing to renew".into();
            return Ok(None);
        }
        let kept = self.selection.as_ref().map(Selection::kept).unwrap_or_default();
        let foot = |_: &Pager| {
            let made = "This makes a fresh plan of the same draft on the files as they are now.";
            vec![made.to_owned(), "It waits for you; the old one is over.".to_owned()]
        };
        self.asked(&foot, Choice::Renew(kept), "nothing was renewed")
    }

    fn approve(&mut self) -> io::Result<Option<Choice>> {
        if let Some(obstacle) = self.obstacle() {
            self.note = obstacle;
            return Ok(None);
        }
        if self.selection.as_ref().is_some_and(Selection::leaves_out) {
            return self.approve_chosen(None);
        }
        let does = self.does();
        let approves = match self.review.steps.len() {
            1 => format!("This {does} the whole plan."),
            count => format!("This {does} the whole plan: {count} steps."),
        };
        self.confirm(&[vec![approves]], Choice::Approve)
    }

    /// What a yes does.
    fn does(&self) -> &'static str {
        match (self.then_runs, self.then_commits) {
            (true, true) => "approves, runs and commits",
            (true, false) => "approves and runs",
            (false, _) => "approves",
        }
    }

    /// Whether a step has hunks to choose from.
    fn has_hunks(&self) -> bool {
        self.review.steps.iter().any(|step| hunks_of(&self.review, &step.id) > 0)
    }

    fn select(&mut self) -> io::Result<Option<Choice>> {
        if let Some(obstacle) = self.obstacle() {
            self.note = obstacle;
            return Ok(None);
        }
        if self.review.steps.len() < 2 && !self.has_hunks() {
            self.note = "the plan has one step; approve it or not".into();
            return Ok(None);
        }
        let look = self.terminal.look();
        // What was left out before stays left out, until it is chosen again.
        let selection = self.selection.get_or_insert_with(|| Selection::all(&self.review, look));
        let (subject, syntax) = (self.subject, &self.syntax);
        let about = |id: &str, look| Document::of_part(&step(subject, id, syntax), look);
        let selected = select(self.terminal, selection, &about)?;
        let leaves_out = selection.leaves_out();
        self.pager.resize(self.terminal.look());
        match selected {
            Selected::Gone => Ok(Some(Choice::Later)),
            Selected::Back => {
                if leaves_out {
                    self.note = "what is left out stays left out; `a` approves the others".into();
                }
                Ok(None)
            }
            Selected::Done | Selected::DoneWithRest if !leaves_out => self.approve(),
            Selected::Done => self.approve_chosen(None),
            Selected::DoneWithRest => {
                let foot = |_: &Pager| vec!["Enter goes on, Esc goes back.".to_owned()];
                let question = "What should change in the rest? ";
                match prompt(self.terminal, &mut self.pager, &foot, question)? {
                    Answer::Gone => Ok(Some(Choice::Later)),
                    Answer::Text(text) if !text.is_empty() => self.approve_chosen(Some(text)),
                    Answer::Text(_) | Answer::Back => {
                        self.note = "nothing was said, so nothing was decided".into();
                        Ok(None)
                    }
                }
            }
        }
    }

    /// Asks whether what is chosen may happen; the rest is left out, or sent back with words.
    fn approve_chosen(&mut self, rest: Option<String>) -> io::Result<Option<Choice>> {
        let Some(selection) = &self.selection else { return self.approve() };
        let chosen = selection.chosen();
        if chosen.is_empty() {
            self.note = "nothing is chosen; `s` chooses".into();
            return Ok(None);
        }
        let all = chosen.len() + selection.left_out().len();
        let steps = match (chosen.len(), all) {
            (1, 1) => "a part of the step".to_owned(),
            (count, all) if count == all => format!("a part of the {all} steps"),
            (count, all) => format!("{count} of {all} steps"),
        };
        let does = self.does();
        let mut becomes =
            vec!["What is chosen becomes a plan of its own and is checked again.".to_owned()];
        if let Some(rest) = &rest {
            let said = one_line(rest, self.terminal.look());
            becomes.push(format!("The rest is sent back, with your words: {said}"));
        }
        let mut in_full = vec![
            format!("This {does} {steps}: {}.", selection.names(true)),
            format!("Left out: {}.", selection.left_names()),
        ];
        // The names were on the screen before this; what is said here must fit.
        let counted = vec![format!("This {does} {steps}. {}", becomes.join(" "))];
        in_full.extend(becomes);
        let choice = if selection.is_partial() || rest.is_some() {
            Choice::Parts(selection.parts(), rest)
        } else {
            Choice::Select(chosen)
        };
        self.confirm(&[in_full, counted], choice)
    }

    /// Asks once more, with the first of the texts that fits.
    fn confirm(&mut self, texts: &[Vec<String>], choice: Choice) -> io::Result<Option<Choice>> {
        let hash = self.review.plan_hash;
        let lines = |text: &[String], pager: &Pager| {
            let mut lines = text.to_vec();
            lines.push(format!("plan_hash {hash}"));
            lines.push(seen(pager));
            lines
        };
        let question = confirmation(None);
        let fits =
            |text: &&Vec<String>| prompt::fits(self.terminal, &lines(text, &self.pager), &question);
        let Some(text) = texts.iter().find(fits) else {
            self.note = TOO_SMALL.into();
            return Ok(None);
        };
        let foot = |pager: &Pager| lines(text, pager);
        self.asked(&foot, choice, "nothing was approved")
    }

    fn words(&mut self, no: &No, choice: impl Fn(String) -> Choice) -> io::Result<Option<Choice>> {
        let foot = |_: &Pager| vec!["Enter goes on, Esc goes back.".to_owned()];
        match prompt(self.terminal, &mut self.pager, &foot, no.question)? {
            Answer::Gone => Ok(Some(Choice::Later)),
            Answer::Text(text) if !text.is_empty() => self.send(text, no, choice),
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
        no: &No,
        choice: impl Fn(String) -> Choice,
    ) -> io::Result<Option<Choice>> {
        let shown = one_line(&said, self.terminal.look());
        let foot = |_: &Pager| vec![format!("You say: {shown}"), no.ends.to_owned()];
        self.asked(&foot, choice(said), "nothing was decided")
    }

    /// The choice if it is confirmed; `not` is what is told otherwise.
    fn asked(
        &mut self,
        foot: &dyn Fn(&Pager) -> Vec<String>,
        choice: Choice,
        not: &str,
    ) -> io::Result<Option<Choice>> {
        Ok(match prompt::confirm(self.terminal, &mut self.pager, foot)? {
            None => Some(Choice::Later),
            Some(true) => Some(choice),
            Some(false) => {
                self.note = not.into();
                None
            }
        })
    }
}
