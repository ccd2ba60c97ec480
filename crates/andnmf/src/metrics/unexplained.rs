//! What components leave of samples under the best weights, without collecting the weights.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::reconstruction::{Residual, SquaredSizes};
use crate::nnls::{NnlsError, WeightsQuery};
use crate::query::{self, Part, Query, Wire, WireError, WireReader, WireWriter};
use crate::samples::Samples;
use crate::{Real, SamplesError, entry_point};

entry_point! {
    /// The squared Frobenius norms of the samples and of what `components` (rank × features) leave of them under
    /// non-negative least-squares weights.
    ///
    /// The weights are computed where the samples are, and are not kept: memory does not grow with the samples.
    ///
    /// # Errors
    /// Where the components do not have the features of the samples, the samples cannot be read, or weights leave the
    /// range of the type.
    pub fn unexplained<'a; T>(
        samples: &'a dyn Samples<T>, components: ArrayView2<'a, T>,
    ) -> Result<SquaredSizes, NnlsError> = unexplained_on_these_threads;
}

fn unexplained_on_these_threads<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
) -> Result<SquaredSizes, NnlsError> {
    query::run(samples, &Unexplained(WeightsQuery { components: components.into() }))
}

/// Asks for [`unexplained`].
#[derive(Debug)]
pub(crate) struct Unexplained<'a, T: Real>(WeightsQuery<'a, T>);

impl<'a, T: Real> Unexplained<'a, T> {
    #[cfg(test)]
    pub(crate) fn new(components: CowArray<'a, T, Ix2>) -> Self {
        Self(WeightsQuery { components })
    }
}

impl<T: Real> Query<T> for Unexplained<'_, T> {
    const NAME: &'static str = "unexplained";
    type Partial = SquaredSizes;
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

    fn run(&self, part: &Part<'_, T>) -> Result<SquaredSizes, NnlsError> {
        let weights: CowArray<'_, T, Ix2> = self.0.run(part)?.rows.into();
        Ok(Residual { weights, components: self.0.components.view().into() }.run(part)?)
    }

    fn accepts(&self, _: &SquaredSizes, _: &Part<'_, T>) -> bool {
        true
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
        let found = unexplained(&samples, components.view()).unwrap();
        let weights = crate::nnls::weights(&samples, components.view(), &Run::new()).unwrap();
        let rest = &data - &weights.dot(&components);
        let squares = |matrix: &ndarray::Array2<f64>| matrix.iter().map(|v| v * v).sum::<f64>();
        assert!((found.residual / squares(&rest) - 1.0).abs() < 1e-12);
        assert!((found.samples / squares(&data) - 1.0).abs() < 1e-12);
    }
}
