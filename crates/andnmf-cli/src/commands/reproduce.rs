//! `andnmf reproduce`: where the reproduction of the paper's figures went.

use andnmf_program::Failure;

/// Say how to make the paper's figures: a program of its own does it.
///
/// Example: andnmf reproduce all
///
/// The figures need fonts and a renderer that fits do not. In a checkout of andnmf, run
/// `cargo run --release -p andnmf-lab -- all --quick --out reproduced`; `--help` there lists the figures and options.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Figures and options, which are repeated in the command to run
    #[arg(value_name = "FIGURE_OR_OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Names the command that does what was typed.
pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    let rest = if args.rest.is_empty() { "all --quick".to_owned() } else { args.rest.join(" ") };
    Err(Failure::Request(format!(
        "a program of its own reproduces the paper's figures; in a checkout of andnmf, run\n  \
         cargo run --release -p andnmf-lab -- {rest}"
    )))
}
