//! Small figures of components and decoded weights that the end of a fit goes by.

use ndarray::{Array2, ArrayView1};

use crate::Real;
use crate::linalg::product::{length, multiply};

/// The value below which this share of the weights of each component lies.
pub(super) fn low_quantiles<T: Real>(values: &Array2<T>, share: f64) -> Vec<f64> {
    let position = (values.nrows() as f64 * share) as usize;
    let quantile = |column: ArrayView1<'_, T>| {
        let mut sorted: Vec<f64> = column.iter().map(|v| v.as_f64()).collect();
        *sorted.select_nth_unstable_by(position, f64::total_cmp).1
    };
    values.columns().into_iter().map(quantile).collect()
}

/// Norm of the negative values relative to all: of the whole matrix, and of each row.
pub(super) fn negative_shares<T: Real>(components: &Array2<T>) -> (f64, Vec<f64>) {
    let rows: Vec<(f64, f64)> = components.outer_iter().map(squares).collect();
    let share = |(negative, all): (f64, f64)| if all > 0.0 { (negative / all).sqrt() } else { 0.0 };
    let total = rows.iter().fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    (share(total), rows.into_iter().map(share).collect())
}

/// The sum of the squares of negative values, and that of all.
pub(super) fn squares<T: Real>(values: ArrayView1<'_, T>) -> (f64, f64) {
    values.iter().fold((0.0, 0.0), |(negative, all), v| {
        let v = v.as_f64();
        (negative + v.min(0.0).powi(2), all + v * v)
    })
}

/// Components with zeros in place of negative values.
pub(super) fn clipped<T: Real>(components: &Array2<T>) -> Array2<T> {
    let zero = T::from_f64(0.0);
    components.mapv(|v| if v > zero { v } else { zero })
}

/// Sines between the rows of two matrices.
pub(super) fn sines<T: Real>(a: &Array2<T>, b: &Array2<T>) -> Vec<f64> {
    a.outer_iter().zip(b.outer_iter()).map(|(a, b)| sine(a, b)).collect()
}

/// The sine between each row of one matrix and the nearest of another: components may have changed places.
pub(super) fn nearest_sines<T: Real>(rows: &Array2<T>, others: &Array2<T>) -> Vec<f64> {
    let lengths: Vec<f64> = others.outer_iter().map(length).collect();
    let cosines = multiply(rows.view(), others.t());
    let nearest = |(row, cosines): (ArrayView1<'_, T>, ArrayView1<'_, T>)| {
        let relative = |k: usize| cosines[k].as_f64().abs() / lengths[k].max(f64::MIN_POSITIVE);
        let nearest = (0..lengths.len()).max_by(|&k, &l| relative(k).total_cmp(&relative(l)));
        nearest.map_or(1.0, |k| sine(row, others.row(k)))
    };
    rows.outer_iter().zip(cosines.outer_iter()).map(nearest).collect()
}

/// The value below which this share of the values lies; zero where there are none.
pub(crate) fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    if values.is_empty() {
        return 0.0;
    }
    // Sides may have very few samples: between two of them, values are interpolated.
    let position = (values.len() - 1) as f64 * share;
    let (_, &mut at, above) = values.select_nth_unstable_by(position as usize, f64::total_cmp);
    let next = above.iter().copied().min_by(f64::total_cmp).unwrap_or(at);
    at + position.fract() * (next - at)
}

/// The sine between two vectors; one where either is zero, or as good as.
fn sine<T: Real>(a: ArrayView1<'_, T>, b: ArrayView1<'_, T>) -> f64 {
    let (one, other) = (1.0 / length(a), 1.0 / length(b));
    if one.is_infinite() || other.is_infinite() {
        return 1.0;
    }
    let cosine: f64 = a.iter().zip(b).map(|(x, y)| (x.as_f64() * one) * (y.as_f64() * other)).sum();
    // From the difference, since a cosine near one has lost the digits of its sine.
    let rest = a.iter().zip(b).map(|(x, y)| x.as_f64() * one - cosine * (y.as_f64() * other));
    rest.map(|v| v * v).sum::<f64>().sqrt()
}

/// The share of zeros of the median row.
pub(super) fn zero_share<T: Real>(components: &Array2<T>) -> f64 {
    near_zero_share(components, 0.0)
}

/// The share of values up to `level` times the largest of their row, negative ones included, of the median row.
pub(super) fn near_zero_share<T: Real>(components: &Array2<T>, level: f64) -> f64 {
    let share = |row: ArrayView1<'_, T>| {
        let largest = row.iter().fold(0.0_f64, |largest, v| largest.max(v.as_f64()));
        row.iter().filter(|v| v.as_f64() <= level * largest).count() as f64 / row.len().max(1) as f64
    };
    median(components.outer_iter().map(share))
}

/// The upper median; zero of nothing.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn shares_are_those_of_the_median_row() {
        let components = array![[0.0, 1.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]];
        assert_eq!(zero_share(&components), 0.5);
        assert_eq!(near_zero_share(&array![[1e-4, -0.2, 1.0, 0.5]], 1e-3), 0.5);
        assert_eq!(zero_share(&Array2::<f64>::zeros((0, 4))), 0.0);
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
    }

    #[test]
    fn the_nearest_row_counts_wherever_it_is_and_zeros_are_near_to_nothing() {
        let rows = array![[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]];
        let others = array![[0.0, 0.0], [-0.1, 7.0], [4.0, 3.0]];
        let sines = nearest_sines(&rows, &others);
        let expected = [0.6, 0.1 / (0.01_f64 + 49.0).sqrt(), 1.0];
        assert!(sines.iter().zip(expected).all(|(s, e)| (s - e).abs() < 1e-15), "{sines:?}");
        assert_eq!(nearest_sines(&rows, &Array2::zeros((0, 2))), [1.0; 3]);
        // Rows of different lengths: the nearest in direction, not the one with the largest product.
        let by_direction = nearest_sines(&array![[1.0, 0.0]], &array![[50.0, 50.0], [0.1, 0.01]]);
        assert!((by_direction[0] - 0.01 / 0.0101_f64.sqrt()).abs() < 1e-15, "{by_direction:?}");
    }

    #[test]
    fn negative_shares_are_relative_to_each_row_and_to_all() {
        let (all, rows) = negative_shares(&array![[3.0, -4.0], [0.0, 0.0], [0.0, 5.0]]);
        assert_eq!(rows, [0.8, 0.0, 0.0]);
        assert!((all - (16.0_f64 / 50.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn quantiles_between_two_values_are_interpolated() {
        assert_eq!(quantile([4.0, 1.0, 2.0].into_iter(), 0.5), 2.0);
        assert_eq!(quantile([4.0, 1.0, 2.0, 3.0].into_iter(), 0.5), 2.5);
        assert_eq!(quantile([4.0, 0.0].into_iter(), 0.25), 1.0);
        assert_eq!(quantile(std::iter::empty(), 0.5), 0.0);
    }
}
