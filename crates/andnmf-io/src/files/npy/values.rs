//! Reads the values of a `.npy` file and converts them to the requested type.

use std::io::Read;
use std::marker::PhantomData;

use super::header::{NpyDtype, NpyKind};
use crate::files::budget::Budget;
use crate::files::error::Problem;
use crate::files::source::fill;
use andnmf::{Real, memory};

/// Conversion of the numbers in a file. Validation and conversion are separate and have no early exit, so that the
/// compiler can vectorize them.
pub(crate) trait ValueConversion {
    type Value;

    /// Returns true if the number can be converted.
    fn is_valid(value: impl WideNumber) -> bool;

    /// Converts a valid number.
    fn convert(value: impl WideNumber) -> Self::Value;
}

/// Conversion to finite real numbers.
pub(crate) struct Reals<T>(PhantomData<T>);

impl<T: Real> ValueConversion for Reals<T> {
    type Value = T;

    #[inline(always)]
    fn is_valid(value: impl WideNumber) -> bool {
        T::from_f64(value.to_f64()).finite()
    }

    #[inline(always)]
    fn convert(value: impl WideNumber) -> T {
        T::from_f64(value.to_f64())
    }
}

/// Conversion to an unsigned integer type, for indices and sizes.
pub(crate) struct UnsignedIntegers<N>(PhantomData<N>);

impl<N: TryFrom<u64> + Default> ValueConversion for UnsignedIntegers<N> {
    type Value = N;

    #[inline(always)]
    fn is_valid(value: impl WideNumber) -> bool {
        value.to_u64().is_some_and(|value| N::try_from(value).is_ok())
    }

    #[inline(always)]
    fn convert(value: impl WideNumber) -> N {
        value.to_u64().and_then(|value| value.try_into().ok()).unwrap_or_default()
    }
}

/// A value that cannot be converted, and its position in the file, counted from 0.
pub(crate) struct InvalidValue {
    pub(crate) at: usize,
    pub(crate) value: f64,
}

/// An error of reading values.
pub(crate) enum ValueReadError {
    Value(InvalidValue),
    File(Problem),
}

impl From<std::io::Error> for ValueReadError {
    fn from(error: std::io::Error) -> Self {
        Self::File(crate::files::error::LocatedProblem::from(error).problem)
    }
}

const CHUNK_BYTES: usize = 1 << 16;

/// Reads `count` values; `source_length` is an upper bound on the bytes of the source, if known.
pub(crate) fn read<C: ValueConversion>(
    source: &mut impl Read,
    dtype: NpyDtype,
    count: usize,
    source_length: Option<u64>,
    budget: Budget,
) -> Result<Vec<C::Value>, ValueReadError> {
    macro_rules! read_as {
        ($number:ident, $wide:ident) => {
            if dtype.big_endian {
                read_items::<_, _, C>(source, count, source_length, budget, |b| {
                    $number::from_be_bytes(b) as $wide
                })
            } else {
                read_items::<_, _, C>(source, count, source_length, budget, |b| {
                    $number::from_le_bytes(b) as $wide
                })
            }
        };
    }
    match (dtype.kind, dtype.size) {
        (NpyKind::Bool, _) => {
            read_items::<_, _, C>(source, count, source_length, budget, |[b]| u64::from(b != 0))
        }
        (NpyKind::Signed, 1) => read_as!(i8, i64),
        (NpyKind::Signed, 2) => read_as!(i16, i64),
        (NpyKind::Signed, 4) => read_as!(i32, i64),
        (NpyKind::Signed, _) => read_as!(i64, i64),
        (NpyKind::Unsigned, 1) => read_as!(u8, u64),
        (NpyKind::Unsigned, 2) => read_as!(u16, u64),
        (NpyKind::Unsigned, 4) => read_as!(u32, u64),
        (NpyKind::Unsigned, _) => read_as!(u64, u64),
        (NpyKind::Float, 2) if dtype.big_endian => {
            read_items::<_, _, C>(source, count, source_length, budget, |b| {
                half_precision(u16::from_be_bytes(b))
            })
        }
        (NpyKind::Float, 2) => read_items::<_, _, C>(source, count, source_length, budget, |b| {
            half_precision(u16::from_le_bytes(b))
        }),
        (NpyKind::Float, 4) => read_as!(f32, f64),
        (NpyKind::Float, _) => read_as!(f64, f64),
        (NpyKind::Bytes | NpyKind::Unicode, _) => Err(ValueReadError::File(Problem::Unsupported {
            what: "an array of text".to_owned(),
            instead: "save it as an array of numbers".to_owned(),
        })),
    }
}

/// A number type wide enough for all numpy types of a kind.
pub(crate) trait WideNumber: Copy {
    /// Converts to the nearest `f64`.
    fn to_f64(self) -> f64;

    /// Converts to `u64`; `None` for negative numbers and floating-point types.
    fn to_u64(self) -> Option<u64>;
}

macro_rules! impl_wide_number {
    ($($number:ident: $to_u64:expr),*) => {$(
        impl WideNumber for $number {
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn to_u64(self) -> Option<u64> {
                $to_u64(self)
            }
        }
    )*};
}
impl_wide_number!(i64: |value| u64::try_from(value).ok(), u64: Some, f64: |_| None);

fn read_items<const SIZE: usize, W: WideNumber, C: ValueConversion>(
    source: &mut impl Read,
    count: usize,
    source_length: Option<u64>,
    budget: Budget,
    decode: impl Fn([u8; SIZE]) -> W,
) -> Result<Vec<C::Value>, ValueReadError> {
    // Allocates no more than the source can hold, whatever the header declares.
    let source_values =
        source_length.map_or(0, |bytes| usize::try_from(bytes / SIZE as u64).unwrap_or(usize::MAX));
    let mut values = Vec::new();
    let first = count.min(source_values.max(CHUNK_BYTES / SIZE));
    budget.grow(&mut values, first, size_of::<C::Value>()).map_err(ValueReadError::File)?;
    // What a header declares is refused before it is read.
    let declared = memory::product(&[count, size_of::<C::Value>()]);
    if source_length.is_none() && budget.0.is_some() {
        budget.check(declared, declared).map_err(ValueReadError::File)?;
    }
    let mut chunk = vec![0; CHUNK_BYTES];
    while values.len() < count {
        let requested = (count - values.len()).min(CHUNK_BYTES / SIZE) * SIZE;
        let filled = fill(source, &mut chunk[..requested])?;
        let (items, _) = chunk[..filled].as_chunks::<SIZE>();
        let is_valid = |&item: &[u8; SIZE]| C::is_valid(decode(item));
        if !items.iter().fold(true, |all, item| all & is_valid(item)) {
            let within = items.iter().position(|item| !is_valid(item)).unwrap_or(0);
            let value = decode(items[within]).to_f64();
            return Err(ValueReadError::Value(InvalidValue { at: values.len() + within, value }));
        }
        budget.grow(&mut values, items.len(), size_of::<C::Value>()).map_err(ValueReadError::File)?;
        values.extend(items.iter().map(|&item| C::convert(decode(item))));
        if filled < requested {
            let missing = format!("the header declares {count} values, but there are {}", values.len());
            return Err(ValueReadError::File(Problem::Truncated { missing }));
        }
    }
    Ok(values)
}

/// Decodes a half-precision number: sign, 5 bits of exponent, 10 bits of fraction.
fn half_precision(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    sign * match exponent {
        0 => fraction * 2.0_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dtype(kind: NpyKind, size: usize, big_endian: bool) -> NpyDtype {
        NpyDtype { kind, size, big_endian }
    }

    fn reals(bytes: &[u8], dtype: NpyDtype) -> Vec<f64> {
        let count = bytes.len() / dtype.size;
        read::<Reals<f64>>(&mut &bytes[..], dtype, count, None, Budget::default())
            .unwrap_or_else(|_| panic!("valid values"))
    }

    #[test]
    fn every_type_and_byte_order_gives_the_same_numbers() {
        macro_rules! both_orders {
            ($($number:ident $kind:ident),*) => {$(
                let numbers: [$number; 3] = [0 as $number, 1 as $number, 100 as $number];
                let bytes = |turn: fn($number) -> Vec<u8>| numbers.map(turn).concat();
                let size = size_of::<$number>();
                let little = reals(&bytes(|v| v.to_le_bytes().to_vec()), dtype(NpyKind::$kind, size, false));
                let big = reals(&bytes(|v| v.to_be_bytes().to_vec()), dtype(NpyKind::$kind, size, true));
                assert_eq!((little, big), (vec![0.0, 1.0, 100.0], vec![0.0, 1.0, 100.0]), stringify!($number));
            )*};
        }
        both_orders!(i8 Signed, i16 Signed, i32 Signed, i64 Signed, u8 Unsigned, u16 Unsigned, u32 Unsigned,
            u64 Unsigned, f32 Float, f64 Float);
        assert_eq!(reals(&[0, 1, 7], dtype(NpyKind::Bool, 1, false)), [0.0, 1.0, 1.0]);
        assert_eq!(reals(&[0xff, 0xff], dtype(NpyKind::Signed, 2, false)), [-1.0]);
        assert_eq!(reals(&u64::MAX.to_le_bytes(), dtype(NpyKind::Unsigned, 8, false)), [2.0_f64.powi(64)]);
    }

    #[test]
    fn half_precision_numbers_are_decoded() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2.0_f64.powi(-24)), (0x8000, -0.0)];
        for (bits, value) in known {
            assert_eq!(half_precision(bits), value, "{bits:x}");
            assert_eq!(reals(&bits.to_be_bytes(), dtype(NpyKind::Float, 2, true)), [value]);
        }
        assert!(half_precision(0x7c00) == f64::INFINITY && half_precision(0x7e00).is_nan());
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_position() {
        let bytes = [1.0, 1e39, 2.0_f64].map(f64::to_le_bytes).concat();
        let long = dtype(NpyKind::Float, 8, false);
        let Err(ValueReadError::Value(invalid)) =
            read::<Reals<f32>>(&mut &bytes[..], long, 3, None, Budget::default())
        else {
            panic!("too large for single precision")
        };
        assert_eq!((invalid.at, invalid.value), (1, 1e39));
        assert!(
            read::<UnsignedIntegers<u64>>(&mut &bytes[..], long, 3, None, Budget::default()).is_err(),
            "an index is an integer"
        );
        let negative = (-1_i32).to_le_bytes();
        assert!(
            read::<UnsignedIntegers<u64>>(
                &mut &negative[..],
                dtype(NpyKind::Signed, 4, false),
                1,
                None,
                Budget::default()
            )
            .is_err()
        );
        let wide = (1_u64 << 32).to_le_bytes();
        assert!(
            read::<UnsignedIntegers<u32>>(
                &mut &wide[..],
                dtype(NpyKind::Unsigned, 8, false),
                1,
                None,
                Budget::default()
            )
            .is_err()
        );
    }
}
