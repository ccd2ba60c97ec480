//! What the paper's theorems say about samples and components, and what happens.
//!
//! The theorems hold up to constants that the paper does not state. Here these are 1, except those of the stage lemma,
//! which it does state: certificates compare datasets, they do not prove anything about one.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::Serialize;

use super::samples::DiagnoseError;
use crate::and::{AndParams, Schedule, StepsPerStage};
use crate::fit::{Run, Solver, Start};
use crate::metrics::{match_components, reconstruction_norms};
use crate::nnls;
use crate::samples::Samples;
use crate::theory::bounds::{extreme_singular_values, noise_amplification, noise_error};
use crate::theory::{Decomposition, DecompositionObserver, ErrorNorms, WeightReport};
use crate::{SettingError, ShapeError};

/// Noise below this share of the samples' norm is rounding.
const ROUNDING: f64 = 1e-9;
/// The mixing error that stages are counted to.
pub(super) const TARGET: f64 = 1e-10;
/// The stage lemma: both errors of the start are below this, and each stage divides the mixing error by the next.
const LARGEST_START: f64 = 1.0 / 8.0;
const CONTRACTION: f64 = 40.0;
/// The threshold of the theorem on binary weights, and the largest one that the decoding lemmas allow.
const LARGEST_THRESHOLD: f64 = 0.25;

/// The theorem whose model of the weights and of the noise fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theorem {
    /// Theorem 1: weights of 0 and 1.
    Binary,
    /// Theorem 4: weights between 0 and 1 with a decay order of at least 1.
    General,
    /// Theorem 5 (in general Theorem 26): weights of 0 and 1, under noise.
    NoisyBinary,
    /// None: a decay order below 1, or noise on weights that are not 0 or 1.
    None,
}

impl Theorem {
    /// Its name in the paper.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Binary => "Theorem 1 (binary weights)",
            Self::General => "Theorem 4 (general weights)",
            Self::NoisyBinary => "Theorem 5 (binary weights, noise)",
            Self::None => {
                "none: the theorems need a decay order of at least 1, and weights of 0 and 1 under noise"
            }
        }
    }
}

/// A quantity that a theorem bounds from above.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Premise {
    /// The quantity, in the paper's symbols.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The largest value that the theorem allows.
    pub limit: f64,
    /// True if the value is at most the limit.
    pub met: bool,
}

impl Premise {
    fn new(name: &'static str, value: f64, limit: f64) -> Self {
        Self { name, value, limit, met: value <= limit }
    }
}

/// The paper's conditions for samples and components, its prediction, and a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Correlations of the weights, and (r, k, m, λ, q) at the scaling that is best for the bound.
    pub weights: WeightReport,
    /// The largest and smallest singular value of the true components at that scaling.
    pub singular_values: (f64, f64),
    /// The norm of the noise of a sample: the root mean square of what the components leave of the samples.
    pub noise: f64,
    /// Distance of the components from the truth: ‖Σ − I‖, ℓ = ‖E‖ and ρ = ‖N‖, each component matched to a true one
    /// and scaled to Σ = I. `None` without a truth.
    pub start: Option<ErrorNorms>,
    /// The theorem that fits.
    pub theorem: Theorem,
    /// Its premises; none without a theorem.
    pub premises: Vec<Premise>,
    /// The thresholds of its stages, from ℓ (1/8 without a truth) to a mixing error of 1e-10.
    pub thresholds: Vec<f64>,
    /// The predicted ‖A − A*Σ‖ at the end: 0 without noise.
    pub predicted_error: f64,
    /// What happens: AND from these components with these thresholds. `None` without a truth or a theorem.
    pub run: Option<CertifiedRun>,
}

/// A run with the thresholds of the theory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CertifiedRun {
    /// The errors after each stage.
    pub stages: Vec<ErrorNorms>,
    /// Number of stages until ‖E‖ is at most 1e-10, if it ever is.
    pub stages_needed: Option<usize>,
    /// ‖A − A*Σ‖ at the end.
    pub error: f64,
}

impl Certificate {
    /// True if a theorem fits and all its premises are met.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.theorem != Theorem::None && self.premises.iter().all(|premise| premise.met)
    }
}

/// What is known of generated samples.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The true components, rank × features.
    pub truth: Option<ArrayView2<'a, f64>>,
    /// The true weights, samples × rank. Without them, weights are those of least squares without negative values,
    /// under the truth if it is known; noise then makes binary weights look general.
    pub weights: Option<ArrayView2<'a, f64>>,
}

/// Compares samples and `components` (rank × features) with the premises of the theorems, and runs AND from them with
/// the thresholds of the theory if the truth is known.
///
/// # Errors
/// If the shapes do not fit, a value is not finite, or numbers overflow.
///
/// ```
/// use andnmf::diagnose::{Known, Theorem, certify};
/// use andnmf::fit::Run;
/// use andnmf::samples::DenseSamples;
/// use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
///
/// let weights = Weights::SparseBinary { sparsity: 1 };
/// let sizes = DatasetSpec { n_features: 60, rank: 8, n_samples: 900, ..DatasetSpec::new(DatasetKind::Binary) };
/// let data = DatasetSpec { weights, in_span: 0.3, ..sizes }.generate()?;
/// let samples = DenseSamples::new(data.samples.view())?;
/// let known = Known { truth: Some(data.truth.view()), ..Known::default() };
/// let certificate = certify(&samples, data.init.view(), known, &Run::new())?;
/// assert!(certificate.theorem == Theorem::Binary && certificate.holds());
/// assert!(certificate.run.unwrap().error < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certify(
    samples: &dyn Samples<f64>,
    components: ArrayView2<'_, f64>,
    known: Known<'_>,
    run: &Run<'_, f64>,
) -> Result<Certificate, DiagnoseError> {
    let truth = known.truth;
    let reference = truth.unwrap_or(components);
    let weights = match known.weights {
        Some(weights) => weights.to_owned(),
        None => without_rounding(nnls::weights(samples, reference, run)?),
    };
    let norms = reconstruction_norms(samples, weights.view(), reference)?;
    let count = (samples.n_samples() as f64).max(1.0);
    let (noise, size) = ((norms.residual / count).sqrt(), (norms.samples / count).sqrt());
    let is_noisy = noise > ROUNDING * size;
    let report = WeightReport::of(weights.view())?;
    // Weights are divided by these numbers, so components are multiplied by them.
    let units = Array1::from(report.conditions.scaling.divisors(weights.view()));
    let scaled = |matrix: ArrayView2<'_, f64>| &matrix * &units.view().insert_axis(Axis(1));
    let reference = scaled(reference);
    let singular_values = extreme_singular_values(reference.view())?;
    let start = match truth {
        Some(truth) => {
            let start = aligned(components, truth)?;
            Some(scaled(start.view()))
        }
        None => None,
    };
    let distance = match &start {
        Some(start) => Some(Decomposition::of(start.view(), reference.view())?.norms),
        None => None,
    };
    let order = report.conditions.decay_order;
    let theorem = match (order.is_infinite(), is_noisy) {
        (true, false) => Theorem::Binary,
        (true, true) => Theorem::NoisyBinary,
        (false, false) if order >= 1.0 => Theorem::General,
        _ => Theorem::None,
    };
    let mut certificate = Certificate {
        premises: premises(theorem, &report, singular_values, distance),
        thresholds: thresholds(theorem, &report, distance),
        predicted_error: if is_noisy { predicted(&report, singular_values, noise) } else { 0.0 },
        weights: report,
        singular_values,
        noise,
        start: distance,
        theorem,
        run: None,
    };
    if let (Some(start), false) = (start, certificate.thresholds.is_empty()) {
        certificate.run = Some(run_with(samples, start, reference, &certificate.thresholds)?);
    }
    Ok(certificate)
}

/// Weights that least squares leaves at the level of rounding are zero.
fn without_rounding(mut weights: Array2<f64>) -> Array2<f64> {
    for mut component in weights.columns_mut() {
        let largest = component.iter().copied().fold(0.0, f64::max);
        component.mapv_inplace(|weight| if weight > ROUNDING * largest { weight } else { 0.0 });
        // Equal weights differ by rounding.
        component.mapv_inplace(|weight| if weight > (1.0 - ROUNDING) * largest { largest } else { weight });
    }
    weights
}

/// The components in the order of the truth, each scaled so that its own part is the true component.
fn aligned(
    components: ArrayView2<'_, f64>,
    truth: ArrayView2<'_, f64>,
) -> Result<Array2<f64>, DiagnoseError> {
    if components.dim() != truth.dim() {
        let expected = format!("{} × {} like the truth", truth.nrows(), truth.ncols());
        return Err(shape_error("components", components.dim(), expected));
    }
    let matching = match_components(components, truth)
        .map_err(|_| shape_error("components", components.dim(), "those of the truth".to_owned()))?;
    let mut ordered = Array2::zeros(truth.dim());
    for (mut row, component) in ordered.rows_mut().into_iter().zip(&matching.component_of_truth) {
        let Some(component) = *component else {
            return Err(
                SettingError::new("components", "zero or not finite", "each must match a true one").into()
            );
        };
        row.assign(&components.row(component));
    }
    let own = Decomposition::of(ordered.view(), truth)?.diagonal;
    for (mut row, own) in ordered.rows_mut().into_iter().zip(own) {
        if own > 0.0 {
            row /= own;
        }
    }
    Ok(ordered)
}

fn shape_error(what: &'static str, given: (usize, usize), expected: String) -> DiagnoseError {
    crate::theory::MatrixError::from(ShapeError::new(what, given, expected)).into()
}

fn premises(
    theorem: Theorem,
    report: &WeightReport,
    (_, smallest): (f64, f64),
    distance: Option<ErrorNorms>,
) -> Vec<Premise> {
    let bound = match theorem {
        Theorem::None => return Vec::new(),
        Theorem::General => report.bounds.general,
        Theorem::Binary | Theorem::NoisyBinary => report.bounds.binary,
    };
    let mut premises = vec![Premise::new("m", report.conditions.m, bound)];
    if let Some(norms) = distance {
        premises.push(Premise::new("ℓ = ‖E‖", norms.mixing_error, LARGEST_START));
        premises.push(Premise::new("‖Σ − I‖", norms.scale_error, LARGEST_START));
        let outside = if theorem == Theorem::NoisyBinary { smallest } else { ROUNDING };
        premises.push(Premise::new("ρ = ‖N‖", norms.outside_error, outside));
    }
    premises
}

/// The thresholds α = (λℓ/r)^(2/(q+1)) of stages that each divide ℓ by 40; 1/4 for binary weights.
fn thresholds(theorem: Theorem, report: &WeightReport, distance: Option<ErrorNorms>) -> Vec<f64> {
    let conditions = &report.conditions;
    let mut mixing = distance.map_or(LARGEST_START, |norms| norms.mixing_error);
    let mut thresholds = Vec::new();
    if theorem == Theorem::None || !mixing.is_finite() {
        return thresholds;
    }
    while mixing > TARGET || thresholds.is_empty() {
        let threshold = match theorem {
            Theorem::General => {
                let base = conditions.lambda * mixing / conditions.r;
                base.powf(2.0 / (conditions.decay_order + 1.0)).min(LARGEST_THRESHOLD)
            }
            _ => LARGEST_THRESHOLD,
        };
        thresholds.push(threshold);
        mixing /= CONTRACTION;
    }
    thresholds
}

fn predicted(report: &WeightReport, (largest, smallest): (f64, f64), noise: f64) -> f64 {
    let conditions = &report.conditions;
    noise_amplification(conditions.r, conditions.lambda, largest, smallest)
        .and_then(|factor| noise_error(factor, noise))
        .unwrap_or(f64::INFINITY)
}

/// AND from `start` with these thresholds and stages that converge.
fn run_with(
    samples: &dyn Samples<f64>,
    start: Array2<f64>,
    truth: Array2<f64>,
    thresholds: &[f64],
) -> Result<CertifiedRun, DiagnoseError> {
    let settings = AndParams {
        threshold: Schedule::List(thresholds.to_vec()).into(),
        inner: StepsPerStage::Exact,
        max_stages: thresholds.len(),
        tolerance: 0.0,
        ..AndParams::scheduled(start.nrows())
    };
    let mut observer = DecompositionObserver::new(truth.clone(), &start)?;
    let fit = settings.check()?.fit(samples, Start::Given(start), &mut Run::new().observe(&mut observer))?;
    let end = Decomposition::of(fit.components.view(), truth.view())?;
    let rest = end.off_diagonal.t().dot(&truth) + &end.outside;
    let stages = observer.norms[1..].to_vec();
    Ok(CertifiedRun {
        stages_needed: stages.iter().position(|norms| norms.mixing_error <= TARGET).map(|stage| stage + 1),
        stages,
        error: crate::linalg::symmetric::spectral_norm(rest.view()),
    })
}
