//! One file per command.

mod demo;

use crate::args::{Args, Command};
use crate::failure::Failure;

/// Does what was typed.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Demo(args) => demo::run(&args),
    }
}
