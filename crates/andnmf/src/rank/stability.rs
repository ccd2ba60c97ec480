//! Stability: do two halves of the samples give the same components?

use rand::seq::SliceRandom;

use crate::and::AndParams;
use crate::fit::{Run, Solver, Start, StopReason};
use crate::metrics::match_components;
use crate::random::{Stream, generator};
use crate::samples::{SampleSubset, Samples};
use crate::trust::UNSTABLE;
use crate::{FitError, Real, SamplesError};

/// The share of components that differ between fits to two random halves of the samples, both started from a fit to
/// all samples. `None` if a half has fewer samples than components.
pub(super) fn unstable_share<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    seed: u64,
    run: &Run<'_, T>,
) -> Result<Option<f64>, FitError> {
    let n = samples.n_samples();
    if n / 2 < rank {
        return Ok(None);
    }
    let solver = AndParams { seed, ..AndParams::new(rank) }.check()?;
    let fit = |samples: &dyn Samples<T>, start| match solver.fit(samples, start, &mut run.without_observer())
    {
        // A fit that stopped early cannot be compared.
        Err(FitError::StoppedBeforeStart) => Err(FitError::from(SamplesError::Cancelled)),
        Ok(fit) if fit.stop == StopReason::Cancelled => Err(SamplesError::Cancelled.into()),
        Ok(fit) => Ok(fit.components),
        Err(error) => Err(error),
    };
    let whole = fit(samples, Start::Auto)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut generator(seed, Stream::Subsets));
    let half = |numbers: &[usize]| {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        fit(&SampleSubset { samples, numbers }, Start::Given(whole.clone()))
    };
    let (first, second) = order.split_at(n / 2);
    let matching = match_components(half(first)?.view(), half(second)?.view())?;
    let unstable = matching.cosines.iter().filter(|&&cosine| 1.0 - cosine * cosine > UNSTABLE * UNSTABLE);
    Ok(Some(unstable.count() as f64 / rank as f64))
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
        let share = |rank| unstable_share(&samples, rank, 0, &Run::new()).unwrap().unwrap();
        assert_eq!(share(8), 0.0);
        assert!(share(10) >= 0.1, "{}", share(10));
    }

    #[test]
    fn halves_smaller_than_the_rank_give_no_score() {
        let samples = DenseSamples::new(random_matrix::<f64>(9, 5, 1)).unwrap();
        assert_eq!(unstable_share(&samples, 5, 0, &Run::new()).unwrap(), None);
        assert!(unstable_share(&samples, 4, 0, &Run::new()).unwrap().is_some());
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
