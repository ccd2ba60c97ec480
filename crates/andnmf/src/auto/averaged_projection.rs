//! Starts from the samples themselves: successive projection, with averages in place of single samples.
//!
//! The sample that sticks out farthest from the span of those before it is taken to be close to one component. The
//! mean of the samples that go farthest in its direction is closer still, and less at the mercy of noise. What
//! "far" means depends on how samples are measured, so several ways are tried.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Real;
use crate::constants::StartConstants;
use crate::linalg::dot::dot;
use crate::linalg::product::{gram_of_rows, multiply};
use crate::linalg::symmetric::eigen;

/// The measure by which the farthest sample is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    /// All brought to length 1: only directions count.
    Normalised,
    /// In coordinates in which the samples are equally strong in all directions.
    Whitened,
    /// As they are, and without averages.
    Plain,
}

/// `rank` components (rows) from the samples (rows). Fewer where the samples span fewer dimensions.
pub(super) fn averaged_projection<T: Real>(
    samples: ArrayView2<'_, T>,
    measure: Measure,
    rank: usize,
    constants: &StartConstants,
) -> Array2<T> {
    let (n, dimension) = samples.dim();
    let averaged = match measure {
        Measure::Plain => 1,
        _ => {
            let share = n as f64 / rank as f64 * constants.averaged_share;
            share.clamp(1.0, constants.most_averaged) as usize
        }
    };
    let measured = measured(samples, measure);
    let mut left: Vec<f64> = map_rows(measured.view(), |row| length_squared(row));
    let longest = left.iter().copied().fold(0.0, f64::max);
    let nothing = 1e4 * T::EPSILON.as_f64().powi(2) * dimension as f64 * longest;
    let sizes = map_rows(samples, |row| length_squared(row));
    let mut directions = Array2::<T>::zeros((0, dimension));
    let mut components = Array2::<T>::zeros((0, dimension));
    while components.nrows() < rank {
        let Some(direction) =
            farthest(measured.view(), &mut left, &sizes, &directions, (nothing, constants.equally_far))
        else {
            break;
        };
        let along = map_rows(measured.view(), |row| dot(row, &direction).as_f64());
        let top = largest(&along, averaged);
        let mean = |rows: ArrayView2<'_, T>| {
            rows.select(Axis(0), &top).sum_axis(Axis(0)) * T::from_f64(1.0 / top.len() as f64)
        };
        components.push_row(mean(samples).view()).expect("one column per direction");
        let Some(taken) = outside(mean(measured.view()).to_vec(), &directions, nothing.sqrt()) else {
            // The average of samples in opposite directions: use the residual of the farthest one.
            remove(&mut left, measured.view(), &direction);
            directions.push_row(ArrayView1::from(&direction)).expect("one column per direction");
            continue;
        };
        remove(&mut left, measured.view(), &taken);
        directions.push_row(ArrayView1::from(&taken)).expect("one column per direction");
    }
    components
}

fn length_squared<T: Real>(row: &[T]) -> f64 {
    row.iter().map(|v| v.as_f64() * v.as_f64()).sum()
}

/// Applies a function to every sample, in order.
fn map_rows<T: Real>(samples: ArrayView2<'_, T>, of: impl Fn(&[T]) -> f64 + Sync) -> Vec<f64> {
    let rows: Vec<_> = samples.outer_iter().collect();
    rows.par_iter().with_min_len(256).map(|row| of(row.to_slice().expect("row-major"))).collect()
}

/// The samples as they are measured.
fn measured<T: Real>(samples: ArrayView2<'_, T>, measure: Measure) -> Array2<T> {
    let mut rows = samples.as_standard_layout().into_owned();
    match measure {
        Measure::Plain => {}
        Measure::Normalised => {
            for mut row in rows.outer_iter_mut() {
                let length = length_squared(row.as_slice().expect("row-major")).sqrt();
                if length > 0.0 {
                    row.mapv_inplace(|v| T::from_f64(v.as_f64() / length));
                }
            }
        }
        Measure::Whitened => {
            if let Some((values, vectors)) = eigen(gram_of_rows(samples.t()).view()) {
                let strongest = values.last().copied().unwrap_or(0.0);
                let shrink = |k: usize| values[k].max(1e-14 * strongest).max(f64::MIN_POSITIVE).sqrt();
                let map = Array2::from_shape_fn(vectors.dim(), |(i, k)| {
                    T::from_f64(vectors[[i, k]].as_f64() / shrink(k))
                });
                rows = multiply(samples, map.view());
            }
        }
    }
    rows
}

/// The direction (length 1) of what is left of the sample with the most left outside the directions so far.
///
/// Residuals are updated by differences of squares, which lose digits, so the largest is recomputed; if it is much smaller
/// than stored, its entry is corrected and the search continues.
fn farthest<T: Real>(
    measured: ArrayView2<'_, T>,
    left: &mut [f64],
    sizes: &[f64],
    directions: &Array2<T>,
    (nothing, equally_far): (f64, f64),
) -> Option<Vec<T>> {
    loop {
        let most = left.iter().copied().fold(0.0, f64::max);
        if most <= nothing {
            return None;
        }
        // Rounding must not decide between samples that are equally far, as all of length 1 are at first.
        let far = (0..left.len()).filter(|&i| left[i] >= most * (1.0 - equally_far));
        let i = far.max_by(|&a, &b| sizes[a].total_cmp(&sizes[b]).then(b.cmp(&a)))?;
        let believed = left[i];
        let sample = measured.row(i).to_vec();
        let whole = length_squared(&sample);
        let Some((direction, measured)) = rest(sample, directions) else {
            left[i] = 0.0;
            continue;
        };
        if measured > nothing && measured >= 0.5 * believed {
            return Some(direction);
        }
        left[i] = if measured > nothing { measured.min(whole) } else { 0.0 };
    }
}

/// The direction of what of a vector lies outside the directions, and how much that is, squared.
fn rest<T: Real>(mut vector: Vec<T>, directions: &Array2<T>) -> Option<(Vec<T>, f64)> {
    // Twice is enough to be orthogonal to working precision.
    for _ in 0..2 {
        for direction in directions.outer_iter() {
            let direction = direction.to_slice().expect("row-major");
            let inside = dot(&vector, direction);
            vector.iter_mut().zip(direction).for_each(|(v, &d)| *v -= inside * d);
        }
    }
    let squared = length_squared(&vector);
    if squared <= 0.0 || !squared.is_finite() {
        return None;
    }
    let length = squared.sqrt();
    vector.iter_mut().for_each(|v| *v = T::from_f64(v.as_f64() / length));
    Some((vector, squared))
}

/// [`rest`], where more than `nothing` is left.
fn outside<T: Real>(vector: Vec<T>, directions: &Array2<T>, nothing: f64) -> Option<Vec<T>> {
    rest(vector, directions).filter(|(_, squared)| squared.sqrt() > nothing).map(|(direction, _)| direction)
}

/// Removes the part along a new direction from the residuals.
fn remove<T: Real>(left: &mut [f64], measured: ArrayView2<'_, T>, direction: &[T]) {
    let along = map_rows(measured, |row| dot(row, direction).as_f64());
    left.iter_mut().zip(along).for_each(|(left, along)| *left = (*left - along * along).max(0.0));
}

/// The numbers of the `count` largest values, in the order of the samples.
fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..values.len()).collect();
    if count < values.len() {
        numbers.select_nth_unstable_by(count, |&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
        numbers.truncate(count);
    }
    numbers.sort_unstable();
    numbers
}
