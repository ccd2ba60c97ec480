//! Sums and norms of all samples in one pass.

use crate::query::{self, Part, Partial, Query, Sums, WireError, WireReader, WireWriter, add_values, wire};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError, entry_point};

/// Sums and norms of samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleSizes {
    /// The sum of each sample.
    pub sums: Vec<f64>,
    /// The Euclidean norm of each sample.
    pub lengths: Vec<f64>,
    /// The lowest value, or zero if none is negative.
    pub lowest: f64,
    /// The sum of all samples, one value per feature.
    pub total: Vec<f64>,
}

entry_point! {
    /// Sums and norms of all samples, their lowest value and their total, in one pass.
    ///
    /// ```
    /// use andnmf::samples::DenseSamples;
    /// let samples = DenseSamples::new(ndarray::array![[3.0, 4.0], [-1.0, 0.0]])?;
    /// let sizes = andnmf::init::sample_sizes(&samples)?;
    /// assert_eq!((sizes.sums, sizes.lengths, sizes.lowest), (vec![7.0, -1.0], vec![5.0, 1.0], -1.0));
    /// # Ok::<(), andnmf::SamplesError>(())
    /// ```
    ///
    /// # Errors
    /// If the samples cannot be read.
    pub fn sample_sizes<'a; T>(samples: &'a dyn Samples<T>) -> Result<SampleSizes, SamplesError> = measure_samples;
}

pub(super) fn measure_samples<T: Real>(samples: &dyn Samples<T>) -> Result<SampleSizes, SamplesError> {
    query::run(samples, &SampleSizesQuery)
}

/// The query for [`SampleSizes`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleSizesQuery;

/// The part of [`SampleSizes`] that is summed over samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Totals {
    lowest: f64,
    total: Vec<f64>,
}

wire!(impl [] Totals { lowest, total });

impl Sums for Totals {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        self.lowest = self.lowest.min(next.lowest);
        add_values(&mut self.total, &next.total)
    }
}

impl Partial for SampleSizes {
    type Sums = Totals;

    fn split(self, rows: &mut WireWriter) -> Totals {
        for (sum, length) in self.sums.iter().zip(&self.lengths) {
            rows.values([sum, length].into_iter());
        }
        Totals { lowest: self.lowest, total: self.total }
    }

    fn join(sums: Totals, rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError> {
        let sizes = rows.matrix::<f64>(n_samples, 2)?;
        let column = |k| sizes.column(k).to_vec();
        Ok(Self { sums: column(0), lengths: column(1), lowest: sums.lowest, total: sums.total })
    }
}

impl<T: Real> Query<T> for SampleSizesQuery {
    const NAME: &'static str = "sizes";
    const RETURNS_ROWS: bool = true;
    type Partial = SampleSizes;
    type Error = SamplesError;

    fn write(&self, _: &mut WireWriter) {}

    fn read(_: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self)
    }

    fn check(&self, _: &Part<'_, T>) -> Result<(), SamplesError> {
        Ok(())
    }

    fn run(&self, part: &Part<'_, T>) -> Result<SampleSizes, SamplesError> {
        let features = part.samples.n_features();
        fold(
            part.samples,
            &FoldPlan::new(part.samples, features),
            &|| SampleSizes { total: vec![0.0; features], ..SampleSizes::default() },
            &|sizes: &mut SampleSizes, _, block| {
                sizes.add(&block);
                Ok::<(), SamplesError>(())
            },
            &SampleSizes::merge,
        )
    }

    fn accepts(&self, partial: &SampleSizes, part: &Part<'_, T>) -> bool {
        let n = part.samples.n_samples();
        partial.sums.len() == n
            && partial.lengths.len() == n
            && partial.total.len() == part.samples.n_features()
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        check.check(&Self, |result| {
            [&result.sums[..], &result.lengths, &result.total, &[result.lowest]].concat()
        });
    }
}

impl SampleSizes {
    fn add<T: Real>(&mut self, block: &Block<'_, T>) {
        let first = self.sums.len();
        let end = first + block.n_samples();
        self.sums.resize(end, 0.0);
        // Scale by the largest value of each sample, so that squares neither overflow nor underflow.
        let mut largest = vec![0.0_f64; block.n_samples()];
        block.for_each(|i, feature, v| {
            let v = v.as_f64();
            self.sums[first + i] += v;
            self.total[feature] += v;
            self.lowest = self.lowest.min(v);
            largest[i] = largest[i].max(v.abs());
        });
        self.lengths.resize(end, 0.0);
        block.for_each(|i, _, v| {
            if largest[i] > 0.0 {
                self.lengths[first + i] += (v.as_f64() / largest[i]).powi(2);
            }
        });
        for (length, largest) in self.lengths[first..].iter_mut().zip(largest) {
            *length = largest * length.sqrt();
        }
    }

    fn merge(&mut self, next: Self) {
        self.sums.extend(next.sums);
        self.lengths.extend(next.lengths);
        self.lowest = self.lowest.min(next.lowest);
        self.total.iter_mut().zip(next.total).for_each(|(a, b)| *a += b);
    }
}
