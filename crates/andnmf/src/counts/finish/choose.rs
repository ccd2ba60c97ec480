//! The choice of a finish: on a part of the samples, by the counts that were held out.

use ndarray::Array2;

use super::judge::sine;
use super::{EffectiveParts, Finishes, Fitted};
use crate::constants::CountFinish;
use crate::counts::gamma::GammaModel;
use crate::counts::model::{Model, filled};
use crate::counts::profiles::{begin, posterior_means};
use crate::counts::rows::{copied, scaled, thinned, with_replaced};
use crate::counts::search::Searched;
use crate::fit::StageInterrupt;
use crate::samples::{CsrSamples, Samples, read};

/// Of each finish the mean logarithm of the probability of a held-out count.
type Scores = Vec<(CountFinish, f64)>;

/// What predicts held-out counts best.
struct Chosen {
    finish: CountFinish,
    /// The components at which the finish began.
    start: Array2<f32>,
    /// True if samples enter with all their counts, although these are overdispersed.
    whole: bool,
    /// The result on most of the counts.
    fitted: Fitted,
    /// The best score of each finish.
    scores: Scores,
}

/// Counts of which some are held out to compare finishes.
struct Comparison {
    kept: CsrSamples<'static, f32>,
    held: CsrSamples<'static, f32>,
    held_total: f64,
    /// True if it has all samples.
    of_all: bool,
}

/// Where a finish begins.
#[derive(Clone)]
struct Beginning {
    components: Array2<f32>,
    /// True if a search has lowered the prior already.
    low: bool,
    /// True if samples enter with all their counts.
    whole: bool,
}

impl Finishes<'_> {
    /// Holds out counts of samples, which are all of them or a part.
    fn comparison(
        &self,
        samples: &CsrSamples<'static, f32>,
        of_all: bool,
    ) -> Result<Comparison, StageInterrupt> {
        let (kept, held) = thinned(samples, self.constants.held_out, self.seed)?;
        let mut held_total = 0.0;
        read(&held, 0..held.n_samples())?.for_each(|_, _, v| held_total += f64::from(v));
        Ok(Comparison { kept, held, held_total, of_all })
    }

    /// The mean logarithm of the probability of a held-out count.
    fn predicted(&self, comparison: &Comparison, fitted: &Fitted) -> Result<f64, StageInterrupt> {
        let Comparison { kept, held, held_total, .. } = comparison;
        Ok(self.score(kept, held, fitted)? / held_total.max(1.0))
    }

    /// The finish that predicts held-out counts best. Finishes begin at the components of the stages, at singular pairs, and
    /// at what was found if there was a search.
    fn chosen(
        &self,
        comparison: &Comparison,
        effective: &EffectiveParts<'_>,
        (start, pairs, found): (&Array2<f32>, &Array2<f32>, Option<&Searched>),
    ) -> Result<Chosen, StageInterrupt> {
        let c = self.constants;
        let counts = &comparison.kept;
        let parts = scaled(counts, |total| effective.of(total))?;
        let rows = |whole: bool| if whole { counts } else { &parts };
        let stages = self.again(CountFinish::Stages, (&parts, start), None, false, 1.0)?;
        // The stages have seen the held-out counts.
        let first = self.predicted(comparison, &stages)? - self.seen();
        let mut best = Chosen {
            finish: CountFinish::Stages,
            start: start.clone(),
            whole: false,
            fitted: stages,
            scores: vec![(CountFinish::Stages, first)],
        };
        // The stages have read all samples: where others read a part, they are compared at the end.
        let mut best_score = if comparison.of_all { first } else { f64::NEG_INFINITY };
        let mut consider = |finish: CountFinish, beginning: &Beginning, fitted: &Fitted| {
            let score = self.predicted(comparison, fitted)?;
            match best.scores.iter_mut().find(|(of, _)| *of == finish) {
                Some((_, so_far)) => *so_far = so_far.max(score),
                None => best.scores.push((finish, score)),
            }
            let worth = if comparison.of_all { score - self.needed_gain(start, fitted) } else { score };
            if worth > best_score {
                best_score = worth;
                best.finish = finish;
                (best.start, best.whole) = (beginning.components.clone(), beginning.whole);
                best.fitted = fitted.copy();
            }
            Ok::<f64, StageInterrupt>(score)
        };
        // Steps of likelihood show which beginning is good, and whether overdispersed counts may enter whole.
        let mut climbed = Vec::new();
        for beginning in self.beginnings(effective, (start, pairs, found)) {
            let (rows, from) = (rows(beginning.whole), &beginning.components);
            let fitted = self.again(CountFinish::Likelihood, (rows, from), None, false, 1.0)?;
            let score = consider(CountFinish::Likelihood, &beginning, &fitted)?;
            climbed.push((score, beginning, fitted));
        }
        if found.is_none() {
            // Large data: the other finishes follow the best beginning alone.
            climbed.sort_by(|a, b| b.0.total_cmp(&a.0));
            climbed.truncate(1);
        }
        for (_, beginning, _) in climbed {
            let (rows, from) = (rows(beginning.whole), &beginning.components);
            let before = beginning.low.then(|| {
                let (components, prior) = (from.clone(), vec![c.search_prior; self.rank]);
                let shares = Array2::zeros((rows.n_samples(), self.rank));
                Fitted::Model(Model { components, shares, prior, smoothed: false })
            });
            let fitted = self.again(CountFinish::Priors, (rows, from), before, beginning.low, 1.0)?;
            consider(CountFinish::Priors, &beginning, &fitted)?;
            let fitted = self.again(CountFinish::Profiles, (rows, from), Some(fitted), false, 1.0)?;
            consider(CountFinish::Profiles, &beginning, &fitted)?;
        }
        Ok(best)
    }

    /// The finish that predicts held-out counts best, its result on all samples, and the scores.
    pub(super) fn of_best_prediction(
        &self,
        whole: &CsrSamples<'static, f32>,
        effective: &mut EffectiveParts<'_>,
        starts: (&Array2<f32>, &Array2<f32>, Option<&Searched>),
    ) -> Result<(CountFinish, Fitted, Scores), StageInterrupt> {
        let (part, numbers) = copied(whole, self.constants.choice_values, self.seed)?;
        let comparison = self.comparison(&part, numbers.is_none())?;
        let Chosen { finish, start, fitted, mut scores, whole: enter_whole } =
            self.chosen(&comparison, effective, starts)?;
        effective.whole |= enter_whole;
        let rows = scaled(whole, |total| effective.of(total))?;
        let Some(numbers) = numbers else {
            let fitted = self.again(finish, (&rows, &start), Some(fitted), true, 0.5)?;
            return Ok((finish, fitted, scores));
        };
        // On all samples, without what is held out of the part, to compare with the stages, which have read all, too.
        let others = with_replaced(whole, &numbers, &comparison.kept)?;
        let others = scaled(&others, |total| effective.of(total))?;
        let fitted = match fitted {
            // Steps from the result on a part would rest near it: they begin anew.
            Fitted::Model(_) => self.anew(finish, &others, &start)?,
            fitted => {
                let begun = self.for_more_samples(&others, fitted)?;
                self.again(finish, (&others, &start), Some(begun), true, 0.5)?
            }
        };
        let score = self.predicted(&comparison, &fitted)?;
        let of_stages = scores.first().map_or(f64::NEG_INFINITY, |(_, score)| *score);
        scores.iter_mut().filter(|(of, _)| *of == finish).for_each(|(_, so_far)| *so_far = score);
        if score - self.needed_gain(starts.0, &fitted) > of_stages {
            let fitted = self.again(finish, (&rows, &start), Some(fitted), true, 0.1)?;
            return Ok((finish, fitted, scores));
        }
        effective.whole = false;
        let rows = scaled(whole, |total| effective.of(total))?;
        Ok((CountFinish::Stages, self.anew(CountFinish::Stages, &rows, starts.0)?, scores))
    }

    /// What a result must gain in prediction over the components of the stages, by how far it has moved from them. Where
    /// components move far and predict hardly better, the likelihood is flat, and does not know them.
    fn needed_gain(&self, stages: &Array2<f32>, fitted: &Fitted) -> f64 {
        let squares =
            stages.outer_iter().zip(fitted.components().outer_iter()).map(|(a, b)| sine(a, b).powi(2));
        self.constants.gain_per_move * squares.sum::<f64>() / self.rank.max(1) as f64
    }

    /// The result of a finish on samples, from a start.
    pub(super) fn anew(
        &self,
        finish: CountFinish,
        rows: &CsrSamples<'static, f32>,
        start: &Array2<f32>,
    ) -> Result<Fitted, StageInterrupt> {
        let before = match finish {
            CountFinish::Profiles => {
                Some(self.again(CountFinish::Priors, (rows, start), None, false, 1.0)?)
            }
            _ => None,
        };
        self.again(finish, (rows, start), before, false, 1.0)
    }

    fn beginnings(
        &self,
        effective: &EffectiveParts<'_>,
        (start, pairs, found): (&Array2<f32>, &Array2<f32>, Option<&Searched>),
    ) -> Vec<Beginning> {
        let at = |components: &Array2<f32>, low: bool| Beginning {
            components: components.clone(),
            low,
            whole: false,
        };
        let mut beginnings = vec![at(start, false)];
        if let Some(Searched { model, .. }) = found {
            let components = filled(&model.components.mapv(f64::from), self.means, self.constants.filled);
            beginnings.push(at(&components, true));
        }
        beginnings.push(at(pairs, false));
        // Where a search has learned the overdispersion, it is known; otherwise it may be a fit that is not good enough.
        if effective.excess > 0.0 && !effective.whole && !found.is_some_and(|found| found.knows_noise) {
            let whole: Vec<Beginning> =
                beginnings.iter().map(|beginning| Beginning { whole: true, ..beginning.clone() }).collect();
            beginnings.extend(whole);
        }
        beginnings
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
}
