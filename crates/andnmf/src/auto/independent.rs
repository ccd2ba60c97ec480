//! A start for components that hardly ever occur without each other.
//!
//! Successive projection needs samples that are close to one component. Where components come in pairs of which
//! hardly ever one is on alone, there are next to none. But the weights are sparse all the same, and so are sums of
//! a few of them, whatever the components look like: mostly near zero, now and then large. So directions are looked
//! for in which the samples, made equally strong in all directions, have the heaviest tails: the largest sum of
//! fourth powers. For independent weights these are the rows of the decoder. For strongly paired ones some are the
//! difference of the two components of a pair, which no true weight is; [`unfold`] undoes that.

use ndarray::{Array2, ArrayView2, s};

use super::pairs::unfold;
use crate::Real;
use crate::constants::StartConstants;
use crate::fit::StageInterrupt;
use crate::linalg::product::{gram_of_rows, multiply, multiply_add_wide};
use crate::linalg::pseudo_inverse::relative_cutoff;
use crate::linalg::symmetric::eigen;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{DenseSamples, Samples};

/// As many components (rows) as the samples have coordinates; `None` where the samples do not fill their space or
/// have no directions with heavier tails than others. `check` is asked often whether to go on.
pub(super) fn independent_components<T: Real>(
    samples: &DenseSamples<'_, T>,
    constants: &StartConstants,
    check: &(impl Fn() -> Result<(), StageInterrupt> + Sync),
) -> Result<Option<Array2<T>>, StageInterrupt> {
    let Some(decoder) = heavy_tails(samples, constants, check)? else { return Ok(None) };
    let mut values = Array2::zeros((decoder.nrows(), samples.n_samples()));
    let rows = decoder.mapv(T::from_f64);
    multiply_add_wide(values.view_mut(), rows.view(), samples.view().t(), T::from_f64(1.0));
    check()?;
    let components = unfold(decoder, values, constants, check)?.map(|found| found.mapv(T::from_f64));
    Ok(components.filter(|found| found.iter().all(|v| v.finite())))
}

/// The directions (rows) along which the whitened samples have the largest sums of fourth powers, as a decoder of the
/// samples as they are.
///
/// The rows of the rotation W stay orthonormal. The gradient of Σ z⁴ over the values z = W·y is 4·Σ z³·yᵀ, and of all
/// turns the one closest to it (its polar factor) is the next: a step that never lowers the sum and has no length to
/// be set.
fn heavy_tails<T: Real>(
    samples: &DenseSamples<'_, T>,
    constants: &StartConstants,
    check: &(impl Fn() -> Result<(), StageInterrupt> + Sync),
) -> Result<Option<Array2<f64>>, StageInterrupt> {
    let second = sum_over_blocks(samples, check, |block| {
        // Squares of the weakest directions drown in single precision.
        gram_of_rows(block.t().mapv(Real::as_f64).view())
    })?;
    let Some(whitening) = inverse_root(&second, relative_cutoff::<T>(samples.view().dim())) else {
        return Ok(None);
    };
    let whitening = whitening * (samples.n_samples() as f64).sqrt();
    let mut rotation = Array2::<f64>::eye(whitening.nrows());
    for _ in 0..constants.most_turns {
        let rows = multiply(rotation.view(), whitening.view()).mapv(T::from_f64);
        let cubes = sum_over_blocks(samples, check, |block| {
            let mut values = multiply(block, rows.t());
            values.mapv_inplace(|v| v * v * v);
            multiply(values.t(), block).mapv(Real::as_f64)
        })?;
        let gradient = multiply(cubes.view(), whitening.view());
        let Some(next) = polar(&gradient) else { return Ok(None) };
        let cosines = (&next * &rotation).sum_axis(ndarray::Axis(1));
        let least = cosines.iter().fold(1.0, |least: f64, cosine| least.min(cosine.abs()));
        rotation = next;
        if 1.0 - least < constants.settled_turn {
            break;
        }
    }
    Ok(Some(multiply(rotation.view(), whitening.view())))
}

/// A sum over blocks of samples of matrices as wide and high as the samples are wide.
fn sum_over_blocks<T: Real>(
    samples: &DenseSamples<'_, T>,
    check: &(impl Fn() -> Result<(), StageInterrupt> + Sync),
    of: impl Fn(ArrayView2<'_, T>) -> Array2<f64> + Sync,
) -> Result<Array2<f64>, StageInterrupt> {
    let width = samples.n_features();
    fold(
        samples,
        &FoldPlan::new(samples, width * width),
        &|| Array2::zeros((width, width)),
        &|sum: &mut Array2<f64>, first, block| {
            check()?;
            *sum += &of(samples.view().slice(s![first..first + block.n_samples(), ..]));
            Ok(())
        },
        &|left, right| *left += &right,
    )
}

/// C^(−1/2) of a symmetric matrix; `None` where an eigenvalue is not above `cutoff` times the largest.
fn inverse_root(c: &Array2<f64>, cutoff: f64) -> Option<Array2<f64>> {
    let (values, vectors) = eigen(c.view())?;
    let largest = *values.last()?;
    if !(values[0] > cutoff * largest && values[0] >= f64::MIN_POSITIVE) {
        return None;
    }
    let shrunk = Array2::from_shape_fn(vectors.dim(), |(i, k)| vectors[[i, k]] / values[k].sqrt());
    Some(multiply(shrunk.view(), vectors.t()))
}

/// The orthogonal matrix closest to a square one; `None` where that is not defined.
fn polar(m: &Array2<f64>) -> Option<Array2<f64>> {
    let root = inverse_root(&multiply(m.view(), m.t()), relative_cutoff::<f64>(m.dim()))?;
    Some(multiply(root.view(), m.view()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    use crate::and::AndParams;
    use crate::auto::Origin;
    use crate::fit::{Checkpoint, Fit, Run, Solver, StageView, Start};
    use crate::metrics::correlation_error;
    use crate::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
    use crate::testing::random_matrix;

    fn components<T: Real>(samples: Array2<T>) -> Option<Array2<T>> {
        independent_components(&DenseSamples::new(samples).unwrap(), &StartConstants::default(), &|| Ok(()))
            .unwrap()
    }

    /// Sparse independent weights times components that are far from orthogonal.
    fn mixtures(n: usize, rank: usize) -> (Array2<f64>, Array2<f64>) {
        let chance = random_matrix::<f64>(n, rank, 3);
        let weights = chance.mapv(|v| if v > 0.94 { v } else { 0.0 });
        let truth = random_matrix::<f64>(rank, rank, 4).mapv(|v| v + 0.5);
        (weights.dot(&truth), truth)
    }

    /// Pairs of which hardly ever one component is on alone.
    fn inseparable() -> Dataset {
        let weights = Weights::Paired { sparsity: 3.0, co_occurrence: 0.95, decay_order: None };
        let shape =
            DatasetSpec { rank: 20, n_samples: 2500, n_features: 200, ..DatasetSpec::new(DatasetKind::Neg) };
        DatasetSpec { weights, ..shape }.generate().unwrap()
    }

    fn fit(data: &Dataset, start: Start<f64>, run: Run<'_, f64>) -> Fit<f64> {
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        let mut run = run;
        AndParams { signed: true, ..AndParams::new(20) }
            .check()
            .unwrap()
            .fit(&samples, start, &mut run)
            .unwrap()
    }

    fn as_text(checkpoint: &Checkpoint<f64>) -> String {
        serde_json::to_string(checkpoint).unwrap()
    }

    #[test]
    fn independent_weights_are_found_whatever_the_components() {
        let (samples, truth) = mixtures(4000, 8);
        let found = components(samples).unwrap();
        let error = correlation_error(found.view(), truth.view()).unwrap().relative_total();
        assert!(error < 0.8, "{error}");
        let single = components(mixtures(4000, 8).0.mapv(|v| v as f32)).unwrap();
        let error = correlation_error(single.mapv(f64::from).view(), found.view()).unwrap().relative_total();
        assert!(error < 0.01, "{error}");
    }

    #[test]
    fn components_that_hardly_ever_occur_alone_are_recovered_from_the_data_alone() {
        let data = inseparable();
        let found = fit(&data, Start::Auto, Run::new());
        assert_eq!(found.report.unwrap().origin, Origin::Independent);
        let error = correlation_error(found.components.view(), data.truth.view()).unwrap().relative_total();
        assert!(error < 1e-9, "{error:e}");
    }

    #[test]
    fn a_run_stopped_after_such_a_start_goes_on_to_the_same_bits() {
        let data = inseparable();
        let whole = fit(&data, Start::Auto, Run::new());
        let mut start = Start::Auto;
        // Up to the start in question at once, then stopped after every single stage.
        for stop in 0..16 {
            let mut until = |view: &StageView<'_, f64>| {
                let started = stop > 0 || as_text(&view.checkpoint()).contains("\"patient\":true");
                if started { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let part = fit(&data, start, Run::new().observe(&mut until));
            assert!(part.stages < whole.stages);
            let kept: Checkpoint<f64> = serde_json::from_str(&as_text(&part.checkpoint())).unwrap();
            start = Start::Resume(Box::new(kept));
        }
        let rest = fit(&data, start, Run::new());
        assert_eq!((rest.stages, rest.components), (whole.stages, whole.components));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let data = inseparable();
        let (samples, _) = mixtures(3000, 8);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let start = pool.install(|| components(samples.clone()));
            (start.unwrap(), fit(&data, Start::Auto, Run::new().threads(threads)).components)
        };
        let one = on(1);
        for threads in [2, 3] {
            assert!(on(threads) == one, "{threads} threads");
        }
    }

    #[test]
    fn samples_that_do_not_fill_their_space_have_no_such_start() {
        let narrow = random_matrix::<f64>(200, 2, 1).dot(&random_matrix::<f64>(2, 4, 2));
        for samples in [Array2::zeros((10, 3)), Array2::ones((10, 3)), random_matrix(3, 5, 1), narrow] {
            assert!(components(samples).is_none());
        }
    }

    #[test]
    fn few_or_plain_samples_do_no_harm() {
        let mut with_zeros = random_matrix::<f64>(50, 4, 1);
        with_zeros.slice_mut(s![10..40, ..]).fill(0.0);
        for samples in [
            with_zeros,
            random_matrix(1, 1, 2),
            random_matrix(5, 5, 3),
            Array2::eye(3),
            Array2::ones((7, 1)) * -2.0,
        ] {
            let size = samples.ncols();
            let found = components(samples).unwrap();
            assert_eq!(found.dim(), (size, size));
            assert!(found.iter().all(|v| v.is_finite()));
        }
    }
}
