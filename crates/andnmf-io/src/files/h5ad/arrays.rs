//! Reads HDF5 arrays as the numbers of a matrix.

use hdf5_reader::{Attribute, Dataset, Datatype, H5Type, SliceInfo, SliceInfoElem};
use ndarray::Array2;

use super::{damaged, hdf5_problem};
use crate::files::error::{LocatedProblem, Location, Problem};
use andnmf::Real;

/// Values read at a time, so that the array is not in memory twice.
const VALUES_PER_READ: u64 = 1 << 20;

/// Calls a generic function with the number type of a dataset.
macro_rules! with_type {
    ($dataset:expr, $dataset_path:expr, $read:ident ( $($argument:expr),* )) => {
        match $dataset.dtype() {
            Datatype::FloatingPoint { size: 4, .. } => $read::<f32, _>($($argument),*),
            Datatype::FloatingPoint { size: 8, .. } => $read::<f64, _>($($argument),*),
            Datatype::FixedPoint { size: 1, signed: true, .. } => $read::<i8, _>($($argument),*),
            Datatype::FixedPoint { size: 2, signed: true, .. } => $read::<i16, _>($($argument),*),
            Datatype::FixedPoint { size: 4, signed: true, .. } => $read::<i32, _>($($argument),*),
            Datatype::FixedPoint { size: 8, signed: true, .. } => $read::<i64, _>($($argument),*),
            Datatype::FixedPoint { size: 1, signed: false, .. } => $read::<u8, _>($($argument),*),
            Datatype::FixedPoint { size: 2, signed: false, .. } => $read::<u16, _>($($argument),*),
            Datatype::FixedPoint { size: 4, signed: false, .. } => $read::<u32, _>($($argument),*),
            Datatype::FixedPoint { size: 8, signed: false, .. } => $read::<u64, _>($($argument),*),
            other => Err(unsupported_type(other, $dataset_path)),
        }
    };
}

fn unsupported_type(datatype: &Datatype, dataset_path: &str) -> LocatedProblem {
    let what = match datatype {
        Datatype::FloatingPoint { size, .. } => format!("floating-point numbers of {size} bytes"),
        Datatype::FixedPoint { size, .. } => format!("integers of {size} bytes"),
        Datatype::String { .. } | Datatype::VarLen { .. } => "text".to_owned(),
        Datatype::Enum { .. } => "booleans or other enumerations".to_owned(),
        Datatype::Compound { .. } => "records".to_owned(),
        _ => "values that are not numbers".to_owned(),
    };
    let instead = "save it as float32, float64 or integers of up to 64 bits".to_owned();
    Problem::Unsupported { what, instead }.at(Location::Part(dataset_path.to_owned()))
}

/// A number in a file, convertible to `f64` and to `u64`.
trait Hdf5Number: H5Type + Copy {
    fn to_f64(self) -> f64;
    fn to_u64(self) -> Option<u64>;
}

macro_rules! impl_hdf5_number {
    ($($int:ident),*) => {$(
        impl Hdf5Number for $int {
            fn to_f64(self) -> f64 {
                self as f64
            }

            fn to_u64(self) -> Option<u64> {
                self.try_into().ok()
            }
        }
    )*};
}

impl_hdf5_number!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Hdf5Number for f32 {
    fn to_f64(self) -> f64 {
        self.into()
    }

    fn to_u64(self) -> Option<u64> {
        f64::from(self).to_u64()
    }
}

impl Hdf5Number for f64 {
    fn to_f64(self) -> f64 {
        self
    }

    fn to_u64(self) -> Option<u64> {
        // Larger floating-point numbers do not represent all integers.
        (self >= 0.0 && self.fract() == 0.0 && self <= 9e15).then_some(self as u64)
    }
}

/// Reads a dense matrix; every value is finite.
pub(super) fn matrix<T: Real>(dataset: &Dataset, dataset_path: &str) -> Result<Array2<T>, LocatedProblem> {
    let &[rows, columns] = dataset.shape() else {
        let what = format!("an array of {} dimensions", dataset.ndim());
        let instead = "a matrix has 2".to_owned();
        return Err(Problem::Unsupported { what, instead }.at(Location::Part(dataset_path.to_owned())));
    };
    let values = reals(dataset, dataset_path, |at, value| {
        let (row, column) = (at / columns.max(1) + 1, at % columns.max(1) + 1);
        Problem::NotFinite { value }.at(Location::Value { row, column })
    })?;
    let shape = (rows as usize, columns as usize);
    Array2::from_shape_vec(shape, values).map_err(|_| damaged(format!("{dataset_path} has missing values")))
}

/// Reads a one-dimensional array of finite numbers.
pub(super) fn vector<T: Real>(dataset: &Dataset, dataset_path: &str) -> Result<Vec<T>, LocatedProblem> {
    one_dimension(dataset, dataset_path)?;
    reals(dataset, dataset_path, |_, value| {
        Problem::NotFinite { value }.at(Location::Part(dataset_path.to_owned()))
    })
}

fn reals<T: Real>(
    dataset: &Dataset,
    dataset_path: &str,
    error_at: impl Fn(u64, f64) -> LocatedProblem,
) -> Result<Vec<T>, LocatedProblem> {
    let mut values = Vec::new();
    let mut take = |value: f64| {
        values.push(T::from_f64(value));
        if T::from_f64(value).finite() { Ok(()) } else { Err(error_at(values.len() as u64 - 1, value)) }
    };
    with_type!(
        dataset,
        dataset_path,
        for_each_number(dataset, dataset_path, |number| take(number.to_f64()))
    )?;
    Ok(values)
}

/// Reads a one-dimensional array of indices.
pub(super) fn unsigned(dataset: &Dataset, dataset_path: &str) -> Result<Vec<u64>, LocatedProblem> {
    one_dimension(dataset, dataset_path)?;
    let mut values = Vec::new();
    let mut take = |number: Option<u64>, real: f64| match number {
        Some(whole) => {
            values.push(whole);
            Ok(())
        }
        None => {
            let what = format!("value {} is {real}", values.len() + 1);
            let instead = "it must be an integer of 0 or more".to_owned();
            Err(Problem::Unsupported { what, instead }.at(Location::Part(dataset_path.to_owned())))
        }
    };
    with_type!(
        dataset,
        dataset_path,
        for_each_number(dataset, dataset_path, |number| take(number.to_u64(), number.to_f64()))
    )?;
    Ok(values)
}

fn one_dimension(dataset: &Dataset, dataset_path: &str) -> Result<(), LocatedProblem> {
    if dataset.ndim() == 1 {
        return Ok(());
    }
    Err(damaged(format!("{dataset_path} has {} dimensions instead of 1", dataset.ndim())))
}

/// Calls `take` with each number in order, reading some rows at a time.
fn for_each_number<N: Hdf5Number, F: FnMut(N) -> Result<(), LocatedProblem>>(
    dataset: &Dataset,
    dataset_path: &str,
    mut take: F,
) -> Result<(), LocatedProblem> {
    let shape = dataset.shape();
    let rows = shape.first().copied().unwrap_or(0);
    let row_length = shape[1..].iter().fold(1_u64, |product, &n| product.saturating_mul(n)).max(1);
    // Whole chunks, so that each is decompressed only once.
    let chunk_rows = dataset.chunks().and_then(|chunk| chunk.first().copied()).unwrap_or(1).max(1);
    let step = (VALUES_PER_READ / row_length).max(1).next_multiple_of(u64::from(chunk_rows));
    let mut start = 0;
    while start < rows {
        let end = start.saturating_add(step).min(rows);
        let range = |start, end| SliceInfoElem::Slice { start, end, step: 1 };
        let mut selections = vec![range(start, end)];
        selections.extend(shape[1..].iter().map(|&n| range(0, n)));
        let block = dataset.read_slice::<N>(&SliceInfo { selections }).map_err(hdf5_problem(dataset_path))?;
        block.iter().try_for_each(|&number| take(number))?;
        start = end;
    }
    Ok(())
}

/// Reads the numbers of an attribute of any integer type.
pub(super) fn attribute(attribute: &Attribute) -> Option<Vec<u64>> {
    fn of<N: Hdf5Number>(attribute: &Attribute) -> Option<Vec<u64>> {
        attribute.read_1d::<N>().ok()?.into_iter().map(Hdf5Number::to_u64).collect()
    }
    let readers = [of::<i64>, of::<u64>, of::<i32>, of::<u32>];
    readers.iter().find_map(|read| read(attribute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_of_zero_or_more_are_indices() {
        assert_eq!((3.0_f64.to_u64(), 0.0_f32.to_u64(), 7_i8.to_u64()), (Some(3), Some(0), Some(7)));
        for invalid in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(invalid.to_u64(), None, "{invalid}");
        }
        assert_eq!((-1_i64).to_u64(), None);
    }
}
