//! Where a fit begins.

use ndarray::Array2;

use super::{Checkpoint, Method, Workers};
use crate::samples::Samples;
use crate::{FitError, Real, SamplesError, SettingError, ShapeError, init};

/// Where a fit begins.
#[derive(Debug, Clone)]
pub enum Start<T: Real> {
    /// What suits the method best: for AND what it finds in the data ([`crate::auto`]; successive projection where it
    /// follows a schedule); NNDSVD with zeros filled for the methods that
    /// alternate (random samples where any are negative); random topics for LDA; anchor words for itself.
    Auto,
    /// These components, rank × features.
    Given(Array2<T>),
    /// Samples drawn at random, each at most once.
    RandomSamples,
    /// Samples that span the data, by successive projection.
    SuccessiveProjection,
    /// Non-negative parts of the leading singular vectors; the samples must not be negative.
    Nndsvd(init::NndsvdFill),
    /// Where an earlier run left off.
    Resume(Box<Checkpoint<T>>),
}

/// A start that was found.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// Rank × features, finite, in row order.
    pub(crate) components: Array2<T>,
    /// Passes over the samples it took.
    pub(crate) passes: usize,
}

/// What a run begins with.
#[derive(Debug)]
pub(crate) enum Beginning<T: Real> {
    Fresh(Found<T>),
    Resumed(Box<Checkpoint<T>>),
}

impl<T: Real> Start<T> {
    /// The start that users call by this name, as it suits the method: `auto`, `spa`, `random-samples`, `nndsvd`,
    /// and `nndsvda` and `nndsvdar` with its zeros filled.
    ///
    /// # Errors
    /// Where no start has the name.
    pub fn by_name(name: &str, method: Method) -> Result<Self, SettingError> {
        Ok(match name {
            "auto" => Self::Auto,
            "spa" => Self::SuccessiveProjection,
            "random-samples" => Self::RandomSamples,
            // Multiplicative updates cannot leave a zero.
            "nndsvd" if method == Method::Mu => Self::Nndsvd(init::NndsvdFill::Mean),
            "nndsvd" => Self::Nndsvd(init::NndsvdFill::Zeros),
            "nndsvda" => Self::Nndsvd(init::NndsvdFill::Mean),
            "nndsvdar" => Self::Nndsvd(init::NndsvdFill::Random),
            _ => {
                let expected =
                    "it must be auto, spa, random-samples, nndsvd, nndsvda, nndsvdar, or components";
                return Err(SettingError::new("init", format!("'{name}'"), expected));
            }
        })
    }

    /// The start in place of [`Auto`](Self::Auto).
    pub(crate) fn or(self, own: Self) -> Self {
        if matches!(self, Self::Auto) { own } else { self }
    }

    /// Seconds that an earlier part of the run took.
    pub(crate) fn seconds_before(&self) -> f64 {
        if let Self::Resume(state) = self { state.header.seconds } else { 0.0 }
    }

    /// Finds the components to start from, or checks the checkpoint against the samples and the settings.
    pub(crate) fn begin(
        self,
        method: Method,
        samples: &dyn Samples<T>,
        rank: usize,
        seed: u64,
        workers: &Workers,
    ) -> Result<Beginning<T>, FitError> {
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        if n_samples == 0 || n_features == 0 {
            return Err(SamplesError::Empty { n_samples, n_features }.into());
        }
        let found = match self {
            Self::Resume(state) => {
                return Ok(Beginning::Resumed(Box::new(state.checked(method, samples)?)));
            }
            Self::Given(components) => Ok((components, 0)),
            Self::RandomSamples => init::random_samples(samples, rank, seed).map(|c| (c, 0)),
            Self::Nndsvd(fill) => workers
                .run(|| init::nndsvd(samples, rank, fill, seed))
                .map(|start| (start.components, start.passes)),
            // One pass for sizes, one for the mean (of signed data), one for each direction.
            Self::Auto | Self::SuccessiveProjection => workers
                .run(|| init::successive_projection(samples, rank))
                .map(|components| (components, rank + 2)),
        };
        let (components, passes) = found.map_err(|error| match error {
            FitError::Samples(SamplesError::CalledOff) => FitError::StoppedBeforeStart,
            other => other,
        })?;
        check_components(&components, rank, n_features)?;
        // Kernels count on contiguous rows, whatever order the start came in.
        Ok(Beginning::Fresh(Found { components: components.as_standard_layout().into_owned(), passes }))
    }
}

/// Components must be rank × features and finite.
pub(super) fn check_components<T: Real>(
    start: &Array2<T>,
    rank: usize,
    features: usize,
) -> Result<(), FitError> {
    if start.dim() != (rank, features) {
        let expected = format!("{rank} × {features} (rank × features)");
        return Err(ShapeError::new("the start", start.dim(), expected).into());
    }
    match start.indexed_iter().find(|(_, v)| !v.finite()) {
        Some(((component, feature), v)) => {
            Err(FitError::StartNotFinite { component, feature, value: v.as_f64() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::NndsvdFill::{Mean, Random, Zeros};

    #[test]
    fn a_start_has_one_name_and_suits_its_method() {
        let named = |name, method| Start::<f64>::by_name(name, method).unwrap();
        assert!(matches!(named("auto", Method::And), Start::Auto));
        assert!(matches!(named("spa", Method::And), Start::SuccessiveProjection));
        assert!(matches!(named("random-samples", Method::And), Start::RandomSamples));
        assert!(matches!(named("nndsvd", Method::Hals), Start::Nndsvd(Zeros)));
        assert!(matches!(named("nndsvd", Method::Mu), Start::Nndsvd(Mean)));
        assert!(matches!(named("nndsvda", Method::Hals), Start::Nndsvd(Mean)));
        assert!(matches!(named("nndsvdar", Method::Hals), Start::Nndsvd(Random)));
        let error = Start::<f64>::by_name("nndsvdb", Method::Hals).unwrap_err();
        assert!(error.name == "init" && error.expected.contains("nndsvd"), "{error}");
    }
}
