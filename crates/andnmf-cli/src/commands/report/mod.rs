//! `andnmf report`: the page of a fit, built again from its folder.

mod trace_file;

use std::fs;
use std::path::{Path, PathBuf};

use andnmf_io::model::Model;
use andnmf_io::{Overwrite, read_array, write_atomically};
use andnmf_program::{Common, Failure, did_you_mean_file, json, reading, writing};
use serde::Serialize;
use serde_json::Value;

use super::fit::{Shape, Show, page};

/// The page's name in the folder of a fit.
const PAGE: &str = "report.html";
/// The file that only the folder of a reproduction has.
const REPRODUCTION: &str = "plan.json";

/// Build the report page of a fit, or build it again.
///
/// Example: andnmf report fitted
///
/// Reads what `andnmf fit --out DIR` wrote and writes DIR/report.html, one page that needs nothing but a browser. A page
/// that is there already is replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf report fitted
  andnmf report fitted --title \"Spectra of the bay\" --show curve
  andnmf report faces --shape 64x64")]
pub(crate) struct ReportArgs {
    /// The folder that a fit was written to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Heading of the page [default: the name of the folder]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// How the page draws components
    #[arg(long, value_enum, default_value = "auto", value_name = "KIND")]
    show: Show,
    /// Height and width of components that are pictures, such as 28x28
    #[arg(long, value_name = "HxW")]
    shape: Option<Shape>,
    /// For those who are used to it: a page is replaced with or without
    #[arg(long, hide = true)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Written<'a> {
        report: &'a Path,
    }
    args.common.set_threads()?;
    refuse_reproduction(&args.folder)?;
    let (html, file) = (html(args)?, args.folder.join(PAGE));
    write_atomically(&file, Overwrite::Yes, |out| out.write_all(html.as_bytes())).map_err(writing)?;
    if args.common.json {
        return json::print(&Written { report: &file });
    }
    args.common.say(format!("the report is {}; open it in a browser", file.display()))
}

/// The page of the fit that lies in the folder.
fn html(args: &ReportArgs) -> Result<String, Failure> {
    let folder = &args.folder;
    let summary = read_summary(folder)?;
    let model = Model::<f64>::load(&folder.join("model.safetensors")).map_err(reading)?;
    let weights = read_array::<f64>(&folder.join("weights.npy")).map_err(reading)?;
    let trace = trace_file::read(&folder.join("trace.csv"))?;
    let (rank, n_features) = model.components().dim();
    if weights.ncols() != rank {
        return Err(Failure::Request(format!(
            "{} has weights of {} components, but its model has {rank}: these files are not of one fit",
            folder.display(),
            weights.ncols()
        )));
    }
    let kind = page::kind(args.show, args.shape, model.feature_names(), n_features)?;
    let title = args.title.clone().unwrap_or_else(|| name_of(folder));
    let errors = (!trace.errors.is_empty()).then_some(&trace.errors);
    page::html(&title, summary, (&trace.records, errors), &model, weights.view(), kind)
}

/// The page of a reproduction has figures that this command does not draw.
fn refuse_reproduction(folder: &Path) -> Result<(), Failure> {
    if !folder.join(REPRODUCTION).exists() {
        return Ok(());
    }
    Err(Failure::Request(format!(
        "{folder} holds a reproduction of the paper's figures, which a program of its own draws: in a checkout of \
         andnmf, run\n  cargo run --release -p andnmf-lab -- --rebuild --out {folder}",
        folder = folder.display()
    )))
}

/// The last part of the folder's path, also where that was typed as `.`.
fn name_of(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read_summary(folder: &Path) -> Result<Value, Failure> {
    let file = folder.join("summary.json");
    if !folder.is_dir() {
        return Err(Failure::Request(format!(
            "{}: there is no such folder{}",
            folder.display(),
            beside(folder)
        )));
    }
    let text = fs::read_to_string(&file).map_err(|error| {
        let page = if folder.join(PAGE).exists() { "; the page that is there stays as it is" } else { "" };
        Failure::Request(format!(
            "{}: {error}; a folder is needed that `andnmf fit --out` wrote{page}",
            file.display()
        ))
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Request(format!("{}: this is no summary of a fit: {error}", file.display()))
    })
}

/// The neighbour that may have been meant.
fn beside(folder: &Path) -> String {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let typed = folder.file_name().unwrap_or_default().to_string_lossy();
    did_you_mean_file(&typed, names.iter().map(String::as_str))
}
