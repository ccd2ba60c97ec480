//! The finish of a fit to counts: from the components that AND found in the metric of the counts, to those of largest likelihood,
//! under learned priors, or with profiles, whichever predicts held-out counts best.

mod choose;
mod judge;

use ndarray::Array2;

use super::gamma::{GammaModel, GammaRule, gamma_steps, shares_of_weights};
use super::model::{
    Model, PriorCourse, filled, from_singular_pairs, likelihood_steps, mean_shares, prior_steps, shares_of,
};
use super::noise::CountNoise;
use super::profiles::{ProfileCourse, Profiles, begin, posterior_means, profile_steps};
use super::rows::{copied, scaled};
use super::search::{Searched, searched};
use crate::Real;
use crate::constants::{CountConstants, CountFinish};
use crate::fit::{StageInterrupt, StopMonitor};
use crate::samples::{CsrSamples, Samples};

/// The components of a finish, and how well it predicts held-out counts.
#[derive(Debug, Clone)]
pub(crate) struct CountEnd {
    /// The finish that was chosen.
    pub(crate) finish: CountFinish,
    /// Rank × features, each component of sum one; `None` if those of the stages stay.
    pub(crate) components: Option<Array2<f64>>,
    /// The mean logarithm of the probability of a held-out count under each finish that was tried.
    pub(crate) held_out: Vec<(CountFinish, f64)>,
    /// Posterior means of the shares, samples × rank.
    pub(crate) shares: Array2<f32>,
    /// The estimated error of each component, a sine; zero if it is not to be judged, and empty if those of the stages stay.
    pub(crate) errors: Vec<f64>,
}

/// The parts of their counts for which samples speak.
struct EffectiveParts<'a> {
    totals: &'a [f64],
    excess: f64,
    /// True if all their counts enter: a likelihood of overdispersed counts weighs them, or they predict better so.
    whole: bool,
}

impl<'a> EffectiveParts<'a> {
    fn new(noise: &'a CountNoise, found: Option<&Searched>) -> Self {
        // What a search knows of the overdispersion comes from a better fit.
        let known = found.filter(|found| found.knows_noise);
        let overdispersion = known.map_or(noise.overdispersion, |found| found.rule.overdispersion);
        let excess = CountNoise { overdispersion, ..noise.clone() }.excess_per_count();
        Self { totals: &noise.sums.totals, excess, whole: found.is_some_and(|found| found.dispersed) }
    }

    fn of(&self, total: f64) -> f64 {
        if self.whole { 1.0 } else { self.part(total) }
    }

    fn part(&self, total: f64) -> f64 {
        1.0 / (1.0 + self.excess * total)
    }

    /// The mean over the counts of their variance over that of Poisson counts.
    fn mean_excess(&self) -> f64 {
        let all: f64 = self.totals.iter().sum();
        let effective: f64 = self.totals.iter().map(|&total| total * self.part(total)).sum();
        all / effective.max(f64::MIN_POSITIVE)
    }
}

/// A finish and its result on some counts.
enum Fitted {
    Model(Model),
    Profiles(Profiles, Array2<f32>),
    /// Of overdispersed counts.
    Dispersed(GammaModel<f32>, GammaRule),
}

/// Everything that the finishes read.
struct Finishes<'a> {
    constants: &'a CountConstants,
    monitor: &'a StopMonitor<'a>,
    seed: u64,
    rank: usize,
    /// Σ of each feature.
    means: &'a [f64],
}

/// Finishes the components (rank × features, as the stages left them) of counts.
pub(crate) fn finish_counts<T: Real>(
    samples: &dyn Samples<T>,
    components: &Array2<f64>,
    noise: &CountNoise,
    constants: &CountConstants,
    (seed, judged, monitor): (u64, bool, &StopMonitor<'_>),
) -> Result<CountEnd, StageInterrupt> {
    let (whole, _) = copied(samples, constants.most_values, seed)?;
    let means = &noise.sums.features[..];
    let rank = components.nrows();
    let start = filled(components, means, constants.filled);
    let choosing = constants.finish == CountFinish::Auto;
    // Singular pairs know short samples, of which single ones say little.
    let pairs = if choosing || constants.finish == CountFinish::Priors {
        Some(from_singular_pairs(&whole, rank, (means, constants.filled), seed)?)
    } else {
        None
    };
    let found = match &pairs {
        Some(pairs) => searched(&whole, (&start, pairs), constants, (seed, monitor))?,
        None => None,
    };
    let finishes = Finishes { constants, monitor, seed, rank, means };
    let mut effective = EffectiveParts::new(noise, found.as_ref());
    let (finish, fitted, held_out) = match (&pairs, &found) {
        // Thinned counts share what makes them overdispersed: the evidence of the search has judged.
        (Some(_), Some(Searched { model, rule, dispersed: true, .. })) => {
            let fitted = Fitted::Dispersed(model.clone(), *rule);
            let rows = scaled(&whole, |total| effective.of(total))?;
            let fitted = finishes.again(CountFinish::Priors, (&rows, &start), Some(fitted), true, 0.5)?;
            (CountFinish::Priors, fitted, Vec::new())
        }
        (Some(pairs), _) if choosing => {
            finishes.of_best_prediction(&whole, &mut effective, (&start, pairs, found.as_ref()))?
        }
        _ => {
            let rows = scaled(&whole, |total| effective.of(total))?;
            (constants.finish, finishes.anew(constants.finish, &rows, &start)?, Vec::new())
        }
    };
    let rows = scaled(&whole, |total| effective.of(total))?;
    let shares = finishes.shares(&rows, &fitted)?;
    let components = (finish != CountFinish::Stages).then(|| fitted.components().mapv(f64::from));
    let errors = match &components {
        Some(_) if judged => finishes.split_errors(&whole, &effective, finish, &fitted)?,
        Some(components) => vec![0.0; components.nrows()],
        None => Vec::new(),
    };
    Ok(CountEnd { finish, components, held_out, shares, errors })
}

impl Fitted {
    fn components(&self) -> &Array2<f32> {
        match self {
            Self::Model(model) => &model.components,
            Self::Profiles(profiles, _) => &profiles.components,
            Self::Dispersed(model, _) => &model.components,
        }
    }

    fn copy(&self) -> Self {
        match self {
            Self::Model(model) => Self::Model(model.clone()),
            Self::Profiles(profiles, shares) => Self::Profiles(profiles.clone(), shares.clone()),
            Self::Dispersed(model, rule) => Self::Dispersed(model.clone(), *rule),
        }
    }
}

impl Finishes<'_> {
    /// The number of profiles for some samples.
    fn profiles_of(&self, rows: &CsrSamples<'static, f32>) -> usize {
        let most = (rows.n_samples() as f64 / self.constants.samples_per_profile) as usize;
        most.clamp(1, self.constants.most_profiles)
    }

    /// The result of a finish, from that of the one before it; from its own if it is warm.
    fn again(
        &self,
        finish: CountFinish,
        (rows, start): (&CsrSamples<'static, f32>, &Array2<f32>),
        before: Option<Fitted>,
        warm: bool,
        part: f64,
    ) -> Result<Fitted, StageInterrupt> {
        let c = self.constants;
        let count = |steps: usize| ((steps as f64 * part).ceil() as usize).max(1);
        let model = |components: Array2<f32>| Model {
            shares: Array2::zeros((rows.n_samples(), self.rank)),
            components,
            prior: Vec::new(),
            smoothed: false,
        };
        Ok(match (finish, before) {
            (CountFinish::Stages | CountFinish::Auto, _) => {
                let (shares, prior) = shares_of(rows, start, 5)?;
                Fitted::Model(Model { components: start.clone(), shares, prior, smoothed: false })
            }
            (CountFinish::Likelihood, before) => {
                let components = before.map_or_else(|| start.clone(), |b| b.components().clone());
                let steps = count(c.likelihood_steps);
                let (fitted, _) =
                    likelihood_steps(rows, model(components), steps, c.tolerance, self.monitor)?;
                let (shares, prior) = shares_of(rows, &fitted.components, 5)?;
                Fitted::Model(Model { shares, prior, ..fitted })
            }
            (_, Some(Fitted::Dispersed(before, rule))) => {
                Fitted::Dispersed(gamma_steps(rows, before, &rule, count(c.prior_steps), self.monitor)?, rule)
            }
            (CountFinish::Priors, before) => {
                let before = match before {
                    Some(Fitted::Model(before)) if warm => before,
                    // Falling priors begin at the components of the stages: they find what plain steps of likelihood lose.
                    _ => model(start.clone()),
                };
                let course = PriorCourse {
                    steps: count(c.prior_steps),
                    sweeps: c.prior_sweeps,
                    first: c.first_prior,
                    fall: c.prior_fall,
                    falling_steps: c.falling_steps,
                    tolerance: c.tolerance,
                    of_components: c.component_prior,
                };
                Fitted::Model(prior_steps(rows, before, &course, self.monitor)?)
            }
            (CountFinish::Profiles, before) => {
                let begun = match before {
                    Some(Fitted::Profiles(before, _)) => before,
                    Some(before) => {
                        let shares = self.shares(rows, &before)?;
                        begin(before.components().clone(), &shares, self.profiles_of(rows), self.seed)
                    }
                    None => {
                        let (shares, _) = shares_of(rows, start, 5)?;
                        begin(start.clone(), &shares, self.profiles_of(rows), self.seed)
                    }
                };
                let course = ProfileCourse {
                    steps: count(c.profile_steps),
                    sweeps: c.profile_sweeps,
                    candidates: c.candidates,
                    refresh: c.refresh,
                    heat: if warm { 1.0 } else { c.heat },
                };
                let (profiles, _) = profile_steps(rows, begun, &course, self.monitor)?;
                let (shares, _) = posterior_means(rows, &profiles, c.candidates)?;
                Fitted::Profiles(profiles, shares)
            }
        })
    }

    /// Posterior means of the shares.
    fn shares(
        &self,
        rows: &CsrSamples<'static, f32>,
        fitted: &Fitted,
    ) -> Result<Array2<f32>, StageInterrupt> {
        match fitted {
            Fitted::Model(Model { components, shares, prior, .. }) => {
                mean_shares(rows, components, shares, prior)
            }
            Fitted::Profiles(_, shares) => Ok(shares.clone()),
            Fitted::Dispersed(model, _) => Ok(shares_of_weights(&model.weights)),
        }
    }
}
