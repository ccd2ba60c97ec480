//! Reports of small fits of every kind, to look at and to test the page with: `report DIR` writes a folder for each,
//! with `report.html` and the `summary.json` that it shows.

mod fits;
mod odd;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use andnmf_report::Report;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("name the folder to write to")?;
    write(&folder, "words", &fits::words()?)?;
    write(&folder, "image", &fits::image()?)?;
    write(&folder, "curve", &fits::curve()?)?;
    write(&folder, "bars", &fits::bars()?)?;
    write(&folder, "single", &odd::single()?)?;
    write(&folder, "many", &odd::many()?)?;
    write(&folder, "sections", &odd::sections())
}

fn write(folder: &Path, name: &str, report: &Report) -> Result<(), Box<dyn Error>> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&report.summary)?)?;
    fs::write(folder.join("report.html"), report.to_html())?;
    Ok(())
}
