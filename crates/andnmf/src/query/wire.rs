//! The binary wire format of queries and partial results, for distributed execution.
//!
//! Little-endian, without padding; lists and matrices are preceded by their lengths. Input is not trusted: lengths are
//! compared with the remaining bytes before memory is allocated, and unread bytes are an error.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, CowArray, Ix2};

use crate::{Real, SamplesError};

/// A malformed message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("the message ends too early: it needs {needed} more bytes, but has {left}")]
    Truncated { needed: u128, left: usize },
    #[error("the message has {left} bytes too many")]
    TooLong { left: usize },
    #[error("{what} cannot be {value}")]
    Value { what: &'static str, value: u64 },
    #[error(
        "partial results of {left} and {right} values cannot be merged: they belong to different queries"
    )]
    Shape { left: usize, right: usize },
}

impl From<WireError> for SamplesError {
    fn from(error: WireError) -> Self {
        Self::Executor { reason: error.to_string() }
    }
}

/// A value with a binary form.
pub(crate) trait Wire: Sized {
    fn write(&self, to: &mut WireWriter);
    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError>;
}

/// Implements [`Wire`] for a struct, field by field.
macro_rules! wire {
    (impl [$($generics:tt)*] $type:ty { $($field:ident),* $(,)? }) => {
        impl<$($generics)*> $crate::query::Wire for $type {
            #[allow(unused_variables, reason = "a struct may have no fields")]
            fn write(&self, to: &mut $crate::query::WireWriter) {
                $($crate::query::Wire::write(&self.$field, to);)*
            }

            #[allow(unused_variables, reason = "a struct may have no fields")]
            fn read(from: &mut $crate::query::WireReader<'_>) -> Result<Self, $crate::query::WireError> {
                Ok(Self { $($field: $crate::query::Wire::read(from)?),* })
            }
        }
    };
}
pub(crate) use wire;

/// Collects the bytes of a message.
#[derive(Debug, Default)]
pub(crate) struct WireWriter {
    bytes: Vec<u8>,
}

impl WireWriter {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Values without their count.
    pub(crate) fn values<'v, T: Real>(&mut self, values: impl ExactSizeIterator<Item = &'v T>) {
        let size = size_of::<T>();
        let start = self.bytes.len();
        self.bytes.resize(start + values.len() * size, 0);
        for (to, v) in self.bytes[start..].chunks_exact_mut(size).zip(values) {
            to.copy_from_slice(&v.bits().to_le_bytes()[..size]);
        }
    }

    /// A matrix without its shape, row by row.
    pub(crate) fn rows<T: Real>(&mut self, matrix: ArrayView2<'_, T>) {
        match matrix.as_slice() {
            Some(values) => self.values(values.iter()),
            None => matrix.outer_iter().for_each(|row| self.values(row.iter())),
        }
    }
}

/// Reads a message.
#[derive(Debug)]
pub(crate) struct WireReader<'a> {
    bytes: &'a [u8],
}

impl<'a> WireReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(WireError::Truncated { needed: count as u128, left: self.bytes.len() });
        };
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads `count` values. Memory is allocated only if the message contains them.
    pub(crate) fn values<T: Real>(&mut self, count: usize) -> Result<Vec<T>, WireError> {
        let size = size_of::<T>();
        let needed = count as u128 * size as u128;
        let bytes =
            usize::try_from(needed).map_err(|_| WireError::Truncated { needed, left: self.bytes.len() })?;
        let value = |bytes: &[u8]| {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(bytes);
            T::try_from_bits(u64::from_le_bytes(bits)).unwrap_or_default()
        };
        Ok(self.take(bytes)?.chunks_exact(size).map(value).collect())
    }

    /// Reads a matrix of this shape, row by row.
    pub(crate) fn matrix<T: Real>(&mut self, rows: usize, columns: usize) -> Result<Array2<T>, WireError> {
        let needed = rows as u128 * columns as u128;
        let truncated = WireError::Truncated { needed, left: self.bytes.len() };
        let Ok(count) = usize::try_from(needed) else { return Err(truncated) };
        Array2::from_shape_vec((rows, columns), self.values(count)?).map_err(|_| truncated)
    }

    /// Reads all remaining bytes as a matrix with `rows` rows.
    pub(crate) fn all_rows<T: Real>(&mut self, rows: usize) -> Result<Array2<T>, WireError> {
        let columns = self.bytes.len() / size_of::<T>() / rows.max(1);
        self.matrix(rows, columns)
    }

    /// Refuses unread bytes.
    pub(crate) fn finish(self) -> Result<(), WireError> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(WireError::TooLong { left }),
        }
    }
}

impl Wire for () {
    fn write(&self, _: &mut WireWriter) {}

    fn read(_: &mut WireReader<'_>) -> Result<Self, WireError> {
        Ok(())
    }
}

impl Wire for u64 {
    fn write(&self, to: &mut WireWriter) {
        to.bytes.extend(self.to_le_bytes());
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let mut bits = [0; 8];
        bits.copy_from_slice(from.take(8)?);
        Ok(u64::from_le_bytes(bits))
    }
}

impl Wire for usize {
    fn write(&self, to: &mut WireWriter) {
        (*self as u64).write(to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let value = u64::read(from)?;
        value.try_into().map_err(|_| WireError::Value { what: "a number on this machine", value })
    }
}

impl Wire for bool {
    fn write(&self, to: &mut WireWriter) {
        u64::from(*self).write(to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        match u64::read(from)? {
            value @ 0..=1 => Ok(value == 1),
            value => Err(WireError::Value { what: "a flag", value }),
        }
    }
}

impl Wire for f64 {
    fn write(&self, to: &mut WireWriter) {
        self.to_bits().write(to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        u64::read(from).map(f64::from_bits)
    }
}

impl Wire for Vec<u64> {
    fn write(&self, to: &mut WireWriter) {
        self.len().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        // As the bits of numbers of the same width.
        Ok(Vec::<f64>::read(from)?.into_iter().map(f64::to_bits).collect())
    }
}

impl<T: Real> Wire for Vec<T> {
    fn write(&self, to: &mut WireWriter) {
        self.len().write(to);
        to.values(self.iter());
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let count = usize::read(from)?;
        from.values(count)
    }
}

impl<T: Real> Wire for Cow<'_, [T]> {
    fn write(&self, to: &mut WireWriter) {
        self.len().write(to);
        to.values(self.iter());
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        Vec::read(from).map(Cow::Owned)
    }
}

impl<T: Real> Wire for Array2<T> {
    fn write(&self, to: &mut WireWriter) {
        write_matrix(self.view(), to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let (rows, columns) = (usize::read(from)?, usize::read(from)?);
        from.matrix(rows, columns)
    }
}

impl<T: Real> Wire for CowArray<'_, T, Ix2> {
    fn write(&self, to: &mut WireWriter) {
        write_matrix(self.view(), to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        Array2::read(from).map(CowArray::from)
    }
}

/// Writes a matrix with its shape, row by row.
pub(crate) fn write_matrix<T: Real>(matrix: ArrayView2<'_, T>, to: &mut WireWriter) {
    matrix.nrows().write(to);
    matrix.ncols().write(to);
    to.rows(matrix);
}

/// The bytes of a value.
pub(crate) fn to_bytes(value: &impl Wire) -> Vec<u8> {
    let mut to = WireWriter::default();
    value.write(&mut to);
    to.into_bytes()
}

/// Reads a value from all of these bytes.
pub(crate) fn from_bytes<W: Wire>(bytes: &[u8]) -> Result<W, WireError> {
    let mut from = WireReader::new(bytes);
    let value = W::read(&mut from)?;
    from.finish()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[derive(Debug, Clone, PartialEq)]
    struct All {
        flag: bool,
        count: usize,
        number: f64,
        counts: Vec<u64>,
        values: Vec<f32>,
        matrix: Array2<f64>,
        narrow: Array2<f32>,
    }
    wire!(impl [] All { flag, count, number, counts, values, matrix, narrow });

    fn all() -> All {
        let mut matrix = random_matrix::<f64>(3, 4, 1);
        matrix[[1, 2]] = f64::NEG_INFINITY;
        let narrow = random_matrix::<f32>(2, 5, 2);
        let (counts, values) = (vec![0, u64::MAX, 7], vec![1.5, -0.0, f32::MIN_POSITIVE]);
        All { flag: true, count: 12, number: -0.1, counts, values, matrix, narrow }
    }

    #[test]
    fn a_message_is_read_back_as_written() {
        assert_eq!(from_bytes::<All>(&to_bytes(&all())), Ok(all()));
        let turned = random_matrix::<f64>(4, 3, 5).reversed_axes();
        let read = from_bytes::<Array2<f64>>(&to_bytes(&turned)).unwrap();
        assert!(read == turned && read.is_standard_layout());
        let nan = from_bytes::<Vec<f32>>(&to_bytes(&vec![f32::NAN])).unwrap();
        assert!(nan[0].is_nan());
    }

    #[test]
    fn truncated_and_oversized_messages_are_refused() {
        let bytes = to_bytes(&all());
        for end in 0..bytes.len() {
            assert!(from_bytes::<All>(&bytes[..end]).is_err(), "{end}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(from_bytes::<All>(&longer), Err(WireError::TooLong { left: 1 }));
        assert!(from_bytes::<bool>(&to_bytes(&2_u64)).is_err());
    }

    #[test]
    fn declared_sizes_allocate_nothing() {
        // Matrices and lists of exabytes are refused before memory is allocated, whatever the product of the sizes.
        for sizes in [[1 << 40, 1 << 40], [u64::MAX, u64::MAX], [u64::MAX, 1], [1 << 61, 8], [u64::MAX, 0]] {
            let bytes = to_bytes(&sizes.to_vec())[8..].to_vec();
            assert!(from_bytes::<Array2<f64>>(&bytes).is_err(), "{sizes:?}");
            assert!(from_bytes::<Array2<f32>>(&bytes).is_err(), "{sizes:?}");
            assert!(from_bytes::<Vec<f64>>(&bytes).is_err(), "{sizes:?}");
        }
    }

    #[test]
    fn damaged_messages_never_panic() {
        let bytes = to_bytes(&all());
        for position in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[position] = value;
                let _ = from_bytes::<All>(&damaged);
            }
        }
    }
}
