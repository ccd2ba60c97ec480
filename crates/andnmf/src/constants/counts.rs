//! Constants of fits to counts.

use serde::{Deserialize, Serialize};

use super::constants;

/// The finish of a fit to counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountFinish {
    /// The one that predicts held-out counts best.
    Auto,
    /// None: the components of the stages.
    Stages,
    /// Steps of likelihood.
    Likelihood,
    /// Steps under learned priors.
    Priors,
    /// Steps with profiles.
    Profiles,
}

constants! {
    /// The finish of fits to counts. Set on data made from topics of the NIPS papers (weights in pairs, 40 to 500 words) and
    /// on `ap_topics`.
    CountConstants {
        /// The finish.
        finish: CountFinish = CountFinish::Auto,
        /// The part of the counts that is held out to choose the finish.
        held_out: f64 = 0.1,
        /// Stored values of the samples on which finishes are compared, at most; the one that is chosen goes on with all.
        choice_values: usize = 1 << 18,
        /// A finish must predict a held-out count better than the stages by this, in log-probability, per mean squared sine
        /// of what it moves the components by. Set where components got lost (simulated cells 0.006, noiseless insertions
        /// and deletions) and where many were gained (doublet signatures 0.05 to 0.1, topics of 40 to 1,000 words up to 16).
        gain_per_move: f64 = 0.05,
        /// Share of the mean sample in every start: steps never leave zero.
        filled: f64 = 1e-3,
        /// Steps of likelihood, at most.
        likelihood_steps: usize = 60,
        /// Steps whose largest relative change of a component is below this are the last.
        tolerance: f64 = 1e-4,
        /// Steps under priors, at most.
        prior_steps: usize = 130,
        /// Updates of the shares per step under priors.
        prior_sweeps: usize = 3,
        /// The first prior of the shares.
        first_prior: f64 = 1.0,
        /// Its factor from step to step…
        prior_fall: f64 = 0.96,
        /// …in this many steps; later steps learn the prior.
        falling_steps: usize = 80,
        /// The prior of the values of components.
        component_prior: f64 = 0.05,
        /// Samples per profile.
        samples_per_profile: f64 = 5.0,
        /// Profiles, at most.
        most_profiles: usize = 3000,
        /// Steps with profiles.
        profile_steps: usize = 60,
        /// Steps of likelihood on the gathered counts in each.
        profile_sweeps: usize = 3,
        /// Candidates of a sample, at most.
        candidates: usize = 128,
        /// All profiles are compared every so many steps.
        refresh: usize = 10,
        /// The first inverse temperature of memberships.
        heat: f64 = 1.0,
        /// The part of its steps that a finish takes on each half of the counts to estimate errors.
        split_part: f64 = 0.3,
        /// Steps of a descent of the search for better components. This and the following were set on `dbs_signatures` and on
        /// the realistic set of insertions and deletions.
        search_steps: usize = 120,
        /// Sweeps that find the weights anew to compare components.
        search_sweeps: usize = 60,
        /// The factor of the prior of the search, which falls from `first_prior`…
        search_fall: f64 = 0.95,
        /// …to this.
        search_prior: f64 = 0.1,
        /// The work of a search in products; moves that take more are not made.
        search_work: f64 = 2e9,
        /// The same where counts are overdispersed: plain likelihood leads away from the components, and the search gains most.
        overdispersed_work: f64 = 1e10,
        /// Moves of a search, at most.
        most_moves: usize = 40,
        /// What overdispersion must gain in log-likelihood to be believed.
        least_gain: f64 = 10.0,
        /// Stored values in memory, at most: more samples than that are represented by a random part.
        most_values: usize = 1 << 26,
    }
}
