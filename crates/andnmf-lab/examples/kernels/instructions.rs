//! Hot kernels on small problems, for counting instructions: the cost of a round is the difference between runs of few
//! and of many rounds.

use std::error::Error;
use std::str::FromStr;

use andnmf::MethodParams;
use andnmf::and::{AndParams, Compress, Decoder};
use andnmf::baselines::HalsParams;
use andnmf::fit::{Run, Start};
use andnmf::nnls;
use andnmf::samples::{DenseSamples, Samples};
use ndarray::Array2;
use serde_json::json;

use crate::Answer;
use crate::problem;

const RANK: usize = 20;

/// A kernel whose number of instructions `bench/instructions` monitors.
#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    DenseStage,
    SparseStage,
    /// HALS on many samples of few features.
    HalsWeights,
    /// HALS on few samples of many features.
    HalsComponents,
    Nnls,
    Decode,
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "dense-stage" => Self::DenseStage,
            "sparse-stage" => Self::SparseStage,
            "hals-weights" => Self::HalsWeights,
            "hals-components" => Self::HalsComponents,
            "nnls" => Self::Nnls,
            "decode" => Self::Decode,
            _ => return Err(format!("there is no guarded kernel {name}")),
        })
    }
}

/// Runs a kernel on one thread.
pub(crate) fn run(kernel: Kernel, rounds: usize) -> Answer {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| rounds_of(kernel, rounds).map_err(|error| error.to_string()))?;
    Ok(json!({ "rounds": rounds }))
}

fn rounds_of(kernel: Kernel, rounds: usize) -> Result<(), Box<dyn Error>> {
    let and = AndParams { compress: Compress::Off, ..AndParams::scheduled(RANK) };
    let hals = HalsParams { compress: Compress::Off, ..HalsParams::new(RANK) };
    match kernel {
        Kernel::DenseStage => on_dense((1000, 300), MethodParams::And(and), rounds),
        Kernel::HalsWeights => on_dense((2000, 50), MethodParams::Hals(hals), rounds),
        Kernel::HalsComponents => on_dense((50, 2000), MethodParams::Hals(hals), rounds),
        Kernel::SparseStage => {
            let (features, per_row) = (2000, 50);
            let samples = problem::scattered::<f64>((1000, features, RANK), per_row)?;
            stages(&samples, problem::random_start(RANK, features), MethodParams::And(and), rounds)
        }
        Kernel::Nnls => {
            let data = problem::dense::<f64>((500, 100, RANK))?;
            let (gram, products) = (data.start.dot(&data.start.t()), data.samples.dot(&data.start.t()));
            (0..rounds).try_for_each(|_| nnls::solve(gram.view(), products.view(), None).map(drop))?;
            Ok(())
        }
        Kernel::Decode => {
            let data = problem::dense::<f64>((500, 300, RANK))?;
            let samples = DenseSamples::new(data.samples.view())?;
            let (decoder, block) = (Decoder::new(data.start.view(), false), samples.block(0..500)?);
            let decoder = decoder.ok_or("the start has no inverse")?;
            (0..rounds).try_for_each(|_| decoder.decode(&block).map(drop))?;
            Ok(())
        }
    }
}

fn on_dense(
    (n, features): (usize, usize),
    method: MethodParams,
    rounds: usize,
) -> Result<(), Box<dyn Error>> {
    let data = problem::dense::<f64>((n, features, RANK))?;
    stages(&DenseSamples::new(data.samples.view())?, data.start, method, rounds)
}

fn stages(
    samples: &dyn Samples<f64>,
    start: Array2<f64>,
    method: MethodParams,
    rounds: usize,
) -> Result<(), Box<dyn Error>> {
    let solver = method.with_max_stages(rounds).with_tolerance(0.0).check::<f64>()?;
    let fit = solver.fit(samples, Start::Given(start), &mut Run::new())?;
    if fit.stages == rounds { Ok(()) } else { Err("the run converged before all rounds were done".into()) }
}
