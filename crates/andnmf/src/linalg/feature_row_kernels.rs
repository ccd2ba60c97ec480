//! The kernels of [`feature_rows`](super::feature_rows), dispatched to the available SIMD instructions.
//!
//! Rows are processed in register tiles of a fixed size. Each tile reads all stored values of a sample again, so the
//! kernels use as few tiles as possible.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use crate::Real;
use crate::samples::NarrowRows;

/// Rows are aligned to this many bytes; shorter rows do not cross such a boundary.
pub(super) const LANE_BYTES: usize = 32;
/// The largest tile. Two of them fill the vector registers of AVX2 machines.
const TILE_BYTES: usize = 256;
/// Adding to one entry costs about as much as adding to this many adjacent entries.
const SINGLE_COST: usize = 6;
/// If at least one in this many weights of a block is non-zero, all samples take the dense path.
const BLOCK_SHARE: usize = 2;

/// Runs `$tile::<T, FUSED, N>($arguments, column)` for each tile of a row.
macro_rules! for_each_tile {
    ($stride:expr, $tile:ident::<$real:ty, $fused:ident>($($argument:expr),*)) => {{
        let (double, max_length) = (size_of::<$real>() == 8, TILE_BYTES / size_of::<$real>());
        let mut column = 0;
        while column < $stride {
            let length = ($stride - column).min(max_length);
            // Strides are multiples of a lane (four f64 or eight f32), or a power of two for narrow rows.
            match length {
                1 => $tile::<$real, $fused, 1>($($argument),*, column),
                2 => $tile::<$real, $fused, 2>($($argument),*, column),
                4 => $tile::<$real, $fused, 4>($($argument),*, column),
                8 => $tile::<$real, $fused, 8>($($argument),*, column),
                12 if double => $tile::<$real, $fused, 12>($($argument),*, column),
                16 => $tile::<$real, $fused, 16>($($argument),*, column),
                20 if double => $tile::<$real, $fused, 20>($($argument),*, column),
                24 => $tile::<$real, $fused, 24>($($argument),*, column),
                28 if double => $tile::<$real, $fused, 28>($($argument),*, column),
                32 => $tile::<$real, $fused, 32>($($argument),*, column),
                40 if !double => $tile::<$real, $fused, 40>($($argument),*, column),
                48 if !double => $tile::<$real, $fused, 48>($($argument),*, column),
                56 if !double => $tile::<$real, $fused, 56>($($argument),*, column),
                64 if !double => $tile::<$real, $fused, 64>($($argument),*, column),
                _ => unreachable!("no stride leaves a tile of this length"),
            }
            column += length;
        }
    }};
}

pub(super) struct Gather<'a, T: Real> {
    pub(super) table: &'a [T],
    pub(super) stride: usize,
    pub(super) width: usize,
    pub(super) samples: NarrowRows<'a, T>,
    pub(super) out: &'a mut [T],
}

impl<T: Real> WithSimd for Gather<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without hardware FMA a fused product is a slow function call.
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl<T: Real> Gather<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { table, stride, width, samples, out } = self;
        for which in groups::<T>(stride, out.len() / width) {
            for_each_tile!(stride, gather_tile::<T, FUSED>(out, table, (width, stride), &samples, &which));
        }
    }
}

/// Groups of samples to process at once: all of them if a row is a single tile, so that its size is selected once;
/// otherwise one sample per group, so that the tiles of a row are read one after another.
fn groups<T>(stride: usize, n: usize) -> impl Iterator<Item = Range<usize>> {
    let size = if stride * size_of::<T>() <= TILE_BYTES { n.max(1) } else { 1 };
    (0..n).step_by(size).map(move |first| first..first + size)
}

/// Sums even and odd entries separately: two independent chains of additions.
#[inline(always)]
fn gather_tile<T: Real, const FUSED: bool, const N: usize>(
    out: &mut [T],
    table: &[T],
    (width, stride): (usize, usize),
    samples: &NarrowRows<'_, T>,
    which: &Range<usize>,
    column: usize,
) {
    let row = |number: u32| -> &[T; N] {
        // Cheaper addressing if each row is a single tile.
        if stride == N {
            return &table.as_chunks().0[number as usize];
        }
        let start = number as usize * stride + column;
        table[start..start + N].try_into().expect("the length is N")
    };
    for (i, (rows, values)) in which.clone().zip(samples.rows(which)) {
        let mut sums = [[T::from_f64(0.0); N]; 2];
        let ((row_pairs, last_row), (value_pairs, last_value)) =
            (rows.as_chunks::<2>(), values.as_chunks::<2>());
        for (rows, values) in row_pairs.iter().zip(value_pairs) {
            for half in 0..2 {
                add_product::<T, FUSED, N>(&mut sums[half], values[half], row(rows[half]));
            }
        }
        if let ([number], [value]) = (last_row, last_value) {
            add_product::<T, FUSED, N>(&mut sums[0], *value, row(*number));
        }
        let [first, second] = sums;
        let sums = first.iter().zip(&second).map(|(&a, &b)| a + b);
        let out = &mut out[i * width + column..];
        // Write a full tile if the slice allows it. It may spill into the next sample, which is written later.
        match out.first_chunk_mut::<N>() {
            Some(out) => out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum),
            None => out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum),
        }
    }
}

#[inline(always)]
fn add_product<T: Real, const FUSED: bool, const N: usize>(sums: &mut [T; N], value: T, row: &[T; N]) {
    for (sum, &v) in sums.iter_mut().zip(row) {
        *sum = if FUSED { value.fused_product(v, *sum) } else { value * v + *sum };
    }
}

pub(super) struct Scatter<'a, T: Real> {
    pub(super) table: &'a mut [T],
    pub(super) stride: usize,
    pub(super) width: usize,
    pub(super) samples: NarrowRows<'a, T>,
    pub(super) weights: &'a [T],
}

impl<T: Real> WithSimd for Scatter<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl<T: Real> Scatter<'_, T> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { table, stride, width, samples, weights } = self;
        let zero = T::from_f64(0.0);
        let is_dense = |weights: &[T], share: usize| {
            weights.iter().filter(|&&v| v != zero).count() * share >= weights.len()
        };
        if is_dense(weights, BLOCK_SHARE) {
            for which in groups::<T>(stride, weights.len() / width) {
                for_each_tile!(
                    stride,
                    scatter_tile::<T, FUSED>(table, weights, (width, stride), &samples, &which)
                );
            }
            return;
        }
        let rows = samples.rows(&(0..weights.len() / width));
        for (i, (sample_weights, (rows, values))) in weights.chunks_exact(width).zip(rows).enumerate() {
            if is_dense(sample_weights, SINGLE_COST) {
                for_each_tile!(
                    stride,
                    scatter_tile::<T, FUSED>(table, weights, (width, stride), &samples, &(i..i + 1))
                );
                continue;
            }
            for (k, &weight) in sample_weights.iter().enumerate().filter(|&(_, &v)| v != zero) {
                rows.iter().zip(values).for_each(|(&j, &y)| table[j as usize * stride + k] += y * weight);
            }
        }
    }
}

#[inline(always)]
fn scatter_tile<T: Real, const FUSED: bool, const N: usize>(
    table: &mut [T],
    weights: &[T],
    (width, stride): (usize, usize),
    samples: &NarrowRows<'_, T>,
    which: &Range<usize>,
    column: usize,
) {
    let mut padded_last = [T::from_f64(0.0); N];
    let last = &weights[(which.end - 1) * width + column..];
    if last.len() < N {
        padded_last[..last.len()].copy_from_slice(last);
    }
    for (i, (rows, values)) in which.clone().zip(samples.rows(which)) {
        // Read a full tile. Values of the next sample only reach the padding of the rows.
        let tile: [T; N] = *weights[i * width + column..].first_chunk().unwrap_or(&padded_last);
        for (&number, &value) in rows.iter().zip(values) {
            let sums: &mut [T; N] = if stride == N {
                &mut table.as_chunks_mut().0[number as usize]
            } else {
                let start = number as usize * stride + column;
                (&mut table[start..start + N]).try_into().expect("the length is N")
            };
            add_product::<T, FUSED, N>(sums, value, &tile);
        }
    }
}
