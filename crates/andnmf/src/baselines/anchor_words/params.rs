//! The settings of anchor words: unchecked [`AnchorWordsParams`] become a checked [`AnchorWords`].

use crate::SettingError;
use crate::settings::{About, Described, Memory, Range, Size, declare_choice, declare_settings, product};

declare_choice! {
    /// What the values of the samples are.
    #[derive(Eq)]
    pub enum Values for "values" {
        /// Counts where all of them are whole numbers, weights otherwise.
        Auto = "auto",
        /// How often each word occurs. A token makes no pair with itself, and documents need two of them.
        Counts = "counts",
        /// Frequencies or other weights of any scale. Documents are divided by their sums, and pairs are products:
        /// those of a word with itself are then too many, by the more the shorter the documents are.
        Weights = "weights",
    }
}

declare_choice! {
    /// Which distance to minimize between a word's row of co-occurrences and mixtures of the anchors' rows.
    #[derive(Eq)]
    pub enum Recover for "recover" {
        /// The squared Euclidean distance: fast, since it needs inner products with the anchors only.
        L2 = "l2",
        /// The Kullback–Leibler divergence of the mixture from the word's row.
        Kl = "kl",
    }
}

declare_settings! {
    /// Settings of anchor words, as users give them.
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
        /// Type of the values: word counts (counts), weights of any scale (weights), or counts if all values are whole
        /// numbers (auto).
        values: Values = Values::Auto;
        /// Distance to minimize when words are represented as mixtures of the anchors: squared Euclidean (l2), or the
        /// slower Kullback–Leibler divergence (kl).
        recover: Recover = Recover::L2;
        /// Minimum number of documents that contain a word for it to be an anchor. With 0, every word that occurs can
        /// be one. Rare words are far from all others by chance, so a corpus that includes them needs this; the authors
        /// use 100 for about 1500 long documents.
        min_documents: usize = 0;
        /// Dimensions of the random projection in which anchors are searched (at least the rank); with none, or with
        /// fewer words than that, the search uses the space of all words.
        projection: Option<usize> = Some(1000), Range::from(1.0, "it must be at least 1 dimension, or none");
        /// Convergence tolerance: the maximum duality gap of the mixtures, relative to the squared norm of the word's
        /// row for l2, in nats for kl.
        tolerance: f64 = 1e-9, Range::NOT_NEGATIVE;
        /// Time limit in seconds. A run stopped by it returns no topics.
        time_limit: Option<f64> = None, Range::SECONDS;
        common seed;
    }
}

impl AnchorWordsParams {
    fn check_together(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

impl Described for AnchorWordsParams {
    const ABOUT: About = About {
        class: "AnchorWords",
        title: "Anchor words",
        summary: "Topics from words that only one of them uses, found from how often words occur together (RecoverL2, RecoverKL).",
        counts: true,
        loss: None,
    };

    fn default_start(&self, _negative: bool) -> &'static str {
        "anchor-words"
    }

    fn needs_nonnegative(&self) -> bool {
        true
    }

    fn memory(&self, size: &Size) -> Memory {
        size.memory(size.wide(self.rank) + product(size.n_features, size.n_features, 16), 0)
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
