//! Distinctive features: those that a component has more of than the data as a whole.

use ndarray::{ArrayView1, ArrayView2, Axis};

use super::top_features;
use crate::{Real, SettingError, ShapeError};

/// The weight of a feature's frequency against its lift in [`Relevance`].
///
/// Set on marker genes of simulated cells and judged on words of 20 newsgroups (decision 0060): markers are found best at
/// 0.1 to 0.2, the coherence of words is largest at 0.2 and about the same from 0.1 to 0.6.
pub const FREQUENCY_WEIGHT: f64 = 0.2;

/// How the features of a component are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureOrder {
    /// By how much more the component has of them than the other components, see [`Relevance`].
    #[default]
    Relevance,
    /// By their value in the component.
    Value,
}

impl FeatureOrder {
    /// The names of all orders.
    pub const NAMES: [(&'static str, Self); 2] = [("relevance", Self::Relevance), ("value", Self::Value)];

    /// The order of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn by_name(name: &str) -> Result<Self, SettingError> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        let expected = "it must be relevance or value";
        found.map(|(_, order)| *order).ok_or_else(|| SettingError::new("by", format!("'{name}'"), expected))
    }
}

/// The relevance of features for components (Sievert & Shirley 2014, "LDAvis").
///
/// A component scaled to sum to one says how frequent each feature is within it, p(feature | component); the mean of all
/// components, weighted by their shares, says how frequent it is overall, p(feature). The lift is the ratio of the two: 1
/// if the component has no more of the feature than the data as a whole. The relevance is
/// λ ln p(feature | component) + (1 − λ) ln lift. At λ = 1 features are ranked by their values, at λ = 0 by lift alone,
/// where the rarest come first. [`FREQUENCY_WEIGHT`] is the λ of all lists.
///
/// Negative values count by their magnitude.
///
/// ```
/// use andnmf::metrics::{FREQUENCY_WEIGHT, Relevance};
/// // The first feature is large in both components, the others in one.
/// let components = ndarray::array![[6.0, 4.0, 0.0], [6.0, 0.0, 4.0]];
/// let relevance = Relevance::of(components.view(), None)?;
/// assert_eq!(relevance.top(components.view(), 0, 2), [1, 0]);
/// assert_eq!(relevance.lift(components.view(), 0, 1), 2.0);
/// let by_value = relevance.score(components.view(), 0, 0, 1.0) > relevance.score(components.view(), 0, 1, 1.0);
/// assert!(by_value);
/// # Ok::<(), andnmf::ShapeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// The sum of each component's magnitudes.
    sums: Vec<f64>,
    /// The frequency of each feature in the data as a whole.
    overall: Vec<f64>,
}

impl Relevance {
    /// Measures components. `shares` are their contributions to the samples ([`component_shares`]); without them, all
    /// contribute equally.
    ///
    /// # Errors
    /// If there is not one share per component.
    pub fn of<T: Real>(components: ArrayView2<'_, T>, shares: Option<&[f64]>) -> Result<Self, ShapeError> {
        let rank = components.nrows();
        if let Some(shares) = shares
            && shares.len() != rank
        {
            return Err(ShapeError::new(
                "shares",
                (1, shares.len()),
                format!("1 × {rank}, one per component"),
            ));
        }
        let sums: Vec<f64> = components.outer_iter().map(magnitude).collect();
        let total: f64 = shares.into_iter().flatten().sum();
        let mut overall = vec![0.0; components.ncols()];
        for (k, component) in components.outer_iter().enumerate() {
            let share = shares.filter(|_| total > 0.0).map_or(1.0 / rank as f64, |shares| shares[k] / total);
            if sums[k] > 0.0 {
                let factor = share / sums[k];
                overall
                    .iter_mut()
                    .zip(component)
                    .for_each(|(sum, value)| *sum += factor * value.as_f64().abs());
            }
        }
        Ok(Self { sums, overall })
    }

    /// The frequency of a feature in a component over its frequency in the data as a whole; 0 if it has none of it.
    #[must_use]
    pub fn lift<T: Real>(&self, components: ArrayView2<'_, T>, component: usize, feature: usize) -> f64 {
        let own = self.frequency(components.row(component), component, feature);
        // A component without a share still has its own features.
        if own > 0.0 { own / self.overall[feature].max(f64::MIN_POSITIVE) } else { 0.0 }
    }

    /// The relevance of a feature for a component, with λ = `frequency_weight`; −∞ if the component has none of it.
    #[must_use]
    pub fn score<T: Real>(
        &self,
        components: ArrayView2<'_, T>,
        component: usize,
        feature: usize,
        frequency_weight: f64,
    ) -> f64 {
        self.score_in(components.row(component), component, feature, frequency_weight)
    }

    /// The most relevant features of a component among its positive values, most relevant first; ties by index.
    #[must_use]
    pub fn top<T: Real>(
        &self,
        components: ArrayView2<'_, T>,
        component: usize,
        max_count: usize,
    ) -> Vec<usize> {
        let row = components.row(component);
        let mut scored: Vec<(f64, usize)> = (0..row.len())
            .filter(|&feature| row[feature].as_f64() > 0.0)
            .map(|feature| (self.score_in(row, component, feature, FREQUENCY_WEIGHT), feature))
            .collect();
        let more = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if scored.len() > max_count && max_count > 0 {
            scored.select_nth_unstable_by(max_count - 1, more);
        }
        scored.truncate(max_count);
        scored.sort_unstable_by(more);
        scored.into_iter().map(|(_, feature)| feature).collect()
    }

    fn frequency<T: Real>(&self, row: ArrayView1<'_, T>, component: usize, feature: usize) -> f64 {
        let sum = self.sums[component];
        if sum > 0.0 { row[feature].as_f64().abs() / sum } else { 0.0 }
    }

    fn score_in<T: Real>(
        &self,
        row: ArrayView1<'_, T>,
        component: usize,
        feature: usize,
        frequency_weight: f64,
    ) -> f64 {
        let own = self.frequency(row, component, feature);
        if own == 0.0 {
            return f64::NEG_INFINITY;
        }
        // ln own - (1 - λ) ln overall, which is the definition with its terms sorted.
        let overall = self.overall[feature].max(f64::MIN_POSITIVE);
        own.ln() - (1.0 - frequency_weight) * overall.ln()
    }
}

/// The first features of each component in this order. `shares` as in [`Relevance::of`].
///
/// # Errors
/// If there is not one share per component.
///
/// ```
/// use andnmf::metrics::{FeatureOrder, distinctive_features};
/// let components = ndarray::array![[6.0, 4.0, 0.0], [6.0, 0.0, 4.0]];
/// let by_relevance = distinctive_features(components.view(), None, FeatureOrder::Relevance, 1)?;
/// assert_eq!(by_relevance, [[1], [2]]);
/// assert_eq!(distinctive_features(components.view(), None, FeatureOrder::Value, 1)?, [[0], [0]]);
/// # Ok::<(), andnmf::ShapeError>(())
/// ```
pub fn distinctive_features<T: Real>(
    components: ArrayView2<'_, T>,
    shares: Option<&[f64]>,
    order: FeatureOrder,
    max_count: usize,
) -> Result<Vec<Vec<usize>>, ShapeError> {
    let relevance = Relevance::of(components, shares)?;
    Ok((0..components.nrows())
        .map(|component| match order {
            FeatureOrder::Relevance => relevance.top(components, component, max_count),
            FeatureOrder::Value => top_features(components.row(component), max_count),
        })
        .collect())
}

/// The contribution of each component to the samples, whatever its scale: its mean weight times the sum of its magnitudes,
/// as a fraction of all; zeros if nothing contributes.
///
/// ```
/// use andnmf::metrics::component_shares;
/// let components = ndarray::array![[1.0, 1.0], [0.0, 4.0]];
/// let weights = ndarray::array![[2.0, 0.0], [1.0, 0.5]];
/// assert_eq!(component_shares(components.view(), weights.view()), [0.75, 0.25]);
/// ```
#[must_use]
pub fn component_shares<T: Real>(components: ArrayView2<'_, T>, weights: ArrayView2<'_, T>) -> Vec<f64> {
    let contributions: Vec<f64> = components
        .outer_iter()
        .zip(weights.axis_iter(Axis(1)))
        .map(|(component, weights)| magnitude(component) * magnitude(weights))
        .collect();
    let all: f64 = contributions.iter().sum();
    contributions.iter().map(|share| if all > 0.0 { share / all } else { 0.0 }).collect()
}

fn magnitude<T: Real>(values: ArrayView1<'_, T>) -> f64 {
    values.iter().map(|value| value.as_f64().abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// The definition, term by term.
    fn naive(components: &Array2<f64>, shares: &[f64], k: usize, feature: usize, lambda: f64) -> f64 {
        let frequency = |k: usize| {
            components[[k, feature]].abs() / components.row(k).iter().map(|value| value.abs()).sum::<f64>()
        };
        let overall: f64 = (0..components.nrows()).map(|k| shares[k] * frequency(k)).sum();
        lambda * frequency(k).ln() + (1.0 - lambda) * (frequency(k) / overall).ln()
    }

    #[test]
    fn scores_are_those_of_the_definition_at_any_scale_of_the_components() {
        let components = array![[5.0, 2.0, 1.0, 0.5], [1.0, 1.0, -3.0, 0.5], [20.0, 0.1, 9.0, 0.5]];
        let shares = [0.5, 0.2, 0.3];
        // Shares need not sum to one.
        let relevance = Relevance::of(components.view(), Some(&[5.0, 2.0, 3.0])).unwrap();
        let scaled = &components * &array![[7.0], [0.01], [100.0]];
        let of_scaled = Relevance::of(scaled.view(), Some(&shares)).unwrap();
        for lambda in [0.0, 0.3, 1.0] {
            for (k, feature) in (0..3).flat_map(|k| (0..4).map(move |feature| (k, feature))) {
                let expected = naive(&components, &shares, k, feature, lambda);
                for (relevance, components) in [(&relevance, &components), (&of_scaled, &scaled)] {
                    let score = relevance.score(components.view(), k, feature, lambda);
                    assert!((score - expected).abs() < 1e-12, "{k} {feature} {lambda}: {score} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_feature_that_every_component_has_gives_way_to_its_own() {
        // Feature 0 is the largest everywhere; features 1 to 3 belong to one component each.
        let components = array![[9.0, 1.0, 0.0, 0.01], [9.0, 0.0, 1.0, 0.01], [9.0, 0.01, 0.0, 1.0]];
        let first = |order| distinctive_features(components.view(), None, order, 1).unwrap();
        assert_eq!(first(FeatureOrder::Relevance), [[1], [2], [3]]);
        assert_eq!(first(FeatureOrder::Value), [[0], [0], [0]]);
    }

    #[test]
    fn only_positive_values_are_listed_and_ties_are_ordered_by_index() {
        let components = array![[0.0, 2.0, -5.0, 2.0], [0.0, 0.0, 0.0, 0.0]];
        let listed = distinctive_features(components.view(), None, FeatureOrder::Relevance, 9).unwrap();
        assert_eq!(listed, [vec![1, 3], vec![]]);
        let none = distinctive_features(components.view(), None, FeatureOrder::Relevance, 0).unwrap();
        assert_eq!(none, [[0_usize; 0]; 2]);
    }

    #[test]
    fn components_without_shares_keep_their_features() {
        let components = array![[1.0, 3.0], [2.0, 0.0]];
        for shares in [&[0.0, 0.0], &[0.0, 1.0]] {
            let listed =
                distinctive_features(components.view(), Some(shares), FeatureOrder::Relevance, 2).unwrap();
            assert_eq!(listed, [vec![1, 0], vec![0]], "{shares:?}");
        }
        let error = Relevance::of(components.view(), Some(&[1.0])).unwrap_err().to_string();
        assert!(error.contains("one per component"), "{error}");
    }

    #[test]
    fn orders_have_names() {
        for (name, order) in FeatureOrder::NAMES {
            assert_eq!(FeatureOrder::by_name(name), Ok(order));
        }
        let error = FeatureOrder::by_name("size").unwrap_err().to_string();
        assert!(error.contains("relevance or value"), "{error}");
    }

    #[test]
    fn shares_of_nothing_are_zero() {
        let zero = Array2::<f64>::zeros((2, 2));
        assert_eq!(component_shares(zero.view(), zero.view()), [0.0, 0.0]);
    }
}
