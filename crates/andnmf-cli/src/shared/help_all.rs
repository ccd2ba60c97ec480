//! `--help-all`: the help with every option. `--help` leaves out those that are rarely needed.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Arg, ArgAction, Command};

const HELP_ALL: &str = "help-all";

/// The option, for commands whose `--help` leaves something out.
pub(crate) fn option() -> Arg {
    Arg::new(HELP_ALL)
        .long(HELP_ALL)
        .action(ArgAction::SetTrue)
        .help("Print help with all settings of all methods")
}

/// The whole help of the command that these arguments ask it for; `None` if they do not.
pub(crate) fn requested(arguments: &[OsString], program: &Command) -> Option<String> {
    let flag = format!("--{HELP_ALL}");
    if arguments.iter().all(|argument| *argument != *flag) {
        return None;
    }
    let name = arguments.get(1)?.to_str()?;
    let mut program = program.clone();
    program.build();
    let command = program.find_subcommand(name)?;
    command.get_arguments().find(|argument| argument.get_id() == HELP_ALL)?;
    let mut all = command.clone().mut_args(|argument| argument.hide_long_help(false));
    Some(all.render_long_help().to_string())
}

/// Prints the help.
pub(crate) fn print(help: &str) -> io::Result<()> {
    io::stdout().write_all(help.as_bytes())
}
