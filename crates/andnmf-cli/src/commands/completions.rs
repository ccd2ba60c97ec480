//! `andnmf completions`: shell completion scripts.

use andnmf_program::Failure;
use clap::{Command, ValueEnum};

/// Print a script that makes your shell complete the commands and options of andnmf.
///
/// Example: andnmf completions bash > ~/.local/share/bash-completion/completions/andnmf
///
/// Requires a build with --features packaging; released builds have it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf completions bash > ~/.local/share/bash-completion/completions/andnmf
  andnmf completions zsh > ~/.zfunc/_andnmf
  andnmf completions fish > ~/.config/fish/completions/andnmf.fish")]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// The shells with completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Prints the script.
#[cfg(feature = "packaging")]
pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    use std::io::{self, Write};

    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Elvish => clap_complete::Shell::Elvish,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Powershell => clap_complete::Shell::PowerShell,
        Shell::Zsh => clap_complete::Shell::Zsh,
    };
    // Into memory first: the generator panics if standard output is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "andnmf", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// Fails: this build lacks the feature.
#[cfg(not(feature = "packaging"))]
pub(crate) fn run(args: &CompletionsArgs, _: Command) -> Result<(), Failure> {
    let shell = args.shell.to_possible_value().map_or_else(String::new, |shell| shell.get_name().to_owned());
    Err(super::needs_packaging(&format!("completions for {shell}")))
}
