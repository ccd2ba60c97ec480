//! Where a fit begins.

use ndarray::Array2;

use super::{Checkpoint, Workers};
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

/// A start by its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedStart<T: Real> {
    /// The name, the same in the library, the command and Python.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    make: fn() -> Start<T>,
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
    /// Every start that has a name.
    pub const NAMES: [NamedStart<T>; 6] = [
        NamedStart { name: "auto", help: "the best one for the method", make: || Self::Auto },
        NamedStart {
            name: "spa",
            help: "successive projection: samples that span the data",
            make: || Self::SuccessiveProjection,
        },
        NamedStart {
            name: "random-samples",
            help: "random samples, drawn without replacement",
            make: || Self::RandomSamples,
        },
        NamedStart {
            name: "nndsvd",
            help: "non-negative parts of the leading singular vectors",
            make: || Self::Nndsvd(init::NndsvdFill::Zeros),
        },
        NamedStart {
            name: "nndsvda",
            help: "nndsvd with zeros replaced by the mean of the samples",
            make: || Self::Nndsvd(init::NndsvdFill::Mean),
        },
        NamedStart {
            name: "nndsvdar",
            help: "nndsvd with zeros replaced by small random numbers",
            make: || Self::Nndsvd(init::NndsvdFill::Random),
        },
    ];

    /// The start that users call by this name, one of [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// Where no start has the name.
    pub fn by_name(name: &str) -> Result<Self, SettingError> {
        let found = Self::NAMES.iter().find(|start| start.name == name);
        found.map(|start| (start.make)()).ok_or_else(|| {
            let names = Self::NAMES.map(|start| start.name).join(", ");
            SettingError::new("init", format!("'{name}'"), format!("it must be {names}, or components"))
        })
    }

    /// Finds the components that the start stands for, with the number of passes over the samples that it took;
    /// `None` for a checkpoint, which holds them already.
    ///
    /// # Errors
    /// Where the samples cannot be read, or have no such start.
    pub fn find(
        self,
        samples: &dyn Samples<T>,
        rank: usize,
        seed: u64,
    ) -> Result<Option<(Array2<T>, usize)>, FitError> {
        match self {
            Self::Resume(_) => Ok(None),
            Self::Given(components) => Ok(Some((components, 0))),
            Self::RandomSamples => Ok(Some((init::random_samples(samples, rank, seed)?, 0))),
            Self::Nndsvd(fill) => {
                init::nndsvd(samples, rank, fill, seed).map(|start| Some((start.components, start.passes)))
            }
            // One pass for sizes, one for the mean (of signed data), one for each direction.
            Self::Auto | Self::SuccessiveProjection => {
                init::successive_projection(samples, rank).map(|components| Some((components, rank + 2)))
            }
        }
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
        method: &'static str,
        samples: &dyn Samples<T>,
        rank: usize,
        seed: u64,
        workers: &Workers,
    ) -> Result<Beginning<T>, FitError> {
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        if n_samples == 0 || n_features == 0 {
            return Err(SamplesError::Empty { n_samples, n_features }.into());
        }
        if let Self::Resume(state) = self {
            return Ok(Beginning::Resumed(Box::new(state.checked(method, samples)?)));
        }
        let found = workers.run(|| self.find(samples, rank, seed)).map_err(|error| match error {
            FitError::Samples(SamplesError::Cancelled) => FitError::StoppedBeforeStart,
            other => other,
        })?;
        let Some((components, passes)) = found else { return Err(FitError::StoppedBeforeStart) };
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
    fn every_start_has_a_name_and_no_other_name_has_a_start() {
        let named = |name| Start::<f64>::by_name(name).unwrap();
        assert!(matches!(named("auto"), Start::Auto));
        assert!(matches!(named("spa"), Start::SuccessiveProjection));
        assert!(matches!(named("random-samples"), Start::RandomSamples));
        assert!(matches!(named("nndsvd"), Start::Nndsvd(Zeros)));
        assert!(matches!(named("nndsvda"), Start::Nndsvd(Mean)));
        assert!(matches!(named("nndsvdar"), Start::Nndsvd(Random)));
        let error = Start::<f64>::by_name("nndsvdb").unwrap_err();
        assert!(error.name == "init" && error.expected.contains("nndsvd"), "{error}");
    }
}
