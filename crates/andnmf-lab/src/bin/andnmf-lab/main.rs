//! The program `andnmf-lab`: reproduces the paper's figures and tables, draws phase maps, and judges each claim.

mod args;
mod messages;
mod plan_file;
mod provenance;
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
