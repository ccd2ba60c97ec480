//! How far a command is: one line on standard error that is gone at the end, and only on a terminal.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use andnmf::fit::StageRecord;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cancel;
use crate::common::Common;

/// Progress of a command.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    stages_seen: usize,
    /// What the clock of the fit had before the stages seen here: more than nothing where it goes on from a checkpoint.
    seconds_before: f64,
}

impl Progress {
    /// Shows what is being done, where anyone is there to see it.
    pub fn new(common: &Common, doing: impl Into<String>) -> Self {
        let shown = common.talks() && stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(doing.into());
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, since: Instant::now(), stages_seen: 0, seconds_before: 0.0 }
    }

    /// Goes on to something else.
    pub fn doing(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
    }

    /// So many of so many pieces of work are done, and the rest will take so many seconds.
    pub fn pieces(&self, done: usize, all: usize, seconds_left: f64, doing: &str) {
        if self.bar.length().is_none() {
            self.bar.set_length(all as u64);
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {elapsed} {bar:24} {pos}/{len}  {wide_msg}")
            {
                self.bar.set_style(style);
            }
        }
        self.bar.set_position(done as u64);
        let stopping = if cancel::requested() { ", stopping" } else { "" };
        self.bar.set_message(format!("about {} left{stopping}  {doing}", in_words(seconds_left)));
    }

    /// A stage is done; at most so many stages and so many seconds in all may be.
    pub fn stage(&mut self, record: &StageRecord, most_stages: usize, time_limit: Option<f64>) {
        self.stages_seen += 1;
        if self.bar.is_hidden() {
            return;
        }
        let elapsed = self.since.elapsed().as_secs_f64();
        if self.stages_seen == 1 {
            self.seconds_before = (record.seconds - elapsed).max(0.0);
        }
        let per_stage = elapsed / self.stages_seen as f64;
        let mut left = per_stage * most_stages.saturating_sub(record.stage + 1) as f64;
        if let Some(limit) = time_limit {
            left = left.min((limit + self.seconds_before - record.seconds).max(0.0));
        }
        let threshold =
            record.threshold_median.map_or_else(String::new, |value| format!("  threshold {value:.2e}"));
        let stopping = if cancel::requested() { ", stopping" } else { "" };
        // What matters most stands first: a narrow terminal cuts off the end.
        self.bar.set_message(format!(
            "stage {}{stopping}, at most {} left  change {:.1e}  active {:.1}%{threshold}",
            record.stage + 1,
            in_words(left),
            record.change,
            100.0 * record.active_fraction,
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Seconds as people say them.
fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
