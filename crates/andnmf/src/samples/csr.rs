//! Samples in compressed sparse rows.

use std::borrow::Cow;
use std::ops::Range;

use super::feature_indices::{CsrIndex, FeatureIndices, NarrowRows};
use super::{Block, Samples, check_not_empty, check_rows};
use crate::{Real, SamplesError};

/// A sparse matrix in memory: the values of each row with their feature indices.
///
/// Indices may be of any integer width and in any order within a row; an index that occurs twice in a row
/// means the sum of its values. Only the row pointers are copied, unless there are such indices.
///
/// ```
/// use andnmf::samples::{CsrSamples, Samples};
/// // [[5, 0, 0], [0, 0, 0], [1, 0, 2]]
/// let samples = CsrSamples::new(3, &[0_i32, 1, 1, 3], &[0_i32, 0, 2][..], &[5.0_f64, 1.0, 2.0][..])?;
/// assert_eq!((samples.n_samples(), samples.stored_values()), (3, 3));
/// # Ok::<(), andnmf::SamplesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CsrSamples<'a, T: Real> {
    n_features: usize,
    row_starts: Vec<usize>,
    indices: FeatureIndices<'a>,
    values: Cow<'a, [T]>,
}

impl<'a, T: Real> CsrSamples<'a, T> {
    /// Row `i` has the values `values[row_pointers[i]..row_pointers[i + 1]]` at the features
    /// `indices[row_pointers[i]..row_pointers[i + 1]]`.
    ///
    /// # Errors
    /// If the three parts are inconsistent, an index is out of range, a value is not finite, or there are no samples or
    /// features.
    pub fn new<I: CsrIndex, P: CsrIndex>(
        n_features: usize,
        row_pointers: &[P],
        indices: impl Into<Cow<'a, [I]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self, SamplesError> {
        check_not_empty(row_pointers.len().saturating_sub(1), n_features)?;
        let CsrView { row_starts, indices, values, .. } =
            CsrView::new(n_features, row_pointers, indices, values)?;
        Ok(Self { n_features, row_starts: row_starts.into_owned(), indices, values })
    }
}

/// The row pointers as array positions, after checking that they cover the values exactly.
fn check_row_pointers<P: CsrIndex>(pointers: &[P], n_values: usize) -> Result<Vec<usize>, SamplesError> {
    let wrong = |position, reason: String| Err(SamplesError::RowPointers { position, reason });
    let mut previous = 0;
    for (position, pointer) in pointers.iter().enumerate() {
        let pointer = pointer.to_i128();
        if position == 0 && pointer != 0 {
            return wrong(position, format!("the first must be 0, not {pointer}"));
        }
        if pointer < previous {
            return wrong(position, format!("{pointer} follows {previous}; they must not decrease"));
        }
        if pointer > n_values as i128 {
            return wrong(position, format!("{pointer} is past the end of the {n_values} values"));
        }
        previous = pointer;
    }
    if previous != n_values as i128 {
        let last = pointers.len().saturating_sub(1);
        return wrong(last, format!("the last must be the number of values, {n_values}, not {previous}"));
    }
    Ok(pointers.iter().map(|p| p.to_i128() as usize).collect())
}

impl<T: Real> Samples<T> for CsrSamples<'_, T> {
    fn n_samples(&self) -> usize {
        self.row_starts.len() - 1
    }

    fn n_features(&self) -> usize {
        self.n_features
    }

    fn stored_values(&self) -> usize {
        self.values.len()
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        Ok(Block::Sparse(CsrView {
            n_features: self.n_features,
            row_starts: Cow::Borrowed(&self.row_starts[rows.start..=rows.end]),
            indices: self.indices.reborrow(),
            values: Cow::Borrowed(&self.values),
        }))
    }
}

/// Consecutive rows of a sparse matrix, each with at most one value per feature.
#[derive(Debug, Clone)]
pub struct CsrView<'a, T: Real> {
    n_features: usize,
    /// Positions in `indices` and `values`, one more than there are rows.
    row_starts: Cow<'a, [usize]>,
    indices: FeatureIndices<'a>,
    values: Cow<'a, [T]>,
}

impl<'a, T: Real> CsrView<'a, T> {
    /// A block for a custom source of samples: row `i` has the values
    /// `values[row_pointers[i]..row_pointers[i + 1]]` at the features `indices[…]` of the same positions. The
    /// values of a feature that occurs twice in a row are summed.
    ///
    /// # Errors
    /// If the three parts are inconsistent, an index is out of range, or a value is not finite.
    pub fn new<I: CsrIndex, P: CsrIndex>(
        n_features: usize,
        row_pointers: &[P],
        indices: impl Into<Cow<'a, [I]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self, SamplesError> {
        let (indices, values) = (indices.into(), values.into());
        if indices.len() != values.len() {
            return Err(SamplesError::IndexCount { indices: indices.len(), values: values.len() });
        }
        let row_starts = check_row_pointers(row_pointers, values.len())?;
        for (row, ends) in row_starts.windows(2).enumerate() {
            for position in ends[0]..ends[1] {
                let index = indices[position].to_i128();
                if index < 0 || index >= n_features as i128 {
                    return Err(SamplesError::FeatureIndex { row, index, n_features });
                }
                if !values[position].finite() {
                    let value = values[position].as_f64();
                    return Err(SamplesError::NotFinite { row, column: index as usize, value });
                }
            }
        }
        let view = Self { n_features, row_starts: Cow::Owned(row_starts), indices: I::wrap(indices), values };
        view.with_each_feature_once()
    }

    /// Sums the values of features that occur twice in a row, so that readers, such as those that square values, need
    /// not handle duplicates.
    fn with_each_feature_once(self) -> Result<Self, SamplesError> {
        let mut features = Vec::new();
        let mut repeats = |i: usize| {
            self.row_parts(i, &mut features);
            if features.is_sorted_by(|a, b| a < b) {
                return false;
            }
            features.sort_unstable();
            features.windows(2).any(|pair| pair[0] == pair[1])
        };
        if !(0..self.n_samples()).any(&mut repeats) {
            return Ok(self);
        }
        let (mut row_starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::<T>::new());
        for i in 0..self.n_samples() {
            let mut row: Vec<(usize, T)> = self.row(i).collect();
            row.sort_by_key(|&(feature, _)| feature);
            for same in row.chunk_by(|a, b| a.0 == b.0) {
                let value: T = same.iter().map(|&(_, v)| v).sum();
                if !value.finite() {
                    let column = same[0].0;
                    return Err(SamplesError::NotFinite { row: i, column, value: value.as_f64() });
                }
                indices.push(same[0].0);
                values.push(value);
            }
            row_starts.push(values.len());
        }
        Ok(Self::from_owned_parts(self.n_features, row_starts, indices, values))
    }

    /// Rows whose indices and values the caller has checked, each feature at most once in a row.
    #[doc(hidden)] // unchecked: for the readers of files
    pub fn from_owned_parts<I: CsrIndex>(
        n_features: usize,
        row_starts: Vec<usize>,
        indices: Vec<I>,
        values: Vec<T>,
    ) -> Self {
        let indices = I::wrap(Cow::Owned(indices));
        Self { n_features, row_starts: Cow::Owned(row_starts), indices, values: Cow::Owned(values) }
    }

    /// Number of rows.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.row_starts.len().saturating_sub(1)
    }

    /// Number of columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Features and values of one row.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        (self.row_starts[i]..self.row_starts[i + 1]).map(|p| (self.indices.get(p), self.values[p]))
    }

    /// All rows in the form that the kernels read, for less than 2³¹ features; uses `workspace` if indices must be
    /// converted.
    pub(crate) fn narrow_rows<'s>(&'s self, workspace: &'s mut Vec<u32>) -> NarrowRows<'s, T> {
        let positions = match (self.row_starts.first(), self.row_starts.last()) {
            (Some(&first), Some(&last)) => first..last,
            _ => 0..0,
        };
        let features = self.indices.narrow(positions.clone(), workspace);
        NarrowRows::new(&self.row_starts, features, &self.values[positions])
    }

    /// The values of one row; writes their features into `features`.
    pub(crate) fn row_parts(&self, i: usize, features: &mut Vec<usize>) -> &[T] {
        let positions = self.row_starts[i]..self.row_starts[i + 1];
        self.indices.copy_to(positions.clone(), features);
        &self.values[positions]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
    fn parts() -> (Vec<i64>, Vec<u32>, Vec<f64>) {
        (vec![0, 2, 2, 3], vec![2, 0, 1], vec![2.0, 1.0, 3.0])
    }

    fn new(pointers: &[i64], indices: &[u32], values: &[f64]) -> Result<(), SamplesError> {
        CsrSamples::new(3, pointers, indices, values).map(|_| ())
    }

    #[test]
    fn a_feature_that_occurs_twice_in_a_row_has_the_sum_of_both_values() {
        let samples =
            CsrSamples::new(3, &[0_u8, 4, 4, 5], vec![2_u8, 0, 2, 0], vec![1.0_f64, 2.0, 3.0, -0.5])
                .unwrap_err();
        assert!(matches!(samples, SamplesError::RowPointers { .. }), "{samples}");
        let values = vec![1.0_f64, 2.0, 3.0, -0.5, 7.0];
        let samples = CsrSamples::new(3, &[0_u8, 4, 4, 5], vec![2_u8, 0, 2, 0, 1], values).unwrap();
        let Block::Sparse(rows) = samples.block(0..3).unwrap() else { panic!("sparse stays sparse") };
        assert_eq!(rows.row(0).collect::<Vec<_>>(), [(0, 1.5), (2, 4.0)]);
        assert_eq!((rows.row(1).count(), rows.row(2).collect::<Vec<_>>()), (0, vec![(1, 7.0)]));
        let huge = CsrSamples::new(2, &[0_u8, 2], vec![1_u8, 1], vec![f64::MAX, f64::MAX]).unwrap_err();
        assert!(matches!(huge, SamplesError::NotFinite { row: 0, column: 1, .. }), "{huge}");
    }

    #[test]
    fn blocks_have_the_requested_rows() {
        let (pointers, indices, values) = parts();
        let samples = CsrSamples::new(3, &pointers, indices, values).unwrap();
        let Block::Sparse(block) = samples.block(1..3).unwrap() else {
            panic!("sparse data give sparse blocks")
        };
        assert_eq!(block.n_samples(), 2);
        assert_eq!(block.row(0).count(), 0);
        assert_eq!(block.row(1).collect::<Vec<_>>(), [(1, 3.0)]);
        let mut features = Vec::new();
        assert_eq!(block.row_parts(1, &mut features), [3.0]);
        assert_eq!(features, [1]);
    }

    #[test]
    fn every_index_width_reads_the_same() {
        fn values_of<I: CsrIndex>(indices: Vec<I>) -> Vec<(usize, usize, f64)> {
            let samples = CsrSamples::new(3, &[0_u64, 2, 2, 3], indices, vec![2.0, 1.0, 3.0]).unwrap();
            let mut seen = Vec::new();
            samples.block(0..3).unwrap().for_each(|i, j, v| seen.push((i, j, v)));
            seen
        }
        let expected = vec![(0, 2, 2.0), (0, 0, 1.0), (2, 1, 3.0)];
        assert_eq!(values_of(vec![2_u8, 0, 1]), expected);
        assert_eq!(values_of(vec![2_u16, 0, 1]), expected);
        assert_eq!(values_of(vec![2_i8, 0, 1]), expected);
        assert_eq!(values_of(vec![2_i16, 0, 1]), expected);
        assert_eq!(values_of(vec![2_isize, 0, 1]), expected);
        assert_eq!(values_of(vec![2_u32, 0, 1]), expected);
        assert_eq!(values_of(vec![2_u64, 0, 1]), expected);
        assert_eq!(values_of(vec![2_usize, 0, 1]), expected);
        assert_eq!(values_of(vec![2_i32, 0, 1]), expected);
        assert_eq!(values_of(vec![2_i64, 0, 1]), expected);
    }

    #[test]
    fn values_that_are_not_finite_are_refused_with_their_location() {
        let (pointers, indices, mut values) = parts();
        values[2] = f64::INFINITY;
        let error = new(&pointers, &indices, &values).unwrap_err();
        assert_eq!(error, SamplesError::NotFinite { row: 2, column: 1, value: f64::INFINITY });
    }

    #[test]
    fn a_feature_out_of_range_is_refused_with_its_row() {
        let (pointers, mut indices, values) = parts();
        indices[2] = 3;
        let error = new(&pointers, &indices, &values).unwrap_err();
        assert_eq!(error, SamplesError::FeatureIndex { row: 2, index: 3, n_features: 3 });
        let error = CsrSamples::new(3, &[0_i32, 1], &[-1_i32][..], &[1.0_f64][..]).unwrap_err();
        assert_eq!(error, SamplesError::FeatureIndex { row: 0, index: -1, n_features: 3 });
    }

    #[test]
    fn row_pointers_must_start_at_zero_rise_and_end_at_the_count() {
        let (_, indices, values) = parts();
        for (pointers, position) in
            [(vec![1, 2, 2, 3], 0), (vec![0, 2, 1, 3], 2), (vec![0, 2, 2, 4], 3), (vec![0, 2, 2, 2], 3)]
        {
            let error = new(&pointers, &indices, &values).unwrap_err();
            assert!(
                matches!(error, SamplesError::RowPointers { position: p, .. } if p == position),
                "{error}"
            );
        }
    }

    #[test]
    fn unequal_numbers_of_indices_and_values_are_refused() {
        let (pointers, indices, _) = parts();
        let error = new(&pointers, &indices, &[1.0]).unwrap_err();
        assert_eq!(error, SamplesError::IndexCount { indices: 3, values: 1 });
    }

    #[test]
    fn a_matrix_without_rows_is_refused() {
        assert!(matches!(new(&[0], &[], &[]).unwrap_err(), SamplesError::Empty { n_samples: 0, .. }));
        assert!(matches!(new(&[], &[], &[]).unwrap_err(), SamplesError::Empty { n_samples: 0, .. }));
    }
}
