//! The Rust side of `bench/competitors.py` and of the fits of `bench/compare`: runs methods on files, prints JSON.
//!
//! ```text
//! competitors nnls FOLDER                          weights of the samples under the start
//! competitors fit PRECISION FOLDER START SETTINGS  any method, by its settings as JSON; [held-out FOLDER] for LDA
//! competitors table SECONDS                        error against time, every method on every dataset
//! ```
//!
//! START is `data` for a start from the data alone, or `given` for the one in the folder.

#[path = "../shared/files.rs"]
mod files;
mod table;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use andnmf::fit::{Run, Start};
use andnmf::nnls::weights;
use andnmf::{MethodParams, Real};
use ndarray::Array2;
use ndarray_npy::{ReadableElement, WritableElement, read_npy, write_npy};
use serde_json::json;

const USAGE: &str = "see the head of crates/andnmf-lab/examples/competitors/main.rs for the commands";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["nnls", folder] => nnls(folder.as_ref()),
        ["fit", "f32", request @ ..] => FitRequest::read(request)?.fit::<f32>(),
        ["fit", "f64", request @ ..] => FitRequest::read(request)?.fit::<f64>(),
        ["table", seconds] => table::print(seconds.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn nnls(folder: &Path) -> Result<(), Box<dyn Error>> {
    let samples = files::samples::<f64>(folder)?;
    let start: Array2<f64> = read_npy(folder.join("start.npy"))?;
    let started = Instant::now();
    let found_weights = weights(&*samples, start.view(), &Run::new())?;
    println!("{}", json!({ "seconds": started.elapsed().as_secs_f64() }));
    Ok(write_npy(folder.join("start_weights.npy"), &found_weights)?)
}

/// A requested fit.
struct FitRequest<'a> {
    folder: &'a Path,
    given: bool,
    settings: MethodParams,
    held_out: Option<&'a Path>,
}

impl<'a> FitRequest<'a> {
    fn read(arguments: &[&'a str]) -> Result<Self, Box<dyn Error>> {
        let (folder, start, settings, held_out) = match *arguments {
            [folder, start, settings] => (folder, start, settings, None),
            [folder, start, settings, held_out] => (folder, start, settings, Some(held_out.as_ref())),
            _ => return Err(USAGE.into()),
        };
        let settings = serde_json::from_str(settings)?;
        Ok(Self { folder: folder.as_ref(), given: start == "given", settings, held_out })
    }

    fn fit<T: Real + ReadableElement + WritableElement>(self) -> Result<(), Box<dyn Error>> {
        let samples = files::samples::<T>(self.folder)?;
        let start =
            if self.given { Start::Given(read_npy(self.folder.join("start.npy"))?) } else { Start::Auto };
        let started = Instant::now();
        let mut fit = self.settings.clone().check::<T>()?.fit(&*samples, start, &mut Run::new())?;
        let own = fit.weights.take();
        let weights = own.map_or_else(|| weights(&*samples, fit.components.view(), &Run::new()), Ok)?;
        let seconds_with_weights = started.elapsed().as_secs_f64();
        write_npy(self.folder.join("components.npy"), &fit.components)?;
        write_npy(self.folder.join("weights.npy"), &weights)?;
        let trace: Vec<_> = fit.trace.iter().map(|row| (row.seconds, row.loss)).collect();
        let perplexity = match (self.settings, self.held_out) {
            (MethodParams::OnlineLda(params), Some(folder)) => {
                let lda = params.check()?;
                Some(lda.topics(&fit)?.perplexity(&*files::samples(folder)?)?)
            }
            _ => None,
        };
        let output = json!({
            "seconds": fit.seconds,
            "seconds_with_weights": seconds_with_weights,
            "trace": trace,
            "perplexity": perplexity,
        });
        println!("{output}");
        Ok(())
    }
}
