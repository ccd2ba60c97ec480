//! The command `andnmf` within the Python package.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::call::without_panic;
use crate::error::CallError;

/// Runs the command with these arguments, the first of which is the name of the program; returns its exit status.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| andnmf_cli::run(arguments))
}

/// The report page of the fit in a folder, with the options of `andnmf report`.
#[pyfunction]
pub(crate) fn report_page(py: Python<'_>, folder: PathBuf, options: Vec<OsString>) -> PyResult<String> {
    let page = || andnmf_cli::report_page(&folder, options).map_err(CallError::Value);
    Ok(py.detach(|| without_panic(page))?)
}
