//! A matrix with one short row per feature, and its two products with sparse samples: gather and scatter.

use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};
use rayon::prelude::*;

use super::feature_row_kernels::{Gather, LANE_BYTES, Scatter};
use super::product::{ENTRIES_PER_THREAD, prefaulted_zeros};
use crate::Real;
use crate::samples::CsrView;

/// A features × width matrix whose rows are aligned and padded to whole SIMD vectors. Rows are accessed in random
/// order, so a row should not touch more cache lines than necessary. The content of the padding is unspecified.
#[derive(Debug)]
pub(crate) struct FeatureRows<T> {
    values: Vec<T>,
    /// Index of the first aligned value, where the rows start.
    offset: usize,
    features: usize,
    width: usize,
    stride: usize,
}

impl<T: Real> FeatureRows<T> {
    pub(crate) fn zeros(features: usize, width: usize) -> Self {
        let (lane, stride) = (LANE_BYTES / size_of::<T>(), stride::<T>(width));
        let values = prefaulted_zeros::<T>(features * stride + lane);
        // If the alignment is unknown, rows are unaligned: correct, slightly slower.
        let offset = Some(values.as_ptr().align_offset(LANE_BYTES)).filter(|&n| n <= lane).unwrap_or(0);
        Self { values, offset, features, width, stride }
    }

    /// The columns of a matrix (width × features) as rows.
    pub(crate) fn from_columns(matrix: ArrayView2<'_, T>) -> Self {
        let mut rows = Self::zeros(matrix.ncols(), matrix.nrows());
        rows.copy_columns(matrix);
        rows
    }

    /// Overwrites the rows with the columns of a matrix of the same shape.
    pub(crate) fn copy_columns(&mut self, matrix: ArrayView2<'_, T>) {
        if self.width == 0 {
            return;
        }
        let stride = self.stride;
        // Tiles of features, so that source and destination both stay in the L1 cache.
        self.rows_mut().par_chunks_mut(FEATURES_PER_TILE * stride).enumerate().for_each(|(tile, rows)| {
            for (k, component) in matrix.outer_iter().enumerate() {
                let component = component.slice_move(ndarray::s![tile * FEATURES_PER_TILE..]);
                rows.chunks_exact_mut(stride).zip(component).for_each(|(row, &v)| row[k] = v);
            }
        });
    }

    /// Sets all rows to zero.
    pub(crate) fn clear(&mut self) {
        self.rows_mut().fill(T::from_f64(0.0));
    }

    /// Features × width.
    pub(crate) fn view(&self) -> ArrayView2<'_, T> {
        let shape = (self.features, self.width).strides((self.stride, 1));
        ArrayView2::from_shape(shape, self.rows()).expect("features × stride values")
    }

    /// Features × width.
    pub(crate) fn view_mut(&mut self) -> ArrayViewMut2<'_, T> {
        let shape = (self.features, self.width).strides((self.stride, 1));
        ArrayViewMut2::from_shape(shape, self.rows_mut()).expect("features × stride values")
    }

    /// Adds rows of the same shape.
    pub(crate) fn add(&mut self, other: &Self) {
        // The final merge of a fold runs with all threads free. A thread that waits here may start another part of the
        // fold with its own sums; the fold's plan bounds how many exist at a time.
        let chunk = ENTRIES_PER_THREAD;
        self.rows_mut().par_chunks_mut(chunk).zip(other.rows().par_chunks(chunk)).for_each(
            |(sums, others)| {
                sums.iter_mut().zip(others).for_each(|(sum, &v)| *sum += v);
            },
        );
    }

    /// `out[i] ← Σ value · row` over the stored values of sample i; `out` holds `width` values per sample.
    pub(crate) fn gather(&self, samples: &CsrView<'_, T>, out: &mut [T], scratch: &mut Vec<u32>) {
        if self.width == 0 {
            return;
        }
        if self.features > MAX_KERNEL_FEATURES {
            out.fill(T::from_f64(0.0));
            for (i, out) in out.chunks_exact_mut(self.width).enumerate() {
                for (feature, value) in samples.row(i) {
                    out.iter_mut().zip(self.row(feature)).for_each(|(sum, &v)| *sum += value * v);
                }
            }
            return;
        }
        let (table, stride, width) = (self.rows(), self.stride, self.width);
        let samples = samples.narrow_rows(scratch);
        pulp::Arch::new().dispatch(Gather { table, stride, width, samples, out });
    }

    /// `row ← row + value · weights of its sample` for all stored values; `weights` holds `width` values per sample.
    pub(crate) fn scatter(&mut self, samples: &CsrView<'_, T>, weights: &[T], scratch: &mut Vec<u32>) {
        if self.width == 0 {
            return;
        }
        if self.features > MAX_KERNEL_FEATURES {
            for (i, weights) in weights.chunks_exact(self.width).enumerate() {
                for (feature, value) in samples.row(i) {
                    self.row_mut(feature).iter_mut().zip(weights).for_each(|(sum, &v)| *sum += value * v);
                }
            }
            return;
        }
        let (stride, width) = (self.stride, self.width);
        let table = self.rows_mut();
        let samples = samples.narrow_rows(scratch);
        pulp::Arch::new().dispatch(Scatter { table, stride, width, samples, weights });
    }

    fn row(&self, feature: usize) -> &[T] {
        let start = self.offset + feature * self.stride;
        &self.values[start..start + self.width]
    }

    /// The row of a feature, `width` long.
    pub(crate) fn row_mut(&mut self, feature: usize) -> &mut [T] {
        let start = self.offset + feature * self.stride;
        &mut self.values[start..start + self.width]
    }

    fn rows(&self) -> &[T] {
        &self.values[self.offset..self.offset + self.features * self.stride]
    }

    fn rows_mut(&mut self) -> &mut [T] {
        &mut self.values[self.offset..self.offset + self.features * self.stride]
    }
}

/// The row stride for this width: whole SIMD vectors, or a power of two for narrow rows.
pub(crate) fn stride<T>(width: usize) -> usize {
    let lane = LANE_BYTES / size_of::<T>();
    if width == 0 {
        0
    } else if width < lane {
        width.next_power_of_two()
    } else {
        width.next_multiple_of(lane)
    }
}

/// Features per tile when columns are transposed into rows.
const FEATURES_PER_TILE: usize = 256;
/// With more features than this their indices do not fit the kernels' 32-bit format, and a slower loop takes over.
#[cfg(not(test))]
const MAX_KERNEL_FEATURES: usize = i32::MAX as usize;
/// Small in tests, so that they cover both loops.
#[cfg(test)]
const MAX_KERNEL_FEATURES: usize = 20_000;

/// A copy has its own alignment offset.
impl<T: Real> Clone for FeatureRows<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.features, self.width);
        copy.rows_mut().copy_from_slice(self.rows());
        copy
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use super::*;
    use crate::samples::{Block, CsrSamples, Samples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    /// Sparse samples with rows of different lengths, one of them empty, and the same in dense form.
    fn samples<T: Real>(n: usize, features: usize) -> (CsrSamples<'static, T>, Array2<T>) {
        let mut dense = random_matrix::<T>(n, features, 5);
        for ((i, j), v) in dense.indexed_iter_mut() {
            if i == 1 || (i + 2 * j) % (i + 2) != 0 {
                *v = T::from_f64(0.0);
            }
        }
        let (pointers, indices, values) = sparse_copy(&dense);
        (CsrSamples::new(features, &pointers, indices, values).unwrap(), dense)
    }

    fn both_products_equal_the_textbook_sums<T: Real>(features: usize, width: usize, tolerance: f64) {
        let n = 7;
        let (sparse, dense) = samples::<T>(n, features);
        let Block::Sparse(block) = sparse.block(0..n).unwrap() else { panic!("sparse stays sparse") };
        let matrix = random_matrix::<T>(width, features, width as u64);
        let (mut out, mut buffer) = (random_matrix::<T>(n, width, 1), Vec::new());
        FeatureRows::from_columns(matrix.view()).gather(&block, out.as_slice_mut().unwrap(), &mut buffer);
        assert_close(&out, &dense.dot(&matrix.t()), tolerance);

        let all = random_matrix::<T>(n, width, 2);
        // Mostly dense weights: one sample has a single weight and one has none.
        let mut dense_weights = all.clone();
        dense_weights.slice_mut(s![2, 1..]).fill(T::from_f64(0.0));
        dense_weights.row_mut(3).fill(T::from_f64(0.0));
        // Mostly zero weights: sample `full` has all weights, sample 2 a single one, the others none.
        let sparse_weights = |full: usize| {
            let mut weights = Array2::zeros(all.dim());
            weights[[2, width - 1]] = all[[2, width - 1]];
            weights.row_mut(full).assign(&all.row(full));
            weights
        };
        let mut sums = FeatureRows::from_columns(matrix.view());
        let mut expected = matrix.t().to_owned();
        for weights in [dense_weights, sparse_weights(4), sparse_weights(n - 1)] {
            sums.scatter(&block, weights.as_slice().unwrap(), &mut buffer);
            expected += &dense.t().dot(&weights);
            assert_close(&sums.view(), &expected, tolerance);
        }
        let mut twice = sums.clone();
        twice.add(&sums);
        assert_close(&twice.view(), &(&expected + &expected), 2.0 * tolerance);
        twice.clear();
        assert!(twice.view().iter().all(|&v| v == T::from_f64(0.0)));
    }

    #[test]
    fn products_of_any_width_equal_the_textbook_sums() {
        for width in (1..=70).chain([100, 131]) {
            both_products_equal_the_textbook_sums::<f64>(23, width, 1e-14);
            both_products_equal_the_textbook_sums::<f32>(23, width, 1e-5);
        }
        both_products_equal_the_textbook_sums::<f64>(MAX_KERNEL_FEATURES + 1, 3, 1e-12);
    }

    #[test]
    fn feature_indices_may_have_any_integer_type_and_any_order() {
        let pointers = [0_usize, 3, 3, 5];
        let (features, values) = ([4_u8, 0, 2, 3, 1], vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        let of = |samples: CsrSamples<'_, f64>| {
            // A block that does not start at the first row.
            let Block::Sparse(block) = samples.block(1..3).unwrap() else { panic!("sparse stays sparse") };
            let rows = FeatureRows::from_columns(random_matrix::<f64>(2, 5, 1).view());
            let (mut out, mut sums) = (vec![0.0; 4], FeatureRows::<f64>::zeros(5, 2));
            rows.gather(&block, &mut out, &mut Vec::new());
            sums.scatter(&block, &[1.0, 2.0, 3.0, 4.0], &mut Vec::new());
            (out, sums.view().to_owned())
        };
        let (products, sums) = of(CsrSamples::new(5, &pointers, &features[..], &values[..]).unwrap());
        let matrix = random_matrix::<f64>(2, 5, 1);
        for k in 0..2 {
            assert_eq!(products[k], 0.0);
            assert!((products[2 + k] - 4.0 * matrix[[k, 3]] - 5.0 * matrix[[k, 1]]).abs() < 1e-15);
        }
        assert_eq!(sums.row(3).to_vec(), [12.0, 16.0]);
        macro_rules! with_index_types {
            ($($number:ty),*) => {$(
                let features = features.map(|f| f as $number);
                let same = of(CsrSamples::new(5, &pointers, &features[..], &values[..]).unwrap());
                assert_eq!(same, (products.clone(), sums.clone()), stringify!($number));
            )*};
        }
        with_index_types!(i8, u16, i16, u32, i32, u64, i64, usize, isize);
    }

    #[test]
    fn rows_are_aligned_for_any_width() {
        for width in [8, 12, 20, 33] {
            let mut rows = FeatureRows::<f32>::zeros(9, width);
            for feature in 0..9 {
                assert_eq!(rows.row_mut(feature).as_ptr().align_offset(LANE_BYTES), 0);
                rows.row_mut(feature).fill(feature as f32);
            }
            assert!(rows.view().indexed_iter().all(|((j, _), &v)| v == j as f32));
        }
    }

    #[test]
    fn narrow_rows_have_little_padding() {
        assert_eq!([1, 2, 3, 4, 5, 9].map(stride::<f64>), [1, 2, 4, 4, 8, 12]);
        assert_eq!([1, 3, 5, 8, 9, 20].map(stride::<f32>), [1, 4, 8, 8, 16, 24]);
    }

    #[test]
    fn rows_of_width_zero_are_accepted() {
        let (sparse, _) = samples::<f64>(4, 9);
        let Block::Sparse(block) = sparse.block(0..4).unwrap() else { panic!("sparse stays sparse") };
        let mut rows = FeatureRows::from_columns(Array2::<f64>::zeros((0, 9)).view());
        rows.gather(&block, &mut [], &mut Vec::new());
        rows.scatter(&block, &[], &mut Vec::new());
        assert_eq!(rows.view().dim(), (9, 0));
    }

    #[test]
    fn columns_of_wide_matrices_become_rows() {
        let matrix = random_matrix::<f64>(3, 2 * FEATURES_PER_TILE + 5, 3);
        assert_eq!(FeatureRows::from_columns(matrix.view()).view(), matrix.t());
    }
}
