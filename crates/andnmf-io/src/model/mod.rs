//! Fitted models: save, load, and compute weights of new samples.
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

use std::collections::HashMap;

use ndarray::Array2;

pub use file::stored_precision;

use andnmf::baselines::LdaTopics;
use andnmf::fit::{Fit, Run};
use andnmf::nnls::NnlsError;
use andnmf::samples::Samples;
use andnmf::trust::Trust;
use andnmf::{Method, MethodParams, Real};

/// An error of building or applying a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Settings of another fit.
    #[error("the fit was made by {fitted}, but the settings are for {given}")]
    OtherSettings {
        /// Method and rank of the fit.
        fitted: String,
        /// Method and rank of the settings.
        given: String,
    },
    /// A wrong number of feature names.
    #[error("expected {n_features} feature names, one per feature, but found {given}")]
    NameCount {
        /// Number of names.
        given: usize,
        /// Number of features.
        n_features: usize,
    },
    /// A wrong number of thresholds, stability scores or totals of topics.
    #[error("expected {rank} {what}, one per component, but found {given}")]
    PartCount {
        /// "thresholds", "stability scores" or "totals of topics".
        what: &'static str,
        /// Their number.
        given: usize,
        /// Number of components.
        rank: usize,
    },
    /// Samples with a wrong number of features.
    #[error("the samples have {given} features, but the model was fitted to {expected}")]
    FeatureCount {
        /// Number of features of the model.
        expected: usize,
        /// Number of features of the samples.
        given: usize,
    },
    /// Samples with other features, or the same in another order.
    #[error(
        "feature {position} of the samples is '{given}', but feature {position} of the model is '{expected}'; the \
         samples need the features of the model in the same order"
    )]
    FeatureName {
        /// The first feature that differs, counted from 1.
        position: usize,
        /// Its name in the model.
        expected: String,
        /// Its name in the samples.
        given: String,
    },
    /// Samples without some features of the model, or with several of the same name.
    #[error(
        "{count} of the {n_features} features of the model are {problem} in the samples, such as '{example}'; the samples \
         need every feature of the model once, in any order"
    )]
    Unmatched {
        /// "missing" or "ambiguous".
        problem: &'static str,
        /// Number of such features.
        count: usize,
        /// Number of features of the model.
        n_features: usize,
        /// The first of them.
        example: String,
    },
    /// The weights could not be computed.
    #[error(transparent)]
    Weights(#[from] NnlsError),
}

/// Components with the settings and the trust summary of their fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Model<T: Real> {
    components: Array2<T>,
    thresholds: Vec<f64>,
    settings: MethodParams,
    feature_names: Option<Vec<String>>,
    trust: Option<Trust>,
    scale: Option<f64>,
    topic_totals: Option<Vec<f64>>,
    library_version: String,
}

/// The parts of a model; the getters of [`Model`] document each of them.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ModelParts<T: Real> {
    pub components: Array2<T>,
    pub thresholds: Vec<f64>,
    pub settings: MethodParams,
    pub feature_names: Option<Vec<String>>,
    pub trust: Option<Trust>,
    pub scale: Option<f64>,
    pub topic_totals: Option<Vec<f64>>,
}

fn check_settings(fitted: (&str, usize), settings: &MethodParams) -> Result<(), ModelError> {
    let given = (settings.method().name(), settings.rank());
    if fitted == given {
        return Ok(());
    }
    let describe = |(method, rank): (&str, usize)| format!("{method} with rank {rank}");
    Err(ModelError::OtherSettings { fitted: describe(fitted), given: describe(given) })
}

impl<T: Real> Model<T> {
    /// Builds the model of a fit with these settings.
    ///
    /// # Errors
    /// If the settings are for another method or rank, or the number of names is not the number of features.
    pub fn from_fit(
        fit: &Fit<T>,
        settings: &MethodParams,
        feature_names: Option<Vec<String>>,
    ) -> Result<Self, ModelError> {
        let fitted = (fit.method(), fit.components.nrows());
        check_settings(fitted, settings)?;
        Self::from_parts(ModelParts {
            components: fit.components.clone(),
            thresholds: fit.thresholds.clone(),
            settings: settings.clone().resolved(fit),
            feature_names,
            trust: fit.trust.clone(),
            scale: fit.scale(),
            topic_totals: LdaTopics::totals_of(fit),
        })
    }

    /// Builds a model from its parts.
    ///
    /// # Errors
    /// If the parts are inconsistent: settings for another rank, or a wrong number of thresholds, names, stability scores
    /// or totals of topics.
    pub fn from_parts(parts: ModelParts<T>) -> Result<Self, ModelError> {
        let ModelParts { components, thresholds, settings, feature_names, trust, scale, topic_totals } =
            parts;
        let (rank, n_features) = components.dim();
        check_settings((settings.method().name(), rank), &settings)?;
        if let Some(names) = feature_names.as_ref().filter(|names| names.len() != n_features) {
            return Err(ModelError::NameCount { given: names.len(), n_features });
        }
        let stability = trust.as_ref().map(|trust| trust.component_stability.len());
        // Models of earlier versions have no intervals.
        let errors = trust.as_ref().map(|trust| trust.component_error.len()).filter(|count| *count > 0);
        for (what, given) in [
            ("thresholds", thresholds.len()),
            ("stability scores", stability.unwrap_or(rank)),
            ("intervals of errors", errors.unwrap_or(rank)),
            ("totals of topics", topic_totals.as_ref().map_or(rank, Vec::len)),
        ] {
            // Methods without thresholds have an empty list.
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
            topic_totals,
            library_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Computes the weights (n × rank) of samples as [`MethodParams::weights`] does: by largest likelihood if the components
    /// were fitted to counts with Poisson noise, by their posterior for topics of LDA, otherwise by non-negative least
    /// squares. Only the threads and the cancel flag of `run` are used.
    ///
    /// # Errors
    /// If the samples do not have the features of the model (names are compared if both have them), or the weights cannot
    /// be computed.
    pub fn weights(
        &self,
        samples: &dyn Samples<T>,
        feature_names: Option<&[String]>,
        run: &Run<'_, T>,
    ) -> Result<Array2<T>, ModelError> {
        self.check_features(samples.n_features(), feature_names)?;
        Ok(self.settings.weights(samples, self.components.view(), self.topic_totals.as_deref(), run)?)
    }

    /// Checks that samples have the features of the model: their number and, if both have them, their names.
    ///
    /// # Errors
    /// If they differ; the error names the first feature that does.
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

    /// The columns of samples with these feature names that are the features of the model, in its order. `None` if the
    /// samples need no selection: they have the same names in the same order, or the model has no names.
    ///
    /// # Errors
    /// If a feature of the model is missing, or several have its name.
    pub fn match_features(&self, names: &[String]) -> Result<Option<Vec<usize>>, ModelError> {
        let Some(own) = self.feature_names.as_deref().filter(|own| *own != names) else { return Ok(None) };
        let mut columns = HashMap::with_capacity(names.len());
        for (column, name) in names.iter().enumerate() {
            columns.entry(name).and_modify(|known| *known = None).or_insert(Some(column));
        }
        let unmatched = |problem, is: &dyn Fn(Option<&Option<usize>>) -> bool| {
            let wrong: Vec<&String> = own.iter().filter(|name| is(columns.get(name))).collect();
            wrong.first().map(|first| ModelError::Unmatched {
                problem,
                count: wrong.len(),
                n_features: own.len(),
                example: (*first).clone(),
            })
        };
        let error = unmatched("missing", &|found| found.is_none());
        let error = error.or_else(|| unmatched("ambiguous", &|found| found == Some(&None)));
        error.map_or_else(|| Ok(Some(own.iter().filter_map(|name| columns[name]).collect())), Err)
    }

    /// The components, rank × features.
    #[must_use]
    pub fn components(&self) -> &Array2<T> {
        &self.components
    }

    /// The final thresholds, one per component; empty if the method has none.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The method of the fit.
    #[must_use]
    pub fn method(&self) -> Method {
        self.settings.method()
    }

    /// All settings of the fit.
    #[must_use]
    pub fn settings(&self) -> &MethodParams {
        &self.settings
    }

    /// One name per feature, if known.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// The trust summary of the fit, if it has one.
    #[must_use]
    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    /// The scale of the samples, if the fit measured it: the root mean square of their coordinates along the leading
    /// direction.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// The totals of the parameters of the topics of LDA ([`LdaTopics::totals`]), if it has topics.
    #[must_use]
    pub fn topic_totals(&self) -> Option<&[f64]> {
        self.topic_totals.as_deref()
    }

    /// The version of this library that made the fit.
    #[must_use]
    pub fn library_version(&self) -> &str {
        &self.library_version
    }
}
