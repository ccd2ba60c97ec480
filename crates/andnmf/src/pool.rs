//! Buffers that threads hand to each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Buffers for whoever needs one next: as many as there ever were users at once.
#[derive(Debug)]
pub(crate) struct Pool<B>(Mutex<Vec<B>>);

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A pool has nothing to copy: what is in it means nothing.
impl<B> Clone for Pool<B> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<B> Pool<B> {
    /// A buffer that nobody has, if there is one.
    pub(crate) fn take(&self) -> Option<B> {
        lock(&self.0).pop()
    }

    /// For the next who needs one.
    pub(crate) fn give(&self, buffer: B) {
        lock(&self.0).push(buffer);
    }
}

impl<B: Default> Pool<B> {
    /// Works with a buffer that nobody else has meanwhile. What is left in it from earlier means nothing.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut B) -> R) -> R {
        let mut buffer = self.take().unwrap_or_default();
        let result = work(&mut buffer);
        self.give(buffer);
        result
    }
}

/// A lock on buffers means nothing more than who uses them: after a panic elsewhere they are as good as new.
pub(crate) fn lock<B>(buffers: &Mutex<B>) -> MutexGuard<'_, B> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner)
}
