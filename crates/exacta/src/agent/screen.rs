//! The terminal between an agent and the person: everything that the agent writes is drawn on
//! an emulated screen, and only the picture of that screen reaches the real one.
//!
//! So control strings, device queries, clipboard and title requests of the agent end here, and
//! the real terminal never answers it: nothing that it makes a terminal say can become input of
//! ours. The real terminal is put back, cleared and drained before anybody is asked anything.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use exacta_engine::capture::{Follow, Pty};
use exacta_engine::run::{CheckProgress, Watch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, Winsize, tcflush, tcgetattr, tcgetwinsize, tcsetattr,
    tcsetwinsize,
};

use super::profile::Ends;

/// Another screen, cleared.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[2J\u{1b}[H";
/// Everything that a program may have switched on, off; then the screen that was there.
const LEAVE: &str = "\u{1b}[0m\u{1b}[?1l\u{1b}>\u{1b}[?9l\u{1b}[?1000l\u{1b}[?1002l\u{1b}[?1003l\
    \u{1b}[?1005l\u{1b}[?1006l\u{1b}[?2004l\u{1b}[?25h\u{1b}[0 q\u{1b}[2J\u{1b}[H\u{1b}[?1049l";

/// Ctrl-]: the person says that a turn is over.
const TURN_KEY: u8 = 0x1d;
/// How long nothing may be written before a turn counts as over.
const QUIET: Duration = Duration::from_millis(1200);
/// How long a look for keys takes at most.
const LOOK: Duration = Duration::from_millis(50);

/// The real terminal while an agent has it, and the emulated one.
pub(crate) struct Screen {
    tty: File,
    saved: Termios,
    ours: File,
    typing: Arc<Typing>,
    reader: Option<thread::JoinHandle<()>>,
    picture: RefCell<Picture>,
    ends: Ends,
}

/// What the thread that hands on keys and the screen say to each other.
#[derive(Default)]
struct Typing {
    /// No more keys are read.
    done: AtomicBool,
    /// Keys are somebody else's for now.
    away: AtomicBool,
    /// The person wants the turn to end.
    asked: AtomicBool,
    /// Something was sent to the agent since the last turn.
    sent: AtomicBool,
}

struct Picture {
    parser: vt100::Parser,
    shown: vt100::Screen,
    size: (u16, u16),
    /// When the agent last wrote something.
    written: Instant,
    /// Whether it was seen at work since the last turn.
    worked: bool,
}

fn tty() -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOCTTY | OFlags::CLOEXEC).bits()).unwrap_or(0);
    OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty")
}

fn size(tty: &File) -> (u16, u16) {
    let seen = tcgetwinsize(tty).map_or((0, 0), |size| (size.ws_row, size.ws_col));
    if seen.0 == 0 || seen.1 == 0 { (24, 80) } else { seen }
}

fn parser((rows, columns): (u16, u16)) -> vt100::Parser {
    let at_least_one = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
    vt100::Parser::new(at_least_one(rows), at_least_one(columns), 0)
}

fn window((rows, columns): (u16, u16)) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Screen {
    /// Takes the controlling terminal, and makes one for the agent.
    ///
    /// # Errors
    /// When there is none, or none can be made.
    pub(crate) fn take(ends: Ends) -> io::Result<(Self, Pty)> {
        let mut tty = tty()?;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let name = std::ffi::OsStr::new(name.to_str().map_err(io::Error::other)?);
        let flags = i32::try_from((OFlags::NOCTTY | OFlags::CLOEXEC).bits()).unwrap_or(0);
        let theirs = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name)?;
        let size = size(&tty);
        tcsetwinsize(&ours, window(size))?;
        let saved = tcgetattr(&tty)?;
        let mut raw = saved.clone();
        raw.make_raw();
        tcsetattr(&tty, OptionalActions::Flush, &raw)?;
        tty.write_all(ENTER.as_bytes())?;
        let typing = Arc::new(Typing::default());
        let ours = File::from(ours);
        let reader = keys(tty.try_clone()?, ours.try_clone()?, Arc::clone(&typing));
        let parser = parser(size);
        let shown = parser.screen().clone();
        let pty = Pty { ours: OwnedFd::from(ours.try_clone()?), theirs: OwnedFd::from(theirs) };
        let (written, worked) = (Instant::now(), false);
        let picture = RefCell::new(Picture { parser, shown, size, written, worked });
        Ok((Self { tty, saved, ours, typing, reader: Some(reader), picture, ends }, pty))
    }

    /// Whether a turn is over, and if so, whether the person said it.
    pub(crate) fn turn_is_over(&self) -> Option<bool> {
        if self.typing.asked.swap(false, Ordering::Relaxed) {
            return Some(true);
        }
        let mut picture = self.picture.borrow_mut();
        let Ends { busy, prompt } = &self.ends;
        if busy.is_none() && prompt.is_none() {
            return None;
        }
        let contents = picture.parser.screen().contents();
        if busy.as_ref().is_some_and(|busy| contents.to_lowercase().contains(busy)) {
            picture.worked = true;
            return None;
        }
        let last = contents.lines().map(str::trim).rfind(|line| !line.is_empty());
        let at_prompt = prompt
            .as_ref()
            .is_none_or(|prompt| last.is_some_and(|line| line.starts_with(prompt.as_str())));
        let worked = picture.worked || (busy.is_none() && self.typing.sent.load(Ordering::Relaxed));
        if !worked || !at_prompt || picture.written.elapsed() < QUIET {
            return None;
        }
        picture.worked = false;
        self.typing.sent.store(false, Ordering::Relaxed);
        Some(false)
    }

    /// Gives the real terminal back for a while; the agent stays at its own.
    pub(crate) fn leave(&self) -> io::Result<()> {
        self.typing.away.store(true, Ordering::SeqCst);
        // The thread that hands on keys has looked at it by then.
        thread::sleep(LOOK * 2);
        let mut tty = &self.tty;
        tty.write_all(LEAVE.as_bytes())?;
        // What was typed or answered for the agent is no answer to a question of ours.
        tcsetattr(&self.tty, OptionalActions::Flush, &self.saved)?;
        tcflush(&self.tty, QueueSelector::IFlush)?;
        Ok(())
    }

    /// Takes the real terminal again and draws what the agent's shows.
    pub(crate) fn come_back(&self) -> io::Result<()> {
        let mut raw = self.saved.clone();
        raw.make_raw();
        tcsetattr(&self.tty, OptionalActions::Flush, &raw)?;
        let mut picture = self.picture.borrow_mut();
        let screen = picture.parser.screen();
        let (drawn, modes) = (screen.contents_formatted(), screen.input_mode_formatted());
        picture.shown = picture.parser.screen().clone();
        picture.written = Instant::now();
        let mut tty = &self.tty;
        tty.write_all(ENTER.as_bytes())?;
        tty.write_all(drawn.as_bytes())?;
        tty.write_all(modes.as_bytes())?;
        self.typing.asked.store(false, Ordering::SeqCst);
        self.typing.away.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Types a line for the person: pasted where the agent knows pasting, then sent.
    pub(crate) fn hand(&self, text: &str) -> io::Result<()> {
        let pasted = self.picture.borrow().parser.screen().bracketed_paste();
        let mut to = &self.ours;
        if pasted {
            write!(to, "\u{1b}[200~{text}\u{1b}[201~")?;
        } else {
            to.write_all(text.as_bytes())?;
        }
        thread::sleep(LOOK);
        to.write_all(b"\r")?;
        self.typing.sent.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Says that there is nothing to say.
    pub(crate) fn ring(&self) -> io::Result<()> {
        let mut tty = &self.tty;
        tty.write_all(b"\x07")
    }

    /// Draws what changed.
    fn draw(&self, bytes: &[u8]) -> io::Result<()> {
        let mut picture = self.picture.borrow_mut();
        let now = size(&self.tty);
        if now != picture.size {
            picture.size = now;
            tcsetwinsize(&self.ours, window(now))?;
            let one = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
            picture.parser.set_size(one(now.0), one(now.1));
        }
        if !bytes.is_empty() {
            picture.written = Instant::now();
        }
        picture.parser.process(bytes);
        let screen = picture.parser.screen();
        let drawn = screen.contents_diff(&picture.shown);
        let modes = screen.input_mode_diff(&picture.shown);
        let screen = screen.clone();
        picture.shown = screen;
        let mut tty = &self.tty;
        tty.write_all(drawn.as_bytes())?;
        tty.write_all(modes.as_bytes())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.typing.done.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        if self.typing.away.load(Ordering::Relaxed) {
            return;
        }
        let _ = self.tty.write_all(LEAVE.as_bytes());
        // What was typed or answered for the agent is no answer to a question of ours.
        let _ = tcsetattr(&self.tty, OptionalActions::Flush, &self.saved);
        let _ = tcflush(&self.tty, QueueSelector::IFlush);
    }
}

/// Hands keys on to the agent until it is over.
fn keys(mut from: File, mut to: File, typing: Arc<Typing>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0_u8; 1024];
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        while !typing.done.load(Ordering::Relaxed) {
            if typing.away.load(Ordering::SeqCst) {
                thread::sleep(LOOK / 4);
                continue;
            }
            let mut fds = [PollFd::new(&from, PollFlags::IN)];
            if !matches!(poll(&mut fds, Some(&wait)), Ok(count) if count > 0)
                || typing.away.load(Ordering::SeqCst)
            {
                continue;
            }
            let Ok(got) = from.read(&mut buffer) else { return };
            let Some(bytes) = buffer.get(..got).filter(|bytes| !bytes.is_empty()) else { return };
            let (bytes, asked) = without_key(bytes);
            if bytes.contains(&b'\r') {
                typing.sent.store(true, Ordering::Relaxed);
            }
            if to.write_all(&bytes).is_err() {
                return;
            }
            if asked {
                typing.asked.store(true, Ordering::Relaxed);
            }
        }
    })
}

/// What was typed without the key that ends a turn, and whether it was pressed. Pressed twice
/// it means itself.
fn without_key(typed: &[u8]) -> (Vec<u8>, bool) {
    let (mut kept, mut asked) = (Vec::with_capacity(typed.len()), false);
    let mut bytes = typed.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != TURN_KEY || bytes.next_if_eq(&TURN_KEY).is_some() {
            kept.push(byte);
        } else {
            asked = true;
        }
    }
    (kept, asked)
}

impl Watch for Screen {
    fn check(&self, _progress: CheckProgress<'_>) {
        // The window may have another size although nothing was written.
        let _ = self.draw(&[]);
    }

    fn cancelled(&self) -> bool {
        false
    }
}

impl Follow for Screen {
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        match self.draw(bytes) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// Whether an agent had this terminal in this process.
static WAS_SHARED: AtomicBool = AtomicBool::new(false);

/// Notes that an agent had this terminal: from now on a confirmation takes a word that nobody
/// could have typed ahead.
pub(crate) fn note_shared() {
    WAS_SHARED.store(true, Ordering::Relaxed);
}

/// Whether an agent had this terminal.
pub(crate) fn was_shared() -> bool {
    WAS_SHARED.load(Ordering::Relaxed)
}

/// The word to confirm with, if an agent had this terminal.
///
/// # Errors
/// When there are no random bytes; then nothing confirms.
pub(crate) fn word() -> io::Result<Option<String>> {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    if !was_shared() {
        return Ok(None);
    }
    let mut bytes = [0_u8; 6];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied();
    Ok(Some(bytes.iter().filter_map(letter).map(char::from).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_turn_does_not_reach_the_agent_unless_it_is_meant() {
        assert_eq!(without_key(b"abc\r"), (b"abc\r".to_vec(), false));
        assert_eq!(without_key(b"a\x1db"), (b"ab".to_vec(), true));
        assert_eq!(without_key(b"\x1d\x1d"), (b"\x1d".to_vec(), false));
        assert_eq!(without_key(b"\x1d\x1d\x1d"), (b"\x1d".to_vec(), true));
    }
}
