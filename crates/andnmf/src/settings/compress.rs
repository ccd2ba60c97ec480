//! The setting `compress`, which several methods share.

use super::declare_choice;
use crate::SettingError;

declare_choice! {
    /// Compression: the space in which the stages run.
    #[derive(Eq)]
    pub enum Compress for "compress" {
        /// Lossless compression if it makes the stages faster.
        Auto = "auto",
        /// No compression.
        Off = "off",
        /// The span of the samples (and of the start, if components are combinations of both), if its dimension is
        /// smaller than the number of features: the same iterates in fewer operations.
        Lossless = "lossless",
        ;
        /// Projection on this many leading singular directions of the samples: lossy if there is noise.
        Leading(usize) = "a number of directions",
    }
}

impl Compress {
    pub(crate) fn check(self, rank: usize) -> Result<(), SettingError> {
        match self {
            Self::Leading(dimension) if dimension < rank => {
                let expected = format!("it must be at least the rank, {rank}");
                Err(SettingError::new("compress", dimension, expected))
            }
            _ => Ok(()),
        }
    }
}
