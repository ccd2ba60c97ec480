//! The command `andnmf` as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(andnmf_cli::run(std::env::args_os()))
}
