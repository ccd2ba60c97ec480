//! Synthetic datasets and their specifications.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{DatasetKind, NoiseKind, Weights, add_noise, signed_uniform, topics};
use super::{ensure_at_least_one, ensure_fits_memory, ensure_not_negative};
use crate::SettingError;
use crate::init::perturbed_truth;
use crate::linalg::product::multiply;
use crate::memory::{self, product};

/// The specification of a dataset: the same specification gives the same bits.
///
/// ```
/// use andnmf::synth::{DatasetKind, DatasetSpec};
/// let spec = DatasetSpec { n_features: 60, rank: 4, n_samples: 100, ..DatasetSpec::new(DatasetKind::Dir) };
/// let data = spec.generate()?;
/// assert_eq!((data.samples.dim(), data.truth.dim()), ((100, 60), (4, 60)));
/// # Ok::<(), andnmf::SettingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetSpec {
    /// The kind of truth.
    pub kind: DatasetKind,
    /// Number of features, the paper's W.
    pub n_features: usize,
    /// Number of components, the paper's D.
    pub rank: usize,
    /// Number of samples.
    pub n_samples: usize,
    /// Random seed.
    pub seed: u64,
    /// Distribution of the weights.
    pub weights: Weights,
    /// Noise level, the paper's γ: about the norm of the noise on one sample.
    pub noise: f64,
    /// Distribution of the noise.
    #[serde(default)]
    pub noise_kind: NoiseKind,
    /// Scale of the in-span perturbation of `init`, the paper's r_l; see [`perturbed_truth`].
    pub in_span: f64,
    /// Scale of the out-of-span perturbation of `init`, the paper's r_n.
    pub out_of_span: f64,
}

/// Samples with their truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// n_samples × n_features: `weights · truth` plus noise, if any.
    pub samples: Array2<f64>,
    /// The true components, rank × n_features.
    pub truth: Array2<f64>,
    /// The true weights, n_samples × rank.
    pub weights: Array2<f64>,
    /// An initialization near the truth, rank × n_features.
    pub init: Array2<f64>,
    /// The specification, with the actual sizes.
    pub spec: DatasetSpec,
}

impl DatasetSpec {
    /// The specification of `kind` at the paper's sizes: 5000 samples, 2940 features, 100 components, seed 0, an
    /// initialization with in-span perturbation 1, and no noise except for [`DatasetKind::Noise`] (0.01).
    pub fn new(kind: DatasetKind) -> Self {
        Self {
            kind,
            n_features: 2940,
            rank: 100,
            n_samples: 5000,
            seed: 0,
            weights: kind.default_weights(),
            noise: if kind == DatasetKind::Noise { 0.01 } else { 0.0 },
            noise_kind: NoiseKind::Gaussian,
            in_span: 1.0,
            out_of_span: 0.0,
        }
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// If a setting is out of range; the error names the first one.
    pub fn check(&self) -> Result<(), SettingError> {
        ensure_at_least_one("n_features", self.n_features)?;
        ensure_at_least_one("rank", self.rank)?;
        ensure_at_least_one("n_samples", self.n_samples)?;
        self.weights.check(self.rank)?;
        ensure_not_negative("noise", self.noise)?;
        ensure_not_negative("in_span", self.in_span)?;
        ensure_not_negative("out_of_span", self.out_of_span)?;
        ensure_fits_memory("samples", self.n_samples, self.n_features)?;
        ensure_fits_memory("start", self.rank, self.rank.max(self.n_features))?;
        // All at the same time: samples and weights, truth and start, and the mixing matrix of the start.
        let sides = [
            (self.n_samples, self.n_features.saturating_add(self.rank)),
            (self.rank, self.n_features.saturating_mul(2)),
            (self.rank, self.rank),
        ];
        let bytes = sides.iter().fold(0, |sum: u64, (rows, columns)| {
            sum.saturating_add(product(&[*rows, *columns, size_of::<f64>()]))
        });
        memory::check("n_samples", self.n_samples, "samples, weights and components", bytes)
    }

    /// Generates the truth of this kind and a dataset with it.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn generate(&self) -> Result<Dataset, SettingError> {
        self.check()?;
        self.generate_with_truth(self.built_in_truth()?)
    }

    /// The truth of this kind.
    fn built_in_truth(&self) -> Result<Array2<f64>, SettingError> {
        match self.kind {
            DatasetKind::Neg => signed_uniform(self.rank, self.n_features, self.seed),
            _ => topics(self.rank, self.n_features, self.seed),
        }
    }

    /// Generates a dataset with a given truth, one component per row; its shape replaces `rank` and `n_features`.
    ///
    /// # Errors
    /// If a setting is out of range, the truth is empty or not finite, or the samples overflow.
    pub fn generate_with_truth(&self, truth: Array2<f64>) -> Result<Dataset, SettingError> {
        let (rank, n_features) = truth.dim();
        let spec = Self { rank, n_features, ..*self };
        spec.check()?;
        ensure_finite("truth", &truth)?;
        let weights = spec.weights.draw(spec.n_samples, rank, spec.seed)?;
        spec.assemble(truth, weights)
    }

    /// Generates a dataset with given weights (n_samples × rank), and a given truth or that of this kind. Their shapes
    /// replace the sizes, and [`Weights::Given`] the distribution.
    ///
    /// # Errors
    /// If a setting is out of range, the shapes do not fit, a weight is negative, or a value is not finite.
    ///
    /// ```
    /// use andnmf::synth::{DatasetKind, DatasetSpec, LogisticNormal};
    /// let covariance = ndarray::array![[9.0, 8.0, 0.0], [8.0, 9.0, 0.0], [0.0, 0.0, 9.0]];
    /// let law = LogisticNormal::new(ndarray::array![0.0, 0.0, -1.0].view(), covariance.view())?;
    /// let spec = DatasetSpec { n_features: 40, ..DatasetSpec::new(DatasetKind::Ctm) };
    /// let data = spec.generate_with_weights(None, law.draw(100, spec.seed)?)?;
    /// assert_eq!(data.samples.dim(), (100, 40));
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    pub fn generate_with_weights(
        &self,
        truth: Option<Array2<f64>>,
        weights: Array2<f64>,
    ) -> Result<Dataset, SettingError> {
        let (n_samples, rank) = weights.dim();
        let n_features = truth.as_ref().map_or(self.n_features, Array2::ncols);
        let spec = Self { n_samples, rank, n_features, weights: Weights::Given, ..*self };
        spec.check()?;
        let truth = truth.map_or_else(|| spec.built_in_truth(), Ok)?;
        if truth.nrows() != rank {
            let expected = format!("it must have {rank}, as the weights have {rank} columns");
            return Err(SettingError::new("truth", format!("{} components", truth.nrows()), expected));
        }
        ensure_finite("truth", &truth)?;
        if let Some(((row, column), weight)) =
            weights.indexed_iter().find(|(_, weight)| !(weight.is_finite() && **weight >= 0.0))
        {
            let given = format!("{weight} in row {row}, column {column}");
            return Err(SettingError::new("weights", given, "its entries must be finite and at least 0"));
        }
        spec.assemble(truth, weights)
    }

    fn assemble(self, truth: Array2<f64>, weights: Array2<f64>) -> Result<Dataset, SettingError> {
        let spec = self;
        let mut samples = multiply(weights.view(), truth.view());
        add_noise(&mut samples, spec.noise_kind, spec.noise, spec.seed)?;
        let init = perturbed_truth(truth.view(), spec.in_span, spec.out_of_span, spec.seed);
        // Products of large settings may overflow.
        ensure_finite("samples", &samples)?;
        ensure_finite("start", &init)?;
        Ok(Dataset { samples, truth, weights, init, spec })
    }
}

fn ensure_finite(name: &'static str, matrix: &Array2<f64>) -> Result<(), SettingError> {
    match matrix.indexed_iter().find(|(_, entry)| !entry.is_finite()) {
        None => Ok(()),
        Some(((row, column), entry)) => {
            let given = format!("{entry} in row {row}, column {column}");
            Err(SettingError::new(name, given, "its entries must be finite"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    fn small(kind: DatasetKind) -> DatasetSpec {
        DatasetSpec { n_features: 60, rank: 8, n_samples: 50, seed: 3, ..DatasetSpec::new(kind) }
    }

    #[test]
    fn every_kind_is_the_product_of_its_parts() {
        for kind in DatasetKind::ALL {
            let spec = DatasetSpec { noise: 0.0, ..small(kind) };
            let data = spec.generate().unwrap();
            assert_eq!((data.truth.dim(), data.weights.dim()), ((8, 60), (50, 8)));
            assert_eq!(data.init.dim(), data.truth.dim());
            assert_close(&data.samples, &data.weights.dot(&data.truth), 1e-14);
            assert_eq!(data.truth.iter().any(|&v| v < 0.0), kind == DatasetKind::Neg, "{kind}");
            assert_eq!(data.spec, spec);
            assert_eq!(data, spec.generate().unwrap());
            assert_ne!(data, DatasetSpec { seed: 4, ..spec }.generate().unwrap());
        }
    }

    #[test]
    fn changing_one_part_leaves_the_others_alone() {
        let spec = small(DatasetKind::Ctm);
        let plain = spec.generate().unwrap();

        let noisy = DatasetSpec { noise: 0.1, ..spec }.generate().unwrap();
        assert_ne!(noisy.samples, plain.samples);
        assert_eq!((&noisy.truth, &noisy.weights, &noisy.init), (&plain.truth, &plain.weights, &plain.init));

        let weights = Weights::SparseBinary { sparsity: 2 };
        let other = DatasetSpec { weights, ..spec }.generate().unwrap();
        assert_ne!(other.weights, plain.weights);
        assert_eq!((&other.truth, &other.init), (&plain.truth, &plain.init));

        let farther = DatasetSpec { out_of_span: 1.0, ..spec }.generate().unwrap();
        assert_ne!(farther.init, plain.init);
        assert_eq!((&farther.samples, &farther.weights), (&plain.samples, &plain.weights));

        let longer = DatasetSpec { n_samples: 70, ..spec }.generate().unwrap();
        assert_eq!((&longer.truth, &longer.init), (&plain.truth, &plain.init));
    }

    #[test]
    fn no_part_reuses_the_random_numbers_of_another() {
        // Sizes at which one sample takes as many normal numbers for its weights (four shared, eight own) as
        // for its noise: drawn from one stream, the two would be the same numbers.
        let weights = Weights::LogisticNormal { scale: 1.0, correlation: 0.0 };
        let spec = DatasetSpec { n_samples: 2000, n_features: 12, weights, ..small(DatasetKind::Neg) };
        let clean = spec.generate().unwrap();
        let noisy = DatasetSpec { noise: 12_f64.sqrt(), ..spec }.generate().unwrap();
        let noise = &noisy.samples - &clean.samples;
        for i in 1..8 {
            let logit = (&clean.weights.column(i) / &clean.weights.column(0)).ln();
            for column in noise.columns() {
                // A product of independent variables with variances 2 and 1.
                let covariance = logit.dot(&column) / 2000.0;
                assert!(covariance.abs() < 4.5 * (2.0_f64 / 2000.0).sqrt(), "{covariance}");
            }
        }

        let truth = signed_uniform(8, 8, 3).unwrap();
        let added = perturbed_truth(Array2::eye(8).view(), 10.0, 0.0, 3) - Array2::<f64>::eye(8);
        assert!((&truth - &added.t()).iter().any(|v| v.abs() > 0.1), "truth and start share their numbers");
    }

    #[test]
    fn the_noise_kind_is_the_correlated_kind_with_noise() {
        let clean = small(DatasetKind::Ctm).generate().unwrap();
        let noisy = small(DatasetKind::Noise).generate().unwrap();
        assert_eq!((&noisy.truth, &noisy.weights), (&clean.truth, &clean.weights));
        let noise = &noisy.samples - &clean.samples;
        let level = (noise.mapv(|v| v * v).sum() / 50.0).sqrt();
        assert!((level / 0.01 - 1.0).abs() < 0.06, "{level}");
    }

    #[test]
    fn a_given_truth_sets_the_sizes() {
        let truth = random_matrix::<f64>(6, 25, 1);
        let data = DatasetSpec::new(DatasetKind::Binary).generate_with_truth(truth.clone()).unwrap();
        assert_eq!(data.truth, truth);
        assert_eq!((data.spec.rank, data.spec.n_features), (6, 25));
        assert_eq!((data.samples.dim(), data.weights.dim()), ((5000, 25), (5000, 6)));
    }

    #[test]
    fn given_weights_are_used_and_recorded_as_given() {
        let drawn = small(DatasetKind::Ctm).generate().unwrap();
        let spec = DatasetSpec { n_samples: 7, rank: 2, ..small(DatasetKind::Ctm) };
        let data = spec.generate_with_weights(None, drawn.weights.clone()).unwrap();
        assert_eq!((&data.samples, &data.truth, &data.init), (&drawn.samples, &drawn.truth, &drawn.init));
        assert_eq!(data.spec, DatasetSpec { weights: Weights::Given, ..drawn.spec });
        assert_eq!(data.spec.generate().unwrap_err().name, "weights");
        let same = spec.generate_with_weights(Some(drawn.truth.clone()), drawn.weights.clone()).unwrap();
        assert_eq!(same, data);
        let narrow = drawn.truth.slice(ndarray::s![..3, ..]).to_owned();
        assert_eq!(
            spec.generate_with_weights(Some(narrow), drawn.weights.clone()).unwrap_err().name,
            "truth"
        );
        for wrong in [-1e-9, f64::NAN, f64::INFINITY] {
            let mut weights = drawn.weights.clone();
            weights[[3, 1]] = wrong;
            assert_eq!(spec.generate_with_weights(None, weights).unwrap_err().name, "weights");
        }
    }

    #[test]
    fn an_empty_or_non_finite_truth_is_refused() {
        let spec = small(DatasetKind::Dir);
        assert_eq!(spec.generate_with_truth(Array2::zeros((0, 5))).unwrap_err().name, "rank");
        assert_eq!(spec.generate_with_truth(Array2::zeros((5, 0))).unwrap_err().name, "n_features");
        let mut truth = Array2::ones((3, 4));
        truth[[1, 2]] = f64::NAN;
        let error = spec.generate_with_truth(truth).unwrap_err().to_string();
        assert_eq!(error, "truth is NaN in row 1, column 2, but its entries must be finite");
    }

    #[test]
    fn settings_whose_products_overflow_are_refused() {
        let largest = Array2::from_elem((8, 60), f64::MAX);
        assert_eq!(small(DatasetKind::Binary).generate_with_truth(largest).unwrap_err().name, "samples");
        let spec = DatasetSpec { in_span: f64::MAX, ..small(DatasetKind::Dir) };
        let large = Array2::from_elem((8, 60), 100.0);
        assert_eq!(spec.generate_with_truth(large).unwrap_err().name, "start");
    }

    #[test]
    fn every_setting_out_of_range_is_refused_by_name() {
        let refused = |change: fn(&mut DatasetSpec)| {
            let mut spec = small(DatasetKind::Ctm);
            change(&mut spec);
            let error = spec.check().unwrap_err();
            assert_eq!(spec.generate().unwrap_err(), error);
            error.name
        };
        assert_eq!(refused(|spec| spec.n_features = 0), "n_features");
        assert_eq!(refused(|spec| spec.rank = 0), "rank");
        assert_eq!(refused(|spec| spec.n_samples = 0), "n_samples");
        assert_eq!(refused(|spec| spec.n_samples = usize::MAX), "samples");
        assert_eq!(refused(|spec| spec.rank = usize::MAX), "start");
        assert_eq!(refused(|spec| spec.weights = Weights::SparseBinary { sparsity: 9 }), "sparsity");
        assert_eq!(refused(|spec| spec.noise = -1.0), "noise");
        assert_eq!(refused(|spec| spec.noise = f64::NAN), "noise");
        assert_eq!(refused(|spec| spec.in_span = f64::INFINITY), "in_span");
        assert_eq!(refused(|spec| spec.out_of_span = -0.5), "out_of_span");
    }

    #[test]
    fn defaults_are_the_papers_and_pass_their_own_check() {
        for kind in DatasetKind::ALL {
            let spec = DatasetSpec::new(kind);
            assert_eq!((spec.n_features, spec.rank, spec.n_samples), (2940, 100, 5000));
            assert_eq!(spec.check(), Ok(()));
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<DatasetSpec>(&text).unwrap(), spec);
        }
    }
}
