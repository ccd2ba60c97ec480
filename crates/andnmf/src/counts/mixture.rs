//! A component as a mixture of the others: how well they explain it.

use ndarray::Array2;

/// Updates of the mixture.
pub(super) const MIXTURE_UPDATES: usize = 20;

/// The mixture of the other components that is nearest to component k, and the Kullback–Leibler divergence of k from it.
pub(super) fn mixture_of_others(components: &Array2<f32>, k: usize) -> (Vec<f64>, f64) {
    let (count, width) = components.dim();
    let mut mixture = vec![1.0 / (count - 1) as f64; count];
    mixture[k] = 0.0;
    let own = components.row(k);
    let mixed = |mixture: &[f64]| {
        let mut sum = vec![0.0_f64; width];
        for (&part, component) in mixture.iter().zip(components.outer_iter()) {
            if part > 0.0 {
                sum.iter_mut().zip(component).for_each(|(sum, &v)| *sum += part * f64::from(v));
            }
        }
        sum
    };
    for _ in 0..MIXTURE_UPDATES {
        let sum = mixed(&mixture);
        let ratios: Vec<f64> =
            own.iter().zip(&sum).map(|(&v, sum)| f64::from(v) / sum.max(f64::MIN_POSITIVE)).collect();
        for (part, component) in mixture.iter_mut().zip(components.outer_iter()) {
            *part *= component.iter().zip(&ratios).map(|(&v, ratio)| f64::from(v) * ratio).sum::<f64>();
        }
        let all: f64 = mixture.iter().sum();
        mixture.iter_mut().for_each(|part| *part /= all.max(f64::MIN_POSITIVE));
    }
    let divergence = (own.iter().zip(mixed(&mixture)))
        .filter(|(v, _)| **v > 0.0)
        .map(|(&v, sum)| f64::from(v) * (f64::from(v) / sum.max(1e-30)).ln())
        .sum();
    (mixture, divergence)
}
