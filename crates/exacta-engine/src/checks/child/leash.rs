//! The leash: a pipe or socket on standard input that whoever started us holds open.
//!
//! It brings one line, the request. When its other end is closed, by will or by death,
//! everything on this side has to go.

use std::io::{self, Read as _};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long a look lasts when nothing happens.
const LOOK: Duration = Duration::from_millis(2);

/// What a look at the leash shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pull {
    Held,
    LetGo,
}

/// The line that comes first; byte by byte, so that nothing beyond it is taken.
pub(super) fn request() -> io::Result<String> {
    let mut line = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' => break,
            byte => line.push(byte),
        }
    }
    line.push(b'\n');
    String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Whether the other end is still held.
pub(super) fn look() -> Pull {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
    let wait = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    match poll(&mut fds, Some(&wait)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(_) => return Pull::LetGo,
    }
    if fds.iter().any(|fd| fd.revents().intersects(gone)) { Pull::LetGo } else { Pull::Held }
}
