//! The controlling terminal: raw while a question is open, as it was when it is over.
//!
//! The answer is read from `/dev/tty`, never from stdin, which may carry the plan. What
//! was typed before the question was shown is thrown away.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use super::key::{Key, Keys};
use crate::interrupt;
use crate::paint::{Look, colour, locale_is_utf8, width_of};

/// Another screen, no cursor, pastes marked as such, no row that runs into the next.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h\u{1b}[?7l";
/// The same back again, colours off.
const LEAVE: &str = "\u{1b}[0m\u{1b}[?7h\u{1b}[?2004l\u{1b}[?25h\u{1b}[?1049l";
/// How long the rest of a key may take, in milliseconds.
const REST_OF_A_KEY: i64 = 60;
/// How long after a question appears nobody can have read it.
const TOO_SOON: Duration = Duration::from_millis(150);
/// How often the size of the window is looked at.
const TICK: i64 = 200;
/// How often what is on the screen is drawn again, because it tells the time.
const REDRAWN: Duration = Duration::from_secs(5);

/// What happens at a terminal.
pub(super) enum Event {
    /// A key.
    Key(Key),
    /// The window has another size.
    Resized,
    /// Some time has passed.
    Tick,
    /// The terminal is gone, or the process is asked to end.
    Closed,
}

/// A terminal in raw mode. Dropping it puts everything back, also when a panic does.
pub(crate) struct Terminal {
    tty: File,
    saved: Termios,
    keys: Keys,
    size: (usize, usize),
    colour: bool,
    utf8: bool,
}

impl Terminal {
    /// Takes the controlling terminal.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn open() -> io::Result<Self> {
        let flags = i32::try_from((OFlags::NOCTTY | OFlags::CLOEXEC).bits()).unwrap_or(0);
        let tty = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty")?;
        let colour = colour(&tty);
        Self::on(tty, colour, locale_is_utf8())
    }

    /// Takes this terminal.
    pub(super) fn on(tty: File, colour: bool, utf8: bool) -> io::Result<Self> {
        let saved = tcgetattr(&tty)?;
        interrupt::hold()?;
        let size = size(&tty);
        let mut terminal = Self { tty, saved, keys: Keys::default(), size, colour, utf8 };
        let mut raw = terminal.saved.clone();
        raw.make_raw();
        tcsetattr(&terminal.tty, OptionalActions::Flush, &raw)?;
        terminal.write(ENTER)?;
        Ok(terminal)
    }

    /// What this terminal can show.
    pub(super) fn look(&self) -> Look {
        Look { colour: self.colour, utf8: self.utf8, width: Some(self.size.0) }
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Writes to the screen.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        self.tty.write_all(text.as_bytes())?;
        self.tty.flush()
    }

    /// Throws away what was typed until now and for a moment more: a key that arrives
    /// sooner than anybody can read was not about what is on the screen. Emptying the
    /// queue once is not enough, because keys pass through the system on their own time.
    pub(super) fn forget_keys(&mut self) -> io::Result<()> {
        let until = Instant::now() + TOO_SOON;
        loop {
            let left = until.saturating_duration_since(Instant::now()).as_millis();
            let left = i64::try_from(left).unwrap_or(0);
            let mut bytes = [0; 4096];
            let gone = self.wait(left)?
                && match self.tty.read(&mut bytes) {
                    Ok(0) | Err(_) => true,
                    Ok(length) => {
                        self.keys.push(bytes.get(..length).unwrap_or_default());
                        false
                    }
                };
            self.keys.forget();
            if left == 0 || gone {
                return Ok(());
            }
        }
    }

    /// Waits until something happens.
    pub(super) fn event(&mut self) -> io::Result<Event> {
        let since = Instant::now();
        loop {
            if let Some(key) = self.keys.next(false) {
                return Ok(Event::Key(key));
            }
            let patience = if self.keys.is_waiting() { REST_OF_A_KEY } else { TICK };
            let arrived = self.wait(patience)?;
            if interrupt::held()? {
                return Ok(Event::Closed);
            }
            let size = size(&self.tty);
            if size != self.size {
                self.size = size;
                return Ok(Event::Resized);
            }
            if !arrived {
                if let Some(key) = self.keys.next(true) {
                    return Ok(Event::Key(key));
                }
                if since.elapsed() >= REDRAWN {
                    return Ok(Event::Tick);
                }
                continue;
            }
            let mut bytes = [0; 4096];
            match self.tty.read(&mut bytes) {
                // A terminal that hung up reads as ended or as an error.
                Ok(0) => return Ok(Event::Closed),
                Ok(length) => self.keys.push(bytes.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(Event::Closed),
            }
        }
    }

    /// Whether something can be read within so many milliseconds.
    fn wait(&self, milliseconds: i64) -> io::Result<bool> {
        let mut waiting = [PollFd::new(&self.tty, PollFlags::IN)];
        let most = Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 };
        match poll(&mut waiting, Some(&most)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nobody left to tell when the terminal is gone.
        let _ = self.write(LEAVE);
        let _ = tcsetattr(&self.tty, OptionalActions::Flush, &self.saved);
        interrupt::let_go();
    }
}

/// Columns and rows; a terminal that does not say has 80 and 24.
fn size(tty: &File) -> (usize, usize) {
    let rows = tcgetwinsize(tty).map_or(0, |size| size.ws_row);
    (width_of(tty), if rows == 0 { 24 } else { usize::from(rows) })
}
