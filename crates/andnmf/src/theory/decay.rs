//! The paper's decay condition: non-zero weights are rarely small.

/// A threshold is used only if at least this many active weights are at or below it.
const MIN_BELOW: usize = 10;

/// With fewer active weights than this, the decay of a component is not estimated.
const MIN_ACTIVE: usize = 20;

/// Thresholds above this quantile are not used: near the largest weight both sides of the condition tend to 1, and the
/// few values above would decide.
const HIGHEST_QUANTILE: f64 = 0.9;

/// A frequency must exceed the bound by this many standard deviations to count.
const DEVIATIONS: f64 = 2.0;

/// The largest q for which the active weights of one component satisfy Pr[x ≤ a | x ≠ 0] ≤ a^q (the paper's order-q
/// decay condition); infinite if all are equal, `None` if there are too few.
///
/// `active` has the non-zero weights, which are scaled by the largest of them. Each threshold a limits q to
/// ln F / ln a, where F is the observed share of active weights up to a minus its sampling error. Without subtracting
/// that error, the estimate, a minimum over thresholds, would fall with the number of thresholds.
pub(super) fn decay_order(mut active: Vec<f64>) -> Option<f64> {
    let count = active.len();
    if count < MIN_ACTIVE {
        return None;
    }
    active.sort_unstable_by(f64::total_cmp);
    let largest = active[count - 1];
    let last_used = (HIGHEST_QUANTILE * count as f64) as usize;

    let mut order = f64::INFINITY;
    let mut below = 0;
    for group in active.chunk_by(|a, b| a == b) {
        let threshold = group[0] / largest;
        if threshold >= 1.0 || below >= last_used {
            break;
        }
        below += group.len();
        if below >= MIN_BELOW {
            let share = below as f64 / count as f64;
            let certain = share - DEVIATIONS * (share * (1.0 - share) / count as f64).sqrt();
            order = order.min(certain.ln() / threshold.ln());
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Weights with Pr[x ≤ a] = a^q exactly.
    fn power_law(q: f64, count: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| rng.random_range(0.0..1.0_f64).powf(1.0 / q)).filter(|&v| v > 0.0).collect()
    }

    #[test]
    fn the_order_of_a_power_law_is_found_within_a_tenth() {
        for q in [0.5, 1.0, 2.0, 5.0] {
            for seed in 0..20 {
                let order = decay_order(power_law(q, 10_000, seed)).unwrap();
                assert!((order / q - 1.0).abs() < 0.1, "{order} instead of {q}");
            }
        }
    }

    #[test]
    fn scale_does_not_matter() {
        let values = power_law(2.0, 1000, 1);
        let scaled = values.iter().map(|v| v * 1024.0).collect();
        assert_eq!(decay_order(values), decay_order(scaled));
    }

    #[test]
    fn equal_weights_have_infinite_order() {
        assert_eq!(decay_order(vec![0.3; 50]), Some(f64::INFINITY));
    }

    #[test]
    fn nine_small_values_do_not_decide() {
        let mut values = power_law(3.0, 5000, 2);
        let before = decay_order(values.clone()).unwrap();
        values[..9].fill(1e-300); // one more would lower the order to 0.01
        let after = decay_order(values).unwrap();
        assert!((after / before - 1.0).abs() < 0.25, "{before} became {after}");
    }

    #[test]
    fn two_levels_by_hand() {
        // 900 weights of 1/2 beside 100 of 1: at a = 1/2 the share is 0.9, less twice √(0.09/1000).
        let mut values = vec![0.5; 900];
        values.extend(vec![1.0; 100]);
        let expected = (0.9 - 2.0 * (0.09_f64 / 1000.0).sqrt()).ln() / 0.5_f64.ln();
        assert!((decay_order(values).unwrap() - expected).abs() < 1e-14);
    }

    #[test]
    fn weights_that_are_always_on_at_a_small_level_have_almost_no_decay() {
        // The paper's own impossible example: weights of 1/D and 1.
        let mut values = vec![0.01; 970];
        values.extend(vec![1.0; 30]);
        assert!(decay_order(values).unwrap() < 0.02);
    }

    #[test]
    fn nineteen_weights_are_too_few() {
        assert_eq!(decay_order(vec![0.5; 19]), None);
        assert_eq!(decay_order(Vec::new()), None);
        assert!(decay_order(vec![0.5; 20]).is_some());
    }

    #[test]
    fn weights_too_far_apart_for_a_ratio_have_order_zero() {
        let mut values = vec![1e-320; 30];
        values.extend(vec![1e300; 30]);
        assert_eq!(decay_order(values), Some(0.0));
    }
}
