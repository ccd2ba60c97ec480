//! The search for components from the data alone or from a given start: which descents run, and how their results are
//! used.
//!
//! From the data alone, samples that stick out give a start, a short descent improves it, and the inclusion test
//! finds components that are mixed up; those are repaired and descend again. The best of several kinds of start,
//! judged without knowing any truth, is then taken through one long descent. A given start is taken through the
//! long descent at once, and repaired afterwards if need be.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::averaged_projection::Measure;
use super::candidate::{Candidate, zeros_beyond_doubt};
use super::decoded::Evaluator;
use super::descent::{Descent, End, Goal};
use super::inclusion::{contact_level, contacts, inclusions};
use super::shares::low_quantiles;
use super::start_kind::{StartKind, stick_out};
use crate::Real;
use crate::constants::SearchConstants;
use crate::fit::StageInterrupt;
use crate::linalg::product::multiply_add;
use crate::trust::Origin;

/// The current descent and its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// A short descent from a start of this kind, with the number of repairs, and of inclusions before the last one.
    Search { kind: StartKind, repairs: usize, before: Option<usize> },
    /// The long descent.
    Long { origin: Origin },
    /// A short descent of a given start that was repaired.
    Repair { repairs: usize, before: usize },
    /// The long descent after such a repair.
    LongAgain,
    /// The search is over.
    Done,
}

/// The state of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Search<T: Real> {
    pub(super) phase: Phase,
    pub(super) descent: Descent<T>,
    /// The best candidate so far; after a long descent from a given start, what that ended with.
    pub(super) best: Option<Candidate<T>>,
}

/// Components, and their repair by the inclusion test.
struct Examined<T: Real> {
    candidate: Candidate<T>,
    repaired: Array2<T>,
    /// True if components are zero or linearly dependent.
    dependent: bool,
}

impl<T: Real> Search<T> {
    /// Every matrix of the state.
    pub(super) fn matrices(&self) -> impl Iterator<Item = &Array2<T>> {
        self.best.iter().map(|best| &best.components).chain(self.descent.matrices())
    }

    /// Starts from given components.
    pub(super) fn from_given() -> Self {
        Self { phase: Phase::Long { origin: Origin::Given }, descent: Descent::new(true), best: None }
    }

    /// Starts from the data alone; also returns the first start.
    pub(super) fn from_data(evaluator: &Evaluator<'_, T>, rank: usize) -> (Self, Array2<T>) {
        let phase = Phase::Search { kind: StartKind::ALL[0], repairs: 0, before: None };
        let start = stick_out(evaluator, Measure::Normalised, rank);
        (Self { phase, descent: Descent::new(false), best: None }, start)
    }

    /// The limits of the current descent.
    pub(super) fn goal(&self, long: Goal, constants: &SearchConstants) -> Goal {
        match self.phase {
            Phase::Search { .. } | Phase::Repair { .. } => Goal {
                most_stages: constants.short_stages,
                lowest_threshold: constants.short_lowest_threshold,
                tolerance: constants.short_quiet,
            },
            Phase::Long { .. } | Phase::LongAgain | Phase::Done => long,
        }
    }

    /// Number of stages of the long descent.
    pub(super) fn final_stages(&self) -> usize {
        match self.phase {
            Phase::Search { .. } | Phase::Repair { .. } => 0,
            Phase::Long { .. } | Phase::LongAgain | Phase::Done => self.descent.stage,
        }
    }

    /// Handles the end of a descent (`None` if it overflowed); returns the components to continue with, if any.
    pub(super) fn descended(
        &mut self,
        evaluator: &mut Evaluator<'_, T>,
        ended: Option<(Array2<T>, End)>,
    ) -> Result<Option<Array2<T>>, StageInterrupt> {
        let constants = &evaluator.constants.search;
        let end = ended.as_ref().map(|(_, end)| *end);
        let examined = match ended {
            Some((components, _)) => self.examine(evaluator, components)?,
            None => None,
        };
        match self.phase {
            Phase::Search { kind, repairs, before } => {
                self.searched(evaluator, examined, kind, repairs, before).map(Some)
            }
            Phase::Long { origin: Origin::Given } => Ok(self.given_descended(evaluator, examined, end)),
            Phase::Long { .. } => {
                // The candidate of the search stays if the long descent failed.
                if let Some(found) = examined
                    && self.best.as_ref().is_none_or(|best| {
                        found.candidate.negative_part < constants.lost || best.negative_part >= constants.lost
                    })
                {
                    self.best = Some(found.candidate);
                }
                self.finish(end)
            }
            Phase::Repair { repairs, before } => Ok(self.repaired(examined, repairs, before, constants)),
            Phase::LongAgain => {
                let allowed = self.best.as_ref().map_or(f64::INFINITY, |best| best.negative_part);
                if let Some(found) = examined
                    && found.candidate.inclusions == 0
                    && found.candidate.negative_part <= constants.repair_leak * allowed + 1e-6
                {
                    self.best = Some(Candidate { origin: Origin::GivenRepaired, ..found.candidate });
                }
                self.finish(end)
            }
            Phase::Done => Ok(None),
        }
    }

    /// After a short descent of the search: repair, another kind of start, or the long descent.
    fn searched(
        &mut self,
        evaluator: &Evaluator<'_, T>,
        examined: Option<Examined<T>>,
        kind: StartKind,
        repairs: usize,
        before: Option<usize>,
    ) -> Result<Array2<T>, StageInterrupt> {
        let constants = &evaluator.constants.search;
        let mut repaired = None;
        if let Some(Examined { candidate, repaired: mended, .. }) = examined {
            let fewer = before.is_none_or(|before| candidate.inclusions < before);
            if candidate.inclusions > 0
                && candidate.negative_part < constants.lost
                && fewer
                && repairs + 1 < constants.most_repairs
            {
                repaired = Some((mended, candidate.inclusions));
            }
            if self.best.as_ref().is_none_or(|best| candidate.better_than(best, constants)) {
                self.best = Some(candidate);
            }
        }
        if let Some((mended, inclusions)) = repaired {
            self.phase = Phase::Search { kind, repairs: repairs + 1, before: Some(inclusions) };
            self.descent = Descent::from_search(kind.origin());
            return Ok(mended);
        }
        let good = self.best.as_ref().is_some_and(|best| best.good(evaluator.projected, constants));
        let others = StartKind::ALL.into_iter().skip_while(|other| *other != kind).skip(1);
        for kind in others.filter(|_| !good) {
            if let Some(components) = kind.initialize(evaluator)? {
                self.phase = Phase::Search { kind, repairs: 0, before: None };
                self.descent = Descent::from_search(kind.origin());
                return Ok(components);
            }
        }
        let (origin, components) = match &self.best {
            Some(best) => (best.origin, best.components.clone()),
            // Every descent overflowed: only the directions themselves are left.
            None => (Origin::Plain, Array2::eye(evaluator.projected.dimension())),
        };
        self.phase = Phase::Long { origin };
        self.descent = Descent::from_search(origin);
        Ok(components)
    }

    /// After the long descent from a given start.
    fn given_descended(
        &mut self,
        evaluator: &Evaluator<'_, T>,
        examined: Option<Examined<T>>,
        end: Option<End>,
    ) -> Option<Array2<T>> {
        let lost = evaluator.constants.search.lost;
        let found = examined.filter(|found| found.candidate.negative_part < lost && !found.dependent);
        let Some(Examined { candidate, repaired, .. }) = found else {
            // The given start failed: start from the data alone.
            let (fresh, start) = Self::from_data(evaluator, evaluator.projected.dimension());
            *self = fresh;
            return Some(start);
        };
        let inclusions = candidate.inclusions;
        self.best = Some(candidate);
        if inclusions == 0 {
            self.phase = if end == Some(End::Settled) { Phase::Done } else { self.phase };
            return None;
        }
        self.phase = Phase::Repair { repairs: 1, before: inclusions };
        self.descent = Descent::new(false);
        Some(repaired)
    }

    /// After a short descent of a repaired given start.
    fn repaired(
        &mut self,
        examined: Option<Examined<T>>,
        repairs: usize,
        before: usize,
        constants: &SearchConstants,
    ) -> Option<Array2<T>> {
        let found = examined.filter(|found| found.candidate.negative_part < constants.lost);
        let Some(Examined { candidate, repaired, .. }) = found else {
            self.phase = Phase::Done;
            return None;
        };
        self.descent = Descent::new(false);
        if candidate.inclusions == 0 {
            self.phase = Phase::LongAgain;
            return Some(candidate.components);
        }
        if candidate.inclusions >= before || repairs + 1 >= constants.most_repairs {
            self.phase = Phase::Done;
            return None;
        }
        self.phase = Phase::Repair { repairs: repairs + 1, before: candidate.inclusions };
        Some(repaired)
    }

    /// After the last descent: the search is over unless the descent only ran out of stages.
    fn finish(&mut self, end: Option<End>) -> Result<Option<Array2<T>>, StageInterrupt> {
        if end != Some(End::OutOfStages) {
            self.phase = Phase::Done;
        }
        Ok(None)
    }

    /// Decodes components and tests them; `None` if they overflow.
    fn examine(
        &self,
        evaluator: &mut Evaluator<'_, T>,
        components: Array2<T>,
    ) -> Result<Option<Examined<T>>, StageInterrupt> {
        let decoded = match evaluator.decode(&components) {
            Err(StageInterrupt::Error(_)) => return Ok(None),
            other => other?,
        };
        let components = self.descent.best(components, decoded.leak);
        let decoded = evaluator.decode(&components)?;
        let negative_part = evaluator.workers.run(|| evaluator.negative_part(&components));
        let fewest_contacts = contacts(evaluator.values(), &decoded.scales).into_iter().min().unwrap_or(0);
        let constants = &evaluator.constants.search;
        let enough = constants.certain_contacts * components.nrows();
        let low = low_quantiles(evaluator.values(), evaluator.constants.end.low_quantile);
        let background_level =
            low.iter().zip(&decoded.scales).map(|(low, scale)| low / scale).fold(0.0, f64::max);
        let contact_level =
            evaluator.workers.run(|| contact_level(evaluator.values(), &decoded.scales, enough));
        let zeros = zeros_beyond_doubt::<T>(components.nrows(), negative_part, fewest_contacts, constants);
        let found =
            evaluator.workers.run(|| inclusions(evaluator.values(), &decoded.scales, zeros, constants));
        let mut repaired = components.clone();
        let shares = found.shares.mapv(T::from_f64);
        multiply_add(repaired.view_mut(), shares.view(), components.view(), T::from_f64(1.0));
        // Noise makes weights that are zero negative, those of weak samples most: only a large part says anything then.
        let tolerated = if evaluator.projected.noise > 0.0 { constants.noisy_negative } else { 0.0 };
        let excess_negative = (negative_part - tolerated).max(0.0);
        let origin = match self.phase {
            Phase::Search { kind, .. } => kind.origin(),
            Phase::Long { origin } => origin,
            Phase::Repair { .. } | Phase::LongAgain | Phase::Done => Origin::Given,
        };
        let candidate = Candidate {
            components,
            origin,
            inclusions: found.count,
            negative_part,
            fewest_contacts,
            contact_level,
            background_level,
            excess_negative,
        };
        let dependent = decoded.decoder.numerical_rank() < candidate.components.nrows();
        Ok(Some(Examined { candidate, repaired, dependent }))
    }
}
