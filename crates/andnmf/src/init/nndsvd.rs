//! NNDSVD: a non-negative initialization from the singular value decomposition.
//!
//! Each singular pair u vᵀ of the samples is split into the parts of one sign: u⁺v⁺ᵀ and u⁻v⁻ᵀ are the
//! non-negative matrices in it, and the larger of the two is used, scaled by the singular value. The leading pair
//! of non-negative samples has one sign anyway. The result does not depend on the signs of the singular vectors.
//!
//! Deviations: the singular vectors come from a randomized method, accurate to about six digits; entries below
//! 10⁻⁶ of the largest of their vector count as rounding and are set to zero before filling. (scikit-learn cuts at an
//! absolute 10⁻⁶, which depends on the scale of the data.)
//!
//! Reference: Boutsidis & Gallopoulos, "SVD based initialization: A head start for nonnegative matrix
//! factorization", Pattern Recognition 41, 2008.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, concatenate};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::linalg::coordinates::{Coordinates, project_with_lowest};
use crate::linalg::product::length;
use crate::linalg::randomized_svd::{SvdRequest, randomized_svd};
use crate::memory::{self, product};
use crate::random::{Stream, generator};
use crate::samples::{NonNegative, Samples};
use crate::{FitError, Real, SamplesError, SettingError, entry_point};

/// Entries below this share of the largest of their vector are rounding.
const NEGLIGIBLE: f64 = 1e-6;

/// The replacement of the zeros of NNDSVD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NndsvdFill {
    /// Keep zeros (NNDSVD): for methods that can change a zero.
    #[default]
    Zeros,
    /// The mean of all values of the samples (NNDSVDa).
    Mean,
    /// Random numbers between zero and a hundredth of the mean (NNDSVDar).
    Random,
}

/// The result of [`nndsvd`].
#[derive(Debug, Clone, PartialEq)]
pub struct Nndsvd<T: Real> {
    /// Non-negative components, rank × features.
    pub components: Array2<T>,
    /// Non-negative weights, samples × rank.
    pub weights: Array2<T>,
    /// Number of passes over the samples.
    pub passes: usize,
}

entry_point! {
    /// Components and weights from the `rank` leading singular pairs of non-negative samples.
    ///
    /// If the samples have fewer than `rank` positive singular values, the remaining components and weights are uniform
    /// random numbers between zero and √(mean/rank): combined they are a small part of the samples, and none is zero.
    /// Samples of zeros get components between zero and one, and zero weights.
    ///
    /// ```
    /// use andnmf::init::{NndsvdFill, nndsvd};
    /// use andnmf::samples::DenseSamples;
    ///
    /// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])?;
    /// let start = nndsvd(&samples, 2, NndsvdFill::Mean, 0)?;
    /// assert_eq!((start.components.dim(), start.weights.dim()), ((2, 3), (3, 2)));
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    ///
    /// # Errors
    /// If a sample has a negative value, `rank` is zero, the samples cannot be read, or numbers overflow.
    pub fn nndsvd<'a; T>(samples: &'a dyn Samples<T>, rank: usize, fill: NndsvdFill, seed: u64) -> Result<Nndsvd<T>, FitError> = singular_start;
}

fn singular_start<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    fill: NndsvdFill,
    seed: u64,
) -> Result<Nndsvd<T>, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features }.into());
    }
    if rank == 0 {
        return Err(SettingError::new("rank", 0, "it must be at least 1").into());
    }
    let sides = product(&[rank, n_samples.saturating_add(n_features), size_of::<T>()]);
    memory::check("rank", rank, "components and weights", sides)?;
    let samples = NonNegative::new(samples, "an NNDSVD start");
    let singular = randomized_svd(&samples, SvdRequest::all(rank), seed)?;
    // A last direction of ones gives the sum of every sample in the same pass.
    let ones = Array2::from_elem((1, n_features), T::from_f64(1.0));
    let directions = concatenate(Axis(0), &[singular.vectors.view(), ones.view()]).expect("equally wide");
    let Coordinates { rows: projected, lowest } = project_with_lowest(&samples, directions.view())?;
    samples.check_lowest(lowest)?;
    let (left, sums) = projected.view().split_at(Axis(1), singular.vectors.nrows());
    let mean = sums.iter().map(|v| v.as_f64()).sum::<f64>() / (n_samples as f64 * n_features as f64);
    if !mean.is_finite() || left.iter().any(|v| !v.finite()) {
        return Err(FitError::Overflow { stage: 0 });
    }
    let (components, weights) = from_pairs(left, singular.vectors.view(), mean, rank, fill, seed);
    Ok(Nndsvd { components, weights, passes: singular.passes + 1 })
}

/// Components and weights from singular pairs: `left` (samples × pairs) holds singular value × left singular vector
/// in each column, `right` the right singular vectors as rows.
pub(crate) fn from_pairs<T: Real>(
    left: ArrayView2<'_, T>,
    right: ArrayView2<'_, T>,
    mean: f64,
    rank: usize,
    fill: NndsvdFill,
    seed: u64,
) -> (Array2<T>, Array2<T>) {
    let mut rng = generator(seed, Stream::Start);
    let mut components = Array2::zeros((rank, right.ncols()));
    let mut weights = Array2::zeros((left.nrows(), rank));
    // Weaker directions are lost in the rounding of the squares they were computed from.
    let cutoff = T::EPSILON.as_f64().sqrt();
    let mut strongest = 0.0_f64;
    for k in 0..rank {
        let (component, weight) = (components.row_mut(k), weights.column_mut(k));
        let part = (k < left.ncols()).then(|| OneSign::of(left.column(k), right.row(k), k == 0));
        strongest = strongest.max(part.as_ref().map_or(0.0, |part| part.singular_value));
        match part.filter(|part| part.singular_value > cutoff * strongest && part.size > 0.0) {
            Some(part) => part.write(weight, component, fill, mean, &mut rng),
            None => {
                let reach = (mean / rank as f64).sqrt();
                draw(component, if mean > 0.0 { reach } else { 1.0 }, &mut rng);
                draw(weight, reach, &mut rng);
            }
        }
    }
    (components, weights)
}

/// The larger of the two non-negative parts of a singular pair.
struct OneSign {
    left: Array1<f64>,
    right: Array1<f64>,
    singular_value: f64,
    /// Product of the two lengths, of a pair of unit vectors.
    size: f64,
}

impl OneSign {
    /// From `left` = singular value × left singular vector. The leading pair has one sign up to rounding, so its
    /// absolute values are used.
    fn of<T: Real>(left: ArrayView1<'_, T>, right: ArrayView1<'_, T>, leading: bool) -> Self {
        let singular_value = length(left);
        let unit = |v: &T| if singular_value > 0.0 { v.as_f64() / singular_value } else { 0.0 };
        let (left, right) = (left.map(unit), right.mapv(|v| v.as_f64()));
        let part = |sign: f64| {
            let one = |v: &Array1<f64>| v.mapv(|v| if leading { v.abs() } else { (sign * v).max(0.0) });
            let (left, right) = (one(&left), one(&right));
            let size = length(left.view()) * length(right.view());
            Self { left, right, singular_value, size }
        };
        let (positive, negative) = (part(1.0), part(-1.0));
        if positive.size >= negative.size { positive } else { negative }
    }

    /// Writes both vectors, scaled so that their product is the part's share of the samples.
    fn write<T: Real>(
        self,
        weight: ArrayViewMut1<'_, T>,
        component: ArrayViewMut1<'_, T>,
        fill: NndsvdFill,
        mean: f64,
        rng: &mut impl Rng,
    ) {
        let target = self.singular_value.sqrt() * self.size.sqrt();
        for (mut out, part) in [(component, self.right), (weight, self.left)] {
            let scale = target / length(part.view());
            let smallest =
                part.iter().copied().fold(0.0, f64::max) * NEGLIGIBLE.max(64.0 * T::EPSILON.as_f64());
            for (out, &v) in out.iter_mut().zip(&part) {
                *out = T::from_f64(match fill {
                    _ if v > smallest => v * scale,
                    NndsvdFill::Zeros => 0.0,
                    NndsvdFill::Mean => mean,
                    NndsvdFill::Random => mean / 100.0 * (1.0 - rng.random::<f64>()),
                });
            }
        }
    }
}

/// Uniform between zero (excluded) and `reach`.
fn draw<T: Real>(mut out: ArrayViewMut1<'_, T>, reach: f64, rng: &mut impl Rng) {
    out.mapv_inplace(|_| T::from_f64(reach * (1.0 - rng.random::<f64>())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};
    use crate::testing_svd::exact_svd;

    /// Non-negative data with distinct singular values and many zeros.
    fn data(n: usize, features: usize) -> Array2<f64> {
        let low = multiply(
            random_matrix::<f64>(n, 8, 1).mapv(|v| v.max(0.0)).view(),
            random_matrix::<f64>(8, features, 2).mapv(|v| v.max(0.0)).view(),
        );
        low + random_matrix::<f64>(n, features, 3).mapv(|v| 0.1 * v.max(0.0))
    }

    /// The definition, from an exact decomposition, before filling.
    fn textbook(data: &Array2<f64>, rank: usize) -> (Array2<f64>, Array2<f64>) {
        let (u, s, v) = exact_svd(data);
        let mut weights = Array2::zeros((data.nrows(), rank));
        let mut components = Array2::zeros((rank, data.ncols()));
        for (k, s) in s.into_iter().take(rank).enumerate() {
            let norm = |v: &Array1<f64>| v.dot(v).sqrt();
            let (mut x, mut y) = (u.row(k).mapv(|v| v.max(0.0)), v.row(k).mapv(|v| v.max(0.0)));
            let (x_n, y_n) = (u.row(k).mapv(|v| (-v).max(0.0)), v.row(k).mapv(|v| (-v).max(0.0)));
            if norm(&x) * norm(&y) < norm(&x_n) * norm(&y_n) {
                (x, y) = (x_n, y_n);
            }
            let scale = (s * norm(&x) * norm(&y)).sqrt();
            weights.column_mut(k).assign(&(&x / norm(&x) * scale));
            components.row_mut(k).assign(&(&y / norm(&y) * scale));
        }
        (components, weights)
    }

    fn zeros<T: Real>(m: &Array2<T>) -> usize {
        m.iter().filter(|&&v| v == T::from_f64(0.0)).count()
    }

    #[test]
    fn the_start_is_that_of_an_exact_decomposition_dense_and_sparse() {
        for (n, features, rank) in [(120, 30, 6), (30, 120, 6), (900, 40, 12)] {
            let data = data(n, features);
            let (pointers, indices, values) = sparse_copy(&data);
            let sparse = CsrSamples::new(features, &pointers, indices, values).unwrap();
            let dense = DenseSamples::new(data.view()).unwrap();
            let (components, weights) = textbook(&data, rank);
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let start = nndsvd(samples, rank, NndsvdFill::Zeros, 5).unwrap();
                assert_close(&start.components, &components, 1e-5);
                assert_close(&start.weights, &weights, 1e-5);
                assert!(zeros(&start.components) > 0 && start.passes <= 10);
            }
        }
    }

    #[test]
    fn zeros_are_filled_as_requested_and_other_values_are_unchanged() {
        let data = data(120, 30);
        let samples = DenseSamples::new(data.view()).unwrap();
        let start = |fill| nndsvd(&samples, 5, fill, 5).unwrap();
        let (plain, mean) = (start(NndsvdFill::Zeros), data.mean().unwrap());
        let (with_mean, random) = (start(NndsvdFill::Mean), start(NndsvdFill::Random));
        for (plain, with_mean, random) in [
            (&plain.components, &with_mean.components, &random.components),
            (&plain.weights, &with_mean.weights, &random.weights),
        ] {
            for ((&v, &m), &r) in plain.iter().zip(with_mean).zip(random) {
                if v > 0.0 {
                    assert_eq!((m, r), (v, v));
                } else {
                    assert!((m / mean - 1.0).abs() < 1e-12 && r > 0.0 && r <= mean / 100.0, "{m} {r}");
                }
            }
            assert!(zeros(plain) > 10);
            let filled = random.iter().zip(plain).filter(|&(_, &v)| v == 0.0);
            let largest = filled.fold(0.0, |top: f64, (&r, _)| top.max(r));
            assert!(largest > 0.8 * mean / 100.0, "the whole range is used: {largest} of {}", mean / 100.0);
        }
    }

    #[test]
    fn more_components_than_directions_are_all_nonzero() {
        for data in [data(4, 9), data(9, 4), data(1, 7), data(7, 1)] {
            let samples = DenseSamples::new(data.view()).unwrap();
            for fill in [NndsvdFill::Zeros, NndsvdFill::Mean, NndsvdFill::Random] {
                let start = nndsvd(&samples, 12, fill, 5).unwrap();
                let alive =
                    |v: ArrayView1<'_, f64>| v.iter().all(|v| v.is_finite() && *v >= 0.0) && v.sum() > 0.0;
                assert!(start.components.outer_iter().all(alive));
                assert!(start.weights.columns().into_iter().all(alive));
            }
        }
    }

    #[test]
    fn repeated_samples_give_no_component_of_rounding_errors() {
        let row = data(1, 20);
        let samples = DenseSamples::new(Array2::from_shape_fn((50, 20), |(_, j)| row[[0, j]])).unwrap();
        let start = nndsvd(&samples, 3, NndsvdFill::Zeros, 5).unwrap();
        assert!(start.components.outer_iter().all(|c| c.sum() > 0.1), "{}", start.components);
    }

    #[test]
    fn samples_of_zeros_give_components_but_no_weights() {
        let samples = DenseSamples::new(Array2::<f64>::zeros((6, 4))).unwrap();
        for fill in [NndsvdFill::Zeros, NndsvdFill::Mean, NndsvdFill::Random] {
            let start = nndsvd(&samples, 2, fill, 1).unwrap();
            assert!(start.components.iter().all(|&v| v > 0.0 && v <= 1.0));
            assert_eq!(zeros(&start.weights), 12);
        }
    }

    #[test]
    fn negative_values_and_rank_zero_are_refused() {
        let mut data = data(9, 4);
        data[[3, 1]] = -1.0;
        let error = nndsvd(&DenseSamples::new(data).unwrap(), 2, NndsvdFill::Mean, 1).unwrap_err();
        assert!(error.to_string().contains("sample 3, feature 1 is -1"), "{error}");
        let samples = DenseSamples::new(Array2::<f64>::zeros((6, 4))).unwrap();
        assert!(matches!(nndsvd(&samples, 0, NndsvdFill::Mean, 1), Err(FitError::Setting(_))));
    }

    #[test]
    fn threads_do_not_matter_and_the_seed_determines_the_random_values() {
        let samples = DenseSamples::new(data(3000, 30)).unwrap();
        let on = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| nndsvd(&samples, 5, NndsvdFill::Random, seed).unwrap())
        };
        let one = on(1, 7);
        assert_eq!(on(2, 7), one);
        assert_eq!(on(3, 7), one);
        assert_ne!(on(1, 8), one);
    }

    #[test]
    fn single_precision_is_close_and_the_scale_does_not_matter() {
        let data = data(200, 30);
        let start = nndsvd(&DenseSamples::new(data.view()).unwrap(), 5, NndsvdFill::Zeros, 5).unwrap();
        let single = DenseSamples::new(data.mapv(|v| v as f32)).unwrap();
        let single = nndsvd(&single, 5, NndsvdFill::Zeros, 5).unwrap();
        assert_close(&single.components.mapv(f64::from), &start.components, 1e-3);
        assert_close(&single.weights.mapv(f64::from), &start.weights, 1e-3);
        for scale in [1e-200, 1e200] {
            let scaled = DenseSamples::new(&data * scale).unwrap();
            let scaled = nndsvd(&scaled, 5, NndsvdFill::Zeros, 5).unwrap();
            assert_close(&(scaled.components / scale.sqrt()), &start.components, 1e-5);
            assert_close(&(scaled.weights / scale.sqrt()), &start.weights, 1e-5);
        }
    }

    #[test]
    fn fills_are_written_in_kebab_case() {
        assert_eq!(serde_json::to_string(&NndsvdFill::Mean).unwrap(), r#""mean""#);
        assert_eq!(serde_json::from_str::<NndsvdFill>(r#""random""#).unwrap(), NndsvdFill::Random);
    }
}
