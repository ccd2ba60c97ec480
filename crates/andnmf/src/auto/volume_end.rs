//! The end by least volume, and the evidence that decides between it and the components of the stages.
//!
//! The stages of AND need weights that are often zero. Where they are, decoded weights *pile up* at zero: far more of
//! them lie within the noise of zero than just beyond. Where they are not, the components of least volume are nearer to
//! the truth (see [`crate::volume`]).

use ndarray::{Array1, Array2, Axis};

use super::averaged_projection::{Measure, averaged_projection};
use super::candidate::Candidate;
use super::engine::AutoEngine;
use super::joint_end::{between, joint};
use super::shares::{clipped, median, near_zero_share, nearest_sines};
use super::stability::part_of_samples;
use super::state::unprojected;
use crate::Real;
use crate::constants::VolumeConstants;
use crate::fit::StageInterrupt;
use crate::linalg::determinant::log_determinant_and_inverse;
use crate::linalg::product::multiply;
use crate::linalg::symmetric::gram_inverse;
use crate::random::{Stream, numbered_generator};
use crate::volume::{DirichletSolution, JointSolution, NearZero, SoftLimits, SoftSolution, SoftVolume};

/// The number of the first random part of the samples for this ending; earlier numbers serve other purposes.
const FIRST_PART: usize = 16;

/// The evidence for the components of the stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VolumeEvidence {
    /// Decoded weights within the noise of zero over those just beyond: the median over the components.
    pub(super) pile_up: f64,
    /// The pile-up from which the components of the stages are kept.
    pub(super) limit: f64,
    /// True if the stages found a consistent result: few negative weights, no inclusions.
    pub(super) settled: bool,
}

impl VolumeEvidence {
    /// True if the components of the stages are kept.
    pub(super) fn keeps_stages(&self) -> bool {
        self.settled && self.pile_up >= self.limit
    }
}

/// The ways to components of least volume that may decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Volumes {
    All,
    /// The likelihood under joint noise alone, and only where shares are as it says.
    Joint,
}

/// Components of least volume.
pub(super) struct VolumeEnded<T> {
    pub(super) components: Array2<T>,
    /// The distance (a sine) of each component from the same ending on parts of the samples.
    pub(super) rerun: Vec<f64>,
}

/// Components of one set of samples.
struct Solved {
    solution: SoftSolution,
    /// Components by the other model of the weights, where the choice was close, and how close: 1 at the limit.
    close: Option<(Array2<f64>, f64)>,
}

/// Samples of a search as soft volume sees them.
pub(super) struct VolumeEnd<'e, 'a, T: Real> {
    engine: &'e AutoEngine<'a, T>,
    constants: &'e VolumeConstants,
    /// Samples × rank, without multipliers; some of them where there are very many.
    rows: Array2<f64>,
    /// True if the discarded singular values are those of white noise.
    white: bool,
    evidence: VolumeEvidence,
}

impl<'e, 'a, T: Real> VolumeEnd<'e, 'a, T> {
    /// Collects the evidence on these components; `None` if they cannot be inverted.
    pub(super) fn new(engine: &'e AutoEngine<'a, T>, best: &Candidate<T>) -> Option<Self> {
        let constants = &engine.constants.volume;
        let rows = plain_rows(engine, constants.most_samples);
        let start = best.components.mapv(|v| v.as_f64());
        let (_, inverse) = log_determinant_and_inverse(start.view())?;
        let noise = engine.projected_noise();
        let weights = multiply(rows.view(), inverse.view());
        let pile_up = pile_up(&weights, &inverse, noise);
        let structure = engine.state.progress.spectrum.structure();
        let limit = constants.limit(structure);
        let settled = best.inclusions == 0 && best.negative_part < constants.settled_part;
        let evidence = VolumeEvidence { pile_up, limit, settled };
        Some(Self { engine, constants, rows, white: structure < constants.white, evidence })
    }

    pub(super) fn evidence(&self) -> VolumeEvidence {
        self.evidence
    }

    /// True if components (rank × features) have too few values near zero to be held by them, as spectra have.
    pub(super) fn few_zeros(&self, components: &Array2<T>) -> bool {
        let VolumeConstants { near_zero, few_zeros, .. } = *self.constants;
        near_zero_share(components, near_zero) < few_zeros
    }

    /// The components of least volume; `None` if none of the starts leads to any that hold the samples. Their errors are
    /// zero if they are not to be judged.
    pub(super) fn components(
        &self,
        best: &Candidate<T>,
        judged: bool,
        volumes: Volumes,
    ) -> Result<Option<VolumeEnded<T>>, StageInterrupt> {
        let stop = || self.engine.monitor.reason().is_some();
        let starts = self.starts(best);
        let found = self.engine.workers.run(|| self.solve(&self.rows, &starts, volumes, &stop));
        if let Some(reason) = self.engine.monitor.reason() {
            return Err(StageInterrupt::Stop(reason));
        }
        let Some(Solved { solution: found, close }) = found else { return Ok(None) };
        let full = self.in_full(&found.components);
        let mut rerun = match judged {
            true => self.rerun(&found, &full, volumes, &stop),
            false => vec![0.0; full.nrows()],
        };
        if let Some((other, nearness)) = close.filter(|_| judged) {
            let apart = nearest_sines(&full, &self.in_full(&other));
            rerun.iter_mut().zip(apart).for_each(|(rerun, sine)| *rerun = rerun.max(nearness * sine));
        }
        Ok(Some(VolumeEnded { components: full, rerun }))
    }

    /// The components of the stages, the same without negative values, and single samples.
    fn starts(&self, best: &Candidate<T>) -> Vec<Array2<f64>> {
        let engine = self.engine;
        let (basis, unit) = (&engine.state.basis, engine.state.unit());
        let found = best.components.mapv(|v| v.as_f64());
        let without_negative = clipped(&unprojected(&best.components, basis, unit));
        let without_negative = multiply(without_negative.view(), basis.t()).mapv(|v| v.as_f64() / unit);
        let single =
            averaged_projection(self.rows.view(), Measure::Plain, found.nrows(), &engine.constants.start);
        let mut starts = vec![found, without_negative];
        starts.extend((single.nrows() == single.ncols()).then_some(single));
        starts
    }

    fn solve(
        &self,
        rows: &Array2<f64>,
        starts: &[Array2<f64>],
        volumes: Volumes,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Solved> {
        let VolumeConstants { softness, least_softness, rounds, iterations, settled, most_outside, .. } =
            *self.constants;
        let (problem, on_simplex) = self.problem(rows)?;
        let limits = SoftLimits { softness, rounds, iterations, settled };
        let holds = |solution: &SoftSolution| solution.outside <= most_outside;
        // The more weights lie near zero, the more the noise alone explains those below it.
        let by_evidence = SoftLimits { softness: self.evidence.pile_up.clamp(least_softness, 1.0), ..limits };
        let learned = |start: &Array2<f64>| problem.maximise(start, NearZero::Learned, &by_evidence, stop);
        let best = |ends: Vec<SoftSolution>| {
            ends.into_iter().filter(holds).min_by(|a, b| a.value.total_cmp(&b.value))
        };
        if self.white {
            // Settled stages are the best start; otherwise the likelihood chooses.
            let starts = if self.evidence.settled { &starts[..1] } else { starts };
            let by_density = || best(starts.iter().filter_map(learned).collect());
            if on_simplex {
                let found = joint(&problem, starts, self.constants, self.engine.params.seed, stop);
                match (found, volumes) {
                    (Some(found), Volumes::All) => {
                        return Some(self.as_far_as_it_fits(&problem, found, by_density));
                    }
                    (Some(found), Volumes::Joint)
                        if self.constants.joint_alone(found.misfit, found.noise) =>
                    {
                        return Some(Solved { solution: found.solution, close: None });
                    }
                    _ => {}
                }
            }
            if volumes == Volumes::Joint {
                return None;
            }
            let by_distribution = if on_simplex { self.dirichlet(&problem, starts, stop) } else { None };
            return Some(match (by_distribution, by_density()) {
                (Some(found), other) if found.misfit <= self.constants.most_misfit => {
                    self.solved(found.solution, other, found.misfit)
                }
                (Some(other), Some(found)) => self.solved(found, Some(other.solution), other.misfit),
                (_, found) => self.solved(found?, None, f64::INFINITY),
            });
        }
        if volumes == Volumes::Joint {
            return None;
        }
        let flat = |start: &Array2<f64>| problem.maximise(start, NearZero::Flat, &limits, stop);
        Some(self.solved(best(starts.iter().filter_map(flat).collect())?, None, f64::INFINITY))
    }

    /// The components of the likelihood where shares are spread as it says, those by the density near zero where they are
    /// not, and components between the two on the way.
    fn as_far_as_it_fits(
        &self,
        problem: &SoftVolume<'_>,
        found: JointSolution,
        by_density: impl FnOnce() -> Option<SoftSolution>,
    ) -> Solved {
        let JointSolution { mut solution, misfit, noise } = found;
        let weight = self.constants.joint_weight(misfit, noise);
        let other = if weight < 1.0 { by_density() } else { None };
        let Some(other) = other else { return Solved { solution, close: None } };
        if weight == 0.0 {
            return Solved { solution: other, close: None };
        }
        let nearness = 1.0 - (2.0 * weight - 1.0).abs();
        let (heavier, lighter) = if weight >= 0.5 { (&solution, &other) } else { (&other, &solution) };
        let (value, outside) = (heavier.value, heavier.outside);
        let close = Some((lighter.components.clone(), nearness));
        let components = between(problem, &solution.components, &other.components, weight);
        solution = SoftSolution { components, value, outside };
        Solved { solution, close }
    }

    /// The most likely components if all weights are spread as a Dirichlet distribution.
    fn dirichlet(
        &self,
        problem: &SoftVolume<'_>,
        starts: &[Array2<f64>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<DirichletSolution> {
        let VolumeConstants { likelihood_iterations, most_outside, .. } = *self.constants;
        let found = starts
            .iter()
            .filter_map(|start| problem.maximise_dirichlet(start, likelihood_iterations, stop))
            .filter(|found| found.solution.outside <= most_outside && found.misfit.is_finite());
        found.min_by(|a, b| a.solution.value.total_cmp(&b.solution.value))
    }

    /// A solution and, as far as the misfit is near its limit, its distance from the other.
    fn solved(&self, solution: SoftSolution, other: Option<SoftSolution>, misfit: f64) -> Solved {
        let nearness = 1.0 - (misfit / self.constants.most_misfit).ln().abs() / f64::ln(2.0);
        let close = other.filter(|_| nearness > 0.0).map(|other| (other.components, nearness));
        Solved { solution, close }
    }

    /// The problem of these samples: weights of a sample sum to one where a linear function of the samples is nearly
    /// constant (simplex; then true); elsewhere the values of a component do (cone).
    fn problem<'r>(&self, rows: &'r Array2<f64>) -> Option<(SoftVolume<'r>, bool)> {
        let noise = self.engine.projected_noise();
        // The noise adds to the moments of the samples, and to the spread of any function of them.
        let n = rows.nrows() as f64;
        let mut moments = multiply(rows.t(), rows.view());
        moments.diag_mut().mapv_inplace(|v| v - n * noise * noise);
        let inverse = gram_inverse(moments.view())?;
        let constant = inverse.dot(&rows.sum_axis(Axis(0)));
        let square = rows.dot(&constant).mapv(|v| (v - 1.0) * (v - 1.0)).mean()?;
        let spread = (square - noise * noise * constant.dot(&constant)).max(0.0).sqrt();
        let on_simplex = spread < self.constants.on_simplex;
        let sums = if on_simplex {
            constant
        } else {
            let sums: Array1<f64> = self.engine.state.basis.mapv(|v| v.as_f64()).sum_axis(Axis(1));
            // The strongest direction has one sign, but which is chance.
            if rows.dot(&sums).sum() < 0.0 { -sums } else { sums }
        };
        Some((SoftVolume { rows: rows.view().into(), sums, noise }, on_simplex))
    }

    /// The components among all features, without negative values, scaled to a largest weight of one.
    fn in_full(&self, components: &Array2<f64>) -> Array2<T> {
        let mut components = components.clone();
        if let Some((_, inverse)) = log_determinant_and_inverse(components.view()) {
            let weights = multiply(self.rows.view(), inverse.view());
            for (mut row, column) in components.outer_iter_mut().zip(weights.columns()) {
                let largest = column.iter().copied().fold(0.0, f64::max);
                row.mapv_inplace(|v| if largest > 0.0 { v * largest } else { v });
            }
        }
        let components = components.mapv(T::from_f64);
        clipped(&unprojected(&components, &self.engine.state.basis, self.engine.state.unit()))
    }

    /// The distance of each component from the same ending on parts of the samples: the largest sine.
    fn rerun(
        &self,
        found: &SoftSolution,
        full: &Array2<T>,
        volumes: Volumes,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<f64> {
        let mut largest = vec![0.0_f64; full.nrows()];
        for part in 0..self.constants.parts {
            let mut rng = numbered_generator(self.engine.params.seed, Stream::Subsets, FIRST_PART + part);
            let numbers = part_of_samples(self.rows.nrows(), 0.5, &mut rng);
            let rows = self.rows.select(Axis(0), &numbers);
            let starts = [found.components.clone()];
            let again = self.engine.workers.run(|| self.solve(&rows, &starts, volumes, stop));
            let sines = match again {
                Some(again) => nearest_sines(full, &self.in_full(&again.solution.components)),
                None => vec![1.0; full.nrows()],
            };
            largest.iter_mut().zip(sines).for_each(|(largest, sine)| *largest = largest.max(sine));
        }
        largest
    }
}

/// Projected samples as they are, without multipliers, at most `most` of them.
fn plain_rows<T: Real>(engine: &AutoEngine<'_, T>, most: usize) -> Array2<f64> {
    let projected = &engine.projected;
    let samples = projected.samples.view();
    let n = samples.nrows();
    let kept: Vec<usize> = match &projected.multipliers {
        Some(multipliers) => (0..n).filter(|&t| multipliers[t] > 0.0).collect(),
        None => (0..n).collect(),
    };
    let kept = if kept.len() > most {
        let mut rng = numbered_generator(engine.params.seed, Stream::Subsets, FIRST_PART - 1);
        let chosen = part_of_samples(kept.len(), most as f64 / kept.len() as f64, &mut rng);
        chosen.into_iter().map(|i| kept[i]).collect()
    } else {
        kept
    };
    let multiplier = |t: usize| projected.multipliers.as_ref().map_or(1.0, |multipliers| multipliers[t]);
    Array2::from_shape_fn((kept.len(), samples.ncols()), |(i, k)| {
        samples[[kept[i], k]].as_f64() / multiplier(kept[i])
    })
}

/// The median over components of #(|z| < s) / #(2 s < z < 6 s), s being the noise of a decoded weight.
fn pile_up(weights: &Array2<f64>, inverse: &Array2<f64>, noise: f64) -> f64 {
    let n = weights.nrows().max(1) as f64;
    let ratio = |(column, decoder): (ndarray::ArrayView1<'_, f64>, ndarray::ArrayView1<'_, f64>)| {
        let deviation = noise * decoder.dot(&decoder).sqrt();
        let count = |low: f64, high: f64| {
            column.iter().filter(|z| **z > low * deviation && **z < high * deviation).count() as f64 / n
        };
        count(-1.0, 1.0) / count(2.0, 6.0).max(1e-4)
    };
    median(weights.columns().into_iter().zip(inverse.columns()).map(ratio))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::generator;

    #[test]
    fn weights_pile_up_by_how_many_are_zero() {
        let mut rng = generator(3, Stream::Weights);
        let mut piled = |zeros: f64| {
            let mut draw = || {
                let x = if rng.random::<f64>() < zeros { 0.0 } else { rng.random::<f64>() };
                let noise: f64 = StandardNormal.sample(&mut rng);
                x + 0.02 * noise
            };
            let weights = Array2::from_shape_simple_fn((20_000, 3), &mut draw);
            pile_up(&weights, &Array2::eye(3), 0.02)
        };
        // Evenly spread weights have a density of one half at zero, within two widths of noise, beside four beyond.
        let (none, some, most) = (piled(0.0), piled(0.2), piled(0.8));
        assert!((none - 0.25).abs() < 0.05, "{none}");
        assert!(some > 1.3 && most > 10.0 * none, "{some} {most}");
    }
}
