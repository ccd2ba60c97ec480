//! One file or folder per command: its options and its work.

mod anchor;
mod certify;
mod completions;
mod convert;
mod demo;
mod diagnose;
mod evaluate;
mod fit;
mod generate;
mod images;
mod manual;
mod method_args;
mod report;
mod reproduce;
mod simple_fit;
mod suggest_rank;
mod topics;
mod transform;

pub use report::page_of_folder as report_page;

use andnmf_program::{Failure, nearest};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

/// Recover the true components behind non-negative mixtures, even when their weights are strongly correlated.
#[derive(Debug, Parser)]
#[command(
    name = "andnmf",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  andnmf demo\n  andnmf fit samples.npy --rank 20 --out fitted\n  andnmf fit --help"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Generate(generate::GenerateArgs),
    Fit(Box<fit::FitArgs>),
    Transform(transform::TransformArgs),
    Evaluate(evaluate::EvaluateArgs),
    Diagnose(diagnose::DiagnoseArgs),
    Certify(certify::CertifyArgs),
    SuggestRank(suggest_rank::SuggestRankArgs),
    Topics(Box<topics::TopicsArgs>),
    Images(images::ImagesArgs),
    Anchor(anchor::AnchorArgs),
    Reproduce(reproduce::ReproduceArgs),
    Report(report::ReportArgs),
    Convert(convert::ConvertArgs),
    Completions(completions::CompletionsArgs),
    Manual(manual::ManualArgs),
}

/// Adds a suggestion for a misspelt command: clap has none for swapped letters.
pub(crate) fn with_suggestion(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(meant) = nearest(typed, Args::command().get_subcommands().map(clap::Command::get_name))
    {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// The failure of a build without the feature `packaging`.
#[cfg(not(feature = "packaging"))]
fn needs_packaging(what: &str) -> Failure {
    Failure::Request(format!("this build of andnmf cannot create {what}; build it with --features packaging"))
}

/// Runs the command.
pub(crate) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Demo(args) => demo::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Diagnose(args) => diagnose::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::SuggestRank(args) => suggest_rank::run(&args),
        Command::Topics(args) => topics::run(&args),
        Command::Images(args) => images::run(&args),
        Command::Anchor(args) => anchor::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Completions(args) => completions::run(&args, Args::command()),
        Command::Manual(args) => manual::run(&args, Args::command()),
    }
}
