//! Waiting while another process changes the project.

use std::thread;
use std::time::{Duration, Instant};

use crate::run::{RecoverError, StageError, UndoError, Watch};
use crate::workspace::PortError;

/// How long a run waits for another one of the same project.
const LONGEST: Duration = Duration::from_mins(2);
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// An error that may be that another process has the project.
pub(super) trait MayBeLocked {
    fn is_locked(&self) -> bool;
}

impl MayBeLocked for StageError {
    fn is_locked(&self) -> bool {
        matches!(self, Self::Port(PortError::Locked))
    }
}

impl MayBeLocked for PortError {
    fn is_locked(&self) -> bool {
        matches!(self, Self::Locked)
    }
}

impl MayBeLocked for UndoError {
    fn is_locked(&self) -> bool {
        matches!(self, Self::Stage(error) if error.is_locked())
    }
}

impl MayBeLocked for RecoverError {
    fn is_locked(&self) -> bool {
        matches!(self, Self::Port(PortError::Locked))
    }
}

/// Acts as soon as no other process has the project. Whoever watches is told of the wait and
/// may end it.
pub(super) fn patiently<T, E: MayBeLocked>(
    watch: &dyn Watch,
    mut act: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let start = Instant::now();
    loop {
        match act() {
            Err(error) if error.is_locked() => {
                let elapsed = start.elapsed();
                if elapsed >= LONGEST || watch.cancelled() {
                    return Err(error);
                }
                watch.waits(elapsed);
                thread::sleep(BETWEEN_TRIES);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Ends the wait once it was told of it so many times.
    struct Impatient {
        told: Cell<usize>,
        most: usize,
    }

    impl Watch for Impatient {
        fn waits(&self, _: Duration) {
            self.told.set(self.told.get() + 1);
        }

        fn cancelled(&self) -> bool {
            self.told.get() == self.most
        }
    }

    #[test]
    fn whoever_waits_is_told_and_may_stop() {
        let watch = Impatient { told: Cell::new(0), most: 3 };
        let locked = || Err::<(), _>(StageError::Port(PortError::Locked));
        let told = patiently(&watch, locked);
        assert_eq!(told, Err(StageError::Port(PortError::Locked)));
        assert_eq!(watch.told.get(), 3);
    }

    #[test]
    fn the_first_free_moment_is_taken_and_other_errors_end_the_wait() {
        let watch = Impatient { told: Cell::new(0), most: 99 };
        let mut tries = 0;
        let told = patiently(&watch, || {
            tries += 1;
            if tries < 4 { Err(StageError::Port(PortError::Locked)) } else { Ok(tries) }
        });
        assert_eq!(told, Ok(4));
        assert_eq!(watch.told.get(), 3);
        assert_eq!(
            patiently(&watch, || Err::<(), _>(StageError::Nothing)),
            Err(StageError::Nothing)
        );
        assert_eq!(watch.told.get(), 3);
    }
}
