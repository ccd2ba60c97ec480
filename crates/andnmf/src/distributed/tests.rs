//! Distributed fits compared with fits of the same samples in memory.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::{Array2, CowArray, s};

use super::*;
use crate::MethodParams;
use crate::and::{AndParams, Compress, Threshold};
use crate::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuLoss, MuParams};
use crate::fit::{Fit, Run, Solver, Start, StopReason};
use crate::linalg::sample_products::ProductSum;
use crate::pool::lock;
use crate::samples::fold::FoldPlan;
use crate::samples::{Block, CsrSamples, DenseSamples, Executor, Request, check_rows};
use crate::synth::{DatasetKind, DatasetSpec, Weights};
use crate::testing::{assert_close, random_matrix, sparse_copy};

/// Samples split into parts that run queries, and the number of rows that were read directly.
struct InParts {
    data: Array2<f64>,
    ends: Vec<usize>,
    sparse: bool,
    read: Mutex<usize>,
}

impl InParts {
    fn new(data: &Array2<f64>, ends: &[usize], sparse: bool) -> Self {
        Self { data: data.clone(), ends: ends.to_vec(), sparse, read: Mutex::new(0) }
    }

    fn part(&self, rows: Range<usize>) -> Box<dyn Samples<f64>> {
        let rows = self.data.slice(s![rows, ..]).to_owned();
        if !self.sparse {
            return Box::new(DenseSamples::new(rows).unwrap());
        }
        let (pointers, indices, values) = sparse_copy(&rows);
        Box::new(CsrSamples::new(rows.ncols(), &pointers, indices, values).unwrap())
    }

    fn parts(&self) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.data.nrows()]);
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }
}

impl Samples<f64> for InParts {
    fn n_samples(&self) -> usize {
        self.data.nrows()
    }

    fn n_features(&self) -> usize {
        self.data.ncols()
    }

    fn stored_values(&self) -> usize {
        if self.sparse { self.data.iter().filter(|v| **v != 0.0).count() } else { self.data.len() }
    }

    fn is_sparse(&self) -> bool {
        self.sparse
    }

    fn executor(&self) -> Option<&dyn Executor> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        *lock(&self.read) += rows.len();
        Ok(Block::Dense(CowArray::from(self.data.slice(s![rows, ..]))))
    }
}

impl Executor for InParts {
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
        let run = |own: Range<usize>| {
            let rows = request.rows_of(own.clone()).expect("a row for each sample");
            let (query, arguments) = (&request.query, &request.arguments);
            let reply = execute(self.part(own.clone()).as_ref(), own.start, query, arguments, rows)?;
            assert_eq!(reply.rows.is_empty(), !request.returns_rows);
            Ok::<_, SamplesError>(reply)
        };
        let mut replies = self.parts().into_iter().map(run);
        let first = replies.next().expect("there is a part")?;
        replies.try_fold(first, |mut all, next| {
            let next = next?;
            all.rows.extend(next.rows);
            Ok(Reply { sums: merge(&request.query, &all.sums, &next.sums)?, rows: all.rows })
        })
    }
}

fn local(data: &Array2<f64>, sparse: bool) -> Box<dyn Samples<f64>> {
    InParts::new(data, &[], sparse).part(0..data.nrows())
}

fn data(kind: DatasetKind, noise: f64) -> Array2<f64> {
    let sizes = DatasetSpec { n_features: 90, rank: 6, n_samples: 900, ..DatasetSpec::new(kind) };
    DatasetSpec { noise, ..sizes }.generate().unwrap().samples
}

fn fit(samples: &dyn Samples<f64>, params: AndParams, start: Start<f64>) -> Fit<f64> {
    params.check().unwrap().fit(samples, start, &mut Run::new()).unwrap()
}

#[test]
fn default_fits_end_with_the_same_components_and_read_no_rows() {
    // Without noise; with noise, where the fit ends with a stage and a sweep over the full samples; and data that are
    // no mixture, where it ends with NMF.
    let foreign = random_matrix::<f64>(900, 90, 3).mapv(|v| v.max(0.0));
    for (name, data, tolerance) in [
        ("clean", data(DatasetKind::Dir, 0.0), 1e-10),
        ("noisy", data(DatasetKind::Dir, 0.01), 1e-10),
        ("foreign", foreign, 1e-10),
    ] {
        for sparse in [false, true] {
            let whole = fit(local(&data, sparse).as_ref(), AndParams::new(6), Start::Auto);
            for ends in [&[100, 130, 700][..], &[640]] {
                let parts = InParts::new(&data, ends, sparse);
                let remote = fit(&parts, AndParams::new(6), Start::Auto);
                assert_close(&remote.components, &whole.components, tolerance);
                assert_eq!(remote.trust.is_some(), whole.trust.is_some(), "{name}");
                // Errors of components are estimated where samples can be read.
                let checks = whole.report.as_ref().is_some_and(|report| report.errors.is_some());
                assert_eq!(remote.passes + usize::from(checks), whole.passes, "{name}");
                assert_eq!(remote.stop, whole.stop, "{name}");
                assert_eq!(*lock(&parts.read), 0, "{name}: rows were read");
            }
        }
    }
}

#[test]
fn schedules_end_with_the_same_components_in_any_space() {
    let data = data(DatasetKind::Dir, 0.0);
    let threshold: Threshold = "geometric:0.1:1.1".parse().unwrap();
    for compress in [Compress::Off, Compress::Lossless, Compress::Leading(12)] {
        let params =
            AndParams { threshold: threshold.clone(), compress, max_stages: 25, ..AndParams::new(6) };
        for sparse in [false, true] {
            let whole = fit(local(&data, sparse).as_ref(), params.clone(), Start::SuccessiveProjection);
            let parts = InParts::new(&data, &[1, 450], sparse);
            let remote = fit(&parts, params.clone(), Start::SuccessiveProjection);
            assert_close(&remote.components, &whole.components, 1e-10);
            // The selected samples, each read to measure it and again as a component.
            assert!(*lock(&parts.read) <= 2 * 6, "{}", lock(&parts.read));
        }
    }
}

#[test]
fn weights_and_residuals_are_those_of_local_samples() {
    let data = data(DatasetKind::Dir, 0.01);
    let components = random_matrix::<f64>(4, 90, 5).mapv(f64::abs);
    for sparse in [false, true] {
        let (whole, parts) = (local(&data, sparse), InParts::new(&data, &[7, 500], sparse));
        let weights = |samples| crate::nnls::weights(samples, components.view(), &Run::new()).unwrap();
        let (local_weights, remote) = (weights(whole.as_ref()), weights(&parts));
        assert_close(&remote, &local_weights, 1e-13);
        let error = |samples| {
            crate::metrics::reconstruction_error(samples, local_weights.view(), components.view()).unwrap()
        };
        assert!((error(&parts) / error(whole.as_ref()) - 1.0).abs() < 1e-12);
        assert_eq!(*lock(&parts.read), 0);
    }
}

#[test]
fn random_numbers_do_not_depend_on_the_parts() {
    let data = random_matrix::<f64>(3000, 5, 1);
    let whole = local(&data, false);
    let query = RandomSketch { size: 4, seed: 9, plan: FoldPlan::new(whole.as_ref(), 20) };
    let all: ProductSum<f64> = query::run(whole.as_ref(), &query).unwrap();
    for ends in [&[1, 2][..], &[700, 701, 2000], &[2999]] {
        let parts: ProductSum<f64> = query::run(&InParts::new(&data, ends, false), &query).unwrap();
        assert_close(&parts.products, &all.products, 1e-13);
    }
    for numbers in [[5, 0, 1], [5, 1, 0], [5, 1 << 40, 1]] {
        assert_eq!(FoldPlan::from_numbers(numbers), None);
    }
}

/// Samples whose replies are damaged by a function, or that cannot be reached.
struct Broken<'a>(&'a InParts, Damage);

type Damage = fn(Reply) -> Option<Reply>;

impl Samples<f64> for Broken<'_> {
    fn n_samples(&self) -> usize {
        self.0.n_samples()
    }

    fn n_features(&self) -> usize {
        self.0.n_features()
    }

    fn executor(&self) -> Option<&dyn Executor> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        self.0.block(rows)
    }
}

impl Executor for Broken<'_> {
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
        let unreachable = SamplesError::Executor { reason: "the workers are gone".into() };
        self.1(self.0.execute(request)?).ok_or(unreachable)
    }
}

#[test]
fn malformed_and_missing_replies_are_errors() {
    let parts = InParts::new(&data(DatasetKind::Dir, 0.0), &[10], false);
    let narrower = |_: Reply| {
        let products = Array2::<f64>::zeros((16, 89));
        Some(Reply { sums: query::to_bytes(&products), rows: Vec::new() })
    };
    let truncated = |reply: Reply| {
        let Reply { mut sums, rows } = reply;
        sums.pop();
        Some(Reply { sums, rows })
    };
    let damages: [(Damage, &str); 3] = [
        (narrower, "does not have the shape of the samples"),
        (truncated, "ends too early"),
        (|_| None, "the workers are gone"),
    ];
    for (damage, text) in damages {
        let broken = Broken(&parts, damage);
        let error =
            AndParams::new(6).check().unwrap().fit(&broken, Start::Auto, &mut Run::new()).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn a_fit_can_be_stopped_between_queries() {
    let parts = InParts::new(&data(DatasetKind::Dir, 0.0), &[10], false);
    let params = AndParams {
        threshold: "constant:0.1".parse().unwrap(),
        compress: Compress::Off,
        time_limit: Some(1e-9),
        ..AndParams::new(6)
    };
    let stopped = fit(&parts, params, Start::Given(random_matrix(6, 90, 1)));
    assert_eq!((stopped.stop, stopped.stages), (StopReason::TimeLimit, 0));
}

#[test]
fn dense_weights_end_with_the_same_components() {
    let weights = Weights::Dirichlet { concentration: 60.0 };
    let spec = DatasetSpec { n_features: 90, rank: 6, n_samples: 900, ..DatasetSpec::new(DatasetKind::Dir) };
    let data = DatasetSpec { weights, noise: 0.001, ..spec }.generate().unwrap().samples;
    let whole = fit(local(&data, false).as_ref(), AndParams::new(6), Start::Auto);
    let remote = fit(&InParts::new(&data, &[300], false), AndParams::new(6), Start::Auto);
    // Such fits end with HALS, whose long runs are in single precision: differences in the last digit grow.
    assert_close(&remote.components, &whole.components, 1e-4);
}

#[test]
fn nndsvd_starts_are_computed_and_negative_values_refused() {
    let data = data(DatasetKind::Dir, 0.0);
    let start =
        |samples: &dyn Samples<f64>| crate::init::nndsvd(samples, 4, crate::init::NndsvdFill::Mean, 1);
    let parts = InParts::new(&data, &[300, 301], false);
    assert_close(
        &start(&parts).unwrap().components,
        &start(local(&data, false).as_ref()).unwrap().components,
        1e-9,
    );
    assert_eq!(*lock(&parts.read), 0);
    let error = start(&InParts::new(&(data - 0.001), &[300], false)).unwrap_err();
    assert!(error.to_string().contains("needs values of zero or more"), "{error}");
}

#[test]
fn alternating_methods_end_with_the_same_components() {
    let data = data(DatasetKind::Dir, 0.01);
    let start = random_matrix::<f64>(5, 90, 4).mapv(f64::abs);
    let compress = Compress::Off;
    let methods = [
        MethodParams::Hals(HalsParams { compress, ..HalsParams::new(5) }),
        MethodParams::Anls(AnlsParams { compress, ..AnlsParams::new(5) }),
        MethodParams::Mu(MuParams { compress, ..MuParams::new(5) }),
        MethodParams::MinVolume(MinVolumeParams { compress, ..MinVolumeParams::new(5) }),
    ];
    for method in methods {
        for sparse in [false, true] {
            let solver = || method.clone().with_max_stages(8).with_tolerance(0.0).check::<f64>().unwrap();
            let fit = |samples: &dyn Samples<f64>| {
                solver().fit(samples, Start::Given(start.clone()), &mut Run::new()).unwrap()
            };
            let parts = InParts::new(&data, &[7, 500], sparse);
            let (whole, remote) = (fit(local(&data, sparse).as_ref()), fit(&parts));
            assert_close(&remote.components, &whole.components, 1e-9);
            assert_close(remote.weights.as_ref().unwrap(), whole.weights.as_ref().unwrap(), 1e-9);
            assert!((remote.trace[7].loss.unwrap() / whole.trace[7].loss.unwrap() - 1.0).abs() < 1e-9);
        }
    }
    // The divergence needs the values themselves: rows are read, and negative ones are refused.
    let params = MuParams { loss: MuLoss::KullbackLeibler, max_stages: 3, ..MuParams::new(5) };
    let fit = |data: &Array2<f64>| {
        let solver = params.clone().check().unwrap();
        solver.fit(&InParts::new(data, &[300], false), Start::Given(start.clone()), &mut Run::new())
    };
    assert!(fit(&data.mapv(f64::abs)).is_ok());
    assert!(fit(&(data - 0.5)).unwrap_err().to_string().contains("needs values of zero or more"));
}
