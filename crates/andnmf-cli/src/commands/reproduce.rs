//! `andnmf reproduce`: names the program that reproduces the paper's figures.

use andnmf_program::Failure;

/// Print the command that reproduces the paper's figures.
///
/// Example: andnmf reproduce all
///
/// A separate program, andnmf-lab, reproduces the figures. In a checkout of andnmf, run
/// `cargo run --release -p andnmf-lab -- all --quick --out reproduced`; its `--help` lists the figures and options.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf reproduce all
  andnmf reproduce fig4 fig5 --quick --out reproduced")]
pub(crate) struct ReproduceArgs {
    /// Figures and options of andnmf-lab
    #[arg(value_name = "FIGURE_OR_OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Fails with the command to run instead.
pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let rest = if args.rest.is_empty() { "all --quick".to_owned() } else { args.rest.join(" ") };
    Err(Failure::Request(format!(
        "a separate program reproduces the paper's figures; in a checkout of andnmf, run\n  \
         cargo run --release -p andnmf-lab -- {rest}"
    )))
}
