//! The way from the data alone, or from a given start, to components: which descents are run, and what is made of
//! what they end with.
//!
//! From the data alone, samples that stick out give a start, a short descent improves it, and the inclusion test
//! finds components that are mixed up; those are repaired and descend again. The best of several kinds of start,
//! judged without knowing any truth, is then taken through one long descent. A given start is taken through the
//! long descent at once, and repaired afterwards if need be.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::Bench;
use super::descent::{Descent, End, Goal};
use super::inclusion::{contacts, inclusions};
use super::independent::independent_components;
use super::projected::Projected;
use crate::Real;
use crate::fit::{Halt, bits};
use crate::linalg::product::multiply_add;

/// Repairs per start.
const MOST_REPAIRS: usize = 5;
/// A short descent.
const SHORT: Goal = Goal { most_stages: 60, lowest_threshold: 1e-4, quiet: 1e-8 };
/// Negative parts from here on mean that a descent has gone astray.
pub(super) const ASTRAY: f64 = 0.5;
/// A start with no inclusions and a negative part below this (and twice that of the noise) needs no rival.
const GOOD: f64 = 0.01;
/// Negative parts below this are rounding…
const CERTAIN: f64 = 1e-8;
/// …and with this many times as many samples on each facet as there are components nothing is left to doubt.
const CERTAIN_CONTACTS: usize = 2;
/// A repaired given start may have this many times the negative part it had before.
const REPAIR_LEAK: f64 = 2.0;

/// Where the components of a fit came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The start that was given.
    Given,
    /// The start that was given, with mixed-up components repaired.
    GivenRepaired,
    /// Successive projection of samples brought to equal length.
    Normalised,
    /// Directions in which samples have the heaviest tails.
    Independent,
    /// HALS, taken through the stages.
    Hals,
    /// Successive projection of whitened samples.
    Whitened,
    /// Successive projection of the samples as they are.
    Plain,
    /// The zeros of the components: features taken as samples, and samples as features.
    Features,
    /// NMF, where the samples do not look like sparse mixtures of this many components.
    Nmf,
}

/// A kind of start from the data alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartKind {
    /// Averages of samples that stick out, measured like this.
    Projection(Measure),
    /// Directions with heavy tails.
    Independent,
}

impl StartKind {
    /// In the order in which they are tried.
    const ALL: [Self; 4] = [
        Self::Projection(Measure::Normalised),
        Self::Independent,
        Self::Projection(Measure::Whitened),
        Self::Projection(Measure::Plain),
    ];

    fn origin(self) -> Origin {
        match self {
            Self::Projection(Measure::Normalised) => Origin::Normalised,
            Self::Projection(Measure::Whitened) => Origin::Whitened,
            Self::Projection(Measure::Plain) => Origin::Plain,
            Self::Independent => Origin::Independent,
        }
    }
}

/// The descent under way, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// A short descent from a start of this kind, repaired so often; so many inclusions before the last repair.
    Search { kind: StartKind, repairs: usize, before: Option<usize> },
    /// The long descent.
    Long { origin: Origin },
    /// A short descent of a given start that was repaired.
    Repair { repairs: usize, before: usize },
    /// The long descent after such a repair.
    LongAgain,
    /// Nothing is left to do.
    Done,
}

/// Components with what speaks for or against them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Candidate<T: Real> {
    #[serde(with = "bits::matrix")]
    pub(super) components: Array2<T>,
    pub(super) origin: Origin,
    pub(super) inclusions: usize,
    #[serde(with = "bits::number")]
    pub(super) negative_part: f64,
    /// The least number of samples that lie on the facet of a component.
    pub(super) fewest_contacts: usize,
}

impl<T: Real> Candidate<T> {
    /// Whether the components are beyond doubt: nothing is decoded as negative, none comes with another, and each
    /// facet is held by far more samples than it needs.
    pub(super) fn certain(&self) -> bool {
        self.inclusions == 0
            && zeros_beyond_doubt::<T>(self.components.nrows(), self.negative_part, self.fewest_contacts)
    }

    /// Whether there is no need to look for others.
    pub(super) fn good(&self, projected: &Projected<T>) -> bool {
        let noise = projected.noise * (projected.dimension() as f64 * projected.n_samples() as f64).sqrt();
        let allowed = GOOD + 2.0 * noise / projected.size.max(f64::MIN_POSITIVE);
        self.inclusions == 0 && self.negative_part < allowed
    }

    fn better_than(&self, other: &Self) -> bool {
        let key = |c: &Self| (c.negative_part >= ASTRAY, c.inclusions);
        match key(self).cmp(&key(other)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => self.negative_part < other.negative_part,
        }
    }
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

/// Whether weights that are off are zero: nothing is decoded as negative, and far more samples lie on each facet than
/// hold it.
fn zeros_beyond_doubt<T: Real>(rank: usize, negative_part: f64, fewest_contacts: usize) -> bool {
    negative_part < CERTAIN.max(64.0 * T::EPSILON.as_f64()) && fewest_contacts >= CERTAIN_CONTACTS * rank
}

/// Components, and what the inclusion test would mend.
struct Examined<T: Real> {
    candidate: Candidate<T>,
    repaired: Array2<T>,
    /// Whether components are zero, or sums of others.
    dependent: bool,
}

impl<T: Real> Search<T> {
    /// Every matrix of the state.
    pub(super) fn matrices(&self) -> impl Iterator<Item = &Array2<T>> {
        self.best.iter().map(|best| &best.components).chain(self.descent.matrices())
    }

    /// Begins with a given start.
    pub(super) fn from_given() -> Self {
        Self { phase: Phase::Long { origin: Origin::Given }, descent: Descent::new(true), best: None }
    }

    /// Begins with the data alone; returns the first start as well.
    pub(super) fn from_data(bench: &Bench<'_, T>, rank: usize) -> (Self, Array2<T>) {
        let phase = Phase::Search { kind: StartKind::ALL[0], repairs: 0, before: None };
        let start = stick_out(bench, Measure::Normalised, rank);
        (Self { phase, descent: Descent::new(false), best: None }, start)
    }

    /// The goal of the descent under way.
    pub(super) fn goal(&self, long: Goal) -> Goal {
        match self.phase {
            Phase::Search { .. } | Phase::Repair { .. } => SHORT,
            Phase::Long { .. } | Phase::LongAgain | Phase::Done => long,
        }
    }

    /// What to go on with after a descent has ended (`None`: it left the range of numbers), if anything.
    pub(super) fn descended(
        &mut self,
        bench: &mut Bench<'_, T>,
        ended: Option<(Array2<T>, End)>,
    ) -> Result<Option<Array2<T>>, Halt> {
        let end = ended.as_ref().map(|(_, end)| *end);
        let examined = match ended {
            Some((components, _)) => self.examine(bench, components)?,
            None => None,
        };
        match self.phase {
            Phase::Search { kind, repairs, before } => {
                self.searched(bench, examined, kind, repairs, before).map(Some)
            }
            Phase::Long { origin: Origin::Given } => Ok(self.given_descended(bench, examined, end)),
            Phase::Long { .. } => {
                // The candidate that the search ended with stays where the long descent came to nothing.
                if let Some(found) = examined
                    && self.best.as_ref().is_none_or(|best| {
                        found.candidate.negative_part < ASTRAY || best.negative_part >= ASTRAY
                    })
                {
                    self.best = Some(found.candidate);
                }
                self.finish(end)
            }
            Phase::Repair { repairs, before } => Ok(self.repaired(examined, repairs, before)),
            Phase::LongAgain => {
                let allowed = self.best.as_ref().map_or(f64::INFINITY, |best| best.negative_part);
                if let Some(found) = examined
                    && found.candidate.inclusions == 0
                    && found.candidate.negative_part <= REPAIR_LEAK * allowed + 1e-6
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
        bench: &Bench<'_, T>,
        examined: Option<Examined<T>>,
        kind: StartKind,
        repairs: usize,
        before: Option<usize>,
    ) -> Result<Array2<T>, Halt> {
        let mut repaired = None;
        if let Some(Examined { candidate, repaired: mended, .. }) = examined {
            let fewer = before.is_none_or(|before| candidate.inclusions < before);
            if candidate.inclusions > 0
                && candidate.negative_part < ASTRAY
                && fewer
                && repairs + 1 < MOST_REPAIRS
            {
                repaired = Some((mended, candidate.inclusions));
            }
            if self.best.as_ref().is_none_or(|best| candidate.better_than(best)) {
                self.best = Some(candidate);
            }
        }
        if let Some((mended, inclusions)) = repaired {
            self.phase = Phase::Search { kind, repairs: repairs + 1, before: Some(inclusions) };
            self.descent = Descent::from_search(kind.origin());
            return Ok(mended);
        }
        let good = self.best.as_ref().is_some_and(|best| best.good(bench.projected));
        let others = StartKind::ALL.into_iter().skip_while(|other| *other != kind).skip(1);
        for kind in others.filter(|_| !good) {
            if let Some(components) = begin(bench, kind)? {
                self.phase = Phase::Search { kind, repairs: 0, before: None };
                self.descent = Descent::from_search(kind.origin());
                return Ok(components);
            }
        }
        let (origin, components) = match &self.best {
            Some(best) => (best.origin, best.components.clone()),
            // Not one descent stayed within the range of numbers: the directions themselves are all there is.
            None => (Origin::Plain, Array2::eye(bench.projected.dimension())),
        };
        self.phase = Phase::Long { origin };
        self.descent = Descent::from_search(origin);
        Ok(components)
    }

    /// After the long descent from a given start.
    fn given_descended(
        &mut self,
        bench: &Bench<'_, T>,
        examined: Option<Examined<T>>,
        end: Option<End>,
    ) -> Option<Array2<T>> {
        let found = examined.filter(|found| found.candidate.negative_part < ASTRAY && !found.dependent);
        let Some(Examined { candidate, repaired, .. }) = found else {
            // The start led nowhere: the data alone will do better.
            let (fresh, start) = Self::from_data(bench, bench.projected.dimension());
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
    ) -> Option<Array2<T>> {
        let found = examined.filter(|found| found.candidate.negative_part < ASTRAY);
        let Some(Examined { candidate, repaired, .. }) = found else {
            self.phase = Phase::Done;
            return None;
        };
        self.descent = Descent::new(false);
        if candidate.inclusions == 0 {
            self.phase = Phase::LongAgain;
            return Some(candidate.components);
        }
        if candidate.inclusions >= before || repairs + 1 >= MOST_REPAIRS {
            self.phase = Phase::Done;
            return None;
        }
        self.phase = Phase::Repair { repairs: repairs + 1, before: candidate.inclusions };
        Some(repaired)
    }

    /// After the last descent: over where it settled; where it only ran out of stages, more of them may follow.
    fn finish(&mut self, end: Option<End>) -> Result<Option<Array2<T>>, Halt> {
        if end != Some(End::OutOfStages) {
            self.phase = Phase::Done;
        }
        Ok(None)
    }

    /// Decodes components and tests them; `None` where they leave the range of numbers.
    fn examine(&self, bench: &mut Bench<'_, T>, components: Array2<T>) -> Result<Option<Examined<T>>, Halt> {
        let decoded = match bench.decode(&components) {
            Err(Halt::Error(_)) => return Ok(None),
            other => other?,
        };
        let components = self.descent.best(components, decoded.leak);
        let decoded = bench.decode(&components)?;
        let negative_part = bench.workers.run(|| bench.negative_part(&components));
        let fewest_contacts = contacts(bench.values(), &decoded.scales).into_iter().min().unwrap_or(0);
        let zeros = zeros_beyond_doubt::<T>(components.nrows(), negative_part, fewest_contacts);
        let found = bench.workers.run(|| inclusions(bench.values(), &decoded.scales, zeros));
        let mut repaired = components.clone();
        let shares = found.shares.mapv(T::from_f64);
        multiply_add(repaired.view_mut(), shares.view(), components.view(), T::from_f64(1.0));
        let origin = match self.phase {
            Phase::Search { kind, .. } => kind.origin(),
            Phase::Long { origin } => origin,
            Phase::Repair { .. } | Phase::LongAgain | Phase::Done => Origin::Given,
        };
        let candidate =
            Candidate { components, origin, inclusions: found.count, negative_part, fewest_contacts };
        let dependent = decoded.decoder.numerical_rank() < candidate.components.nrows();
        Ok(Some(Examined { candidate, repaired, dependent }))
    }
}

/// The start of one kind, if the samples have one.
fn begin<T: Real>(bench: &Bench<'_, T>, kind: StartKind) -> Result<Option<Array2<T>>, Halt> {
    match kind {
        StartKind::Projection(measure) => Ok(Some(stick_out(bench, measure, bench.projected.dimension()))),
        StartKind::Independent => {
            bench.workers.run(|| independent_components(&bench.projected.samples, &|| bench.watch.check()))
        }
    }
}

/// A start from samples that stick out; where they give too few components, their directions fill up.
fn stick_out<T: Real>(bench: &Bench<'_, T>, measure: Measure, rank: usize) -> Array2<T> {
    let samples = bench.projected.samples.view();
    let mut found = bench.workers.run(|| averaged_projection(samples, measure, rank));
    for k in found.nrows()..rank {
        let mut direction = ndarray::Array1::zeros(rank);
        direction[k] = T::from_f64(1.0);
        found.push_row(direction.view()).expect("as wide as the samples");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_facets_with_many_contacts_and_nothing_against_them_are_certain() {
        let components = Array2::<f64>::eye(3);
        let sure = Candidate {
            components,
            origin: Origin::Normalised,
            inclusions: 0,
            negative_part: 1e-12,
            fewest_contacts: 6,
        };
        assert!(sure.certain());
        // A wrong cone that is as tight as can be touches about one sample per dimension.
        assert!(!Candidate { fewest_contacts: 5, ..sure.clone() }.certain());
        assert!(!Candidate { inclusions: 1, ..sure.clone() }.certain());
        assert!(!Candidate { negative_part: 1e-6, ..sure }.certain());
    }
}
