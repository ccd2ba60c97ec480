//! Weights drawn by their support: first which components are on, then how strongly.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::simplex::positive_uniform;

/// Fills each (zero) row with exactly `sparsity` ones.
pub(super) fn sparse_binary(weights: &mut Array2<f64>, sparsity: usize, rng: &mut ChaCha8Rng) {
    let rank = weights.ncols();
    let mut components: Vec<usize> = (0..rank).collect();
    for mut row in weights.rows_mut() {
        // The first steps of a shuffle, which is uniform for any initial order.
        for position in 0..sparsity {
            components.swap(position, rng.random_range(position..rank));
            row[components[position]] = 1.0;
        }
    }
}

/// Switches each weight on with probability `on`, independently.
pub(super) fn independent(weights: &mut Array2<f64>, on: f64, order: Option<f64>, rng: &mut ChaCha8Rng) {
    for weight in weights.iter_mut() {
        if happens(on, rng) {
            *weight = magnitude(order, rng);
        }
    }
}

/// Switches the weights (2i, 2i + 1) on in pairs, each weight with probability `on`.
pub(super) fn paired(
    weights: &mut Array2<f64>,
    on: f64,
    co_occurrence: f64,
    order: Option<f64>,
    rng: &mut ChaCha8Rng,
) {
    let pair_on = pair_probability(on, co_occurrence);
    for mut row in weights.rows_mut() {
        for mut pair in row.axis_chunks_iter_mut(ndarray::Axis(0), 2) {
            if pair.len() < 2 {
                if happens(on, rng) {
                    pair[0] = magnitude(order, rng);
                }
            } else if happens(pair_on, rng) {
                if happens(co_occurrence, rng) {
                    pair[0] = magnitude(order, rng);
                    pair[1] = magnitude(order, rng);
                } else {
                    pair[usize::from(happens(0.5, rng))] = magnitude(order, rng);
                }
            }
        }
    }
}

/// The probability that a pair is on such that each of its components is on with probability `on`: given that the pair
/// is on, a component is on with probability co_occurrence + (1 − co_occurrence)/2.
pub(super) fn pair_probability(on: f64, co_occurrence: f64) -> f64 {
    2.0 * on / (1.0 + co_occurrence)
}

fn happens(probability: f64, rng: &mut ChaCha8Rng) -> bool {
    rng.random::<f64>() < probability
}

/// A random weight with Pr[x ≤ a] = a^order (U^(1/order) for uniform U); 1 without an order.
fn magnitude(order: Option<f64>, rng: &mut ChaCha8Rng) -> f64 {
    order.map_or(1.0, |order| positive_uniform(rng).powf(1.0 / order))
}

#[cfg(test)]
mod tests {
    use super::super::Weights;

    /// Asserts that a count out of `trials` agrees with the probability within four standard errors.
    #[track_caller]
    fn assert_frequency(count: usize, trials: usize, probability: f64, what: &str) {
        let frequency = count as f64 / trials as f64;
        let error = (probability * (1.0 - probability) / trials as f64).sqrt();
        assert!((frequency - probability).abs() <= 4.0 * error, "{what}: {frequency} for {probability}");
    }

    #[test]
    fn sparse_binary_rows_have_the_given_number_of_ones() {
        for (rank, sparsity) in [(1, 1), (7, 1), (7, 6), (7, 7), (100, 5)] {
            let weights = Weights::SparseBinary { sparsity }.draw(300, rank, 1).unwrap();
            for row in weights.rows() {
                assert_eq!(row.iter().filter(|&&x| x == 1.0).count(), sparsity);
                assert_eq!(row.iter().filter(|&&x| x == 0.0).count(), rank - sparsity);
            }
        }
    }

    #[test]
    fn all_supports_of_a_size_are_equally_likely() {
        let weights = Weights::SparseBinary { sparsity: 2 }.draw(12_000, 4, 2).unwrap();
        let mut counts = [0; 16];
        for row in weights.rows() {
            counts[row.iter().enumerate().map(|(i, &x)| (x as usize) << i).sum::<usize>()] += 1;
        }
        for support in [0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100] {
            assert_frequency(counts[support], 12_000, 1.0 / 6.0, "support");
        }
    }

    #[test]
    fn non_zero_weights_follow_the_decay_law() {
        for order in [0.5, 1.0, 2.0, 6.0] {
            let weights = Weights::Decay { sparsity: 4.0, order }.draw(5000, 10, 3).unwrap();
            let on: Vec<f64> = weights.iter().copied().filter(|&x| x != 0.0).collect();
            assert_frequency(on.len(), 50_000, 0.4, "on");
            for quantile in [0.02, 0.1, 0.5, 0.9] {
                let at: f64 = f64::powf(quantile, 1.0 / order);
                let below = on.iter().filter(|&&x| x <= at).count();
                assert_frequency(below, on.len(), quantile, &format!("order {order} at {at}"));
            }
        }
    }

    #[test]
    fn both_components_of_a_pair_are_on_with_the_given_probability() {
        for (rank, co_occurrence) in [(10, 0.8), (10, 0.0), (11, 0.3), (2, 1.0), (1, 0.5)] {
            let on = 0.3;
            let sparsity = on * rank as f64;
            let kind = Weights::Paired { sparsity, co_occurrence, decay_order: None };
            let weights = kind.draw(6000, rank, 4).unwrap();
            let (mut some, mut both) = (0, 0);
            for row in weights.rows() {
                for pair in 0..rank / 2 {
                    let active = row[2 * pair] + row[2 * pair + 1];
                    some += usize::from(active > 0.0);
                    both += usize::from(active > 1.0);
                }
            }
            if rank > 1 {
                assert_frequency(both, some, co_occurrence, "both");
                assert_frequency(some, 6000 * (rank / 2), 2.0 * on / (1.0 + co_occurrence), "pair");
            }
            for column in weights.columns() {
                assert_frequency(column.sum() as usize, 6000, on, "component");
            }
        }
    }

    #[test]
    fn magnitudes_within_a_pair_are_independent() {
        let kind = Weights::Paired { sparsity: 2.0, co_occurrence: 1.0, decay_order: Some(1.0) };
        let weights = kind.draw(20_000, 2, 5).unwrap();
        let centred = weights - 0.5;
        let covariance = centred.column(0).dot(&centred.column(1)) / 20_000.0;
        // Uniform variables: variance 1/12 each, so the product has standard deviation 1/12.
        assert!(covariance.abs() < 4.0 / 12.0 / 20_000_f64.sqrt(), "{covariance}");
    }
}
