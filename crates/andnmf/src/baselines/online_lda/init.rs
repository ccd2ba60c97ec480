//! Initialization of λ, the variational parameters of the topics.

use ndarray::Array2;
use rand_distr::{Distribution, Gamma};

use crate::random::{Stream, generator};
use crate::samples::Samples;
use crate::samples::fold::{FoldPlan, fold};
use crate::{FitError, Real, SamplesError};

/// The usual random initialization: gamma-distributed λ with mean 1 and standard deviation 0.1.
pub(super) fn random_topics<T: Real>(rank: usize, features: usize, seed: u64) -> Array2<T> {
    let gamma = Gamma::new(100.0, 0.01).expect("both parameters are positive");
    let mut rng = generator(seed, Stream::Start);
    Array2::from_shape_simple_fn((rank, features), || T::from_f64(gamma.sample(&mut rng)))
}

/// λ for given components: as if all words had been observed, divided evenly among topics with these distributions.
///
/// Negative values count as zero; a component without positive values becomes a topic at its prior.
pub(super) fn given_topics<T: Real>(
    components: Array2<T>,
    eta: f64,
    words: f64,
) -> Result<Array2<T>, FitError> {
    let each = words / components.nrows() as f64;
    let mut lambda = components;
    for mut row in lambda.outer_iter_mut() {
        // Relative to the largest value, to avoid overflow of the sum.
        let top = row.iter().fold(0.0_f64, |top, v| top.max(v.as_f64()));
        let share = |v: &T| if top > 0.0 { v.as_f64().max(0.0) / top } else { 0.0 };
        let sum: f64 = row.iter().map(share).sum();
        let factor = if sum > 0.0 { each / sum } else { 0.0 };
        row.mapv_inplace(|v| T::from_f64(eta + share(&v) * factor));
    }
    if lambda.iter().all(|v| v.finite()) { Ok(lambda) } else { Err(FitError::Overflow { stage: 0 }) }
}

/// The sum of all values; an error if one is negative.
pub(super) fn total_words<T: Real>(samples: &dyn Samples<T>) -> Result<f64, SamplesError> {
    fold(
        samples,
        &FoldPlan::new(samples, 1),
        &|| 0.0,
        &|sum: &mut f64, first, block| {
            let mut wrong = None;
            block.for_each(|i, column, v| {
                let value = v.as_f64();
                if value < 0.0 && wrong.is_none() {
                    wrong =
                        Some(SamplesError::Negative { row: first + i, column, value, required_by: "LDA" });
                }
                *sum += value;
            });
            wrong.map_or(Ok(()), Err)
        },
        &|left, right| *left += right,
    )
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn given_components_become_topics_with_all_words_divided_evenly() {
        let given = array![[2.0, -5.0, 6.0], [0.0, -1.0, 0.0]];
        let lambda = given_topics(given, 0.5, 40.0).unwrap();
        assert_eq!(lambda, array![[5.5, 0.5, 15.5], [0.5, 0.5, 0.5]]);
        // Values near the largest number do not overflow.
        let huge = given_topics(array![[1e308, 1e308]], 0.5, 40.0).unwrap();
        assert_eq!(huge, array![[20.5, 20.5]]);
    }

    #[test]
    fn random_topics_are_near_one_and_change_with_the_seed() {
        let first = random_topics::<f64>(5, 200, 1);
        assert!(first.iter().all(|v| (0.5..1.7).contains(v)));
        assert!((first.mean().unwrap() - 1.0).abs() < 0.02);
        assert_ne!(first, random_topics::<f64>(5, 200, 2));
    }
}
