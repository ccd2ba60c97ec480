//! Multiplicative updates as a [`Solver`](crate::fit::Solver).

use ndarray::{Array2, ArrayViewMut2};

use super::frobenius::{FrobeniusBuffers, update_components, update_weights};
use super::kullback_leibler::KullbackLeiblerUpdates;
use super::params::{Mu, MuLoss, MuParams};
use super::start::make_positive;
use crate::baselines::alternating::{
    AlternatingSettings, GramMethod, GramRule, Moments, WeightProblem, WeightRule, fit,
};
use crate::fit::{Fit, Run, Start, solver};
use crate::init::NndsvdFill;
use crate::pool::Pool;
use crate::query::wire;
use crate::samples::{NonNegative, Samples};
use crate::{FitError, Real};

solver!(Mu, MuParams::NAME);

impl Mu {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        // Multiplicative updates cannot leave zero, so zeros of the initialization are filled.
        let start = match start {
            Start::Nndsvd(NndsvdFill::Zeros) => Start::Nndsvd(NndsvdFill::Mean),
            other => other,
        };
        match self.params().loss {
            MuLoss::Frobenius => fit(&GramMethod::new(self.params()), samples, start, run),
            MuLoss::KullbackLeibler => {
                let samples = NonNegative::new(samples, "the Kullback–Leibler loss");
                fit(&KullbackLeiblerUpdates::new(self.params()), &samples, start, run)
            }
        }
    }
}

/// Weights by multiplicative updates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MultiplicativeRule {
    pub(crate) signed: bool,
    pub(crate) sweeps: usize,
}

wire!(impl [] MultiplicativeRule { signed, sweeps });

impl<T: Real> WeightRule<T> for MultiplicativeRule {
    const QUERY: &'static str = "multiplicative-weights";
    #[cfg(test)]
    const EXAMPLE: Self = Self { signed: true, sweeps: 2 };
    type Buffers = FrobeniusBuffers<T>;

    fn update(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        buffers: &mut FrobeniusBuffers<T>,
    ) {
        update_weights(problem, weights, self.signed, self.sweeps, buffers);
    }
}

impl<T: Real> GramRule<T> for &MuParams {
    const METHOD: &'static str = MuParams::NAME;
    // Multiplicative updates cannot leave zero.
    const REVIVES: bool = false;
    type Weights = MultiplicativeRule;

    fn settings(&self) -> AlternatingSettings {
        AlternatingSettings {
            limits: self.limits(),
            signed: self.signed,
            compress: self.compress,
            seed: self.seed,
        }
    }

    fn prepare_start(&self, start: Array2<T>) -> Array2<T> {
        if self.signed { start } else { make_positive(start) }
    }

    fn weight_rule(&self) -> MultiplicativeRule {
        MultiplicativeRule { signed: self.signed, sweeps: self.sweeps }
    }

    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        current: &Array2<T>,
        buffers: &Pool<FrobeniusBuffers<T>>,
    ) -> Result<(), FitError> {
        if self.signed {
            let overflow = FitError::Overflow { stage: moments.stage };
            return moments.least_squares(next, current).ok_or(overflow);
        }
        buffers.lend(|buffers| update_components(next, moments, current, self.sweeps, buffers));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SamplesError;
    use crate::fit::Solver;
    use crate::fit::StopReason;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};
    use MuLoss::{Frobenius, KullbackLeibler};

    /// Mixtures of four components with noise, many zeros, and a row and a column of zeros.
    fn mixtures(n: usize, features: usize) -> Array2<f64> {
        let weights = random_matrix::<f64>(n, 4, 1).mapv(|v| v.max(0.0));
        let components = random_matrix::<f64>(4, features, 2).mapv(|v| v.max(0.0));
        let mut data =
            weights.dot(&components) + random_matrix::<f64>(n, features, 3).mapv(|v| 0.1 * v.max(0.0));
        data.row_mut(2).fill(0.0);
        data.column_mut(3).fill(0.0);
        data
    }

    fn csr<T: Real>(data: &Array2<T>) -> CsrSamples<'static, T> {
        let (pointers, indices, values) = sparse_copy(data);
        CsrSamples::new(data.ncols(), &pointers, indices, values).unwrap()
    }

    /// A fixed number of stages.
    fn params(loss: MuLoss, signed: bool, max_stages: usize) -> MuParams {
        let compress = crate::baselines::Compress::Off;
        MuParams { loss, signed, max_stages, compress, tolerance: 0.0, ..MuParams::new(4) }
    }

    fn run<T: Real>(params: &MuParams, samples: &dyn Samples<T>, start: Start<T>) -> Fit<T> {
        params.clone().check().unwrap().fit(samples, start, &mut Run::new()).unwrap()
    }

    fn losses<T: Real>(fit: &Fit<T>) -> Vec<f64> {
        fit.trace.iter().map(|record| record.loss.unwrap()).collect()
    }

    const ALL: [(MuLoss, bool); 3] = [(Frobenius, false), (Frobenius, true), (KullbackLeibler, false)];

    #[test]
    fn the_loss_never_rises() {
        let signed = random_matrix::<f64>(90, 14, 5) + 0.2;
        for (loss, signed_components) in ALL {
            for data in [mixtures(90, 14), signed.clone()] {
                if loss == KullbackLeibler && data.iter().any(|&v| v < 0.0) {
                    continue;
                }
                for samples in [&DenseSamples::new(data.view()).unwrap() as &dyn Samples<f64>, &csr(&data)] {
                    for sweeps in [1, 3] {
                        let params = MuParams { sweeps, ..params(loss, signed_components, 150) };
                        let start = Start::Given(
                            random_matrix(4, 14, 6).mapv(|v| if signed_components { v } else { v + 0.5 }),
                        );
                        let losses = losses(&run(&params, samples, start));
                        for pair in losses.windows(2) {
                            assert!(
                                pair[1] <= pair[0] * (1.0 + 1e-12),
                                "{loss:?} {signed_components}: {pair:?}"
                            );
                        }
                        assert!(losses[149] < 0.9 * losses[0], "{losses:?}");
                    }
                }
            }
        }
    }

    /// One textbook stage, for non-negative samples without zero rows or columns.
    fn textbook(y: &Array2<f64>, x: &mut Array2<f64>, a: &mut Array2<f64>, loss: MuLoss) {
        match loss {
            Frobenius => {
                *x = &*x * &y.dot(&a.t()) / x.dot(&*a).dot(&a.t());
                *a = &*a * &x.t().dot(y) / x.t().dot(&x.dot(&*a));
            }
            KullbackLeibler => {
                *x = &*x * &(y / &x.dot(&*a)).dot(&a.t()) / &a.sum_axis(ndarray::Axis(1));
                let sums = x.sum_axis(ndarray::Axis(0)).insert_axis(ndarray::Axis(1));
                *a = &*a * &x.t().dot(&(y / &x.dot(&*a))) / &sums;
            }
        }
    }

    #[test]
    fn every_stage_equals_the_textbook() {
        let y = mixtures(60, 12).mapv(|v| v + 0.01);
        let start = random_matrix::<f64>(4, 12, 7).mapv(f64::abs);
        for loss in [Frobenius, KullbackLeibler] {
            let mut a = start.clone();
            let common = |row: ndarray::ArrayView1<'_, f64>| {
                let all = start.sum_axis(ndarray::Axis(0));
                if loss == Frobenius { row.dot(&all) / all.dot(&all) } else { row.sum() / all.sum() }
            };
            let mut x = Array2::from_shape_fn((60, 4), |(i, _)| common(y.row(i)));
            for stages in 1..=8 {
                let before = a.clone();
                textbook(&y, &mut x, &mut a, loss);
                let expected: f64 = match loss {
                    Frobenius => (&y - &x.dot(&a)).mapv(|v| v * v).sum(),
                    KullbackLeibler => {
                        y.iter().zip(&x.dot(&before)).map(|(y, f)| y * (y / f).ln() - y + f).sum()
                    }
                };
                for samples in [&DenseSamples::new(y.view()).unwrap() as &dyn Samples<f64>, &csr(&y)] {
                    let fit = run(&params(loss, false, stages), samples, Start::Given(start.clone()));
                    assert_close(&fit.components, &a, 1e-12);
                    assert_close(fit.weights.as_ref().unwrap(), &x, 1e-12);
                    assert!((losses(&fit)[stages - 1] / expected - 1.0).abs() < 1e-9, "{loss:?}");
                }
            }
        }
    }

    #[test]
    fn sparse_equals_dense_even_with_zero_rows_and_columns() {
        let data = mixtures(700, 30);
        for (loss, signed) in ALL {
            let params = params(loss, signed, 20);
            let dense = run(&params, &DenseSamples::new(data.view()).unwrap(), Start::RandomSamples);
            let sparse = run(&params, &csr(&data), Start::RandomSamples);
            assert_close(&sparse.components, &dense.components, 1e-9);
            assert_close(sparse.weights.as_ref().unwrap(), dense.weights.as_ref().unwrap(), 1e-9);
            assert!(dense.weights.unwrap().row(2).iter().all(|&v| v == 0.0));
            assert!(dense.components.column(3).iter().all(|v| v.abs() < 1e-12));
        }
    }

    #[test]
    fn a_smaller_space_gives_the_same_components() {
        let data = random_matrix::<f64>(300, 4, 1)
            .mapv(f64::abs)
            .dot(&random_matrix::<f64>(4, 60, 2).mapv(f64::abs));
        let samples = DenseSamples::new(data).unwrap();
        for signed in [false, true] {
            let whole = run(&params(Frobenius, signed, 20), &samples, Start::RandomSamples);
            let compress = crate::baselines::Compress::Lossless;
            let small = MuParams { compress, ..params(Frobenius, signed, 20) };
            let small = run(&small, &samples, Start::RandomSamples);
            assert_eq!(small.compressed_to, Some(4));
            assert_close(&small.components, &whole.components, 1e-8);
        }
    }

    #[test]
    fn degenerate_samples_give_finite_results() {
        for (loss, signed) in ALL {
            for data in [
                Array2::zeros((6, 5)),
                random_matrix::<f64>(1, 7, 1).mapv(f64::abs),
                random_matrix::<f64>(7, 1, 1).mapv(f64::abs),
                Array2::from_elem((9, 3), 2.0),
                mixtures(5, 6) * 1e-120,
                mixtures(5, 6) * 1e120,
            ] {
                let size = |y: &f64| if loss == Frobenius { y * y } else { *y };
                let rounding = 1e-13 * data.iter().map(size).sum::<f64>();
                let start = random_matrix::<f64>(4, data.ncols(), 8).mapv(f64::abs);
                for samples in [&DenseSamples::new(data.view()).unwrap() as &dyn Samples<f64>, &csr(&data)] {
                    let fit = run(&params(loss, signed, 60), samples, Start::Given(start.clone()));
                    let finite = |m: &Array2<f64>| m.iter().all(|v| v.is_finite());
                    assert!(finite(&fit.components) && finite(fit.weights.as_ref().unwrap()));
                    for pair in losses(&fit).windows(2) {
                        assert!(pair[1] <= pair[0] * (1.0 + 1e-12) + rounding, "{loss:?} {signed}: {pair:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn single_precision_is_close_to_double() {
        let data = mixtures(300, 20);
        for (loss, signed) in ALL {
            let params = params(loss, signed, 15);
            let start = random_matrix::<f64>(4, 20, 9).mapv(f64::abs);
            let double = run(&params, &DenseSamples::new(data.view()).unwrap(), Start::Given(start.clone()));
            let single = data.mapv(|v| v as f32);
            for samples in [&DenseSamples::new(single.view()).unwrap() as &dyn Samples<f32>, &csr(&single)] {
                let fit = run(&params, samples, Start::Given(start.mapv(|v| v as f32)));
                // Early weights are nearly collinear, so the least squares are ill-conditioned.
                let tolerance = if signed { 2e-3 } else { 1e-4 };
                assert_close(&fit.components.mapv(f64::from), &double.components, tolerance);
                let size = data.iter().map(|y| if loss == Frobenius { y * y } else { *y }).sum::<f64>();
                assert!((losses(&fit)[14] - losses(&double)[14]).abs() < 1e-5 * size, "{loss:?} {signed}");
            }
        }
    }

    #[test]
    fn threads_do_not_matter_and_resumed_runs_end_in_the_same_bits() {
        let data = mixtures(3000, 20);
        for (loss, signed) in ALL {
            for samples in [&DenseSamples::new(data.view()).unwrap() as &dyn Samples<f64>, &csr(&data)] {
                let mu = params(loss, signed, 8).check().unwrap();
                let on = |threads| {
                    mu.fit(samples, Start::RandomSamples, &mut Run::new().threads(threads)).unwrap()
                };
                let one = on(1);
                for more in [on(2), on(3)] {
                    assert_eq!((&more.components, &more.weights), (&one.components, &one.weights));
                }
                let half = run(&params(loss, signed, 4), samples, Start::RandomSamples);
                let resumed =
                    run(&params(loss, signed, 8), samples, Start::Resume(Box::new(half.checkpoint())));
                assert_eq!((&resumed.components, &resumed.weights), (&one.components, &one.weights));
                assert_eq!(losses(&resumed), losses(&one));
            }
        }
    }

    #[test]
    fn the_divergence_rejects_negative_samples_and_the_squared_error_accepts_them() {
        let mut data = mixtures(900, 12);
        data[[877, 5]] = -0.25;
        let samples = DenseSamples::new(data.view()).unwrap();
        let mu = params(KullbackLeibler, false, 3).check().unwrap();
        for start in [Start::RandomSamples, Start::Given(Array2::from_elem((4, 12), 1.0))] {
            let error = mu.fit(&samples, start, &mut Run::new()).unwrap_err();
            let located =
                |error: &SamplesError| matches!(error, SamplesError::Negative { row: 877, column: 5, .. });
            assert!(matches!(&error, FitError::Samples(error) if located(error)), "{error}");
            assert!(
                error.to_string().contains("the Kullback–Leibler loss needs values of zero or more"),
                "{error}"
            );
        }
        assert!(
            run(&params(Frobenius, false, 3), &samples, Start::RandomSamples)
                .components
                .iter()
                .all(|&v| v >= 0.0)
        );
    }

    #[test]
    fn known_components_are_found_from_an_nndsvd_start() {
        let weights = random_matrix::<f64>(200, 4, 1).mapv(|v| v.max(0.0));
        let components = random_matrix::<f64>(4, 20, 2).mapv(|v| v.max(0.0));
        let samples = DenseSamples::new(weights.dot(&components)).unwrap();
        for loss in [Frobenius, KullbackLeibler] {
            let fit = run(
                &MuParams { sweeps: 3, ..params(loss, false, 2000) },
                &samples,
                Start::Nndsvd(NndsvdFill::Zeros),
            );
            assert!(losses(&fit)[1999] < 1e-3 * losses(&fit)[0], "{:?}", losses(&fit).last());
            assert_eq!(fit.stop, StopReason::MaxStages);
        }
    }
}
