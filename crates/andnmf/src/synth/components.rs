//! True components: topics over words, and a matrix with negative entries.

use ndarray::Array2;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;

use super::{ensure_at_least_one, ensure_fits_memory};
use crate::SettingError;
use crate::random::{Stream, generator};

/// Word frequencies fall as `1 / (frequency rank + ZIPF_SHIFT)`: without the shift (as in text with stop words) a few
/// frequent words would make all topics similar.
const ZIPF_SHIFT: f64 = 40.0;
/// The share of topics that use the most frequent word and the rarest one; in between it falls quadratically. Its mean,
/// one third, is the share of non-zero entries.
const COMMONEST_USE: f64 = 0.9;
const RAREST_USE: f64 = 0.04;
/// A topic uses a word more or less than usual by the factor exp(individuality · standard normal). Topics range from
/// the first value (close to the general language) to the second (very distinctive); the least individual ones
/// determine the condition number of the matrix.
const LEAST_INDIVIDUALITY: f64 = 0.75;
const GREATEST_INDIVIDUALITY: f64 = 2.2;
/// Bound on that standard normal, so that no single word takes over a topic.
const DEVIATION_BOUND: f64 = 2.5;
/// One in this many of a topic's own words is a near-anchor word ...
const ANCHOR_EVERY: usize = 10;
/// ... which the topic uses this many times more than another word of that frequency ...
const ANCHOR_LIFT: f64 = 5.0;
/// ... and other topics, if at all, by this factor less.
const ANCHOR_LEAK: f64 = 1e-3;
/// The share of topics dominated by one near-anchor word, and the range of that word's share of the topic. In learned
/// topics such words make a few rows many times longer than the rest.
const DOMINATED: f64 = 0.11;
const LEAST_DOMINANCE: f64 = 0.5;
const GREATEST_DOMINANCE: f64 = 0.93;

/// A built-in word-topic matrix, `rank` × `n_features`: each row is a probability distribution over words.
///
/// It imitates topics learned from a collection of papers in what matters for recovery: words have Zipf-like
/// frequencies shared by all topics, a topic uses only some words (two thirds of the entries are exact zeros), every
/// topic has a few near-anchor words that others hardly use, some topics are far more distinctive than others, and one
/// in nine is dominated by a single word. With 100 topics over 2940 words the condition number is about 30. Every word
/// is used by at least one topic; columns are in random order.
///
/// Any sizes are allowed; with fewer words than topics the rows are linearly dependent.
///
/// # Errors
/// If `rank` or `n_features` is zero, or the matrix does not fit into memory.
///
/// ```
/// let truth = andnmf::synth::topics(5, 80, 0)?;
/// assert_eq!(truth.dim(), (5, 80));
/// assert!(truth.rows().into_iter().all(|topic| (topic.sum() - 1.0).abs() < 1e-12));
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn topics(rank: usize, n_features: usize, seed: u64) -> Result<Array2<f64>, SettingError> {
    ensure_shape(rank, n_features)?;
    let mut rng = generator(seed, Stream::Truth);
    // The columns of the words, from the most to the least frequent.
    let mut columns: Vec<usize> = (0..n_features).collect();
    columns.shuffle(&mut rng);
    // Evenly spaced, not random, so that the condition number varies little with the seed.
    let mut individuality: Vec<f64> = (0..rank)
        .map(|i| {
            let level = (i as f64 + 0.5) / rank as f64;
            LEAST_INDIVIDUALITY + (GREATEST_INDIVIDUALITY - LEAST_INDIVIDUALITY) * level
        })
        .collect();
    individuality.shuffle(&mut rng);

    let mut matrix = Array2::zeros((rank, n_features));
    for topic in 0..rank {
        for (frequency_rank, &column) in columns.iter().enumerate() {
            // Both are drawn for every entry, so that entries do not shift each other's random numbers.
            let chance: f64 = rng.random();
            let deviation = rng.sample::<f64, _>(StandardNormal).clamp(-DEVIATION_BOUND, DEVIATION_BOUND);
            let own = is_own_word(topic, frequency_rank, rank, n_features);
            if !own && chance >= use_share(frequency_rank, n_features) {
                continue;
            }
            let usual = (individuality[topic] * deviation).exp() / (frequency_rank as f64 + ZIPF_SHIFT);
            matrix[[topic, column]] = match (is_anchor(frequency_rank, rank), own) {
                (true, true) => usual * ANCHOR_LIFT,
                (true, false) => usual * ANCHOR_LEAK,
                (false, _) => usual,
            };
        }
    }
    for mut row in matrix.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    let mut order: Vec<usize> = (0..rank).collect();
    order.shuffle(&mut rng);
    let dominated = (DOMINATED * rank as f64).round() as usize;
    for (i, &topic) in order[..dominated].iter().enumerate() {
        let level = (i as f64 + 0.5) / dominated as f64;
        let share = LEAST_DOMINANCE + (GREATEST_DOMINANCE - LEAST_DOMINANCE) * level;
        let mut row = matrix.row_mut(topic);
        row *= 1.0 - share;
        row[columns[dominating_word(topic, rank, n_features)]] += share;
    }
    Ok(matrix)
}

/// Components with entries uniform on [-0.5, 0.5): the truth of the paper's NEG data.
///
/// # Errors
/// If `rank` or `n_features` is zero, or the matrix does not fit into memory.
pub fn signed_uniform(rank: usize, n_features: usize, seed: u64) -> Result<Array2<f64>, SettingError> {
    ensure_shape(rank, n_features)?;
    let mut rng = generator(seed, Stream::Truth);
    Ok(Array2::from_shape_simple_fn((rank, n_features), || rng.random_range(-0.5..0.5)))
}

fn ensure_shape(rank: usize, n_features: usize) -> Result<(), SettingError> {
    ensure_at_least_one("rank", rank)?;
    ensure_at_least_one("n_features", n_features)?;
    ensure_fits_memory("truth", rank, n_features)
}

/// Words are assigned to the topics in turn, the most frequent first; with fewer words than topics the words repeat. So
/// every word has a topic that uses it, and every topic has a word.
fn is_own_word(topic: usize, frequency_rank: usize, rank: usize, n_features: usize) -> bool {
    if n_features >= rank { frequency_rank % rank == topic } else { topic % n_features == frequency_rank }
}

/// Starts at a topic's second own word: its first is among the most frequent words, which all topics share.
fn is_anchor(frequency_rank: usize, rank: usize) -> bool {
    frequency_rank / rank % ANCHOR_EVERY == 1
}

/// The word that may dominate a topic, as frequency rank: its first near-anchor word, or its most frequent own word.
fn dominating_word(topic: usize, rank: usize, n_features: usize) -> usize {
    if rank + topic < n_features { rank + topic } else { topic % n_features }
}

/// The share of topics that use the word of this frequency rank.
fn use_share(frequency_rank: usize, n_features: usize) -> f64 {
    let from_rarest = 1.0 - frequency_rank as f64 / n_features as f64;
    RAREST_USE + (COMMONEST_USE - RAREST_USE) * from_rarest * from_rarest
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;
    use crate::linalg::product::multiply;
    use crate::linalg::symmetric::eigenvalues;

    fn condition(components: &Array2<f64>) -> f64 {
        let squares = eigenvalues(multiply(components.view(), components.t()).view()).unwrap();
        (squares[squares.len() - 1] / squares[0]).sqrt()
    }

    fn zero_share(components: &Array2<f64>) -> f64 {
        components.iter().filter(|&&entry| entry == 0.0).count() as f64 / components.len() as f64
    }

    #[test]
    fn topics_of_the_papers_size_are_conditioned_and_sparse_like_learned_ones() {
        for seed in [0, 1, 2, 99] {
            let truth = topics(100, 2940, seed).unwrap();
            let (condition, zeros) = (condition(&truth), zero_share(&truth));
            assert!((20.0..45.0).contains(&condition), "seed {seed}: condition number {condition}");
            assert!((0.60..0.72).contains(&zeros), "seed {seed}: {zeros} of the entries are zero");
            let mut lengths: Vec<f64> = truth.rows().into_iter().map(|row| row.dot(&row).sqrt()).collect();
            lengths.sort_by(f64::total_cmp);
            assert!((0.1..0.14).contains(&lengths[50]) && lengths[95] > 0.5, "seed {seed}: {lengths:?}");
        }
    }

    #[test]
    fn every_topic_is_a_distribution_and_every_word_is_used_at_any_size() {
        for (rank, n_features) in [(1, 1), (1, 30), (5, 1), (7, 3), (4, 4), (10, 11), (20, 500)] {
            let truth = topics(rank, n_features, 3).unwrap();
            assert_eq!(truth.dim(), (rank, n_features));
            assert!(truth.iter().all(|&p| p >= 0.0));
            assert!(truth.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
            assert!(truth.sum_axis(Axis(0)).iter().all(|&total| total > 0.0), "{rank} × {n_features}");
        }
    }

    #[test]
    fn every_topic_owns_near_anchor_words() {
        let truth = topics(20, 600, 4).unwrap();
        for (topic, row) in truth.rows().into_iter().enumerate() {
            let owned = (0..600).filter(|&word| row[word] > 0.9 * truth.column(word).sum()).count();
            assert!(owned >= 3, "topic {topic} owns {owned} words");
        }
    }

    #[test]
    fn word_frequencies_are_spread_over_orders_of_magnitude() {
        let mut totals = topics(100, 2940, 5).unwrap().sum_axis(Axis(0)).to_vec();
        totals.sort_by(f64::total_cmp);
        assert!(totals[2910] / totals[1470] > 10.0 && totals[1470] / totals[29] > 10.0);
    }

    #[test]
    fn signed_entries_fill_their_range_evenly() {
        let truth = signed_uniform(50, 400, 6).unwrap();
        assert!(truth.iter().all(|v| (-0.5..0.5).contains(v)));
        // Variance 1/12 for each of 20 000 entries.
        assert!(truth.mean().unwrap().abs() < 4.0 * (1.0_f64 / 12.0 / 20_000.0).sqrt());
        assert!((truth.mapv(|v| v * v).mean().unwrap() * 12.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(topics(8, 50, 1).unwrap(), topics(8, 50, 1).unwrap());
        assert_ne!(topics(8, 50, 1).unwrap(), topics(8, 50, 2).unwrap());
        assert_eq!(signed_uniform(8, 50, 1).unwrap(), signed_uniform(8, 50, 1).unwrap());
        assert_ne!(signed_uniform(8, 50, 1).unwrap(), signed_uniform(8, 50, 2).unwrap());
    }

    #[test]
    fn empty_and_impossible_sizes_are_refused() {
        for make in [topics, signed_uniform] {
            assert_eq!(make(0, 5, 1).unwrap_err().name, "rank");
            assert_eq!(make(5, 0, 1).unwrap_err().name, "n_features");
            assert_eq!(make(usize::MAX, 2, 1).unwrap_err().name, "truth");
            assert_eq!(make(1 << 40, 1 << 20, 1).unwrap_err().name, "truth");
        }
    }
}
