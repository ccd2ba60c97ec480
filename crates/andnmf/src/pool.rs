//! Buffers that threads hand to each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Buffers for whoever needs one next: as many as there ever were users at once.
#[derive(Debug)]
pub(crate) struct Pool<B>(Mutex<Shelf<B>>);

#[derive(Debug)]
struct Shelf<B> {
    free: Vec<B>,
    /// Those asked for and not given back, whether they were here or had to be made.
    in_use: usize,
}

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(Mutex::new(Shelf { free: Vec::new(), in_use: 0 }))
    }
}

/// A pool has nothing to copy: what is in it means nothing.
impl<B> Clone for Pool<B> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<B> Pool<B> {
    /// A buffer that nobody has; where there is none, whoever asked makes one, and may give it back.
    pub(crate) fn take(&self) -> Option<B> {
        let mut shelf = lock(&self.0);
        shelf.in_use += 1;
        shelf.free.pop()
    }

    /// For the next who needs one. What was never asked for is not kept: nobody might ever ask, and buffers pile up.
    pub(crate) fn give(&self, buffer: B) {
        let mut shelf = lock(&self.0);
        if shelf.in_use > 0 {
            shelf.in_use -= 1;
            shelf.free.push(buffer);
        }
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

/// A buffer that is put aside for its next use.
#[derive(Debug)]
pub(crate) struct Slot<B>(Mutex<Option<B>>);

impl<B> Default for Slot<B> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<B> Slot<B> {
    pub(crate) fn take(&self) -> Option<B> {
        lock(&self.0).take()
    }

    pub(crate) fn put(&self, buffer: B) {
        *lock(&self.0) = Some(buffer);
    }
}

/// A lock on buffers means nothing more than who uses them: after a panic elsewhere they are as good as new.
pub(crate) fn lock<B>(buffers: &Mutex<B>) -> MutexGuard<'_, B> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_and_those_never_asked_for_are_not_kept() {
        let pool = Pool::default();
        pool.give(1);
        assert_eq!(pool.take(), None);
        assert_eq!(pool.take(), None);
        pool.give(2);
        pool.give(3);
        pool.give(4);
        assert_eq!((pool.take(), pool.take(), pool.take()), (Some(3), Some(2), None));
    }
}
