//! The methods by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A method that can factorize samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Alternating non-negative gradient descent: [`mod@crate::and`].
    And,
    /// Alternating non-negative least squares: [`crate::baselines::Anls`].
    Anls,
    /// Hierarchical alternating least squares: [`crate::baselines::Hals`].
    Hals,
    /// Minimum-volume factorization: [`crate::baselines::MinVolume`].
    MinVolume,
    /// Anchor words: [`mod@crate::baselines::anchor_words`].
    AnchorWords,
    /// Multiplicative updates: [`crate::baselines::Mu`].
    Mu,
    /// Online variational Bayes for latent Dirichlet allocation: [`crate::baselines::OnlineLda`].
    #[serde(rename = "lda")]
    OnlineLda,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] =
        [Self::And, Self::Hals, Self::Anls, Self::Mu, Self::MinVolume, Self::OnlineLda, Self::AnchorWords];

    /// The name that users write.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Anls => "anls",
            Self::Hals => "hals",
            Self::MinVolume => "min-volume",
            Self::AnchorWords => "anchor-words",
            Self::Mu => "mu",
            Self::OnlineLda => "lda",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}
