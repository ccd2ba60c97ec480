//! The E-step: the variational posterior of a document's topic proportions, given the topics.
//!
//! For one document with counts c, and with θ = exp E[log θ] and β = exp E[log β], both up to factors that
//! cancel:
//!
//! ```text
//! ratio_w = c_w / Σ_k θ_k β_kw        γ_k = prior + θ_k Σ_w ratio_w β_kw        θ_k = exp ψ(γ_k)
//! ```
//!
//! until the mean change of γ is below the tolerance. The β of the document's words are packed once into tiles of
//! [`TILE`] words, topic by topic: both sums and the divisions then vectorize along the words, and each tile is read
//! twice while it is in the L1 cache.
//!
//! Most topics soon have a negligible share in a document. With small priors exp ψ falls so fast that their share in
//! any word is below rounding: such topics become inactive, and are checked again at convergence.

use pulp::{Simd, WithSimd};

use super::expectations::{Expectations, ScaleFactor};
use crate::Real;

/// Words per tile.
const TILE: usize = 32;
/// Accumulators per sum over words.
const ACCUMULATORS: usize = 16;

/// The hyperparameters of an E-step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EStep {
    /// Dirichlet prior α of a document's topic proportions.
    pub(super) prior: f64,
    /// Mean change of γ below which a document has converged.
    pub(super) tolerance: f64,
    /// Maximum number of iterations per document.
    pub(super) max_iterations: usize,
}

/// The variational posterior of one document, with buffers that are reused for the next.
#[derive(Debug)]
pub(super) struct DocumentPosterior<T> {
    rank: usize,
    n_words: usize,
    /// β of the words: tiles of rank × [`TILE`].
    tiles: Vec<[T; TILE]>,
    counts: Vec<[T; TILE]>,
    ratios: Vec<[T; TILE]>,
    /// Σ_w ratio_w β_kw of each topic.
    sums: Vec<[T; ACCUMULATORS]>,
    theta: Vec<T>,
    gamma: Vec<f64>,
    /// Topics with a non-negligible share in the document.
    active: Vec<usize>,
    inactive: Vec<usize>,
    /// Topics with less than this in the whole document have a share below rounding in every word.
    negligible: f64,
    expectations: Expectations,
    scale: Option<ScaleFactor>,
}

impl<T: Real> DocumentPosterior<T> {
    pub(super) fn new(rank: usize) -> Self {
        let zero = T::from_f64(0.0);
        Self {
            rank,
            n_words: 0,
            tiles: Vec::new(),
            counts: Vec::new(),
            ratios: Vec::new(),
            sums: vec![[zero; ACCUMULATORS]; rank],
            theta: vec![zero; rank],
            gamma: vec![1.0; rank],
            active: Vec::with_capacity(rank),
            inactive: Vec::with_capacity(rank),
            negligible: 0.0,
            expectations: Expectations::new(std::iter::repeat_n(0.0, rank)),
            scale: None,
        }
    }

    /// Runs the E-step of a document whose words are these rows of `beta` (words × rank).
    pub(super) fn solve(&mut self, step: &EStep, beta: &[T], words: &[usize], counts: &[T]) {
        pulp::Arch::new().dispatch(SolveDocument { document: self, step, beta, words, counts });
    }

    /// γ: the parameters of the Dirichlet posterior over topics.
    pub(super) fn gamma(&self) -> &[f64] {
        &self.gamma
    }

    /// exp E[log θ], scaled so that the largest is 1.
    pub(super) fn theta(&self) -> &[T] {
        &self.theta
    }

    /// The logarithm of the scale of [`theta`](Self::theta), without the term −ψ(Σγ).
    pub(super) fn ln_scale(&self) -> f64 {
        self.scale.map_or(0.0, ScaleFactor::ln)
    }

    /// c_w / Σ_k θ_k β_kw for each word.
    pub(super) fn ratios(&self) -> &[T] {
        &self.ratios.as_flattened()[..self.n_words]
    }

    /// Packs the words into tiles.
    #[inline(always)]
    fn load(&mut self, beta: &[T], words: &[usize], counts: &[T]) {
        let (rank, n_tiles) = (self.rank, words.len().div_ceil(TILE));
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        self.n_words = words.len();
        let smallest = counts.iter().map(|c| c.as_f64()).reduce(f64::min);
        self.negligible = smallest.unwrap_or(0.0) * T::EPSILON.as_f64();
        self.tiles.resize(n_tiles * rank, [zero; TILE]);
        self.counts.resize(n_tiles, [zero; TILE]);
        self.ratios.resize(n_tiles, [zero; TILE]);
        let lists = words.chunks(TILE).zip(counts.chunks(TILE));
        for ((tile, padded), (words, counts)) in
            self.tiles.chunks_exact_mut(rank).zip(&mut self.counts).zip(lists)
        {
            padded[..counts.len()].copy_from_slice(counts);
            padded[counts.len()..].fill(zero);
            for (lane, &word) in words.iter().enumerate() {
                for (to, &from) in tile.iter_mut().zip(&beta[word * rank..(word + 1) * rank]) {
                    to[lane] = from;
                }
            }
            // Padding has count 0 and β = 1, so that its quotient is 0.
            tile.iter_mut().for_each(|row| row[words.len()..].fill(one));
        }
    }

    #[inline(always)]
    fn reset(&mut self) {
        self.gamma.fill(1.0);
        self.theta.fill(T::from_f64(1.0));
        self.activate_all_topics();
    }

    #[inline(always)]
    fn iterate(&mut self, step: &EStep) {
        let mut remaining = step.max_iterations;
        loop {
            while remaining > 0 {
                remaining -= 1;
                if self.update(step.prior) < step.tolerance * self.rank as f64 {
                    break;
                }
            }
            if self.finish() || remaining == 0 {
                return;
            }
            // An inactive topic regained a share. That is rare, so all topics stay active from now on.
            self.activate_all_topics();
            self.negligible = 0.0;
        }
    }

    #[inline(always)]
    fn activate_all_topics(&mut self) {
        self.inactive.clear();
        self.active.clear();
        self.active.extend(0..self.rank);
    }

    /// One iteration: updates γ and θ of the active topics; returns the sum of the absolute changes of γ.
    #[inline(always)]
    fn update(&mut self, prior: f64) -> f64 {
        self.sums.fill([T::from_f64(0.0); ACCUMULATORS]);
        for (tile, counts) in self.tiles.chunks_exact(self.rank).zip(&self.counts) {
            let mut norms = [T::from_f64(0.0); TILE];
            add_norms(&mut norms, tile, &self.theta, &self.active);
            add_sums(&mut self.sums, tile, &divide(counts, &norms), &self.active);
        }
        let (mut change, mut n_active) = (0.0, 0);
        for index in 0..self.active.len() {
            let topic = self.active[index];
            let part = self.theta[topic].as_f64() * sum(&self.sums[topic]).as_f64();
            let gamma = prior + part;
            change += (gamma - self.gamma[topic]).abs();
            self.gamma[topic] = gamma;
            if part < self.negligible {
                self.inactive.push(topic);
            } else {
                self.active[n_active] = topic;
                self.expectations.values()[n_active] = gamma;
                n_active += 1;
            }
        }
        self.active.truncate(n_active);
        self.scale = Some(self.expectations.compute(n_active));
        for (&topic, &value) in self.active.iter().zip(&*self.expectations.values()) {
            self.theta[topic] = T::from_f64(value);
        }
        change
    }

    /// Computes θ of all topics and the ratios, the inputs of the topic update. Returns false if an inactive topic
    /// has a non-negligible share.
    #[inline(always)]
    fn finish(&mut self) -> bool {
        if !self.inactive.is_empty() {
            self.expectations.values()[..self.rank].copy_from_slice(&self.gamma);
            self.scale = Some(self.expectations.compute(self.rank));
            for (theta, &value) in self.theta.iter_mut().zip(&*self.expectations.values()) {
                *theta = T::from_f64(value);
            }
        }
        self.sums.fill([T::from_f64(0.0); ACCUMULATORS]);
        let tiles = self.tiles.chunks_exact(self.rank);
        for ((tile, counts), ratios) in tiles.zip(&self.counts).zip(&mut self.ratios) {
            let mut norms = [T::from_f64(0.0); TILE];
            add_norms(&mut norms, tile, &self.theta, &self.active);
            add_norms(&mut norms, tile, &self.theta, &self.inactive);
            *ratios = divide(counts, &norms);
            add_sums(&mut self.sums, tile, ratios, &self.inactive);
        }
        let part = |&topic: &usize| self.theta[topic].as_f64() * sum(&self.sums[topic]).as_f64();
        self.inactive.iter().all(|topic| part(topic) < self.negligible)
    }
}

/// Adds Σ_k θ_k β_kw over these topics for the words of a tile.
#[inline(always)]
fn add_norms<T: Real>(norms: &mut [T; TILE], tile: &[[T; TILE]], theta: &[T], topics: &[usize]) {
    let mut so_far = *norms;
    for &topic in topics {
        let (row, theta) = (&tile[topic], theta[topic]);
        for l in 0..TILE {
            so_far[l] += theta * row[l];
        }
    }
    *norms = so_far;
}

/// Counts divided by norms.
#[inline(always)]
fn divide<T: Real>(counts: &[T; TILE], norms: &[T; TILE]) -> [T; TILE] {
    // The floor avoids overflow if no topic of the document contains the word.
    let floor = T::from_f64(if T::EPSILON.as_f64() > 1e-10 { 1e-30 } else { 1e-250 });
    let mut ratios = [T::from_f64(0.0); TILE];
    for l in 0..TILE {
        ratios[l] = counts[l] / if norms[l] > floor { norms[l] } else { floor };
    }
    ratios
}

/// Adds Σ_w ratio_w β_kw of a tile to the sums of these topics.
#[inline(always)]
fn add_sums<T: Real>(
    sums: &mut [[T; ACCUMULATORS]],
    tile: &[[T; TILE]],
    ratios: &[T; TILE],
    topics: &[usize],
) {
    for &topic in topics {
        let (row, mut so_far) = (&tile[topic], sums[topic]);
        for part in 0..TILE / ACCUMULATORS {
            for l in 0..ACCUMULATORS {
                so_far[l] += row[part * ACCUMULATORS + l] * ratios[part * ACCUMULATORS + l];
            }
        }
        sums[topic] = so_far;
    }
}

#[inline(always)]
fn sum<T: Real>(lanes: &[T; ACCUMULATORS]) -> T {
    let mut sums = *lanes;
    let mut width = ACCUMULATORS / 2;
    while width > 0 {
        for l in 0..width {
            let other = sums[l + width];
            sums[l] += other;
        }
        width /= 2;
    }
    sums[0]
}

struct SolveDocument<'a, T> {
    document: &'a mut DocumentPosterior<T>,
    step: &'a EStep,
    beta: &'a [T],
    words: &'a [usize],
    counts: &'a [T],
}

impl<T: Real> WithSimd for SolveDocument<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.document.load(self.beta, self.words, self.counts);
        self.document.reset();
        self.document.iterate(self.step);
    }
}

#[cfg(test)]
pub(super) mod tests;
