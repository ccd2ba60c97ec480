//! Output for other programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints one object on standard output.
///
/// # Errors
/// Where standard output cannot be written.
pub fn print(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}
