//! Edge cases of samples and starts: a defined result or a typed error, never NaN.

use andnmf::and::{AndParams, Batch, Compress, Schedule, Step, StepsPerStage, ThresholdParams};
use andnmf::fit::{Fit, Run, Solver, Start, Warning};
use andnmf::samples::{Block, CsrSamples, DenseSamples, Samples};
use andnmf::synth::DatasetKind;
use andnmf::{FitError, Real, SamplesError};
use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::common::{fit, small};

fn try_fit<T: Real>(
    samples: &dyn Samples<T>,
    start: Start<T>,
    params: AndParams,
) -> Result<Fit<T>, FitError> {
    params.check().unwrap().fit(samples, start, &mut Run::new())
}

fn finite<T: Real>(fit: &Fit<T>) -> bool {
    fit.components.iter().all(|v| v.finite())
        && fit.trace.iter().all(|r| r.change.is_finite() && r.active_fraction.is_finite())
}

#[test]
fn a_start_of_the_wrong_shape_is_refused_with_both_shapes() {
    let samples = DenseSamples::new(Array2::<f64>::ones((5, 4))).unwrap();
    let error = try_fit(&samples, Start::Given(Array2::ones((2, 3))), AndParams::scheduled(2)).unwrap_err();
    assert_eq!(error.to_string(), "the start must be 2 × 4 (rank × features), but is 2 × 3");
}

#[test]
fn a_start_with_nan_is_refused_with_its_location() {
    let samples = DenseSamples::new(Array2::<f64>::ones((5, 2))).unwrap();
    let start = Start::Given(array![[1.0, 2.0], [f64::NAN, 1.0]]);
    let error = try_fit(&samples, start, AndParams::scheduled(2)).unwrap_err();
    assert!(matches!(error, FitError::StartNotFinite { component: 1, feature: 0, .. }));
}

#[test]
fn an_unstable_step_is_an_error_that_names_the_largest_stable_one() {
    let data = small(DatasetKind::Binary).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    for batch in [Batch::All, Batch::Size(1), Batch::Size(20)] {
        let with = |step| {
            let params = AndParams {
                batch,
                step,
                inner: StepsPerStage::Steps(50),
                max_stages: 3,
                ..AndParams::scheduled(12)
            };
            try_fit(&samples, Start::Given(data.init.clone()), params)
        };
        let error = with(Step::Value(3.0)).unwrap_err();
        let FitError::UnstableStep { largest_stable, .. } = error else { panic!("{error}") };
        assert!(largest_stable < 3.0 && with(Step::Value(largest_stable / 10.0)).is_ok());
        assert!(with(Step::Safe).is_ok());
    }
}

#[test]
fn components_that_are_never_active_stay_unchanged_and_are_reported() {
    let mut data = small(DatasetKind::Dir).generate().unwrap();
    data.init.row_mut(3).fill(0.0);
    for inner in [StepsPerStage::Exact, StepsPerStage::Steps(20)] {
        let done = fit(&data, AndParams { inner, max_stages: 10, ..AndParams::scheduled(12) });
        assert!(done.components.row(3).iter().all(|v| v.abs() < 1e-14));
        assert!(done.warnings.contains(&Warning::NeverActive { components: vec![3] }), "{:?}", done.warnings);
        let dependent = |w: &Warning| {
            matches!(w, Warning::DependentComponents { stage: 0, numerical_rank: 11, rank: 12 })
        };
        assert!(done.warnings.iter().any(dependent), "{:?}", done.warnings);
        assert!(finite(&done));
    }
}

#[test]
fn duplicate_components_are_reported_and_stay_finite() {
    let mut data = small(DatasetKind::Dir).generate().unwrap();
    let copy = data.init.row(0).to_owned();
    data.init.row_mut(5).assign(&copy);
    let done = fit(&data, AndParams { max_stages: 10, ..AndParams::scheduled(12) });
    assert!(finite(&done));
    assert!(matches!(done.warnings[0], Warning::DependentComponents { numerical_rank: 11, .. }));
}

#[test]
fn the_smallest_problems_have_a_result() {
    // One component, one feature, one sample: y = 3 = 1.5 · 2.
    let samples = DenseSamples::new(array![[3.0_f64]]).unwrap();
    let done = try_fit(&samples, Start::Given(array![[2.0]]), AndParams::scheduled(1)).unwrap();
    assert!((done.components[[0, 0]] - 2.0).abs() < 1e-15, "2 already explains 3 with the weight 1.5");

    // More components than features and than samples.
    let samples = DenseSamples::new(array![[1.0, 2.0], [0.5, 0.0]]).unwrap();
    let start = array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.5], [1.0, 3.0]];
    for compress in [Compress::Off, Compress::Auto, Compress::Lossless, Compress::Leading(5)] {
        let done =
            try_fit(&samples, Start::Given(start.clone()), AndParams { compress, ..AndParams::scheduled(5) });
        assert!(finite(&done.unwrap()));
    }
    let error = try_fit(&samples, Start::RandomSamples, AndParams::scheduled(5)).unwrap_err();
    assert!(matches!(error, FitError::Setting(_)), "{error}");
}

#[test]
fn zero_and_constant_data_have_a_result() {
    for value in [0.0, 1.0, -1.0] {
        let data = Array2::from_elem((50, 6), value);
        let samples = DenseSamples::new(data).unwrap();
        let start = Array2::from_shape_fn((3, 6), |(i, j)| f64::from(u8::from(i == j % 3)));
        for compress in [Compress::Off, Compress::Auto, Compress::Lossless] {
            for inner in [StepsPerStage::Exact, StepsPerStage::Steps(10)] {
                let params = AndParams { compress, inner, max_stages: 20, ..AndParams::scheduled(3) };
                assert!(finite(&try_fit(&samples, Start::Given(start.clone()), params).unwrap()));
            }
        }
    }
    // Zero samples and a zero start.
    let samples = DenseSamples::new(Array2::<f64>::zeros((4, 3))).unwrap();
    for compress in [Compress::Auto, Compress::Lossless, Compress::Leading(2)] {
        let params = AndParams { compress, ..AndParams::scheduled(2) };
        let done = try_fit(&samples, Start::Given(Array2::zeros((2, 3))), params).unwrap();
        assert!(done.components.iter().all(|&v| v == 0.0));
    }
}

#[test]
fn empty_sparse_rows_are_valid_samples() {
    let samples = CsrSamples::new(3, &[0_u32, 0, 2, 2], vec![0_u32, 2], vec![1.0, 2.0]).unwrap();
    let start = array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    let done = try_fit(&samples, Start::Given(start), AndParams::scheduled(2)).unwrap();
    assert!(finite(&done));
}

#[test]
fn numbers_out_of_range_are_a_typed_error() {
    let samples = DenseSamples::new(Array2::from_elem((20, 4), 1e200)).unwrap();
    let start = Array2::from_shape_fn((2, 4), |(i, j)| 1e-150 * (1.0 + (i * j) as f64));
    let result =
        try_fit(&samples, Start::Given(start), AndParams { max_stages: 3, ..AndParams::scheduled(2) });
    match result {
        Err(FitError::Overflow { .. }) => {}
        Err(other) => panic!("{other}"),
        Ok(done) => assert!(finite(&done)),
    }
}

#[test]
fn a_floor_that_overflows_is_an_error_and_not_an_infinite_threshold() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let threshold = ThresholdParams { data_floor: Some(1.0), ..ThresholdParams::default() };
    for batch in [Batch::All, Batch::Size(1)] {
        let params = AndParams {
            threshold: threshold.clone().into(),
            batch,
            max_stages: 3,
            ..AndParams::scheduled(12)
        };
        let huge = DenseSamples::new(&data.samples * 1e200).unwrap();
        let error = try_fit(&huge, Start::Given(data.init.clone()), params.clone()).unwrap_err();
        assert!(matches!(error, FitError::Overflow { .. }), "{batch:?}: {error}");
        let huge = DenseSamples::new(data.samples.mapv(|v| v as f32 * 1e30)).unwrap();
        let error = try_fit(&huge, Start::Given(data.init.mapv(|v| v as f32)), params).unwrap_err();
        assert!(matches!(error, FitError::Overflow { .. }), "{batch:?}: {error}");
    }
}

#[test]
fn a_start_in_any_memory_order_is_the_same_start() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let column_major = data.init.t().as_standard_layout().into_owned().reversed_axes();
    assert!(!column_major.is_standard_layout());
    for batch in [Batch::All, Batch::Size(1), Batch::Size(7)] {
        let params = AndParams { batch, compress: Compress::Off, max_stages: 3, ..AndParams::scheduled(12) };
        let expected = try_fit(&samples, Start::Given(data.init.clone()), params.clone()).unwrap();
        let found = try_fit(&samples, Start::Given(column_major.clone()), params.clone()).unwrap();
        assert_eq!(found.components, expected.components);
        let checkpoint =
            try_fit(&samples, Start::Given(column_major.clone()), params.clone()).unwrap().checkpoint();
        let params = AndParams { max_stages: 4, ..params };
        assert!(finite(&try_fit(&samples, Start::Resume(Box::new(checkpoint)), params).unwrap()));
    }
}

#[test]
fn samples_without_rows_are_refused() {
    struct NoSamples;
    impl Samples<f64> for NoSamples {
        fn n_samples(&self) -> usize {
            0
        }
        fn n_features(&self) -> usize {
            3
        }
        fn block(&self, _: std::ops::Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            unreachable!("there is nothing to read")
        }
    }
    for batch in [Batch::All, Batch::Size(1)] {
        let params = AndParams { batch, compress: Compress::Off, ..AndParams::scheduled(2) };
        let error = try_fit(&NoSamples, Start::Given(Array2::ones((2, 3))), params).unwrap_err();
        assert!(matches!(error, FitError::Samples(SamplesError::Empty { .. })), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any small matrix with any small start: a finite result or a typed error.
    #[test]
    fn no_input_gives_nan(
        n in 1_usize..12,
        features in 1_usize..8,
        rank in 1_usize..6,
        values in proptest::collection::vec(prop_oneof![Just(0.0), Just(1.0), -2.0..2.0_f64, Just(1e-8)], 200),
        form in 0_usize..6,
    ) {
        let data = Array2::from_shape_fn((n, features), |(i, j)| values[i * features + j]);
        let start = Array2::from_shape_fn((rank, features), |(i, j)| values[100 + i * features + j]);
        let base = AndParams { max_stages: 15, ..AndParams::scheduled(rank) };
        let params = match form {
            0 => base,
            1 => AndParams { inner: StepsPerStage::Steps(30), ..base },
            2 => AndParams { compress: Compress::Lossless, ..base },
            3 => AndParams { compress: Compress::Leading(rank), ..base },
            4 => AndParams { batch: Batch::Size(1 + n / 2), ..base },
            _ => AndParams { threshold: Schedule::Constant(0.0).into(), ..base },
        };
        let samples = DenseSamples::new(data.view()).unwrap();
        for start in [Start::Given(start), Start::SuccessiveProjection, Start::RandomSamples] {
            if let Ok(done) = try_fit(&samples, start, params.clone()) {
                prop_assert!(finite(&done));
            }
        }
    }
}
