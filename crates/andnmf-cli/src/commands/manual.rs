//! `andnmf manual`: the manual pages for `man`.

use std::path::PathBuf;

use andnmf_program::Failure;
use clap::Command;

/// Print the manual page of andnmf, or write a page for every command.
///
/// Example: andnmf manual --out ~/.local/share/man/man1 --force
///
/// Requires a build with --features packaging; released builds have it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf manual > andnmf.1
  andnmf manual --out ~/.local/share/man/man1 --force    # then: man andnmf-fit")]
pub(crate) struct ManualArgs {
    /// Output folder for andnmf.1, andnmf-fit.1, ...; without it, andnmf.1 is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write to a folder that is not empty, replacing files of the same names
    #[arg(long, requires = "out")]
    force: bool,
}

/// Prints or writes the pages.
#[cfg(feature = "packaging")]
pub(crate) fn run(args: &ManualArgs, mut command: Command) -> Result<(), Failure> {
    use andnmf_program::OutputFolder;
    use std::io::{self, Write};

    // Sets the full names of the subcommands.
    command.build();
    let Some(out) = &args.out else {
        return Ok(io::stdout().write_all(&page(&command, "andnmf")?)?);
    };
    let folder = OutputFolder::open(out, args.force)?;
    let mut staged = folder.stage()?;
    let mut written = 0;
    for part in command.get_subcommands().filter(|part| !part.is_hide_set() && part.get_name() != "help") {
        let name = format!("andnmf-{}", part.get_name());
        staged.write_text(&format!("{name}.1"), &String::from_utf8_lossy(&page(part, &name)?))?;
        written += 1;
    }
    staged.write_text("andnmf.1", &String::from_utf8_lossy(&page(&command, "andnmf")?))?;
    staged.finish()?;
    writeln!(io::stdout(), "{} manual pages are in {}", written + 1, out.display())?;
    Ok(())
}

#[cfg(feature = "packaging")]
fn page(command: &Command, name: &str) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut text)?;
    Ok(text)
}

/// Fails: this build lacks the feature.
#[cfg(not(feature = "packaging"))]
pub(crate) fn run(args: &ManualArgs, _: Command) -> Result<(), Failure> {
    let what = if args.out.is_some() || args.force { "manual pages" } else { "a manual page" };
    Err(super::needs_packaging(what))
}
