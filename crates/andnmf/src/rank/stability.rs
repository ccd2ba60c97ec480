//! Whether two halves of the samples tell of the same components.

use rand::seq::SliceRandom;

use crate::and::AndParams;
use crate::fit::{Run, Solver, Start, StopReason};
use crate::metrics::match_components;
use crate::random::{Stream, generator};
use crate::samples::{SampleSubset, Samples};
use crate::trust::UNSTABLE;
use crate::{FitError, Real, SamplesError};

/// The share of components that come out differently on two random halves of the samples, both fitted from what
/// all samples gave. Nothing where a half would have fewer samples than components.
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
        // Without a start there is no fit, and here a fit cut short is no better.
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

/// At most `most` of the ranks from `lowest` to `highest`, spread evenly, both ends among them, and `wanted` too.
pub(super) fn spread(lowest: usize, highest: usize, most: usize, wanted: Option<usize>) -> Vec<usize> {
    let count = highest - lowest + 1;
    if count <= most {
        return (lowest..=highest).collect();
    }
    let mut ranks: Vec<usize> = (0..most).map(|i| lowest + i * (count - 1) / (most - 1)).collect();
    if let Some(wanted) = wanted.filter(|wanted| (lowest..=highest).contains(wanted)) {
        // It takes the place of its nearest neighbour, but of neither end.
        if let Some(nearest) = ranks[1..most - 1].iter_mut().min_by_key(|rank| rank.abs_diff(wanted))
            && wanted != lowest
            && wanted != highest
        {
            *nearest = wanted;
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
    fn halves_smaller_than_the_rank_say_nothing() {
        let samples = DenseSamples::new(random_matrix::<f64>(9, 5, 1)).unwrap();
        assert_eq!(unstable_share(&samples, 5, 0, &Run::new()).unwrap(), None);
        assert!(unstable_share(&samples, 4, 0, &Run::new()).unwrap().is_some());
    }

    #[test]
    fn ranks_are_spread_over_the_range_with_the_one_wanted_among_them() {
        assert_eq!(spread(3, 6, 9, Some(4)), [3, 4, 5, 6]);
        assert_eq!(spread(1, 81, 9, None), [1, 11, 21, 31, 41, 51, 61, 71, 81]);
        assert_eq!(spread(1, 81, 9, Some(37)), [1, 11, 21, 31, 37, 51, 61, 71, 81]);
        assert_eq!(spread(1, 81, 9, Some(80)), [1, 11, 21, 31, 41, 51, 61, 80, 81]);
        assert_eq!(spread(1, 81, 9, Some(81)), spread(1, 81, 9, None));
        assert_eq!(spread(1, 81, 9, Some(90)), spread(1, 81, 9, None));
    }
}
