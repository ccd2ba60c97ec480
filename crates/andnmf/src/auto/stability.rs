//! The reliability of each component: its change with other samples of the same kind.
//!
//! Two fits to three quarters of the samples each, from starts that are a little off, show what of a component
//! depends on which samples were there. What noise does to the least-squares solution is known in closed form. And
//! values that are still decoded as negative show mixing that no choice of samples would reveal.

use ndarray::Array2;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::decoded::{Decoded, Evaluator, Workspace};
use super::descent::{Descent, Goal};
use super::shares::sines;
use crate::Real;
use crate::constants::StabilityConstants;
use crate::fit::StageInterrupt;
use crate::linalg::product::{length, multiply, multiply_add};
use crate::linalg::symmetric::gram_inverse;
use crate::random::{Stream, numbered_generator};

/// The evidence against each component.
pub(super) struct Stability {
    /// Its distance (a sine) from a fit to new samples, estimated from fits to parts of the samples.
    pub(super) resampled: Vec<f64>,
    /// The share of other components that its negative decoded values show in it.
    pub(super) mixed: Vec<f64>,
}

/// The error of each component (rank × directions) by noise, given the moments of the weights: a sine.
pub(super) fn noise_errors<T: Real>(
    evaluator: &Evaluator<'_, T>,
    components: &Array2<T>,
    moments: &Array2<T>,
    features: usize,
) -> Vec<f64> {
    let Some(inverse) = evaluator.workers.run(|| gram_inverse(moments.view())) else {
        return vec![1.0; components.nrows()];
    };
    let noise = evaluator.projected.noise * (features as f64).sqrt();
    let error = |(k, component): (usize, _)| {
        (noise * inverse[[k, k]].as_f64().max(0.0).sqrt() / length(component).max(f64::MIN_POSITIVE)).min(1.0)
    };
    components.outer_iter().enumerate().map(error).collect()
}

/// The stability of components (rank × directions) whose decoded values the evaluator holds, not yet thresholded.
pub(super) fn stability<T: Real>(
    evaluator: &mut Evaluator<'_, T>,
    components: &Array2<T>,
    decoded: &Decoded<T>,
    moments: &Array2<T>,
    seed: u64,
) -> Result<Stability, StageInterrupt> {
    let mixed = match evaluator.workers.run(|| gram_inverse(moments.view())) {
        Some(inverse) => mixing(evaluator, components, decoded, &inverse),
        None => vec![1.0; components.nrows()],
    };
    Ok(Stability { resampled: resampled(evaluator, components, seed)?, mixed })
}

/// The share that each component would lose if other components' weights explained the negative values.
fn mixing<T: Real>(
    evaluator: &Evaluator<'_, T>,
    components: &Array2<T>,
    decoded: &Decoded<T>,
    inverse: &Array2<T>,
) -> Vec<f64> {
    let values = evaluator.values();
    let zero = T::from_f64(0.0);
    let sd: Vec<f64> = decoded
        .noise_gain
        .iter()
        .zip(&decoded.scales)
        .map(|(g, s)| g * s * evaluator.projected.noise)
        .collect();
    let mut negative = values.clone();
    let mut positive = values.clone();
    for (mut negative, mut positive) in negative.outer_iter_mut().zip(positive.outer_iter_mut()) {
        for (k, (n, p)) in negative.iter_mut().zip(positive.iter_mut()).enumerate() {
            let floor = (evaluator.constants.schedule.noise_floor * sd[k])
                .max(decoded.negative_rms[k] * decoded.scales[k]);
            let below = p.as_f64() < floor;
            let expected = if below { evaluator.constants.stability.half_noise * sd[k] } else { 0.0 };
            *n = T::from_f64((-n.as_f64()).max(0.0) - expected);
            if below {
                *p = zero;
            }
        }
    }
    // Entry (k, l): the weight of k that comes, with the wrong sign, with one unit of l.
    let mut shares =
        evaluator.workers.run(|| multiply(multiply(negative.t(), positive.view()).view(), inverse.view()));
    shares.diag_mut().fill(zero);
    let lost = multiply(shares.t(), components.view());
    let pairs = lost.outer_iter().zip(components.outer_iter());
    pairs.map(|(lost, component)| length(lost) / length(component).max(f64::MIN_POSITIVE)).collect()
}

/// The limits of a fit to a part.
fn goal(constants: &StabilityConstants) -> Goal {
    let StabilityConstants { most_stages, lowest_threshold, quiet, .. } = *constants;
    Goal { most_stages, lowest_threshold, tolerance: quiet }
}

/// The numbers of the samples of a part, in order.
pub(super) fn part_of_samples(n: usize, share: f64, rng: &mut impl Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    numbers.shuffle(rng);
    numbers.truncate(((n as f64 * share) as usize).max(1));
    numbers.sort_unstable();
    numbers
}

/// The sine between each component and the nearer of its versions from parts of the samples.
fn resampled<T: Real>(
    evaluator: &Evaluator<'_, T>,
    components: &Array2<T>,
    seed: u64,
) -> Result<Vec<f64>, StageInterrupt> {
    let (n, rank) = (evaluator.projected.n_samples(), components.nrows());
    let StabilityConstants { parts, part_share, start_off, part_to_new, .. } = evaluator.constants.stability;
    let goal = goal(&evaluator.constants.stability);
    let mut nearest = vec![1.0_f64; rank];
    for part in 0..parts {
        let mut rng = numbered_generator(seed, Stream::Subsets, part);
        let numbers = part_of_samples(n, part_share, &mut rng);
        let projected = evaluator.projected.part(&numbers);
        let off = Array2::from_shape_fn((rank, rank), |_| {
            T::from_f64(start_off * (2.0 * rng.random::<f64>() - 1.0))
        });
        let mut working = components.clone();
        multiply_add(working.view_mut(), off.view(), components.view(), T::from_f64(1.0));
        let mut evaluator = Evaluator {
            projected: &projected,
            constants: evaluator.constants,
            workers: evaluator.workers,
            monitor: evaluator.monitor,
            workspace: Workspace::default(),
        };
        let mut descent = Descent::new(false);
        let mut last = Vec::new();
        loop {
            let done = match descent.stage(&mut evaluator, &working, &last, &goal) {
                // A part whose fit fails counts against all components.
                Err(StageInterrupt::Error(_)) => return Ok(vec![1.0; rank]),
                other => other?,
            };
            (working, last) = (done.components, done.thresholds);
            if done.end.is_some() {
                break;
            }
        }
        for (nearest, sine) in nearest.iter_mut().zip(sines(&working, components)) {
            *nearest = nearest.min(sine);
        }
    }
    Ok(nearest.into_iter().map(|sine| (part_to_new * sine).min(1.0)).collect())
}
