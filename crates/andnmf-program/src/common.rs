//! The options of every command.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use andnmf::Real;
use andnmf::fit::{MAX_THREADS, Run};
use andnmf_io::printable;
use clap::Args;

use crate::cancel;
use crate::failure::Failure;

/// The options of every command.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Print only errors and results, no progress and no notes
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as one JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

impl CommonArgs {
    /// Returns a run with the requested threads that Ctrl-C cancels.
    #[must_use]
    pub fn run<'a, T: Real>(&self) -> Run<'a, T> {
        self.uncancellable_run().cancel_with(cancel::flag())
    }

    /// Returns a run with the requested threads that ignores Ctrl-C: for work that follows cancelled stages.
    #[must_use]
    pub fn uncancellable_run<'a, T: Real>(&self) -> Run<'a, T> {
        self.n_threads().map_or_else(Run::new, |threads| Run::new().threads(threads))
    }

    /// The requested number of threads, or as many of them as can be used.
    #[must_use]
    pub fn n_threads(&self) -> Option<usize> {
        self.threads.map(|threads| threads.get().min(MAX_THREADS))
    }

    /// Limits everything outside of runs to the requested threads. Call it once, before any work.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn set_threads(&self) -> Result<(), Failure> {
        let Some(threads) = self.n_threads() else { return Ok(()) };
        if self.threads.is_some_and(|requested| requested.get() > threads) {
            self.print_notes(&[format!("--threads is more than can be used; {threads} are used")]);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global().map_err(|error| {
            Failure::Other(format!("--threads {threads}: could not start the threads: {error}"))
        })
    }

    /// Returns true if progress and notes are to be printed: neither `--quiet` nor `--json`.
    #[must_use]
    pub fn verbose(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Prints notes on standard error, unless `--quiet` or `--json` is set.
    pub fn print_notes(&self, notes: &[String]) {
        if self.verbose() {
            notes.iter().for_each(|note| eprintln!("note: {}", printable(note)));
        }
    }

    /// Prints a line on standard output, unless `--quiet` or `--json` is set.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&self, line: impl AsRef<str>) -> Result<(), Failure> {
        if self.verbose() {
            writeln!(io::stdout(), "{}", printable(line.as_ref()))?;
        }
        Ok(())
    }
}
