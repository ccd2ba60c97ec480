//! The options of every command.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use andnmf::Real;
use andnmf::fit::Run;
use clap::Args;

use super::cancel;
use crate::failure::Failure;

/// The options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Threads to use; the result is the same for any number [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// No progress and no explanations: errors, and what was asked for
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

impl Common {
    /// A run with the threads asked for that Ctrl-C stops.
    pub(crate) fn run<'a, T: Real>(&self) -> Run<'a, T> {
        self.unstoppable().cancel_with(cancel::flag())
    }

    /// A run with the threads asked for that goes on after Ctrl-C: for what is left to do once the stages are stopped.
    pub(crate) fn unstoppable<'a, T: Real>(&self) -> Run<'a, T> {
        self.threads.map_or_else(Run::new, |threads| Run::new().threads(threads.get()))
    }

    /// Makes the threads asked for those of everything that does not belong to a run. Once, as the first thing.
    pub(crate) fn set_threads(&self) -> Result<(), Failure> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global()
            .map_err(|error| Failure::Other(format!("{threads} threads could not be started: {error}")))
    }

    /// Whether explanations and progress are wanted.
    pub(crate) fn talks(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Tells people what they may have overlooked, on standard error.
    pub(crate) fn note(&self, notes: &[String]) {
        if self.talks() {
            notes.iter().for_each(|note| eprintln!("note: {note}"));
        }
    }

    /// Prints a line for people on standard output, where explanations are wanted.
    pub(crate) fn say(&self, line: impl AsRef<str>) -> Result<(), Failure> {
        if self.talks() {
            writeln!(io::stdout(), "{}", line.as_ref())?;
        }
        Ok(())
    }
}
