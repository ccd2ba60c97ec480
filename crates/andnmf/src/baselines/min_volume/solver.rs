//! Minimum-volume factorization under the common contract.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::params::{MinVolume, MinVolumeParams};
use super::project::{project_on_simplex, project_on_sphere};
use crate::baselines::alternating::{AlternatingSettings, GramMethod, GramRule, Moments, fit};
use crate::baselines::hals::{SweepRule, Tile};
use crate::fit::{Fit, Run, Start, solver};
use crate::linalg::product::{gram_of_rows, multiply, multiply_add_wide};
use crate::linalg::symmetric::eigen;
use crate::pool::Pool;
use crate::samples::Samples;
use crate::{FitError, Real};

solver!(MinVolume, MinVolumeParams::NAME);

impl MinVolume {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        fit(&GramMethod::new(self.params()), samples, start, run)
    }
}

impl MinVolumeParams {
    /// The nearest component that the constraint allows.
    fn project<T: Real>(&self, component: &mut [T]) {
        if self.signed { project_on_sphere(component, true) } else { project_on_simplex(component) }
    }

    /// λ in a stage, for samples with this sum of squares.
    fn lambda(&self, stage: usize, squares: f64) -> f64 {
        let fade = self.weight_ratio.powi(i32::try_from(stage).unwrap_or(i32::MAX));
        self.volume_weight * fade * squares / self.rank as f64
    }

    /// δ for components with this Gram matrix.
    fn delta<T: Real>(&self, gram: ArrayView2<'_, T>) -> f64 {
        let mean = gram.diag().iter().map(|v| v.as_f64()).sum::<f64>() / gram.nrows().max(1) as f64;
        self.offset * mean
    }

    /// (A·Aᵀ + δI)⁻¹: the slope of log det with respect to A·Aᵀ.
    fn slope<T: Real>(&self, gram: ArrayView2<'_, T>) -> Option<Array2<T>> {
        let delta = self.delta(gram);
        let (values, vectors) = eigen(gram)?;
        let mut scaled = vectors.clone();
        for (mut column, value) in scaled.axis_iter_mut(Axis(1)).zip(values) {
            column.mapv_inplace(|v| T::from_f64(v.as_f64() / (value.max(0.0) + delta)));
        }
        let slope = multiply(scaled.view(), vectors.t());
        slope.iter().all(|v| v.finite()).then_some(slope)
    }
}

impl<T: Real> GramRule<T> for &MinVolumeParams {
    const METHOD: &'static str = MinVolumeParams::NAME;
    // A new direction would add to the volume.
    const REVIVES: bool = false;
    type Weights = SweepRule;

    fn settings(&self) -> AlternatingSettings {
        AlternatingSettings {
            limits: self.limits(),
            signed: self.signed,
            compress: self.compress,
            seed: self.seed,
        }
    }

    /// The start, with every component scaled to satisfy the constraint.
    fn prepare_start(&self, mut start: Array2<T>) -> Array2<T> {
        for mut row in start.outer_iter_mut() {
            let row = row.as_slice_mut().expect("row-major");
            if !self.signed {
                let sum: f64 = row.iter().map(|v| v.as_f64().max(0.0)).sum();
                if sum > 0.0 && sum.is_finite() {
                    row.iter_mut().for_each(|v| *v = T::from_f64(v.as_f64().max(0.0) / sum));
                }
            }
            self.project(row);
        }
        start
    }

    fn weight_rule(&self) -> SweepRule {
        SweepRule { sweeps: self.sweeps }
    }

    fn components(
        &self,
        components: &mut Array2<T>,
        moments: &mut Moments<T>,
        now: &Array2<T>,
        _: &Pool<Tile<T>>,
    ) -> Result<(), FitError> {
        let overflow = || FitError::Overflow { stage: moments.stage };
        let slope = self.slope(gram_of_rows(now.view()).view()).ok_or_else(overflow)?;
        let lambda = T::from_f64(self.lambda(moments.stage, moments.squares));
        let gram = &moments.gram + &slope.mapv(|v| v * lambda);
        components.assign(now);
        for _ in 0..self.sweeps {
            for k in 0..components.nrows() {
                let own = gram[[k, k]];
                if own <= T::from_f64(0.0) {
                    continue;
                }
                let mut step = moments.products.slice(s![k..=k, ..]).to_owned();
                let row = gram.slice(s![k..=k, ..]);
                multiply_add_wide(step.view_mut(), row, components.view(), T::from_f64(-1.0));
                let mut component = components.row_mut(k);
                component.zip_mut_with(&step.row(0), |a, &v| *a += v / own);
                self.project(component.as_slice_mut().expect("row-major"));
            }
        }
        Ok(())
    }

    fn penalty(&self, gram: ArrayView2<'_, T>, stage: usize, squares: f64) -> f64 {
        let delta = self.delta(gram);
        let volume: f64 = eigen(gram)
            .map_or(f64::NAN, |(values, _)| values.iter().map(|&v| (v.max(0.0) + delta).ln()).sum());
        self.lambda(stage, squares) * volume
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::HalsParams;
    use crate::fit::Solver;
    use crate::linalg::product::frobenius;
    use crate::metrics::correlation_error;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    fn non_negative(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
        random_matrix::<f64>(rows, columns, seed).mapv(|v| v.max(0.0))
    }

    fn mixture() -> (Array2<f64>, Array2<f64>) {
        let truth = non_negative(4, 30, 1);
        // About half of the weights are zero: spread widely, though hardly any sample is pure.
        (non_negative(800, 4, 2).dot(&truth), truth)
    }

    fn run(y: &Array2<f64>, start: &Array2<f64>, params: MinVolumeParams) -> Fit<f64> {
        let samples = DenseSamples::new(y.view()).unwrap();
        params.check().unwrap().fit(&samples, Start::Given(start.clone()), &mut Run::new()).unwrap()
    }

    #[test]
    fn the_loss_is_fit_plus_volume_and_components_sum_to_one() {
        let (y, truth) = mixture();
        for signed in [false, true] {
            let params =
                MinVolumeParams { signed, volume_weight: 1e-3, max_stages: 7, ..MinVolumeParams::new(4) };
            let done = run(&y, &(&truth + &non_negative(4, 30, 3)), params.clone());
            let (a, x) = (done.components, done.weights.unwrap());
            for row in a.outer_iter() {
                let size: f64 = if signed { row.dot(&row) } else { row.sum() };
                assert!((size - 1.0).abs() < 1e-12, "{size}");
            }
            assert!(signed || a.iter().all(|&v| v >= 0.0));
            let gram = a.dot(&a.t());
            let delta = 1e-3 * gram.diag().sum() / 4.0;
            let regular = &gram + &(Array2::<f64>::eye(4) * delta);
            let lambda = 1e-3 * frobenius(y.view()).powi(2) / 4.0;
            let expected = frobenius((&y - &x.dot(&a)).view()).powi(2) + lambda * determinant(regular).ln();
            let loss = done.trace[6].loss.unwrap();
            assert!((loss - expected).abs() < 1e-9 * expected.abs(), "{loss} {expected}");
        }
    }

    /// By elimination.
    fn determinant(mut m: Array2<f64>) -> f64 {
        let mut product = 1.0;
        for k in 0..m.nrows() {
            product *= m[[k, k]];
            for i in k + 1..m.nrows() {
                let factor = m[[i, k]] / m[[k, k]];
                for j in k..m.ncols() {
                    m[[i, j]] -= factor * m[[k, j]];
                }
            }
        }
        product
    }

    #[test]
    fn the_loss_does_not_rise_while_the_weight_stays() {
        let (y, _) = mixture();
        let start = non_negative(4, 30, 5);
        for signed in [false, true] {
            let base = MinVolumeParams { signed, tolerance: 0.0, max_stages: 80, ..MinVolumeParams::new(4) };
            let done = run(&y, &start, MinVolumeParams { volume_weight: 1e-3, ..base });
            let losses: Vec<f64> = done.trace.iter().map(|r| r.loss.unwrap()).collect();
            let slack = 1e-6 * losses[0].abs();
            assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] + slack), "{signed}: {losses:?}");
            assert!(losses[79] < losses[0] - 1e3 * slack);
        }
    }

    #[test]
    fn a_small_volume_finds_the_truth_where_a_good_fit_does_not() {
        // Components without zeros are not determined by the fit alone.
        let truth = non_negative(4, 30, 1) + 0.2;
        let y = non_negative(800, 4, 2).dot(&truth);
        let mixed = random_matrix::<f64>(4, 4, 9).mapv(|v| v.abs() * 0.5) + Array2::<f64>::eye(4);
        let start = mixed.dot(&truth);
        let error = |a: &Array2<f64>| correlation_error(a.view(), truth.view()).unwrap().relative_total();
        let stages = 400;
        let params = MinVolumeParams {
            volume_weight: 1e-2,
            weight_ratio: 0.97,
            max_stages: stages,
            tolerance: 0.0,
            ..MinVolumeParams::new(4)
        };
        let small = error(&run(&y, &start, params).components);
        let samples = DenseSamples::new(y.view()).unwrap();
        let hals = HalsParams { max_stages: stages, tolerance: 0.0, ..HalsParams::new(4) }.check().unwrap();
        let plain = error(&hals.fit(&samples, Start::Given(start), &mut Run::new()).unwrap().components);
        assert!(small < 1e-3 && small < 0.1 * plain, "{small:e} {plain:e}");
    }

    #[test]
    fn the_slope_is_that_of_the_volume() {
        let a = non_negative(4, 30, 7);
        let params = MinVolumeParams::new(4);
        let volume =
            |a: &Array2<f64>, delta: f64| determinant(a.dot(&a.t()) + Array2::<f64>::eye(4) * delta).ln();
        let gram = a.dot(&a.t());
        let (slope, delta) = (params.slope(gram.view()).unwrap(), params.delta(gram.view()));
        // Along a direction E the volume rises by 2·⟨slope·A, E⟩.
        let step = random_matrix::<f64>(4, 30, 8).mapv(|v| 1e-6 * v);
        let rise = volume(&(&a + &step), delta) - volume(&(&a - &step), delta);
        let expected: f64 = 4.0 * (slope.dot(&a) * &step).sum();
        assert!((rise - expected).abs() < 1e-6 * expected.abs(), "{rise:e} {expected:e}");
    }

    #[test]
    fn the_weight_of_the_volume_is_relative_and_fades_from_the_second_stage_on() {
        let params = MinVolumeParams { volume_weight: 0.5, weight_ratio: 0.8, ..MinVolumeParams::new(4) };
        assert_eq!(params.lambda(0, 16.0), 2.0);
        assert!((params.lambda(2, 16.0) - 2.0 * 0.64).abs() < 1e-15);
    }

    #[test]
    fn the_scale_of_the_start_does_not_matter() {
        let start = non_negative(4, 30, 5);
        let prepare_start =
            |start: Array2<f64>| GramRule::<f64>::prepare_start(&&MinVolumeParams::new(4), start);
        let plain = prepare_start(start.clone());
        assert!(frobenius((&prepare_start(&start * 1e6) - &plain).view()) < 1e-12);
        assert!(
            frobenius((&plain - &(&start / &start.sum_axis(Axis(1)).insert_axis(Axis(1)))).view()) < 1e-12
        );
    }
}
