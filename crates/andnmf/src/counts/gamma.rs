//! Weights with a gamma prior, and counts whose noise is Poisson or overdispersed.
//!
//! A count y has the mean μ = Σ_k x_k a_k and the variance μ + φμ² (negative binomial; Poisson for φ = 0): a Poisson count whose
//! rate is multiplied by a gamma variable, of which g = (1 + φy)/(1 + φμ) is expected. Every weight has a gamma prior of shape α
//! and of mean Σy/K. A sweep is
//!
//! ```text
//! γ_k ← α + x_k Σ (y/μ) a_k,   r_k ← Σ g·a_k,   x_k ← exp ψ(γ_k) / r_k
//! ```
//!
//! and the components become (a ∘ Σ x (y/μ) + η) / Σ x g. The fixed points of g are those of weights 1/(1 + φμ) in the likelihood: large
//! means count for less. Without overdispersion only stored values are read; with it, all values.
//!
//! **References.** Variational steps: Cemgil, 2009. Negative binomial factorization: Gouvert, Oberlin & Févotte, 2020.

use ndarray::{Array2, ArrayViewMut2, Axis};
use pulp::{Simd, WithSimd};

use super::momentum::Momentum;
use super::pass::{ByFeature, PassBuffers, add_scaled, at_least_smallest, dot, read_row};
use crate::fit::{StageInterrupt, StopMonitor};
use crate::linalg::special::{exp_of_negative, ln_gamma, split_exp_digamma};
use crate::pool::Pool;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::samples::{CsrSamples, Samples};
use crate::{FitError, Real};

/// Smallest weight: steps never leave zero.
const LEAST_WEIGHT: f64 = 1e-30;
/// Smallest value of a component.
const LEAST_VALUE: f32 = 1e-14;

/// The prior of weights, and the noise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GammaRule {
    /// The shape of the prior in the first sweep…
    pub(crate) first: f64,
    /// …its factor from sweep to sweep…
    pub(crate) fall: f64,
    /// …and the shape at which it stays.
    pub(crate) last: f64,
    /// The overdispersion φ.
    pub(crate) overdispersion: f64,
    /// The counts that the prior of the values of components adds to each.
    pub(crate) of_components: f64,
}

impl GammaRule {
    /// The shape of the prior in a sweep.
    fn shape(&self, sweep: usize) -> f64 {
        (self.first * self.fall.powi(i32::try_from(sweep).unwrap_or(i32::MAX))).max(self.last)
    }
}

/// Components of sum one, and weights.
#[derive(Debug, Clone)]
pub(crate) struct GammaModel<T> {
    pub(crate) components: Array2<T>,
    /// Samples × rank; a row of zeros begins at equal weights.
    pub(crate) weights: Array2<T>,
}

/// The sums of a pass.
struct GammaSums<T> {
    /// Σ x·y/μ, features × padded rank.
    quotients: Array2<T>,
    /// Σ x·g; empty without overdispersion, where it is Σ x for all features.
    exposures: Array2<T>,
    /// Σ x of each component.
    weights: Vec<f64>,
    /// The lower bound of the log-likelihood, up to a constant of the counts.
    evidence: f64,
}

/// Some sweeps of the weights of all samples, and the sums.
fn gamma_pass<T: Real>(
    samples: &dyn Samples<T>,
    components: &ByFeature<T>,
    rule: &GammaRule,
    sweeps: usize,
    weights: ArrayViewMut2<'_, T>,
) -> Result<GammaSums<T>, FitError> {
    let (rank, width, features) = (components.rank, components.width(), samples.n_features());
    let exposed = if rule.overdispersion > 0.0 { features } else { 0 };
    let buffers = Pool::<(PassBuffers<T>, GammaBuffers<T>)>::default();
    fold_with_rows(
        samples,
        &FoldPlan::new(samples, 2 * width * features),
        weights,
        &|| GammaSums {
            quotients: Array2::zeros((features, width)),
            exposures: Array2::zeros((exposed, width)),
            weights: vec![0.0; rank],
            evidence: 0.0,
        },
        &|sums: &mut GammaSums<T>, _, block, mut weights: ArrayViewMut2<'_, T>| {
            buffers.lend(|(row, buffers)| {
                for (i, mut weights) in weights.outer_iter_mut().enumerate() {
                    read_row(&block, i, row);
                    if exposed > 0 {
                        with_zeros(row, features);
                    }
                    let weights = weights.as_slice_mut().expect("row-major");
                    let (features, counts) = (&row.features[..], &row.counts[..]);
                    let work =
                        UpdateWeights { sums, components, rule, sweeps, weights, features, counts, buffers };
                    pulp::Arch::new().dispatch(work);
                }
            });
            Ok::<(), FitError>(())
        },
        &|into, other| {
            into.quotients += &other.quotients;
            into.exposures += &other.exposures;
            into.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a += b);
            into.evidence += other.evidence;
        },
    )
}

/// Adds the features that have no counts.
fn with_zeros<T: Real>(row: &mut PassBuffers<T>, n_features: usize) {
    let mut counts = vec![T::from_f64(0.0); n_features];
    row.features.iter().zip(&row.counts).for_each(|(&feature, &count)| counts[feature] = count);
    row.features.clear();
    row.features.extend(0..n_features);
    row.counts = counts;
}

/// Buffers of one thread.
#[derive(Debug)]
struct GammaBuffers<T> {
    x: Vec<T>,
    gradient: Vec<T>,
    rates: Vec<T>,
    shapes: Vec<f64>,
}

impl<T> Default for GammaBuffers<T> {
    fn default() -> Self {
        Self { x: Vec::new(), gradient: Vec::new(), rates: Vec::new(), shapes: Vec::new() }
    }
}

/// The update of one sample.
struct UpdateWeights<'a, T: Real> {
    sums: &'a mut GammaSums<T>,
    components: &'a ByFeature<T>,
    rule: &'a GammaRule,
    sweeps: usize,
    weights: &'a mut [T],
    features: &'a [usize],
    counts: &'a [T],
    buffers: &'a mut GammaBuffers<T>,
}

impl<T: Real> WithSimd for UpdateWeights<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { sums, components, rule, sweeps, weights, features, counts, buffers } = self;
        let (rank, width) = (components.rank, components.width());
        let rows = components.rows.as_slice().expect("row-major");
        let zero = T::from_f64(0.0);
        let total: f64 = counts.iter().map(|c| c.as_f64()).sum();
        if total <= 0.0 {
            weights.fill(zero);
            return;
        }
        let row = |feature: usize| &rows[feature * width..(feature + 1) * width];
        let phi = T::from_f64(rule.overdispersion);
        let one = T::from_f64(1.0);
        let dispersed = rule.overdispersion > 0.0;
        let GammaBuffers { x, gradient, rates, shapes } = buffers;
        for buffer in [&mut *x, &mut *gradient, &mut *rates] {
            buffer.clear();
            buffer.resize(width, zero);
        }
        shapes.clear();
        shapes.resize(rank, 0.0);
        x[..rank].copy_from_slice(weights);
        if weights.iter().all(|&v| v == zero) {
            x[..rank].fill(T::from_f64(total / rank as f64));
        }
        for sweep in 0..sweeps {
            let shape = rule.shape(sweep);
            gradient.fill(zero);
            rates.fill(if dispersed { zero } else { one });
            for (&feature, &count) in features.iter().zip(counts) {
                let row = row(feature);
                let fitted = at_least_smallest(dot(x, row));
                if count > zero {
                    add_scaled(gradient, row, count / fitted);
                }
                if dispersed {
                    add_scaled(rates, row, (one + phi * count) / (one + phi * fitted));
                }
            }
            for k in 0..rank {
                shapes[k] = shape + x[k].as_f64() * gradient[k].as_f64();
                let (factor, decay) = split_exp_digamma(shapes[k]);
                let rate = at_least_smallest(rates[k]).as_f64();
                x[k] = T::from_f64((factor * exp_of_negative(-decay) / rate).max(LEAST_WEIGHT));
            }
        }
        let quotients = sums.quotients.as_slice_mut().expect("row-major");
        let exposures = sums.exposures.as_slice_mut().expect("row-major");
        let mut evidence = 0.0;
        // From here on the buffer has the posterior means.
        for k in 0..rank {
            gradient[k] = T::from_f64(shapes[k] / at_least_smallest(rates[k]).as_f64());
        }
        for (&feature, &count) in features.iter().zip(counts) {
            let place = feature * width..(feature + 1) * width;
            let fitted = at_least_smallest(dot(x, row(feature)));
            if count > zero {
                add_scaled(&mut quotients[place.clone()], x, count / fitted);
                evidence += count.as_f64() * fitted.as_f64().ln();
            }
            if dispersed {
                add_scaled(&mut exposures[place], x, (one + phi * count) / (one + phi * fitted));
                let mean = dot(gradient, row(feature)).as_f64();
                evidence -=
                    (count.as_f64() + 1.0 / rule.overdispersion) * (rule.overdispersion * mean).ln_1p();
            }
        }
        if !dispersed {
            evidence -= gradient[..rank].iter().map(|v| v.as_f64()).sum::<f64>();
        }
        if sweeps > 0 {
            let shape = rule.shape(sweeps - 1);
            let prior_rate = shape * rank as f64 / total;
            let ln_gamma_of_prior = ln_gamma(shape);
            for k in 0..rank {
                let (own, rate) = (shapes[k], at_least_smallest(rates[k]).as_f64());
                let (factor, decay) = split_exp_digamma(own);
                evidence -= (own - shape) * (factor.ln() - decay) - ln_gamma(own)
                    + ln_gamma_of_prior
                    + shape * (rate / prior_rate).ln()
                    + own * (prior_rate - rate) / rate;
            }
        }
        sums.evidence += evidence;
        sums.weights.iter_mut().zip(&*x).for_each(|(sum, v)| *sum += v.as_f64());
        weights.copy_from_slice(&x[..rank]);
    }
}

/// (a ∘ Σ x (y/μ) + prior) / Σ x g, scaled to sum one; the weights get the factors.
fn improved<T: Real>(
    components: &Array2<T>,
    sums: &GammaSums<T>,
    prior: f64,
    weights: &mut Array2<T>,
) -> Array2<T> {
    let rank = components.nrows();
    let mut next = components.clone();
    next.zip_mut_with(&sums.quotients.slice(ndarray::s![.., ..rank]).t(), |a, &sum| {
        *a = T::from_f64(a.as_f64() * sum.as_f64() + prior);
    });
    if sums.exposures.nrows() > 0 {
        next.zip_mut_with(&sums.exposures.slice(ndarray::s![.., ..rank]).t(), |a, &sum| {
            *a = T::from_f64(a.as_f64() / sum.as_f64().max(LEAST_WEIGHT));
        });
    } else {
        for (mut row, &sum) in next.outer_iter_mut().zip(&sums.weights) {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / sum.max(LEAST_WEIGHT)));
        }
    }
    for (k, (mut row, old)) in next.outer_iter_mut().zip(components.outer_iter()).enumerate() {
        let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
        if sum.is_finite() && sum > 0.0 {
            row.mapv_inplace(|v| T::from_f64((v.as_f64() / sum).max(f64::from(LEAST_VALUE))));
            weights.column_mut(k).mapv_inplace(|v| T::from_f64(v.as_f64() * sum));
        } else {
            row.assign(&old);
        }
    }
    next
}

/// Steps of weights and components, with momentum. The prior falls from step to step as `rule` says.
pub(crate) fn gamma_steps(
    samples: &CsrSamples<'_, f32>,
    model: GammaModel<f32>,
    rule: &GammaRule,
    steps: usize,
    monitor: &StopMonitor<'_>,
) -> Result<GammaModel<f32>, StageInterrupt> {
    let GammaModel { components, weights } = model;
    // Selected and joined columns are not contiguous rows.
    let mut components = components.as_standard_layout().into_owned();
    let mut weights = weights.as_standard_layout().into_owned();
    let mut momentum = Momentum::new();
    for step in 0..steps {
        monitor.check()?;
        let shape = rule.shape(step);
        let now = GammaRule { first: shape, fall: 1.0, last: shape, ..*rule };
        let sums = gamma_pass(samples, &ByFeature::new(&components), &now, 1, weights.view_mut())?;
        let next = improved(&components, &sums, rule.of_components, &mut weights);
        components = momentum.follow(&components, next, &mut weights);
    }
    Ok(match momentum.into_last() {
        Some((components, weights)) => GammaModel { components, weights },
        None => GammaModel { components, weights },
    })
}

/// The evidence for components (a lower bound of the log-likelihood, up to a constant of the counts), with weights found anew under
/// the falling prior: whatever steps led to the components, they are compared on a par.
pub(crate) fn evidence<T: Real>(
    samples: &dyn Samples<T>,
    components: &Array2<T>,
    rule: &GammaRule,
    sweeps: usize,
) -> Result<(f64, Array2<T>), FitError> {
    let mut weights = Array2::zeros((samples.n_samples(), components.nrows()));
    let sums = gamma_pass(samples, &ByFeature::new(components), rule, sweeps, weights.view_mut())?;
    Ok((sums.evidence, weights))
}

/// Each row divided by its sum; rows of zeros get equal shares.
pub(crate) fn shares_of_weights(weights: &Array2<f32>) -> Array2<f32> {
    let mut shares = weights.clone();
    for mut row in shares.axis_iter_mut(Axis(0)) {
        let sum: f64 = row.iter().map(|&v| f64::from(v)).sum();
        let even = 1.0 / row.len() as f32;
        row.mapv_inplace(|v| if sum > 0.0 { (f64::from(v) / sum) as f32 } else { even });
    }
    shares
}
