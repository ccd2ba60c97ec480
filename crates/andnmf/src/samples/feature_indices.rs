//! Feature indices of sparse rows: of any integer type, and converted to the type that the kernels read.

use std::borrow::Cow;
use std::ops::Range;

/// Integer types that sparse matrices use for feature indices and row pointers.
pub trait CsrIndex: Copy + Send + Sync + 'static + sealed::Sealed {
    /// The index as a plain number.
    fn to_i128(self) -> i128;

    /// These indices as [`FeatureIndices`].
    #[doc(hidden)]
    fn wrap(indices: Cow<'_, [Self]>) -> FeatureIndices<'_>;
}

/// Feature indices of any width, borrowed or owned.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // each variant is its index type
pub enum FeatureIndices<'a> {
    U8(Cow<'a, [u8]>),
    U16(Cow<'a, [u16]>),
    U32(Cow<'a, [u32]>),
    U64(Cow<'a, [u64]>),
    Usize(Cow<'a, [usize]>),
    I8(Cow<'a, [i8]>),
    I16(Cow<'a, [i16]>),
    I32(Cow<'a, [i32]>),
    I64(Cow<'a, [i64]>),
    Isize(Cow<'a, [isize]>),
}

macro_rules! impl_index {
    ($($int:ident => $variant:ident),*) => {
        $(
            impl CsrIndex for $int {
                #[inline(always)]
                fn to_i128(self) -> i128 {
                    self as i128
                }

                fn wrap(indices: Cow<'_, [Self]>) -> FeatureIndices<'_> {
                    FeatureIndices::$variant(indices)
                }
            }

            impl sealed::Sealed for $int {}
        )*

        impl FeatureIndices<'_> {
            #[inline(always)]
            pub(super) fn get(&self, position: usize) -> usize {
                match self { $(Self::$variant(v) => v[position] as usize,)* }
            }

            pub(super) fn reborrow(&self) -> FeatureIndices<'_> {
                match self { $(Self::$variant(v) => FeatureIndices::$variant(Cow::Borrowed(v)),)* }
            }

            /// Writes the indices at these positions into `out`.
            pub(super) fn copy_to(&self, positions: Range<usize>, out: &mut Vec<usize>) {
                out.clear();
                match self { $(Self::$variant(v) => out.extend(v[positions].iter().map(|&i| i as usize)),)* }
            }

            /// The indices at these positions as `u32`, copied into `workspace` only if they have another type. All
            /// must be below 2³¹.
            pub(super) fn narrow<'s>(&'s self, positions: Range<usize>, workspace: &'s mut Vec<u32>) -> &'s [u32] {
                match self {
                    Self::U32(v) => return &v[positions],
                    // No index is negative, so the bits are the same.
                    Self::I32(v) => return pulp::bytemuck::cast_slice(&v[positions]),
                    _ => workspace.clear(),
                }
                match self { $(Self::$variant(v) => workspace.extend(v[positions].iter().map(|&i| i as u32)),)* }
                workspace
            }
        }
    };
}

impl_index!(
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, usize => Usize,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, isize => Isize
);

/// Sparse rows with 32-bit feature indices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NarrowRows<'a, T> {
    /// The start of each row and the end of the last one, offset by the first start.
    starts: &'a [usize],
    features: &'a [u32],
    values: &'a [T],
}

impl<'a, T> NarrowRows<'a, T> {
    pub(super) fn new(starts: &'a [usize], features: &'a [u32], values: &'a [T]) -> Self {
        Self { starts, features, values }
    }

    /// Features and values of some rows, one after the other.
    #[inline(always)]
    pub(crate) fn rows(
        &self,
        which: &Range<usize>,
    ) -> impl Iterator<Item = (&'a [u32], &'a [T])> + use<'a, T> {
        let starts = &self.starts[which.start..=which.end];
        let first = starts[0] - self.starts[0];
        let (mut features, mut values) = (&self.features[first..], &self.values[first..]);
        starts.windows(2).map(move |ends| {
            let length = ends[1] - ends[0];
            let (row, later) = features.split_at(length);
            let (row_values, later_values) = values.split_at(length);
            (features, values) = (later, later_values);
            (row, row_values)
        })
    }
}

mod sealed {
    pub trait Sealed {}
}
