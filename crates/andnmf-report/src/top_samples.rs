//! The samples that have the most of each component.

use std::collections::{BTreeMap, BTreeSet};

use andnmf::Real;
use ndarray::ArrayView2;
use serde::Serialize;

use crate::rounding::rounded;

/// Number of samples listed for each component.
const LISTED_SAMPLES: usize = 10;
/// Number of characters shown of a text.
const SHOWN_CHARACTERS: usize = 400;
/// Number of characters of all texts: with more components, fewer are shown of each.
const ALL_CHARACTERS: usize = 2_000_000;
/// Fewer characters would say nothing.
const FEWEST_CHARACTERS: usize = 80;

/// A sample with a large weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TopSample {
    /// The sample, counted from 0.
    pub sample: usize,
    /// Its weight.
    pub weight: f64,
    /// The share of the component in this sample: its contribution, relative to those of all components.
    pub share: f64,
}

/// What is known of the listed samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ListedSamples {
    /// Their names, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<usize, String>,
    /// The beginnings of their texts, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<usize, String>,
}

/// The samples that a report lists for these weights, counted from 0: only their texts are needed.
///
/// ```
/// let weights = ndarray::array![[0.0, 2.0], [0.0, 0.0], [3.0, 1.0]];
/// assert_eq!(andnmf_report::listed_samples(weights.view()).into_iter().collect::<Vec<_>>(), [0, 2]);
/// ```
#[must_use]
pub fn listed_samples<T: Real>(weights: ArrayView2<'_, T>) -> BTreeSet<usize> {
    (0..weights.ncols()).flat_map(|k| largest(weights, k)).collect()
}

/// The samples with the largest weights of a component, largest first, without zeros.
fn largest<T: Real>(weights: ArrayView2<'_, T>, component: usize) -> Vec<usize> {
    let column = weights.column(component);
    let mut samples: Vec<usize> = (0..column.len()).filter(|&i| column[i].as_f64() > 0.0).collect();
    let larger = |&a: &usize, &b: &usize| column[b].as_f64().total_cmp(&column[a].as_f64()).then(a.cmp(&b));
    if samples.len() > LISTED_SAMPLES {
        samples.select_nth_unstable_by(LISTED_SAMPLES - 1, larger);
        samples.truncate(LISTED_SAMPLES);
    }
    samples.sort_unstable_by(larger);
    samples
}

/// The top samples of each component. `sizes` are the sums of the magnitudes of each component.
pub(crate) fn top_samples<T: Real>(weights: ArrayView2<'_, T>, sizes: &[f64]) -> Vec<Vec<TopSample>> {
    let contribution = |i: usize, k: usize| weights[[i, k]].as_f64() * sizes[k];
    let of = |k: usize| {
        let entry = |sample: usize| {
            let all: f64 = (0..sizes.len()).map(|other| contribution(sample, other)).sum();
            let share = if all > 0.0 { contribution(sample, k) / all } else { 0.0 };
            TopSample { sample, weight: rounded(weights[[sample, k]].as_f64()), share: rounded(share) }
        };
        largest(weights, k).into_iter().map(entry).collect()
    };
    (0..weights.ncols()).map(of).collect()
}

impl ListedSamples {
    /// The names and the beginnings of the texts of the listed samples.
    pub(crate) fn of(
        listed: &[Vec<TopSample>],
        names: Option<&[String]>,
        texts: Option<&BTreeMap<usize, String>>,
    ) -> Self {
        let samples: BTreeSet<usize> = listed.iter().flatten().map(|top| top.sample).collect();
        let length = (ALL_CHARACTERS / samples.len().max(1)).clamp(FEWEST_CHARACTERS, SHOWN_CHARACTERS);
        let name = |&sample: &usize| names.map(|names| (sample, beginning(&names[sample], SHOWN_CHARACTERS)));
        let text = |&sample: &usize| {
            let text = texts.and_then(|texts| texts.get(&sample))?;
            Some((sample, beginning(text, length)))
        };
        Self {
            names: samples.iter().filter_map(name).collect(),
            texts: samples.iter().filter_map(text).collect(),
        }
    }
}

/// The beginning of a text, in one line, cut between words.
fn beginning(text: &str, length: usize) -> String {
    let mut short = String::new();
    let mut characters = 0;
    for word in text.split_whitespace() {
        let more = word.chars().count() + usize::from(characters > 0);
        if characters + more > length {
            if characters == 0 {
                short.extend(word.chars().take(length));
            }
            short.push('…');
            break;
        }
        if characters > 0 {
            short.push(' ');
        }
        short.push_str(word);
        characters += more;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn the_largest_weights_come_first_with_their_share_of_the_sample() {
        let weights = array![[1.0, 1.0], [0.0, 5.0], [3.0, 0.0], [1.0, 0.0]];
        let found = top_samples(weights.view(), &[1.0, 3.0]);
        let of =
            |k: usize| found[k].iter().map(|top| (top.sample, top.weight, top.share)).collect::<Vec<_>>();
        assert_eq!(of(0), [(2, 3.0, 1.0), (0, 1.0, 0.25), (3, 1.0, 1.0)]);
        assert_eq!(of(1), [(1, 5.0, 1.0), (0, 1.0, 0.75)]);
        let many = Array2::from_shape_fn((997, 1), |(i, _)| ((i * 389) % 997) as f64);
        let top: Vec<f64> = top_samples(many.view(), &[1.0])[0].iter().map(|top| top.weight).collect();
        assert_eq!(top, (987..997).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(top_samples(Array2::<f64>::zeros((3, 1)).view(), &[1.0]), [vec![]]);
    }

    #[test]
    fn only_listed_samples_have_names_and_texts() {
        let weights = array![[0.0], [2.0]];
        let listed = top_samples(weights.view(), &[1.0]);
        let names = ["a", "b"].map(String::from);
        let texts = BTreeMap::from([(0, "not shown".to_owned()), (1, "two\n  words".to_owned())]);
        let known = ListedSamples::of(&listed, Some(&names), Some(&texts));
        assert_eq!(known.names, BTreeMap::from([(1, "b".to_owned())]));
        assert_eq!(known.texts, BTreeMap::from([(1, "two words".to_owned())]));
        assert_eq!(listed_samples(weights.view()), BTreeSet::from([1]));
    }

    #[test]
    fn long_texts_are_cut_between_words() {
        assert_eq!(beginning("one two  three", 7), "one two…");
        assert_eq!(beginning("one two three", 13), "one two three");
        assert_eq!(beginning("ééééé", 3), "ééé…");
        assert_eq!(beginning(" \n ", 3), "");
    }
}
