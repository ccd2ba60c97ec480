//! The solver's clock, which stands still while observers work.

use std::time::{Duration, Instant};

/// Time spent in the solver itself.
#[derive(Debug)]
pub(crate) struct Clock {
    before: Duration,
    /// When it was last set going; nothing while it stands still.
    since: Option<Instant>,
}

impl Clock {
    /// Starts with the time that an earlier part of the run took.
    pub(crate) fn resume(seconds: f64) -> Self {
        Self { before: Duration::try_from_secs_f64(seconds).unwrap_or_default(), since: Some(Instant::now()) }
    }

    pub(crate) fn seconds(&self) -> f64 {
        (self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())).as_secs_f64()
    }

    /// Stands still from now on.
    pub(crate) fn stop(&mut self) {
        self.before += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }

    pub(crate) fn go_on(&mut self) {
        self.since = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_time_does_not_count() {
        let begin = Instant::now();
        let mut clock = Clock::resume(5.0);
        clock.stop();
        std::thread::sleep(Duration::from_millis(100));
        clock.go_on();
        std::thread::sleep(Duration::from_millis(20));
        let counted = clock.seconds() - 5.0;
        assert!(counted >= 0.02 && begin.elapsed().as_secs_f64() - counted >= 0.099, "{counted}");
    }
}
