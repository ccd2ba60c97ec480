//! The settings of anchor words: unchecked [`AnchorWordsParams`] become a checked [`AnchorWords`].

use serde::{Deserialize, Serialize};

use crate::SettingError;
use crate::fit::Limits;

/// Settings of anchor words, as users give them.
///
/// ```
/// use andnmf::baselines::anchor_words::{AnchorWordsParams, Recover};
/// let anchor_words = AnchorWordsParams { recover: Recover::Kl, ..AnchorWordsParams::new(20) }.check()?;
/// assert_eq!(anchor_words.params().rank, 20);
/// assert!(AnchorWordsParams::new(0).check().is_err());
/// # Ok::<(), andnmf::SettingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnchorWordsParams {
    /// Number of topics.
    pub rank: usize,
    /// What values are.
    pub values: Values,
    /// Which distance to minimise where words are written as mixtures of the anchors.
    pub recover: Recover,
    /// Only words in at least this many documents can be anchors. With 0 every word that occurs can. Rare words
    /// are far from all others by chance alone, so that a corpus with its rare words in it needs this: the
    /// authors take 100 for some 1500 long documents.
    pub min_documents: usize,
    /// Anchors are looked for in a random projection of this many dimensions (or of the rank, if that is more);
    /// without one, or where there are no
    /// more words than that, in the space of all words.
    pub projection: Option<usize>,
    /// How far above the smallest possible distance the mixtures may be, by their duality gap: as a share of the
    /// squared length of the word's row for [`Recover::L2`], in nats for [`Recover::Kl`].
    pub tolerance: f64,
    /// Seconds after which to give up: a run that is stopped early has no topics at all.
    pub time_limit: Option<f64>,
    /// Seed of the random projection.
    pub seed: u64,
}

/// What the values of the samples are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// Counts where all of them are whole numbers, weights otherwise.
    Auto,
    /// How often each word occurs. A token makes no pair with itself, and documents need two of them.
    Counts,
    /// Frequencies or other weights of any scale. Documents are divided by their sums, and pairs are products:
    /// those of a word with itself are then too many, by the more the shorter the documents are.
    Weights,
}

/// Which distance to minimise between a word's row of co-occurrences and mixtures of the anchors' rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recover {
    /// The squared Euclidean distance: fast, since it needs inner products with the anchors only.
    L2,
    /// The Kullback–Leibler divergence of the mixture from the word's row.
    Kl,
}

impl Default for AnchorWordsParams {
    fn default() -> Self {
        Self {
            rank: 10,
            values: Values::Auto,
            recover: Recover::L2,
            min_documents: 0,
            projection: Some(1000),
            tolerance: 1e-9,
            time_limit: None,
            seed: 0,
        }
    }
}

impl AnchorWordsParams {
    /// Default settings with this many topics (and at least as many dimensions to look for their anchors).
    #[must_use]
    pub fn new(rank: usize) -> Self {
        let settings = Self::default();
        Self { rank, ..settings }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<AnchorWords, SettingError> {
        let &Self { rank, tolerance, time_limit, .. } = &self;
        Limits { rank, max_stages: 1, tolerance, time_limit }.check()?;
        if self.projection == Some(0) {
            return Err(SettingError::new("projection", 0, "it must be at least 1 dimension, or none"));
        }
        Ok(AnchorWords { params: self })
    }
}

/// Anchor words with checked settings: a [`Solver`](crate::fit::Solver), and the source of
/// [`AnchorTopics`](super::AnchorTopics), which tell more.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorWords {
    params: AnchorWordsParams,
}

impl AnchorWords {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &AnchorWordsParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(params: AnchorWordsParams) -> &'static str {
        params.check().unwrap_err().name
    }

    #[test]
    fn settings_outside_their_range_are_refused() {
        let with = AnchorWordsParams::new;
        assert_eq!(refused(with(0)), "rank");
        assert!(with(5000).check().is_ok());
        assert_eq!(refused(AnchorWordsParams { projection: Some(0), ..with(10) }), "projection");
        assert!(AnchorWordsParams { projection: Some(9), ..with(10) }.check().is_ok());
        for tolerance in [-1e-9, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(AnchorWordsParams { tolerance, ..with(10) }), "tolerance");
        }
        for seconds in [-1.0, f64::NAN] {
            assert_eq!(refused(AnchorWordsParams { time_limit: Some(seconds), ..with(10) }), "time_limit");
        }
    }

    #[test]
    fn settings_survive_json_and_unknown_ones_are_refused() {
        let params = AnchorWordsParams {
            values: Values::Weights,
            recover: Recover::Kl,
            projection: None,
            ..AnchorWordsParams::new(7)
        };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<AnchorWordsParams>(&text).unwrap(), params);
        assert!(serde_json::from_str::<AnchorWordsParams>(r#"{"rnak": 5}"#).is_err());
    }
}
