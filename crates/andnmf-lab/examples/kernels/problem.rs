//! Samples for timing.

use std::error::Error;

use andnmf::Real;
use andnmf::samples::CsrSamples;
use andnmf::synth::{DatasetKind, DatasetSpec};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of samples, features, and rank.
pub(crate) type ProblemSizes = (usize, usize, usize);

/// Dense mixtures of topics with Dirichlet weights.
pub(crate) struct Dense<T> {
    pub(crate) samples: Array2<T>,
    /// A start near the truth.
    pub(crate) start: Array2<T>,
}

pub(crate) fn dense<T: Real>(
    (n_samples, n_features, rank): ProblemSizes,
) -> Result<Dense<T>, Box<dyn Error>> {
    let spec = DatasetSpec { n_samples, n_features, rank, ..DatasetSpec::new(DatasetKind::Dir) };
    let data = spec.generate()?;
    Ok(Dense { samples: data.samples.mapv(T::from_f64), start: data.init.mapv(T::from_f64) })
}

/// Components of random values between 0 and 1.
pub(crate) fn random_start<T: Real>(rank: usize, features: usize) -> Array2<T> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    Array2::from_shape_simple_fn((rank, features), || T::from_f64(random.random_range(0.0..1.0)))
}

/// CSR samples with random values at random positions, the same number in each row.
pub(crate) fn scattered<T: Real>(
    (n, features, _): ProblemSizes,
    per_row: usize,
) -> Result<CsrSamples<'static, T>, Box<dyn Error>> {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let pointers: Vec<usize> = (0..=n).map(|i| i * per_row).collect();
    let indices: Vec<u32> = (0..n).flat_map(|_| positions(&mut random, features, per_row)).collect();
    let values: Vec<T> = indices.iter().map(|_| T::from_f64(random.random_range(0.0..1.0))).collect();
    Ok(CsrSamples::new(features, &pointers, indices, values)?)
}

/// CSR mixtures of one to three of `rank` components with small support, about `per_row` values in a row, and the
/// components.
pub(crate) fn sparse_mixtures<T: Real>(
    (n, features, rank): ProblemSizes,
    per_row: usize,
) -> Result<(CsrSamples<'static, T>, Array2<T>), Box<dyn Error>> {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let support = (per_row / 2).max(1);
    let mut truth = Array2::<f64>::zeros((rank, features));
    let supports: Vec<Vec<u32>> = (0..rank).map(|_| positions(&mut random, features, support)).collect();
    for (mut row, positions) in truth.outer_iter_mut().zip(&supports) {
        positions.iter().for_each(|&position| row[position as usize] = random.random_range(0.1..1.0));
    }
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..n {
        let active: Vec<(usize, f64)> = (0..random.random_range(1..=3))
            .map(|_| (random.random_range(0..rank), random.random_range(0.2..1.0)))
            .collect();
        let first = indices.len();
        active.iter().for_each(|&(k, _)| indices.extend(&supports[k]));
        // Overlapping components share a feature, which occurs once in the row.
        let mut row = indices.split_off(first);
        row.sort_unstable();
        row.dedup();
        let mixed = |&j: &u32| active.iter().map(|&(k, weight)| weight * truth[[k, j as usize]]).sum::<f64>();
        values.extend(row.iter().map(|j| T::from_f64(mixed(j))));
        indices.append(&mut row);
        pointers.push(indices.len());
    }
    Ok((CsrSamples::new(features, &pointers, indices, values)?, truth.mapv(T::from_f64)))
}

/// Distinct random positions in increasing order, one from each of `count` intervals of equal length.
fn positions(random: &mut ChaCha8Rng, features: usize, count: usize) -> Vec<u32> {
    let count = count.min(features);
    let position = |i: usize, random: &mut ChaCha8Rng| {
        random.random_range(i * features / count..(i + 1) * features / count) as u32
    };
    (0..count).map(|i| position(i, random)).collect()
}
