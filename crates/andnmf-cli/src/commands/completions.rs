//! `andnmf completions`: what shells complete.

use std::io::{self, Write};

use clap::Command;
use clap_complete::Shell;

use crate::failure::Failure;

/// Print what your shell needs to complete andnmf's commands and options.
///
/// Example: andnmf completions bash > ~/.local/share/bash-completion/completions/andnmf
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf completions bash > ~/.local/share/bash-completion/completions/andnmf
  andnmf completions zsh > ~/.zfunc/_andnmf
  andnmf completions fish > ~/.config/fish/completions/andnmf.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    // Into memory first: the generator does not expect a reader that stops reading.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "andnmf", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
