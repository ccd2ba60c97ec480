//! The command `andnmf`: parses the options into checked settings, calls the library, prints the results.
//!
//! [`run`] is the whole program: the binary calls it, and so does the Python package, which brings the same command.
//! [`report_page`] is its report, for programs that show the page themselves.

mod commands;
mod shared;

pub use commands::report_page;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

/// Runs the command with these arguments, the first of which is the name of the program, and returns its exit status.
///
/// Meant for a process of its own: it sets the threads of the process, its panic hook and its handler of Ctrl-C.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(help) = shared::help_all::requested(&arguments, &commands::Args::command()) {
        return andnmf_program::run_to_exit(|| Ok(shared::help_all::print(&help)?));
    }
    match commands::Args::try_parse_from(arguments) {
        Ok(args) => andnmf_program::run_to_exit(|| commands::run(args)),
        Err(error) => {
            let error = commands::with_suggestion(error);
            // Nobody reads what cannot be printed.
            let _ = error.print();
            error.exit_code().try_into().unwrap_or(andnmf_program::EXIT_REQUEST)
        }
    }
}
