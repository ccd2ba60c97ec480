//! The program `andnmf-lab`: the paper's figures and tables, the map beyond them, and a verdict on each claim.

mod about;
mod args;
mod folder;
mod messages;
mod run;
mod sources;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match run::run(&args::LabArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
