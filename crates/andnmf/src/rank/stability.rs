//! Stability: do two halves of the samples, or of counts, give the same components?

use ndarray::Array2;
use rand::seq::SliceRandom;

use super::RankSettings;
use crate::and::{And, AndParams, Checks};
use crate::constants::{Constants, CountConstants, CountFinish};
use crate::counts::Noise;
use crate::counts::model::{Model, filled, likelihood_steps};
use crate::counts::rows::thinned;
use crate::fit::{Run, Solver, StageInterrupt, Start, StopMonitor, StopReason};
use crate::metrics::match_components;
use crate::random::{Stream, generator};
use crate::samples::{CsrSamples, SampleSubset, Samples, read};
use crate::trust::UNSTABLE;
use crate::{FitError, Real, SamplesError};

/// The share of components that differ between fits to two random halves of the samples, both started from a fit to
/// all samples. `None` if a half has fewer samples than components.
pub(super) fn unstable_share<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    settings: &RankSettings,
    run: &Run<'_, T>,
) -> Result<Option<f64>, FitError> {
    let n = samples.n_samples();
    if n / 2 < rank {
        return Ok(None);
    }
    let RankSettings { seed, noise, .. } = *settings;
    let solver = AndParams { seed, noise, trust: Checks::Off, ..AndParams::new(rank) }.check()?;
    let whole = components_of(&solver, samples, Start::Auto, run)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut generator(seed, Stream::Subsets));
    let half = |numbers: &[usize]| {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        components_of(&solver, &SampleSubset { samples, numbers }, Start::Given(whole.clone()), run)
    };
    let (first, second) = order.split_at(n / 2);
    share_that_differs(&half(first)?, &half(second)?).map(Some)
}

/// The share of components that differ between two random halves of the counts, each fitted on by steps of likelihood from
/// a fit to all counts. Rows are as likely in both halves, so that rare components are not lost by chance.
pub(super) fn unstable_share_of_counts<T: Real>(
    counts: &CsrSamples<'static, f32>,
    rank: usize,
    seed: u64,
    run: &Run<'_, T>,
) -> Result<Option<f64>, FitError> {
    if counts.n_samples() / 2 < rank {
        return Ok(None);
    }
    let mut constants = Constants::default();
    constants.counts.finish = CountFinish::Likelihood;
    let CountConstants { filled: little, likelihood_steps: steps, tolerance, .. } = constants.counts;
    let params = AndParams { seed, noise: Noise::Poisson, trust: Checks::Off, ..AndParams::new(rank) };
    let run = run.without_observer::<f32>();
    let whole = components_of(&params.check()?.with_constants(constants), counts, Start::Auto, &run)?;
    let mut means = vec![0.0; counts.n_features()];
    read(counts, 0..counts.n_samples())?.for_each(|_, feature, v| means[feature] += f64::from(v));
    let components = filled(&whole.mapv(f64::from), &means, little);
    let monitor = StopMonitor::new(&run, None, 0.0);
    let (one, other) = thinned(counts, 0.5, seed)?;
    let halves = run.workers()?.run(|| {
        let half = |half: &CsrSamples<'static, f32>| {
            let shares = Array2::zeros((half.n_samples(), rank));
            let model = Model { components: components.clone(), shares, prior: Vec::new(), smoothed: false };
            likelihood_steps(half, model, steps, tolerance, &monitor).map(|(model, _)| model.components)
        };
        Ok::<_, StageInterrupt>((half(&one)?, half(&other)?))
    });
    let (one, other) = halves.map_err(|halt| match halt {
        StageInterrupt::Stop(_) => SamplesError::Cancelled.into(),
        StageInterrupt::Error(error) => error,
    })?;
    share_that_differs(&one, &other).map(Some)
}

/// The components of a fit that was not stopped: one that was cannot be compared.
fn components_of<T: Real>(
    solver: &And,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &Run<'_, T>,
) -> Result<Array2<T>, FitError> {
    match solver.fit(samples, start, &mut run.without_observer()) {
        Err(FitError::StoppedBeforeStart) => Err(SamplesError::Cancelled.into()),
        Ok(fit) if fit.stop == StopReason::Cancelled => Err(SamplesError::Cancelled.into()),
        Ok(fit) => Ok(fit.components),
        Err(error) => Err(error),
    }
}

/// The share of the components of one fit that differ from those of another.
fn share_that_differs<T: Real>(one: &Array2<T>, other: &Array2<T>) -> Result<f64, FitError> {
    let matching = match_components(one.view(), other.view())?;
    let unstable = matching.cosines.iter().filter(|&&cosine| 1.0 - cosine * cosine > UNSTABLE * UNSTABLE);
    Ok(unstable.count() as f64 / one.nrows() as f64)
}

/// At most `max_count` ranks, evenly spaced from `lowest` to `highest` (both included), and `required` among them.
pub(super) fn spread_ranks(
    lowest: usize,
    highest: usize,
    max_count: usize,
    required: Option<usize>,
) -> Vec<usize> {
    let count = highest - lowest + 1;
    if count <= max_count {
        return (lowest..=highest).collect();
    }
    let mut ranks: Vec<usize> = (0..max_count).map(|i| lowest + i * (count - 1) / (max_count - 1)).collect();
    if let Some(required) = required.filter(|required| (lowest..=highest).contains(required)) {
        // It replaces its nearest neighbour, but neither end.
        if let Some(nearest) = ranks[1..max_count - 1].iter_mut().min_by_key(|rank| rank.abs_diff(required))
            && required != lowest
            && required != highest
        {
            *nearest = required;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::synth::{DatasetKind, DatasetSpec, Weights};
    use crate::testing::random_matrix;

    #[test]
    fn components_are_stable_at_the_true_rank_and_surplus_ones_are_not() {
        let weights = Weights::Paired { sparsity: 1.5, co_occurrence: 0.5, decay_order: None };
        let sizes =
            DatasetSpec { n_features: 100, rank: 8, n_samples: 800, ..DatasetSpec::new(DatasetKind::Paired) };
        let data = DatasetSpec { weights, noise: 0.001, ..sizes }.generate().unwrap();
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        let share =
            |rank| unstable_share(&samples, rank, &RankSettings::default(), &Run::new()).unwrap().unwrap();
        assert_eq!(share(8), 0.0);
        assert!(share(10) >= 0.1, "{}", share(10));
    }

    #[test]
    fn halves_smaller_than_the_rank_give_no_score() {
        let samples = DenseSamples::new(random_matrix::<f64>(9, 5, 1)).unwrap();
        assert_eq!(unstable_share(&samples, 5, &RankSettings::default(), &Run::new()).unwrap(), None);
        assert!(unstable_share(&samples, 4, &RankSettings::default(), &Run::new()).unwrap().is_some());
    }

    #[test]
    fn ranks_are_spread_over_the_range_and_include_the_required_one() {
        assert_eq!(spread_ranks(3, 6, 9, Some(4)), [3, 4, 5, 6]);
        assert_eq!(spread_ranks(1, 81, 9, None), [1, 11, 21, 31, 41, 51, 61, 71, 81]);
        assert_eq!(spread_ranks(1, 81, 9, Some(37)), [1, 11, 21, 31, 37, 51, 61, 71, 81]);
        assert_eq!(spread_ranks(1, 81, 9, Some(80)), [1, 11, 21, 31, 41, 51, 61, 80, 81]);
        assert_eq!(spread_ranks(1, 81, 9, Some(81)), spread_ranks(1, 81, 9, None));
        assert_eq!(spread_ranks(1, 81, 9, Some(90)), spread_ranks(1, 81, 9, None));
    }
}
