//! Runs of HALS in the space of the leading directions: other starts, error estimates, and endings.
//!
//! Long runs are in single precision, whatever that of the samples: their results are starts or error
//! estimates, or get their last digits from later stages.

use std::cell::{OnceCell, RefCell};

use ndarray::{Array2, Axis, concatenate};
use rayon::prelude::*;

use super::engine::AutoEngine;
use super::stability::part_of_samples;
use crate::baselines::{Factors, HalsParams, improve_by_hals};
use crate::compression::Space;
use crate::constants::EndConstants;
use crate::fit::{Fit, Run, StageInterrupt, StopReason};
use crate::init::{NndsvdFill, from_pairs};
use crate::objective::Loss;
use crate::random::{Stream, numbered_generator};
use crate::samples::{DenseSamples, Samples};
use crate::{FitError, Real};

/// The number of the random part of the samples for the error estimate; earlier numbers serve the stability of the stages.
const OTHER_PART: usize = 2;

/// Runs of HALS on the samples of a search.
pub(super) struct HalsRuns<'e, 'a, 'r, T: Real> {
    pub(super) engine: &'e AutoEngine<'a, T>,
    samples: &'e dyn Samples<T>,
    run: &'e Run<'r, T>,
    single: OnceCell<ProjectedSpace<f32>>,
    /// Cached results, each used more than once: HALS from the components found, and NMF with its sweeps per stage.
    improved: OnceCell<Array2<T>>,
    nmf: RefCell<Option<(usize, Fit<T>)>>,
}

/// The space of the leading directions, the spare ones included.
#[derive(Clone)]
struct ProjectedSpace<N: Real> {
    basis: Array2<N>,
    samples: DenseSamples<'static, N>,
}

impl<N: Real> ProjectedSpace<N> {
    fn space(self) -> Space<N> {
        Space::Compressed { basis: self.basis, samples: self.samples }
    }

    /// Components and weights from the non-negative parts of the directions.
    fn nmf_start(&self, rank: usize, seed: u64) -> Factors<N> {
        let coordinates = self.samples.view();
        // The sum of all values, as far as the directions go.
        let along = coordinates.sum_axis(Axis(0));
        let sums: f64 =
            self.basis.sum_axis(Axis(1)).iter().zip(&along).map(|(b, c)| b.as_f64() * c.as_f64()).sum();
        let mean = sums / (coordinates.nrows() as f64 * self.basis.ncols() as f64);
        let (components, weights) =
            from_pairs(coordinates, self.basis.view(), mean.max(0.0), rank, NndsvdFill::Mean, seed);
        Factors { components, weights: Some(weights) }
    }
}

impl<'e, 'a, 'r, T: Real> HalsRuns<'e, 'a, 'r, T> {
    pub(super) fn new(
        engine: &'e AutoEngine<'a, T>,
        samples: &'e dyn Samples<T>,
        run: &'e Run<'r, T>,
    ) -> Self {
        let (single, improved, nmf) = (OnceCell::new(), OnceCell::new(), RefCell::default());
        Self { engine, samples, run, single, improved, nmf }
    }

    /// The result of a long run from the components found.
    pub(super) fn improved(&self, found: &Array2<T>) -> Result<Array2<T>, StageInterrupt> {
        if let Some(improved) = self.improved.get() {
            return Ok(improved.clone());
        }
        let end = self.end();
        let found = in_units(found, 1.0 / self.unit());
        let start = Factors { components: found, weights: None };
        let directions = self.single()?.clone();
        let improved = self.long_run(start, end.hals_stages, end.far_sweeps, directions)?.components;
        Ok(self.improved.get_or_init(|| in_units(&improved, self.unit())).clone())
    }

    /// NMF in the space of the leading directions, from their non-negative parts.
    pub(super) fn nmf(&self, rank: usize, sweeps: usize) -> Result<Fit<T>, StageInterrupt> {
        if let Some((of, nmf)) = &*self.nmf.borrow()
            && *of == sweeps
        {
            return Ok(nmf.clone());
        }
        let nmf =
            self.long_run(self.nmf_start(rank)?, self.end().hals_stages, sweeps, self.single()?.clone())?;
        // One more stage in full precision, for a loss that can be compared.
        let weights = nmf.weights.map(|weights| in_units(&weights, 1.0));
        let nmf = self.hals(in_units(&nmf.components, self.unit()), weights, 1, sweeps, true)?;
        self.nmf.replace(Some((sweeps, nmf.clone())));
        Ok(nmf)
    }

    /// The components of NMF on part of the samples.
    pub(super) fn nmf_of_a_part(
        &self,
        rank: usize,
        stages: usize,
        sweeps: usize,
    ) -> Result<Array2<T>, StageInterrupt> {
        let ProjectedSpace { basis, samples } = self.single()?;
        let mut rng = numbered_generator(self.engine.params.seed, Stream::Subsets, OTHER_PART);
        let numbers =
            part_of_samples(samples.view().nrows(), self.engine.constants.stability.part_share, &mut rng);
        let Factors { components, weights } = self.nmf_start(rank)?;
        let weights = weights.map(|weights| weights.select(Axis(0), &numbers));
        let part = whole(samples.view().select(Axis(0), &numbers))?;
        let directions = ProjectedSpace { basis: basis.clone(), samples: part };
        let fit = self.long_run(Factors { components, weights }, stages, sweeps, directions)?;
        Ok(in_units(&fit.components, self.unit()))
    }

    /// The start of NMF, in the units of the stages: the values that replace zeros depend on the unit.
    fn nmf_start(&self, rank: usize) -> Result<Factors<f32>, StageInterrupt> {
        // The precision of the directions decides which of them are too weak for a start.
        let Factors { components, weights } =
            self.directions::<T>(1.0)?.nmf_start(rank, self.engine.params.seed);
        let weights = weights.map(|weights| in_units(&weights, 1.0));
        Ok(Factors { components: in_units(&components, 1.0), weights })
    }

    /// Some stages in the precision of the samples, in the space of the leading directions or in that of the samples.
    pub(super) fn hals(
        &self,
        components: Array2<T>,
        weights: Option<Array2<T>>,
        stages: usize,
        sweeps: usize,
        projected: bool,
    ) -> Result<Fit<T>, StageInterrupt> {
        let space = if projected { self.directions(self.unit())?.space() } else { Space::Original };
        self.run_hals(self.samples, Factors { components, weights }, stages, sweeps, space)
    }

    fn long_run(
        &self,
        start: Factors<f32>,
        stages: usize,
        sweeps: usize,
        directions: ProjectedSpace<f32>,
    ) -> Result<Fit<f32>, StageInterrupt> {
        let samples = directions.samples.clone();
        self.run_hals(&samples, start, stages, sweeps, directions.space())
    }

    fn run_hals<N: Real>(
        &self,
        samples: &dyn Samples<N>,
        start: Factors<N>,
        stages: usize,
        sweeps: usize,
        space: Space<N>,
    ) -> Result<Fit<N>, StageInterrupt> {
        let seconds = self.engine.monitor.clock.seconds();
        let params = HalsParams {
            sweeps,
            max_stages: stages,
            tolerance: self.end().hals_tolerance,
            time_limit: self.engine.params.time_limit.map(|limit| (limit - seconds).max(0.0)),
            seed: self.engine.params.seed,
            ..HalsParams::new(start.components.nrows())
        };
        let fit = match self.engine.state.objective.loss {
            Loss::SquaredError => {
                improve_by_hals(&params, samples, start, space, &mut self.run.without_observer())?
            }
        };
        match fit.stop {
            StopReason::Cancelled | StopReason::TimeLimit => Err(StageInterrupt::Stop(fit.stop)),
            _ => Ok(fit),
        }
    }

    /// The constants of the end of a fit.
    pub(super) fn end(&self) -> &'e EndConstants {
        &self.engine.constants.end
    }

    /// The unit of the samples in the space of the stages.
    fn unit(&self) -> f64 {
        self.engine.state.unit()
    }

    /// The space in single precision, in the units of the stages: those of the samples may be out of its range.
    fn single(&self) -> Result<&ProjectedSpace<f32>, StageInterrupt> {
        if let Some(single) = self.single.get() {
            return Ok(single);
        }
        let single = self.directions(1.0)?;
        Ok(self.single.get_or_init(|| single))
    }

    /// The samples as they are, not evened out, with their unit as this number.
    fn directions<N: Real>(&self, unit: f64) -> Result<ProjectedSpace<N>, StageInterrupt> {
        let engine = self.engine;
        let (projected, spare) = (engine.projected.samples.view(), engine.spare.view());
        let (multipliers, own) = (engine.projected.multipliers.as_deref(), self.unit());
        let (n, width) = (projected.nrows(), projected.ncols() + spare.ncols());
        let mut all = Array2::<N>::zeros((n, width));
        let rows = all.as_slice_mut().expect("row-major");
        engine.workers.run(|| {
            rows.par_chunks_mut((ROWS_AT_ONCE * width).max(1)).enumerate().for_each(|(part, rows)| {
                for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                    let i = part * ROWS_AT_ONCE + i;
                    let back = multipliers.map_or(1.0, |of| if of[i] > 0.0 { 1.0 / of[i] } else { 0.0 });
                    let leading = projected.row(i).into_iter().map(|v| v.as_f64() * unit * back);
                    let spare = spare.row(i).into_iter().map(|v| v.as_f64() * (unit / own));
                    row.iter_mut().zip(leading.chain(spare)).for_each(|(to, v)| *to = N::from_f64(v));
                }
            });
        });
        let samples = whole(all)?;
        let basis = concatenate(Axis(0), &[engine.state.basis.view(), engine.state.spare.view()])
            .expect("equally wide");
        Ok(ProjectedSpace { basis: in_units(&basis, 1.0), samples })
    }
}

/// Samples that one thread writes at a time.
const ROWS_AT_ONCE: usize = 512;

fn whole<N: Real>(rows: Array2<N>) -> Result<DenseSamples<'static, N>, StageInterrupt> {
    DenseSamples::new(rows).map_err(|_| FitError::Overflow { stage: 0 }.into())
}

/// A matrix in another unit and another precision.
fn in_units<M: Real, N: Real>(matrix: &Array2<M>, unit: f64) -> Array2<N> {
    matrix.mapv(|v| N::from_f64(v.as_f64() * unit))
}
