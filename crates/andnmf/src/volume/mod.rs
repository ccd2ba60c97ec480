//! Components of least volume: the smallest simplex or cone that holds the samples up to noise.
//!
//! **Problem.** Samples y (in as many coordinates as there are components) are mixtures of components with weights
//! z = P·y that are not negative. Where weights come near zero often enough, the right components are those of least
//! volume, that is, of the decoder P of largest determinant:
//!
//! maximise log|det P| + (1/n) Σ_t Σ_k log p_k(z_kt / s_k), subject to fixed sums of the columns of P.
//!
//! s_k is the noise of a decoded weight. With p = Φ, the normal distribution function, weights below zero cost what
//! noise makes them unlikely, and nothing has to be tuned: *soft volume*. Where weights pile up at zero this cuts
//! into them; p_k is then learned from the decoded weights themselves (`density`): the density of weights within
//! a few s_k of zero, relative to what lies beyond, seen through the noise.
//!
//! Where the weights of a sample sum to one, decoder and the density of all weights can be learned together, as a Dirichlet
//! distribution seen through noise (`dirichlet`). Where components are similar, noise moves the shares of a sample together;
//! the same likelihood then takes the noise of all shares together (`joint`, `expectation`).
//!
//! **Assumed.** White noise of known strength, samples in the span of the components. The fixed sums set the scale: the
//! weights of a sample sum to one (*simplex*), or each component's values do (*cone*).
//!
//! **References.** Craig (1994) for the least volume; Li & Bioucas-Dias (MVSA, 2008) and Chan et al. (2009) for forms with
//! hard or hinge constraints. The likelihood of noisy weights and the learned density are this library's own.

mod density;
mod dirichlet;
mod expectation;
mod joint;
mod joint_search;
mod lbfgs;
mod power_density;
mod soft;
#[cfg(test)]
mod testing;

pub(crate) use dirichlet::DirichletSolution;
pub(crate) use joint_search::{JointLimits, JointSolution};
pub(crate) use soft::{NearZero, SoftLimits, SoftSolution, SoftVolume};
