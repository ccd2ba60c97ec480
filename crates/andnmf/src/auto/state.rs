//! The state that a run needs to resume.

use std::sync::Arc;

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use super::candidate::Candidate;
use super::projected::Spectrum;
use super::search::Search;
use crate::constants::SearchConstants;
use crate::fit::{
    ExpectedShape, MethodState, ResumableState, StateParts, StoredState, bits, invalid_checkpoint,
};
use crate::linalg::product::{length, multiply};
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::objective::Objective;
use crate::trust::Origin;
use crate::{FitError, Real};

/// The state of a run with thresholds from the data.
#[derive(Debug, Clone)]
pub(crate) struct AutoState<T: Real> {
    /// The components along the leading directions, rank × directions.
    pub(super) working: Array2<T>,
    /// The leading directions, as orthonormal rows.
    pub(super) basis: Array2<T>,
    /// Further directions of the samples (rows), beside the basis.
    pub(super) spare: Array2<T>,
    pub(super) progress: AutoProgress<T>,
    /// The objective of the fit: basis and working matrix belong to samples that its metric scales.
    pub(super) objective: Arc<Objective>,
    /// The numbers of the samples that take no part in the fit, in order.
    pub(super) set_aside: Vec<usize>,
}

/// The part of the state that a stage changes, besides the components: small, so that a stage works on a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(super) struct AutoProgress<T: Real> {
    pub(super) spectrum: Spectrum,
    pub(super) search: Search<T>,
    pub(super) side: SearchSide<T>,
    /// The thresholds of the last stage, one per component; empty before the first.
    #[serde(with = "bits::list")]
    pub(super) thresholds: Vec<f64>,
    /// True for components that have been active in any stage.
    pub(super) ever_active: Vec<bool>,
}

/// The parts of a state that are not matrices, as stored in files.
#[derive(Serialize, Deserialize)]
struct StoredValues<P, O> {
    progress: P,
    objective: O,
    /// Absent in checkpoints of earlier versions.
    #[serde(default)]
    set_aside: Vec<usize>,
}

/// The side whose weights the stages decode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) enum SearchSide<T: Real> {
    /// Those of the samples: the components are the working matrix of the checkpoint.
    Samples,
    /// Those of the features, which are the values of the components.
    Features {
        /// The result of the search on the samples.
        samples: Box<Candidate<T>>,
        /// The components of that side, of which features are mixtures.
        #[serde(with = "bits::matrix")]
        working: Array2<T>,
    },
}

impl<T: Real> AutoState<T> {
    /// Checks that a state is consistent and fits the run.
    pub(super) fn check(&self, shape: &ExpectedShape, stages: usize) -> Result<(), FitError> {
        let Self { working, basis, spare, progress, .. } = self;
        shape.check_working(working, Some(basis))?;
        let Spectrum { values, unit, noise, .. } = &progress.spectrum;
        let positive = |v: &f64| *v > 0.0 && v.is_finite();
        if !positive(unit) || !values.iter().all(positive) || noise.is_nan() || *noise < 0.0 {
            return Err(invalid_checkpoint("its singular values, unit or noise are no positive numbers"));
        }
        let in_order = self.set_aside.is_sorted_by(|a, b| a < b);
        if !in_order || self.set_aside.last().is_some_and(|&last| last >= shape.n_samples) {
            return Err(invalid_checkpoint("the samples that it leaves out do not exist"));
        }
        if !self.set_aside.is_empty() && self.set_aside.len() >= shape.n_samples {
            return Err(invalid_checkpoint("it leaves out all samples"));
        }
        let rank = shape.rank;
        if basis.nrows() > rank || (stages > 0 && progress.thresholds.len() != rank) {
            return Err(invalid_checkpoint("it does not have one threshold per component"));
        }
        let spare_fits = spare.ncols() == basis.ncols() && spare.iter().all(|v| v.finite());
        if !spare_fits || !progress.fits(basis.nrows()) {
            return Err(invalid_checkpoint("its parts do not belong to its basis"));
        }
        Ok(())
    }

    /// The factor from the units of the stages to those of the samples.
    pub(super) fn unit(&self) -> f64 {
        self.progress.spectrum.unit
    }

    /// The best components so far, in the coordinates of the samples' side.
    pub(super) fn best(&self, constants: &SearchConstants) -> Option<Candidate<T>> {
        let found = self.progress.search.best.as_ref();
        match &self.progress.side {
            SearchSide::Samples => found.cloned(),
            SearchSide::Features { samples, .. } => {
                let clearer =
                    |found: &Candidate<T>| found.zero_level() < constants.clearer * samples.zero_level();
                let decides = |found: &&Candidate<T>| {
                    found.certain(constants) || (found.inclusions == 0 && clearer(found))
                };
                let from_features = found.filter(decides).and_then(|found| {
                    let components =
                        self.progress.components_from_features(&found.components, self.basis.ncols())?;
                    Some(Candidate { components, origin: Origin::Features, ..found.clone() })
                });
                Some(from_features.unwrap_or_else(|| (**samples).clone()))
            }
        }
    }
}

impl<T: Real> MethodState<T> for AutoState<T> {
    fn components(&self) -> Array2<T> {
        let mut components = unprojected(&self.working, &self.basis, self.unit());
        self.objective.metric.unscale(&mut components);
        components
    }

    fn thresholds(&self) -> &[f64] {
        &self.progress.thresholds
    }

    fn scale(&self) -> Option<f64> {
        Some(self.unit())
    }

    fn parts(&self) -> serde_json::Result<StateParts<'_, T>> {
        let (progress, objective) = (&self.progress, &*self.objective);
        let values = StoredValues { progress, objective, set_aside: self.set_aside.clone() };
        let matrices = vec![("working", &self.working), ("basis", &self.basis), ("spare", &self.spare)];
        Ok(StateParts { kind: Self::KIND, matrices, values: serde_json::to_value(values)? })
    }
}

impl<T: Real> ResumableState<T> for AutoState<T> {
    const KIND: &'static str = "and-auto";

    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError> {
        let (working, basis, spare) =
            (stored.matrix("working")?, stored.matrix("basis")?, stored.matrix("spare")?);
        let StoredValues::<AutoProgress<T>, Objective> { progress, objective, set_aside } =
            stored.values()?;
        Ok(Self { working, basis, spare, progress, objective: Arc::new(objective), set_aside })
    }
}

impl<T: Real> AutoProgress<T> {
    /// Returns true if all its matrices are finite and of the size for this number of directions.
    fn fits(&self, size: usize) -> bool {
        let good = |m: &Array2<T>| m.dim() == (size, size) && m.iter().all(|v| v.finite());
        let side = match &self.side {
            SearchSide::Samples => true,
            SearchSide::Features { samples, working } => good(&samples.components) && good(working),
        };
        self.search.matrices().all(good) && side && self.spectrum.values.len() == size
    }

    /// Components of the features' side in the coordinates of the samples' side: the weights of the features.
    pub(super) fn components_from_features(
        &self,
        components: &Array2<T>,
        n_features: usize,
    ) -> Option<Array2<T>> {
        let mut decoder = pseudo_inverse_of_rows(components.view())?.matrix;
        let root = (n_features as f64).sqrt();
        for (k, mut column) in decoder.columns_mut().into_iter().enumerate() {
            // Features are measured in a unit of their own, samples in theirs.
            let factor = self.spectrum.values[k] / self.spectrum.values[0] * root / self.spectrum.unit;
            column.mapv_inplace(|v| T::from_f64(v.as_f64() * factor));
        }
        // Features that are equally pure come in any order: rounding must not decide that of the components.
        let lengths: Vec<f64> = decoder.outer_iter().map(length).collect();
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
        decoder.iter().all(|v| v.finite()).then(|| decoder.select(Axis(0), &order))
    }
}

/// The samples along some directions (rows), from their coordinates.
pub(super) fn unprojected<T: Real>(coordinates: &Array2<T>, basis: &Array2<T>, unit: f64) -> Array2<T> {
    let mut full = multiply(coordinates.view(), basis.view());
    full.mapv_inplace(|v| T::from_f64(v.as_f64() * unit));
    full
}
