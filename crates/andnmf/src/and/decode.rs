//! The query that decodes all samples and returns the decoded values.

use ndarray::Array2;

use super::decoder::Decoder;
use super::stage::{Scratch, StageWorkspace};
use super::statistics::DecodeStatistics;
#[cfg(test)]
use crate::query::testing::{ExampleCheck, values};
use crate::query::{
    MaybeOwned, Part, Partial, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape,
    write_matrix,
};
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::{Real, SamplesError};

/// The decoded values A†y of all samples, before thresholding.
#[derive(Debug)]
pub(crate) struct DecodeQuery<'a, T: Real> {
    pub(crate) decoder: MaybeOwned<'a, Decoder<T>>,
    pub(crate) workspace: MaybeOwned<'a, StageWorkspace<T>>,
}

/// The result of [`DecodeQuery`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DecodedRows<T: Real> {
    /// Samples × components.
    pub(crate) values: Array2<T>,
    /// Statistics of the values, all of which count as active.
    pub(crate) statistics: DecodeStatistics,
}

impl Sums for DecodeStatistics {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        let (left, right) = (self.active.len(), next.active.len());
        if !(self.has_rank(left) && next.has_rank(left)) {
            return Err(WireError::Shape { left, right });
        }
        DecodeStatistics::merge(self, &next);
        Ok(())
    }
}

impl<T: Real> Partial for DecodedRows<T> {
    type Sums = DecodeStatistics;

    fn split(self, rows: &mut WireWriter) -> DecodeStatistics {
        rows.rows(self.values.view());
        self.statistics
    }

    fn join(sums: DecodeStatistics, rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError> {
        Ok(Self { values: rows.all_rows(n_samples)?, statistics: sums })
    }
}

impl<T: Real> Query<T> for DecodeQuery<'_, T> {
    const NAME: &'static str = "decode";
    const RETURNS_ROWS: bool = true;
    type Partial = DecodedRows<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        write_matrix(self.decoder.matrix(), to);
    }

    fn read(
        from: &mut WireReader<'_>,
        _: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError> {
        let decoder = Decoder::from_matrix(Wire::read(from)?, part.samples.is_sparse());
        Ok(Self { decoder: MaybeOwned::Owned(decoder), workspace: MaybeOwned::default() })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let given = self.decoder.matrix().dim();
        check_shape("the decoder", given, (given.0, part.samples.n_features()), part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<DecodedRows<T>, SamplesError> {
        let (samples, rank) = (part.samples, self.decoder.matrix().nrows());
        let shape = (samples.n_samples(), rank);
        let reused = self.workspace.values.take().filter(|values| values.dim() == shape);
        let mut values = reused.unwrap_or_else(|| Array2::zeros(shape));
        // A threshold of −∞ leaves the values unchanged and only counts them.
        let no_threshold = vec![T::from_f64(f64::NEG_INFINITY); rank];
        let statistics = fold_with_rows(
            samples,
            &FoldPlan::new(samples, rank * samples.n_features()),
            values.view_mut(),
            &|| DecodeStatistics::new(rank),
            &|seen: &mut DecodeStatistics, _, block, mut rows| {
                self.workspace.scratch.lend(|Scratch { counts, .. }| {
                    self.decoder.decode_into(&block, rows.view_mut());
                    counts.threshold(rows.as_slice_mut().expect("row-major"), &no_threshold);
                    counts.add_to(seen);
                });
                Ok::<(), SamplesError>(())
            },
            &|left, right| left.merge(&right),
        )?;
        Ok(DecodedRows { values, statistics })
    }

    fn accepts(&self, partial: &DecodedRows<T>, part: &Part<'_, T>) -> bool {
        let rank = self.decoder.matrix().nrows();
        partial.values.dim() == (part.samples.n_samples(), rank) && partial.statistics.has_rank(rank)
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        let decoder = Decoder::new(check.components().view(), check.is_sparse()).unwrap();
        let query = DecodeQuery { decoder: MaybeOwned::Owned(decoder), workspace: MaybeOwned::default() };
        check.check(&query, |result| {
            [&values(&result.values)[..], &result.statistics.negative_squares].concat()
        });
    }
}
