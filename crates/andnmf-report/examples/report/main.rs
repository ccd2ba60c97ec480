//! Example reports for viewing and for the browser tests: `report DIR` writes one folder per example, with
//! `report.html` and the `summary.json` that it shows.

mod edge_cases;
mod fits;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use andnmf_report::Report;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: report DIR")?;
    write(&folder, "words", &fits::words()?)?;
    write(&folder, "image", &fits::image()?)?;
    write(&folder, "curve", &fits::curve()?)?;
    write(&folder, "bars", &fits::bars()?)?;
    write(&folder, "single", &edge_cases::single()?)?;
    write(&folder, "many", &edge_cases::many()?)?;
    write(&folder, "large", &edge_cases::large()?)?;
    write(&folder, "sections", &edge_cases::sections())
}

fn write(folder: &Path, name: &str, report: &Report) -> Result<(), Box<dyn Error>> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&report.summary)?)?;
    fs::write(folder.join("report.html"), report.to_html())?;
    Ok(())
}
