//! Changes of a fit if samples are scaled or reordered.

use std::error::Error;

use andnmf::Method;
use andnmf::fit::{Run, Start};
use andnmf::metrics::correlation_error;
use andnmf::samples::DenseSamples;
use ndarray::{Array2, Axis};
use serde_json::{Value, json};

use crate::trial::{Contender, Trial};

/// Factors that keep the samples within the range of single precision.
const FACTORS: [f64; 2] = [1e-6, 1e6];

/// Compares the components of changed samples with those of the original samples: directions by the relative total
/// correlation error, sizes by the ratio of norms after removing the factor.
pub(crate) fn measure(trial: &Trial) -> Result<Value, Box<dyn Error>> {
    let data = trial.data()?;
    let fit = |samples: Array2<f64>| -> Result<Array2<f64>, Box<dyn Error>> {
        let samples = DenseSamples::new(samples)?;
        let contender = Contender::Method(Method::And);
        Ok(contender.fit(&samples, data.spec.rank, 0, Start::Auto, &mut Run::new())?.components)
    };
    let plain = fit(data.samples.clone())?;
    let apart = |other: &Array2<f64>| -> Result<f64, Box<dyn Error>> {
        Ok(correlation_error(other.view(), plain.view())?.relative_total())
    };

    let mut scaled = Vec::new();
    for factor in FACTORS {
        let other = fit(&data.samples * factor)?;
        let size = norm(&other) / norm(&plain);
        scaled.push(json!({ "factor": factor, "apart": apart(&other)?, "size": size / factor }));
    }
    let (samples, features) = data.samples.dim();
    let other_samples = fit(data.samples.select(Axis(0), &spread(samples)))?;
    let order = spread(features);
    let shuffled = fit(data.samples.select(Axis(1), &order))?;
    let mut other_features = Array2::zeros(shuffled.dim());
    for (from, &to) in order.iter().enumerate() {
        other_features.column_mut(to).assign(&shuffled.column(from));
    }
    Ok(json!({
        "scaled": scaled,
        "samples_reordered": apart(&other_samples)?,
        "features_reordered": apart(&other_features)?,
    }))
}

fn norm(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

/// A permutation of 0..n far from the identity: steps near the golden section, coprime to n.
fn spread(n: usize) -> Vec<usize> {
    let from = (n as f64 * 0.618) as usize;
    let step = (from.max(1)..=n).find(|&step| coprime(step, n)).unwrap_or(1);
    (0..n).map(|i| i * step % n).collect()
}

fn coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}
