//! Other answers that fit as well: how far each component can move towards another, or away from it.
//!
//! Samples stay what they are if component i becomes Aᵢ + t·Aⱼ and the weight of j becomes wⱼ − t·wᵢ. With t > 0 (*towards*
//! j) the weights of j must stay non-negative: a sample with i and without j forbids it. With t < 0 (*away from* j) the
//! component must: a feature of j that i has not forbids it. Where none does, weights decide, as far as they can: if many
//! weights of j lie near zero where i is on, a step away from j would leave a gap there, which chance does not explain.
//! (Lawton & Sylvestre, 1971, for two components without noise.)

use ndarray::{Array2, ArrayView1};

use super::super::quantile;
use crate::constants::ErrorConstants;

/// The sines by which components could move: entry (i, j) is that of i along j.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Feasible {
    pub(super) towards: Array2<f64>,
    pub(super) away: Array2<f64>,
    /// How far i must move, since many weights of j are negative where i is on: i contains part of j.
    pub(super) forced: Array2<f64>,
}

impl Feasible {
    /// From decoded weights (samples × rank, of any sign), the noise of a weight of each component, and the components
    /// (rank × features).
    pub(super) fn new(
        weights: &Array2<f64>,
        deviations: &[f64],
        components: &Array2<f64>,
        constants: &ErrorConstants,
    ) -> Self {
        let rank = components.nrows();
        let [mut towards, mut away, mut forced] = [(); 3].map(|()| Array2::zeros((rank, rank)));
        for i in 0..rank {
            let largest = weights.column(i).iter().copied().fold(0.0, f64::max);
            let least = (constants.on * largest).max(constants.above_noise * deviations[i]);
            let on: Vec<usize> = (0..weights.nrows()).filter(|&t| weights[[t, i]] > least).collect();
            for j in (0..rank).filter(|j| *j != i) {
                let ratios = || on.iter().map(|&t| weights[[t, j]] / weights[[t, i]]);
                let gap = quantile(ratios(), constants.below).max(0.0);
                let near = quantile(ratios(), constants.near_zero).max(0.0);
                let held = held_by_features(components.row(i), components.row(j), constants);
                towards[[i, j]] = moved(components.row(i), components.row(j), gap);
                away[[i, j]] = moved(components.row(i), components.row(j), -near.min(held));
                // Noise alone makes weights of zero negative.
                let noise = constants.above_noise * deviations[j];
                let lifted = on.iter().map(|&t| (weights[[t, j]] + noise) / weights[[t, i]]);
                let missing = quantile(lifted, constants.missing).min(0.0);
                forced[[i, j]] = moved(components.row(i), components.row(j), missing);
            }
        }
        Self { towards, away, forced }
    }

    /// The root of the sum of squares over all others, of each component.
    pub(super) fn total(moves: &Array2<f64>) -> Vec<f64> {
        moves.outer_iter().map(|row| row.iter().map(|v| v * v).sum::<f64>().sqrt().min(1.0)).collect()
    }
}

/// How much of `other` can be taken from a component until its features are negative.
fn held_by_features(
    component: ArrayView1<'_, f64>,
    other: ArrayView1<'_, f64>,
    constants: &ErrorConstants,
) -> f64 {
    let largest = other.iter().copied().fold(0.0, f64::max);
    let strong = component.iter().zip(other).filter(|(_, v)| **v > constants.on * largest);
    quantile(strong.map(|(own, v)| own / v), constants.below).max(0.0)
}

/// The sine between a component and itself plus this much of another.
fn moved(component: ArrayView1<'_, f64>, other: ArrayView1<'_, f64>, by: f64) -> f64 {
    let own = component.dot(&component);
    if own <= 0.0 {
        return 1.0;
    }
    let along = component.dot(&other) / own;
    let across = (other.dot(&other) - along * along * own).max(0.0).sqrt() * by.abs();
    let length = across.hypot((1.0 + by * along) * own.sqrt());
    if length > 0.0 { across / length } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn feasible(weights: &Array2<f64>, components: &Array2<f64>) -> Feasible {
        Feasible::new(weights, &[0.0, 0.0], components, &ErrorConstants::default())
    }

    #[test]
    fn a_sample_without_the_other_and_a_feature_of_the_other_alone_hold_a_component() {
        let components = array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        // Each component alone in half of the samples: nothing can move.
        let alone = Array2::from_shape_fn((100, 2), |(t, k)| f64::from(t % 2 == k));
        let held = feasible(&alone, &components);
        assert_eq!((held.towards.sum(), held.away.sum()), (0.0, 0.0));
        // The second always comes with half of the first or more: it may contain half of it.
        let company = Array2::from_shape_fn((100, 2), |(t, k)| match (t % 2, k) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            (_, 0) => 0.5,
            _ => 1.0,
        });
        let free = feasible(&company, &components);
        let moved = array![0.5, 1.0, 1.5];
        let cosine = moved.dot(&components.row(1)) / (moved.dot(&moved) * 2.0).sqrt();
        assert!((free.towards[[1, 0]] - (1.0 - cosine * cosine).sqrt()).abs() < 1e-12);
        // Of two features, the one that the first has not counts all but two percent.
        assert!(free.towards[[0, 1]] == 0.0 && free.away.sum() < 0.02, "{free:?}");
    }

    #[test]
    fn negative_weights_of_another_component_force_one_that_contains_it() {
        // The second contains half of the first: where samples have the second alone, the first is missing.
        let components = array![[1.0, 0.0, 1.0], [0.5, 1.0, 1.5]];
        let weights = Array2::from_shape_fn((100, 2), |(t, k)| match (t % 10, k) {
            (0, 0) => -0.5,
            (_, 0) => 0.4,
            _ => 1.0,
        });
        let found = feasible(&weights, &components);
        let truth = array![0.0, 1.0, 1.0];
        let cosine = truth.dot(&components.row(1)) / (truth.dot(&truth) * 3.5).sqrt();
        assert!((found.forced[[1, 0]] - (1.0 - cosine * cosine).sqrt()).abs() < 1e-12, "{found:?}");
        assert_eq!(found.forced[[0, 1]], 0.0);
        // Noise explains as much.
        let noisy = Feasible::new(&weights, &[0.2, 0.2], &components, &ErrorConstants::default());
        assert_eq!(noisy.forced.sum(), 0.0);
    }

    #[test]
    fn weights_far_from_zero_and_features_in_common_leave_room_on_both_sides() {
        let components = array![[1.0, 0.5, 0.5], [0.5, 0.5, 1.0]];
        let weights = Array2::from_shape_fn((100, 2), |(t, k)| {
            let share = 0.3 + 0.4 * t as f64 / 99.0;
            if k == 0 { share } else { 1.0 - share }
        });
        let free = feasible(&weights, &components);
        assert!(free.towards[[0, 1]] > 0.1 && free.away[[0, 1]] > 0.1, "{free:?}");
        // Weights that are often zero fill the place into which components would move.
        let sparse = Array2::from_shape_fn((100, 2), |(t, k)| if t % 4 == k { 0.0 } else { 1.0 });
        let held = feasible(&sparse, &components);
        assert_eq!((held.towards.sum(), held.away.sum()), (0.0, 0.0));
    }
}
