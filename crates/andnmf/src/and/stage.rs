//! The query of a stage: sums over all samples with their thresholded weights.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, CowArray, Ix2, s};

use super::counts::Counts;
use super::decoder::Decoder;
use super::statistics::StageStatistics;
use crate::linalg::product::matrix_in;
use crate::linalg::product_accumulator::ProductAccumulator;
use crate::linalg::weighted_sums::SumBuffers;
use crate::pool::{Pool, Slot};
#[cfg(test)]
use crate::query::testing::{ExampleCheck, values};
use crate::query::{
    MaybeOwned, Part, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape, write_matrix,
};
use crate::samples::Block;
use crate::samples::fold::{FoldPlan, fold};
use crate::{Real, SamplesError};

/// Workspace reused by stages with samples and components of the same shape.
#[derive(Debug)]
pub(crate) struct StageWorkspace<T: Real> {
    pub(super) scratch: Pool<Scratch<T>>,
    /// Sums to reuse.
    pub(crate) sums: Pool<StageStatistics<T>>,
    /// Decoded values to reuse.
    pub(crate) values: Slot<Array2<T>>,
}

impl<T: Real> Default for StageWorkspace<T> {
    fn default() -> Self {
        Self { scratch: Pool::default(), sums: Pool::default(), values: Slot::default() }
    }
}

/// Buffers that a thread reuses for each block.
#[derive(Debug)]
pub(super) struct Scratch<T> {
    weights: Vec<T>,
    sums: SumBuffers<T>,
    pub(super) counts: Counts<T>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self { weights: Vec::new(), sums: SumBuffers::default(), counts: Counts::default() }
    }
}

/// The sums of a stage over all samples, as [`StageStatistics`].
#[derive(Debug)]
pub(crate) struct StageQuery<'a, T: Real> {
    pub(crate) weights: StageWeights<'a, T>,
    /// One for each component.
    pub(crate) thresholds: Cow<'a, [T]>,
    pub(crate) floors: Option<NoiseFloors<'a>>,
    pub(crate) workspace: MaybeOwned<'a, StageWorkspace<T>>,
}

/// The source of a stage's weights before thresholding.
#[derive(Debug)]
pub(crate) enum StageWeights<'a, T: Real> {
    /// Decode the samples.
    Decoder(MaybeOwned<'a, Decoder<T>>),
    /// Weights already decoded, samples × components.
    Decoded(CowArray<'a, T, Ix2>),
}

/// The floor that noise sets under the decoded weights of each sample.
#[derive(Debug, Clone)]
pub(crate) struct NoiseFloors<'a> {
    /// Floor of each component per unit of the sample's noise.
    pub(crate) per_noise: Cow<'a, [f64]>,
    /// Upper bound of the floor of each component.
    pub(crate) highest: Cow<'a, [f64]>,
    /// The noise of each sample.
    pub(crate) noise: Cow<'a, [f64]>,
}

impl NoiseFloors<'_> {
    /// Sets values below their floor to zero; the rows belong to the samples from number `first` on.
    pub(crate) fn apply<T: Real>(&self, first: usize, mut rows: ArrayViewMut2<'_, T>) {
        for (mut row, &noise) in rows.outer_iter_mut().zip(&self.noise[first..]) {
            for (k, v) in row.iter_mut().enumerate() {
                let floor = (self.per_noise[k] * noise).min(self.highest[k]);
                if v.as_f64() < floor {
                    *v = T::from_f64(0.0);
                }
            }
        }
    }
}

impl<'a, T: Real> StageQuery<'a, T> {
    /// A stage that decodes the samples.
    pub(crate) fn decoding(
        decoder: &'a Decoder<T>,
        thresholds: &'a [T],
        workspace: MaybeOwned<'a, StageWorkspace<T>>,
    ) -> Self {
        let weights = StageWeights::Decoder(MaybeOwned::Borrowed(decoder));
        Self { weights, thresholds: thresholds.into(), floors: None, workspace }
    }

    fn rank(&self) -> usize {
        self.thresholds.len()
    }

    /// Adds a block of samples from number `first` on: decodes, applies floors and thresholds, and sums, all in cache.
    pub(super) fn add(&self, sums: &mut StageStatistics<T>, first: usize, block: &Block<'_, T>) {
        let n = block.n_samples();
        self.workspace.scratch.lend(|Scratch { weights, sums: buffers, counts }| {
            let mut z = matrix_in(weights, (n, self.rank()));
            match &self.weights {
                StageWeights::Decoder(decoder) => decoder.decode_into(block, z.view_mut()),
                StageWeights::Decoded(rows) => z.assign(&rows.slice(s![first..first + n, ..])),
            }
            if let Some(floors) = &self.floors {
                floors.apply(first, z.view_mut());
            }
            let active = counts.threshold(z.as_slice_mut().expect("row-major"), &self.thresholds);
            counts.add_to(&mut sums.decoded);
            sums.sums.add(block, z.view(), active, buffers);
            sums.n_samples += n;
        });
    }
}

impl<T: Real> Sums for StageStatistics<T> {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        let shape = WireError::Shape { left: self.products().len(), right: next.products().len() };
        if !(self.is_consistent() && next.is_consistent()) {
            return Err(shape);
        }
        StageStatistics::merge(self, next).map_err(|_| shape)
    }
}

impl<T: Real> Query<T> for StageQuery<'_, T> {
    const NAME: &'static str = "stage";
    type Partial = StageStatistics<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.thresholds.write(to);
        match &self.weights {
            StageWeights::Decoder(decoder) => {
                true.write(to);
                write_matrix(decoder.matrix(), to);
            }
            StageWeights::Decoded(_) => false.write(to),
        }
        self.floors.is_some().write(to);
        if let Some(floors) = &self.floors {
            floors.per_noise.write(to);
            floors.highest.write(to);
        }
    }

    fn write_rows(&self, to: &mut WireWriter) {
        let decoded: Option<ArrayView2<'_, T>> = match &self.weights {
            StageWeights::Decoder(_) => None,
            StageWeights::Decoded(rows) => Some(rows.view()),
        };
        let noise = self.floors.as_ref().map(|floors| &floors.noise);
        match (decoded, noise) {
            (Some(rows), None) => to.rows(rows),
            (None, Some(noise)) => to.values(noise.iter()),
            (Some(rows), Some(noise)) => {
                for (row, noise) in rows.outer_iter().zip(noise.iter()) {
                    to.values(row.iter());
                    noise.write(to);
                }
            }
            (None, None) => {}
        }
    }

    fn read(
        from: &mut WireReader<'_>,
        rows: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError> {
        let thresholds: Cow<'_, [T]> = Wire::read(from)?;
        let decoder = match bool::read(from)? {
            true => Some(Decoder::from_matrix(Wire::read(from)?, part.samples.is_sparse())),
            false => None,
        };
        let limits: Option<(Vec<f64>, Vec<f64>)> = match bool::read(from)? {
            true => Some((Wire::read(from)?, Wire::read(from)?)),
            false => None,
        };
        let (n, rank) = (part.samples.n_samples(), thresholds.len());
        let (mut decoded, mut noise) = (None, Vec::new());
        match (&decoder, &limits) {
            (None, None) => decoded = Some(rows.matrix(n, rank)?),
            (Some(_), Some(_)) => noise = rows.values(n)?,
            (None, Some(_)) => {
                let mut values = Vec::new();
                for _ in 0..n {
                    values.extend(rows.values::<T>(rank)?);
                    noise.push(f64::read(rows)?);
                }
                let shape = WireError::Shape { left: n, right: rank };
                decoded = Some(Array2::from_shape_vec((n, rank), values).map_err(|_| shape)?);
            }
            (Some(_), None) => {}
        }
        let weights = match decoder {
            Some(decoder) => StageWeights::Decoder(MaybeOwned::Owned(decoder)),
            None => StageWeights::Decoded(decoded.unwrap_or_default().into()),
        };
        let floors = limits.map(|(per_noise, highest)| NoiseFloors {
            per_noise: per_noise.into(),
            highest: highest.into(),
            noise: noise.into(),
        });
        Ok(Self { weights, thresholds, floors, workspace: MaybeOwned::default() })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let (n, features, rank) = (part.samples.n_samples(), part.samples.n_features(), self.rank());
        match &self.weights {
            StageWeights::Decoder(decoder) => {
                check_shape("the decoder", decoder.matrix().dim(), (rank, features), part)?;
            }
            StageWeights::Decoded(rows) => {
                check_shape("the matrix of decoded weights", rows.dim(), (n, rank), part)?;
            }
        }
        let Some(floors) = &self.floors else { return Ok(()) };
        check_shape("the list of noise floors", (floors.per_noise.len(), 1), (rank, 1), part)?;
        check_shape("the list of highest floors", (floors.highest.len(), 1), (rank, 1), part)?;
        check_shape("the list of the samples' noise", (floors.noise.len(), 1), (n, 1), part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<StageStatistics<T>, SamplesError> {
        let (samples, rank) = (part.samples, self.rank());
        let (features, sparse) = (samples.n_features(), samples.is_sparse());
        let reused = &self.workspace.sums;
        fold(
            samples,
            &FoldPlan::new(samples, ProductAccumulator::<T>::size(rank, features, sparse)),
            &|| {
                let sums = reused.take().filter(|sums| sums.fits(rank, features, sparse));
                sums.map_or_else(|| StageStatistics::new(rank, features, sparse), StageStatistics::cleared)
            },
            &|sums: &mut StageStatistics<T>, first, block| {
                self.add(sums, first, &block);
                Ok::<(), SamplesError>(())
            },
            &|left, right| {
                left.merge_same_shape(&right);
                reused.give(right);
            },
        )
    }

    fn accepts(&self, partial: &StageStatistics<T>, part: &Part<'_, T>) -> bool {
        partial.products().dim() == (self.rank(), part.samples.n_features())
            && partial.is_consistent()
            && partial.n_samples == part.samples.n_samples()
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        let (decoder, workspace) =
            (Decoder::new(check.components().view(), check.is_sparse()).unwrap(), MaybeOwned::default());
        let thresholds = [0.1, 0.05, 0.2].map(T::from_f64);
        let mut query = StageQuery::decoding(&decoder, &thresholds, workspace);
        let floors = NoiseFloors {
            per_noise: vec![0.3, 0.1, 0.2].into(),
            highest: vec![0.2; 3].into(),
            noise: check.noise().into(),
        };
        for floors in [None, Some(floors)] {
            query.floors = floors;
            for weights in [None, Some(check.weights())] {
                query.weights = match weights {
                    None => StageWeights::Decoder(MaybeOwned::Borrowed(&decoder)),
                    Some(weights) => StageWeights::Decoded(weights.into()),
                };
                check.check(&query, |result| {
                    let counts = result.decoded().active.iter().map(|&count| count as f64).collect();
                    let products = result.products().iter().map(|v| v.as_f64()).collect();
                    let moments = values(&result.second_moments());
                    [products, moments, counts, vec![result.n_samples() as f64]].concat()
                });
            }
        }
    }
}
