//! Anchor selection: words whose co-occurrence rows are the vertices of the convex hull of all rows.
//!
//! A word that occurs in a single topic has the row of that topic, and the row of every other word is a convex
//! combination of those. The vertices are found greedily: first the row farthest from the origin, then repeatedly the
//! row farthest from the affine span of those already selected ("FastAnchorWords"). A random projection nearly
//! preserves distances and speeds up the search for large vocabularies.

use ndarray::{Array1, Array2, ArrayView2, s};
use rand::RngExt;
use rayon::prelude::*;

use super::tiles::for_each_tile;
use crate::linalg::dot::dot;
use crate::random::{Stream, generator};
use crate::{SamplesError, SettingError};

/// Non-zeros per word in the sparse random projection; more would cost more and gain little (Kane & Nelson, 2014).
const NONZEROS_PER_WORD: usize = 8;

/// Rows per parallel task.
const TILE: usize = 64;

/// Squared distances below this fraction of the largest are rounding errors of differences of sums of squares.
const ROUNDING: f64 = 1e-13;
/// Points with a squared distance below this fraction of their squared norm are duplicates up to rounding.
const DUPLICATE: f64 = 1e-26;

/// Selects `rank` candidates, each the farthest from the affine span of those before it.
///
/// `points` has one row per word; the search is cancelled once `stop` returns true.
pub(super) fn find_anchors(
    points: ArrayView2<'_, f64>,
    candidates: &[usize],
    rank: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Result<Vec<usize>, SettingError>, SamplesError> {
    let Some(first) = farthest_from(points, candidates, &Array1::zeros(points.ncols())).0 else {
        return Ok(Err(too_few(rank, 0)));
    };
    let origin = points.row(first).to_owned();
    let mut anchors = vec![first];
    // The squared residual distance of each candidate, updated after each new direction.
    let mut residuals = farthest_from(points, candidates, &origin).1;
    let longest = residuals.iter().copied().fold(0.0, f64::max);
    let negligible = (ROUNDING * longest).max(DUPLICATE * origin.dot(&origin));
    let mut directions = Array2::<f64>::zeros((0, points.ncols()));
    while anchors.len() < rank {
        if stop() {
            return Err(SamplesError::Cancelled);
        }
        let Some((index, direction)) =
            farthest_residual(points, candidates, &origin, &directions, &mut residuals, negligible)
        else {
            return Ok(Err(too_few(rank, anchors.len())));
        };
        anchors.push(candidates[index]);
        deflate(points, candidates, &origin, &direction, &mut residuals);
        residuals[index] = 0.0;
        directions.push_row(direction.view()).expect("one column per dimension");
    }
    Ok(Ok(anchors))
}

fn too_few(rank: usize, found: usize) -> SettingError {
    let expected = format!(
        "only {found} words that can be anchors have linearly independent co-occurrences; use at most {found}"
    );
    SettingError::new("rank", rank, expected)
}

/// The first candidate with the largest distance from a point, and all squared distances.
fn farthest_from(
    points: ArrayView2<'_, f64>,
    candidates: &[usize],
    from: &Array1<f64>,
) -> (Option<usize>, Vec<f64>) {
    let squared = |&word: &usize| {
        let difference = &points.row(word) - from;
        let difference = difference.as_slice().expect("one row");
        dot(difference, difference)
    };
    let distances: Vec<f64> = candidates.par_iter().with_min_len(TILE).map(squared).collect();
    (largest(&distances).map(|index| candidates[index]), distances)
}

/// The index of the largest value; ties go to the first.
fn largest(values: &[f64]) -> Option<usize> {
    (0..values.len()).reduce(|best, i| if values[i] > values[best] { i } else { best })
}

/// The index of the candidate with the largest residual outside the directions, and the direction of that residual.
///
/// Updated differences of squares lose accuracy, so the residual of the winner is recomputed; if it is smaller than
/// expected, its entry is corrected and the search continues.
fn farthest_residual(
    points: ArrayView2<'_, f64>,
    candidates: &[usize],
    origin: &Array1<f64>,
    directions: &Array2<f64>,
    residuals: &mut [f64],
    negligible: f64,
) -> Option<(usize, Array1<f64>)> {
    loop {
        let index = largest(residuals).filter(|&index| residuals[index] > negligible)?;
        let mut residual = &points.row(candidates[index]) - origin;
        // Orthogonalizing twice is accurate to working precision.
        for _ in 0..2 {
            let inside = directions.dot(&residual);
            residual -= &directions.t().dot(&inside);
        }
        let measured = residual.dot(&residual);
        let second =
            residuals.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, &v)| v).fold(0.0, f64::max);
        if measured > negligible && measured >= second.min(0.9 * residuals[index]) {
            return Some((index, residual / measured.sqrt()));
        }
        residuals[index] = if measured > negligible { measured } else { 0.0 };
    }
}

/// Deflation: subtracts the component along a new direction from each squared residual.
fn deflate(
    points: ArrayView2<'_, f64>,
    candidates: &[usize],
    origin: &Array1<f64>,
    direction: &Array1<f64>,
    residuals: &mut [f64],
) {
    let (width, direction) = (points.ncols(), direction.as_slice().expect("one row"));
    let rows = points.as_slice().expect("row-major");
    let at_origin = dot(origin.as_slice().expect("one row"), direction);
    residuals.par_chunks_mut(TILE).zip(candidates.par_chunks(TILE)).for_each(|(residuals, candidates)| {
        for (residual, &word) in residuals.iter_mut().zip(candidates) {
            if *residual > 0.0 {
                let along = dot(&rows[word * width..(word + 1) * width], direction) - at_origin;
                *residual = (*residual - along * along).max(0.0);
            }
        }
    });
}

/// Projects every row to `dimension` random coordinates, preserving squared norms on average.
///
/// The projection is sparse: each word has random signs in a few random coordinates, so that a row costs a few
/// additions per word for any dimension.
pub(super) fn project(rows: &Array2<f64>, dimension: usize, seed: u64) -> Array2<f64> {
    let words = rows.ncols();
    let nonzeros = NONZEROS_PER_WORD.min(dimension);
    let mut rng = generator(seed, Stream::Sketch);
    let magnitude = 1.0 / (nonzeros as f64).sqrt();
    // Each non-zero has its own range of coordinates, so that those of a word never coincide.
    let range = |i: usize| i * dimension / nonzeros..(i + 1) * dimension / nonzeros;
    let entries: Vec<(u32, f64)> = (0..words * nonzeros)
        .map(|i| {
            let coordinate = rng.random_range(range(i % nonzeros)) as u32;
            (coordinate, if rng.random_bool(0.5) { magnitude } else { -magnitude })
        })
        .collect();
    let mut projected = Array2::zeros((rows.nrows(), dimension));
    for_each_tile(&mut projected, TILE, |first, mut out| {
        for (mut out, row) in out.outer_iter_mut().zip(rows.slice(s![first.., ..]).outer_iter()) {
            let out = out.as_slice_mut().expect("row-major");
            for (&v, entries) in row.iter().zip(entries.chunks_exact(nonzeros)) {
                if v != 0.0 {
                    entries.iter().for_each(|&(coordinate, sign)| out[coordinate as usize] += sign * v);
                }
            }
        }
    });
    projected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// First the corners, then convex combinations of them with weights of at most 0.8.
    fn mixtures(corners: &Array2<f64>, n: usize, seed: u64) -> Array2<f64> {
        let rank = corners.nrows();
        let mut weights = Array2::<f64>::zeros((n, rank));
        weights.slice_mut(s![..rank, ..]).diag_mut().fill(1.0);
        let random = random_matrix::<f64>(n, rank, seed);
        for i in rank..n {
            let mut row = random.row(i).mapv(|v| v.abs().powi(4));
            row /= row.sum();
            weights.row_mut(i).assign(&(row * 0.75 + 0.25 / rank as f64));
        }
        weights.dot(corners)
    }

    fn corners(rank: usize, dimension: usize) -> Array2<f64> {
        let mut corners = random_matrix::<f64>(rank, dimension, 5).mapv(f64::abs);
        for mut row in corners.outer_iter_mut() {
            let sum = row.sum();
            row /= sum;
        }
        corners
    }

    fn select(points: &Array2<f64>, candidates: &[usize], rank: usize) -> Result<Vec<usize>, SettingError> {
        find_anchors(points.view(), candidates, rank, &|| false).unwrap()
    }

    #[test]
    fn the_corners_of_a_simplex_are_found() {
        let points = mixtures(&corners(12, 40), 300, 1);
        let mut anchors = select(&points, &(0..300).collect::<Vec<_>>(), 12).unwrap();
        anchors.sort_unstable();
        assert_eq!(anchors, (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn each_anchor_is_the_farthest_from_the_affine_span_of_those_before() {
        let points = random_matrix::<f64>(60, 15, 3);
        let anchors = select(&points, &(0..60).collect::<Vec<_>>(), 10).unwrap();
        let length = |v: &Array1<f64>| v.dot(v).sqrt();
        let lengths: Vec<f64> = points.outer_iter().map(|row| length(&row.to_owned())).collect();
        assert_eq!(anchors[0], largest(&lengths).unwrap());
        // Textbook Gram–Schmidt on all points.
        let mut rest = &points - &points.row(anchors[0]);
        for &anchor in &anchors[1..] {
            let distances: Vec<f64> = rest.outer_iter().map(|row| length(&row.to_owned())).collect();
            assert_eq!(anchor, largest(&distances).unwrap());
            let direction = &rest.row(anchor) / distances[anchor];
            for mut row in rest.outer_iter_mut() {
                let along = row.dot(&direction);
                row.scaled_add(-along, &direction);
            }
        }
    }

    #[test]
    fn only_candidates_are_selected() {
        let points = mixtures(&corners(6, 30), 100, 2);
        let candidates: Vec<usize> = (1..100).step_by(3).collect();
        let anchors = select(&points, &candidates, 6).unwrap();
        assert!(anchors.iter().all(|anchor| candidates.contains(anchor)));
    }

    #[test]
    fn more_anchors_than_corners_are_rejected_with_their_number() {
        let points = mixtures(&corners(4, 30), 100, 2);
        let all: Vec<usize> = (0..100).collect();
        let error = select(&points, &all, 5).unwrap_err();
        assert!(error.name == "rank" && error.expected.contains("only 4 words"), "{error}");
        assert!(select(&points, &all[..3], 4).unwrap_err().expected.contains("only 3 words"));
        assert!(select(&points, &[], 1).unwrap_err().expected.contains("only 0 words"));
        let mut same = Array2::from_elem((5, 3), 0.2);
        same[[1, 1]] *= 1.0 + 4.0 * f64::EPSILON;
        assert!(select(&same, &[0, 1, 2, 3, 4], 2).unwrap_err().expected.contains("only 1 word"));
    }

    #[test]
    fn a_search_can_be_cancelled() {
        let points = random_matrix::<f64>(20, 10, 3);
        let error = find_anchors(points.view(), &[0, 1, 2], 2, &|| true).unwrap_err();
        assert_eq!(error, SamplesError::Cancelled);
    }

    #[test]
    fn projections_preserve_norms_and_corners() {
        let points = mixtures(&corners(8, 2000), 300, 4);
        let projected = project(&points, 500, 1);
        assert_eq!(projected.dim(), (300, 500));
        for (row, short) in points.outer_iter().zip(projected.outer_iter()) {
            let ratio = short.dot(&short) / row.dot(&row);
            assert!((ratio - 1.0).abs() < 0.4, "{ratio}");
        }
        let mut anchors = select(&projected, &(0..300).collect::<Vec<_>>(), 8).unwrap();
        anchors.sort_unstable();
        assert_eq!(anchors, (0..8).collect::<Vec<_>>());
        assert_eq!(project(&points, 500, 1), projected);
        assert_ne!(project(&points, 500, 2), projected);
        assert!(project(&points, 3, 1).iter().all(|v| v.is_finite()));
    }

    #[test]
    fn a_projection_is_linear_with_unit_columns() {
        let one = project(&Array2::eye(50), 20, 7);
        for row in one.outer_iter() {
            assert!((row.dot(&row) - 1.0).abs() < 1e-14);
            assert_eq!(row.iter().filter(|&&v| v != 0.0).count(), NONZEROS_PER_WORD);
        }
        let points = random_matrix::<f64>(9, 50, 1);
        assert_close(&project(&points, 20, 7), &points.dot(&one), 1e-14);
    }
}
