//! A search for better components of counts than those of one start: other starts, recombined with the best so far, and single
//! components exchanged.
//!
//! Steps of likelihood rest at optima near their start. Two fits that rest at different ones have different components right: their
//! union, fitted on and reduced one by one to the rank (whatever the others explain best goes first), is better than either. A
//! component made of what the worst fitted samples have in excess, and the removal of another, mends single ones. A result is kept if
//! the evidence for its components is larger, with weights found anew for both ([`super::gamma`]).
//!
//! The number of moves follows from the work that one takes: large data get none.

use ndarray::{Array2, Axis, concatenate, s};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::gamma::{GammaModel, GammaRule, evidence, gamma_steps};
use super::mixture::{MIXTURE_UPDATES, mixture_of_others};
use super::overdispersion::{deviance, overdispersion};
use super::rows::{normalise, rows_of};
use crate::constants::CountConstants;
use crate::fit::{StageInterrupt, StopMonitor};
use crate::linalg::product::multiply;
use crate::random::{Stream, numbered_generator};
use crate::samples::{CsrSamples, Samples, read};

/// Steps between two removals.
const STEPS_PER_REMOVAL: usize = 8;
/// A sample of this many counts is half of the start that is made of it; the mean is the other half.
const HALF_START: f64 = 100.0;
/// Dense values take about this many times the work of stored ones: they have exposures, too.
const DENSE_WORK: f64 = 1.5;
/// A weight or a value of a component takes about as much work as this many products: its logarithm, and powers of it.
const POWER_WORK: f64 = 10.0;
/// Moves that the first candidates are worth.
const FIRST_WORK: usize = 3;

/// What a search found.
#[derive(Debug, Clone)]
pub(crate) struct Searched {
    pub(crate) model: GammaModel<f32>,
    pub(crate) rule: GammaRule,
    /// True if counts are so overdispersed that the likelihood of Poisson counts would mislead.
    pub(crate) dispersed: bool,
    /// True if the overdispersion of the rule, zero or not, was learned.
    pub(crate) knows_noise: bool,
}

/// What all moves read.
struct Moves<'a> {
    samples: &'a CsrSamples<'static, f32>,
    constants: &'a CountConstants,
    monitor: &'a StopMonitor<'a>,
    rank: usize,
    /// Shares of the features in all counts.
    mean: Vec<f32>,
    totals: Vec<f64>,
    rule: GammaRule,
}

/// Searches from the components of the stages, and from those of singular pairs (of sum one); `None` if the data are too large for a single move.
pub(crate) fn searched(
    samples: &CsrSamples<'static, f32>,
    (start, pairs): (&Array2<f32>, &Array2<f32>),
    constants: &CountConstants,
    (seed, monitor): (u64, &StopMonitor<'_>),
) -> Result<Option<Searched>, StageInterrupt> {
    let (n, width, rank) = (samples.n_samples(), samples.n_features(), start.nrows());
    let moves = |values: f64, affordable: f64| {
        let passes = (2 * constants.search_steps + 3 * constants.search_sweeps) as f64;
        let powers = POWER_WORK * (n + width) as f64;
        let removals = (rank * rank) as f64 * (rank * width * MIXTURE_UPDATES) as f64;
        let work = passes * rank as f64 * (values + powers) + removals;
        // The first candidates take as much as some moves.
        ((affordable / work) as usize).saturating_sub(FIRST_WORK).min(constants.most_moves)
    };
    let sparse = || moves(samples.stored_values() as f64, constants.search_work);
    let dense = || moves(DENSE_WORK * (n * width) as f64, constants.overdispersed_work);
    if sparse().max(dense()) == 0 || rank < 2 || n <= rank {
        return Ok(None);
    }
    let (mut mean, mut totals) = (vec![0.0_f32; width], vec![0.0; n]);
    read(samples, 0..n)?.for_each(|i, feature, v| {
        mean[feature] += v;
        totals[i] += f64::from(v);
    });
    let all: f64 = totals.iter().sum();
    mean.iter_mut().for_each(|v| *v = (f64::from(*v) / all.max(1.0)) as f32);
    let rule = GammaRule {
        first: constants.first_prior,
        fall: constants.search_fall,
        last: constants.search_prior,
        overdispersion: 0.0,
        of_components: constants.component_prior,
    };
    let mut work = Moves { samples, constants, monitor, rank, mean, totals, rule };
    let mut best = work.better(work.descended(start.clone())?, work.kept(start.clone())?)?;
    let affordable = dense() > 0;
    if affordable && work.learned_noise(&best)? {
        best = work.better(work.descended(start.clone())?, work.kept(start.clone())?)?;
    } else if sparse() == 0 {
        return Ok(None);
    }
    // Singular pairs know short samples, of which single ones say little.
    best = work.better(best, work.descended(pairs.clone())?)?;
    best = work.better(best, work.kept(pairs.clone())?)?;
    let mut dispersed = false;
    for number in 0..constants.most_moves {
        // A better fit leaves less that looks like overdispersion.
        dispersed = affordable && work.learned_noise(&best)?;
        if number >= if dispersed { dense() } else { sparse() } {
            break;
        }
        let mut rng = numbered_generator(seed, Stream::Start, number + 1);
        let other = if number % 2 == 0 {
            let other = work.descended(work.scattered(&mut rng)?)?;
            work.crossed(&best, &other)?
        } else {
            work.exchanged(&best, &mut rng)?
        };
        let fitted = work.steps(best, constants.search_steps / 2)?;
        best = work.better(fitted, other)?;
    }
    let model = work.steps(best, 2 * constants.search_steps)?;
    Ok(Some(Searched { model, rule: work.settled(), dispersed, knows_noise: affordable }))
}

impl Moves<'_> {
    /// The rule after the prior has fallen.
    fn settled(&self) -> GammaRule {
        GammaRule { first: self.rule.last, fall: 1.0, ..self.rule }
    }

    /// Learns the overdispersion around a result; true if there is any.
    fn learned_noise(&mut self, model: &GammaModel<f32>) -> Result<bool, StageInterrupt> {
        let found = overdispersion(self.samples, &model.components, &model.weights)?;
        let dispersed = found.gain > self.constants.least_gain;
        self.rule.overdispersion = if dispersed { found.value } else { 0.0 };
        Ok(dispersed)
    }

    fn steps(&self, model: GammaModel<f32>, steps: usize) -> Result<GammaModel<f32>, StageInterrupt> {
        gamma_steps(self.samples, model, &self.settled(), steps, self.monitor)
    }

    fn with_even_weights(&self, components: Array2<f32>) -> GammaModel<f32> {
        let weights = Array2::zeros((self.samples.n_samples(), components.nrows()));
        GammaModel { components, weights }
    }

    /// The result from some components under the falling prior.
    fn descended(&self, components: Array2<f32>) -> Result<GammaModel<f32>, StageInterrupt> {
        let model = self.with_even_weights(components);
        gamma_steps(self.samples, model, &self.rule, self.constants.search_steps, self.monitor)
    }

    /// The result near some components: their weights are found under the falling prior, then both go on.
    fn kept(&self, components: Array2<f32>) -> Result<GammaModel<f32>, StageInterrupt> {
        let (_, weights) = evidence(self.samples, &components, &self.rule, self.constants.search_sweeps)?;
        self.steps(GammaModel { components, weights }, self.constants.search_steps)
    }

    /// The one of two results with the larger evidence.
    fn better(
        &self,
        one: GammaModel<f32>,
        other: GammaModel<f32>,
    ) -> Result<GammaModel<f32>, StageInterrupt> {
        let of = |model: &GammaModel<f32>| -> Result<f64, StageInterrupt> {
            Ok(evidence(self.samples, &model.components, &self.rule, self.constants.search_sweeps)?.0)
        };
        Ok(if of(&other)? > of(&one)? { other } else { one })
    }

    /// Components made of samples that are far from each other, each with some of the mean.
    fn scattered(&self, rng: &mut impl Rng) -> Result<Array2<f32>, StageInterrupt> {
        let n = self.samples.n_samples();
        let rows = rows_of(self.samples)?;
        let excess = self.excess_per_count();
        let sizes: Vec<f64> = self.totals.iter().map(|t| t / (1.0 + excess * t)).collect();
        let mut distances = vec![1.0_f64; n];
        let mut components = Array2::zeros((self.rank, self.samples.n_features()));
        for mut component in components.outer_iter_mut() {
            let weights: Vec<f64> = distances.iter().zip(&sizes).map(|(d, s)| d * s).collect();
            let chosen = drawn(&weights, rng);
            let total = self.totals[chosen].max(1.0);
            let mut roots = vec![0.0_f64; self.samples.n_features()];
            let part = total / (total + HALF_START);
            component.iter_mut().zip(&self.mean).for_each(|(v, &mean)| *v = (1.0 - part as f32) * mean);
            for (feature, count) in rows.row(chosen) {
                component[feature] += (part * f64::from(count) / total) as f32;
                roots[feature] = (f64::from(count) / total).sqrt();
            }
            // Squared Hellinger distance to the nearest sample so far.
            distances.par_iter_mut().enumerate().for_each(|(i, distance)| {
                let total = self.totals[i].max(1.0);
                let affinity: f64 =
                    rows.row(i).map(|(feature, v)| roots[feature] * (f64::from(v) / total).sqrt()).sum();
                *distance = distance.min((1.0 - affinity).max(0.0));
            });
        }
        normalise(&mut components, 0.0);
        Ok(components)
    }

    /// Overdispersion times the mean of a count in a sample of one count.
    fn excess_per_count(&self) -> f64 {
        self.rule.overdispersion * self.mean.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>()
    }

    /// The union of two results, reduced to the rank.
    fn crossed(
        &self,
        one: &GammaModel<f32>,
        other: &GammaModel<f32>,
    ) -> Result<GammaModel<f32>, StageInterrupt> {
        let components = concatenate![Axis(0), one.components, other.components];
        let weights = concatenate![Axis(1), one.weights, other.weights] * 0.5;
        let model = self.steps(GammaModel { components, weights }, self.constants.search_steps / 4)?;
        self.reduced(model)
    }

    /// A result with one component more, made of what a badly fitted sample has in excess, and one less.
    fn exchanged(
        &self,
        best: &GammaModel<f32>,
        rng: &mut impl Rng,
    ) -> Result<GammaModel<f32>, StageInterrupt> {
        let rows = rows_of(self.samples)?;
        let fitted = |i: usize| -> Vec<f32> {
            multiply(best.weights.slice(s![i..=i, ..]), best.components.view()).into_raw_vec_and_offset().0
        };
        let phi = self.rule.overdispersion;
        let deviances: Vec<f64> = (0..self.samples.n_samples())
            .into_par_iter()
            .map(|i| {
                let means = fitted(i);
                let mut counts = vec![0.0_f64; means.len()];
                rows.row(i).for_each(|(feature, v)| counts[feature] = f64::from(v));
                let of = |(&y, &mean): (&f64, &f32)| deviance(y, f64::from(mean).max(1e-12), phi);
                counts.iter().zip(&means).map(of).sum::<f64>().max(0.0)
            })
            .collect();
        let chosen = drawn(&deviances, rng);
        let means = fitted(chosen);
        let mut new = Array2::zeros((1, means.len()));
        for (feature, v) in rows.row(chosen) {
            new[[0, feature]] = (v - means[feature]).max(0.0) + 0.1 * v;
        }
        normalise(&mut new, 0.0);
        new.iter_mut().zip(&self.mean).for_each(|(v, mean)| *v = 0.95 * *v + 0.05 * mean);
        let own = best.weights.sum_axis(Axis(1)).insert_axis(Axis(1)) * 0.1;
        let components = concatenate![Axis(0), best.components, new];
        let weights = concatenate![Axis(1), &best.weights * 0.9, own];
        let model = self.steps(GammaModel { components, weights }, self.constants.search_steps / 4)?;
        self.reduced(model)
    }

    /// Removes the component that the others explain best until the rank is left.
    fn reduced(&self, mut model: GammaModel<f32>) -> Result<GammaModel<f32>, StageInterrupt> {
        while model.components.nrows() > self.rank {
            model = self.steps(self.without_one(&model), STEPS_PER_REMOVAL)?;
        }
        self.steps(model, self.constants.search_steps / 2)
    }

    /// Without the component whose counts lose least likelihood if a mixture of the others explains them.
    fn without_one(&self, model: &GammaModel<f32>) -> GammaModel<f32> {
        let GammaModel { components, weights } = model;
        let excess = self.excess_per_count();
        let count = components.nrows();
        let losses: Vec<(f64, Vec<f64>)> = (0..count)
            .into_par_iter()
            .map(|k| {
                let (mixture, divergence) = mixture_of_others(components, k);
                let of_samples = weights.column(k);
                let counts: f64 = (of_samples.iter().zip(&self.totals))
                    .map(|(&x, total)| f64::from(x) / (1.0 + excess * total))
                    .sum();
                (counts * divergence, mixture)
            })
            .collect();
        let mut least = 0;
        for k in 1..count {
            if losses[k].0 < losses[least].0 {
                least = k;
            }
        }
        let others: Vec<usize> = (0..count).filter(|&k| k != least).collect();
        let mut left = weights.select(Axis(1), &others);
        for (position, &k) in others.iter().enumerate() {
            left.column_mut(position).scaled_add(losses[least].1[k] as f32, &weights.column(least));
        }
        GammaModel { components: components.select(Axis(0), &others), weights: left }
    }
}

/// A position, drawn in proportion to the weights.
fn drawn(weights: &[f64], rng: &mut impl Rng) -> usize {
    let all: f64 = weights.iter().sum();
    let mut left = rng.random::<f64>() * all;
    for (i, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return i;
        }
    }
    weights.len() - 1
}
