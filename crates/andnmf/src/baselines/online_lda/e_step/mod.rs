//! The E-step: how much of each topic is in a document, given the topics.
//!
//! For one document with counts c, and with θ = exp E[log θ] and β = exp E[log β], both up to factors that
//! cancel:
//!
//! ```text
//! ratio_w = c_w / Σ_k θ_k β_kw        γ_k = prior + θ_k Σ_w ratio_w β_kw        θ_k = exp ψ(γ_k)
//! ```
//!
//! until γ changes by less than the tolerance on average. The β of the document's words are copied once into
//! tiles of [`TILE`] words, topic by topic: both sums then run along the words in whole vectors, each tile is
//! read twice while it is in the nearest cache, and divisions come in vectors too.
//!
//! Most topics soon have no part in a document. With small priors exp ψ then falls so far that such a topic's
//! share in any word is below rounding: it is passed over from there on, and looked at again in the end.

use pulp::{Simd, WithSimd};

use super::expectations::{Expectations, LeftOut};
use crate::Real;

/// Words of a tile.
const TILE: usize = 32;
/// Sums over the words of a tile that are kept side by side.
const SUMS: usize = 16;

/// What an E-step is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EStep {
    /// Prior of a document's topics.
    pub(super) prior: f64,
    /// Mean change of γ at which a document is done.
    pub(super) tolerance: f64,
    /// Most iterations for a document.
    pub(super) most: usize,
}

/// One document at a time, with buffers that are used again for the next.
#[derive(Debug)]
pub(super) struct Document<T> {
    rank: usize,
    n_words: usize,
    /// β of the words: tiles of rank × [`TILE`].
    tiles: Vec<[T; TILE]>,
    counts: Vec<[T; TILE]>,
    ratios: Vec<[T; TILE]>,
    /// Sums over words, per topic.
    sums: Vec<[T; SUMS]>,
    theta: Vec<T>,
    gamma: Vec<f64>,
    /// The topics that have a part in the document.
    active: Vec<usize>,
    passed_over: Vec<usize>,
    /// What a topic must have in the whole document for its share in any word to be above rounding.
    negligible: f64,
    expectations: Expectations,
    left_out: Option<LeftOut>,
}

impl<T: Real> Document<T> {
    pub(super) fn new(rank: usize) -> Self {
        let zero = T::from_f64(0.0);
        Self {
            rank,
            n_words: 0,
            tiles: Vec::new(),
            counts: Vec::new(),
            ratios: Vec::new(),
            sums: vec![[zero; SUMS]; rank],
            theta: vec![zero; rank],
            gamma: vec![1.0; rank],
            active: Vec::with_capacity(rank),
            passed_over: Vec::with_capacity(rank),
            negligible: 0.0,
            expectations: Expectations::new(std::iter::repeat_n(0.0, rank)),
            left_out: None,
        }
    }

    /// Finds the topics of a document whose words are these rows of `beta` (words × rank).
    pub(super) fn solve(&mut self, step: &EStep, beta: &[T], words: &[usize], counts: &[T]) {
        pulp::Arch::new().dispatch(Solve { document: self, step, beta, words, counts });
    }

    /// γ: the parameters of the document's distribution over topics.
    pub(super) fn gamma(&self) -> &[f64] {
        &self.gamma
    }

    /// exp E[log θ], the largest being 1.
    pub(super) fn theta(&self) -> &[T] {
        &self.theta
    }

    /// The logarithm of what was left out of [`theta`](Self::theta), but for −ψ(Σγ).
    pub(super) fn ln_left_out(&self) -> f64 {
        self.left_out.map_or(0.0, LeftOut::ln)
    }

    /// c_w / Σ_k θ_k β_kw for each word.
    pub(super) fn ratios(&self) -> &[T] {
        &self.ratios.as_flattened()[..self.n_words]
    }

    /// Copies the words into tiles.
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
            // Padding has the count 0, and a β that leaves no doubt that 0 is divided by something.
            tile.iter_mut().for_each(|row| row[words.len()..].fill(one));
        }
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.gamma.fill(1.0);
        self.theta.fill(T::from_f64(1.0));
        self.take_all_topics();
    }

    #[inline(always)]
    fn iterate(&mut self, step: &EStep) {
        let mut left = step.most;
        loop {
            while left > 0 {
                left -= 1;
                if self.renew(step.prior) < step.tolerance * self.rank as f64 {
                    break;
                }
            }
            if self.finish() || left == 0 {
                return;
            }
            // A topic that was passed over came back. That is rare, so all of them are taken again for good.
            self.take_all_topics();
            self.negligible = 0.0;
        }
    }

    #[inline(always)]
    fn take_all_topics(&mut self) {
        self.passed_over.clear();
        self.active.clear();
        self.active.extend(0..self.rank);
    }

    /// One iteration: renews γ and θ of the active topics, and returns the sum of the changes of γ.
    #[inline(always)]
    fn renew(&mut self, prior: f64) -> f64 {
        self.sums.fill([T::from_f64(0.0); SUMS]);
        for (tile, counts) in self.tiles.chunks_exact(self.rank).zip(&self.counts) {
            let mut norms = [T::from_f64(0.0); TILE];
            add_norms(&mut norms, tile, &self.theta, &self.active);
            add_sums(&mut self.sums, tile, &divide(counts, &norms), &self.active);
        }
        let (mut change, mut kept) = (0.0, 0);
        for place in 0..self.active.len() {
            let topic = self.active[place];
            let part = self.theta[topic].as_f64() * sum(&self.sums[topic]).as_f64();
            let gamma = prior + part;
            change += (gamma - self.gamma[topic]).abs();
            self.gamma[topic] = gamma;
            if part < self.negligible {
                self.passed_over.push(topic);
            } else {
                self.active[kept] = topic;
                self.expectations.values()[kept] = gamma;
                kept += 1;
            }
        }
        self.active.truncate(kept);
        self.left_out = Some(self.expectations.compute(kept));
        for (&topic, &value) in self.active.iter().zip(&*self.expectations.values()) {
            self.theta[topic] = T::from_f64(value);
        }
        change
    }

    /// θ of all topics, and the ratios that go with them: the topics learn from both. False where a topic should
    /// not have been passed over.
    #[inline(always)]
    fn finish(&mut self) -> bool {
        if !self.passed_over.is_empty() {
            self.expectations.values()[..self.rank].copy_from_slice(&self.gamma);
            self.left_out = Some(self.expectations.compute(self.rank));
            for (theta, &value) in self.theta.iter_mut().zip(&*self.expectations.values()) {
                *theta = T::from_f64(value);
            }
        }
        self.sums.fill([T::from_f64(0.0); SUMS]);
        let tiles = self.tiles.chunks_exact(self.rank);
        for ((tile, counts), ratios) in tiles.zip(&self.counts).zip(&mut self.ratios) {
            let mut norms = [T::from_f64(0.0); TILE];
            add_norms(&mut norms, tile, &self.theta, &self.active);
            add_norms(&mut norms, tile, &self.theta, &self.passed_over);
            *ratios = divide(counts, &norms);
            add_sums(&mut self.sums, tile, ratios, &self.passed_over);
        }
        let part = |&topic: &usize| self.theta[topic].as_f64() * sum(&self.sums[topic]).as_f64();
        self.passed_over.iter().all(|topic| part(topic) < self.negligible)
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

/// Counts over norms.
#[inline(always)]
fn divide<T: Real>(counts: &[T; TILE], norms: &[T; TILE]) -> [T; TILE] {
    // Where no topic of the document has the word at all, the floor keeps the quotient in range.
    let floor = T::from_f64(if T::EPSILON.as_f64() > 1e-10 { 1e-30 } else { 1e-250 });
    let mut ratios = [T::from_f64(0.0); TILE];
    for l in 0..TILE {
        ratios[l] = counts[l] / if norms[l] > floor { norms[l] } else { floor };
    }
    ratios
}

/// Adds Σ_w ratio_w β_kw of a tile to the sums of these topics.
#[inline(always)]
fn add_sums<T: Real>(sums: &mut [[T; SUMS]], tile: &[[T; TILE]], ratios: &[T; TILE], topics: &[usize]) {
    for &topic in topics {
        let (row, mut so_far) = (&tile[topic], sums[topic]);
        for part in 0..TILE / SUMS {
            for l in 0..SUMS {
                so_far[l] += row[part * SUMS + l] * ratios[part * SUMS + l];
            }
        }
        sums[topic] = so_far;
    }
}

#[inline(always)]
fn sum<T: Real>(lanes: &[T; SUMS]) -> T {
    let mut sums = *lanes;
    let mut width = SUMS / 2;
    while width > 0 {
        for l in 0..width {
            let other = sums[l + width];
            sums[l] += other;
        }
        width /= 2;
    }
    sums[0]
}

struct Solve<'a, T> {
    document: &'a mut Document<T>,
    step: &'a EStep,
    beta: &'a [T],
    words: &'a [usize],
    counts: &'a [T],
}

impl<T: Real> WithSimd for Solve<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.document.load(self.beta, self.words, self.counts);
        self.document.begin();
        self.document.iterate(self.step);
    }
}

#[cfg(test)]
pub(super) mod tests;
