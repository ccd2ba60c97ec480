//! The two floating-point types that every computation is generic over.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// `f32` or `f64`: the type of samples, components and all arithmetic of a fit.
///
/// The trait is sealed. It bundles what the kernels need (the arithmetic of the linear-algebra backend,
/// serialisation for checkpoints) so that the rest of the crate writes one bound.
pub trait Real:
    sealed::Sealed
    + crate::compiled::Compiled
    + faer::traits::RealField
    + Copy
    + PartialOrd
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + std::fmt::Display
    + std::str::FromStr
    + std::iter::Sum
    + ndarray::ScalarOperand
    + ndarray::LinalgScalar
    + Serialize
    + DeserializeOwned
    + 'static
{
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;

    /// The smallest positive number with all its digits.
    const SMALLEST: Self;

    /// Name as users write it: `f32` or `f64`.
    const NAME: &'static str;

    /// The nearest representable value.
    fn from_f64(value: f64) -> Self;

    /// The value in double precision, exactly.
    fn as_f64(self) -> f64;

    /// Neither infinite nor NaN.
    fn finite(self) -> bool;

    /// Square root.
    fn root(self) -> Self;

    /// The bits of the number, padded with zeros to 64.
    fn bits(self) -> u64;

    /// The number with these [`bits`](Self::bits); `None` where there are too many of them.
    fn of_bits(bits: u64) -> Option<Self>;
}

macro_rules! impl_real {
    ($($float:ident),*) => {$(
        impl Real for $float {
            const EPSILON: Self = $float::EPSILON;
            const SMALLEST: Self = $float::MIN_POSITIVE;
            const NAME: &'static str = stringify!($float);

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }

            #[inline(always)]
            fn as_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }

            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn of_bits(bits: u64) -> Option<Self> {
                bits.try_into().ok().map(Self::from_bits)
            }
        }
    )*};
}

impl_real!(f32, f64);

mod sealed {
    use ndarray::{Array2, ArrayView2};

    use crate::linalg::product::change_wide;

    /// What only the library itself needs of its numbers.
    pub trait Sealed: Sized {
        /// `self · factor + term`, rounded once; slow on machines without an instruction for it.
        fn fused_product(self, factor: Self, term: Self) -> Self;

        /// The same matrix in double precision: itself, or a copy in `room`.
        fn in_double<'a>(matrix: ArrayView2<'a, Self>, room: &'a mut Array2<f64>) -> ArrayView2<'a, f64>;

        /// Rounds a matrix of double precision into one of the same shape. What is left in `matrix` means nothing.
        fn take_double(matrix: &mut Array2<f64>, into: &mut Array2<Self>);
    }

    impl Sealed for f32 {
        #[inline(always)]
        fn fused_product(self, factor: Self, term: Self) -> Self {
            self.mul_add(factor, term)
        }

        fn in_double<'a>(matrix: ArrayView2<'a, Self>, room: &'a mut Array2<f64>) -> ArrayView2<'a, f64> {
            if room.dim() != matrix.dim() {
                *room = Array2::zeros(matrix.dim());
            }
            change_wide(room.view_mut(), matrix, |wide, &v| *wide = v.into());
            room.view()
        }

        fn take_double(matrix: &mut Array2<f64>, into: &mut Array2<Self>) {
            change_wide(into.view_mut(), matrix.view(), |v, &wide| *v = wide as Self);
        }
    }

    impl Sealed for f64 {
        #[inline(always)]
        fn fused_product(self, factor: Self, term: Self) -> Self {
            self.mul_add(factor, term)
        }

        fn in_double<'a>(matrix: ArrayView2<'a, Self>, _: &'a mut Array2<f64>) -> ArrayView2<'a, f64> {
            matrix
        }

        fn take_double(matrix: &mut Array2<f64>, into: &mut Array2<Self>) {
            std::mem::swap(matrix, into);
        }
    }
}
