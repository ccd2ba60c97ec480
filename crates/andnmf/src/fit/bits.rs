//! Serialization of numbers by their bits, for checkpoints: decimal text is rounded, and some formats have no infinity.

use ndarray::Array2;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Real;

/// A list of numbers.
pub(crate) mod list {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(values: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(|v| v.to_bits()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<u64>::deserialize(from)?.into_iter().map(f64::from_bits).collect())
    }
}

/// A number.
pub(crate) mod number {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        value.to_bits().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// An optional number.
pub(crate) mod optional {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        value.map(f64::to_bits).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(f64::from_bits))
    }
}

/// A matrix, row by row.
#[derive(Serialize, Deserialize)]
struct MatrixBits {
    rows: usize,
    columns: usize,
    bits: Vec<u64>,
}

impl MatrixBits {
    fn of<T: Real>(array: &Array2<T>) -> Self {
        let (rows, columns) = array.dim();
        Self { rows, columns, bits: array.iter().map(|v| v.bits()).collect() }
    }

    fn into_array<T: Real, E: Error>(self) -> Result<Array2<T>, E> {
        let values: Option<Vec<T>> = self.bits.into_iter().map(T::try_from_bits).collect();
        let values = values.ok_or_else(|| E::custom("a number of the matrix is of another precision"))?;
        Array2::from_shape_vec((self.rows, self.columns), values).map_err(E::custom)
    }
}

/// A matrix.
pub(crate) mod matrix {
    use super::*;

    pub(crate) fn serialize<T: Real, S: Serializer>(array: &Array2<T>, to: S) -> Result<S::Ok, S::Error> {
        MatrixBits::of(array).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Real, D: Deserializer<'de>>(from: D) -> Result<Array2<T>, D::Error> {
        MatrixBits::deserialize(from)?.into_array()
    }
}

/// An optional matrix.
pub(crate) mod optional_matrix {
    use super::*;

    pub(crate) fn serialize<T: Real, S: Serializer>(
        array: &Option<Array2<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        array.as_ref().map(MatrixBits::of).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Real, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Array2<T>>, D::Error> {
        Option::<MatrixBits>::deserialize(from)?.map(MatrixBits::into_array).transpose()
    }
}
