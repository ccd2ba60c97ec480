//! Checks the stage lemma along a run: its errors, and its condition on the steps.
//!
//! With y = A*x, A = A*S + N and decoded weights z, a step is S ← S + η(E[xzᵀ] − S·E[zzᵀ]). The lemma is about S ← S(I
//! − ηΛ) + ηQΛ + ηR with Q⁻¹ = D = diag(S₀⁻¹) and Λ = DΔD, Δ = E[xxᵀ]. The remainder is R = (E[xzᵀ] − ΔD) − S(E[zzᵀ] −
//! Λ), and the lemma requires ‖R‖ ≤ λ_min(Λ)·‖E‖/160.

use std::ops::ControlFlow;

use andnmf::and::Decoder;
use andnmf::fit::{Observer, StageView};
use andnmf::synth::Dataset;
use andnmf::theory::bounds::extreme_singular_values;
use andnmf::theory::{Decomposition, MatrixError};
use ndarray::Array2;

use super::outcome::{Disturbance, LemmaTrace, Norms};

/// The constant in the lemma's bound on ‖R‖.
const BOUND_FACTOR: f64 = 1.0 / 160.0;

/// Observes a run that starts at the start of the dataset.
#[derive(Debug)]
pub(super) struct LemmaObserver<'a> {
    data: &'a Dataset,
    before: Array2<f64>,
    trace: LemmaTrace,
}

impl<'a> LemmaObserver<'a> {
    pub(super) fn new(data: &'a Dataset) -> Result<Self, MatrixError> {
        let start = Decomposition::of(data.init.view(), data.truth.view())?.norms;
        let trace = LemmaTrace { norms: vec![start.into()], disturbances: vec![] };
        Ok(Self { data, before: data.init.clone(), trace })
    }

    /// The recorded stages, up to a numeric overflow.
    pub(super) fn into_trace(self) -> LemmaTrace {
        self.trace
    }
}

impl Observer<f64> for LemmaObserver<'_> {
    fn stage(&mut self, view: &StageView<'_, f64>) -> ControlFlow<()> {
        let after = view.components();
        let norms =
            Decomposition::of(after.view(), self.data.truth.view()).map(|parts| Norms::from(parts.norms));
        let disturbance = disturbance(self.data, &self.before, &after, view.thresholds);
        let (Ok(norms), Some(disturbance)) = (norms, disturbance) else { return ControlFlow::Break(()) };
        self.trace.norms.push(norms);
        self.trace.disturbances.push(disturbance);
        self.before = after;
        ControlFlow::Continue(())
    }
}

/// ‖R‖ of a stage and its bound; `None` if the components cannot be compared or inverted.
fn disturbance(
    data: &Dataset,
    before: &Array2<f64>,
    after: &Array2<f64>,
    thresholds: &[f64],
) -> Option<Disturbance> {
    let shares = |components: &Array2<f64>| {
        let parts = Decomposition::of(components.view(), data.truth.view()).ok()?;
        let mut shares = parts.off_diagonal;
        shares.diag_mut().assign(&ndarray::ArrayView1::from(&parts.diagonal));
        Some((shares, parts.norms.mixing_error))
    };
    let ((first, mixing), (last, _)) = (shares(before)?, shares(after)?);
    let mut decoded = data.samples.dot(&Decoder::new(before.view(), false)?.matrix().t());
    for mut row in decoded.outer_iter_mut() {
        for (value, &threshold) in row.iter_mut().zip(thresholds) {
            if *value < threshold {
                *value = 0.0;
            }
        }
    }
    let mean = |a: &Array2<f64>, b: &Array2<f64>| a.t().dot(b) / a.nrows() as f64;
    let (xx, xz) = (mean(&data.weights, &data.weights), mean(&data.weights, &decoded));
    let zz = mean(&decoded, &decoded);
    // The inverse's transpose has the same diagonal.
    let inverse = Decoder::new(first.view(), false)?;
    let diagonal = Array2::from_diag(&inverse.matrix().diag());
    let pull = xx.dot(&diagonal);
    let moment = diagonal.dot(&pull);
    let rest = |now: &Array2<f64>| {
        let rest = &xz - &pull - now.dot(&(&zz - &moment));
        extreme_singular_values(rest.view()).ok().map(|(largest, _)| largest)
    };
    let (_, smallest) = extreme_singular_values(moment.view()).ok()?;
    Some(Disturbance { size: rest(&first)?.max(rest(&last)?), allowed: BOUND_FACTOR * smallest * mixing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::synth::{DatasetKind, DatasetSpec, Weights};

    fn data(sparsity: usize) -> Dataset {
        let spec = DatasetSpec {
            n_features: 60,
            rank: 8,
            n_samples: 500,
            weights: Weights::SparseBinary { sparsity },
            in_span: 0.3,
            ..DatasetSpec::new(DatasetKind::Binary)
        };
        spec.generate().unwrap()
    }

    /// Compares one gradient step S → S + η(E[xzᵀ] − S·E[zzᵀ]) over all samples with the lemma's form.
    #[test]
    fn the_remainder_is_the_difference_between_the_step_and_the_lemmas_form() {
        let data = data(3);
        let parts = Decomposition::of(data.init.view(), data.truth.view()).unwrap();
        let start = Array2::from_diag(&ndarray::Array1::from(parts.diagonal.clone())) + &parts.off_diagonal;
        // From the samples: A ← A + η(y − Az)zᵀ, then decomposed in terms of the truth.
        let decoder = Decoder::new(data.init.view(), false).unwrap();
        let z = data.samples.dot(&decoder.matrix().t()).mapv(|value| if value >= 0.25 { value } else { 0.0 });
        let step = 1e-3;
        let gradient = z.t().dot(&(&data.samples - &z.dot(&data.init))) / data.samples.nrows() as f64;
        let after = &data.init + &(&gradient * step);
        let parts = Decomposition::of(after.view(), data.truth.view()).unwrap();
        let moved = Array2::from_diag(&ndarray::Array1::from(parts.diagonal)) + &parts.off_diagonal;
        let inverse = Decoder::new(start.view(), false).unwrap().matrix().to_owned();
        let d = Array2::from_diag(&inverse.diag());
        let q = Array2::from_diag(&inverse.diag().mapv(|value| 1.0 / value));
        let moment = d.dot(&(data.weights.t().dot(&data.weights) / 500.0)).dot(&d);
        let lemma = start.dot(&(Array2::eye(8) - &moment * step)) + q.dot(&moment) * step;
        let rest = extreme_singular_values(((&moved - &lemma) / step).view()).unwrap().0;
        let measured = disturbance(&data, &data.init, &data.init, &[0.25; 8]).unwrap();
        assert!((measured.size / rest - 1.0).abs() < 1e-6, "{measured:?} {rest}");
        let smallest = extreme_singular_values(moment.view()).unwrap().1;
        let mixing = Decomposition::of(data.init.view(), data.truth.view()).unwrap().norms.mixing_error;
        assert!((measured.allowed / (smallest * mixing / 160.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_weight_at_a_time_is_decoded_without_a_disturbance_and_several_are_not() {
        let alone = data(1);
        let measured = disturbance(&alone, &alone.init, &alone.truth, &[0.25; 8]).unwrap();
        assert!(measured.size < 1e-12 && measured.allowed > 1e-6, "{measured:?}");
        let several = data(3);
        let measured = disturbance(&several, &several.init, &several.truth, &[0.25; 8]).unwrap();
        assert!(measured.size > measured.allowed, "{measured:?}");
    }
}
