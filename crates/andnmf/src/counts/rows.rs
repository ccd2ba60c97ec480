//! Counts in memory, in single precision: a copy of samples, all or a random part of them, whole or thinned.

use ndarray::Array2;
use rand::RngExt;
use rand::seq::index;
use rand_distr::{Binomial, Distribution};

use crate::fit::StageInterrupt;
use crate::random::{Stream, generator, numbered_generator};
use crate::samples::{Block, CsrSamples, CsrView, Samples, read};
use crate::{FitError, Real, SamplesError};

/// Samples read at a time.
const ROWS_AT_ONCE: usize = 256;

/// Rows of counts as they are collected.
#[derive(Debug)]
struct RowBuilder {
    starts: Vec<usize>,
    features: Vec<u32>,
    counts: Vec<f32>,
}

impl RowBuilder {
    fn new() -> Self {
        Self { starts: vec![0], features: Vec::new(), counts: Vec::new() }
    }

    fn push(&mut self, feature: usize, count: f32) {
        if count > 0.0 {
            self.features.push(feature as u32);
            self.counts.push(count);
        }
    }

    fn end_row(&mut self) {
        self.starts.push(self.counts.len());
    }

    fn finish(self, n_features: usize) -> Result<CsrSamples<'static, f32>, SamplesError> {
        CsrSamples::new(n_features, &self.starts, self.features, self.counts)
    }
}

/// A copy of the samples; if they have more than `most_values` stored values, of a random part of them. Returns their numbers, too.
pub(crate) fn copied<T: Real>(
    samples: &dyn Samples<T>,
    most_values: usize,
    seed: u64,
) -> Result<(CsrSamples<'static, f32>, Option<Vec<usize>>), FitError> {
    let n = samples.n_samples();
    let part = most_values as f64 / samples.stored_values().max(1) as f64;
    let chosen = (part < 1.0 && n > 1).then(|| {
        let wanted = ((part * n as f64) as usize).clamp(1, n);
        let mut chosen = index::sample(&mut generator(seed, Stream::Subsets), n, wanted).into_vec();
        chosen.sort_unstable();
        chosen
    });
    let mut rows = RowBuilder::new();
    let mut next = 0;
    for first in (0..n).step_by(ROWS_AT_ONCE) {
        let end = (first + ROWS_AT_ONCE).min(n);
        let wanted: Vec<usize> = match &chosen {
            None => (first..end).collect(),
            Some(chosen) => {
                let until = next + chosen[next..].partition_point(|&i| i < end);
                let here = chosen[next..until].to_vec();
                next = until;
                here
            }
        };
        if wanted.is_empty() {
            continue;
        }
        let block = read(samples, first..end)?;
        for i in wanted {
            match &block {
                Block::Dense(values) => {
                    let row = values.row(i - first);
                    row.iter().enumerate().for_each(|(j, v)| rows.push(j, v.as_f64() as f32));
                }
                Block::Sparse(values) => {
                    values.row(i - first).for_each(|(j, v)| rows.push(j, v.as_f64() as f32));
                }
            }
            rows.end_row();
        }
    }
    Ok((rows.finish(samples.n_features())?, chosen))
}

/// Each sample multiplied by a factor that depends on its total.
pub(crate) fn scaled(
    samples: &CsrSamples<'_, f32>,
    factor: impl Fn(f64) -> f64,
) -> Result<CsrSamples<'static, f32>, FitError> {
    let mut rows = RowBuilder::new();
    for i in 0..samples.n_samples() {
        let Block::Sparse(row) = read(samples, i..i + 1)? else { continue };
        let factor = factor(row.row(0).map(|(_, v)| f64::from(v)).sum());
        row.row(0).for_each(|(feature, v)| rows.push(feature, (f64::from(v) * factor) as f32));
        rows.end_row();
    }
    Ok(rows.finish(samples.n_features())?)
}

/// Counts split in two: every single count goes to the second part with the given probability.
pub(crate) fn thinned(
    samples: &CsrSamples<'_, f32>,
    held_out: f64,
    seed: u64,
) -> Result<(CsrSamples<'static, f32>, CsrSamples<'static, f32>), FitError> {
    let n = samples.n_samples();
    let (mut kept, mut held) = (RowBuilder::new(), RowBuilder::new());
    for first in (0..n).step_by(ROWS_AT_ONCE) {
        let mut rng = numbered_generator(seed, Stream::HeldOut, first);
        let end = (first + ROWS_AT_ONCE).min(n);
        let block = read(samples, first..end)?;
        let Block::Sparse(rows) = block else { continue };
        for i in 0..end - first {
            for (feature, count) in rows.row(i) {
                let drawn = if count <= 1.0 {
                    f64::from(u8::from(rng.random::<f64>() < held_out))
                } else {
                    Binomial::new(f64::from(count) as u64, held_out).map_or(0, |b| b.sample(&mut rng)) as f64
                } as f32;
                kept.push(feature, count - drawn);
                held.push(feature, drawn);
            }
            kept.end_row();
            held.end_row();
        }
    }
    let features = samples.n_features();
    Ok((kept.finish(features)?, held.finish(features)?))
}

/// Samples of which some, by their numbers, are replaced by others.
pub(super) fn with_replaced(
    samples: &CsrSamples<'_, f32>,
    numbers: &[usize],
    others: &CsrSamples<'_, f32>,
) -> Result<CsrSamples<'static, f32>, StageInterrupt> {
    let (all, others) = (rows_of(samples)?, rows_of(others)?);
    let mut rows = RowBuilder::new();
    let mut numbers = numbers.iter().enumerate().peekable();
    for i in 0..samples.n_samples() {
        match numbers.next_if(|(_, number)| **number == i) {
            Some((other, _)) => others.row(other).for_each(|(feature, v)| rows.push(feature, v)),
            None => all.row(i).for_each(|(feature, v)| rows.push(feature, v)),
        }
        rows.end_row();
    }
    Ok(rows.finish(samples.n_features()).map_err(FitError::from)?)
}

/// The rows of samples in memory.
pub(super) fn rows_of<'a>(samples: &'a CsrSamples<'_, f32>) -> Result<CsrView<'a, f32>, StageInterrupt> {
    match read(samples, 0..samples.n_samples())? {
        Block::Sparse(rows) => Ok(rows),
        Block::Dense(_) => unreachable!("sparse samples have sparse blocks"),
    }
}

/// Scales rows to sum one, with no value below the least.
pub(super) fn normalise(rows: &mut Array2<f32>, least: f32) {
    for mut row in rows.outer_iter_mut() {
        row.mapv_inplace(|v| if v > least { v } else { least });
        let sum = row.sum().max(f32::MIN_POSITIVE);
        row.mapv_inplace(|v| v / sum);
    }
}
