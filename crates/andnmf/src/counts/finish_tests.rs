//! Finishes of counts mend a start that knows nothing, and see when overdispersion is only a fit that was not good enough.

use ndarray::{Array2, Axis};

use super::finish::{CountEnd, finish_counts};
use super::noise::{CountNoise, Noise, recognised};
use super::search_tests::dispersed;
use super::tests::{csr, monitor};
use crate::constants::CountConstants;
use crate::samples::DenseSamples;

/// The mean sample in place of all components: steps from here keep them equal.
fn nothing_known(truth: &Array2<f64>) -> Array2<f64> {
    let mean = truth.mean_axis(Axis(0)).unwrap();
    Array2::from_shape_fn(truth.dim(), |(_, feature)| mean[feature])
}

/// Constants for data that are too large for a search.
fn without_search() -> CountConstants {
    CountConstants { search_work: 1.0, overdispersed_work: 1.0, ..CountConstants::default() }
}

fn noise_of(data: &Array2<f64>, rank: usize) -> CountNoise {
    let dense = DenseSamples::new(data.view()).unwrap();
    recognised(&dense, Noise::Poisson, rank, 0, &monitor()).unwrap().unwrap()
}

fn finished(
    data: &Array2<f64>,
    start: &Array2<f64>,
    noise: &CountNoise,
    constants: &CountConstants,
) -> CountEnd {
    finish_counts(&csr(data), start, noise, constants, (0, false, &monitor())).unwrap()
}

/// The smallest cosine between a true component and the nearest found one.
fn worst_cosine(truth: &Array2<f64>, end: &CountEnd) -> f64 {
    let unit = |rows: &Array2<f64>| {
        let norms = rows.mapv(|v| v * v).sum_axis(Axis(1)).mapv(f64::sqrt).insert_axis(Axis(1));
        rows / &norms
    };
    let cosines = unit(truth).dot(&unit(end.components.as_ref().unwrap()).t());
    let nearest = cosines.outer_iter().map(|row| row.fold(0.0, |a: f64, &b| a.max(b)));
    nearest.fold(1.0, f64::min)
}

#[test]
fn components_that_the_stages_did_not_find_are_found_from_singular_pairs() {
    let (data, truth) = dispersed(600, 5, 3000.0, 0.0);
    for choice_values in [usize::MAX, 9000] {
        let constants = CountConstants { choice_values, ..without_search() };
        let end = finished(&data, &nothing_known(&truth), &noise_of(&data, 5), &constants);
        let worst = worst_cosine(&truth, &end);
        assert!(worst > 0.99, "{worst} with a choice on {choice_values} values");
    }
}

#[test]
fn overdispersion_that_is_none_does_not_weigh_samples_down() {
    let (mut data, truth) = dispersed(600, 5, 20.0, 0.0);
    let (long, _) = dispersed(60, 5, 3000.0, 0.0);
    data.slice_mut(ndarray::s![..60, ..]).assign(&long);
    let noise = CountNoise { overdispersion: 0.0, ..noise_of(&data, 5) };
    let wrong = CountNoise { overdispersion: 20.0, ..noise.clone() };
    let constants = without_search();
    let known = worst_cosine(&truth, &finished(&data, &truth, &noise, &constants));
    let found = worst_cosine(&truth, &finished(&data, &truth, &wrong, &constants));
    assert!(1.0 - found < 1.1 * (1.0 - known), "{found} with an overdispersion, {known} without");
}
