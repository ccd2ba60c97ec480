//! The command `andnmf`: parses the options into checked settings, calls the library, prints the results.

mod commands;
mod shared;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = commands::Args::try_parse().unwrap_or_else(|error| commands::with_suggestion(error).exit());
    andnmf_program::run_to_exit(|| commands::run(args))
}
