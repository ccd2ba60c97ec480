//! The setting that several methods have for a smaller space.

use super::declare_choice;
use crate::SettingError;

declare_choice! {
    /// Whether to run the stages in a smaller space.
    #[derive(Eq)]
    pub enum Compress for "compress" {
        /// Losslessly, where that is found to pay.
        Auto = "auto",
        /// In the space of the samples as they are.
        Off = "off",
        /// In the span of the samples (and of the start, where components are combinations of both), wherever that
        /// is smaller than all features: the same iterates in fewer operations.
        Lossless = "lossless",
        ;
        /// In the span of this many leading singular directions of the samples: lossy under noise.
        Leading(usize) = "a number of directions",
    }
}

impl Compress {
    pub(crate) fn check(self, rank: usize) -> Result<(), SettingError> {
        match self {
            Self::Leading(dimension) if dimension < rank => {
                let expected =
                    format!("a projection needs at least as many directions as components, {rank}");
                Err(SettingError::new("compress", dimension, expected))
            }
            _ => Ok(()),
        }
    }
}
