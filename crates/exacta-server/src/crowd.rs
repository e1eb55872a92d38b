//! The connections that are open. Whoever has a right keeps theirs; of the others the oldest
//! goes when there is no room for one more, so that nobody who shows nothing can keep everybody
//! else out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Every open connection, in the order they came.
pub(crate) struct Crowd {
    room: Arc<Semaphore>,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    next: u64,
    open: BTreeMap<u64, Arc<Guest>>,
}

/// One connection.
#[derive(Default)]
pub(crate) struct Guest {
    known: AtomicBool,
    gone: CancellationToken,
}

impl Guest {
    /// A request on it showed a right.
    pub(crate) fn is_known(&self) {
        self.known.store(true, Ordering::Relaxed);
    }

    /// The connection goes.
    pub(crate) fn leave(&self) {
        self.gone.cancel();
    }

    /// Ends when the connection has to go.
    pub(crate) async fn has_to_go(&self) {
        self.gone.cancelled().await;
    }
}

/// The place of a connection; it is free again when this is dropped.
pub(crate) struct Place {
    crowd: Arc<Crowd>,
    number: u64,
    /// The connection.
    pub(crate) guest: Arc<Guest>,
    _permit: OwnedSemaphorePermit,
}

impl Crowd {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { room: Arc::new(Semaphore::new(most)), inside: Mutex::default() })
    }

    /// A place for one more; `None` never comes while the server runs.
    pub(crate) async fn place(self: &Arc<Self>) -> Option<Place> {
        if self.room.available_permits() == 0 {
            self.shed();
        }
        let permit = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let guest = Arc::new(Guest::default());
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let number = inside.next;
        inside.next += 1;
        inside.open.insert(number, Arc::clone(&guest));
        drop(inside);
        Some(Place { crowd: Arc::clone(self), number, guest, _permit: permit })
    }

    /// Has the oldest of those go who have shown nothing.
    fn shed(&self) {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown = |guest: &&Arc<Guest>| {
            !guest.known.load(Ordering::Relaxed) && !guest.gone.is_cancelled()
        };
        if let Some(oldest) = inside.open.values().find(unknown) {
            oldest.gone.cancel();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.crowd.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn the_oldest_who_showed_nothing_makes_room() {
        let crowd = Crowd::new(3);
        let (first, second) = (crowd.place().await.unwrap(), crowd.place().await.unwrap());
        let third = crowd.place().await.unwrap();
        first.guest.is_known();
        assert!(!second.guest.gone.is_cancelled());
        let waits = tokio::spawn({
            let crowd = Arc::clone(&crowd);
            async move { crowd.place().await.is_some() }
        });
        second.guest.has_to_go().await;
        assert!(!first.guest.gone.is_cancelled() && !third.guest.gone.is_cancelled());
        drop(second);
        assert!(waits.await.unwrap());
        // Where everybody has a right, the next one waits.
        third.guest.is_known();
        let fourth = crowd.place().await.unwrap();
        fourth.guest.is_known();
        let full = tokio::time::timeout(Duration::from_millis(50), crowd.place()).await;
        assert!(full.is_err());
        assert!(!third.guest.gone.is_cancelled());
    }
}
