//! Labels of cases and methods, used in figures and claims. They are part of the identity of stored results.

pub(in crate::reproduce) const DIR: &str = "DIR";
pub(in crate::reproduce) const CTM: &str = "CTM, one covariance";
/// The covariance of the papers' topics, with equal means.
pub(in crate::reproduce) const CTM_FITTED: &str = "CTM, covariance of papers";
/// The covariance of the papers' topics, with their means: some hardly occur.
pub(in crate::reproduce) const CTM_FITTED_MEANS: &str = "CTM, mean and covariance of papers";
pub(in crate::reproduce) const CTM_BLOCKS: &str = "CTM, pairs";
pub(in crate::reproduce) const CTM_RELEASED: &str = "CTM, as released";
pub(in crate::reproduce) const NEG: &str = "NEG, weights of one covariance";
pub(in crate::reproduce) const NEG_RELEASED: &str = "NEG, weights as released";
pub(in crate::reproduce) const NOISE: &str = "NOISE, one covariance";
pub(in crate::reproduce) const NOISE_RELEASED: &str = "NOISE, as released";
pub(in crate::reproduce) const NEWSGROUPS: &str = "20 newsgroups";
/// The size of the paper's table.
pub(in crate::reproduce) const NEWSGROUPS_PAPER: &str = "20 newsgroups, 2000 posts × 1000 words";
pub(in crate::reproduce) const FACES: &str = "faces";
pub(in crate::reproduce) const DIR_AUTO: &str = "DIR, AND auto from the data alone";

pub(in crate::reproduce) const AND_PAPER: &str = "AND (paper)";
pub(in crate::reproduce) const AND_THRESHOLDS: &str = "AND (paper's thresholds)";
pub(in crate::reproduce) const AND_AUTO: &str = "AND (auto, no start)";
pub(in crate::reproduce) const HALS: &str = "HALS";
pub(in crate::reproduce) const ANLS: &str = "ANLS";
pub(in crate::reproduce) const MU: &str = "MU";
pub(in crate::reproduce) const LDA: &str = "LDA";
pub(in crate::reproduce) const MIN_VOLUME: &str = "min-volume";
pub(in crate::reproduce) const ANCHOR_WORDS: &str = "anchor words";
/// Suffix of a method as the authors' released program runs it.
pub(in crate::reproduce) const AS_RELEASED: &str = ", as released";
pub(in crate::reproduce) const HALS_RELEASED: &str = "HALS, as released";
/// Suffix of a method whose components may be negative.
pub(in crate::reproduce) const SIGNED: &str = ", signed";

/// Suffix of the ratio of noise to signal in the Euclidean norm.
pub(in crate::reproduce) const EUCLIDEAN: &str = ", Euclidean norm";
pub(in crate::reproduce) const DECAY: &str = "DECAY, q = 2";
/// Thresholds of the paper's analysis, α = (λ‖E‖/r)^(2/(q+1)).
pub(in crate::reproduce) const THEORY: &str = "theory";
pub(in crate::reproduce) const DECREASING: &str = "decreasing";
/// Suffix of the noise level if thresholds have a floor from the data.
pub(in crate::reproduce) const FLOORED: &str = ", floored";
/// Suffix of the noise level if a stage has 50 steps, as elsewhere in the paper.
pub(in crate::reproduce) const FEWER_STEPS: &str = ", T = 50";
