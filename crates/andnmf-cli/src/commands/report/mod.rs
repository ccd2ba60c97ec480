//! `andnmf report`: builds the report page of a fit from its folder.

mod trace_file;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use andnmf_io::model::Model;
use andnmf_io::{Overwrite, read_array, read_together, write_atomically};
use andnmf_program::{CommonArgs, Failure, did_you_mean_file, json, read_failure, write_failure};
use clap::{Args, FromArgMatches};
use serde::Serialize;
use serde_json::Value;

use super::fit::{Shape, Show, page};

/// The page's name in the folder of a fit.
const PAGE: &str = "report.html";
/// The file that only the folder of a reproduction has.
const REPRODUCTION: &str = "plan.json";

/// Build the HTML report of a fit.
///
/// Example: andnmf report fitted
///
/// Reads the files that `andnmf fit --out DIR` or `model.save("DIR", X)` in Python wrote, and writes DIR/report.html, a
/// self-contained page. An existing page is replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf report fitted
  andnmf report fitted --title \"Spectra of the bay\" --show curve
  andnmf report faces --shape 64x64")]
pub(crate) struct ReportArgs {
    /// Output folder of a fit
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Title of the page [default: the name of the folder]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Plot type of the components
    #[arg(long, value_enum, default_value = "auto", value_name = "KIND")]
    show: Show,
    /// Height and width in pixels if components are images, such as 28x28
    #[arg(long, value_name = "HxW")]
    shape: Option<Shape>,
    /// Accepted for consistency with other commands; the page is always replaced
    #[arg(long, hide = true)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct ReportOutput<'a> {
        report: &'a Path,
    }
    args.common.set_threads()?;
    refuse_reproduction(&args.folder)?;
    let (html, file) = (html(args)?, args.folder.join(PAGE));
    write_atomically(&file, Overwrite::Yes, |out| out.write_all(html.as_bytes())).map_err(write_failure)?;
    if args.common.json {
        return json::print(&ReportOutput { report: &file });
    }
    args.common.print(format!("report: {} (open it in a browser)", file.display()))
}

/// The report page of the fit in a folder, with the options of `andnmf report` (`--title TEXT` and so on).
///
/// # Errors
/// If an option is wrong, or the folder is not that of a fit; the message is that of the command.
pub fn page_of_folder(folder: &Path, options: Vec<OsString>) -> Result<String, String> {
    let program = OsString::from("andnmf report");
    let words = [program].into_iter().chain(options).chain([OsString::from("--"), folder.into()]);
    let parser = ReportArgs::augment_args(clap::Command::new("andnmf report"));
    let matches = parser.try_get_matches_from(words).map_err(|error| error.to_string())?;
    let args = ReportArgs::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    html(&args).map_err(|failure| failure.to_string())
}

/// Builds the page of the fit in the folder.
fn html(args: &ReportArgs) -> Result<String, Failure> {
    let folder = &args.folder;
    let (summary, model, weights, trace) = read_together(folder, "summary.json", || {
        let summary = read_summary(folder)?;
        let model = Model::<f64>::load(&folder.join("model.safetensors")).map_err(read_failure)?;
        // A model that was saved without its samples has no weights.
        let file = folder.join("weights.npy");
        let weights = file.exists().then(|| read_array::<f64>(&file)).transpose().map_err(read_failure)?;
        Ok::<_, Failure>((summary, model, weights, trace_file::read(&folder.join("trace.csv"))?))
    })?;
    let (rank, n_features) = model.components().dim();
    if let Some(columns) = weights.as_ref().map(|weights| weights.ncols()).filter(|&columns| columns != rank)
    {
        return Err(Failure::Request(format!(
            "{}: weights.npy has {columns} components, but model.safetensors has {rank}; the files belong to different fits",
            folder.display()
        )));
    }
    let kind = page::kind(args.show, args.shape, model.feature_names(), n_features)?;
    let title = args.title.clone().unwrap_or_else(|| name_of(folder));
    let errors = (!trace.errors.is_empty()).then_some(&trace.errors);
    let weights = weights.as_ref().map(|weights| weights.view());
    page::html(&title, summary, (&trace.records, errors), &model, weights, kind)
}

/// Refuses the folder of a reproduction: this command cannot draw its figures.
fn refuse_reproduction(folder: &Path) -> Result<(), Failure> {
    if !folder.join(REPRODUCTION).exists() {
        return Ok(());
    }
    Err(Failure::Request(format!(
        "{folder} contains a reproduction of the paper's figures, which another program draws; in a checkout of \
         andnmf, run\n  cargo run --release -p andnmf-lab -- --rebuild --out {folder}",
        folder = folder.display()
    )))
}

/// The name of the folder, also for a path such as `.`.
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
            similar_folder(folder)
        )));
    }
    let text = fs::read_to_string(&file).map_err(|error| {
        let page = if folder.join(PAGE).exists() { "; the existing page was not changed" } else { "" };
        Failure::Request(format!(
            "{}: {error}; expected a folder that `andnmf fit --out` wrote{page}",
            file.display()
        ))
    })?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::Request(format!("{}: not a summary of a fit: {error}", file.display())))
}

/// A suggestion of the folder with the most similar name.
fn similar_folder(folder: &Path) -> String {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let typed = folder.file_name().unwrap_or_default().to_string_lossy();
    did_you_mean_file(&typed, names.iter().map(String::as_str))
}
