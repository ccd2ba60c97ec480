//! Another start if the search ended in doubt: the components of HALS.
//!
//! HALS goes by the zeros of components and weights alike, slowly but from nearly anywhere: where components are on in
//! many samples and in company, no sample sticks out, and the search may take mixtures for components. From the
//! components of HALS, the stages then find those that they would have found from the truth.

use ndarray::Array2;

use super::candidate::Candidate;
use super::descent::Goal;
use super::engine::{AutoEngine, over};
use super::hals_runs::HalsRuns;
use super::projected::Signs;
use super::search::{Phase, Search};
use super::shares::clipped;
use super::state::unprojected;
use crate::fit::StageInterrupt;
use crate::linalg::product::multiply;
use crate::trust::Origin;
use crate::{FitError, Real};

/// The components that the search ended with, or better ones.
pub(super) fn retried<T: Real>(
    runs: &HalsRuns<'_, '_, '_, T>,
    best: Candidate<T>,
) -> Result<Candidate<T>, StageInterrupt> {
    let engine = runs.engine;
    let constants = &engine.constants.search;
    let basis = &engine.state.basis;
    let signed = engine.params.signed || engine.signs == Signs::Any;
    // A given start, or components decided by their zeros, must not be replaced.
    let given = matches!(best.origin, Origin::Given | Origin::GivenRepaired | Origin::Features);
    if signed || given || best.good(&engine.projected, constants) {
        return Ok(best);
    }
    let unit = engine.state.unit();
    let improved = || runs.improved(&clipped(&unprojected(&best.components, basis, unit)));
    let anew = || Ok(runs.nmf(best.components.nrows(), 1)?.components);
    for start in [&improved as &dyn Fn() -> _, &anew] {
        let start = multiply(start()?.view(), basis.t());
        let start = start.mapv(|v| T::from_f64(v.as_f64() / unit));
        if let Some(found) = descended(engine, start)?
            && found.good(&engine.projected, constants)
        {
            return Ok(Candidate { origin: Origin::Hals, ..found });
        }
    }
    Ok(best)
}

/// The result of the stages from a start; `None` if they diverge.
fn descended<T: Real>(
    engine: &AutoEngine<'_, T>,
    start: Array2<T>,
) -> Result<Option<Candidate<T>>, StageInterrupt> {
    let mut evaluator = engine.evaluator();
    let mut search = Search::from_given();
    let (mut working, mut thresholds) = (start, Vec::new());
    let most_stages = engine.constants.search.retry_stages.min(engine.params.max_stages);
    // A search from the data alone has already been tried: it is not repeated.
    while over(&search, most_stages).is_none() && !matches!(search.phase, Phase::Search { .. }) {
        let goal = search.goal(Goal { most_stages, ..engine.goal() }, &engine.constants.search);
        let done = match search.descent.stage(&mut evaluator, &working, &thresholds, &goal) {
            Err(StageInterrupt::Error(FitError::Overflow { .. })) => return Ok(None),
            other => other?,
        };
        thresholds = done.thresholds;
        let next = match done.end {
            Some(end) => search.descended(&mut evaluator, Some((done.components.clone(), end)))?,
            None => None,
        };
        working = next.unwrap_or(done.components);
    }
    Ok(search.best)
}
