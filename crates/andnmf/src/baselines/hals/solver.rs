//! HALS as a [`Solver`](crate::fit::Solver).

use ndarray::{Array2, ArrayViewMut2};

use super::components::sweep_components;
use super::params::{Hals, HalsParams};
use super::tile::Tile;
use super::weights::sweep_weights;
use crate::baselines::alternating::{
    AlternatingSettings, Factors, GramMethod, GramRule, Moments, PreparedGram, WeightProblem, WeightRule,
    fit, improve,
};
use crate::compression::Space;
use crate::fit::{Fit, Run, Start, solver};
use crate::pool::Pool;
use crate::query::wire;
use crate::samples::Samples;
use crate::{FitError, Real};

solver!(Hals, HalsParams::NAME);

impl Hals {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        fit(&GramMethod::new(self.params()), samples, start, run)
    }
}

/// Improves given components (and weights, if any) by HALS in a given space.
pub(crate) fn improve_by_hals<T: Real>(
    params: &HalsParams,
    samples: &dyn Samples<T>,
    factors: Factors<T>,
    space: Space<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    improve(&GramMethod::new(params), samples, factors, space, run)
}

/// Weights by sweeps of coordinate descent; exact least squares in the first stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepRule {
    pub(crate) sweeps: usize,
}

wire!(impl [] SweepRule { sweeps });

impl<T: Real> WeightRule<T> for SweepRule {
    const QUERY: &'static str = "weights-by-sweeps";
    #[cfg(test)]
    const EXAMPLE: Self = Self { sweeps: 2 };
    type Buffers = Tile<T>;

    fn update(&self, problem: &WeightProblem<'_, T>, weights: ArrayViewMut2<'_, T>, tile: &mut Tile<T>) {
        if problem.first {
            return problem.solve(weights, &mut PreparedGram::default());
        }
        sweep_weights(problem.gram, problem.products, weights, self.sweeps, tile);
    }
}

impl<T: Real> GramRule<T> for &HalsParams {
    const METHOD: &'static str = HalsParams::NAME;
    const REVIVES: bool = true;
    type Weights = SweepRule;

    fn settings(&self) -> AlternatingSettings {
        AlternatingSettings {
            limits: self.limits(),
            signed: self.signed,
            compress: self.compress,
            seed: self.seed,
        }
    }

    fn weight_rule(&self) -> SweepRule {
        SweepRule { sweeps: self.sweeps }
    }

    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        current: &Array2<T>,
        tiles: &Pool<Tile<T>>,
    ) -> Result<(), FitError> {
        next.assign(current);
        sweep_components(moments.gram.view(), &moments.products, next, self.signed, self.sweeps, tiles);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::Compress;
    use crate::fit::Solver;
    use crate::fit::Warning;
    use crate::linalg::product::frobenius;
    use crate::samples::DenseSamples;
    use crate::testing::{assert_close, random_matrix};

    fn non_negative(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
        random_matrix::<f64>(rows, columns, seed).mapv(|v| v.max(0.0))
    }

    fn run(samples: &Array2<f64>, start: &Array2<f64>, params: HalsParams) -> Fit<f64> {
        let samples = DenseSamples::new(samples.view()).unwrap();
        params.check().unwrap().fit(&samples, Start::Given(start.clone()), &mut Run::new()).unwrap()
    }

    /// Textbook HALS on the explicit residual.
    fn textbook(y: &Array2<f64>, x: &mut Array2<f64>, a: &mut Array2<f64>, signed: bool) {
        for side in [0, 1] {
            for k in 0..a.nrows() {
                let outer = |x: &Array2<f64>, a: &Array2<f64>| {
                    x.column(k).insert_axis(ndarray::Axis(1)).dot(&a.row(k).insert_axis(ndarray::Axis(0)))
                };
                let residual = y - &x.dot(a) + &outer(x, a);
                if side == 0 {
                    let best = residual.dot(&a.row(k)) / a.row(k).dot(&a.row(k));
                    x.column_mut(k).assign(&best.mapv(|v| v.max(0.0)));
                } else {
                    let best = residual.t().dot(&x.column(k)) / x.column(k).dot(&x.column(k));
                    a.row_mut(k).assign(&best.mapv(|v| if signed { v } else { v.max(0.0) }));
                }
            }
        }
    }

    #[test]
    fn stages_equal_the_textbook_in_any_space() {
        let y = non_negative(700, 4, 1).dot(&non_negative(4, 30, 2));
        for signed in [false, true] {
            for compress in [Compress::Off, Compress::Lossless] {
                let params = |max_stages| {
                    let base =
                        HalsParams { signed, compress, sweeps: 1, tolerance: 0.0, ..HalsParams::new(4) };
                    HalsParams { max_stages, ..base }
                };
                let one = run(&y, &non_negative(4, 30, 3), params(1));
                let (mut x, mut a) = (one.weights.unwrap(), one.components);
                for _ in 0..5 {
                    textbook(&y, &mut x, &mut a, signed);
                }
                let six = run(&y, &non_negative(4, 30, 3), params(6));
                assert_close(&six.components, &a, 1e-9);
                assert_close(&six.weights.unwrap(), &x, 1e-9);
                let loss = frobenius((&y - &x.dot(&a)).view()).powi(2);
                let recorded = six.trace[5].loss.unwrap();
                assert!((recorded - loss).abs() < 1e-9 * loss.max(1.0), "{recorded} {loss}");
            }
        }
    }

    #[test]
    fn a_zero_component_is_revived_and_used() {
        let y = non_negative(300, 4, 4).dot(&non_negative(4, 20, 5));
        let mut start = non_negative(4, 20, 6);
        start.row_mut(2).fill(0.0);
        let done = run(&y, &start, HalsParams { max_stages: 2000, tolerance: 0.0, ..HalsParams::new(4) });
        assert!(
            done.warnings.contains(&Warning::Revived { stage: 0, components: vec![2] }),
            "{:?}",
            done.warnings
        );
        let losses: Vec<f64> = done.trace.iter().map(|r| r.loss.unwrap()).collect();
        let size = frobenius(y.view()).powi(2);
        assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12 * size));
        assert!(losses[losses.len() - 1] < 1e-6 * size, "{:?}", losses.last());
        assert!(done.weights.unwrap().column(2).iter().any(|&v| v > 0.0));
    }

    #[test]
    fn a_stage_with_a_revival_keeps_the_loss_and_is_not_the_last() {
        let y = non_negative(300, 4, 4).dot(&non_negative(4, 20, 5));
        let mut start = non_negative(4, 20, 6);
        start.row_mut(2).fill(0.0);
        // With this tolerance a run stops as soon as it may.
        let easy = HalsParams { tolerance: 10.0, ..HalsParams::new(4) };
        let one = run(&y, &start, HalsParams { max_stages: 1, ..easy });
        let (a, x) = (one.components, one.weights.unwrap());
        assert!(a.row(2).iter().any(|&v| v > 0.0) && x.column(2).iter().all(|&v| v == 0.0));
        let loss = frobenius((&y - &x.dot(&a)).view()).powi(2);
        assert!((one.trace[0].loss.unwrap() - loss).abs() < 1e-9 * loss);
        assert_eq!(run(&y, &start, easy).stages, 2);
    }

    #[test]
    fn overflow_is_a_typed_error_not_a_loss_of_zero() {
        let y = non_negative(60, 3, 1).dot(&non_negative(3, 9, 2));
        for (scale, sweeps, signed) in
            [(1e160, 1, true), (1e-160, 3, true), (1e160, 2, false), (1e-170, 2, false)]
        {
            let params = HalsParams { signed, sweeps, compress: Compress::Off, ..HalsParams::new(12) };
            for start in [Array2::zeros((12, 9)), non_negative(12, 9, 3), non_negative(12, 9, 3) * scale] {
                let samples = &y * scale;
                let samples = DenseSamples::new(samples.view()).unwrap();
                let hals = params.clone().check().unwrap();
                let error = hals.fit(&samples, Start::Given(start), &mut Run::new()).unwrap_err();
                assert!(matches!(error, FitError::Overflow { .. }), "{scale:e}: {error}");
            }
        }
        let single = y.mapv(|v| v as f32 * 1e19);
        let single = DenseSamples::new(single.view()).unwrap();
        let error = HalsParams::new(3).check().unwrap().fit(&single, Start::RandomSamples, &mut Run::new());
        assert!(matches!(error, Err(FitError::Overflow { .. })));
    }

    #[test]
    fn passes_count_the_search_for_a_smaller_space_once() {
        let y = non_negative(700, 3, 1).dot(&non_negative(3, 60, 2));
        let passes = |compress, max_stages| {
            run(&y, &non_negative(3, 60, 3), HalsParams { compress, max_stages, ..HalsParams::new(3) }).passes
        };
        assert_eq!((passes(Compress::Off, 3), passes(Compress::Off, 7)), (3, 7));
        let lossless = passes(Compress::Lossless, 3);
        assert!(lossless >= 2 && lossless == passes(Compress::Lossless, 7), "{lossless}");
    }

    #[test]
    fn components_beyond_the_rank_of_the_samples_are_reported_not_revived_forever() {
        // Two components fit exactly, so a third has no residual to fit.
        let y = ndarray::array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        let mut start = ndarray::array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
        let done = run(&y, &start, HalsParams { max_stages: 50, ..HalsParams::new(3) });
        assert_eq!(done.warnings, [Warning::Unused { components: vec![2] }]);
        start[[2, 2]] = 1.0;
        let done = run(&y, &start, HalsParams { max_stages: 50, ..HalsParams::new(3) });
        assert_eq!(done.warnings, [Warning::Unused { components: vec![2] }]);
    }
}
