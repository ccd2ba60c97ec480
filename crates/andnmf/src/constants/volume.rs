//! The minimum-volume ending and the evidence for it.

super::constants! {
    /// Constants of the end by least volume. Set on scenes of 3, 4 and 6 materials at 30 dB with seven kinds of weights and on
    /// the Samson, Jasper, Moffett and Apex scenes, where a field says nothing else (decision 0039).
    VolumeConstants {
        /// Most samples that soft volume looks at. Bounds its time; not set on data.
        most_samples: usize = 20_000,
        /// Negative part of the weights below which the stages have come to an answer.
        settled_part: f64 = 0.2,
        /// Discarded singular values whose first is less than this many times the sixth are white noise: 1.01 to 1.04 with
        /// white noise, 4 to 5 on the measured scenes.
        white: f64 = 1.5,
        /// Discarded singular values that fall by this factor show a structure that the components do not explain.
        structured: f64 = 2.5,
        /// Pile-up from which the components of the stages are kept under white noise: a learned density was better up to
        /// 3.2, the stages from 3.5 on and once at 3.0 (two materials at a time, 20 dB).
        piled_up_white: f64 = 3.3,
        /// The same where the noise has structure: the stages were better from 1.9 on, soft volume below 1.1.
        piled_up_structured: f64 = 1.3,
        /// Values of a component below this share of its largest are near zero. Not set on data.
        near_zero: f64 = 1e-3,
        /// Components with a larger share of such values have zeros that hold them, and the least volume does not decide:
        /// none in spectra, 0.36 to 0.59 in topics.
        few_zeros: f64 = 0.1,
        /// Spread of the sums of weights below which they are taken to sum to one: 0.08 and less on mixtures that sum to
        /// one, 0.17 and more on the measured scenes.
        on_simplex: f64 = 0.1,
        /// Softness of the limit at zero where the density of weights is taken to be flat, in standard deviations of a decoded
        /// weight.
        softness: f64 = 0.7,
        /// Least softness where that density is learned; it is the pile-up, up to 1. Of 0.55, 0.7, 0.85 and 1, the first two
        /// were best for pile-ups below 0.65 and the last from 1.7 on, by factors of two to five; below 0.65 single scenes of six
        /// materials jumped between 0.15 and 0.3.
        least_softness: f64 = 0.7,
        /// Misfit of a Dirichlet distribution to the weights up to which its maximum likelihood is taken; beyond, the density
        /// near zero alone. Set on 126 scenes of 3, 4 and 6 materials, 20 to 40 dB, seven kinds of weights, two seeds:
        /// 0.01 to 0.04 where weights are Dirichlet, 0.05 to 0.12 on smooth fields (decision 0042).
        most_misfit: f64 = 0.05,
        /// Most iterations of that maximum likelihood. Not set on data.
        likelihood_iterations: usize = 300,
        /// The same limit under joint noise grows by this share of the noise of a decoded share (relative to its spread): the
        /// noise hides the shape of the shares, while the limits of independent noise cost more. Set on seed 10 of the made scenes
        /// and on 45 with other weights (decision 0048): smooth fields of 40 dB, misfit 0.08 to 0.11, noise 0.01 to 0.08, are better
        /// without (1.4 to 3.4 times), those of 20 and 30 dB, misfit 0.06 to 0.09, noise 0.03 to 0.6, with it (0.3 to 0.95).
        misfit_per_noise: f64 = 0.5,
        /// Noise of a decoded share (relative to its spread) up to which that likelihood decides even where the singular values
        /// show no gap: 0.45 to 0.76 for six materials at 20 dB (seed 10), where a component too many has 0.9 and more.
        joint_most_noise: f64 = 0.85,
        /// Most components for which joint noise is considered, since its time grows with their fifth power. Not set on data.
        joint_rank: usize = 10,
        /// Samples that its search looks at first. 1,600 took 1.5 times as long and ended at the same (seed 10).
        joint_first_samples: usize = 800,
        /// Most samples that it looks at. Bounds its time; not set on data.
        joint_samples: usize = 4000,
        /// Iterations under independent noise from which it starts. 3, 20, 50 and 300 led to the same ends (seed 10).
        joint_start_iterations: usize = 20,
        /// Most iterations of its search by the first samples: 60 are too few at 20 dB (errors up to twice as large; seed 10).
        joint_iterations: usize = 150,
        /// Most iterations by all samples: 10, 20 and 40 differ by less than a tenth but at six materials and 20 dB (0.46, 0.38,
        /// 0.35; seed 10).
        joint_last_iterations: usize = 20,
        /// Most rounds, each with the noise and the density of the weights before it. Not set on data.
        rounds: usize = 12,
        /// Most iterations in a round. Not set on data.
        iterations: usize = 40,
        /// A round that moves the decoder by less than this share is the last. Not set on data.
        settled: f64 = 1e-3,
        /// Share of decoded weights clearly below zero from which a volume does not hold the samples.
        most_outside: f64 = 0.01,
        /// Parts of the samples that the end is tried on again. Not set on data.
        parts: usize = 2,
    }
}

impl VolumeConstants {
    /// The pile-up from which the components of the stages are kept, falling as the noise shows more structure.
    pub(crate) fn limit(&self, structure: f64) -> f64 {
        let place = (structure / self.white).ln() / (self.structured / self.white).ln();
        let place = place.clamp(0.0, 1.0);
        self.piled_up_white.powf(1.0 - place) * self.piled_up_structured.powf(place)
    }

    /// True if the likelihood under joint noise decides without a gap in the singular values.
    pub(crate) fn joint_alone(&self, misfit: f64, noise: f64) -> bool {
        noise <= self.joint_most_noise && self.joint_weight(misfit, noise) == 1.0
    }

    /// The weight of components under joint noise beside those by the density near zero: one where the misfit is small,
    /// falling to zero within a factor of two around its limit.
    pub(crate) fn joint_weight(&self, misfit: f64, noise: f64) -> f64 {
        let limit = self.most_misfit + self.misfit_per_noise * noise;
        ((limit / misfit.max(f64::MIN_POSITIVE)).log2() + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::VolumeConstants;

    #[test]
    fn joint_noise_loses_its_weight_steadily_as_the_misfit_grows() {
        let constants = VolumeConstants::default();
        assert_eq!(constants.joint_weight(0.0, 0.0), 1.0);
        assert_eq!(constants.joint_weight(0.2, 0.01), 0.0);
        assert_eq!(constants.joint_weight(0.2, 0.6), 1.0);
        let weights: Vec<f64> =
            (1..400).map(|i| constants.joint_weight(f64::from(i) / 1000.0, 0.1)).collect();
        assert!(weights.windows(2).all(|pair| pair[1] <= pair[0] && pair[0] - pair[1] < 0.03), "{weights:?}");
    }

    #[test]
    fn the_limit_falls_steadily_from_white_noise_to_structure() {
        let constants = VolumeConstants::default();
        assert_eq!(constants.limit(1.0), constants.piled_up_white);
        assert!((constants.limit(9.0) - constants.piled_up_structured).abs() < 1e-12);
        let limits: Vec<f64> = (10..30).map(|s| constants.limit(f64::from(s) / 10.0)).collect();
        assert!(limits.windows(2).all(|pair| pair[1] <= pair[0] && pair[0] / pair[1] < 1.4), "{limits:?}");
    }
}
