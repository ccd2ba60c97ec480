//! Growth of the time of a stage, and of a default fit, with the size of the samples.

use std::error::Error;
use std::str::FromStr;

use andnmf::and::AndParams;
use andnmf::fit::{Run, Solver, Start};
use andnmf::samples::{DenseSamples, Samples};
use ndarray::Array2;
use serde_json::{Value, json};

use crate::Answer;
use crate::problem::{dense, sparse_mixtures};
use crate::timing::{MOST_PASS, shortest_stage};

/// The varied size.
#[derive(Clone, Copy)]
pub(crate) enum GrowthAxis {
    /// Samples, dense with 500 features.
    DenseSamples,
    /// Features of dense samples.
    Features,
    /// Components of dense samples.
    Rank,
    /// Samples, sparse with about 10 values in a row.
    SparseSamples,
    /// Values in a row of sparse samples.
    Stored,
}

impl FromStr for GrowthAxis {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "dense-samples" => Self::DenseSamples,
            "features" => Self::Features,
            "rank" => Self::Rank,
            "sparse-samples" => Self::SparseSamples,
            "stored" => Self::Stored,
            _ => return Err(format!("there is no grid {name}")),
        })
    }
}

/// One point per size: its value on the axis, seconds of a stage, seconds of a default fit.
pub(crate) fn measure(grid: GrowthAxis, sizes: &[usize]) -> Answer {
    let points: Result<Vec<Value>, _> = sizes.iter().map(|&size| point(grid, size)).collect();
    Ok(json!({ "points": points? }))
}

fn point(grid: GrowthAxis, size: usize) -> Answer {
    match grid {
        GrowthAxis::DenseSamples => on_dense((size, 500, 20), size),
        GrowthAxis::Features => on_dense((20_000, size, 20), size),
        GrowthAxis::Rank => on_dense((20_000, 1000, size), size),
        GrowthAxis::SparseSamples => on_sparse((size, 10_000, 20), 10, |_| size),
        GrowthAxis::Stored => on_sparse((50_000, 10_000, 20), size, |samples| samples.stored_values()),
    }
}

fn on_dense(sizes: (usize, usize, usize), x: usize) -> Answer {
    let data = dense::<f32>(sizes)?;
    times(&DenseSamples::new(data.samples.view())?, &data.start, x)
}

fn on_sparse(sizes: (usize, usize, usize), per_row: usize, x: impl Fn(&dyn Samples<f32>) -> usize) -> Answer {
    let (samples, start) = sparse_mixtures::<f32>(sizes, per_row)?;
    times(&samples, &start, x(&samples))
}

fn times(samples: &dyn Samples<f32>, start: &Array2<f32>, x: usize) -> Result<Value, Box<dyn Error>> {
    let stage = shortest_stage(samples, start, MOST_PASS, None)?;
    let fit = AndParams::new(start.nrows()).check()?.fit(samples, Start::Auto, &mut Run::new())?;
    Ok(
        json!({ "x": x, "stage": stage.seconds, "fit": fit.seconds, "stages": fit.stages, "passes": fit.passes }),
    )
}
