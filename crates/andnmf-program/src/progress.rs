//! Progress of a command: one line on standard error, only on a terminal, removed at the end.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use andnmf::fit::StageRecord;
use andnmf_io::printable_line;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cancel;
use crate::common::CommonArgs;
use crate::format::{duration, number};

/// The progress line of a command.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    stages_seen: usize,
    /// Seconds of the fit before the first stage of this run: positive if it resumes from a checkpoint.
    seconds_before: f64,
}

impl Progress {
    /// Shows a message, if standard error is a terminal and progress is wanted.
    pub fn new(common: &CommonArgs, message: impl Into<String>) -> Self {
        let shown = common.verbose() && stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(printable_line(&message.into()).into_owned());
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, started: Instant::now(), stages_seen: 0, seconds_before: 0.0 }
    }

    /// Replaces the message.
    pub fn set_message(&self, message: impl Into<String>) {
        self.bar.set_message(printable_line(&message.into()).into_owned());
    }

    /// Shows a bar: this many of all items are done, and the rest will take about `seconds_left`.
    pub fn set_items_done(&self, done: usize, all: usize, seconds_left: f64, message: &str) {
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
        self.bar.set_message(format!("about {} left{stopping}  {message}", duration(seconds_left)));
    }

    /// Shows a finished stage, and the most time that the remaining ones can take if their number or time is limited.
    pub fn stage(&mut self, record: &StageRecord, max_stages: Option<usize>, time_limit: Option<f64>) {
        self.stages_seen += 1;
        if self.bar.is_hidden() {
            return;
        }
        let elapsed = self.started.elapsed().as_secs_f64();
        if self.stages_seen == 1 {
            self.seconds_before = (record.seconds - elapsed).max(0.0);
        }
        let per_stage = elapsed / self.stages_seen as f64;
        let by_stages = max_stages.map(|most| per_stage * most.saturating_sub(record.stage + 1) as f64);
        let by_time = time_limit.map(|limit| (limit + self.seconds_before - record.seconds).max(0.0));
        let left = match by_stages.into_iter().chain(by_time).reduce(f64::min) {
            Some(seconds) => format!(", at most {} left", duration(seconds)),
            None => String::new(),
        };
        let threshold = record
            .threshold_median
            .map_or_else(String::new, |value| format!("  threshold {}", number(value, 3)));
        let stopping = if cancel::requested() { ", stopping" } else { "" };
        // The most important comes first: a narrow terminal cuts off the end.
        self.bar.set_message(format!(
            "stage {}{stopping}{left}  change {}  active {:.1}%{threshold}",
            record.stage + 1,
            number(record.change, 2),
            100.0 * record.active_fraction,
        ));
    }

    /// Shows a finished stage of the refit that checks a finished fit.
    pub fn refit_stage(&mut self, record: &StageRecord) {
        if !self.bar.is_hidden() {
            let stopping = if cancel::requested() { ", stopping" } else { "" };
            self.bar.set_message(format!("checking by a refit: stage {}{stopping}", record.stage + 1));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
