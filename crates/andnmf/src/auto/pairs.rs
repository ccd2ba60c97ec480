//! Undoing what heavy tails make of components that nearly always occur together.
//!
//! Let a and b be the weights of such a pair. In samples that are made equally strong in all directions a + b and
//! a − b are directions of their own, and a − b has the heavier tails: it is nearly always zero, large and positive in
//! the few samples where a is on alone, large and negative in those with b alone. No weight has two such sides, so a
//! row that does is a difference. The samples of its two sides show the two components, once the row that is the sum
//! of the pair is known: the one that is on at both sides.

use ndarray::Array2;
use rayon::prelude::*;

use super::shares::quantile;
use crate::Real;
use crate::constants::StartConstants;
use crate::fit::StageInterrupt;
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::metrics::min_cost_assignment;

/// Components (rows) from a decoder with independent rows and its values (rows × samples), in which some rows may be
/// differences of paired components. `None` where the decoder cannot be inverted.
pub(super) fn unfold<T: Real>(
    decoder: Array2<f64>,
    values: Array2<T>,
    constants: &StartConstants,
    check: &impl Fn() -> Result<(), StageInterrupt>,
) -> Result<Option<Array2<f64>>, StageInterrupt> {
    let mut rows = DecoderRows::new(decoder, values, *constants);
    if !rows.sums.is_empty() {
        for _ in 0..constants.pair_sweeps {
            let usual = rows.usual_strengths();
            for difference in rows.differences.clone() {
                check()?;
                rows.clean(difference, &usual);
            }
        }
    }
    let Some(inverse) = pseudo_inverse_of_rows(rows.decoder.view()) else { return Ok(None) };
    if inverse.rank < rows.decoder.nrows() {
        return Ok(None);
    }
    let mut components = inverse.matrix.clone();
    for (difference, sum) in rows.pairs() {
        let Some(sides) = rows.sides(difference) else { continue };
        for (row, side) in [(difference, &sides.positive), (sum, &sides.negative)] {
            // The mean sample of that side, in the plane of the two.
            let (with, along) = (rows.median(sum, side).max(0.0), rows.median(difference, side));
            let seen = &inverse.matrix.row(sum) * with + &inverse.matrix.row(difference) * along;
            components.row_mut(row).assign(&seen);
        }
    }
    Ok(Some(components))
}

/// DecoderRows of a decoder, with the values they give.
struct DecoderRows<T> {
    decoder: Array2<f64>,
    /// DecoderRows × samples.
    values: Array2<T>,
    /// The rows with two sides, heaviest tails first…
    differences: Vec<usize>,
    /// …and the others, among which are the sums of the pairs.
    sums: Vec<usize>,
    constants: StartConstants,
}

/// The samples in which a row is large, by their numbers.
struct Sides {
    positive: Vec<usize>,
    negative: Vec<usize>,
}

impl Sides {
    fn both(&self) -> Vec<usize> {
        self.positive.iter().chain(&self.negative).copied().collect()
    }
}

impl<T: Real> DecoderRows<T> {
    /// Flips rows so that their heavier side is positive, and separates those with two sides.
    fn new(mut decoder: Array2<f64>, mut values: Array2<T>, constants: StartConstants) -> Self {
        let rows: Vec<_> = values.outer_iter_mut().zip(decoder.outer_iter_mut()).collect();
        let tails: Vec<(f64, f64)> = rows
            .into_par_iter()
            .map(|(mut values, mut decoder)| {
                let fourth_powers =
                    |sign: f64| -> f64 { values.iter().map(|v| (sign * v.as_f64()).max(0.0).powi(4)).sum() };
                let (positive, negative) = (fourth_powers(1.0), fourth_powers(-1.0));
                if negative > positive {
                    values.mapv_inplace(|v| -v);
                    decoder.mapv_inplace(|v| -v);
                }
                (positive.max(negative), positive.min(negative))
            })
            .collect();
        let two_sided = |&k: &usize| tails[k].1 > constants.two_sided * tails[k].0;
        let (mut differences, sums): (Vec<usize>, Vec<usize>) = (0..tails.len()).partition(two_sided);
        let weight = |k: usize| tails[k].0 + tails[k].1;
        differences.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        Self { decoder, values, differences, sums, constants }
    }

    /// The two sides of a row; `None` where it has no more than one.
    fn sides(&self, row: usize) -> Option<Sides> {
        let values = self.values.row(row);
        let side = |sign: f64| {
            let largest = values.iter().fold(0.0, |top: f64, v| top.max(sign * v.as_f64()));
            let strong = |(t, v): (usize, &T)| {
                (sign * v.as_f64() >= self.constants.strong_side * largest).then_some(t)
            };
            (largest > 0.0).then(|| values.iter().enumerate().filter_map(strong).collect())
        };
        Some(Sides { positive: side(1.0)?, negative: side(-1.0)? })
    }

    fn value(&self, row: usize, sample: usize) -> f64 {
        self.values[[row, sample]].as_f64()
    }

    fn median(&self, row: usize, samples: &[usize]) -> f64 {
        quantile(samples.iter().map(|&t| self.value(row, t)), 0.5)
    }

    /// The median of one row over another, in some samples.
    fn ratio(&self, row: usize, to: usize, samples: &[usize]) -> f64 {
        quantile(samples.iter().map(|&t| self.value(row, t) / self.value(to, t)), 0.5)
    }

    /// The mean of the strong values of each of the possible sums.
    fn usual_strengths(&self) -> Vec<f64> {
        let usual = |&row: &usize| {
            let values = self.values.row(row);
            let largest = values.iter().fold(0.0, |top: f64, v| top.max(v.as_f64()));
            let strong =
                || values.iter().map(|v| v.as_f64()).filter(|&v| v >= self.constants.strong_side * largest);
            if largest > 0.0 { strong().sum::<f64>() / strong().count() as f64 } else { f64::INFINITY }
        };
        self.sums.par_iter().map(usual).collect()
    }

    /// A score for each possible sum: its strength at both sides of a difference, relative to its usual one.
    fn presence(&self, sides: &Sides, usual: &[f64]) -> Vec<f64> {
        let both = sides.both();
        let score = |(&row, usual): (&usize, &f64)| {
            let low = quantile(both.iter().map(|&t| self.value(row, t)), 0.25);
            low.min(self.median(row, &sides.positive)).min(self.median(row, &sides.negative)) / usual
        };
        self.sums.par_iter().zip(usual).map(score).collect()
    }

    /// The mean strength of each possible sum at the two sides of a difference, without the part that has opposite signs
    /// there.
    fn evenness(&self, difference: usize, sides: &Sides, usual: &[f64]) -> Vec<f64> {
        let apart = self.median(difference, &sides.positive) - self.median(difference, &sides.negative);
        let score = |(&row, usual): (&usize, &f64)| {
            let up = self.ratio(row, difference, &sides.positive);
            let down = self.ratio(row, difference, &sides.negative);
            (up - down) * 0.5 * apart / usual
        };
        self.sums.par_iter().zip(usual).map(score).collect()
    }

    /// Takes out of all other rows what they have in common with a difference at its sides, where it alone matters;
    /// only the row that is most likely the sum of the same pair has a right to be on there.
    fn clean(&mut self, difference: usize, usual: &[f64]) {
        let Some(sides) = self.sides(difference) else { return };
        let presence = self.presence(&sides, usual);
        let partner =
            (0..presence.len()).max_by(|&a, &b| presence[a].total_cmp(&presence[b]).then(b.cmp(&a)));
        let partner = partner.map(|k| self.sums[k]);
        let both = sides.both();
        let share = |row: usize| {
            if row == difference || Some(row) == partner { 0.0 } else { self.ratio(row, difference, &both) }
        };
        let shares: Vec<f64> = (0..self.decoder.nrows()).into_par_iter().map(share).collect();
        let values = self.values.row(difference).to_owned();
        let decoder = self.decoder.row(difference).to_owned();
        let rows: Vec<_> = self.values.outer_iter_mut().zip(&shares).collect();
        rows.into_par_iter().for_each(|(mut row, &share)| row.scaled_add(T::from_f64(-share), &values));
        for (mut row, &share) in self.decoder.outer_iter_mut().zip(&shares) {
            row.scaled_add(-share, &decoder);
        }
    }

    /// Differences with the sums of the same pairs.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let usual = self.usual_strengths();
        let sides: Vec<_> = self.differences.iter().map(|&row| (row, self.sides(row))).collect();
        let mut pairs = Vec::new();
        let presence = |_: usize, sides: &Sides| self.presence(sides, &usual);
        let evenness = |row: usize, sides: &Sides| self.evenness(row, sides, &usual);
        self.add_pairs(&mut pairs, &sides, self.constants.least_presence, presence);
        self.add_pairs(&mut pairs, &sides, self.constants.least_evenness, evenness);
        pairs
    }

    /// Pairs rows that have no partner yet and whose score is above `least`, such that the scores are highest in all:
    /// a difference with few samples may fit several sums by chance, of which others leave it but one.
    fn add_pairs(
        &self,
        pairs: &mut Vec<(usize, usize)>,
        sides: &[(usize, Option<Sides>)],
        least: f64,
        scores: impl Fn(usize, &Sides) -> Vec<f64>,
    ) {
        let mut costs = Array2::zeros((sides.len(), self.sums.len()));
        for ((difference, sides), mut costs) in sides.iter().zip(costs.outer_iter_mut()) {
            let Some(sides) = sides else { continue };
            for ((&sum, score), cost) in self.sums.iter().zip(scores(*difference, sides)).zip(&mut costs) {
                let free = pairs.iter().all(|&(d, s)| d != *difference && s != sum);
                if free && score > least {
                    *cost = -score.min(1.0);
                }
            }
        }
        for (i, partner) in min_cost_assignment(costs.view()).into_iter().enumerate() {
            if let Some(j) = partner
                && costs[[i, j]] < 0.0
            {
                pairs.push((sides[i].0, self.sums[j]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    fn unfolded(decoder: Array2<f64>, weights: &Array2<f64>) -> Option<Array2<f64>> {
        let values = decoder.dot(&weights.t());
        unfold(decoder, values, &StartConstants::default(), &|| Ok(())).unwrap()
    }

    /// Weights of `pairs` pairs, of which each sample has one: mostly both components, now and then one alone.
    fn paired_weights(pairs: usize) -> Array2<f64> {
        let mut weights = Array2::zeros((60 * pairs, 2 * pairs));
        for (t, mut row) in weights.outer_iter_mut().enumerate() {
            let (pair, time) = (t % pairs, t / pairs);
            row[2 * pair] = if time % 12 == 3 { 0.0 } else { 1.0 };
            row[2 * pair + 1] = if time % 12 == 7 { 0.0 } else { 1.0 };
        }
        weights
    }

    /// Sums and differences of pairs.
    fn folded(pairs: usize) -> Array2<f64> {
        Array2::from_shape_fn((2 * pairs, 2 * pairs), |(i, j)| match (i / 2 == j / 2, i % 2 * j) {
            (false, _) => 0.0,
            (true, place) => {
                if place % 2 == 1 {
                    -1.0
                } else {
                    1.0
                }
            }
        })
    }

    /// DecoderRows in the order of their largest entry, which becomes 1.
    fn sorted(rows: Array2<f64>) -> Array2<f64> {
        let mut sorted = Array2::zeros(rows.dim());
        for row in rows.outer_iter() {
            let largest = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
            sorted.row_mut(largest).assign(&(&row / row[largest]));
        }
        sorted
    }

    #[test]
    fn sums_and_differences_become_the_components_of_the_pairs() {
        let found = unfolded(folded(3), &paired_weights(3)).unwrap();
        let apart = sorted(found) - Array2::<f64>::eye(6);
        assert!(apart.iter().all(|v| v.abs() < 1e-12), "{apart}");
    }

    #[test]
    fn what_other_rows_share_with_a_difference_is_taken_out() {
        // The sum of the second pair has got 0.2 times the difference of the first.
        let mut decoder = folded(2);
        let strayed = &decoder.row(2) + &(&decoder.row(1) * 0.2);
        decoder.row_mut(2).assign(&strayed);
        let found = unfolded(decoder, &paired_weights(2)).unwrap();
        let apart = sorted(found) - Array2::<f64>::eye(4);
        assert!(apart.iter().all(|v| v.abs() < 1e-12), "{apart}");
    }

    #[test]
    fn rows_of_either_sign_with_one_side_are_left_alone() {
        let weights = Array2::from_shape_fn((30, 3), |(t, k)| if t % 3 == k { 1.0 } else { 0.0 });
        let decoder = Array2::from_diag(&Array1::from(vec![1.0, -2.0, 4.0]));
        let found = unfolded(decoder, &weights).unwrap();
        assert_eq!(found, array![[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]]);
    }

    #[test]
    fn a_difference_that_fits_two_sums_leaves_the_other_difference_its_own() {
        let rows = DecoderRows::<f64>::new(
            folded(2),
            folded(2).dot(&paired_weights(2).t()),
            StartConstants::default(),
        );
        assert_eq!((rows.differences.clone(), rows.sums.clone()), (vec![1, 3], vec![0, 2]));
        let sides: Vec<_> = rows.differences.iter().map(|&row| (row, rows.sides(row))).collect();
        let mut pairs = Vec::new();
        let scores = |row: usize, _: &Sides| if row == 1 { vec![0.99, 1.0] } else { vec![0.0, 0.97] };
        rows.add_pairs(&mut pairs, &sides, 0.4, scores);
        assert_eq!(pairs, [(1, 0), (3, 2)]);
    }

    #[test]
    fn differences_alone_or_a_decoder_without_inverse_do_no_harm() {
        // The weight of no component: both signs, equally often.
        let signs = Array2::from_shape_fn((8, 2), |(t, k)| if (t >> k) % 2 == 0 { 1.0 } else { -1.0 });
        assert_eq!(unfolded(Array2::eye(2), &signs).unwrap(), Array2::<f64>::eye(2));
        assert!(unfolded(array![[1.0, 1.0], [1.0, 1.0]], &signs).is_none());
        assert!(unfolded(Array2::zeros((2, 2)), &signs).is_none());
    }
}
