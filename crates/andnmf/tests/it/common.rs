//! Helpers shared by the integration tests.

use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use andnmf::and::AndParams;
use andnmf::fit::{Fit, Run, Solver, Start};
use andnmf::metrics::correlation_error;
use andnmf::samples::{Block, DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec};
use andnmf::{Real, SamplesError};
use ndarray::{Array2, ArrayView2};

/// A small dataset of this kind, for fast fits.
pub(crate) fn small(kind: DatasetKind) -> DatasetSpec {
    DatasetSpec { n_features: 240, rank: 12, n_samples: 900, seed: 1, ..DatasetSpec::new(kind) }
}

/// Fits AND to dense double-precision samples from the dataset's own start.
pub(crate) fn fit(data: &Dataset, params: AndParams) -> Fit<f64> {
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    fit_samples(&samples, &data.init, params)
}

/// Fits AND to any samples from a given start.
pub(crate) fn fit_samples<T: Real>(samples: &dyn Samples<T>, start: &Array2<T>, params: AndParams) -> Fit<T> {
    params.check().unwrap().fit(samples, Start::Given(start.clone()), &mut Run::new()).unwrap()
}

/// Relative total correlation error.
pub(crate) fn error<T: Real>(components: &Array2<T>, truth: &Array2<T>) -> f64 {
    correlation_error(components.view(), truth.view()).unwrap().relative_total()
}

/// ‖a − b‖ / ‖b‖ in the Frobenius norm.
pub(crate) fn distance<A: Real, B: Real>(a: ArrayView2<'_, A>, b: ArrayView2<'_, B>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    let difference: f64 = a.iter().zip(b).map(|(x, y)| (x.as_f64() - y.as_f64()).powi(2)).sum();
    let size: f64 = b.iter().map(|y| y.as_f64().powi(2)).sum();
    (difference / size).sqrt()
}

/// A Python interpreter with these modules: `ANDNMF_PYTHON` (set by `./check`) or `python3`; `None` if they are
/// missing.
pub(crate) fn python(modules: &[&str]) -> Option<PathBuf> {
    let python = std::env::var_os("ANDNMF_PYTHON").map_or_else(|| "python3".into(), PathBuf::from);
    let works = Command::new(&python).args(["-c", &format!("import {}", modules.join(", "))]).output();
    works.is_ok_and(|output| output.status.success()).then_some(python)
}

/// The CSR form of a dense matrix: row pointers, feature indices and values of its non-zeros.
pub(crate) fn sparse_parts(dense: &Array2<f64>) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in dense.outer_iter() {
        for (j, &v) in row.iter().enumerate().filter(|&(_, &v)| v != 0.0) {
            indices.push(j as u32);
            values.push(v);
        }
        pointers.push(values.len());
    }
    (pointers, indices, values)
}

/// Samples that set a cancel flag after a given number of block reads.
pub(crate) struct CancelAfterReads<'a> {
    pub(crate) samples: DenseSamples<'a, f64>,
    pub(crate) flag: &'a AtomicBool,
    pub(crate) reads_left: AtomicUsize,
}

impl Samples<f64> for CancelAfterReads<'_> {
    fn n_samples(&self) -> usize {
        self.samples.n_samples()
    }

    fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        if self.reads_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.samples.block(rows)
    }
}
