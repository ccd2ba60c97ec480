//! Sweeps of coordinate descent over many small problems side by side.
//!
//! Each problem is min ½·aᵀGa − bᵀa over a ≥ 0 (or any a) with the same G. One problem alone is a chain of steps that
//! wait for each other; with a problem in every lane of a vector the chain is the same and the work many times as much.

use pulp::{Simd, WithSimd};

use crate::Real;

/// Problems that are worked on together: their values stay in the first-level cache, and their sums in registers.
pub(super) const fn lanes<T>() -> usize {
    256 / size_of::<T>()
}

/// The unknowns and the products b of some problems, unknown by unknown; lanes without a problem hold anything finite.
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
    /// Makes room for problems of this many unknowns.
    pub(super) fn fit(&mut self, unknowns: usize) {
        let zero = T::from_f64(0.0);
        self.values.resize(unknowns * lanes::<T>(), zero);
        self.products.resize(unknowns * lanes::<T>(), zero);
    }

    /// Improves all problems by so many sweeps, or fewer where they are small beside the first.
    pub(super) fn sweep(&mut self, sweeps: &Sweeps<'_, T>) {
        let tile = self;
        // The number of lanes must be known to the compiler.
        if size_of::<T>() == 4 {
            pulp::Arch::new().dispatch(SweepTile::<T, 64> { tile, sweeps });
        } else {
            pulp::Arch::new().dispatch(SweepTile::<T, 32> { tile, sweeps });
        }
    }
}

/// How problems are improved.
pub(super) struct Sweeps<'a, T> {
    /// G, row-major.
    pub(super) gram: &'a [T],
    /// Whether unknowns may be negative.
    pub(super) signed: bool,
    pub(super) most: usize,
    /// Further sweeps end when one moves the unknowns by less than this share of what the first one did.
    pub(super) worthwhile: f64,
    /// What becomes of an unknown on which nothing depends (its diagonal value of G is zero): zero, or what it was.
    pub(super) clear_unused: bool,
}

struct SweepTile<'a, T, const LANES: usize> {
    tile: &'a mut Tile<T>,
    sweeps: &'a Sweeps<'a, T>,
}

impl<T: Real, const LANES: usize> WithSimd for SweepTile<'_, T, LANES> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without the instruction a fused product is a slow function call.
        if size_of::<S::f64s>() >= 32 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl<T: Real, const LANES: usize> SweepTile<'_, T, LANES> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Sweeps { most, worthwhile, .. } = *self.sweeps;
        let (values, _) = self.tile.values.as_chunks_mut::<LANES>();
        let (products, _) = self.tile.products.as_chunks::<LANES>();
        let mut first = 0.0;
        for sweep in 0..most {
            let moved = sweep_once::<T, FUSED, LANES>(self.sweeps, values, products);
            if sweep == 0 {
                first = moved;
            }
            if moved <= worthwhile * worthwhile * first {
                break;
            }
        }
    }
}

/// One sweep; returns how far the unknowns of all problems moved, squared, in the norm that the diagonal of G gives.
#[inline(always)]
fn sweep_once<T: Real, const FUSED: bool, const LANES: usize>(
    sweeps: &Sweeps<'_, T>,
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
        let slope = slopes::<T, FUSED, LANES>(row, values, products);
        let scale = T::from_f64(1.0) / own;
        let value = &mut values[k];
        for l in 0..LANES {
            let new = value[l] + slope[l] * scale;
            let new = if sweeps.signed | (new > zero) { new } else { zero };
            let step = new - value[l];
            moved[l] += step * step * own;
            value[l] = new;
        }
    }
    moved.iter().map(|v| v.as_f64()).sum()
}

/// b − G·a for one unknown of every problem. Two sums take turns, since each addition waits for the one before.
#[inline(always)]
fn slopes<T: Real, const FUSED: bool, const LANES: usize>(
    row: &[T],
    values: &[[T; LANES]],
    products: &[T; LANES],
) -> [T; LANES] {
    let (mut even, mut odd) = (*products, [T::from_f64(0.0); LANES]);
    let ((pairs, last), (value_pairs, last_values)) = (row.as_chunks::<2>(), values.as_chunks::<2>());
    for ([c, d], [first, second]) in pairs.iter().zip(value_pairs) {
        for l in 0..LANES {
            even[l] = less_product::<T, FUSED>(even[l], *c, first[l]);
            odd[l] = less_product::<T, FUSED>(odd[l], *d, second[l]);
        }
    }
    for (c, values) in last.iter().zip(last_values) {
        for l in 0..LANES {
            even[l] = less_product::<T, FUSED>(even[l], *c, values[l]);
        }
    }
    for l in 0..LANES {
        even[l] += odd[l];
    }
    even
}

/// `sum − a·b`, fused where the machine can.
#[inline(always)]
fn less_product<T: Real, const FUSED: bool>(sum: T, a: T, b: T) -> T {
    if FUSED { (-a).fused_product(b, sum) } else { sum - a * b }
}
