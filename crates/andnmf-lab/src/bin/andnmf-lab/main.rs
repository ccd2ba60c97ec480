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
    let args = args::LabArgs::parse();
    ExitCode::from(andnmf_program::run_to_exit(|| run::run(&args)))
}
