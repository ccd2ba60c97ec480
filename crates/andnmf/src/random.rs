//! Independent random streams from one seed.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The purpose of a random number. Each has its own stream of the generator, so that drawing more or fewer numbers
/// for one leaves all others bit for bit the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Stream {
    /// The true components.
    Truth = 0,
    /// The weights of the samples.
    Weights = 1,
    /// Correlations that all samples of a dataset share: the components that occur together.
    Correlations = 2,
    /// The noise on the samples.
    Noise = 3,
    /// The perturbation of an initialization.
    Start = 4,
    /// The selection of samples for a random initialization.
    RandomSamples = 5,
    /// The order of the samples in a stage (numbered by stage).
    Order = 6,
    /// Random combinations of samples (numbered by the first sample of a block).
    Sketch = 7,
    /// Subsets of the samples for stability checks (numbered by subset).
    Subsets = 8,
    /// Entries held out for cross-validation (numbered by fold).
    HeldOut = 9,
}

/// The generator of `seed` for one purpose.
pub(crate) fn generator(seed: u64, purpose: Stream) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64);
    rng
}

/// The generator of `seed` for one of several uses of the same purpose, such as one stage or one block.
pub(crate) fn numbered_generator(seed: u64, purpose: Stream, number: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The purpose in the top byte keeps these streams apart from each other and from the unnumbered ones.
    rng.set_stream((purpose as u64) << 56 | number as u64);
    rng
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn numbered_generators_differ_from_each_other_and_from_the_plain_one() {
        let number = |mut rng: ChaCha8Rng| rng.random::<u64>();
        let drawn = [
            number(numbered_generator(1, Stream::Order, 0)),
            number(numbered_generator(1, Stream::Order, 1)),
            number(numbered_generator(1, Stream::Sketch, 1)),
            number(generator(1, Stream::Order)),
        ];
        assert!((0..4).all(|i| (0..i).all(|j| drawn[i] != drawn[j])), "{drawn:?}");
    }

    fn first_numbers(seed: u64, purpose: Stream) -> Vec<u64> {
        let mut rng = generator(seed, purpose);
        (0..64).map(|_| rng.random()).collect()
    }

    #[test]
    fn a_purpose_repeats_its_numbers_and_shares_none_with_others() {
        let purposes = [Stream::Truth, Stream::Weights, Stream::Correlations, Stream::Noise, Stream::Start];
        let mut all = Vec::new();
        for purpose in purposes {
            assert_eq!(first_numbers(7, purpose), first_numbers(7, purpose));
            assert_ne!(first_numbers(7, purpose), first_numbers(8, purpose));
            all.extend(first_numbers(7, purpose));
        }
        all.sort_unstable();
        let drawn = all.len();
        all.dedup();
        assert_eq!(all.len(), drawn, "two streams overlap");
    }
}
