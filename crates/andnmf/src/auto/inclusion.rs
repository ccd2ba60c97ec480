//! The inclusion test: does a component always come with a share of another?
//!
//! A wrong component A_k − c·A_l can have non-negative decoded weights throughout, so that no threshold notices it:
//! whenever k is on, l is decoded with at least c times the weight of k. At the truth no component needs another
//! in every sample, so the least ratio z_l/z_k over the samples where k is strong is (close to) zero.

use ndarray::Array2;
use rayon::prelude::*;

use crate::Real;
use crate::constants::SearchConstants;

/// Which components come with which: entry (k, l) is the weight of l that one unit of k always brings, zero where
/// that is tolerable.
pub(super) struct Inclusions {
    pub(super) shares: Array2<f64>,
    pub(super) count: usize,
}

/// Tests all pairs, from decoded values (samples × rank) and the largest of each component.
///
/// `zeros` says that weights are zero beyond doubt where they are off. Then small shares count, too: a component that
/// has lost a thousandth of another to it shows in no negative value.
pub(super) fn inclusions<T: Real>(
    values: &Array2<T>,
    largest: &[f64],
    zeros: bool,
    constants: &SearchConstants,
) -> Inclusions {
    let (n, rank) = values.dim();
    let tolerated = if zeros { constants.inclusion_zeros * zero::<T>() } else { constants.inclusion };
    let rows: Vec<Vec<f64>> = (0..rank)
        .into_par_iter()
        .map(|k| {
            let column: Vec<f64> = values.column(k).iter().map(|v| v.as_f64()).collect();
            let limit = match zeros {
                true => constants.on * largest[k],
                false => strong_from(&column, largest[k], constants),
            };
            let strong: Vec<usize> = (0..n).filter(|&t| column[t] >= limit).collect();
            let enough = strong.len() >= constants.too_few_strong;
            let mut shares = vec![if enough { f64::INFINITY } else { 0.0 }; rank];
            if enough {
                for t in strong {
                    let inverse = 1.0 / column[t];
                    for (share, v) in shares.iter_mut().zip(values.row(t)) {
                        *share = share.min(v.as_f64() * inverse);
                    }
                }
            }
            shares[k] = 0.0;
            for (share, own) in shares.iter_mut().zip(largest) {
                if *share * largest[k] <= tolerated * own {
                    *share = 0.0;
                }
            }
            shares
        })
        .collect();
    let shares = Array2::from_shape_fn((rank, rank), |(k, l)| rows[k][l]);
    let count = shares.iter().filter(|&&share| share > 0.0).count();
    Inclusions { shares, count }
}

/// The number of values of each component that count as zero.
///
/// A facet of the cone that the components span needs rank − 1 samples that lie on it to be held in place, and a
/// cone that is wrong but as tight as can be touches just about so many. Where far more samples lie on a facet, it
/// is no accident: the component's weights really are zero there.
pub(super) fn contacts<T: Real>(values: &Array2<T>, largest: &[f64]) -> Vec<usize> {
    let zero = zero::<T>();
    let mut counts = vec![0; largest.len()];
    for row in values.outer_iter() {
        for ((count, v), largest) in counts.iter_mut().zip(row).zip(largest) {
            *count += usize::from(v.as_f64().abs() <= zero * largest);
        }
    }
    counts
}

/// The level that `enough` values of every component stay below, relative to its largest: the maximum over components.
pub(super) fn contact_level<T: Real>(values: &Array2<T>, largest: &[f64], enough: usize) -> f64 {
    let level = |k: usize| {
        let mut column: Vec<f64> = values.column(k).iter().map(|v| v.as_f64().abs()).collect();
        let position = enough.min(column.len()).saturating_sub(1);
        if column.is_empty() || largest[k] <= 0.0 {
            return 1.0;
        }
        *column.select_nth_unstable_by(position, f64::total_cmp).1 / largest[k]
    };
    (0..largest.len()).into_par_iter().map(level).collect::<Vec<f64>>().into_iter().fold(0.0, f64::max)
}

/// Values below this share of the largest count as zero: about 1e-7 in double precision, 1e-3 in single.
fn zero<T: Real>() -> f64 {
    T::EPSILON.as_f64().powf(0.45)
}

/// The value from which a component is strong.
fn strong_from(column: &[f64], largest: f64, constants: &SearchConstants) -> f64 {
    let position = constants.fewest_strong.min(column.len() - 1);
    let mut sorted = column.to_vec();
    let (_, at_position, _) = sorted.select_nth_unstable_by(position, |a, b| b.total_cmp(a));
    (constants.strong * largest).min(*at_position).max(1e-12 * largest).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn tested(values: &Array2<f64>, largest: &[f64], zeros: bool) -> Inclusions {
        inclusions(values, largest, zeros, &SearchConstants::default())
    }

    #[test]
    fn a_component_that_always_brings_another_is_found_with_its_share() {
        // Component 0 never comes without at least 0.2 times its weight of component 1; all others are free.
        let mut values = Array2::<f64>::zeros((400, 3));
        for t in 0..400 {
            let x = 0.5 + (t % 7) as f64 / 12.0;
            match t % 4 {
                0 => values.row_mut(t).assign(&array![x, 0.2 * x, 0.0]),
                1 => values.row_mut(t).assign(&array![0.0, x, 0.0]),
                2 => values.row_mut(t).assign(&array![0.0, 0.0, x]),
                _ => values.row_mut(t).assign(&array![x, 0.9 * x, x]),
            }
        }
        let found = tested(&values, &[1.0, 1.0, 1.0], false);
        assert_eq!(found.count, 1);
        assert!((found.shares[[0, 1]] - 0.2).abs() < 1e-12, "{:?}", found.shares);
        // One sample without it is enough to clear the component.
        values.row_mut(0).assign(&array![1.0, 0.0, 0.0]);
        assert_eq!(tested(&values, &[1.0, 1.0, 1.0], false).count, 0);
    }

    #[test]
    fn a_small_share_counts_only_where_weights_are_zero_beyond_doubt() {
        // Component 0 always brings a thousandth of component 1, but for a weak sample that later shows otherwise.
        let mut values = Array2::<f64>::zeros((200, 2));
        for t in 0..200 {
            values.row_mut(t).assign(&if t % 2 == 0 { array![1.0, 1e-3] } else { array![0.0, 1.0] });
        }
        values.row_mut(0).assign(&array![0.02, 2e-5]);
        assert_eq!(tested(&values, &[1.0, 1.0], false).count, 0);
        let found = tested(&values, &[1.0, 1.0], true);
        assert_eq!(found.count, 1);
        assert!((found.shares[[0, 1]] - 1e-3).abs() < 1e-12, "{:?}", found.shares);
        values[[0, 1]] = 0.0;
        assert_eq!(tested(&values, &[1.0, 1.0], true).count, 0);
    }

    #[test]
    fn contacts_are_values_as_good_as_zero_on_the_scale_of_their_component() {
        let values = array![[0.0, 1e-9], [1e-9, 1.0], [-1e-9, 1e-3], [1e-5, -1e-9]];
        assert_eq!(contacts(&values, &[1.0, 1.0]), [3, 2]);
        assert_eq!(contacts(&values, &[1e3, 1e-6]), [4, 0]);
    }

    #[test]
    fn the_contact_level_is_that_of_the_component_which_stays_farthest_from_zero() {
        let values = array![[0.0, 0.4], [1e-3, 2.0], [-2e-3, 0.6], [1.0, 0.5]];
        let level = |enough| contact_level(&values, &[1.0, 2.0], enough);
        assert_eq!(level(1), 0.2);
        assert_eq!(level(2), 0.25);
        // Fewer samples than required: all of them count.
        assert_eq!(level(9), 1.0);
        assert_eq!(contact_level(&array![[0.0], [1e-5], [1.0]], &[1.0], 2), 1e-5);
    }

    #[test]
    fn too_few_samples_say_nothing() {
        let values = array![[1.0, 1.0], [0.0, 1.0]];
        assert_eq!(tested(&values, &[1.0, 1.0], false).count, 0);
    }
}
