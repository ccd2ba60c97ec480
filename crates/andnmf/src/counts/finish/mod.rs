//! The finish of a fit to counts: from the components that AND found in the metric of the counts, to those of largest likelihood,
//! under learned priors, or with profiles, whichever predicts held-out counts best.

mod judge;

use ndarray::Array2;

use super::gamma::{GammaModel, GammaRule, gamma_steps, shares_of_weights};
use super::model::{Model, PriorCourse, filled, likelihood_steps, mean_shares, prior_steps, shares_of};
use super::noise::CountNoise;
use super::profiles::{ProfileCourse, Profiles, begin, posterior_means, profile_steps};
use super::rows::{copied, scaled, thinned};
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
    /// True if a likelihood of overdispersed counts weighs them, so that they enter whole.
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

/// The finish that was chosen, its result on most of the counts, and the scores of all.
type Chosen = (CountFinish, Option<Fitted>, Vec<(CountFinish, f64)>);

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
    let found = match constants.finish {
        CountFinish::Auto | CountFinish::Priors => searched(&whole, &start, constants, (seed, monitor))?,
        _ => None,
    };
    let finishes = Finishes { constants, monitor, seed, rank, means };
    let effective = EffectiveParts::new(noise, found.as_ref());
    let rows = scaled(&whole, |total| effective.of(total))?;
    let order = [CountFinish::Stages, CountFinish::Likelihood, CountFinish::Priors, CountFinish::Profiles];
    let (finish, first, held_out) = match (constants.finish, &found) {
        // Thinned counts share what makes them overdispersed: the evidence of the search has judged.
        (CountFinish::Auto | CountFinish::Priors, Some(Searched { model, rule, dispersed: true, .. })) => {
            (CountFinish::Priors, Some(Fitted::Dispersed(model.clone(), *rule)), Vec::new())
        }
        (CountFinish::Auto, _) => {
            let (part, fewer) = copied(&whole, constants.choice_values, seed)?;
            let of_part = finishes.chosen(&part, &effective, (&start, found.as_ref()))?;
            let (finish, fitted, scores) = of_part;
            let fitted = match (fewer, fitted) {
                (Some(_), Some(fitted)) => Some(finishes.for_more_samples(&rows, fitted)?),
                (_, fitted) => fitted,
            };
            (finish, fitted, scores)
        }
        (given, _) => (given, None, Vec::new()),
    };
    // The chosen finish on all counts, from its result on most of them.
    let warm = first.is_some();
    let mut fitted = first;
    let all = order.iter().position(|f| *f == finish).unwrap_or(0);
    let steps = if warm { &order[all..=all] } else { &order[..=all] };
    for step in steps {
        let part = if warm { 0.5 } else { 1.0 };
        fitted = Some(finishes.again(*step, (&rows, &start), fitted.take(), warm, part)?);
    }
    let fitted = match fitted {
        Some(fitted) => fitted,
        None => finishes.again(CountFinish::Stages, (&rows, &start), None, false, 1.0)?,
    };
    let shares = finishes.shares(&rows, &fitted)?;
    let components = (finish != CountFinish::Stages).then(|| fitted.components().mapv(f64::from));
    let errors = match &components {
        Some(_) if judged => finishes.split_errors(&whole, &effective, finish, &fitted)?,
        Some(components) => vec![0.0; components.nrows()],
        None => Vec::new(),
    };
    Ok(CountEnd { finish, components, held_out, shares, errors })
}

fn held_total(held: &CsrSamples<'_, f32>) -> Result<f64, StageInterrupt> {
    let mut total = 0.0;
    crate::samples::read(held, 0..held.n_samples())?.for_each(|_, _, v| total += f64::from(v));
    Ok(total)
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
    /// The finish that predicts held-out counts best, its result on the other counts, and the best score of each.
    fn chosen(
        &self,
        whole: &CsrSamples<'static, f32>,
        effective: &EffectiveParts<'_>,
        (start, found): (&Array2<f32>, Option<&Searched>),
    ) -> Result<Chosen, StageInterrupt> {
        let c = self.constants;
        let (kept, held) = thinned(whole, c.held_out, self.seed)?;
        let kept = scaled(&kept, |total| effective.of(total))?;
        let held = scaled(&held, |total| effective.of(total / c.held_out))?;
        let total = held_total(&held)?.max(1.0);
        let stages = self.again(CountFinish::Stages, (&kept, start), None, false, 1.0)?;
        // The stages have seen the held-out counts.
        let first = self.score(&kept, &held, &stages)? / total - self.seen();
        let mut scores = vec![(CountFinish::Stages, first)];
        let mut best = Some((CountFinish::Stages, first, stages));
        // Finishes begin at the components of the stages and, if there was a search, at what it found and at singular pairs.
        let mut starts = vec![(start.clone(), false)];
        if let Some(Searched { model, pairs, .. }) = found {
            starts.push((filled(&model.components.mapv(f64::from), self.means, c.filled), true));
            starts.push((pairs.clone(), false));
        }
        for (from, low) in &starts {
            let mut last = None;
            for finish in [CountFinish::Likelihood, CountFinish::Priors, CountFinish::Profiles] {
                // A search has lowered the prior already.
                let warm = *low && finish == CountFinish::Priors;
                let before = if warm {
                    let (components, prior) = (from.clone(), vec![c.search_prior; self.rank]);
                    let shares = Array2::zeros((kept.n_samples(), self.rank));
                    Some(Fitted::Model(Model { components, shares, prior, smoothed: false }))
                } else {
                    last.take()
                };
                let fitted = self.again(finish, (&kept, from), before, warm, 1.0)?;
                let score = self.score(&kept, &held, &fitted)? / total;
                match scores.iter_mut().find(|(of, _)| *of == finish) {
                    Some((_, so_far)) => *so_far = so_far.max(score),
                    None => scores.push((finish, score)),
                }
                if best.as_ref().is_none_or(|(_, so_far, _)| score > *so_far) {
                    best = Some((finish, score, fitted.copy()));
                }
                last = Some(fitted);
            }
        }
        let (finish, fitted) = best.map_or((CountFinish::Stages, None), |(f, _, fitted)| (f, Some(fitted)));
        Ok((finish, fitted, scores))
    }

    /// A result on some samples as the start for all of them.
    fn for_more_samples(
        &self,
        rows: &CsrSamples<'static, f32>,
        fitted: Fitted,
    ) -> Result<Fitted, StageInterrupt> {
        let shares = Array2::zeros((rows.n_samples(), self.rank));
        Ok(match fitted {
            Fitted::Model(model) => Fitted::Model(Model { shares, ..model }),
            Fitted::Profiles(profiles, _) => {
                let (shares, _) = posterior_means(rows, &profiles, self.constants.candidates)?;
                let how_many = self.profiles_of(rows);
                let profiles = begin(profiles.components, &shares, how_many, self.seed);
                Fitted::Profiles(profiles, shares)
            }
            Fitted::Dispersed(model, rule) => {
                Fitted::Dispersed(GammaModel { weights: shares, ..model }, rule)
            }
        })
    }

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
