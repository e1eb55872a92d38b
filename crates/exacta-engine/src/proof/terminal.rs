//! The controlling terminal: a person's answer comes from here and never from standard input.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::termios::{QueueSelector, tcflush};

use super::{Proof, Shown};

/// Where the system keeps the terminal that controls this process.
const TERMINAL: &str = "/dev/tty";
/// What has to be typed.
const YES: &str = "yes";
/// What has to be typed to decline.
const NO: &str = "no";

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

    /// Shows a question and reads the answer: a proof if it is `yes`, nothing otherwise. The
    /// caller has made every line fit to be shown.
    ///
    /// # Errors
    /// When the terminal cannot be written or read.
    pub fn confirm(&mut self, question: &[String]) -> io::Result<Option<Proof>> {
        self.confirm_with(question, YES)
    }

    /// The same with another word, where something may have been able to type ahead.
    ///
    /// # Errors
    /// When the terminal cannot be written or read.
    pub fn confirm_with(&mut self, question: &[String], word: &str) -> io::Result<Option<Proof>> {
        for line in question {
            writeln!(self.file, "{line}")?;
        }
        // What was typed before the question was asked is no answer to it.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        write!(self.file, "Type {word} to confirm, anything else to go back: ")?;
        self.file.flush()?;
        let mut answer = String::new();
        BufReader::new(&self.file).read_line(&mut answer)?;
        Ok((answer.trim() == word).then_some(Proof::from(Shown::Terminal)))
    }

    /// The same where a no is an answer too: `yes` and `no` have to be typed whole; anything else
    /// is no answer, and nothing is decided.
    ///
    /// # Errors
    /// When the terminal cannot be written or read.
    pub fn decide(&mut self, question: &[String]) -> io::Result<Option<(bool, Proof)>> {
        for line in question {
            writeln!(self.file, "{line}")?;
        }
        // What was typed before the question was asked is no answer to it.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        write!(self.file, "Type {YES} to let it act, {NO} to decline, anything else for later: ")?;
        self.file.flush()?;
        let mut answer = String::new();
        BufReader::new(&self.file).read_line(&mut answer)?;
        let proof = Proof::from(Shown::Terminal);
        Ok(match answer.trim() {
            YES => Some((true, proof)),
            NO => Some((false, proof)),
            _ => None,
        })
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
