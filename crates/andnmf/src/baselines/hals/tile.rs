//! Vectorized sweeps of coordinate descent: one problem per SIMD lane.
//!
//! Each problem is min ½·aᵀGa − bᵀa over a ≥ 0 (or any a) with the same G. A single problem is a chain of dependent
//! steps; a tile runs many independent problems at the same latency.

use pulp::{Simd, WithSimd};

use crate::Real;

/// Problems per tile: their values stay in the L1 cache, and their sums in registers.
pub(super) const fn lanes<T>() -> usize {
    256 / size_of::<T>()
}

/// The unknowns a and the products b of a tile of problems, unknown by unknown. Unused lanes hold any finite values.
pub(crate) struct Tile<T> {
    pub(super) values: Vec<T>,
    pub(super) products: Vec<T>,
}

impl<T> Default for Tile<T> {
    fn default() -> Self {
        Self { values: Vec::new(), products: Vec::new() }
    }
}

impl<T: Real> Tile<T> {
    /// Resizes the tile for problems with this many unknowns.
    pub(super) fn resize(&mut self, unknowns: usize) {
        let zero = T::from_f64(0.0);
        self.values.resize(unknowns * lanes::<T>(), zero);
        self.products.resize(unknowns * lanes::<T>(), zero);
    }

    /// Runs sweeps on all problems until the change is small or the maximum is reached.
    pub(super) fn sweep(&mut self, sweeps: &SweepOptions<'_, T>) {
        let tile = self;
        // The number of lanes must be a compile-time constant.
        if size_of::<T>() == 4 {
            pulp::Arch::new().dispatch(SweepKernel::<T, 64> { tile, sweeps });
        } else {
            pulp::Arch::new().dispatch(SweepKernel::<T, 32> { tile, sweeps });
        }
    }
}

/// The Gram matrix and options of a sweep.
pub(super) struct SweepOptions<'a, T> {
    /// G, row-major.
    pub(super) gram: &'a [T],
    /// Unknowns may be negative.
    pub(super) signed: bool,
    pub(super) max_sweeps: usize,
    /// Sweeps stop once one moves the unknowns by less than this fraction of the first sweep's change.
    pub(super) relative_tolerance: f64,
    /// If the diagonal entry of G is zero, the unknown is set to zero if true and stays unchanged if false.
    pub(super) clear_unused: bool,
}

struct SweepKernel<'a, T, const LANES: usize> {
    tile: &'a mut Tile<T>,
    sweeps: &'a SweepOptions<'a, T>,
}

impl<T: Real, const LANES: usize> WithSimd for SweepKernel<'_, T, LANES> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without hardware FMA a fused product is a slow function call.
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl<T: Real, const LANES: usize> SweepKernel<'_, T, LANES> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let SweepOptions { max_sweeps, relative_tolerance, .. } = *self.sweeps;
        let (values, _) = self.tile.values.as_chunks_mut::<LANES>();
        let (products, _) = self.tile.products.as_chunks::<LANES>();
        let mut first = 0.0;
        for sweep in 0..max_sweeps {
            let moved = sweep_once::<T, FUSED, LANES>(self.sweeps, values, products);
            if sweep == 0 {
                first = moved;
            }
            if moved <= relative_tolerance * relative_tolerance * first {
                break;
            }
        }
    }
}

/// Runs one sweep; returns the squared change of all unknowns in the norm defined by the diagonal of G.
#[inline(always)]
fn sweep_once<T: Real, const FUSED: bool, const LANES: usize>(
    sweeps: &SweepOptions<'_, T>,
    values: &mut [[T; LANES]],
    products: &[[T; LANES]],
) -> f64 {
    let (zero, unknowns) = (T::from_f64(0.0), values.len());
    let mut moved = [zero; LANES];
    for (k, products) in products.iter().enumerate() {
        let row = &sweeps.gram[k * unknowns..(k + 1) * unknowns];
        let own = row[k];
        if own == zero {
            if sweeps.clear_unused {
                values[k] = [zero; LANES];
            }
            continue;
        }
        let gradient = negative_gradients::<T, FUSED, LANES>(row, values, products);
        let scale = T::from_f64(1.0) / own;
        let value = &mut values[k];
        for l in 0..LANES {
            let new = value[l] + gradient[l] * scale;
            let new = if sweeps.signed | (new > zero) { new } else { zero };
            let step = new - value[l];
            moved[l] += step * step * own;
            value[l] = new;
        }
    }
    moved.iter().map(|v| v.as_f64()).sum()
}

/// b − G·a, the negative gradient, for one unknown of every problem. Two accumulators hide the latency of additions.
#[inline(always)]
fn negative_gradients<T: Real, const FUSED: bool, const LANES: usize>(
    row: &[T],
    values: &[[T; LANES]],
    products: &[T; LANES],
) -> [T; LANES] {
    let (mut even, mut odd) = (*products, [T::from_f64(0.0); LANES]);
    let ((pairs, last), (value_pairs, last_values)) = (row.as_chunks::<2>(), values.as_chunks::<2>());
    for ([c, d], [first, second]) in pairs.iter().zip(value_pairs) {
        for l in 0..LANES {
            even[l] = subtract_product::<T, FUSED>(even[l], *c, first[l]);
            odd[l] = subtract_product::<T, FUSED>(odd[l], *d, second[l]);
        }
    }
    for (c, values) in last.iter().zip(last_values) {
        for l in 0..LANES {
            even[l] = subtract_product::<T, FUSED>(even[l], *c, values[l]);
        }
    }
    for l in 0..LANES {
        even[l] += odd[l];
    }
    even
}

/// `sum − a·b`, as a fused multiply-add if `FUSED`.
#[inline(always)]
fn subtract_product<T: Real, const FUSED: bool>(sum: T, a: T, b: T) -> T {
    if FUSED { (-a).fused_product(b, sum) } else { sum - a * b }
}
