//! The residual of samples under non-negative least-squares weights, without storing the weights.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::reconstruction::{Residual, SquaredNorms};
use crate::nnls::{NnlsError, WeightsQuery};
use crate::query::{self, Part, Query, Wire, WireError, WireReader, WireWriter};
use crate::samples::Samples;
use crate::{Real, SamplesError, entry_point};

entry_point! {
    /// The squared Frobenius norms of the samples and of their residual under `components` (rank × features) with
    /// non-negative least-squares weights.
    ///
    /// The weights are computed where the samples are stored and then dropped: memory does not grow with the samples.
    ///
    /// # Errors
    /// If components and samples differ in their number of features, the samples cannot be read, or weights overflow.
    ///
    /// ```
    /// use andnmf::metrics::residual_norms;
    /// use andnmf::samples::DenseSamples;
    /// let samples = DenseSamples::new(ndarray::array![[3.0, 4.0]])?;
    /// let norms = residual_norms(&samples, ndarray::array![[1.0, 0.0]].view())?;
    /// assert_eq!((norms.residual, norms.samples), (16.0, 25.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn residual_norms<'a; T>(
        samples: &'a dyn Samples<T>, components: ArrayView2<'a, T>,
    ) -> Result<SquaredNorms, NnlsError> = residual_norms_on_current_threads;
}

fn residual_norms_on_current_threads<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
) -> Result<SquaredNorms, NnlsError> {
    query::run(samples, &NnlsResidual(WeightsQuery { components: components.into() }))
}

/// The query behind [`residual_norms`].
#[derive(Debug)]
pub(crate) struct NnlsResidual<'a, T: Real>(WeightsQuery<'a, T>);

impl<T: Real> Query<T> for NnlsResidual<'_, T> {
    const NAME: &'static str = "unexplained";
    type Partial = SquaredNorms;
    type Error = NnlsError;

    fn write(&self, to: &mut WireWriter) {
        self.0.components.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self(WeightsQuery { components: Wire::read(from)? }))
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        self.0.check(part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<SquaredNorms, NnlsError> {
        let weights: CowArray<'_, T, Ix2> = self.0.run(part)?.rows.into();
        Ok(Residual { weights, components: self.0.components.view().into() }.run(part)?)
    }

    fn accepts(&self, _: &SquaredNorms, _: &Part<'_, T>) -> bool {
        true
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        let query = NnlsResidual(WeightsQuery { components: check.components().into() });
        check.check(&query, |result| vec![result.residual, result.samples]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Run;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn equals_the_definition() {
        let (data, components) = (random_matrix::<f64>(300, 12, 1), random_matrix::<f64>(3, 12, 2));
        let samples = DenseSamples::new(data.view()).unwrap();
        let norms = residual_norms(&samples, components.view()).unwrap();
        let weights = crate::nnls::weights(&samples, components.view(), &Run::new()).unwrap();
        let residual = &data - &weights.dot(&components);
        let squares = |matrix: &ndarray::Array2<f64>| matrix.iter().map(|v| v * v).sum::<f64>();
        assert!((norms.residual / squares(&residual) - 1.0).abs() < 1e-12);
        assert!((norms.samples / squares(&data) - 1.0).abs() < 1e-12);
    }
}
