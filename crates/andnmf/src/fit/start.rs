//! The start (initialization) of a fit.

use ndarray::Array2;

use super::{Checkpoint, Workers};
use crate::memory::{self, product};
use crate::samples::Samples;
use crate::{FitError, Real, SamplesError, SettingError, ShapeError, init};

/// The start (initialization) of a fit.
///
/// ```
/// use andnmf::fit::Start;
/// use andnmf::samples::DenseSamples;
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])?;
/// let (components, _passes) = Start::by_name("spa")?.find(&samples, 2, 0)?.unwrap();
/// assert_eq!(components.dim(), (2, 3));
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone)]
pub enum Start<T: Real> {
    /// The default of the method. AND: from the data ([`crate::auto`]), or successive projection with a threshold
    /// schedule; alternating methods: NNDSVD with zeros filled, or random samples if some values are negative; LDA:
    /// random topics; anchor words: the anchors themselves.
    Auto,
    /// These components, rank × features.
    Given(Array2<T>),
    /// Random samples, each at most once.
    RandomSamples,
    /// Samples that span the data, by successive projection.
    SuccessiveProjection,
    /// Non-negative parts of the leading singular vectors; the samples must not be negative.
    Nndsvd(init::NndsvdFill),
    /// The checkpoint of an earlier run.
    Resume(Box<Checkpoint<T>>),
}

/// A start by its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedStart<T: Real> {
    /// The name in the library, the command and Python.
    pub name: &'static str,
    /// A short description.
    pub help: &'static str,
    make: fn() -> Start<T>,
}

/// The components of a start.
#[derive(Debug)]
pub(crate) struct StartComponents<T> {
    /// Rank × features, finite, row-major.
    pub(crate) components: Array2<T>,
    /// Passes over the samples to compute them.
    pub(crate) passes: usize,
}

/// A start after initialization: components, or a checked checkpoint.
#[derive(Debug)]
pub(crate) enum ResolvedStart<T: Real> {
    Fresh(StartComponents<T>),
    Resumed(Box<Checkpoint<T>>),
}

impl<T: Real> Start<T> {
    /// All starts with a name.
    pub const NAMES: [NamedStart<T>; 6] = [
        NamedStart { name: "auto", help: "the default of the method", make: || Self::Auto },
        NamedStart {
            name: "spa",
            help: "successive projection: samples that span the data",
            make: || Self::SuccessiveProjection,
        },
        NamedStart {
            name: "random-samples",
            help: "random samples, each at most once",
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

    /// The start with this name, one of [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// If no start has the name.
    pub fn by_name(name: &str) -> Result<Self, SettingError> {
        let named = Self::NAMES.iter().find(|start| start.name == name);
        named.map(|start| (start.make)()).ok_or_else(|| {
            let names = Self::NAMES.map(|start| start.name).join(", ");
            SettingError::new("init", format!("'{name}'"), format!("it must be {names}, or components"))
        })
    }

    /// Computes the components of the start (rank × features), and returns them with the number of passes over the
    /// samples; `None` for a checkpoint.
    ///
    /// # Errors
    /// If the samples cannot be read, or do not allow this start.
    pub fn find(
        self,
        samples: &dyn Samples<T>,
        rank: usize,
        seed: u64,
    ) -> Result<Option<(Array2<T>, usize)>, FitError> {
        let chosen = product(&[rank, samples.n_features(), size_of::<T>()]);
        memory::check("rank", rank, "the components", chosen)?;
        match self {
            Self::Resume(_) => Ok(None),
            Self::Given(components) => Ok(Some((components, 0))),
            Self::RandomSamples => Ok(Some((init::random_samples(samples, rank, seed)?, 0))),
            Self::Nndsvd(fill) => {
                init::nndsvd(samples, rank, fill, seed).map(|start| Some((start.components, start.passes)))
            }
            // One pass for the sizes, one for the mean (of signed data), one for each direction.
            Self::Auto | Self::SuccessiveProjection => {
                init::successive_projection(samples, rank).map(|components| Some((components, rank + 2)))
            }
        }
    }

    /// Replaces [`Auto`](Self::Auto) by the default of the method.
    pub(crate) fn or(self, default: Self) -> Self {
        if matches!(self, Self::Auto) { default } else { self }
    }

    /// Seconds of the earlier part of a resumed run; 0 for a new run.
    pub(crate) fn elapsed_seconds(&self) -> f64 {
        if let Self::Resume(state) = self { state.header.seconds } else { 0.0 }
    }

    /// Initializes a run: computes the components of the start, or checks the checkpoint against samples and settings.
    pub(crate) fn resolve(
        self,
        method: &'static str,
        samples: &dyn Samples<T>,
        rank: usize,
        seed: u64,
        workers: &Workers,
    ) -> Result<ResolvedStart<T>, FitError> {
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        if n_samples == 0 || n_features == 0 {
            return Err(SamplesError::Empty { n_samples, n_features }.into());
        }
        if let Self::Resume(state) = self {
            return Ok(ResolvedStart::Resumed(Box::new(state.checked(method, samples)?)));
        }
        let computed = workers.run(|| self.find(samples, rank, seed)).map_err(|error| match error {
            FitError::Samples(SamplesError::Cancelled) => FitError::StoppedBeforeStart,
            other => other,
        })?;
        let Some((components, passes)) = computed else { return Err(FitError::StoppedBeforeStart) };
        check_components(&components, rank, n_features)?;
        // The kernels need contiguous rows.
        Ok(ResolvedStart::Fresh(StartComponents {
            components: components.as_standard_layout().into_owned(),
            passes,
        }))
    }
}

/// Checks that components are rank × features and finite.
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
