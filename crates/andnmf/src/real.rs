//! The two floating-point types that every computation is generic over.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// `f32` or `f64`: the type of samples, components and all arithmetic of a fit.
///
/// The trait is sealed. It bundles arithmetic, formatting and serialization, so that generic code writes one bound.
pub trait Real:
    sealed::RealInternals
    + Copy
    + PartialOrd
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
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

    /// The smallest positive normal number.
    const SMALLEST: Self;

    /// Name as users write it: `f32` or `f64`.
    const NAME: &'static str;

    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;

    /// The exact value in double precision.
    fn as_f64(self) -> f64;

    /// Returns true if the number is neither infinite nor NaN.
    fn finite(self) -> bool;

    /// Square root.
    fn root(self) -> Self;

    /// The bits of the number, padded with zeros to 64.
    fn bits(self) -> u64;

    /// The number with these [`bits`](Self::bits); `None` if they do not fit the type.
    fn try_from_bits(bits: u64) -> Option<Self>;

    /// Calls the function for this precision: see [`entry_point!`](crate::entry_point).
    #[doc(hidden)]
    fn dispatch<A: PerPrecision, R: PerPrecision>(
        arguments: A::Of<Self>,
        single: fn(A::Of<f32>) -> R::Of<f32>,
        double: fn(A::Of<f64>) -> R::Of<f64>,
    ) -> R::Of<Self>;
}

/// A type for each precision: the arguments of an entry point, or its result.
#[doc(hidden)]
pub trait PerPrecision {
    /// The type for this precision.
    type Of<T: Real>;
}

/// Declares a generic function that is compiled here, once for `f32` and once for `f64`.
///
/// The compiler instantiates generic code again in every crate that uses it. For the solvers and their linear algebra
/// that takes minutes, for every program, test and example. The declared function calls one of two functions that are
/// not generic, so callers only link. Name the lifetimes; the right-hand side is the generic implementation:
///
/// ```text
/// entry_point! {
///     /// Documentation.
///     pub fn name<'a; T>(samples: &'a dyn Samples<T>, rank: usize) -> Result<Array2<T>, FitError> = implementation;
/// }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! entry_point {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$($lifetime:lifetime $(: $outlived:lifetime)?),+; $T:ident>(
            $($argument:ident: $type:ty),* $(,)?
        ) -> $result:ty = $implementation:expr;
    ) => {
        $(#[$attribute])*
        $visibility fn $name<$($lifetime $(: $outlived)?,)+ $T: $crate::Real>($($argument: $type),*) -> $result {
            struct Arguments<$($lifetime),+>($(std::marker::PhantomData<&$lifetime ()>),+);
            impl<$($lifetime $(: $outlived)?),+> $crate::PerPrecision for Arguments<$($lifetime),+> {
                type Of<$T: $crate::Real> = ($($type,)*);
            }
            struct Output<$($lifetime),+>($(std::marker::PhantomData<&$lifetime ()>),+);
            impl<$($lifetime $(: $outlived)?),+> $crate::PerPrecision for Output<$($lifetime),+> {
                type Of<$T: $crate::Real> = $result;
            }
            fn single<$($lifetime $(: $outlived)?),+>(
                ($($argument,)*): <Arguments<$($lifetime),+> as $crate::PerPrecision>::Of<f32>,
            ) -> <Output<$($lifetime),+> as $crate::PerPrecision>::Of<f32> {
                $implementation($($argument),*)
            }
            fn double<$($lifetime $(: $outlived)?),+>(
                ($($argument,)*): <Arguments<$($lifetime),+> as $crate::PerPrecision>::Of<f64>,
            ) -> <Output<$($lifetime),+> as $crate::PerPrecision>::Of<f64> {
                $implementation($($argument),*)
            }
            <$T as $crate::Real>::dispatch::<Arguments<$($lifetime),+>, Output<$($lifetime),+>>(($($argument,)*), single, double)
        }
    };
}

macro_rules! impl_real {
    (@ f32, $arguments:ident, $single:ident, $double:ident) => {{
        let _ = $double;
        $single($arguments)
    }};
    (@ f64, $arguments:ident, $single:ident, $double:ident) => {{
        let _ = $single;
        $double($arguments)
    }};
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

            fn try_from_bits(bits: u64) -> Option<Self> {
                bits.try_into().ok().map(Self::from_bits)
            }

            #[inline(always)]
            fn dispatch<A: PerPrecision, R: PerPrecision>(
                arguments: A::Of<Self>,
                single: fn(A::Of<f32>) -> R::Of<f32>,
                double: fn(A::Of<f64>) -> R::Of<f64>,
            ) -> R::Of<Self> {
                impl_real!(@ $float, arguments, single, double)
            }
        }
    )*};
}

impl_real!(f32, f64);

mod sealed {
    /// Operations that only the library itself uses, including those of the linear-algebra backend.
    pub trait RealInternals: faer::traits::RealField {
        /// `self · factor + term`, rounded once; slow on machines without an instruction for it.
        fn fused_product(self, factor: Self, term: Self) -> Self;
    }

    impl RealInternals for f32 {
        #[inline(always)]
        fn fused_product(self, factor: Self, term: Self) -> Self {
            self.mul_add(factor, term)
        }
    }

    impl RealInternals for f64 {
        #[inline(always)]
        fn fused_product(self, factor: Self, term: Self) -> Self {
            self.mul_add(factor, term)
        }
    }
}
