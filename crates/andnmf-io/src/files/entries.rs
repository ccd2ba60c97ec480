//! Builds a sparse matrix (CSR) from entries in coordinate form (COO).

use super::budget::Budget;
use super::error::{LocatedProblem, Problem};
use andnmf::Real;
use andnmf::memory::{Bytes, product};
use andnmf::samples::CsrSamples;

/// Receives the entries of a sparse matrix as they are read, in the order of the file.
pub(crate) trait EntrySink<T> {
    /// Receives an entry; row and column count from 0 and are already [checked](zero_based_index).
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), LocatedProblem>;
}

impl<T: Real> EntrySink<T> for CooBuilder<T> {
    #[inline]
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), LocatedProblem> {
        self.push(row, column, value)?;
        Ok(())
    }
}

/// Collects entries of a sparse matrix in any order; duplicates (same row and column) are summed.
pub(crate) struct CooBuilder<T> {
    budget: Budget,
    order: EntryOrder,
    columns: Vec<u32>,
    values: Vec<T>,
}

/// The rows of the entries.
enum EntryOrder {
    /// Entries sorted by row, as in most files: each non-empty row with the number of entries up to its end.
    ByRow(Vec<(u32, usize)>),
    /// The row of each entry.
    Unordered(Vec<u32>),
}

impl<T: Real> CooBuilder<T> {
    /// Bytes of an entry: row, column and value.
    const ENTRY: usize = 8 + size_of::<T>();

    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, order: EntryOrder::ByRow(Vec::new()), columns: Vec::new(), values: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, row: u32, column: u32, value: T) -> Result<(), Problem> {
        if self.values.capacity() == self.values.len() {
            self.budget.grow(&mut self.values, 1, Self::ENTRY)?;
            self.columns.reserve_exact(self.values.capacity() - self.columns.len());
        }
        self.columns.push(column);
        self.values.push(value);
        let n = self.values.len();
        match &mut self.order {
            EntryOrder::Unordered(rows) => {
                if rows.capacity() == rows.len() {
                    rows.reserve_exact(self.values.capacity() - rows.len());
                }
                rows.push(row);
            }
            EntryOrder::ByRow(runs) => match runs.last_mut() {
                Some((last, end)) if *last == row => *end = n,
                Some((last, _)) if *last > row => {
                    let mut rows = Vec::with_capacity(self.values.capacity());
                    for &(row, end) in runs.iter() {
                        rows.resize(end, row);
                    }
                    rows.push(row);
                    self.order = EntryOrder::Unordered(rows);
                }
                _ => runs.push((row, n)),
            },
        }
        Ok(())
    }

    /// Subtracts 1 from every column, for files that count columns from 1.
    pub(crate) fn count_columns_from_zero(&mut self) {
        self.columns.iter_mut().for_each(|column| *column = column.saturating_sub(1));
    }

    /// Builds the matrix with these dimensions.
    pub(crate) fn into_samples(
        self,
        n_samples: u64,
        n_features: u64,
    ) -> Result<CsrSamples<'static, T>, LocatedProblem> {
        let (n_samples, n_features) = check_sizes(n_samples, n_features, self.len())?;
        // The sorted matrix exists beside the entries for a moment.
        let sorted = product(&[n_samples, 16])
            .saturating_add(product(&[self.len(), size_of::<u32>() + size_of::<T>()]));
        let entries = product(&[self.values.capacity(), Self::ENTRY]);
        self.budget.check(entries.saturating_add(sorted), sorted)?;
        let mut starts = vec![0_usize; n_samples + 1];
        let EntryOrder::Unordered(rows) = &self.order else {
            return self.into_samples_by_row(starts, n_features);
        };
        for &row in rows {
            starts[row as usize + 1] += 1;
        }
        for row in 0..n_samples {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0_u32; self.len()], vec![T::default(); self.len()]);
        for ((&row, &column), &value) in rows.iter().zip(&self.columns).zip(&self.values) {
            let at = &mut next[row as usize];
            columns[*at] = column;
            values[*at] = value;
            *at += 1;
        }
        Ok(CsrSamples::new(n_features, &starts, columns, values)?)
    }

    fn into_samples_by_row(
        self,
        mut starts: Vec<usize>,
        n_features: usize,
    ) -> Result<CsrSamples<'static, T>, LocatedProblem> {
        let (mut row, mut end) = (0, 0);
        if let EntryOrder::ByRow(runs) = &self.order {
            for &(filled, filled_end) in runs {
                starts[row + 1..=filled as usize].fill(end);
                (row, end) = (filled as usize, filled_end);
                starts[row + 1] = end;
            }
        }
        if let Some(rest) = starts.get_mut(row + 1..) {
            rest.fill(end);
        }
        Ok(CsrSamples::new(n_features, &starts, self.columns, self.values)?)
    }
}

/// Converts an index that counts from `lowest` to `lowest + n - 1` into one that counts from 0.
#[inline]
pub(crate) fn zero_based_index(index: i128, lowest: u64, n: u64) -> Result<u32, Problem> {
    let from_zero = index - i128::from(lowest);
    if from_zero < 0 || from_zero >= i128::from(n) {
        let highest = lowest.saturating_add(n).saturating_sub(1);
        return Err(Problem::Index { index, lowest, highest });
    }
    u32::try_from(from_zero).map_err(|_| Problem::Unsupported {
        what: format!("index {index} needs more than 32 bits"),
        instead: "remove empty rows and columns".to_owned(),
    })
}

/// Checks the dimensions of a sparse matrix and converts them to `usize`.
///
/// Empty rows and columns cost nothing in a file but memory later: a tiny file must not require gigabytes. Real data
/// (one row per document, hashed features) stay far below these limits.
pub(crate) fn check_sizes(
    n_samples: u64,
    n_features: u64,
    n_values: usize,
) -> Result<(usize, usize), LocatedProblem> {
    let limit = |free: u64| free.saturating_add(64 * n_values as u64);
    let check = |n: u64, limit: u64, what: &str| {
        if n > limit {
            return Err(Problem::DeclaredSize {
                declared: format!("{n} {what}"),
                limit: format!("{limit} {what} with its {n_values} values"),
            });
        }
        usize::try_from(n).map_err(|_| Problem::Empty)
    };
    Ok((check(n_samples, limit(1 << 20), "rows")?, check(n_features, limit(1 << 24), "columns")?))
}

/// Refuses to fill up a matrix of `n_values` values with zeros, if it then takes far more space than they justify;
/// `bytes_per_value` is what each zero takes.
pub(crate) fn check_dense(
    n_samples: u64,
    n_features: u64,
    n_values: usize,
    bytes_per_value: usize,
) -> Result<(), LocatedProblem> {
    let all = n_samples.saturating_mul(n_features);
    if all <= (1_u64 << 24).saturating_add((n_values as u64).saturating_mul(1024)) {
        return Ok(());
    }
    let bytes = Bytes(all.saturating_mul(bytes_per_value as u64));
    let what = format!(
        "{n_samples} × {n_features} values, of which at most {n_values} are not zero, take at least {bytes} with all zeros"
    );
    let instead = "use a sparse format, such as .npz or .csrstore".to_owned();
    Err(Problem::Unsupported { what, instead }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::SampleTable;
    use ndarray::{Array2, array};

    fn dense(entries: &[(u32, u32, f64)], shape: (u64, u64)) -> Array2<f64> {
        let mut all = CooBuilder::new(Budget::default());
        entries.iter().for_each(|&(row, column, value)| all.push(row, column, value).unwrap());
        SampleTable::from(all.into_samples(shape.0, shape.1).unwrap()).to_dense().unwrap()
    }

    #[test]
    fn entries_give_the_same_matrix_in_any_order() {
        let mut entries = [(0, 1, 1.0), (2, 0, 2.0), (2, 2, 3.0), (5, 1, 4.0), (5, 1, 0.5)];
        let mut expected = Array2::<f64>::zeros((7, 3));
        entries.iter().for_each(|&(row, column, value)| expected[[row as usize, column as usize]] += value);
        assert_eq!(dense(&entries, (7, 3)), expected);
        for turn in 1..entries.len() {
            entries.rotate_left(turn);
            assert_eq!(dense(&entries, (7, 3)), expected, "{entries:?}");
        }
        assert_eq!(dense(&[], (2, 2)), array![[0.0, 0.0], [0.0, 0.0]]);
        assert_eq!(dense(&[(1, 0, 5.0)], (2, 1)), array![[0.0], [5.0]]);
    }

    #[test]
    fn too_many_declared_rows_are_refused() {
        for shape in [(1 << 40, 3), (3, 1 << 40), (u64::MAX, 1)] {
            let mut entries = CooBuilder::new(Budget::default());
            entries.push(0, 0, 1.0_f32).unwrap();
            let error = entries.into_samples(shape.0, shape.1).unwrap_err();
            assert!(matches!(error.problem, Problem::DeclaredSize { .. }), "{}", error.problem);
        }
        assert!(CooBuilder::<f64>::new(Budget::default()).into_samples(0, 3).is_err(), "a matrix has rows");
    }

    #[test]
    fn a_matrix_of_zeros_is_not_filled_up_without_bound() {
        assert!(check_dense(1 << 20, 1 << 20, 1 << 30, 2).is_ok());
        assert!(check_dense(1 << 12, 1 << 12, 0, 8).is_ok());
        let error = check_dense(1_000_000, 1_000_000, 1, 2).unwrap_err().problem.to_string();
        assert!(error.contains("take at least 2000G") || error.contains("take at least 2T"), "{error}");
    }

    #[test]
    fn indices_are_checked_against_their_range() {
        assert_eq!(zero_based_index(1, 1, 5).unwrap(), 0);
        assert_eq!(zero_based_index(5, 1, 5).unwrap(), 4);
        for (index, lowest) in [(0, 1), (6, 1), (5, 0), (-1, 0)] {
            assert!(zero_based_index(index, lowest, 5).is_err(), "{index}");
        }
        assert!(zero_based_index(1 << 33, 0, 1 << 34).is_err());
        assert!(zero_based_index(0, 1, u64::MAX - 1).is_err());
    }
}
