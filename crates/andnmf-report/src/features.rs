//! The features that a page lists for each component, for every position of its slider from distinctive to strong.

use andnmf::Real;
use ndarray::ArrayView2;
use serde::Serialize;

use crate::fit_view::FeatureKind;
use crate::rounding::rounded;

/// The weight of strength against lift at which pages open, as in the lists of features elsewhere.
pub(crate) const FREQUENCY_WEIGHT: f64 = 0.3;
/// The positions of the slider: weights of 0, 1/10, …, 1.
const SLIDER_STEPS: usize = 10;
/// Number of features listed for a component drawn as bars.
const LISTED_BARS: usize = 30;
/// Number of features listed for a component drawn as a curve.
const LISTED_POINTS: usize = 10;

/// A feature of a component.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Feature(
    /// Its name, as an index into the names of all listed features.
    pub usize,
    /// Its value in the component.
    pub f64,
    /// How many times more of it the component has than the data as a whole; 1 is as much.
    pub f64,
);

/// The listed features of all components.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FeatureLists {
    /// The features that any component lists, by index.
    pub(crate) listed: Vec<usize>,
    /// For each component, its most relevant features at any position of the slider, in the order in which the page
    /// opens.
    pub(crate) of_component: Vec<Vec<Feature>>,
}

impl FeatureLists {
    /// Lists the features of components; `shares` are the contributions of components, if known.
    pub(crate) fn of<T: Real>(
        components: ArrayView2<'_, T>,
        shares: Option<&[f64]>,
        kind: FeatureKind,
    ) -> Self {
        let count = match kind {
            FeatureKind::Words | FeatureKind::Bars => LISTED_BARS,
            FeatureKind::Curve => LISTED_POINTS,
            FeatureKind::Image { .. } => 0,
        };
        let (rank, n_features) = components.dim();
        if count == 0 {
            return Self { listed: Vec::new(), of_component: vec![Vec::new(); rank] };
        }
        let sums: Vec<f64> =
            components.outer_iter().map(|row| row.iter().map(|v| v.as_f64().abs()).sum()).collect();
        let overall = overall_frequencies(components, &sums, shares);
        let candidates: Vec<Vec<Candidate>> = (0..rank)
            .map(|k| {
                let present = (0..n_features).filter_map(|feature| {
                    let value = components[[k, feature]].as_f64();
                    (value != 0.0).then(|| Candidate::new(feature, value, sums[k], overall[feature]))
                });
                most_relevant(present.collect(), count)
            })
            .collect();
        let mut listed: Vec<usize> = candidates.iter().flatten().map(|candidate| candidate.feature).collect();
        listed.sort_unstable();
        listed.dedup();
        let name_of = |candidate: Candidate| {
            let name = listed.binary_search(&candidate.feature).unwrap_or_default();
            Feature(name, rounded(candidate.value), rounded(candidate.log_lift.exp()))
        };
        let of_component =
            candidates.into_iter().map(|list| list.into_iter().map(name_of).collect()).collect();
        Self { listed, of_component }
    }
}

/// The frequency of each feature in the data as a whole: the mean of all components, scaled to sum to one, by their shares.
fn overall_frequencies<T: Real>(
    components: ArrayView2<'_, T>,
    sums: &[f64],
    shares: Option<&[f64]>,
) -> Vec<f64> {
    let (rank, n_features) = components.dim();
    let total: f64 = shares.into_iter().flatten().sum();
    let mut overall = vec![0.0; n_features];
    for (k, row) in components.outer_iter().enumerate().filter(|&(k, _)| sums[k] > 0.0) {
        let share = shares.filter(|_| total > 0.0).map_or(1.0 / rank as f64, |shares| shares[k] / total);
        overall.iter_mut().zip(row).for_each(|(sum, value)| *sum += share / sums[k] * value.as_f64().abs());
    }
    overall
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    feature: usize,
    value: f64,
    log_strength: f64,
    log_lift: f64,
}

impl Candidate {
    fn new(feature: usize, value: f64, sum: f64, overall: f64) -> Self {
        let frequency = (value.abs() / sum).max(f64::MIN_POSITIVE);
        // A component without a share still has its own features.
        let log_lift = frequency.ln() - overall.max(f64::MIN_POSITIVE).ln();
        Self { feature, value, log_strength: value.abs().ln(), log_lift }
    }

    fn relevance(&self, weight: f64) -> f64 {
        weight * self.log_strength + (1.0 - weight) * self.log_lift
    }
}

/// The candidates that are among the first `count` at any position of the slider, in the order of the opening position.
fn most_relevant(mut candidates: Vec<Candidate>, count: usize) -> Vec<Candidate> {
    if candidates.len() > count {
        let mut kept = vec![false; candidates.len()];
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        for step in 0..=SLIDER_STEPS {
            let weight = step as f64 / SLIDER_STEPS as f64;
            let scores: Vec<f64> = candidates.iter().map(|candidate| candidate.relevance(weight)).collect();
            order.select_nth_unstable_by(count - 1, |&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            order[..count].iter().for_each(|&i| kept[i] = true);
        }
        let mut keep = kept.into_iter();
        candidates.retain(|_| keep.next().unwrap_or(false));
    }
    let opening = |candidate: &Candidate| candidate.relevance(FREQUENCY_WEIGHT);
    candidates.sort_by(|a, b| opening(b).total_cmp(&opening(a)).then(a.feature.cmp(&b.feature)));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn lists(components: &Array2<f64>, shares: Option<&[f64]>) -> FeatureLists {
        FeatureLists::of(components.view(), shares, FeatureKind::Words)
    }

    #[test]
    fn lift_is_the_frequency_in_the_component_over_the_mean_by_shares() {
        let components = array![[3.0, 1.0, 0.0], [1.0, 0.0, 1.0]];
        let found = lists(&components, Some(&[0.75, 0.25]));
        // Frequencies 3/4, 1/4, 0 and 1/2, 0, 1/2: overall 11/16, 3/16, 1/8.
        let expected =
            [(1, 1.0, 4.0 / 3.0), (0, 3.0, 12.0 / 11.0)].map(|(n, v, l)| Feature(n, v, rounded(l)));
        assert_eq!(found.of_component[0], [expected[1], expected[0]]);
        assert_eq!(found.of_component[1], [Feature(2, 1.0, 4.0), Feature(0, 1.0, rounded(8.0 / 11.0))]);
        assert_eq!(found.listed, [0, 1, 2]);
    }

    #[test]
    fn the_first_features_are_listed_for_every_position_of_the_slider() {
        let value = |k: usize, w: usize| ((k * 7919 + w * 104_729 + k * w * 31) % 1009) as f64 / 1009.0;
        let components = Array2::from_shape_fn((5, 600), |(k, w)| value(k, w).powi(6));
        let found = lists(&components, None);
        let sums: Vec<f64> = components.outer_iter().map(|row| row.sum()).collect();
        for k in 0..5 {
            let frequency = |k: usize, w: usize| components[[k, w]] / sums[k];
            for weight in [0.0, 0.3, 1.0_f64] {
                let score = |w: usize| {
                    let overall = (0..5).map(|other| frequency(other, w)).sum::<f64>() / 5.0;
                    weight * components[[k, w]].ln() + (1.0 - weight) * (frequency(k, w) / overall).ln()
                };
                let mut order: Vec<usize> = (0..600).filter(|&w| components[[k, w]] > 0.0).collect();
                order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
                for feature in &order[..LISTED_BARS] {
                    let name = found.listed.binary_search(feature).unwrap();
                    assert!(
                        found.of_component[k].iter().any(|listed| listed.0 == name),
                        "{k} {weight} {feature}"
                    );
                }
            }
            assert!(found.of_component[k].len() < 150);
        }
    }

    #[test]
    fn zeros_are_omitted_negative_values_count_by_their_size_and_images_list_nothing() {
        let components = array![[0.0, 3.0, -5.0, 0.0], [0.0, 3.0, 0.0, 0.0]];
        let found = lists(&components, None);
        let listed: Vec<(usize, f64)> =
            found.of_component[0].iter().map(|f| (found.listed[f.0], f.1)).collect();
        assert_eq!(listed, [(2, -5.0), (1, 3.0)]);
        let image = FeatureKind::Image { height: 2, width: 2 };
        assert_eq!(FeatureLists::of(components.view(), None, image).of_component, [vec![], vec![]]);
        let unused = lists(&array![[1.0, 2.0]], Some(&[0.0]));
        assert_eq!(unused.of_component[0].len(), 2);
    }
}
