//! The contents of a matrix file: a dense or sparse matrix with the names of its rows and columns.

use std::ops::Range;

use ndarray::{Array2, Axis};

use andnmf::samples::{Block, CsrSamples, DenseSamples, Samples};
use andnmf::{FitError, Real, SamplesError, SettingError};

/// The values of a [`SampleTable`].
#[derive(Debug, Clone)]
pub enum TableValues<T: Real> {
    /// Every value is stored.
    Dense(DenseSamples<'static, T>),
    /// Only nonzero values are stored (CSR).
    Sparse(CsrSamples<'static, T>),
}

/// A matrix of samples (rows) and features (columns) with their names.
#[derive(Debug, Clone)]
pub struct SampleTable<T: Real> {
    /// The matrix; every value is finite.
    pub values: TableValues<T>,
    /// One name per row, if known.
    pub sample_names: Option<Vec<String>>,
    /// One name per column, if known.
    pub feature_names: Option<Vec<String>>,
    /// The header of the row-name column of a `.csv` or `.tsv` file, such as "gene".
    pub corner: Option<String>,
}

impl<T: Real> From<TableValues<T>> for SampleTable<T> {
    /// A matrix without names.
    fn from(values: TableValues<T>) -> Self {
        Self { values, sample_names: None, feature_names: None, corner: None }
    }
}

impl<T: Real> From<CsrSamples<'static, T>> for SampleTable<T> {
    fn from(samples: CsrSamples<'static, T>) -> Self {
        TableValues::Sparse(samples).into()
    }
}

impl<T: Real> TryFrom<Array2<T>> for SampleTable<T> {
    type Error = SamplesError;

    /// A dense matrix without names; it must not be empty, and all values must be finite.
    fn try_from(array: Array2<T>) -> Result<Self, SamplesError> {
        Ok(TableValues::Dense(DenseSamples::new(into_row_major(array))?).into())
    }
}

fn into_row_major<T: Real>(array: Array2<T>) -> Array2<T> {
    if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() }
}

impl<T: Real> SampleTable<T> {
    /// A matrix whose values are already known to be finite.
    pub(crate) fn of_finite(array: Array2<T>) -> Result<Self, SamplesError> {
        Ok(TableValues::Dense(DenseSamples::of_finite(into_row_major(array))?).into())
    }

    fn samples(&self) -> &dyn Samples<T> {
        match &self.values {
            TableValues::Dense(samples) => samples,
            TableValues::Sparse(samples) => samples,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.samples().n_samples()
    }

    /// Number of columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.samples().n_features()
    }

    /// Calls `visit(row, column, value)` for every stored value, row by row.
    pub(crate) fn for_each(&self, visit: impl FnMut(usize, usize, T)) {
        // Cannot fail: these rows exist.
        if let Ok(block) = self.samples().block(0..self.n_samples()) {
            block.for_each(visit);
        }
    }

    /// Calls `visit(column, value)` for every stored value of a row.
    pub(crate) fn for_each_in(&self, row: usize, mut visit: impl FnMut(usize, T)) {
        if let Ok(block) = self.samples().block(row..row + 1) {
            block.for_each(|_, column, value| visit(column, value));
        }
    }

    /// [`for_each`](Self::for_each) that stops at the first error.
    pub(crate) fn try_for_each<E>(
        &self,
        mut visit: impl FnMut(usize, usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut result = Ok(());
        self.for_each(|row, column, value| {
            if result.is_ok() {
                result = visit(row, column, value);
            }
        });
        result
    }

    /// Transposes the matrix and swaps the names of rows and columns.
    ///
    /// # Errors
    /// Never for a valid matrix; the constructor of samples checks again.
    pub fn transposed(self) -> Result<Self, SamplesError> {
        let values = match &self.values {
            TableValues::Dense(samples) => {
                let transposed = samples.view().reversed_axes().as_standard_layout().into_owned();
                TableValues::Dense(DenseSamples::new(transposed)?)
            }
            TableValues::Sparse(_) => TableValues::Sparse(self.transpose_sparse()?),
        };
        // The header of the row-name column has no counterpart after transposing.
        let (sample_names, feature_names) = (self.feature_names, self.sample_names);
        Ok(Self { values, sample_names, feature_names, corner: None })
    }

    /// Counting sort by column; the indices within each row of the result ascend.
    fn transpose_sparse(&self) -> Result<CsrSamples<'static, T>, SamplesError> {
        let mut starts = vec![0_usize; self.n_features() + 1];
        self.for_each(|_, column, _| starts[column + 1] += 1);
        for column in 0..self.n_features() {
            starts[column + 1] += starts[column];
        }
        let n_values = starts[self.n_features()];
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0_usize; n_values], vec![T::default(); n_values]);
        self.for_each(|row, column, value| {
            indices[next[column]] = row;
            values[next[column]] = value;
            next[column] += 1;
        });
        CsrSamples::new(self.n_samples(), &starts, indices, values)
    }

    /// The same samples with only these columns, in this order.
    ///
    /// # Errors
    /// If a column does not exist or occurs twice, or the list is empty.
    pub fn select_columns(&self, columns: &[usize]) -> Result<Self, FitError> {
        let values = match &self.values {
            TableValues::Sparse(samples) => TableValues::Sparse(samples.keep_features(columns)?),
            TableValues::Dense(samples) => {
                let view = samples.view();
                if let Some(missing) = columns.iter().find(|&&column| column >= view.ncols()) {
                    let expected = format!("it must be below {}", view.ncols());
                    return Err(SettingError::new("column", missing, expected).into());
                }
                TableValues::Dense(DenseSamples::new(view.select(Axis(1), columns))?)
            }
        };
        let names = self.feature_names.as_ref();
        let feature_names = names.map(|names| columns.iter().map(|&column| names[column].clone()).collect());
        Ok(Self {
            values,
            feature_names,
            sample_names: self.sample_names.clone(),
            corner: self.corner.clone(),
        })
    }

    /// Copies the matrix into a dense array.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn to_dense(&self) -> Result<Array2<T>, SamplesError> {
        match &self.values {
            TableValues::Dense(samples) => Ok(samples.view().to_owned()),
            TableValues::Sparse(_) => self.fill_with_zeros(),
        }
    }

    /// Like [`to_dense`](Self::to_dense), without copying a dense matrix.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn into_dense(self) -> Result<Array2<T>, SamplesError> {
        match self.values {
            TableValues::Dense(samples) => Ok(samples.into_array()),
            TableValues::Sparse(_) => self.fill_with_zeros(),
        }
    }

    fn fill_with_zeros(&self) -> Result<Array2<T>, SamplesError> {
        let shape = (self.n_samples(), self.n_features());
        let mut zeros = Vec::new();
        let n_values = shape.0.checked_mul(shape.1).filter(|&n| zeros.try_reserve_exact(n).is_ok());
        let too_large = || SamplesError::Unusable {
            reason: format!("{} × {} values are too many for a dense matrix", shape.0, shape.1),
        };
        zeros.resize(n_values.ok_or_else(too_large)?, T::default());
        let mut array = Array2::from_shape_vec(shape, zeros).map_err(|_| too_large())?;
        self.for_each(|row, column, value| array[[row, column]] = value);
        Ok(array)
    }
}

impl<T: Real> Samples<T> for SampleTable<T> {
    fn n_samples(&self) -> usize {
        self.n_samples()
    }

    fn n_features(&self) -> usize {
        self.n_features()
    }

    fn stored_values(&self) -> usize {
        self.samples().stored_values()
    }

    fn is_sparse(&self) -> bool {
        self.samples().is_sparse()
    }

    fn is_checked(&self) -> bool {
        self.samples().is_checked()
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        self.samples().block(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// [[1, 0, 2], [0, 3, 0]]
    fn sparse() -> SampleTable<f64> {
        let samples = CsrSamples::new(3, &[0_u8, 2, 3], vec![2_u8, 0, 1], vec![2.0, 1.0, 3.0]).unwrap();
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        SampleTable {
            sample_names: names(&["a", "b"]),
            feature_names: names(&["x", "y", "z"]),
            ..samples.into()
        }
    }

    #[test]
    fn a_sparse_matrix_is_filled_up_with_zeros() {
        assert_eq!(sparse().to_dense().unwrap(), array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]);
        assert_eq!(sparse().into_dense().unwrap(), sparse().to_dense().unwrap());
    }

    #[test]
    fn transposing_a_matrix_swaps_its_names() {
        let transposed = sparse().transposed().unwrap();
        assert_eq!(transposed.to_dense().unwrap(), array![[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]]);
        assert_eq!(transposed.sample_names.as_ref().map(Vec::len), Some(3));
        assert_eq!(transposed.feature_names, sparse().sample_names);
        let dense = SampleTable::try_from(array![[1.0_f32, 2.0, 3.0]]).unwrap().transposed().unwrap();
        assert_eq!(dense.to_dense().unwrap(), array![[1.0], [2.0], [3.0]]);
    }

    #[test]
    fn columns_are_selected_with_their_names() {
        let dense = SampleTable {
            feature_names: sparse().feature_names,
            ..sparse().to_dense().unwrap().try_into().unwrap()
        };
        for table in [sparse(), dense] {
            let selected = table.select_columns(&[2, 0]).unwrap();
            assert_eq!(selected.to_dense().unwrap(), array![[2.0, 1.0], [0.0, 0.0]]);
            assert_eq!(selected.feature_names.unwrap(), ["z", "x"]);
            assert!(table.select_columns(&[3]).is_err());
        }
    }

    #[test]
    fn a_matrix_that_no_memory_can_hold_is_refused() {
        let wide = CsrSamples::new(1 << 62, &[0_u8, 1, 1], vec![0_u8], vec![1.0_f64]).unwrap();
        let error = SampleTable::from(wide).to_dense().unwrap_err();
        assert!(error.to_string().contains("too many for a dense matrix"), "{error}");
    }

    #[test]
    fn a_table_implements_samples() {
        let table = sparse();
        let samples: &dyn Samples<f64> = &table;
        assert!(samples.is_sparse() && samples.is_checked());
        assert_eq!((samples.n_samples(), samples.n_features(), samples.stored_values()), (2, 3, 3));
        assert_eq!(samples.block(1..2).unwrap().n_samples(), 1);
        assert!(SampleTable::try_from(array![[f64::NAN]]).is_err(), "no table holds what is not finite");
    }
}
