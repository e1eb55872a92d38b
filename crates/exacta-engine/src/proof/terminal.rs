//! The controlling terminal: a person's answer comes from here and never from standard input.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::termios::{QueueSelector, tcflush};

use super::{Proof, Shown};

/// Where the system keeps the terminal that controls this process.
const TERMINAL: &str = "/dev/tty";
/// What has to be typed; its first letter will do.
const YES: &str = "yes";
/// What has to be typed to decline; its first letter will do.
const NO: &str = "no";

/// The one question that confirms something, wherever it is asked. `word` is what has to be
/// typed where `yes` is not enough.
#[must_use]
pub fn confirmation(word: Option<&str>) -> String {
    format!("Type {} to confirm, anything else to go back: ", word.unwrap_or(YES))
}

/// Whether an answer to that question confirms: `y` or `yes`, or the very word that was asked
/// for.
#[must_use]
pub fn confirms(answer: &str, word: Option<&str>) -> bool {
    match word {
        Some(word) => answer.trim() == word,
        None => is(answer, YES),
    }
}

/// Whether an answer is a word, or its first letter.
fn is(answer: &str, word: &str) -> bool {
    let answer = answer.trim();
    answer == word || (answer.len() == 1 && word.starts_with(answer))
}

/// An open handle on the controlling terminal.
#[derive(Debug)]
pub struct ControllingTerminal {
    file: File,
}

impl ControllingTerminal {
    /// Opens it; `None` where this process has none.
    #[must_use]
    pub fn open() -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open(TERMINAL).ok()?;
        Some(Self { file })
    }

    /// Shows a question and reads the answer: a proof if it confirms, nothing otherwise. The
    /// caller has made every line fit to be shown. `word` is what has to be typed where something
    /// may have been able to type ahead.
    ///
    /// # Errors
    /// When the terminal cannot be written or read.
    pub fn confirm(
        &mut self,
        question: &[String],
        word: Option<&str>,
    ) -> io::Result<Option<Proof>> {
        let answer = self.ask(question, &confirmation(word))?;
        Ok(confirms(&answer, word).then_some(Proof::from(Shown::Terminal)))
    }

    /// The same where a no is an answer too; anything else is no answer, and nothing is decided.
    ///
    /// # Errors
    /// When the terminal cannot be written or read.
    pub fn decide(&mut self, question: &[String]) -> io::Result<Option<(bool, Proof)>> {
        let asked = format!("Type {YES} to let it act, {NO} to decline, anything else for later: ");
        let answer = self.ask(question, &asked)?;
        let decided = [(YES, true), (NO, false)].into_iter().find(|(word, _)| is(&answer, word));
        Ok(decided.map(|(_, acts)| (acts, Proof::from(Shown::Terminal))))
    }

    /// Shows lines and a question, and reads one line.
    fn ask(&mut self, lines: &[String], question: &str) -> io::Result<String> {
        for line in lines {
            writeln!(self.file, "{line}")?;
        }
        // What was typed before the question was asked is no answer to it.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        write!(self.file, "{question}")?;
        self.file.flush()?;
        let mut answer = String::new();
        BufReader::new(&self.file).read_line(&mut answer)?;
        Ok(answer)
    }

    /// The proof of whoever chose on a screen that was painted on this terminal.
    #[must_use]
    pub fn chosen_here(&self) -> Proof {
        Proof::from(Shown::Terminal)
    }

    /// The file, to paint on.
    ///
    /// # Errors
    /// When the system has no more handles.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

impl AsFd for ControllingTerminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_enough_unless_a_word_of_its_own_was_asked_for() {
        for (answer, word, wanted) in [
            ("yes\n", None, true),
            (" y \n", None, true),
            ("", None, false),
            ("\n", None, false),
            ("ye", None, false),
            ("n", None, false),
            ("yes please", None, false),
            ("abcdef\n", Some("abcdef"), true),
            ("a", Some("abcdef"), false),
            ("yes", Some("abcdef"), false),
            ("y", Some("yabcde"), false),
        ] {
            assert_eq!(confirms(answer, word), wanted, "{answer:?} for {word:?}");
        }
        assert_eq!(confirmation(None), "Type yes to confirm, anything else to go back: ");
        assert!(confirmation(Some("abcdef")).starts_with("Type abcdef to confirm"));
    }
}
