//! One pass over samples of counts: their shares under given components, and the sums that improve the components.
//!
//! A sample with counts c has the shares θ, which sum to one, and its features the probabilities f = Σ_k θ_k a_k under
//! components that sum to one. With the quotients q = c/f and the sums g_k = Σ q·a_k over the features of the sample, a sweep is
//!
//! ```text
//! likelihood          θ_k ← θ_k g_k / Σ c
//! Dirichlet prior α   γ_k ← α_k + θ_k g_k,  θ_k ← exp ψ(γ_k), scaled to sum one
//! ```
//!
//! and the components gain Σ q θ_k over the samples. Only stored values are read: a sweep costs their number times the rank.

use ndarray::{Array2, ArrayViewMut2};
use pulp::{Simd, WithSimd};

use crate::linalg::special::{digamma, exp_of_negative, split_exp_digamma};
use crate::pool::Pool;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::samples::{Block, Samples};
use crate::{FitError, Real};

/// Values per SIMD vector of the kernels.
const LANES: usize = 8;

/// Components with one contiguous row per feature, padded with zeros to whole vectors.
#[derive(Debug, Clone)]
pub(crate) struct ByFeature<T> {
    pub(crate) rows: Array2<T>,
    pub(crate) rank: usize,
}

impl<T: Real> ByFeature<T> {
    /// From rank × features.
    pub(crate) fn new(components: &Array2<T>) -> Self {
        let (rank, features) = components.dim();
        let mut rows = Array2::zeros((features, rank.next_multiple_of(LANES)));
        rows.slice_mut(ndarray::s![.., ..rank]).assign(&components.t());
        Self { rows, rank }
    }

    /// The padded length of a row.
    pub(crate) fn width(&self) -> usize {
        self.rows.ncols()
    }
}

/// How a pass finds the shares of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShareRule<'a> {
    /// Those of largest likelihood.
    Likelihood,
    /// The variational posterior under a Dirichlet prior with these parameters.
    Dirichlet(&'a [f64]),
}

/// The sums of a pass over all samples.
#[derive(Debug)]
pub(crate) struct PassSums<T> {
    /// Σ q θ, features × padded rank.
    pub(crate) quotients: Array2<T>,
    /// Σ c·ln f with the new shares.
    pub(crate) log_likelihood: f64,
    /// Σ ψ(γ_k) − ψ(Σ γ) of each component over the samples; zero without a prior.
    pub(crate) log_shares: Vec<f64>,
    /// Σ ψ(Σ_k γ_k) over the samples; zero without a prior.
    pub(crate) log_totals: f64,
    /// Number of samples with counts.
    pub(crate) used: f64,
    /// Σ c·θ_k of each component.
    pub(crate) weights: Vec<f64>,
}

/// Buffers of one thread.
#[derive(Debug)]
pub(crate) struct PassBuffers<T> {
    pub(super) features: Vec<usize>,
    pub(super) counts: Vec<T>,
    theta: Vec<T>,
    sums: Vec<T>,
    gamma: Vec<f64>,
}

impl<T> Default for PassBuffers<T> {
    fn default() -> Self {
        Self {
            features: Vec::new(),
            counts: Vec::new(),
            theta: Vec::new(),
            sums: Vec::new(),
            gamma: Vec::new(),
        }
    }
}

/// Updates the shares of all samples (samples × rank; a row of zeros starts from equal shares) by some sweeps and sums what
/// improves the components.
///
/// # Errors
/// If the samples cannot be read.
pub(crate) fn pass<T: Real>(
    samples: &dyn Samples<T>,
    components: &ByFeature<T>,
    rule: ShareRule<'_>,
    sweeps: usize,
    shares: ArrayViewMut2<'_, T>,
) -> Result<PassSums<T>, FitError> {
    let (rank, width, features) = (components.rank, components.width(), samples.n_features());
    let buffers = Pool::<PassBuffers<T>>::default();
    fold_with_rows(
        samples,
        &FoldPlan::new(samples, width * features),
        shares,
        &|| PassSums {
            quotients: Array2::zeros((features, width)),
            log_likelihood: 0.0,
            log_shares: vec![0.0; rank],
            log_totals: 0.0,
            used: 0.0,
            weights: vec![0.0; rank],
        },
        &|sums: &mut PassSums<T>, _, block, mut shares: ArrayViewMut2<'_, T>| {
            buffers.lend(|buffers| {
                for (i, mut shares) in shares.outer_iter_mut().enumerate() {
                    read_row(&block, i, buffers);
                    let shares = shares.as_slice_mut().expect("row-major");
                    let work = UpdateSample { sums, components, rule, sweeps, shares, buffers };
                    pulp::Arch::new().dispatch(work);
                }
            });
            Ok::<(), FitError>(())
        },
        &|into, other| {
            into.quotients += &other.quotients;
            into.log_likelihood += other.log_likelihood;
            into.log_shares.iter_mut().zip(&other.log_shares).for_each(|(a, b)| *a += b);
            into.log_totals += other.log_totals;
            into.used += other.used;
            into.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a += b);
        },
    )
}

/// The positive values of a row and their features.
pub(super) fn read_row<T: Real>(block: &Block<'_, T>, i: usize, buffers: &mut PassBuffers<T>) {
    let zero = T::from_f64(0.0);
    let PassBuffers { features, counts, .. } = buffers;
    features.clear();
    counts.clear();
    let mut add = |feature: usize, count: T| {
        if count > zero {
            features.push(feature);
            counts.push(count);
        }
    };
    match block {
        Block::Dense(rows) => rows.row(i).iter().enumerate().for_each(|(feature, &v)| add(feature, v)),
        Block::Sparse(rows) => rows.row(i).for_each(|(feature, v)| add(feature, v)),
    }
}

/// The update of one sample.
struct UpdateSample<'a, T: Real> {
    sums: &'a mut PassSums<T>,
    components: &'a ByFeature<T>,
    rule: ShareRule<'a>,
    sweeps: usize,
    shares: &'a mut [T],
    buffers: &'a mut PassBuffers<T>,
}

impl<T: Real> WithSimd for UpdateSample<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { sums, components, rule, sweeps, shares, buffers } = self;
        let (rank, width) = (components.rank, components.width());
        let rows = components.rows.as_slice().expect("row-major");
        let PassBuffers { features, counts, theta, sums: gradient, gamma } = buffers;
        let zero = T::from_f64(0.0);
        theta.clear();
        theta.resize(width, zero);
        theta[..rank].copy_from_slice(shares);
        if shares.iter().all(|&v| v == zero) {
            theta[..rank].fill(T::from_f64(1.0 / rank as f64));
        }
        let total: f64 = counts.iter().map(|c| c.as_f64()).sum();
        gamma.clear();
        gamma.resize(rank, 0.0);
        for _ in 0..if total > 0.0 { sweeps } else { 0 } {
            gradient.clear();
            gradient.resize(width, zero);
            for (&feature, &count) in features.iter().zip(&*counts) {
                let row = &rows[feature * width..(feature + 1) * width];
                let quotient = count / at_least_smallest(dot(theta, row));
                add_scaled(gradient, row, quotient);
            }
            match rule {
                ShareRule::Likelihood => {
                    let one_over = T::from_f64(1.0 / total);
                    for (theta, gradient) in theta.iter_mut().zip(&*gradient) {
                        let next = *theta * *gradient * one_over;
                        // Denormal numbers are slow.
                        *theta = if next > T::SMALLEST { next } else { zero };
                    }
                }
                ShareRule::Dirichlet(prior) => {
                    for (k, (gamma, prior)) in gamma.iter_mut().zip(prior).enumerate() {
                        *gamma = prior + theta[k].as_f64() * gradient[k].as_f64();
                    }
                    exp_digamma_shares(gamma, theta);
                }
            }
        }
        if total > 0.0 {
            let products = sums.quotients.as_slice_mut().expect("row-major");
            for (&feature, &count) in features.iter().zip(&*counts) {
                let place = feature * width..(feature + 1) * width;
                let fitted = at_least_smallest(dot(theta, &rows[place.clone()]));
                add_scaled(&mut products[place], theta, count / fitted);
                sums.log_likelihood += count.as_f64() * fitted.as_f64().ln();
            }
            sums.used += 1.0;
            sums.weights.iter_mut().zip(&*theta).for_each(|(sum, v)| *sum += total * v.as_f64());
            if matches!(rule, ShareRule::Dirichlet(_)) {
                let all = digamma(gamma.iter().sum());
                sums.log_shares.iter_mut().zip(&*gamma).for_each(|(sum, &v)| *sum += digamma(v) - all);
                sums.log_totals += all;
            }
        }
        shares.copy_from_slice(&theta[..rank]);
    }
}

/// θ = exp ψ(γ), scaled to sum one.
#[inline(always)]
fn exp_digamma_shares<T: Real>(gamma: &[f64], theta: &mut [T]) {
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    // Relative to the largest, none overflows.
    for &value in gamma {
        least = split_exp_digamma(value).1.min(least);
    }
    for (theta, &value) in theta.iter_mut().zip(gamma) {
        let (factor, decay) = split_exp_digamma(value);
        let share = factor * exp_of_negative(least - decay);
        sum += share;
        *theta = T::from_f64(share);
    }
    let one_over = T::from_f64(1.0 / sum);
    theta.iter_mut().for_each(|v| *v *= one_over);
}

#[inline(always)]
pub(super) fn at_least_smallest<T: Real>(value: T) -> T {
    let floor = T::from_f64(if size_of::<T>() == 4 { 1e-30 } else { 1e-200 });
    if value > floor { value } else { floor }
}

#[inline(always)]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::from_f64(0.0); LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            sums[l] += a[l] * b[l];
        }
    }
    sums.into_iter().sum()
}

#[inline(always)]
pub(super) fn add_scaled<T: Real>(to: &mut [T], row: &[T], factor: T) {
    let to = to.as_chunks_mut::<LANES>().0;
    for (to, row) in to.iter_mut().zip(row.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            to[l] += factor * row[l];
        }
    }
}
