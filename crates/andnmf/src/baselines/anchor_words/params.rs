//! The settings of anchor words.

use crate::SettingError;
use crate::memory::product;
use crate::settings::{About, Described, Memory, Range, Size, declare_choice, declare_settings};

declare_choice! {
    /// The interpretation of the values of the samples.
    #[derive(Eq)]
    pub enum ValueKind for "values" {
        /// Counts if all values are whole numbers, weights otherwise.
        Auto = "auto",
        /// Word counts. A token does not co-occur with itself, so documents need two tokens.
        Counts = "counts",
        /// Frequencies or other weights of any scale. Documents are normalized to sum 1, and co-occurrences are
        /// products. They overestimate the co-occurrence of a word with itself, more so for short documents.
        Weights = "weights",
    }
}

declare_choice! {
    /// The distance to minimize between a word's co-occurrence row and mixtures of the anchors' rows.
    #[derive(Eq)]
    pub enum Recover for "recover" {
        /// The squared Euclidean distance: fast, since it only needs inner products with the anchors.
        L2 = "l2",
        /// The Kullback–Leibler divergence of the mixture from the word's row.
        Kl = "kl",
    }
}

declare_settings! {
    /// Unchecked settings of anchor words.
    ///
    /// ```
    /// use andnmf::baselines::anchor_words::{AnchorWordsParams, Recover};
    /// let anchor_words = AnchorWordsParams { recover: Recover::Kl, ..AnchorWordsParams::new(20) }.check()?;
    /// assert_eq!(anchor_words.params().rank, 20);
    /// assert!(AnchorWordsParams::new(0).check().is_err());
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    pub struct AnchorWordsParams for AnchorWords = "anchor-words" {
        common rank;
        /// Interpretation of the values: word counts (counts), other weights of any scale (weights), or counts if all
        /// are whole numbers (auto).
        values: ValueKind = ValueKind::Auto;
        /// Distance to minimize when words are expressed as mixtures of the anchors: squared Euclidean (l2), or the
        /// Kullback–Leibler divergence (kl), which is slower.
        recover: Recover = Recover::L2;
        /// Minimum document frequency of anchors. With 0 every word that occurs can be an anchor. Rare words are far
        /// from all others by chance, so a corpus that contains rare words needs this: the authors use 100 for about
        /// 1500 long documents.
        min_documents: usize = 0;
        /// Dimension of the random projection for the anchor search (the rank, if that is more). With none, or if there
        /// are no more words than that, the search uses the space of all words.
        projection: Option<usize> = Some(1000), Range::from(1.0, "it must be at least 1 dimension, or none");
        /// Convergence tolerance: the maximum duality gap of a mixture, relative to the squared norm of the word's
        /// row for l2, in nats for kl.
        tolerance: f64 = 1e-9, Range::NOT_NEGATIVE;
        /// Time limit in seconds. A run that reaches it has no topics to return.
        time_limit: Option<f64> = None, Range::SECONDS;
        common seed;
    }
}

impl AnchorWordsParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

impl Described for AnchorWordsParams {
    const ABOUT: About = About {
        class: "AnchorWords",
        title: "Anchor words",
        summary: "Topics from anchor words, which occur in one topic only, by way of word co-occurrences (RecoverL2, RecoverKL).",
        counts: true,
        loss: None,
    };

    fn default_start(&self, _negative: bool) -> &'static str {
        "anchor-words"
    }

    fn needs_nonnegative(&self) -> bool {
        true
    }

    fn weighs_counts(&self) -> bool {
        false
    }

    fn memory(&self, size: &Size) -> Memory {
        let pairs = product(&[size.n_features, size.n_features, 16]);
        size.memory(size.wide(self.rank).saturating_add(pairs), 0)
    }

    fn least_memory(&self, rank: usize, size: &Size) -> u64 {
        // The co-occurrences of all features.
        size.least(rank).saturating_add(product(&[size.n_features, size.n_features, 8]))
    }

    fn takes_start() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(params: AnchorWordsParams) -> &'static str {
        params.check().unwrap_err().name
    }

    #[test]
    fn settings_outside_their_range_are_rejected() {
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
            values: ValueKind::Weights,
            recover: Recover::Kl,
            projection: None,
            ..AnchorWordsParams::new(7)
        };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<AnchorWordsParams>(&text).unwrap(), params);
        assert!(serde_json::from_str::<AnchorWordsParams>(r#"{"rnak": 5}"#).is_err());
    }
}
