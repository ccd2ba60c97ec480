//! The Rust side of `bench/competitors.py`: makes data, runs methods on files, prints JSON.
//!
//! ```text
//! competitors dataset KIND FOLDER        a named dataset: matrix and start
//! competitors nnls FOLDER                weights of the samples under the start
//! competitors fit FOLDER SETTINGS        any method, by its settings as JSON; [held-out FOLDER] for LDA
//! competitors table SECONDS              error against time, every method on every dataset
//! ```

#[path = "../shared/files.rs"]
mod files;
mod table;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use andnmf::MethodParams;
use andnmf::fit::{Run, Start};
use andnmf::nnls::weights;
use andnmf::synth::{DatasetKind, DatasetSpec};
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["dataset", kind, folder] => dataset(kind.parse()?, folder.as_ref()),
        ["nnls", folder] => nnls(folder.as_ref()),
        ["fit", folder, settings] => fit(folder.as_ref(), serde_json::from_str(settings)?, None),
        ["fit", folder, settings, held_out] => {
            fit(folder.as_ref(), serde_json::from_str(settings)?, Some(held_out.as_ref()))
        }
        ["table", seconds] => table::print(seconds.parse()?),
        _ => Err("see the head of crates/andnmf-lab/examples/competitors/main.rs for the commands".into()),
    }
}

fn dataset(kind: DatasetKind, folder: &Path) -> Result<(), Box<dyn Error>> {
    let data = DatasetSpec::new(kind).generate()?;
    write_npy(folder.join("dense.npy"), &data.samples)?;
    write_npy(folder.join("start.npy"), &data.init.mapv(|v| v.max(0.0)))?;
    Ok(())
}

fn nnls(folder: &Path) -> Result<(), Box<dyn Error>> {
    let samples = files::samples(folder)?;
    let start: Array2<f64> = read_npy(folder.join("start.npy"))?;
    let begin = Instant::now();
    let found = weights(&*samples, start.view(), &Run::new())?;
    println!("{}", json!({ "seconds": begin.elapsed().as_secs_f64() }));
    Ok(write_npy(folder.join("weights.npy"), &found)?)
}

fn fit(folder: &Path, settings: MethodParams, held_out: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let samples = files::samples(folder)?;
    let given = folder.join("start.npy");
    let start = if given.exists() { Start::Given(read_npy(given)?) } else { Start::Auto };
    let fit = settings.clone().check::<f64>()?.fit(&*samples, start, &mut Run::new())?;
    write_npy(folder.join("components.npy"), &fit.components)?;
    let trace: Vec<_> = fit.trace.iter().map(|row| (row.seconds, row.loss)).collect();
    let perplexity = match (settings, held_out) {
        (MethodParams::OnlineLda(params), Some(folder)) => {
            let lda = params.check()?;
            Some(lda.topics(&fit)?.perplexity(&*files::samples(folder)?)?)
        }
        _ => None,
    };
    println!("{}", json!({ "seconds": fit.seconds, "trace": trace, "perplexity": perplexity }));
    Ok(())
}
