//! Methods as the authors' released program runs them, where that differs from the methods of the library.
//!
//! Written from their description, not for speed. Weights start at those of least squares under the start, without
//! negative values.

use std::time::{Duration, Instant};

use andnmf::fit::{Run, StageRecord};
use andnmf::metrics::correlation_error;
use andnmf::nnls;
use andnmf::samples::DenseSamples;
use andnmf::synth::Dataset;
use andnmf_program::StageRow;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// A method of the released program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleasedMethod {
    /// HALS that replaces a component and its weights at once, both computed from the old pair. Its error may rise.
    Hals,
    /// Multiplicative updates from the start as it is, with its negative values.
    Mu,
}

/// Components and weights.
struct Factors {
    components: Array2<f64>,
    weights: Array2<f64>,
}

impl ReleasedMethod {
    /// Runs until the last stage or the time limit, and returns every stage with its error. A run that diverges ends at
    /// its last finite stage.
    pub(super) fn run(
        self,
        data: &Dataset,
        max_stages: usize,
        time_limit: Option<f64>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<StageRow>, String> {
        let samples = DenseSamples::new(data.samples.view()).map_err(|error| error.to_string())?;
        let clipped = data.init.mapv(|value| value.max(0.0));
        let weights =
            nnls::weights(&samples, clipped.view(), &Run::new()).map_err(|error| error.to_string())?;
        let mut factors = match self {
            Self::Hals => Factors { components: clipped, weights },
            Self::Mu => Factors { components: data.init.clone(), weights },
        };
        let mut rows = Vec::new();
        let mut solver = Duration::ZERO;
        for stage in 0..max_stages {
            let over = time_limit.is_some_and(|limit| solver.as_secs_f64() >= limit);
            if over || cancelled() {
                break;
            }
            let before = Instant::now();
            match self {
                Self::Hals => factors.hals_at_once(&data.samples),
                Self::Mu => factors.multiplicative(&data.samples),
            }
            solver += before.elapsed();
            if factors.components.iter().any(|value| !value.is_finite()) {
                break;
            }
            let error = correlation_error(factors.components.view(), data.truth.view())
                .map_err(|error| error.to_string())?;
            let record = StageRecord {
                stage,
                seconds: solver.as_secs_f64(),
                threshold_min: None,
                threshold_median: None,
                active_fraction: 1.0,
                change: 0.0,
                loss: None,
            };
            rows.push(StageRow {
                record,
                relative_correlation_error: error.relative_total(),
                correlation_error: error.total(),
            });
        }
        Ok(rows)
    }
}

impl Factors {
    /// For each component i in turn, with all others as they are: aᵢ ← max(0, aᵢ + Rᵀzᵢ/‖zᵢ‖²) and, with the old aᵢ,
    /// zᵢ ← max(0, zᵢ + R·aᵢ/‖aᵢ‖²), where R = Y − Z·A.
    fn hals_at_once(&mut self, samples: &Array2<f64>) {
        let Self { components, weights } = self;
        // Component and weights i change in step i only, so their products with the samples can be computed before.
        let with_components = samples.dot(&components.t());
        let with_weights = weights.t().dot(samples);
        for i in 0..components.nrows() {
            let (a, z) = (components.row(i).to_owned(), weights.column(i).to_owned());
            let z_change = &with_components.column(i) - &weights.dot(&components.dot(&a));
            let a_change = &with_weights.row(i) - &weights.t().dot(&z).dot(&*components);
            weights.column_mut(i).assign(&moved(&z, &z_change, a.dot(&a)));
            components.row_mut(i).assign(&moved(&a, &a_change, z.dot(&z)));
        }
    }

    /// Z ← Z∘(Y·Aᵀ)/(Z·A·Aᵀ), then A ← A∘(Zᵀ·Y)/(Zᵀ·Z·A).
    fn multiplicative(&mut self, samples: &Array2<f64>) {
        let Self { components, weights } = self;
        let below = weights.dot(&components.dot(&components.t()));
        scale(weights, &samples.dot(&components.t()), &below);
        let below = weights.t().dot(&*weights).dot(&*components);
        scale(components, &weights.t().dot(samples), &below);
    }
}

/// A vector after a step without a sign constraint violated; without a length to divide by, the old one.
fn moved(old: &Array1<f64>, change: &Array1<f64>, square: f64) -> Array1<f64> {
    if square > 0.0 { (old + &(change / square)).mapv(|value| value.max(0.0)) } else { old.clone() }
}

fn scale(factor: &mut Array2<f64>, above: &Array2<f64>, below: &Array2<f64>) {
    let changes = above.axis_iter(Axis(0)).zip(below.axis_iter(Axis(0)));
    for (mut row, (above, below)) in factor.axis_iter_mut(Axis(0)).zip(changes) {
        for (value, (above, below)) in row.iter_mut().zip(above.iter().zip(below)) {
            if *below != 0.0 {
                *value *= above / below;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::synth::{DatasetKind, DatasetSpec};

    fn small() -> Dataset {
        let spec =
            DatasetSpec { n_features: 30, rank: 4, n_samples: 80, ..DatasetSpec::new(DatasetKind::Dir) };
        spec.generate().unwrap()
    }

    /// The steps as they are written, with the residual computed anew in every step.
    fn naive_hals(samples: &Array2<f64>, components: &mut Array2<f64>, weights: &mut Array2<f64>) {
        for i in 0..components.nrows() {
            let residual = samples - &weights.dot(components);
            let (a, z) = (components.row(i).to_owned(), weights.column(i).to_owned());
            for s in 0..samples.nrows() {
                weights[[s, i]] = (z[s] + residual.row(s).dot(&a) / a.dot(&a)).max(0.0);
            }
            for w in 0..samples.ncols() {
                components[[i, w]] = (a[w] + residual.column(w).dot(&z) / z.dot(&z)).max(0.0);
            }
        }
    }

    #[test]
    fn hals_takes_the_steps_of_its_equations() {
        let data = small();
        let components = data.init.mapv(|value: f64| value.max(0.0));
        let mut factors = Factors { components: components.clone(), weights: data.weights.clone() };
        let (mut a, mut z) = (components, data.weights.clone());
        for _ in 0..3 {
            factors.hals_at_once(&data.samples);
            naive_hals(&data.samples, &mut a, &mut z);
        }
        assert!((&factors.components - &a).iter().all(|v| v.abs() < 1e-10));
        assert!((&factors.weights - &z).iter().all(|v| v.abs() < 1e-10));
    }

    #[test]
    fn multiplicative_updates_keep_the_truth_and_every_sign() {
        let data = small();
        let mut factors = Factors { components: data.truth.clone(), weights: data.weights.clone() };
        factors.multiplicative(&data.samples);
        assert!((&factors.components - &data.truth).iter().all(|v| v.abs() < 1e-10));
        let rows = ReleasedMethod::Mu.run(&data, 20, None, &|| false).unwrap();
        assert!(!rows.is_empty() && rows.iter().all(|row| row.correlation_error.is_finite()));
    }

    #[test]
    fn runs_end_at_their_last_stage_at_the_time_limit_and_when_cancelled() {
        let data = small();
        let run = |limit, cancelled| ReleasedMethod::Hals.run(&data, 5, limit, &|| cancelled).unwrap().len();
        assert_eq!((run(None, false), run(Some(0.0), false), run(None, true)), (5, 0, 0));
    }
}
