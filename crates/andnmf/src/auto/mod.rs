//! AND without settings and without a warm start: from the data alone to the true components.
//!
//! 1. **Project** the samples on as many leading directions as there are components (`projected`).
//! 2. **Start** from averages of samples that stick out (`averaged_projection`) or from directions in which samples
//!    have heavy tails (`independent`, `pairs`), improved by short descents and repaired where components are
//!    mixed up (`search`, `inclusion`).
//! 3. **Descend**: exact stages of AND with thresholds that fall from half of each component's largest weight to a
//!    floor that the negative decoded values set (`descent`, `schedule`, `relaxation`).
//! 4. **Turn** to the features where the weights of the samples leave doubt: their weights are the values of the
//!    components, which may have zeros where the others have none (`state`, `engine`).
//! 5. **Try again** from what HALS comes to where doubt is left, and the samples are not negative (`retry`).
//! 6. **Finish** in the space of the samples, without negative values where the samples have none, and by NMF where the
//!    samples do not look like sparse mixtures (`finish`).
//! 7. **Judge** what was found (`stability`; evidence and judgement are in [`crate::trust`]).
//!
//! The full samples are read at most ten times: up to six for the directions, once to project them, and up to three
//! times at the end. Everything else happens in the projected space.
//!
//! **Reference.** Algorithm 1 of Li & Liang, ICML 2017, is one stage; what surrounds it is this library's own. Successive
//! projection: Araújo et al., 2001.

mod averaged_projection;
mod background;
mod begin;
mod candidate;
mod decoded;
mod descent;
mod ending;
mod engine;
mod finish;
mod hals_runs;
mod inclusion;
mod independent;
mod pairs;
mod projected;
mod relaxation;
mod retry;
mod schedule;
mod search;
mod shares;
mod solver;
mod stability;
mod start_kind;
mod state;
mod volume_end;

pub use crate::trust::{Ending, FitReport as AutoReport, Origin};
pub(crate) use shares::quantile;

use crate::and::And;
use crate::fit::{Fit, Run, Start, StopReason, Warning, drive};
use crate::objective::ScaledSamples;
use crate::samples::Samples;
use crate::trust::{Reason, Trust};
use crate::{FitError, Real};

pub(crate) use begin::checkpoint_components;
use begin::{Begun, Scaled, begin};

/// Fits samples with thresholds from the data.
fn fit<T: Real>(
    and: &And,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let (params, metric) = (and.params(), &and.objective().metric);
    metric.check(samples)?;
    let scaled = ScaledSamples::new(samples, metric);
    let scaled: &dyn Samples<T> = if metric.is_plain() { samples } else { &scaled };
    let mut engine = match begin(and, Scaled { samples, scaled }, start, run)? {
        Begun::Stages(engine) => engine,
        Begun::Stopped(header, start, reason) => {
            let trust = Some(Trust::without_evidence(Reason::Stopped, params.rank));
            return Ok(Fit { trust, ..Fit::new(header, start, reason) });
        }
        Begun::Nothing(mut header, start) => {
            header.warnings.push(Warning::Unused { components: (0..params.rank).collect() });
            let trust = Some(Trust::without_evidence(Reason::ZeroSamples, params.rank));
            return Ok(Fit { trust, ..Fit::new(header, start, StopReason::Converged) });
        }
    };
    let stop = drive(&mut *engine, &params.limits(), run)?;
    finish::finish(*engine, scaled, run, stop)
}
