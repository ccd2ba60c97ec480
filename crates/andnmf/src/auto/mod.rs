//! AND without hyperparameters and without a warm start: the true components from the data alone.
//!
//! 1. **Project** the samples on as many leading directions as there are components (`initialize`, `projected`).
//! 2. **Start** from averages of samples that stick out (`averaged_projection`) or from directions in which samples
//!    have heavy tails (`independent`, `pairs`), improved by short descents and repaired where components are
//!    mixed up (`search`, `inclusion`).
//! 3. **Descend**: exact stages of AND with thresholds that fall from half of each component's largest weight to a
//!    floor that the negative decoded values set (`descent`, `schedule`, `relaxation`).
//! 4. **Switch** to the features if the weights of the samples leave doubt: their weights are the values of the
//!    components, which may have zeros where the weights of the samples have none (`state`, `engine`).
//! 5. **Retry** from the components of HALS if doubt is left and the samples are non-negative (`retry`).
//! 6. **Finish** in the space of the samples: components become non-negative if the samples are, and NMF takes over if
//!    the samples do not look like sparse mixtures (`finish`, `ending`).
//! 7. **Judge** the result (`stability`, `errors`; evidence and verdict are in [`crate::trust`]).
//!
//! The full samples are read at most ten times: up to six for the directions, once to project them, and up to three
//! times at the end. Everything else happens in the projected space.
//!
//! **Reference.** Algorithm 1 of Li & Liang, ICML 2017, is one stage; the rest is this library's own. Successive
//! projection: Araújo et al., 2001.

mod averaged_projection;
mod background;
mod background_component;
mod candidate;
mod counts_end;
mod decoded;
mod descent;
mod ending;
mod engine;
mod errors;
mod finish;
mod hals_runs;
mod inclusion;
mod independent;
mod initialize;
mod joint_end;
mod outliers;
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

pub use crate::trust::{CountReport, Ending, FitReport as AutoReport, Origin};
pub(crate) use shares::quantile;

use crate::and::And;
use crate::fit::{Fit, Run, Start, StopReason, Warning, drive};
use crate::objective::ScaledSamples;
use crate::samples::Samples;
use crate::trust::{Reason, Trust};
use crate::{FitError, Real};

pub(crate) use initialize::checkpoint_components;
use initialize::{Initialized, Scaled, initialize};

/// Fits samples, with thresholds set by the data.
fn fit<T: Real>(
    and: &And,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let counts = counts_end::in_metric_of_counts(and, samples, &start, run)?;
    let own = and;
    let and = counts.as_ref().map_or(and, |(and, _)| and);
    let (params, metric) = (and.params(), &and.objective().metric);
    metric.check(samples)?;
    let scaled = ScaledSamples::new(samples, metric);
    let scaled: &dyn Samples<T> = if metric.is_plain() { samples } else { &scaled };
    let mut engine = match initialize(and, Scaled { samples, scaled }, start, run)? {
        Initialized::Ready(engine) => engine,
        Initialized::Stopped(header, start, reason) => {
            let trust = Some(Trust::without_evidence(Reason::Stopped, params.rank));
            return Ok(Fit { trust, ..Fit::new(header, start, reason) });
        }
        Initialized::ZeroSamples(mut header, start) => {
            header.warnings.push(Warning::Unused { components: (0..params.rank).collect() });
            let trust = Some(Trust::without_evidence(Reason::ZeroSamples, params.rank));
            return Ok(Fit { trust, ..Fit::new(header, start, StopReason::Converged) });
        }
    };
    let kept = outliers::without(scaled, &engine.state.set_aside);
    let scaled = kept.as_ref().map_or(scaled, |kept| kept as &dyn Samples<T>);
    let stop = drive(&mut *engine, &params.limits(), run)?;
    let Some((_, noise)) = &counts else {
        let fit = finish::finish(*engine, scaled, run, stop)?;
        return errors::checked(fit, samples, (own, None), run);
    };
    let found = counts_end::found_components(&engine);
    let fit = finish::finish(*engine, scaled, run, stop)?;
    let fit = counts_end::finish(fit, (samples, noise), and, found, run)?;
    errors::checked(fit, samples, (own, Some(noise)), run)
}
