//! Output as JSON.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints one JSON object on standard output.
///
/// # Errors
/// If standard output cannot be written.
pub fn print(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}
