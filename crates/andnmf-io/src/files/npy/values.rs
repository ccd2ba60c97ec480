//! The values of a `.npy` file, whatever their type, as the type asked for.

use std::io::Read;
use std::marker::PhantomData;

use super::header::{Item, Kind};
use crate::files::error::Problem;
use crate::files::source::fill;
use andnmf::Real;

/// What becomes of the numbers of a file. Converting and testing are apart, and neither leaves early, so that the
/// compiler can do several numbers at once.
pub(crate) trait Target {
    type Value;

    /// Whether the number can be used.
    fn usable(value: impl Wide) -> bool;

    /// What it becomes, where it can.
    fn convert(value: impl Wide) -> Self::Value;
}

/// Finite numbers.
pub(crate) struct Reals<T>(PhantomData<T>);

impl<T: Real> Target for Reals<T> {
    type Value = T;

    #[inline(always)]
    fn usable(value: impl Wide) -> bool {
        T::from_f64(value.shown()).finite()
    }

    #[inline(always)]
    fn convert(value: impl Wide) -> T {
        T::from_f64(value.shown())
    }
}

/// Indices and sizes, as a type of whole numbers without sign.
pub(crate) struct Wholes<N>(PhantomData<N>);

impl<N: TryFrom<u64> + Default> Target for Wholes<N> {
    type Value = N;

    #[inline(always)]
    fn usable(value: impl Wide) -> bool {
        value.whole().is_some_and(|value| N::try_from(value).is_ok())
    }

    #[inline(always)]
    fn convert(value: impl Wide) -> N {
        value.whole().and_then(|value| value.try_into().ok()).unwrap_or_default()
    }
}

/// A value that cannot be used: its number in the file, counted from 0, and what it is.
pub(crate) struct Unusable {
    pub(crate) at: usize,
    pub(crate) value: f64,
}

/// Why values could not be read.
pub(crate) enum Failure {
    Value(Unusable),
    File(Problem),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::File(crate::files::error::Fault::from(error).problem)
    }
}

const CHUNK: usize = 1 << 16;

/// Reads `count` values; `room` is how many bytes the source may have, where that is known.
pub(crate) fn read<G: Target>(
    source: &mut impl Read,
    item: Item,
    count: usize,
    room: Option<u64>,
) -> Result<Vec<G::Value>, Failure> {
    macro_rules! read_as {
        ($number:ident, $wide:ident) => {
            if item.big_endian {
                read_items::<_, _, G>(source, count, room, |b| $number::from_be_bytes(b) as $wide)
            } else {
                read_items::<_, _, G>(source, count, room, |b| $number::from_le_bytes(b) as $wide)
            }
        };
    }
    match (item.kind, item.size) {
        (Kind::Bool, _) => read_items::<_, _, G>(source, count, room, |[b]| u64::from(b != 0)),
        (Kind::Signed, 1) => read_as!(i8, i64),
        (Kind::Signed, 2) => read_as!(i16, i64),
        (Kind::Signed, 4) => read_as!(i32, i64),
        (Kind::Signed, _) => read_as!(i64, i64),
        (Kind::Unsigned, 1) => read_as!(u8, u64),
        (Kind::Unsigned, 2) => read_as!(u16, u64),
        (Kind::Unsigned, 4) => read_as!(u32, u64),
        (Kind::Unsigned, _) => read_as!(u64, u64),
        (Kind::Float, 2) if item.big_endian => {
            read_items::<_, _, G>(source, count, room, |b| half(u16::from_be_bytes(b)))
        }
        (Kind::Float, 2) => read_items::<_, _, G>(source, count, room, |b| half(u16::from_le_bytes(b))),
        (Kind::Float, 4) => read_as!(f32, f64),
        (Kind::Float, _) => read_as!(f64, f64),
        (Kind::Bytes | Kind::Letters, _) => Err(Failure::File(Problem::Unsupported {
            what: "an array of text".to_owned(),
            instead: "save it as an array of numbers".to_owned(),
        })),
    }
}

/// Numbers wide enough for all of a kind.
pub(crate) trait Wide: Copy {
    /// The nearest real number.
    fn shown(self) -> f64;

    /// The same as a whole number of zero or more, if it is of such a kind.
    fn whole(self) -> Option<u64>;
}

macro_rules! impl_wide {
    ($($number:ident: $whole:expr),*) => {$(
        impl Wide for $number {
            #[inline(always)]
            fn shown(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn whole(self) -> Option<u64> {
                $whole(self)
            }
        }
    )*};
}
impl_wide!(i64: |value| u64::try_from(value).ok(), u64: Some, f64: |_| None);

fn read_items<const SIZE: usize, W: Wide, G: Target>(
    source: &mut impl Read,
    count: usize,
    room: Option<u64>,
    decode: impl Fn([u8; SIZE]) -> W,
) -> Result<Vec<G::Value>, Failure> {
    // What the header declares is reserved only as far as the source can hold it.
    let held = room.map_or(0, |bytes| usize::try_from(bytes / SIZE as u64).unwrap_or(usize::MAX));
    let mut values = Vec::with_capacity(count.min(held.max(CHUNK / SIZE)));
    let mut chunk = vec![0; CHUNK];
    while values.len() < count {
        let wanted = (count - values.len()).min(CHUNK / SIZE) * SIZE;
        let filled = fill(source, &mut chunk[..wanted])?;
        let (items, _) = chunk[..filled].as_chunks::<SIZE>();
        let usable = |&item: &[u8; SIZE]| G::usable(decode(item));
        if !items.iter().fold(true, |all, item| all & usable(item)) {
            let within = items.iter().position(|item| !usable(item)).unwrap_or(0);
            let value = decode(items[within]).shown();
            return Err(Failure::Value(Unusable { at: values.len() + within, value }));
        }
        values.extend(items.iter().map(|&item| G::convert(decode(item))));
        if filled < wanted {
            let missing = format!("{count} values are declared, there are {}", values.len());
            return Err(Failure::File(Problem::Truncated { missing }));
        }
    }
    Ok(values)
}

/// A number of half precision: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
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

    fn item(kind: Kind, size: usize, big_endian: bool) -> Item {
        Item { kind, size, big_endian }
    }

    fn reals(bytes: &[u8], item: Item) -> Vec<f64> {
        let count = bytes.len() / item.size;
        read::<Reals<f64>>(&mut &bytes[..], item, count, None).unwrap_or_else(|_| panic!("legal"))
    }

    #[test]
    fn every_type_and_byte_order_gives_the_same_numbers() {
        macro_rules! both_orders {
            ($($number:ident $kind:ident),*) => {$(
                let numbers: [$number; 3] = [0 as $number, 1 as $number, 100 as $number];
                let bytes = |turn: fn($number) -> Vec<u8>| numbers.map(turn).concat();
                let size = size_of::<$number>();
                let little = reals(&bytes(|v| v.to_le_bytes().to_vec()), item(Kind::$kind, size, false));
                let big = reals(&bytes(|v| v.to_be_bytes().to_vec()), item(Kind::$kind, size, true));
                assert_eq!((little, big), (vec![0.0, 1.0, 100.0], vec![0.0, 1.0, 100.0]), stringify!($number));
            )*};
        }
        both_orders!(i8 Signed, i16 Signed, i32 Signed, i64 Signed, u8 Unsigned, u16 Unsigned, u32 Unsigned,
            u64 Unsigned, f32 Float, f64 Float);
        assert_eq!(reals(&[0, 1, 7], item(Kind::Bool, 1, false)), [0.0, 1.0, 1.0]);
        assert_eq!(reals(&[0xff, 0xff], item(Kind::Signed, 2, false)), [-1.0]);
        assert_eq!(reals(&u64::MAX.to_le_bytes(), item(Kind::Unsigned, 8, false)), [2.0_f64.powi(64)]);
    }

    #[test]
    fn half_precision_has_its_own_range() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2.0_f64.powi(-24)), (0x8000, -0.0)];
        for (bits, value) in known {
            assert_eq!(half(bits), value, "{bits:x}");
            assert_eq!(reals(&bits.to_be_bytes(), item(Kind::Float, 2, true)), [value]);
        }
        assert!(half(0x7c00) == f64::INFINITY && half(0x7e00).is_nan());
    }

    #[test]
    fn a_value_that_cannot_be_used_is_given_with_its_number() {
        let bytes = [1.0, 1e39, 2.0_f64].map(f64::to_le_bytes).concat();
        let long = item(Kind::Float, 8, false);
        let Err(Failure::Value(wrong)) = read::<Reals<f32>>(&mut &bytes[..], long, 3, None) else {
            panic!("too large for single precision")
        };
        assert_eq!((wrong.at, wrong.value), (1, 1e39));
        assert!(read::<Wholes<u64>>(&mut &bytes[..], long, 3, None).is_err(), "an index is a whole number");
        let negative = (-1_i32).to_le_bytes();
        assert!(read::<Wholes<u64>>(&mut &negative[..], item(Kind::Signed, 4, false), 1, None).is_err());
        let wide = (1_u64 << 32).to_le_bytes();
        assert!(read::<Wholes<u32>>(&mut &wide[..], item(Kind::Unsigned, 8, false), 1, None).is_err());
    }
}
