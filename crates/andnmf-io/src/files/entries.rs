//! A sparse matrix put together from entries as they are read.

use super::error::{Fault, Problem};
use andnmf::Real;
use andnmf::samples::CsrSamples;

/// Whoever takes the entries of a sparse matrix as they are read, in whatever order the file has them.
pub(crate) trait EntrySink<T> {
    /// Takes an entry; row and column count from 0 and have been [checked](position).
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), Fault>;
}

impl<T: Real> EntrySink<T> for Entries<T> {
    #[inline]
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), Fault> {
        self.push(row, column, value);
        Ok(())
    }
}

/// Entries of a sparse matrix, in any order; those of the same place are added up.
pub(crate) struct Entries<T> {
    order: Order,
    columns: Vec<u32>,
    values: Vec<T>,
}

/// In which rows the entries are.
enum Order {
    /// One row after another, as most files have them: rows that have entries, each with the number of entries
    /// up to its end.
    Rising(Vec<(u32, usize)>),
    /// The row of each entry.
    Any(Vec<u32>),
}

impl<T: Real> Entries<T> {
    pub(crate) fn new() -> Self {
        Self { order: Order::Rising(Vec::new()), columns: Vec::new(), values: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, row: u32, column: u32, value: T) {
        self.columns.push(column);
        self.values.push(value);
        let n = self.values.len();
        match &mut self.order {
            Order::Any(rows) => rows.push(row),
            Order::Rising(runs) => match runs.last_mut() {
                Some((last, end)) if *last == row => *end = n,
                Some((last, _)) if *last > row => {
                    let mut rows = Vec::with_capacity(n);
                    for &(row, end) in runs.iter() {
                        rows.resize(end, row);
                    }
                    rows.push(row);
                    self.order = Order::Any(rows);
                }
                _ => runs.push((row, n)),
            },
        }
    }

    /// Takes one from every column: for files that turn out to count them from 1.
    pub(crate) fn count_columns_from_zero(&mut self) {
        self.columns.iter_mut().for_each(|column| *column = column.saturating_sub(1));
    }

    /// The matrix of these sizes.
    pub(crate) fn into_samples(
        self,
        n_samples: u64,
        n_features: u64,
    ) -> Result<CsrSamples<'static, T>, Fault> {
        let (n_samples, n_features) = check_sizes(n_samples, n_features, self.len())?;
        let mut starts = vec![0_usize; n_samples + 1];
        let Order::Any(rows) = &self.order else { return self.in_order(starts, n_features) };
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

    fn in_order(self, mut starts: Vec<usize>, n_features: usize) -> Result<CsrSamples<'static, T>, Fault> {
        let (mut row, mut end) = (0, 0);
        if let Order::Rising(runs) = &self.order {
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

/// An index of a file that counts from `lowest` up to `lowest + n - 1`, counted from 0.
#[inline]
pub(crate) fn position(index: i128, lowest: u64, n: u64) -> Result<u32, Problem> {
    let from_zero = index - i128::from(lowest);
    if from_zero < 0 || from_zero >= i128::from(n) {
        let highest = lowest.saturating_add(n).saturating_sub(1);
        return Err(Problem::Index { index, lowest, highest });
    }
    u32::try_from(from_zero).map_err(|_| Problem::Unsupported {
        what: format!("index {index} needs more than 32 bits"),
        instead: "leave out empty rows and columns".to_owned(),
    })
}

/// The sizes of a sparse matrix as array sizes.
///
/// Empty rows cost nothing in a file and eight bytes each in memory, empty columns as much in everything that is
/// computed later: a few bytes must not call for gigabytes. What people have (a row for every document, hashed
/// features) stays far below these limits.
pub(crate) fn check_sizes(n_samples: u64, n_features: u64, n_values: usize) -> Result<(usize, usize), Fault> {
    let limit = |free: u64| free.saturating_add(64 * n_values as u64);
    let check = |n: u64, limit: u64, what: &str| {
        if n > limit {
            return Err(Problem::DeclaredSize {
                declared: format!("{n} {what}"),
                held: format!("{limit} {what} with its {n_values} values"),
            });
        }
        usize::try_from(n).map_err(|_| Problem::Empty)
    };
    Ok((check(n_samples, limit(1 << 20), "rows")?, check(n_features, limit(1 << 24), "columns")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Table;
    use ndarray::{Array2, array};

    fn dense(entries: &[(u32, u32, f64)], shape: (u64, u64)) -> Array2<f64> {
        let mut all = Entries::new();
        entries.iter().for_each(|&(row, column, value)| all.push(row, column, value));
        Table::from(all.into_samples(shape.0, shape.1).unwrap()).to_dense().unwrap()
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
    fn rows_without_end_are_refused() {
        for shape in [(1 << 40, 3), (3, 1 << 40), (u64::MAX, 1)] {
            let mut entries = Entries::new();
            entries.push(0, 0, 1.0_f32);
            let fault = entries.into_samples(shape.0, shape.1).unwrap_err();
            assert!(matches!(fault.problem, Problem::DeclaredSize { .. }), "{}", fault.problem);
        }
        assert!(Entries::<f64>::new().into_samples(0, 3).is_err(), "a matrix has rows");
    }

    #[test]
    fn indices_are_checked_against_their_range() {
        assert_eq!(position(1, 1, 5).unwrap(), 0);
        assert_eq!(position(5, 1, 5).unwrap(), 4);
        for (index, lowest) in [(0, 1), (6, 1), (5, 0), (-1, 0)] {
            assert!(position(index, lowest, 5).is_err(), "{index}");
        }
        assert!(position(1 << 33, 0, 1 << 34).is_err());
        assert!(position(0, 1, u64::MAX - 1).is_err());
    }
}
