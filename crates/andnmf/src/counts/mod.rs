//! Counts: words, reads, mutations, photons, whose noise grows with their mean.
//!
//! A default fit recognises counts and scales them so that their noise is even (`noise`): samples by one over the root of their
//! variance, features by one over the root of their mean. AND runs on the scaled samples as on any others. From its components
//! a search goes on where data are small enough for it: other starts and exchanged components, judged by evidence (`search`), under
//! Poisson noise or with overdispersion as it is learned (`gamma`, `overdispersion`). Overdispersed counts end there. For others
//! three finishes follow, and one of them, or none, is taken by its prediction of held-out counts (`finish`):
//!
//! * steps of **likelihood** (`model`), with momentum (`momentum`);
//! * steps with **priors** (`model`): a Dirichlet prior of the shares of a sample that falls, as the thresholds of AND do, and
//!   is then learned, and one of the values of components;
//! * steps with **profiles** (`profiles`): shares come from a finite set of profiles, a prior without a family.
//!
//! All of them read only stored values (`pass`), in single precision, from a copy in memory (`rows`).
//!
//! **References.** Expectation-maximization for mixtures of multinomials: Hofmann, 1999. Variational steps and learned Dirichlet
//! priors: Blei, Ng & Jordan, 2003; Minka, 2000. Nonparametric maximum likelihood: Kiefer & Wolfowitz, 1956. The choice of the
//! metric, of falling priors and of the finish is this library's own.

mod finish;
#[cfg(test)]
mod finish_tests;
mod gamma;
mod mixture;
pub(crate) mod model;
pub(crate) mod momentum;
mod noise;
mod overdispersion;
pub(crate) mod pass;
pub(crate) mod profiles;
pub(crate) mod rows;
mod search;
#[cfg(test)]
mod search_tests;
pub(crate) mod summary;
#[cfg(test)]
mod tests;
mod weights;

pub(crate) use finish::{CountEnd, finish_counts};
pub use noise::Noise;
pub(crate) use noise::{CountNoise, recognised, sums_of_counts};
pub(crate) use weights::as_weights_error;
pub use weights::weights;
