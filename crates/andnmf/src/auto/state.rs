//! What a run needs to go on, beside the components.

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use super::candidate::Candidate;
use super::projected::Spectrum;
use super::search::Search;
use crate::Real;
use crate::fit::bits;
use crate::linalg::product::{length, multiply};
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::trust::Origin;

/// The state of a run with thresholds from the data, as checkpoints keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub struct AutoState<T: Real> {
    pub(super) spectrum: Spectrum,
    /// Further directions of the samples (rows), beside the basis.
    #[serde(with = "bits::matrix")]
    pub(super) spare: Array2<T>,
    pub(super) search: Search<T>,
    pub(super) side: Side<T>,
}

/// Whose weights the stages decode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) enum Side<T: Real> {
    /// Those of the samples: the components are the working matrix of the checkpoint.
    Samples,
    /// Those of the features, which are the values of the components.
    Features {
        /// What the side of the samples ended with.
        samples: Box<Candidate<T>>,
        /// The components of that side, of which features are mixtures.
        #[serde(with = "bits::matrix")]
        working: Array2<T>,
    },
}

impl<T: Real> AutoState<T> {
    /// Whether all its matrices are of the size that so many directions ask for, and finite.
    pub(super) fn fits(&self, size: usize) -> bool {
        let good = |m: &Array2<T>| m.dim() == (size, size) && m.iter().all(|v| v.finite());
        let own = self.search.matrices().all(good) && self.spare.iter().all(|v| v.finite());
        let side = match &self.side {
            Side::Samples => true,
            Side::Features { samples, working } => good(&samples.components) && good(working),
        };
        own && side && self.spectrum.values.len() == size
    }

    /// What components in the space of the stages are to be multiplied by.
    pub(crate) fn unit(&self) -> f64 {
        self.spectrum.unit
    }

    /// Components of the features' side in the coordinates of the samples' side: the weights of the features.
    pub(super) fn turned(&self, components: &Array2<T>) -> Option<Array2<T>> {
        let mut decoder = pseudo_inverse_of_rows(components.view())?.matrix;
        let root = (self.spare.ncols() as f64).sqrt();
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

    /// The best components so far, in the coordinates of the samples' side.
    pub(super) fn best(&self) -> Option<Candidate<T>> {
        let found = self.search.best.as_ref();
        match &self.side {
            Side::Samples => found.cloned(),
            Side::Features { samples, .. } => {
                let turned = found.filter(|found| found.certain()).and_then(|found| {
                    let components = self.turned(&found.components)?;
                    Some(Candidate { components, origin: Origin::Features, ..found.clone() })
                });
                Some(turned.unwrap_or_else(|| (**samples).clone()))
            }
        }
    }
}

/// The samples along some directions (rows), from their coordinates.
pub(super) fn unprojected<T: Real>(coordinates: &Array2<T>, basis: &Array2<T>, unit: f64) -> Array2<T> {
    let mut full = multiply(coordinates.view(), basis.view());
    full.mapv_inplace(|v| T::from_f64(v.as_f64() * unit));
    full
}
