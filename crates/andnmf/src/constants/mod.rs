//! All constants of the automatic fit (search, ending and verdict) in one value.
//!
//! They are not hyperparameters: users never need them, and results with other values are not supported. Experiments and
//! sensitivity sweeps set them with [`And::with_constants`](crate::and::And::with_constants), also from JSON: omitted groups
//! and fields keep their defaults. Each field states its meaning and the data it was set on. "Not recorded" means that
//! the value is older than the record of its trials.

mod counts;
mod diagnosis;
mod end;
mod errors;
mod outliers;
mod projection;
mod schedule;
mod search;
mod stability;
mod start;
mod trust;
mod volume;

use serde::{Deserialize, Serialize};

pub use counts::{CountConstants, CountFinish};
pub use diagnosis::DiagnosisConstants;
pub use end::EndConstants;
pub use errors::ErrorConstants;
pub use outliers::OutlierConstants;
pub use projection::ProjectionConstants;
pub use schedule::ScheduleConstants;
pub use search::SearchConstants;
pub use stability::StabilityConstants;
pub use start::StartConstants;
pub use trust::{TrustConstants, UNSTABLE};
pub use volume::VolumeConstants;

/// A documented group of constants: each field with its default, in one place.
macro_rules! constants {
    ($(#[$of_group:meta])* $group:ident { $($(#[$of_field:meta])* $field:ident: $type:ty = $value:expr,)* }) => {
        $(#[$of_group])*
        #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $group {
            $($(#[$of_field])* pub $field: $type,)*
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}
use constants;

/// The constants of fits without settings, of their verdicts, and of diagnoses.
///
/// ```
/// use andnmf::constants::Constants;
/// let changed: Constants = serde_json::from_str(r#"{"trust": {"unstable": 0.2}}"#)?;
/// assert_eq!(changed.trust.unstable, 0.2);
/// assert_eq!(changed.search, Constants::default().search);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Constants {
    /// Leading directions, noise and signs of the samples.
    pub projection: ProjectionConstants,
    /// Samples that are set aside.
    pub outliers: OutlierConstants,
    /// Starts from the data alone.
    pub start: StartConstants,
    /// The choice of descents, and the limits of good, certain and lost results.
    pub search: SearchConstants,
    /// The decrease of thresholds within a descent.
    pub schedule: ScheduleConstants,
    /// Endings: non-negative components, and the choice of HALS or NMF.
    pub end: EndConstants,
    /// The minimum-volume ending and the evidence for it.
    pub volume: VolumeConstants,
    /// Fits to parts of the samples that estimate stability.
    pub stability: StabilityConstants,
    /// Checks of a finished fit that estimate the error of each component.
    pub errors: ErrorConstants,
    /// The limits from which evidence counts against a fit.
    pub trust: TrustConstants,
    /// The finish of fits to counts.
    pub counts: CountConstants,
    /// The limits from which weights count as unfit for recovery.
    pub diagnosis: DiagnosisConstants,
}

#[cfg(test)]
mod tests {
    use super::Constants;

    #[test]
    fn constants_come_back_from_json_and_unknown_ones_are_refused() {
        let all = Constants::default();
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Constants>(&text).unwrap(), all);
        assert_eq!(serde_json::from_str::<Constants>("{}").unwrap(), all);
        let part: Constants = serde_json::from_str(r#"{"schedule": {"first": 0.4}}"#).unwrap();
        assert_eq!(part.schedule.first, 0.4);
        assert_eq!(part.schedule.slowest_fall, all.schedule.slowest_fall);
        for wrong in [r#"{"schedules": {}}"#, r#"{"schedule": {"fist": 0.4}}"#] {
            assert!(serde_json::from_str::<Constants>(wrong).is_err(), "{wrong}");
        }
    }
}
