//! A fitted model: what is left of a fit once its samples are gone, to be kept in a file and used on new samples.
//!
//! ```
//! use andnmf::fit::{Run, Start};
//! use andnmf::samples::DenseSamples;
//! use andnmf::{Method, MethodParams};
//! use andnmf_io::Overwrite;
//! use andnmf_io::model::Model;
//! use ndarray::array;
//!
//! let samples = DenseSamples::new(array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 0.0, 2.0]])?;
//! let settings = MethodParams::new(Method::And, 2);
//! let fit = settings.clone().check()?.fit(&samples, Start::Auto, &mut Run::new())?;
//! let names = ["river", "money", "bank"].map(String::from).to_vec();
//! let model = Model::from_fit(&fit, &settings, Some(names))?;
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("model.safetensors");
//! model.save(&file, Overwrite::No)?;
//! let model = Model::<f64>::load(&file)?;
//! let new = DenseSamples::new(array![[3.0, 0.0, 3.0]])?;
//! let weights = model.weights(&new, None, &Run::new())?;
//! let again = weights.dot(model.components());
//! assert!((again[[0, 0]] - 3.0).abs() < 1e-6 && again[[0, 1]].abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod header;
#[cfg(test)]
mod tests;

use ndarray::Array2;

pub use file::stored_precision;

use andnmf::fit::{Fit, Run};
use andnmf::nnls::{self, NnlsError};
use andnmf::samples::Samples;
use andnmf::trust::Trust;
use andnmf::{Method, MethodParams, Real};

/// Why a fit makes no model, or a model has no weights for samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Settings that the fit cannot have been made with.
    #[error("the fit is one of {fitted}, but the settings are for {given}")]
    OtherSettings {
        /// Method and rank of the fit.
        fitted: String,
        /// Method and rank of the settings.
        given: String,
    },
    /// Another number of names than features.
    #[error("there are {given} names for {n_features} features; each feature needs one")]
    NameCount {
        /// Number of names.
        given: usize,
        /// Number of features.
        n_features: usize,
    },
    /// Another number of thresholds or of scores of stability than components.
    #[error("there are {given} {what} for {rank} components; each component needs one")]
    PartCount {
        /// What there is another number of.
        what: &'static str,
        /// Their number.
        given: usize,
        /// Number of components.
        rank: usize,
    },
    /// Samples with another number of features.
    #[error("the samples have {given} features, but the model was fitted to {expected}")]
    FeatureCount {
        /// Number of features of the model.
        expected: usize,
        /// Number of features of the samples.
        given: usize,
    },
    /// Samples with other features, or the same in another order.
    #[error(
        "feature {position} of the samples is '{given}', but that of the model is '{expected}'; the samples need the \
         model's features in the model's order"
    )]
    FeatureName {
        /// The first feature that differs, counted from 1.
        position: usize,
        /// Its name in the model.
        expected: String,
        /// Its name in the samples.
        given: String,
    },
    /// The weights could not be computed.
    #[error(transparent)]
    Weights(#[from] NnlsError),
}

/// Components with everything that is known about how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Model<T: Real> {
    components: Array2<T>,
    thresholds: Vec<f64>,
    settings: MethodParams,
    feature_names: Option<Vec<String>>,
    trust: Option<Trust>,
    scale: Option<f64>,
    library_version: String,
}

/// What a model is made of: see the getters of [`Model`] for what each part is.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ModelParts<T: Real> {
    pub components: Array2<T>,
    pub thresholds: Vec<f64>,
    pub settings: MethodParams,
    pub feature_names: Option<Vec<String>>,
    pub trust: Option<Trust>,
    pub scale: Option<f64>,
}

fn refuse_other_settings(fitted: (&str, usize), settings: &MethodParams) -> Result<(), ModelError> {
    let given = (settings.method().name(), settings.rank());
    if fitted == given {
        return Ok(());
    }
    let words = |(method, rank): (&str, usize)| format!("{method} with rank {rank}");
    Err(ModelError::OtherSettings { fitted: words(fitted), given: words(given) })
}

impl<T: Real> Model<T> {
    /// The model that a fit with these settings ended in.
    ///
    /// # Errors
    /// Where the settings are for another method or rank, or there are not as many names as features.
    pub fn from_fit(
        fit: &Fit<T>,
        settings: &MethodParams,
        feature_names: Option<Vec<String>>,
    ) -> Result<Self, ModelError> {
        let fitted = (fit.method(), fit.components.nrows());
        refuse_other_settings(fitted, settings)?;
        Self::from_parts(ModelParts {
            components: fit.components.clone(),
            thresholds: fit.thresholds.clone(),
            settings: settings.clone(),
            feature_names,
            trust: fit.trust.clone(),
            scale: fit.scale(),
        })
    }

    /// The model that is made of these parts.
    ///
    /// # Errors
    /// Where the parts contradict each other: settings for another rank, or thresholds, names or scores of stability
    /// of another number than there are components or features.
    pub fn from_parts(parts: ModelParts<T>) -> Result<Self, ModelError> {
        let ModelParts { components, thresholds, settings, feature_names, trust, scale } = parts;
        let (rank, n_features) = components.dim();
        refuse_other_settings((settings.method().name(), rank), &settings)?;
        if let Some(names) = feature_names.as_ref().filter(|names| names.len() != n_features) {
            return Err(ModelError::NameCount { given: names.len(), n_features });
        }
        let stability = trust.as_ref().map(|trust| trust.component_stability.len());
        for (what, given) in
            [("thresholds", thresholds.len()), ("scores of stability", stability.unwrap_or(rank))]
        {
            // Methods without thresholds have none at all.
            if given != rank && (what, given) != ("thresholds", 0) {
                return Err(ModelError::PartCount { what, given, rank });
            }
        }
        Ok(Self {
            components: components.as_standard_layout().into_owned(),
            thresholds,
            settings,
            feature_names,
            trust,
            scale,
            library_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// The non-negative weights (n × rank) of samples: those of least squares, whatever method found the
    /// components. Of `run`, the threads and the cancel flag count.
    ///
    /// # Errors
    /// Where the samples do not have the features of the model (their names are compared where both have them), or
    /// [`nnls::weights`] has no answer.
    pub fn weights(
        &self,
        samples: &dyn Samples<T>,
        feature_names: Option<&[String]>,
        run: &Run<'_, T>,
    ) -> Result<Array2<T>, ModelError> {
        self.check_features(samples.n_features(), feature_names)?;
        Ok(nnls::weights(samples, self.components.view(), run)?)
    }

    /// Whether samples with so many features, of these names, are such as the model was fitted to.
    ///
    /// # Errors
    /// Names the first feature that differs.
    pub fn check_features(
        &self,
        n_features: usize,
        feature_names: Option<&[String]>,
    ) -> Result<(), ModelError> {
        let expected = self.components.ncols();
        if n_features != expected {
            return Err(ModelError::FeatureCount { expected, given: n_features });
        }
        let Some(given) = feature_names else { return Ok(()) };
        if given.len() != n_features {
            return Err(ModelError::NameCount { given: given.len(), n_features });
        }
        let own = self.feature_names.iter().flatten();
        match own.zip(given).enumerate().find(|(_, (own, given))| own != given) {
            Some((at, (expected, given))) => Err(ModelError::FeatureName {
                position: at + 1,
                expected: expected.clone(),
                given: given.clone(),
            }),
            None => Ok(()),
        }
    }

    /// The components, rank × features.
    #[must_use]
    pub fn components(&self) -> &Array2<T> {
        &self.components
    }

    /// The thresholds that the fit ended with, one per component; empty where the method has none.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// Which method found the components.
    #[must_use]
    pub fn method(&self) -> Method {
        self.settings.method()
    }

    /// All settings of the fit.
    #[must_use]
    pub fn settings(&self) -> &MethodParams {
        &self.settings
    }

    /// One name per feature, where there are names.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Whether the components are to be believed, where the fit said so.
    #[must_use]
    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    /// How large the samples of the fit were, where it measured that: the root mean square of their coordinates along
    /// their strongest direction.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// The version of this library that made the fit.
    #[must_use]
    pub fn library_version(&self) -> &str {
        &self.library_version
    }
}
