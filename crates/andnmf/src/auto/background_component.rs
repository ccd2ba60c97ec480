//! A component that is on in every sample: stop words, ambient signal, a constant offset.
//!
//! The zeros of the weights determine all facets of the cone but one: the weight of the background is never zero, so
//! any share of it may hide in the other components. Their own zeros tell how much: in the features where a component has
//! nothing of its own, it is its share of the background, plus a constant where components are smoothed.

use ndarray::{ArrayView1, Axis};

use super::candidate::Candidate;
use super::engine::AutoEngine;
use super::inclusion::contact_level;
use super::projected::Signs;
use super::shares::low_quantiles;
use super::state::{SearchSide, unprojected};
use crate::Real;
use crate::fit::StageInterrupt;
use crate::trust::Origin;

/// The components without their shares of a background, if the samples have one and their weights determine the rest more
/// clearly than `best` is determined; `None` elsewhere.
pub(super) fn without_background<T: Real>(
    engine: &AutoEngine<'_, T>,
    best: &Candidate<T>,
) -> Result<Option<Candidate<T>>, StageInterrupt> {
    let (progress, constants) = (&engine.state.progress, engine.constants);
    let found = match &progress.side {
        SearchSide::Samples => best,
        SearchSide::Features { samples, .. } => samples.as_ref(),
    };
    let given = matches!(found.origin, Origin::Given | Origin::GivenRepaired);
    let signed = engine.params.signed || engine.signs == Signs::Any;
    let negative = found.negative_part >= constants.search.good;
    if given || signed || negative || progress.spectrum.noise > 0.0 || best.certain(&constants.search) {
        return Ok(None);
    }
    let mut evaluator = engine.evaluator();
    let decoded = evaluator.decode(&found.components)?;
    let low = low_quantiles(evaluator.values(), constants.end.low_quantile);
    let on = |k: &usize| low[*k] > constants.search.background_level * decoded.scales[*k];
    let backgrounds: Vec<usize> = (0..low.len()).filter(on).collect();
    let [background] = backgrounds[..] else { return Ok(None) };
    // The weights of the other components do not change when shares of the background are removed.
    let others: Vec<usize> = (0..low.len()).filter(|k| *k != background).collect();
    let values = evaluator.values().select(Axis(1), &others);
    let scales: Vec<f64> = others.iter().map(|&k| decoded.scales[k]).collect();
    let level = contact_level(&values, &scales, constants.search.certain_contacts * low.len());
    let clear = best.zero_level().max(constants.search.clear_level);
    if best.origin == Origin::Features && level.max(found.negative_part) >= clear {
        return Ok(None);
    }
    let full = unprojected(&found.components, &engine.state.basis, 1.0).mapv(|v| v.as_f64());
    let mut components = found.components.clone();
    let removed = found.components.row(background).to_owned();
    for k in others {
        let share = T::from_f64(background_share(full.row(k), full.row(background)));
        components.row_mut(k).zip_mut_with(&removed, |v, b| *v -= share * *b);
    }
    let negative_part = {
        evaluator.decode(&components)?;
        evaluator.workers.run(|| evaluator.negative_part(&components))
    };
    if negative_part >= constants.search.good {
        return Ok(None);
    }
    Ok(Some(Candidate {
        components,
        origin: found.origin,
        inclusions: 0,
        negative_part,
        fewest_contacts: 0,
        contact_level: level,
        background_level: found.background_level,
        excess_negative: negative_part,
    }))
}

/// The share of a background in a component: the slope of the line below all points (background, component), one for each
/// feature, that comes nearest to them and is not negative where the background is zero.
fn background_share(component: ArrayView1<'_, f64>, background: ArrayView1<'_, f64>) -> f64 {
    let mut points: Vec<(f64, f64)> =
        background.iter().copied().zip(component.iter().copied()).filter(|(b, _)| *b > 0.0).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mean = points.iter().map(|point| point.0).sum::<f64>() / points.len().max(1) as f64;
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for point in points {
        let turns_down =
            |a: (f64, f64), b: (f64, f64)| (b.0 - a.0) * (point.1 - a.1) <= (b.1 - a.1) * (point.0 - a.0);
        while hull.len() > 1 && turns_down(hull[hull.len() - 2], hull[hull.len() - 1]) {
            hull.pop();
        }
        hull.push(point);
    }
    let through_origin = hull.iter().map(|(b, v)| v / b).fold(f64::INFINITY, f64::min);
    let edge = hull.windows(2).find(|pair| pair[1].0 >= mean && pair[1].0 > pair[0].0);
    let slope = edge.map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0));
    let share = match (slope, edge) {
        (Some(slope), Some(pair)) if pair[0].1 - slope * pair[0].0 > 0.0 => slope,
        _ => through_origin,
    };
    if share.is_finite() { share } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::and::AndParams;
    use crate::fit::{Run, Solver, Start};
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn the_share_is_that_of_features_with_nothing_else_whatever_the_smoothing() {
        let values = random_matrix::<f64>(2, 300, 4).mapv(f64::abs);
        let background: Array1<f64> = values.row(0).to_owned();
        let own = values.row(1).mapv(|v| if v > 0.4 { v } else { 0.0 });
        for (share, smoothing) in [(0.3, 0.0), (0.3, 1e-3), (-0.1, 0.2), (0.0, 0.0)] {
            let component = &own + &(&background * share) + smoothing;
            let found = background_share(component.view(), background.view());
            assert!((found - share).abs() < 1e-9, "{share} {smoothing}: {found}");
        }
        assert_eq!(background_share(own.view(), Array1::zeros(300).view()), 0.0);
    }

    /// Sparse topics and a background, smoothed; sparse weights of the topics, and those of the background always on.
    fn samples(smoothing: f64) -> (Array2<f64>, Array2<f64>) {
        let cut = |v: f64| if v > 0.6 { v } else { 0.0 };
        let mut topics = random_matrix::<f64>(7, 120, 1).mapv(|v| cut(v.abs())) + smoothing;
        topics.row_mut(6).assign(&(random_matrix::<f64>(1, 120, 2).row(0).mapv(f64::abs) + smoothing));
        let mut weights = random_matrix::<f64>(800, 7, 3).mapv(|v| v.max(0.0));
        weights.column_mut(6).mapv_inplace(|v| 0.5 + v);
        (weights.dot(&topics), topics)
    }

    #[test]
    fn smoothed_components_and_their_background_are_found() {
        for smoothing in [0.0, 1e-6, 1e-3, 1e-1] {
            let (samples, topics) = samples(smoothing);
            let samples = DenseSamples::new(samples).unwrap();
            let fit = AndParams::new(7).check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
            let found = super::super::shares::nearest_sines(&topics, &fit.components);
            assert!(found.iter().all(|sine| *sine < 1e-5), "{smoothing}: {found:?}");
        }
    }
}
