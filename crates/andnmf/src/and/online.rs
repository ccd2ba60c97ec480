//! Algorithm 1 as printed: one sample, or a small batch of them, per gradient step.
//!
//! Within a stage the decoder stays frozen while A moves after every batch: A ← A + η Σ (y − A z) zᵀ. Only the
//! rows of active components are touched. Steps multiply the sum over the batch, so a batch of all samples
//! is one step of the full-batch form.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rand::seq::SliceRandom;

use super::advance::{paper_step, relative};
use super::counts::Counts;
use super::decoder::Decoder;
use super::params::{Step, StepsPerStage};
use super::statistics::DecodeStatistics;
use crate::linalg::gather::{add_row_lists, scatter_row};
use crate::linalg::product::{frobenius, multiply};
use crate::linalg::symmetric::eigenvalues;
use crate::random::{Stream, numbered_generator};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples, gather};
use crate::{FitError, Real, SamplesError};

/// Samples decoded at a time. The decoder does not change within a stage, so this affects only the speed.
const DECODED_AT_ONCE: usize = 256;

/// The inputs of an online stage.
pub(super) struct OnlineStage<'a, T: Real> {
    pub(super) samples: &'a dyn Samples<T>,
    pub(super) decoder: &'a Decoder<T>,
    pub(super) thresholds: &'a [T],
    pub(super) batch: usize,
    pub(super) inner: StepsPerStage,
    pub(super) step: Step,
    pub(super) stage: usize,
    pub(super) seed: u64,
}

/// The result of an online stage.
#[derive(Debug)]
pub(super) struct OnlineResult<T> {
    pub(super) components: Array2<T>,
    pub(super) change: f64,
    pub(super) decoded: DecodeStatistics,
    /// Number of samples used, counting repetitions.
    pub(super) n_used: usize,
    /// Passes over all samples, including an incomplete one.
    pub(super) passes: usize,
}

impl<T: Real> OnlineStage<'_, T> {
    /// Runs the stage from `start`; `check` is called between batches and may interrupt it.
    pub(super) fn run<E: From<SamplesError> + From<FitError> + Send>(
        &self,
        start: &Array2<T>,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<OnlineResult<T>, E> {
        let n = self.samples.n_samples();
        let batch = self.batch.min(n);
        let order = self.order(n);
        let steps = match self.inner {
            StepsPerStage::Exact => n.div_ceil(batch) as u64,
            StepsPerStage::Steps(steps) => steps,
        };
        let eta = match self.step {
            Step::Safe => self.safe_step(&order, batch, check)?,
            Step::Paper => paper_step(start.nrows()),
            Step::Value(value) => value,
        };
        let mut update = OnlineUpdate::new(start.clone(), eta, self.stage);
        let mut decoded = DecodeStatistics::new(start.nrows());
        let mut counts = Counts::default();
        let steps_at_once = (DECODED_AT_ONCE / batch).max(1) as u64;
        let (mut done, mut used, mut position) = (0, 0, 0);
        while done < steps {
            check()?;
            // Batches never straddle the end of a pass: the last one of a pass may be shorter.
            let left_in_pass = (n - position).div_ceil(batch) as u64;
            let count = steps_at_once.min(left_in_pass).min(steps - done);
            let take = (count as usize * batch).min(n - position);
            let block = gather(self.samples, &order[position..position + take])?;
            let mut z = Array2::zeros((take, start.nrows()));
            self.decoder.decode_into(&block, z.view_mut());
            counts.threshold(z.as_slice_mut().expect("row-major"), self.thresholds);
            counts.add_to(&mut decoded);
            for first in (0..take).step_by(batch) {
                update.step(&block, z.view(), first..(first + batch).min(take))?;
            }
            done += count;
            used += take;
            position = (position + take) % n;
        }
        let components = update.components;
        if components.iter().any(|v| !v.finite()) {
            return Err(FitError::Overflow { stage: self.stage }.into());
        }
        let change = relative(frobenius((&components - start).view()), frobenius(start.view()));
        let passes = used.div_ceil(n) + usize::from(self.step == Step::Safe);
        Ok(OnlineResult { components, change, decoded, n_used: used, passes })
    }

    /// The order of the samples, shuffled for each stage.
    fn order(&self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut numbered_generator(self.seed, Stream::Order, self.stage));
        order
    }

    /// One over the largest trace of the second moments of any batch; the trace bounds the eigenvalues.
    fn safe_step<E: From<SamplesError> + From<FitError> + Send>(
        &self,
        order: &[usize],
        batch: usize,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<f64, E> {
        let squares = fold(
            self.samples,
            &FoldPlan::new(self.samples, 1),
            &Vec::new,
            &|squares: &mut Vec<f64>, _, block| {
                check()?;
                let mut z = Array2::zeros((block.n_samples(), self.thresholds.len()));
                self.decoder.decode_into(&block, z.view_mut());
                Counts::default().threshold(z.as_slice_mut().expect("row-major"), self.thresholds);
                squares.extend(z.outer_iter().map(squared_length));
                Ok::<(), E>(())
            },
            &|left, right| left.extend(right),
        )?;
        let trace = |batch: &[usize]| batch.iter().map(|&i| squares[i]).sum::<f64>();
        let largest = order.chunks(batch).map(trace).fold(0.0, f64::max);
        if !largest.is_finite() {
            return Err(FitError::Overflow { stage: self.stage }.into());
        }
        Ok(if largest > 0.0 { 1.0 / largest } else { 1.0 })
    }
}

fn squared_length<T: Real>(z: ArrayView1<'_, T>) -> f64 {
    z.iter().map(|v| v.as_f64() * v.as_f64()).sum()
}

/// The current components and the workspace of the gradient steps.
struct OnlineUpdate<T: Real> {
    components: Array2<T>,
    eta: f64,
    stage: usize,
    /// Σ (y − A z) zᵀ over the current batch; only rows in `touched` are nonzero.
    gradient: Array2<T>,
    touched: Vec<bool>,
    residual: Vec<T>,
    active: Vec<usize>,
    weights: Vec<T>,
}

impl<T: Real> OnlineUpdate<T> {
    fn new(components: Array2<T>, eta: f64, stage: usize) -> Self {
        let (rank, features) = components.dim();
        let zero = T::from_f64(0.0);
        Self {
            eta,
            stage,
            gradient: Array2::zeros((rank, features)),
            touched: vec![false; rank],
            residual: vec![zero; features],
            active: Vec::with_capacity(rank),
            weights: Vec::with_capacity(rank),
            components,
        }
    }

    /// One gradient step on the rows `batch` of a block with decoded and thresholded weights `z`.
    fn step(
        &mut self,
        block: &Block<'_, T>,
        z: ArrayView2<'_, T>,
        batch: std::ops::Range<usize>,
    ) -> Result<(), FitError> {
        self.check_step(z, batch.clone())?;
        let eta = T::from_f64(self.eta);
        if batch.len() == 1 {
            if self.residual_of(block, z, batch.start) {
                self.weights.iter_mut().for_each(|w| *w = -*w * eta);
                let components = self.components.as_slice_mut().expect("row-major");
                scatter_row(components, &self.residual, &self.active, &self.weights);
            }
            return Ok(());
        }
        for i in batch {
            if self.residual_of(block, z, i) {
                self.weights.iter_mut().for_each(|w| *w = -*w);
                let gradient = self.gradient.as_slice_mut().expect("row-major");
                scatter_row(gradient, &self.residual, &self.active, &self.weights);
                self.active.iter().for_each(|&k| self.touched[k] = true);
            }
        }
        for (k, touched) in self.touched.iter_mut().enumerate().filter(|(_, t)| **t) {
            self.components.row_mut(k).scaled_add(eta, &self.gradient.row(k));
            self.gradient.row_mut(k).fill(T::from_f64(0.0));
            *touched = false;
        }
        Ok(())
    }

    /// Writes y − A z into `residual`, the active components into `active` and their negated weights into `weights`;
    /// returns false if none is active.
    fn residual_of(&mut self, block: &Block<'_, T>, z: ArrayView2<'_, T>, i: usize) -> bool {
        let zero = T::from_f64(0.0);
        self.active.clear();
        self.weights.clear();
        for (k, &weight) in z.row(i).iter().enumerate() {
            if weight != zero {
                self.active.push(k);
                self.weights.push(-weight);
            }
        }
        if self.active.is_empty() {
            return false;
        }
        match block {
            Block::Dense(rows) => self.residual.copy_from_slice(rows.row(i).to_slice().expect("row-major")),
            Block::Sparse(rows) => {
                self.residual.fill(zero);
                rows.row(i).for_each(|(feature, value)| self.residual[feature] += value);
            }
        }
        let width = self.residual.len();
        let components = self.components.as_slice().expect("row-major");
        let list = (self.active.as_slice(), self.weights.as_slice());
        add_row_lists(&mut self.residual, width, components, std::iter::once(list));
        true
    }

    /// Refuses a step that diverges on this batch: η·λmax(Σ z zᵀ) ≥ 2.
    fn check_step(&self, z: ArrayView2<'_, T>, batch: std::ops::Range<usize>) -> Result<(), FitError> {
        let z = z.slice(ndarray::s![batch, ..]);
        let trace: f64 = z.outer_iter().map(squared_length).sum();
        if self.eta * trace < 2.0 {
            return Ok(());
        }
        let largest = if z.nrows() == 1 {
            trace
        } else {
            let values = eigenvalues(multiply(z.t(), z).view());
            values.and_then(|v| v.last().copied()).ok_or(FitError::Overflow { stage: self.stage })?
        };
        if self.eta * largest < 2.0 {
            return Ok(());
        }
        Err(FitError::UnstableStep { stage: self.stage, step: self.eta, largest_stable: 2.0 / largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    /// The algorithm as printed, one batch after the other, everything dense.
    fn printed(
        stage: &OnlineStage<'_, f64>,
        y: &Array2<f64>,
        start: &Array2<f64>,
        eta: f64,
    ) -> (Array2<f64>, usize) {
        let (n, order) = (y.nrows(), stage.order(y.nrows()));
        let steps = match stage.inner {
            StepsPerStage::Exact => n.div_ceil(stage.batch) as u64,
            StepsPerStage::Steps(steps) => steps,
        };
        let (mut a, mut position, mut used) = (start.clone(), 0, 0);
        for _ in 0..steps {
            let batch = &order[position..(position + stage.batch).min(n)];
            let mut gradient = Array2::<f64>::zeros(a.dim());
            for &i in batch {
                let z = stage.decoder.matrix().dot(&y.row(i));
                let z = ndarray::Zip::from(&z)
                    .and(ArrayView1::from(stage.thresholds))
                    .map_collect(|&v, &t| if v >= t { v } else { 0.0 });
                let residual = &y.row(i) - &a.t().dot(&z);
                for (k, &weight) in z.iter().enumerate() {
                    gradient.row_mut(k).scaled_add(weight, &residual);
                }
            }
            a.scaled_add(eta, &gradient);
            used += batch.len();
            position = (position + batch.len()) % n;
        }
        (a, used)
    }

    #[test]
    fn any_batch_and_number_of_steps_equals_the_algorithm_as_printed() {
        let mut y = random_matrix::<f64>(90, 11, 1);
        y.mapv_inplace(|v| if v > 0.3 { v } else { 0.0 });
        let start = random_matrix::<f64>(4, 11, 2);
        let dense = DenseSamples::new(y.view()).unwrap();
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(11, &pointers, indices, values).unwrap();
        let decoder = Decoder::new(start.view(), true).unwrap();
        for (batch, inner) in [
            (1, StepsPerStage::Exact),
            (1, StepsPerStage::Steps(7)),
            (7, StepsPerStage::Exact),
            (40, StepsPerStage::Steps(5)),
            (90, StepsPerStage::Steps(3)),
            (1, StepsPerStage::Steps(400)),
        ] {
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let stage = OnlineStage {
                    samples,
                    decoder: &decoder,
                    thresholds: &[0.05, 0.1, 0.15, 0.2],
                    batch,
                    inner,
                    step: Step::Value(0.01),
                    stage: 3,
                    seed: 5,
                };
                let (expected, used) = printed(&stage, &y, &start, 0.01);
                let result = stage.run::<FitError>(&start, &|| Ok(())).unwrap();
                assert_close(&result.components, &expected, 1e-12);
                assert_eq!(result.n_used, used, "batch {batch}, {inner:?}");
            }
        }
    }

    #[test]
    fn the_safe_step_is_one_over_the_largest_trace_of_any_batch() {
        let (y, start) = (random_matrix::<f64>(50, 6, 1), random_matrix::<f64>(3, 6, 2));
        let samples = DenseSamples::new(y.view()).unwrap();
        let decoder = Decoder::new(start.view(), false).unwrap();
        let stage = OnlineStage {
            samples: &samples,
            decoder: &decoder,
            thresholds: &[0.1, 0.1, 0.1],
            batch: 4,
            inner: StepsPerStage::Exact,
            step: Step::Safe,
            stage: 0,
            seed: 1,
        };
        let order = stage.order(50);
        let trace = |batch: &[usize]| -> f64 {
            let weights = batch.iter().flat_map(|&i| decoder.matrix().dot(&y.row(i)).to_vec());
            weights.map(|v| if v >= 0.1 { v * v } else { 0.0 }).sum()
        };
        let largest = order.chunks(4).map(trace).fold(0.0, f64::max);
        let step = stage.safe_step::<FitError>(&order, 4, &|| Ok(())).unwrap();
        assert!((step * largest - 1.0).abs() < 1e-12);
    }
}
