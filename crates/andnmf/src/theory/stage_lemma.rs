//! Compares the stages of a run with the paper's stage lemma.
//!
//! The lemma: a stage that starts with ‖Σ − I‖ ≤ ℓ₁ and ‖E‖ ≤ ℓ₂, both below 1/8, ends with ‖E‖ ≤ ℓ₂/40 and
//! ‖Σ − I‖ ≤ ℓ₁ + 4ℓ₂. It also requires enough steps per stage and decoding errors below λ_min(Δ)·ℓ₂/160, which the
//! norms cannot show: a stage that meets the premises and misses the prediction had too large decoding errors (a wrong
//! threshold, too strong correlation) or too few steps.

use serde::Serialize;

use super::decomposition::ErrorNorms;

/// Both errors must be below this at the start of a stage for the lemma to apply.
const PREMISE: f64 = 1.0 / 8.0;

/// The factor by which the lemma reduces the mixing error.
const PREDICTED_CONTRACTION: f64 = 1.0 / 40.0;

/// The lemma's factor from the mixing error to the growth of the scale error.
const SCALE_GAIN: f64 = 4.0;

/// Mixing errors at or below this are rounding and count as zero.
const ROUNDING: f64 = 1e-12;

/// The errors of one stage and the lemma's prediction.
///
/// ```
/// use andnmf::theory::{ErrorNorms, StageCheck};
/// let norms = |mixing_error| ErrorNorms { scale_error: 0.0, mixing_error, outside_error: 0.0 };
/// let check = StageCheck::between(norms(0.1), norms(0.05));
/// assert!(check.premises_hold && !check.holds); // the lemma predicts at most 0.1/40
/// ```
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct StageCheck {
    /// Errors at the start of the stage.
    pub before: ErrorNorms,
    /// Errors at its end.
    pub after: ErrorNorms,
    /// True if scale and mixing error were both below 1/8 at the start, so that the lemma applies.
    pub premises_hold: bool,
    /// The predicted bound on ‖E‖ at the end: ℓ₂/40.
    pub predicted_mixing_error: f64,
    /// The predicted bound on ‖Σ − I‖ at the end: ℓ₁ + 4ℓ₂.
    pub predicted_scale_error: f64,
    /// Mixing error after the stage divided by that before; 1 if both are zero, infinite (`null` in JSON) if only the
    /// first is.
    pub contraction: f64,
    /// True if both predictions hold, regardless of the premises. A mixing error of at most 1e-12 (rounding) always
    /// counts as small enough.
    pub holds: bool,
}

impl StageCheck {
    /// Compares the errors before and after one stage.
    pub fn between(before: ErrorNorms, after: ErrorNorms) -> Self {
        let predicted_mixing_error = before.mixing_error * PREDICTED_CONTRACTION;
        let predicted_scale_error = before.scale_error + SCALE_GAIN * before.mixing_error;
        // The scale error includes the rounding of the stage.
        let holds = after.mixing_error <= predicted_mixing_error.max(ROUNDING)
            && after.scale_error <= predicted_scale_error + ROUNDING;
        Self {
            before,
            after,
            premises_hold: before.scale_error < PREMISE && before.mixing_error < PREMISE,
            predicted_mixing_error,
            predicted_scale_error,
            contraction: contraction(before.mixing_error, after.mixing_error),
            holds,
        }
    }
}

fn contraction(before: f64, after: f64) -> f64 {
    if before == 0.0 && after == 0.0 { 1.0 } else { after / before }
}

/// The stage lemma along a whole run.
///
/// ```
/// use andnmf::theory::{ErrorNorms, StageLemmaReport};
/// let norms = |mixing_error| ErrorNorms { scale_error: 0.0, mixing_error, outside_error: 0.0 };
/// let report = StageLemmaReport::from_norms(&[norms(0.1), norms(0.001)]);
/// assert!(report.holds() && report.premises_held == 1);
/// ```
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct StageLemmaReport {
    /// Every stage in order.
    pub stages: Vec<StageCheck>,
    /// The largest contraction factor of the stages that started above rounding (1e-12); `None` without such stages.
    pub worst_contraction: Option<f64>,
    /// The geometric mean of the same stages' contraction factors; the lemma predicts at most 1/40.
    pub mean_contraction: Option<f64>,
    /// Number of stages that met the premises.
    pub premises_held: usize,
    /// Number of these that also met the predictions.
    pub predictions_held: usize,
}

impl StageLemmaReport {
    /// Checks every stage of a run, given the errors at its start and after each stage.
    ///
    /// With fewer than two entries the report has no stages.
    pub fn from_norms(norms: &[ErrorNorms]) -> Self {
        let stages: Vec<StageCheck> = norms.windows(2).map(|w| StageCheck::between(w[0], w[1])).collect();
        let factors: Vec<f64> =
            stages.iter().filter(|s| s.before.mixing_error > ROUNDING).map(|s| s.contraction).collect();
        let mean = factors.iter().map(|f| f.ln()).sum::<f64>() / factors.len() as f64;
        let applicable = || stages.iter().filter(|s| s.premises_hold);
        Self {
            worst_contraction: factors.iter().copied().reduce(f64::max),
            mean_contraction: (!factors.is_empty()).then(|| mean.exp()),
            premises_held: applicable().count(),
            predictions_held: applicable().filter(|s| s.holds).count(),
            stages,
        }
    }

    /// Returns true if every stage to which the lemma applies met its predictions.
    pub fn holds(&self) -> bool {
        self.premises_held == self.predictions_held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
    use crate::linalg::symmetric::{eigenvalues, spectral_norm};
    use crate::testing::random_matrix;
    use ndarray::Array2;

    const SIZE: usize = 6;

    fn norms(scale_error: f64, mixing_error: f64) -> ErrorNorms {
        ErrorNorms { scale_error, mixing_error, outside_error: 0.0 }
    }

    fn norms_of(shares: &Array2<f64>) -> ErrorNorms {
        let mut mixing = shares.clone();
        mixing.diag_mut().fill(0.0);
        norms(
            spectral_norm((shares - &mixing - Array2::<f64>::eye(SIZE)).view()),
            spectral_norm(mixing.view()),
        )
    }

    /// The setting of the update lemma: S ← S(I − ηΔ) + ηΣΔ + ηR with ‖R‖ = `disturbance` in every step.
    struct Iteration {
        start: Array2<f64>,
        target: Array2<f64>,
        moment: Array2<f64>,
        smallest: f64,
        step: f64,
        disturbance: f64,
    }

    impl Iteration {
        /// Start, Δ and target as in the stage lemma; the disturbance is `share` of what the lemma allows.
        fn random(seed: u64, scale_error: f64, mixing_error: f64, share: f64) -> Self {
            let mut start = random_matrix::<f64>(SIZE, SIZE, seed);
            start.diag_mut().fill(0.0);
            start *= mixing_error / spectral_norm(start.view());
            for i in 0..SIZE {
                start[[i, i]] = 1.0 + if i % 2 == 0 { scale_error } else { -scale_error };
            }
            let inverse = pseudo_inverse_of_rows(start.t()).unwrap().matrix;
            let target = Array2::from_diag(&inverse.diag().mapv(|v| 1.0 / v));
            let factor = random_matrix::<f64>(SIZE, SIZE, seed + 1000);
            let moment = multiply(factor.t(), factor.view()) + Array2::<f64>::eye(SIZE) * 0.5;
            let smallest = eigenvalues(moment.view()).unwrap()[0];
            let step = 0.5 / spectral_norm(moment.view());
            Self {
                start,
                target,
                disturbance: share * smallest * mixing_error / 160.0,
                moment,
                smallest,
                step,
            }
        }

        /// Every iterate up to `steps`, the start first.
        fn run(&self, steps: usize) -> Vec<Array2<f64>> {
            let keep = Array2::eye(SIZE) - &self.moment * self.step;
            let pull = multiply(self.target.view(), self.moment.view()) * self.step;
            let mut all = vec![self.start.clone()];
            for t in 0..steps {
                let error = random_matrix::<f64>(SIZE, SIZE, t as u64);
                let error = &error * (self.disturbance / spectral_norm(error.view()));
                all.push(multiply(all[t].view(), keep.view()) + &pull + error * self.step);
            }
            all
        }

        fn steps_of_the_lemma(&self, mixing_error: f64) -> usize {
            ((400.0 / mixing_error).ln() / (self.step * self.smallest)).ceil() as usize
        }
    }

    #[test]
    fn the_update_lemma_bounds_every_iterate() {
        for seed in 0..10 {
            let it = Iteration::random(seed, 0.1, 0.12, 50.0);
            let initial = spectral_norm((&it.start - &it.target).view());
            let shrink: f64 = 1.0 - it.step * it.smallest;
            for (t, iterate) in it.run(300).iter().enumerate() {
                let distance = spectral_norm((iterate - &it.target).view());
                let bound = initial * shrink.powi(t as i32) + it.disturbance / it.smallest;
                assert!(distance <= bound * (1.0 + 1e-12), "step {t}: {distance} > {bound}");
            }
        }
    }

    #[test]
    fn a_stage_within_the_lemma_meets_its_predictions() {
        for seed in 0..10 {
            for (scale_error, mixing_error) in [(0.12, 0.12), (0.01, 0.12), (0.12, 1e-4), (0.0, 1e-9)] {
                let it = Iteration::random(seed, scale_error, mixing_error, 1.0);
                let all = it.run(it.steps_of_the_lemma(mixing_error));
                let check = StageCheck::between(norms_of(&all[0]), norms_of(&all[all.len() - 1]));
                assert!(check.premises_hold && check.holds, "{check:?}");
                assert!(check.contraction <= 1.0 / 40.0);
            }
        }
    }

    #[test]
    fn too_few_steps_or_too_much_disturbance_miss_the_prediction() {
        let it = Iteration::random(1, 0.05, 0.1, 1.0);
        let all = it.run(2);
        assert!(!StageCheck::between(norms_of(&all[0]), norms_of(&all[2])).holds);
        let it = Iteration::random(1, 0.05, 0.1, 500.0);
        let all = it.run(it.steps_of_the_lemma(0.1));
        assert!(!StageCheck::between(norms_of(&all[0]), norms_of(&all[all.len() - 1])).holds);
    }

    #[test]
    fn one_stage_by_hand() {
        let check = StageCheck::between(norms(0.05, 0.08), norms(0.3, 0.001));
        assert!(check.premises_hold);
        assert!((check.predicted_mixing_error - 0.002).abs() < 1e-15);
        assert!((check.predicted_scale_error - 0.37).abs() < 1e-15);
        assert!((check.contraction - 0.0125).abs() < 1e-15);
        assert!(check.holds);
        assert!(!StageCheck::between(norms(0.05, 0.08), norms(0.4, 0.001)).holds, "scale went too far");
        assert!(!StageCheck::between(norms(0.05, 0.08), norms(0.3, 0.003)).holds, "mixing shrank too little");
    }

    #[test]
    fn an_error_of_an_eighth_does_not_meet_the_premises() {
        assert!(!StageCheck::between(norms(0.125, 0.01), norms(0.0, 0.0)).premises_hold);
        assert!(!StageCheck::between(norms(0.01, 0.125), norms(0.0, 0.0)).premises_hold);
    }

    #[test]
    fn a_run_by_hand() {
        // Factors 0.5 (not within the premises), 0.02, 0.04, and a last stage that only rounds.
        let run = [norms(0.0, 0.2), norms(0.0, 0.1), norms(0.0, 2e-3), norms(0.0, 8e-5), norms(0.0, 1e-14)];
        let report = StageLemmaReport::from_norms(&[&run[..], &[norms(0.0, 2e-14)]].concat());
        assert_eq!(report.stages.len(), 5);
        assert_eq!((report.premises_held, report.predictions_held), (4, 3));
        assert!(!report.holds());
        assert_eq!(report.worst_contraction, Some(0.5));
        let mean = (0.5 * 0.02 * 0.04 * 1.25e-10_f64).powf(0.25);
        assert!((report.mean_contraction.unwrap() / mean - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_exact_truth_gives_no_nan() {
        let report = StageLemmaReport::from_norms(&[norms(0.0, 0.0), norms(0.0, 0.0)]);
        assert_eq!((report.worst_contraction, report.mean_contraction), (None, None));
        assert_eq!(report.stages[0].contraction, 1.0);
        assert!(report.holds());
        let reached = StageLemmaReport::from_norms(&[norms(0.0, 0.1), norms(0.0, 0.0)]);
        assert_eq!((reached.worst_contraction, reached.mean_contraction), (Some(0.0), Some(0.0)));
        assert_eq!(StageCheck::between(norms(0.0, 0.0), norms(0.0, 0.1)).contraction, f64::INFINITY);
    }

    #[test]
    fn a_run_without_stages_has_an_empty_report() {
        assert!(StageLemmaReport::from_norms(&[]).stages.is_empty());
        assert!(StageLemmaReport::from_norms(&[norms(0.1, 0.1)]).holds());
    }
}
