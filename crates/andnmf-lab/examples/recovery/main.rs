//! The Rust side of `bench/recovery.py`: default fits, compared with a truth if there is one. Prints JSON.
//!
//! ```text
//! recovery dataset TRIAL FOLDER                 writes samples, truth, weights and start of a trial to files
//! recovery trial TRIAL METHOD                   generates the data, fits, and measures
//! recovery fit FOLDER RANK METHOD START [SEED]  fits the matrix of a folder and writes the components there
//! recovery score FOLDER                         compares the components of a folder with its truth
//! recovery invariance TRIAL                     changes of the fit if samples are scaled or reordered
//! ```
//!
//! TRIAL is a [`trial::Trial`] as JSON. METHOD is the name of a method, which runs with its default settings, or `spa`
//! for successive projection alone. START is `data` for a start from the data alone, or `given` for the one in the
//! folder. SEED is 0 by default.

#[path = "../shared/files.rs"]
mod files;
mod invariance;
mod trial;

use std::error::Error;
use std::path::Path;

use andnmf::fit::{Run, Start};
use andnmf::metrics::Recovery;
use ndarray::Array2;
use ndarray_npy::{read_npy, write_npy};
use serde_json::json;

use trial::{Contender, Trial, report};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = match arguments.as_slice() {
        ["dataset", trial, folder] => dataset(&serde_json::from_str(trial)?, folder.as_ref())?,
        ["trial", trial, method] => serde_json::from_str::<Trial>(trial)?.run(method.parse()?)?,
        ["fit", folder, rank, method, "data", seed @ ..] => {
            let seed = seed.first().map_or(Ok(0), |seed| seed.parse())?;
            fit(folder.as_ref(), rank.parse()?, method.parse()?, seed, Start::Auto)?
        }
        ["fit", folder, rank, method, "given"] => {
            let start = Start::Given(read_npy(Path::new(folder).join("start.npy"))?);
            fit(folder.as_ref(), rank.parse()?, method.parse()?, 0, start)?
        }
        ["score", folder] => score(folder.as_ref())?,
        ["invariance", trial] => invariance::measure(&serde_json::from_str(trial)?)?,
        _ => {
            return Err("see the head of crates/andnmf-lab/examples/recovery/main.rs for the commands".into());
        }
    };
    println!("{output}");
    Ok(())
}

fn dataset(trial: &Trial, folder: &Path) -> Result<serde_json::Value, Box<dyn Error>> {
    let data = trial.data()?;
    write_npy(folder.join("dense.npy"), &data.samples)?;
    write_npy(folder.join("truth.npy"), &data.truth)?;
    write_npy(folder.join("weights.npy"), &data.weights)?;
    write_npy(folder.join("start.npy"), &data.init)?;
    Ok(json!({ "out_of_span": data.spec.out_of_span }))
}

fn fit(
    folder: &Path,
    rank: usize,
    contender: Contender,
    seed: u64,
    start: Start<f64>,
) -> Result<serde_json::Value, Box<dyn Error>> {
    let samples = files::samples::<f64>(folder)?;
    let fit = contender.fit(&*samples, rank, seed, start, &mut Run::new())?;
    write_npy(folder.join("components.npy"), &fit.components)?;
    Ok(report(&fit))
}

fn score(folder: &Path) -> Result<serde_json::Value, Box<dyn Error>> {
    let components: Array2<f64> = read_npy(folder.join("components.npy"))?;
    let truth: Array2<f64> = read_npy(folder.join("truth.npy"))?;
    Ok(serde_json::to_value(Recovery::measure(components.view(), truth.view())?)?)
}
