//! The command `andnmf`: what was typed becomes a checked plan, the library does the work, and the wording
//! lives here.

mod commands;
mod shared;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = commands::Args::try_parse().unwrap_or_else(|error| commands::with_nearest(error).exit());
    match commands::run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
