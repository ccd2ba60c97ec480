//! Components of counts, and their steps of largest likelihood and under priors.

use ndarray::{Array2, Axis};

use super::momentum::Momentum;
use super::pass::{ByFeature, PassSums, ShareRule, pass};
use crate::fit::{StageInterrupt, StopMonitor};
use crate::init::{NndsvdFill, nndsvd};
use crate::linalg::special::{digamma, exp_of_negative, split_exp_digamma};
use crate::samples::{CsrSamples, Samples};
use crate::{FitError, Real};

/// Components that sum to one (rank × features) and the shares of the samples (samples × rank).
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) components: Array2<f32>,
    pub(crate) shares: Array2<f32>,
    /// The learned Dirichlet prior of shares; empty for shares of largest likelihood.
    pub(crate) prior: Vec<f64>,
    /// True if the components include the prior of their values.
    pub(crate) smoothed: bool,
}

/// Non-negative components, each scaled to sum one, with a little of the mean sample in each: steps never leave zero.
pub(crate) fn filled(components: &Array2<f64>, means: &[f64], little: f64) -> Array2<f32> {
    let all: f64 = means.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut filled = components.mapv(|v| v.max(0.0));
    for mut row in filled.outer_iter_mut() {
        let sum: f64 = row.sum();
        row.iter_mut().zip(means).for_each(|(v, mean)| {
            let own = if sum > 0.0 { *v / sum } else { mean / all };
            *v = (1.0 - little) * own + little * mean / all;
        });
    }
    filled.mapv(|v| v as f32)
}

/// Components from the leading singular pairs of counts, of sum one.
pub(crate) fn from_singular_pairs(
    samples: &CsrSamples<'_, f32>,
    rank: usize,
    (means, little): (&[f64], f64),
    seed: u64,
) -> Result<Array2<f32>, FitError> {
    let pairs = nndsvd(samples as &dyn Samples<f32>, rank, NndsvdFill::Mean, seed)?.components;
    Ok(filled(&pairs.mapv(f64::from), means, little))
}

/// a ∘ Σ q θ, each component scaled to sum one. A component that no sample uses stays.
pub(crate) fn improved<T: Real>(components: &Array2<T>, sums: &PassSums<T>) -> Array2<T> {
    let mut next = totals(components, sums);
    for (mut row, old) in next.outer_iter_mut().zip(components.outer_iter()) {
        let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
        if sum > 0.0 {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / sum));
        } else {
            row.assign(&old);
        }
    }
    next
}

/// The expected counts of each component, a ∘ Σ q θ.
fn totals<T: Real>(components: &Array2<T>, sums: &PassSums<T>) -> Array2<T> {
    let rank = components.nrows();
    let mut totals = components.clone();
    totals.zip_mut_with(&sums.quotients.slice(ndarray::s![.., ..rank]).t(), |a, &sum| *a *= sum);
    totals
}

/// Steps towards the largest likelihood, with momentum.
pub(crate) fn likelihood_steps(
    samples: &CsrSamples<'_, f32>,
    model: Model,
    steps: usize,
    tolerance: f64,
    monitor: &StopMonitor<'_>,
) -> Result<(Model, f64), StageInterrupt> {
    let Model { mut components, mut shares, .. } = model;
    let mut momentum = Momentum::new();
    let mut reached = f64::NEG_INFINITY;
    for _ in 0..steps {
        monitor.check()?;
        let by_feature = ByFeature::new(&components);
        let sums = pass(samples, &by_feature, ShareRule::Likelihood, 2, shares.view_mut())?;
        let plain = improved(&components, &sums);
        let moved = largest_change(&components, &plain);
        reached = sums.log_likelihood.max(reached);
        components = momentum.climb(plain, &mut shares, sums.log_likelihood);
        if moved < tolerance {
            break;
        }
    }
    if let Some((last, last_shares)) = momentum.into_last() {
        (components, shares) = (last, last_shares);
    }
    Ok((Model { components, shares, prior: Vec::new(), smoothed: false }, reached))
}

/// The largest relative change of a component.
pub(crate) fn largest_change(old: &Array2<f32>, new: &Array2<f32>) -> f64 {
    let norm = |row: ndarray::ArrayView1<'_, f32>| -> f64 {
        row.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt()
    };
    let changes = old.outer_iter().zip(new.outer_iter()).map(|(old, new)| {
        let moved: f64 = old.iter().zip(new).map(|(a, b)| f64::from(a - b).powi(2)).sum();
        moved.sqrt() / norm(new).max(f64::MIN_POSITIVE)
    });
    changes.fold(0.0, f64::max)
}

/// The course of steps under priors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PriorCourse {
    pub(crate) steps: usize,
    pub(crate) sweeps: usize,
    /// The first prior of the shares, one value for all components.
    pub(crate) first: f64,
    /// Factor of the prior from step to step, for a prior that falls does for counts what falling thresholds do for AND…
    pub(crate) fall: f64,
    /// …in this many steps; later steps learn it, one value per component.
    pub(crate) falling_steps: usize,
    /// Steps that change the components by less than this are the last.
    pub(crate) tolerance: f64,
    /// The prior of the values of the components.
    pub(crate) of_components: f64,
}

/// Variational steps with a Dirichlet prior of the shares, learned with one value per component, and one of the components.
pub(crate) fn prior_steps(
    samples: &CsrSamples<'_, f32>,
    model: Model,
    course: &PriorCourse,
    monitor: &StopMonitor<'_>,
) -> Result<Model, StageInterrupt> {
    let Model { mut components, mut shares, prior, .. } = model;
    let rank = components.nrows();
    // A prior that has been learned is only learned further.
    let falling_steps = if prior.is_empty() { course.falling_steps } else { 0 };
    let mut prior = if prior.is_empty() { vec![course.first; rank] } else { prior };
    let mut used = components.clone();
    for step in 0..course.steps {
        monitor.check()?;
        let by_feature = ByFeature::new(&used);
        let sums =
            pass(samples, &by_feature, ShareRule::Dirichlet(&prior), course.sweeps, shares.view_mut())?;
        let mut all = totals(&used, &sums);
        if course.of_components > 0.0 {
            all.mapv_inplace(|v| v + course.of_components as f32);
        }
        let mut next = all.clone();
        for (mut row, (mut used, all)) in
            next.outer_iter_mut().zip(used.outer_iter_mut().zip(all.outer_iter()))
        {
            let sum: f64 = all.iter().map(|&v| f64::from(v)).sum();
            row.mapv_inplace(|v| (f64::from(v) / sum) as f32);
            if course.of_components > 0.0 {
                let base = digamma(sum);
                used.iter_mut().zip(all).for_each(|(used, &v)| *used = exp_digamma(f64::from(v), base));
            } else {
                used.assign(&row);
            }
        }
        let moved = largest_change(&components, &next);
        components = next;
        if step < falling_steps {
            prior.iter_mut().for_each(|alpha| *alpha *= course.fall);
        } else if step % 3 == 2 {
            for _ in 0..3 {
                learn_prior(&mut prior, &sums);
            }
        }
        if moved < course.tolerance && step > falling_steps + 5 {
            break;
        }
    }
    Ok(Model { components, shares, prior, smoothed: course.of_components > 0.0 })
}

/// exp(ψ(x) − base), zero where it is below the smallest normal number.
fn exp_digamma(x: f64, base: f64) -> f32 {
    let (factor, decay) = split_exp_digamma(x);
    let value = (factor * exp_of_negative((-decay).min(0.0)) * (-base).exp()) as f32;
    if value > f32::MIN_POSITIVE { value } else { 0.0 }
}

/// A step of Minka's fixed point for the Dirichlet prior of shares.
fn learn_prior(prior: &mut [f64], sums: &PassSums<f32>) {
    // Σ ψ(γ_k) and Σ ψ(Σ γ) over the samples, less those of the prior itself.
    let total: f64 = prior.iter().sum();
    let below = sums.log_totals - sums.used * digamma(total);
    let above: Vec<f64> = prior
        .iter()
        .zip(&sums.log_shares)
        .map(|(&alpha, log_share)| log_share + sums.log_totals - sums.used * digamma(alpha))
        .collect();
    for (alpha, above) in prior.iter_mut().zip(above) {
        if below > 0.0 {
            *alpha = (*alpha * above / below).clamp(1e-4, 10.0);
        }
    }
}

/// The shares of samples under a Dirichlet prior that is learned, with components as they are.
pub(crate) fn shares_of(
    samples: &CsrSamples<'_, f32>,
    components: &Array2<f32>,
    rounds: usize,
) -> Result<(Array2<f32>, Vec<f64>), StageInterrupt> {
    let rank = components.nrows();
    let mut prior = vec![0.3; rank];
    let mut shares = Array2::zeros((samples.n_samples(), rank));
    let by_feature = ByFeature::new(components);
    for _ in 0..rounds {
        let sums = pass(samples, &by_feature, ShareRule::Dirichlet(&prior), 5, shares.view_mut())?;
        for _ in 0..3 {
            learn_prior(&mut prior, &sums);
        }
    }
    Ok((shares, prior))
}

/// Posterior means γ/Σγ of the shares, from the state of the last pass and the prior.
pub(crate) fn mean_shares(
    samples: &CsrSamples<'_, f32>,
    components: &Array2<f32>,
    shares: &Array2<f32>,
    prior: &[f64],
) -> Result<Array2<f32>, StageInterrupt> {
    // Σ_k γ_k = Σ c + Σ α, and one plain sweep from θ gives γ_k − α_k as a share of Σ c.
    let mut means = shares.clone();
    pass(samples, &ByFeature::new(components), ShareRule::Likelihood, 1, means.view_mut())?;
    let alpha: f64 = prior.iter().sum();
    for (i, mut row) in means.axis_iter_mut(Axis(0)).enumerate() {
        let total: f64 = match crate::samples::read(samples, i..i + 1)? {
            crate::samples::Block::Sparse(rows) => rows.row(0).map(|(_, v)| f64::from(v)).sum(),
            crate::samples::Block::Dense(rows) => rows.iter().map(|&v| f64::from(v)).sum(),
        };
        for (share, alpha_k) in row.iter_mut().zip(prior) {
            *share = ((f64::from(*share) * total + alpha_k) / (total + alpha).max(f64::MIN_POSITIVE)) as f32;
        }
    }
    Ok(means)
}

/// Σ c·ln f over samples with given shares.
pub(crate) fn log_likelihood(
    samples: &CsrSamples<'_, f32>,
    components: &Array2<f32>,
    shares: &Array2<f32>,
) -> Result<f64, StageInterrupt> {
    let mut same = shares.clone();
    Ok(pass(samples, &ByFeature::new(components), ShareRule::Likelihood, 0, same.view_mut())?.log_likelihood)
}

/// Σ c·θ_k of each component over the samples.
pub(crate) fn weights_of(
    samples: &CsrSamples<'_, f32>,
    components: &Array2<f32>,
    shares: &Array2<f32>,
) -> Result<Vec<f64>, StageInterrupt> {
    let mut same = shares.clone();
    Ok(pass(samples, &ByFeature::new(components), ShareRule::Likelihood, 0, same.view_mut())?.weights)
}
