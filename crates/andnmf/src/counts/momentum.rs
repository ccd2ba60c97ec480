//! Momentum for steps that multiply positive numbers: Nesterov's extrapolation of their logarithms, with restarts.
//!
//! Steps of expectation-maximization multiply components and weights by factors near one. From the last two results x′ and x the
//! next step starts at x·(x/x′)^β, with Nesterov's β. Where the momentum no longer helps, β begins at zero again: either since
//! a step lowered the objective, which is then taken back (`climb`), or since it points against the step (`follow`), for
//! objectives that change from step to step, as under falling priors.
//!
//! **References.** Nesterov, 1983; restarts: O'Donoghue & Candès, 2015.

use ndarray::Array2;
use rayon::prelude::*;

use crate::Real;

/// An extrapolation multiplies a value by at most this, or divides it.
const FARTHEST: f64 = 8.0;
/// Values per task.
const VALUES_PER_TASK: usize = 1 << 13;

/// The history of an iteration on components, each of sum one, and weights.
#[derive(Debug)]
pub(crate) struct Momentum<T> {
    /// Nesterov's sequence; 1 after a restart.
    t: f64,
    best: f64,
    /// The results of the last step that was accepted.
    last: Option<(Array2<T>, Array2<T>)>,
}

impl<T: Real> Momentum<T> {
    pub(crate) fn new() -> Self {
        Self { t: 1.0, best: f64::NEG_INFINITY, last: None }
    }

    /// Returns true if a step with this objective would not be taken back.
    pub(crate) fn accepts(&self, objective: f64) -> bool {
        objective >= self.best
    }

    /// The next components, after a step that reached this objective (to be made large) gave `components` and `weights`, which
    /// are extrapolated, too.
    pub(crate) fn climb(
        &mut self,
        components: Array2<T>,
        weights: &mut Array2<T>,
        objective: f64,
    ) -> Array2<T> {
        if objective < self.best
            && let Some((safe, safe_weights)) = &self.last
        {
            weights.assign(safe_weights);
            (self.t, self.best) = (1.0, f64::NEG_INFINITY);
            return safe.clone();
        }
        self.best = objective;
        self.extrapolated(components, weights)
    }

    /// The same after a step from the components `from`, without an objective.
    pub(crate) fn follow(
        &mut self,
        from: &Array2<T>,
        components: Array2<T>,
        weights: &mut Array2<T>,
    ) -> Array2<T> {
        if let Some((last, _)) = &self.last {
            let mut along = 0.0;
            ndarray::Zip::from(&components).and(from).and(last).for_each(|&new, &from, &last| {
                let (new, from, last) = (new.as_f64(), from.as_f64(), last.as_f64());
                if new > 0.0 && from > 0.0 && last > 0.0 {
                    along += new * (new / from).ln() * (new / last).ln();
                }
            });
            if along < 0.0 {
                self.t = 1.0;
            }
        }
        self.extrapolated(components, weights)
    }

    /// The results of the last step that was accepted, without extrapolation.
    pub(crate) fn into_last(self) -> Option<(Array2<T>, Array2<T>)> {
        self.last
    }

    fn extrapolated(&mut self, components: Array2<T>, weights: &mut Array2<T>) -> Array2<T> {
        let next = (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt()) / 2.0;
        let beta = (self.t - 1.0) / next;
        self.t = next;
        let Some((last, last_weights)) = &mut self.last else {
            self.last = Some((components.clone(), weights.clone()));
            return components;
        };
        let mut ahead = components.clone();
        advance(&mut ahead, last, beta);
        for mut row in ahead.outer_iter_mut() {
            let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
            if sum > 0.0 {
                row.mapv_inplace(|v| T::from_f64(v.as_f64() / sum));
            }
        }
        advance(weights, last_weights, beta);
        *last = components;
        ahead
    }
}

/// Extrapolates `values` from `last`, which then has the values as they were.
fn advance<T: Real>(values: &mut Array2<T>, last: &mut Array2<T>, beta: f64) {
    let (Some(values), Some(last)) = (values.as_slice_mut(), last.as_slice_mut()) else { return };
    values.par_chunks_mut(VALUES_PER_TASK).zip(last.par_chunks_mut(VALUES_PER_TASK)).for_each(
        |(values, last)| {
            for (value, last) in values.iter_mut().zip(last) {
                let (new, old) = (value.as_f64(), last.as_f64());
                *last = *value;
                if beta > 0.0 && new > 0.0 && old > 0.0 {
                    let ahead = new * (new / old).powf(beta).clamp(1.0 / FARTHEST, FARTHEST);
                    // Denormal numbers are slow.
                    *value = if T::from_f64(ahead) > T::SMALLEST { T::from_f64(ahead) } else { *value };
                }
            }
        },
    );
}
