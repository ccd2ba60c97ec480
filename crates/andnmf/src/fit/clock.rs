//! The solver's clock, which stands still while observers work.

use std::time::{Duration, Instant};

/// Time spent in the solver itself.
#[derive(Debug)]
pub(crate) struct Clock {
    before: Duration,
    since: Instant,
}

impl Clock {
    /// Starts with the time that an earlier part of the run took.
    pub(crate) fn resume(seconds: f64) -> Self {
        Self { before: Duration::try_from_secs_f64(seconds).unwrap_or_default(), since: Instant::now() }
    }

    pub(crate) fn seconds(&self) -> f64 {
        (self.before + self.since.elapsed()).as_secs_f64()
    }

    /// Runs something off the clock.
    pub(crate) fn pause<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.before += self.since.elapsed();
        let result = work();
        self.since = Instant::now();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_time_does_not_count() {
        let begin = Instant::now();
        let mut clock = Clock::resume(5.0);
        clock.pause(|| std::thread::sleep(Duration::from_millis(100)));
        std::thread::sleep(Duration::from_millis(20));
        let counted = clock.seconds() - 5.0;
        assert!(counted >= 0.02 && begin.elapsed().as_secs_f64() - counted >= 0.099, "{counted}");
    }
}
