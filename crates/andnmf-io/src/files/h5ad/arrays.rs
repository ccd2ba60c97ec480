//! Arrays of HDF5 as the numbers that a matrix is made of.

use hdf5_reader::{Attribute, Dataset, Datatype, H5Type, SliceInfo, SliceInfoElem};
use ndarray::Array2;

use super::{damaged, fault};
use crate::files::error::{Fault, Place, Problem};
use andnmf::Real;

/// Values that are read at a time, so that they are not held twice.
const AT_ONCE: u64 = 1 << 20;

/// Calls an expression with the type that a dataset's numbers have.
macro_rules! with_type {
    ($dataset:expr, $place:expr, $read:ident ( $($argument:expr),* )) => {
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
            other => Err(not_numbers(other, $place)),
        }
    };
}

fn not_numbers(found: &Datatype, place: &str) -> Fault {
    let what = match found {
        Datatype::FloatingPoint { size, .. } => format!("floating-point numbers of {size} bytes"),
        Datatype::FixedPoint { size, .. } => format!("whole numbers of {size} bytes"),
        Datatype::String { .. } | Datatype::VarLen { .. } => "text".to_owned(),
        Datatype::Enum { .. } => "truth values or other named ones".to_owned(),
        Datatype::Compound { .. } => "records".to_owned(),
        _ => "something else than numbers".to_owned(),
    };
    let instead =
        "it must hold numbers of the usual kinds (float32, float64, integers of up to 64 bits)".to_owned();
    Problem::Unsupported { what, instead }.at(Place::Part(place.to_owned()))
}

/// A number of a file in both the ways it may be wanted.
trait Number: H5Type + Copy {
    fn real(self) -> f64;
    fn whole(self) -> Option<u64>;
}

macro_rules! impl_number {
    ($($int:ident),*) => {$(
        impl Number for $int {
            fn real(self) -> f64 {
                self as f64
            }

            fn whole(self) -> Option<u64> {
                self.try_into().ok()
            }
        }
    )*};
}

impl_number!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for f32 {
    fn real(self) -> f64 {
        self.into()
    }

    fn whole(self) -> Option<u64> {
        f64::from(self).whole()
    }
}

impl Number for f64 {
    fn real(self) -> f64 {
        self
    }

    fn whole(self) -> Option<u64> {
        // Beyond this, floating-point numbers leave some out.
        (self >= 0.0 && self.fract() == 0.0 && self <= 9e15).then_some(self as u64)
    }
}

/// A dense matrix; every value is finite.
pub(super) fn matrix<T: Real>(dataset: &Dataset, place: &str) -> Result<Array2<T>, Fault> {
    let &[rows, columns] = dataset.shape() else {
        let what = format!("an array of {} dimensions", dataset.ndim());
        let instead = "a matrix has two".to_owned();
        return Err(Problem::Unsupported { what, instead }.at(Place::Part(place.to_owned())));
    };
    let values = reals(dataset, place, |at, value| {
        let (row, column) = (at / columns.max(1) + 1, at % columns.max(1) + 1);
        Problem::NotFinite { value }.at(Place::Value { row, column })
    })?;
    let shape = (rows as usize, columns as usize);
    Array2::from_shape_vec(shape, values).map_err(|_| damaged(format!("{place} has not all its values")))
}

/// Finite numbers one after another.
pub(super) fn list<T: Real>(dataset: &Dataset, place: &str) -> Result<Vec<T>, Fault> {
    one_dimension(dataset, place)?;
    reals(dataset, place, |_, value| Problem::NotFinite { value }.at(Place::Part(place.to_owned())))
}

fn reals<T: Real>(
    dataset: &Dataset,
    place: &str,
    wrong: impl Fn(u64, f64) -> Fault,
) -> Result<Vec<T>, Fault> {
    let mut values = Vec::new();
    let mut take = |value: f64| {
        values.push(T::from_f64(value));
        if T::from_f64(value).finite() { Ok(()) } else { Err(wrong(values.len() as u64 - 1, value)) }
    };
    with_type!(dataset, place, each(dataset, place, |number| take(number.real())))?;
    Ok(values)
}

/// Indices and positions.
pub(super) fn wholes(dataset: &Dataset, place: &str) -> Result<Vec<u64>, Fault> {
    one_dimension(dataset, place)?;
    let mut values = Vec::new();
    let mut take = |number: Option<u64>, real: f64| match number {
        Some(whole) => {
            values.push(whole);
            Ok(())
        }
        None => {
            let what = format!("number {} is {real}", values.len() + 1);
            let instead = "it must be a whole number of zero or more".to_owned();
            Err(Problem::Unsupported { what, instead }.at(Place::Part(place.to_owned())))
        }
    };
    with_type!(dataset, place, each(dataset, place, |number| take(number.whole(), number.real())))?;
    Ok(values)
}

fn one_dimension(dataset: &Dataset, place: &str) -> Result<(), Fault> {
    if dataset.ndim() == 1 {
        return Ok(());
    }
    Err(damaged(format!("{place} has {} dimensions, not one", dataset.ndim())))
}

/// Calls `take` with each number in order, some rows at a time.
fn each<N: Number, F: FnMut(N) -> Result<(), Fault>>(
    dataset: &Dataset,
    place: &str,
    mut take: F,
) -> Result<(), Fault> {
    let shape = dataset.shape();
    let rows = shape.first().copied().unwrap_or(0);
    let row_length = shape[1..].iter().fold(1_u64, |product, &n| product.saturating_mul(n)).max(1);
    // Whole chunks, or they would be unpacked once for each of their parts.
    let chunk_rows = dataset.chunks().and_then(|chunk| chunk.first().copied()).unwrap_or(1).max(1);
    let step = (AT_ONCE / row_length).max(1).next_multiple_of(u64::from(chunk_rows));
    let mut start = 0;
    while start < rows {
        let end = start.saturating_add(step).min(rows);
        let range = |start, end| SliceInfoElem::Slice { start, end, step: 1 };
        let mut selections = vec![range(start, end)];
        selections.extend(shape[1..].iter().map(|&n| range(0, n)));
        let block = dataset.read_slice::<N>(&SliceInfo { selections }).map_err(fault(place))?;
        block.iter().try_for_each(|&number| take(number))?;
        start = end;
    }
    Ok(())
}

/// The numbers of an attribute, of whatever integer type.
pub(super) fn attribute(attribute: &Attribute) -> Option<Vec<u64>> {
    fn of<N: Number>(attribute: &Attribute) -> Option<Vec<u64>> {
        attribute.read_1d::<N>().ok()?.into_iter().map(Number::whole).collect()
    }
    let readers = [of::<i64>, of::<u64>, of::<i32>, of::<u32>];
    readers.iter().find_map(|read| read(attribute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_of_zero_or_more_are_indices() {
        assert_eq!((3.0_f64.whole(), 0.0_f32.whole(), 7_i8.whole()), (Some(3), Some(0), Some(7)));
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(wrong.whole(), None, "{wrong}");
        }
        assert_eq!((-1_i64).whole(), None);
    }
}
