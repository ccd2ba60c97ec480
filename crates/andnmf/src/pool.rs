//! Pools of reusable workspace memory, shared by threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pool of reusable buffers: at most as many as were ever in use at the same time.
#[derive(Debug)]
pub(crate) struct Pool<B>(Mutex<PoolState<B>>);

#[derive(Debug)]
struct PoolState<B> {
    free: Vec<B>,
    /// Buffers taken and not yet returned, including those that [`Pool::take`] could not supply.
    in_use: usize,
}

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(Mutex::new(PoolState { free: Vec::new(), in_use: 0 }))
    }
}

/// A copy starts empty: the contents of buffers carry no information.
impl<B> Clone for Pool<B> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<B> Pool<B> {
    /// A free buffer. `None` if there is none: the caller then allocates one, and may [`give`](Self::give) it to the
    /// pool.
    pub(crate) fn take(&self) -> Option<B> {
        let mut state = lock(&self.0);
        state.in_use += 1;
        state.free.pop()
    }

    /// Returns a buffer. Buffers beyond those taken are dropped, so that the pool cannot grow without bound.
    pub(crate) fn give(&self, buffer: B) {
        let mut state = lock(&self.0);
        if state.in_use > 0 {
            state.in_use -= 1;
            state.free.push(buffer);
        }
    }
}

impl<B: Default> Pool<B> {
    /// Runs `work` with exclusive use of a buffer, whose contents are arbitrary.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut B) -> R) -> R {
        let mut buffer = self.take().unwrap_or_default();
        let result = work(&mut buffer);
        self.give(buffer);
        result
    }
}

/// One buffer, stored for its next use.
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

    pub(crate) fn store(&self, buffer: B) {
        *lock(&self.0) = Some(buffer);
    }
}

/// Locks, ignoring poisoning: buffers have no invariants that a panic could break.
pub(crate) fn lock<B>(buffers: &Mutex<B>) -> MutexGuard<'_, B> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_reused_and_those_never_taken_are_dropped() {
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
