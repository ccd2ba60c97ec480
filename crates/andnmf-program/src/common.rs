//! The options of every command.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use andnmf::Real;
use andnmf::fit::Run;
use clap::Args;

use crate::cancel;
use crate::failure::Failure;

/// The options of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Threads to use; the result is the same for any number [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// No progress and no explanations: only errors and results
    #[arg(long, short)]
    pub quiet: bool,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// A run with the requested threads that Ctrl-C stops.
    #[must_use]
    pub fn run<'a, T: Real>(&self) -> Run<'a, T> {
        self.unstoppable().cancel_with(cancel::flag())
    }

    /// A run with the requested threads that ignores Ctrl-C: for the work that follows stopped stages.
    #[must_use]
    pub fn unstoppable<'a, T: Real>(&self) -> Run<'a, T> {
        self.threads.map_or_else(Run::new, |threads| Run::new().threads(threads.get()))
    }

    /// Gives everything that does not belong to a run the requested threads. Call it once, before any work.
    ///
    /// # Errors
    /// Where the threads cannot be started.
    pub fn set_threads(&self) -> Result<(), Failure> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global()
            .map_err(|error| Failure::Other(format!("{threads} threads could not be started: {error}")))
    }

    /// Whether explanations and progress are wanted.
    #[must_use]
    pub fn talks(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Tells people what they may have overlooked, on standard error.
    pub fn note(&self, notes: &[String]) {
        if self.talks() {
            notes.iter().for_each(|note| eprintln!("note: {note}"));
        }
    }

    /// Prints a line for people on standard output, where explanations are wanted.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn say(&self, line: impl AsRef<str>) -> Result<(), Failure> {
        if self.talks() {
            writeln!(io::stdout(), "{}", line.as_ref())?;
        }
        Ok(())
    }
}
