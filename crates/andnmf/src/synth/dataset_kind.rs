//! The named datasets: those of the paper and some harder ones.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Weights;
use crate::SettingError;

/// A named family of datasets. It determines the truth and the default weights of
/// [`DatasetSpec::new`](super::DatasetSpec::new).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// Topics with Dirichlet weights: the paper's DIR.
    Dir,
    /// Topics with correlated logistic-normal weights of one persistent covariance: the paper's CTM.
    Ctm,
    /// Topics whose logistic-normal weights have the mean and covariance of the topics of the NIPS papers.
    CtmFitted,
    /// Topics with logistic-normal weights in pairs whose logits have a correlation of 0.9.
    CtmBlocks,
    /// Topics with the weights that the paper's released code draws for CTM.
    CtmReleased,
    /// Components with negative entries: the paper's NEG.
    ///
    /// The paper says that the weights are those of CTM, which can mean the prior it describes or what its code draws.
    /// The default is the latter; for the former, set [`DatasetSpec::weights`](super::DatasetSpec::weights).
    Neg,
    /// CTM with Gaussian noise: the paper's NOISE.
    Noise,
    /// Topics with binary weights, a fixed number of which are 1.
    Binary,
    /// Topics with sparse weights under the paper's decay condition.
    Decay,
    /// Topics that occur in pairs: the most strongly correlated kind.
    Paired,
}

impl DatasetKind {
    /// Every kind, in the order of the paper.
    pub const ALL: [Self; 10] = [
        Self::Dir,
        Self::Ctm,
        Self::CtmFitted,
        Self::CtmBlocks,
        Self::CtmReleased,
        Self::Neg,
        Self::Noise,
        Self::Binary,
        Self::Decay,
        Self::Paired,
    ];

    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dir => "dir",
            Self::Ctm => "ctm",
            Self::CtmFitted => "ctm-fitted",
            Self::CtmBlocks => "ctm-blocks",
            Self::CtmReleased => "ctm-released",
            Self::Neg => "neg",
            Self::Noise => "noise",
            Self::Binary => "binary",
            Self::Decay => "decay",
            Self::Paired => "paired",
        }
    }

    /// The default weights of this kind, with the paper's settings if it states them.
    pub fn default_weights(self) -> Weights {
        match self {
            Self::Dir => Weights::Dirichlet { concentration: 5.0 },
            Self::Ctm | Self::Noise => Weights::LogisticNormal { scale: 3.0, correlation: 0.5 },
            Self::CtmFitted => Weights::LogisticNormalOfPapers { mean_share: 1.0 },
            Self::CtmBlocks => Weights::LogisticNormalBlocks { scale: 3.0, correlation: 0.9 },
            Self::CtmReleased | Self::Neg => Weights::LogisticNormalReleased,
            Self::Binary => Weights::SparseBinary { sparsity: 5 },
            Self::Decay => Weights::Decay { sparsity: 5.0, order: 2.0 },
            Self::Paired => Weights::Paired { sparsity: 5.0, co_occurrence: 0.8, decay_order: None },
        }
    }
}

impl fmt::Display for DatasetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DatasetKind {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            SettingError::new("dataset", format!("\"{name}\""), format!("it must be one of {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_an_unknown_name_lists_them_all() {
        for kind in DatasetKind::ALL {
            assert_eq!(kind.to_string().parse::<DatasetKind>().unwrap(), kind);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        let error = "lda".parse::<DatasetKind>().unwrap_err().to_string();
        assert!(DatasetKind::ALL.iter().all(|kind| error.contains(kind.name())), "{error}");
    }
}
