//! Anderson extrapolation of a fixed-point iteration on components that sum to one.
//!
//! The next components are those combination of the last results whose residuals (result − input) cancel best. A step that
//! lowers the objective is taken back: the iteration goes on from the last result without extrapolation.

use std::collections::VecDeque;

use ndarray::Array2;

use crate::Real;

/// An extrapolated value keeps at least this part of the plain step's: no value jumps to zero, which no step leaves.
const KEPT: f64 = 0.1;

/// The history of an iteration.
#[derive(Debug)]
pub(crate) struct Anderson<T> {
    window: usize,
    /// Results and residuals, latest last.
    history: VecDeque<(Array2<T>, Array2<T>)>,
    best: f64,
    /// The result of the last step that was accepted.
    safe: Option<Array2<T>>,
}

impl<T: Real> Anderson<T> {
    pub(crate) fn new(window: usize) -> Self {
        Self { window, history: VecDeque::new(), best: f64::NEG_INFINITY, safe: None }
    }

    /// Returns true if a step with this objective would not be taken back.
    pub(crate) fn accepts(&self, objective: f64) -> bool {
        objective >= self.best
    }

    /// The next components, after a step from `from` (with this objective, to be made large) gave `to`.
    pub(crate) fn next(&mut self, from: &Array2<T>, to: Array2<T>, objective: f64) -> Array2<T> {
        if objective < self.best
            && let Some(safe) = self.safe.take()
        {
            self.history.clear();
            self.best = f64::NEG_INFINITY;
            return safe;
        }
        self.best = objective;
        self.safe = Some(to.clone());
        let residual = &to - from;
        self.history.push_back((to, residual));
        if self.history.len() > self.window + 1 {
            self.history.pop_front();
        }
        self.extrapolated()
    }

    fn extrapolated(&self) -> Array2<T> {
        let (last, residual) = self.history.back().expect("just pushed");
        let earlier: Vec<_> = self.history.iter().take(self.history.len() - 1).collect();
        let m = earlier.len();
        if m == 0 {
            return last.clone();
        }
        let inner = |a: &Array2<T>, b: &Array2<T>| -> f64 {
            a.iter().zip(b).map(|(a, b)| a.as_f64() * b.as_f64()).sum()
        };
        let changes: Vec<Array2<T>> = earlier.iter().map(|(_, r)| residual - r).collect();
        let mut gram = vec![vec![0.0; m + 1]; m];
        for i in 0..m {
            for j in 0..=i {
                let value = inner(&changes[i], &changes[j]);
                gram[i][j] = value;
                gram[j][i] = value;
            }
            gram[i][m] = inner(&changes[i], residual);
        }
        let trace: f64 = (0..m).map(|i| gram[i][i]).sum();
        for (i, row) in gram.iter_mut().enumerate() {
            row[i] += 1e-8 * trace;
        }
        let Some(factors) = solved(gram) else { return last.clone() };
        let mut next = last.clone();
        for (factor, (earlier, _)) in factors.iter().zip(&earlier) {
            ndarray::Zip::from(&mut next).and(last).and(earlier).for_each(|next, &last, &earlier| {
                *next = T::from_f64(next.as_f64() - factor * (last.as_f64() - earlier.as_f64()));
            });
        }
        for (mut row, plain) in next.outer_iter_mut().zip(last.outer_iter()) {
            row.zip_mut_with(&plain, |v, &plain| {
                *v = T::from_f64(v.as_f64().max(KEPT * plain.as_f64()));
            });
            let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / sum));
        }
        next
    }
}

/// The solution of a small positive definite system, whose right-hand side is the last column.
fn solved(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let m = rows.len();
    for i in 0..m {
        let pivot = rows[i][i];
        if pivot <= 0.0 || !pivot.is_finite() {
            return None;
        }
        let upper = rows[i].clone();
        for row in rows.iter_mut().skip(i + 1) {
            let factor = row[i] / pivot;
            row.iter_mut().zip(&upper).for_each(|(v, u)| *v -= factor * u);
        }
    }
    let mut solution = vec![0.0; m];
    for i in (0..m).rev() {
        let rest: f64 = (i + 1..m).map(|j| rows[i][j] * solution[j]).sum();
        solution[i] = (rows[i][m] - rest) / rows[i][i];
    }
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}
