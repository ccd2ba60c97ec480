//! The solver's clock, which pauses while observers run.

use std::time::{Duration, Instant};

/// Time spent in the solver itself.
#[derive(Debug)]
pub(crate) struct Clock {
    before: Duration,
    /// The time of the last resume; `None` while paused.
    since: Option<Instant>,
}

impl Clock {
    /// A running clock that already shows the time of an earlier part of the run.
    pub(crate) fn starting_at(seconds: f64) -> Self {
        Self { before: Duration::try_from_secs_f64(seconds).unwrap_or_default(), since: Some(Instant::now()) }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.before.saturating_add(self.since.map_or(Duration::ZERO, |since| since.elapsed())).as_secs_f64()
    }

    pub(crate) fn pause(&mut self) {
        let running = self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.before = self.before.saturating_add(running);
    }

    pub(crate) fn resume(&mut self) {
        self.since = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_time_does_not_count() {
        let started = Instant::now();
        let mut clock = Clock::starting_at(5.0);
        clock.pause();
        std::thread::sleep(Duration::from_millis(100));
        clock.resume();
        std::thread::sleep(Duration::from_millis(20));
        let counted = clock.seconds() - 5.0;
        assert!(counted >= 0.02 && started.elapsed().as_secs_f64() - counted >= 0.099, "{counted}");
    }
}
