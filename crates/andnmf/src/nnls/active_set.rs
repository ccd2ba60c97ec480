//! The active-set method of Lawson and Hanson, from any feasible weights.
//!
//! Slower than pivoting, but it cannot cycle, because the loss falls with every step. It solves the samples for which
//! pivoting does not converge soon, which is rare unless components are nearly dependent.

use super::pivoting::rounding;
use super::systems::{PaddedGram, Systems};
use crate::linalg::lane_cholesky::LANES;

#[derive(Debug, Default)]
pub(super) struct ActiveSet {
    systems: Systems,
    passive: Vec<bool>,
    gradient: Vec<f64>,
    all: Vec<usize>,
}

impl ActiveSet {
    /// Moves `values`, one non-negative weight per component, to the optimum.
    pub(super) fn solve(&mut self, matrix: &PaddedGram<'_>, products: &[f64], values: &mut [f64]) {
        let rank = matrix.rank();
        self.all.clear();
        self.all.extend(0..rank);
        self.passive.clear();
        self.passive.extend(values.iter().map(|&v| v > 0.0));
        self.descend(matrix, products, values);
        for _ in 0..30 + 5 * rank {
            let Some(entering) = self.most_promising(matrix, products, values) else { return };
            self.passive[entering] = true;
            self.descend(matrix, products, values);
            if !self.passive[entering] {
                return; // only rounding made it look promising, and no other component was better
            }
        }
    }

    /// The component with the steepest descent of the loss; `None` at the optimum.
    fn most_promising(&mut self, matrix: &PaddedGram<'_>, products: &[f64], values: &[f64]) -> Option<usize> {
        matrix.gradient(products, &self.all, values, &mut self.gradient);
        let tolerance = rounding(values);
        (0..matrix.rank())
            .filter(|&k| !self.passive[k] && self.gradient[k] < -tolerance)
            .min_by(|&a, &b| self.gradient[a].total_cmp(&self.gradient[b]))
    }

    /// Moves to the least-squares weights of the passive set, and removes components that would become negative.
    fn descend(&mut self, matrix: &PaddedGram<'_>, products: &[f64], values: &mut [f64]) {
        loop {
            let members = self.systems.members_mut(0);
            members.clear();
            members.extend((0..matrix.rank()).filter(|&k| self.passive[k]));
            self.systems.factorize(matrix, 1);
            self.systems
                .solve_each(std::array::from_fn::<_, LANES, _>(|lane| (lane == 0).then_some(products)));
            let targets = || {
                let members = self.systems.members(0);
                members.iter().copied().zip(self.systems.solution(0, members.len()))
            };
            // The step ends where the first weight becomes zero; NaN gives no step.
            let reach = |value: f64, target: f64| if target > 0.0 { 1.0 } else { value / (value - target) };
            let step = targets().map(|(k, target)| reach(values[k], target)).fold(1.0, f64::min);
            let mut removed = false;
            for (k, target) in targets() {
                let stays = target > 0.0 || reach(values[k], target) > step;
                values[k] = if stays { (values[k] + step * (target - values[k])).max(0.0) } else { 0.0 };
                self.passive[k] = stays;
                removed |= !stays;
            }
            if !removed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis};

    use super::*;
    use crate::nnls::ScaledGram;
    use crate::nnls::oracle::lawson_hanson;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn every_start_leads_to_the_weights_of_the_oracle() {
        for (rank, features, lift) in [(1, 3, 0.0), (6, 10, 0.0), (25, 60, 0.0), (12, 30, 1.0)] {
            let components = random_matrix::<f64>(rank, features, 1) + lift;
            let gram = ScaledGram::new(components.dot(&components.t()).view()).unwrap();
            let scales = ndarray::Array1::from(gram.scales().to_vec());
            let matrix = PaddedGram::new(gram.values(), rank);
            let mut solver = ActiveSet::default();
            for seed in 0..20 {
                let sample = random_matrix::<f64>(1, features, seed + 5) + lift;
                let mut products = (components.dot(&sample.row(0)) * &scales).to_vec();
                products.push(0.0);
                let start = random_matrix::<f64>(1, rank, seed).mapv(|v| v.max(0.0) * 3.0);
                let mut values = start.row(0).to_vec();
                solver.solve(&matrix, &products, &mut values);
                let result = Array2::from_shape_vec((1, rank), values).unwrap() * &scales;
                let expected = lawson_hanson(components.view(), sample.row(0)).insert_axis(Axis(0));
                assert_close(&result, &expected, 1e-10);
            }
        }
    }
}
