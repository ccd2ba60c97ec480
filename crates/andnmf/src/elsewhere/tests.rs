//! Fits of samples in parts elsewhere beside fits of the same samples here.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::{Array2, CowArray, s};

use super::*;
use crate::and::{AndParams, Compress, Threshold};
use crate::fit::{Fit, Run, Solver, Start, StopReason};
use crate::pool::lock;
use crate::samples::{Block, CsrSamples, DenseSamples, check_rows};
use crate::synth::{DatasetKind, DatasetSpec, Weights};
use crate::testing::{assert_close, random_matrix, sparse_copy};

/// Samples cut into parts that only answer questions; the numbers of rows that were read all the same.
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

    fn elsewhere(&self) -> Option<&dyn Elsewhere<f64>> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        *lock(&self.read) += rows.len();
        Ok(Block::Dense(CowArray::from(self.data.slice(s![rows, ..]))))
    }
}

impl Elsewhere<f64> for InParts {
    fn ask(&self, question: &Question<'_, f64>) -> Result<Answer<f64>, SamplesError> {
        let ask = |rows: Range<usize>| {
            let own = match *question {
                Question::Combinations { weights } => {
                    Question::Combinations { weights: weights.slice_move(s![rows.clone(), ..]) }
                }
                Question::Residual { weights, components } => {
                    Question::Residual { weights: weights.slice_move(s![rows.clone(), ..]), components }
                }
                other => other,
            };
            answer(self.part(rows.clone()).as_ref(), rows.start, &own)
        };
        let mut answers = self.parts().into_iter().map(ask);
        let first = answers.next().expect("there is a part")?;
        answers.try_fold(first, |all, next| Ok(all.and(next?)))
    }
}

fn here(data: &Array2<f64>, sparse: bool) -> Box<dyn Samples<f64>> {
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
    // Without noise; with noise, which ends in a stage and a sweep over the full samples; and what no mixture explains,
    // which ends in NMF.
    let foreign = random_matrix::<f64>(900, 90, 3).mapv(|v| v.max(0.0));
    for (name, data, tolerance) in [
        ("clean", data(DatasetKind::Dir, 0.0), 1e-10),
        ("noisy", data(DatasetKind::Dir, 0.01), 1e-10),
        ("foreign", foreign, 1e-10),
    ] {
        for sparse in [false, true] {
            let whole = fit(here(&data, sparse).as_ref(), AndParams::new(6), Start::Auto);
            for ends in [&[100, 130, 700][..], &[640]] {
                let parts = InParts::new(&data, ends, sparse);
                let away = fit(&parts, AndParams::new(6), Start::Auto);
                assert_close(&away.components, &whole.components, tolerance);
                assert_eq!(away.trust.is_some(), whole.trust.is_some(), "{name}");
                assert_eq!((away.stop, away.passes), (whole.stop, whole.passes), "{name}");
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
            let whole = fit(here(&data, sparse).as_ref(), params.clone(), Start::SuccessiveProjection);
            let parts = InParts::new(&data, &[1, 450], sparse);
            let away = fit(&parts, params.clone(), Start::SuccessiveProjection);
            assert_close(&away.components, &whole.components, 1e-10);
            // The samples that were picked, each measured once and then taken.
            assert!(*lock(&parts.read) <= 2 * 6, "{}", lock(&parts.read));
        }
    }
}

#[test]
fn weights_and_what_they_leave_are_those_of_samples_here() {
    let data = data(DatasetKind::Dir, 0.01);
    let components = random_matrix::<f64>(4, 90, 5).mapv(f64::abs);
    for sparse in [false, true] {
        let (whole, parts) = (here(&data, sparse), InParts::new(&data, &[7, 500], sparse));
        let weights = |samples| crate::nnls::weights(samples, components.view(), &Run::new()).unwrap();
        let (mine, theirs) = (weights(whole.as_ref()), weights(&parts));
        assert_close(&theirs, &mine, 1e-13);
        let error =
            |samples| crate::metrics::reconstruction_error(samples, mine.view(), components.view()).unwrap();
        assert!((error(&parts) / error(whole.as_ref()) - 1.0).abs() < 1e-12);
        assert_eq!(*lock(&parts.read), 0);
    }
}

#[test]
fn chance_does_not_depend_on_the_parts() {
    let data = random_matrix::<f64>(3000, 5, 1);
    let whole = here(&data, false);
    let cut = Cut(FoldPlan::new(whole.as_ref(), 20));
    let question = Question::RandomCombinations { size: 4, seed: 9, cut };
    let all = answer(whole.as_ref(), 0, &question).unwrap().products;
    for ends in [&[1, 2][..], &[700, 701, 2000], &[2999]] {
        let parts = InParts::new(&data, ends, false).ask(&question).unwrap().products;
        assert_close(&parts, &all, 1e-13);
    }
    assert_eq!(Cut::from_numbers(cut.numbers()), Some(cut));
    assert_eq!(Cut::from_numbers([5, 0, 1]).or(Cut::from_numbers([5, 1, 0])), None);
}

/// Samples whose answers have a column too many, or that cannot be reached.
struct Broken<'a>(&'a InParts, bool);

impl Samples<f64> for Broken<'_> {
    fn n_samples(&self) -> usize {
        self.0.n_samples()
    }

    fn n_features(&self) -> usize {
        self.0.n_features()
    }

    fn elsewhere(&self) -> Option<&dyn Elsewhere<f64>> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        self.0.block(rows)
    }
}

impl Elsewhere<f64> for Broken<'_> {
    fn ask(&self, question: &Question<'_, f64>) -> Result<Answer<f64>, SamplesError> {
        if self.1 {
            return Err(SamplesError::Elsewhere { reason: "nobody is there".into() });
        }
        let answer = self.0.ask(question)?;
        Ok(Answer { products: Array2::zeros((answer.products.nrows(), 91)), ..answer })
    }
}

#[test]
fn wrong_answers_and_none_are_errors() {
    let parts = InParts::new(&data(DatasetKind::Dir, 0.0), &[10], false);
    for (unreachable, word) in [(false, "the answer has matrices"), (true, "nobody is there")] {
        let broken = Broken(&parts, unreachable);
        let error =
            AndParams::new(6).check().unwrap().fit(&broken, Start::Auto, &mut Run::new()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let narrow = random_matrix::<f64>(2, 89, 1);
    let wrong: [Question<'_, f64>; 4] = [
        Question::Coordinates { directions: narrow.view() },
        Question::Combinations { weights: narrow.view() },
        Question::Stage { decoder: narrow.view(), thresholds: &[0.1] },
        Question::Weights { components: narrow.view() },
    ];
    for question in wrong {
        let asked = answer(parts.part(0..10).as_ref(), 0, &question);
        assert!(matches!(asked, Err(SamplesError::Elsewhere { .. })), "{question:?}");
    }
}

#[test]
fn a_fit_can_be_stopped_between_questions() {
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
fn always_on_weights_end_alike() {
    let weights = Weights::Dirichlet { concentration: 60.0 };
    let spec = DatasetSpec { n_features: 90, rank: 6, n_samples: 900, ..DatasetSpec::new(DatasetKind::Dir) };
    let data = DatasetSpec { weights, noise: 0.001, ..spec }.generate().unwrap().samples;
    let whole = fit(here(&data, false).as_ref(), AndParams::new(6), Start::Auto);
    let away = fit(&InParts::new(&data, &[300], false), AndParams::new(6), Start::Auto);
    // Such fits end by HALS, whose long runs are in single precision: a last digit becomes a seventh, and is carried on.
    assert_close(&away.components, &whole.components, 1e-4);
}

#[test]
fn singular_starts_are_found_and_negative_values_refused() {
    let data = data(DatasetKind::Dir, 0.0);
    let start =
        |samples: &dyn Samples<f64>| crate::init::nndsvd(samples, 4, crate::init::NndsvdFill::Mean, 1);
    let parts = InParts::new(&data, &[300, 301], false);
    assert_close(
        &start(&parts).unwrap().components,
        &start(here(&data, false).as_ref()).unwrap().components,
        1e-9,
    );
    assert_eq!(*lock(&parts.read), 0);
    let error = start(&InParts::new(&(data - 0.001), &[300], false)).unwrap_err();
    assert!(error.to_string().contains("needs values of zero or more"), "{error}");
}
