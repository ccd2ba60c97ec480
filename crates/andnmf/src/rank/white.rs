//! Counts scaled so that their noise is white.
//!
//! A count y of mean μ has the variance μ + φμ², and (y + φy²)/(1 + φ) estimates it without bias. Samples and features are
//! scaled such that these estimates have the same sum in every sample, and in every feature: the noise then has no singular
//! value far above that of white noise of variance one, whatever the means are. The scales come from alternating
//! normalization.
//!
//! References: Landa, Zhang & Kluger, "Biwhitening reveals the rank of a count matrix", 2022; Sinkhorn, 1967.

use crate::FitError;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, CsrSamples, Samples, read};

/// Samples and features with fewer counts are left out: a single count of theirs would stand out from the noise…
const ENOUGH_COUNTS: u32 = 10;
/// …or with fewer than a smaller number, if more than this part of all counts would be lost.
const MOST_LOST: f64 = 0.5;
/// Rounds of normalization, at most…
const ROUNDS: usize = 50;
/// …or until no scale of a feature changes by more than this part.
const TOLERANCE: f64 = 1e-3;

/// The counts of those samples and features that have enough of them; `None` if there are none.
pub(super) fn with_enough(
    counts: &CsrSamples<'static, f32>,
) -> Result<Option<CsrSamples<'static, f32>>, FitError> {
    let all = kept_by(counts, 1)?;
    for enough in (1..=ENOUGH_COUNTS).rev() {
        let kept = if enough == 1 { all.clone() } else { kept_by(counts, enough)? };
        if kept.total >= MOST_LOST * all.total {
            return kept.selected(counts);
        }
    }
    Ok(None)
}

/// The samples and features that have a number of counts among themselves.
#[derive(Debug, Clone)]
struct Kept {
    samples: Vec<bool>,
    features: Vec<bool>,
    total: f64,
}

/// Leaves out samples and features with fewer counts than `enough`, until none is left to leave out.
fn kept_by(counts: &CsrSamples<'static, f32>, enough: u32) -> Result<Kept, FitError> {
    let (n, width) = (counts.n_samples(), counts.n_features());
    let enough = f64::from(enough);
    let mut kept = Kept { samples: vec![true; n], features: vec![true; width], total: 0.0 };
    loop {
        let (mut of_samples, mut of_features) = (vec![0.0; n], vec![0.0; width]);
        read(counts, 0..n)?.for_each(|i, feature, v| {
            if kept.samples[i] && kept.features[feature] {
                of_samples[i] += f64::from(v);
                of_features[feature] += f64::from(v);
            }
        });
        kept.total = of_samples.iter().sum();
        let mut changed = false;
        for (kept, sums) in [(&mut kept.samples, of_samples), (&mut kept.features, of_features)] {
            for (kept, sum) in kept.iter_mut().zip(sums) {
                changed |= *kept && sum < enough;
                *kept &= sum >= enough;
            }
        }
        if !changed {
            return Ok(kept);
        }
    }
}

impl Kept {
    fn selected(
        &self,
        counts: &CsrSamples<'static, f32>,
    ) -> Result<Option<CsrSamples<'static, f32>>, FitError> {
        let mut number_of = vec![None; self.features.len()];
        let kept = self.features.iter().enumerate().filter(|(_, kept)| **kept);
        let n_features =
            kept.enumerate().map(|(number, (feature, _))| number_of[feature] = Some(number)).count();
        let Block::Sparse(rows) = read(counts, 0..counts.n_samples())? else { return Ok(None) };
        let (mut starts, mut features, mut values) = (vec![0_usize], Vec::<u32>::new(), Vec::new());
        for i in (0..self.samples.len()).filter(|&i| self.samples[i]) {
            for (feature, v) in rows.row(i) {
                if let Some(number) = number_of[feature] {
                    features.push(number as u32);
                    values.push(v);
                }
            }
            starts.push(values.len());
        }
        if values.is_empty() {
            return Ok(None);
        }
        Ok(Some(CsrSamples::new(n_features, &starts, features, values)?))
    }
}

/// The scales of samples and features under which noise is white.
#[derive(Debug)]
pub(super) struct Scales {
    samples: Vec<f64>,
    features: Vec<f64>,
}

impl Scales {
    /// The scales for noise of this overdispersion. Every sample and feature must have counts.
    pub(super) fn of(counts: &CsrSamples<'static, f32>, overdispersion: f64) -> Result<Self, FitError> {
        let (n, width) = (counts.n_samples() as f64, counts.n_features());
        let variance = |v: f32| {
            let v = f64::from(v);
            (v + overdispersion * v * v) / (1.0 + overdispersion)
        };
        let mut features = vec![1.0; width];
        let mut samples = Vec::new();
        for _ in 0..ROUNDS {
            let (scales, sums) = normalized(counts, &features, &variance)?;
            samples = scales;
            let next: Vec<f64> = sums.iter().map(|sum| n / sum).collect();
            let changes = next.iter().zip(&features).map(|(new, old)| (new / old - 1.0).abs());
            let moved = changes.fold(0.0, f64::max);
            features = next;
            if moved < TOLERANCE {
                break;
            }
        }
        let roots = |scales: Vec<f64>| scales.into_iter().map(f64::sqrt).collect();
        Ok(Self { samples: roots(samples), features: roots(features) })
    }

    /// Counts of the same samples and features, scaled: noise of the counts that the scales belong to has variance one.
    pub(super) fn applied(
        &self,
        counts: &CsrSamples<'static, f32>,
    ) -> Result<CsrSamples<'static, f32>, FitError> {
        let Block::Sparse(rows) = read(counts, 0..counts.n_samples())? else { return Ok(counts.clone()) };
        let (mut starts, mut features, mut values) = (vec![0_usize], Vec::<u32>::new(), Vec::new());
        for (i, scale) in self.samples.iter().enumerate() {
            for (feature, v) in rows.row(i) {
                features.push(feature as u32);
                values.push((f64::from(v) * scale * self.features[feature]) as f32);
            }
            starts.push(values.len());
        }
        Ok(CsrSamples::new(self.features.len(), &starts, features, values)?)
    }
}

/// The scales of samples whose variances then sum to the number of features, and the sums of the scaled variances of each
/// feature, without the scale of that feature.
fn normalized(
    counts: &CsrSamples<'static, f32>,
    of_features: &[f64],
    variance: &(impl Fn(f32) -> f64 + Sync),
) -> Result<(Vec<f64>, Vec<f64>), FitError> {
    let width = of_features.len();
    fold(
        counts,
        &FoldPlan::new(counts, width),
        &|| (Vec::new(), vec![0.0; width]),
        &|(scales, sums): &mut (Vec<f64>, Vec<f64>), _, block| {
            let Block::Sparse(rows) = block else { return Ok(()) };
            for i in 0..rows.n_samples() {
                let sum: f64 = rows.row(i).map(|(feature, v)| of_features[feature] * variance(v)).sum();
                let scale = width as f64 / sum;
                rows.row(i).for_each(|(feature, v)| sums[feature] += scale * variance(v));
                scales.push(scale);
            }
            Ok(())
        },
        &|(scales, sums), (next_scales, next_sums)| {
            scales.extend(next_scales);
            sums.iter_mut().zip(next_sums).for_each(|(a, b)| *a += b);
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csr(rows: &[&[f32]]) -> CsrSamples<'static, f32> {
        let (mut starts, mut features, mut values) = (vec![0], Vec::<u32>::new(), Vec::new());
        for row in rows {
            for (feature, &v) in row.iter().enumerate().filter(|(_, v)| **v > 0.0) {
                features.push(feature as u32);
                values.push(v);
            }
            starts.push(values.len());
        }
        CsrSamples::new(rows[0].len(), &starts, features, values).unwrap()
    }

    #[test]
    fn samples_and_features_with_few_counts_are_left_out_together() {
        // The last feature has enough counts only through the last sample, which has none left without the third feature.
        let counts = csr(&[
            &[30.0, 20.0, 0.0, 1.0],
            &[5.0, 15.0, 3.0, 0.0],
            &[0.0, 0.0, 5.0, 4.0],
            &[40.0, 9.0, 0.0, 4.0],
        ]);
        let kept = with_enough(&counts).unwrap().unwrap();
        let rows = crate::samples::dense_rows(&kept, &[0, 1, 2]).unwrap();
        assert_eq!(rows, ndarray::array![[30.0, 20.0], [5.0, 15.0], [40.0, 9.0]]);
        // If that lost most counts, fewer are enough.
        let few = csr(&[&[3.0, 2.0, 0.0], &[0.0, 3.0, 4.0], &[2.0, 0.0, 1.0]]);
        assert_eq!(with_enough(&few).unwrap().unwrap().n_samples(), 3);
    }

    #[test]
    fn scaled_variances_have_the_same_sum_in_every_sample_and_feature() {
        let counts = csr(&[&[30.0, 2.0, 1.0], &[5.0, 150.0, 3.0], &[1.0, 2.0, 5.0], &[400.0, 9.0, 7.0]]);
        for overdispersion in [0.0, 0.2] {
            let scales = Scales::of(&counts, overdispersion).unwrap();
            let rows = crate::samples::dense_rows(&counts, &[0, 1, 2, 3]).unwrap();
            let variances = ndarray::Array2::from_shape_fn((4, 3), |(i, j)| {
                let v = f64::from(rows[[i, j]]);
                (scales.samples[i] * scales.features[j]).powi(2) * (v + overdispersion * v * v)
                    / (1.0 + overdispersion)
            });
            for row in variances.outer_iter() {
                assert!((row.sum() / 3.0 - 1.0).abs() < 0.01, "{variances}");
            }
            for column in variances.columns() {
                assert!((column.sum() / 4.0 - 1.0).abs() < 0.01, "{variances}");
            }
            let scaled = crate::samples::dense_rows(&scales.applied(&counts).unwrap(), &[3]).unwrap();
            let expected = 9.0 * scales.samples[3] * scales.features[1];
            assert!((f64::from(scaled[[0, 1]]) / expected - 1.0).abs() < 1e-6);
        }
    }
}
