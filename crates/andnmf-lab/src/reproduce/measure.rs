//! What is kept of a run that sought a truth.

use andnmf::fit::StopReason;
use andnmf::metrics::{CorrelationError, correlation_error};
use andnmf::synth::Dataset;
use andnmf::theory::{Decomposition, MatrixError, strongest_correlations};
use andnmf_program::{ExperimentError, ExperimentOutcome, StageRow};
use ndarray::Array2;

use super::Course;
use super::course::StageError;
use super::outcome::{ComponentErrors, Errors, Recovered, StartMixing, WeightCorrelations};
use super::quantiles::median;
use super::thinning::thinned;

/// A run that came to its end.
pub(super) fn recovered(
    outcome: &ExperimentOutcome,
    data: &Dataset,
    own_start: Option<Errors>,
) -> Result<Recovered, ExperimentError> {
    let end = correlation_error(outcome.components.view(), data.truth.view())?;
    Ok(Recovered {
        end: errors(&end),
        components: Some(of_components(&end)),
        solver_seconds: outcome.solver_seconds,
        stop_reason: outcome.stop_reason,
        ..so_far(&outcome.stages, data, own_start)?
    })
}

/// How far a run came that went wrong in the end.
pub(super) fn broken_off(
    rows: &[StageRow],
    data: &Dataset,
    own_start: Option<Errors>,
    why: String,
) -> Result<Recovered, ExperimentError> {
    Ok(Recovered { broken_off: Some(why), ..so_far(rows, data, own_start)? })
}

fn so_far(
    rows: &[StageRow],
    data: &Dataset,
    own_start: Option<Errors>,
) -> Result<Recovered, ExperimentError> {
    let start = errors(&correlation_error(data.init.view(), data.truth.view())?);
    let begin = own_start.unwrap_or(start);
    let stages: Vec<StageError> = rows
        .iter()
        .map(|row| StageError { seconds: row.record.seconds, error: row.correlation_error })
        .collect();
    let way = thinned(rows);
    Ok(Recovered {
        start,
        own_start,
        course: Course::of(begin.total, &stages),
        end: way.last().map_or(begin, |last| last.errors),
        way,
        components: None,
        stages: rows.len(),
        solver_seconds: stages.last().map_or(0.0, |last| last.seconds),
        stop_reason: StopReason::MaxStages,
        weights: weight_correlations(data)?,
        mixing: None,
        least_without_negatives: least_without_negatives(&data.truth),
        conditions: None,
        broken_off: None,
    })
}

/// Both errors of components.
pub(super) fn errors(error: &CorrelationError) -> Errors {
    Errors { total: error.total(), relative: error.relative_total() }
}

fn of_components(end: &CorrelationError) -> ComponentErrors {
    let mut by_size = end.per_component.clone();
    by_size.sort_by(|a, b| b.total_cmp(a));
    let worst: f64 = by_size[..by_size.len().div_ceil(10)].iter().sum();
    ComponentErrors {
        in_order: end.nearest.iter().enumerate().all(|(i, nearest)| *nearest == Some(i)),
        median: median(&end.relative).unwrap_or(0.0),
        worst_tenth: if end.total() > 0.0 { worst / end.total() } else { 0.0 },
    }
}

/// How strongly the weights go together, over all pairs.
fn weight_correlations(data: &Dataset) -> Result<WeightCorrelations, MatrixError> {
    let pairs = strongest_correlations(data.weights.view(), usize::MAX)?;
    let sizes: Vec<f64> = pairs.iter().map(|(_, _, correlation)| correlation.abs()).collect();
    let most_positive = pairs.iter().map(|&(_, _, correlation)| correlation).reduce(f64::max);
    Ok(WeightCorrelations {
        largest: pairs.first().map_or(0.0, |&(_, _, correlation)| correlation),
        most_positive: most_positive.unwrap_or(0.0),
        typical: median(&sizes).unwrap_or(0.0),
    })
}

/// The start in terms of the truth: what of other components is mixed into each, beside its own part.
pub(super) fn mixing(data: &Dataset) -> Result<StartMixing, MatrixError> {
    let parts = Decomposition::of(data.init.view(), data.truth.view())?;
    let mixed = parts.off_diagonal.t().dot(&data.truth);
    let length = |row: ndarray::ArrayView1<'_, f64>| row.dot(&row).sqrt();
    let ratios: Vec<f64> = mixed
        .outer_iter()
        .zip(data.truth.outer_iter())
        .zip(&parts.diagonal)
        .map(|((mixed, own), share)| length(mixed) / (share.abs() * length(own)))
        .filter(|ratio| ratio.is_finite())
        .collect();
    Ok(StartMixing {
        norm: parts.norms.mixing_error,
        typical_ratio: median(&ratios).unwrap_or(0.0),
        largest_ratio: ratios.iter().copied().fold(0.0, f64::max),
    })
}

/// The nearest that components without negative entries can come to this truth, up to their length and sign: all that
/// is lost is the part of the rarer sign.
fn least_without_negatives(truth: &Array2<f64>) -> Option<f64> {
    if truth.iter().all(|&value| value >= 0.0) {
        return None;
    }
    let of_sign = |row: ndarray::ArrayView1<'_, f64>, sign: f64| {
        row.iter().map(|value| (sign * value).max(0.0).powi(2)).sum::<f64>().sqrt()
    };
    Some(truth.outer_iter().map(|row| of_sign(row, 1.0).min(of_sign(row, -1.0))).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::synth::{DatasetKind, DatasetSpec};
    use ndarray::array;

    #[test]
    fn the_rarer_sign_is_what_cannot_be_had_without_negatives() {
        let truth = array![[3.0, -4.0, 0.0], [-2.0, -1.0, 0.5]];
        assert_eq!(least_without_negatives(&truth), Some(3.5));
        assert_eq!(least_without_negatives(&array![[1.0, 0.0]]), None);
    }

    #[test]
    fn mixing_is_measured_against_the_own_part_of_each_component() {
        let spec =
            DatasetSpec { n_features: 50, rank: 6, n_samples: 20, ..DatasetSpec::new(DatasetKind::Dir) };
        let mut data = spec.generate().unwrap();
        data.truth = Array2::eye(6);
        data.init = Array2::eye(6) * 0.5;
        data.init[[2, 3]] = 0.4;
        let found = mixing(&data).unwrap();
        assert!((found.largest_ratio - 0.8).abs() < 1e-12 && found.typical_ratio < 1e-12, "{found:?}");
        assert!((found.norm - 0.4).abs() < 1e-12);
    }

    #[test]
    fn errors_are_spread_and_correlations_counted_by_hand() {
        let error =
            correlation_error(array![[1.0, 1.0], [1.0, 0.0]].view(), array![[1.0, 0.0], [0.0, 1.0]].view());
        let found = of_components(&error.unwrap());
        // The first true component is the second fitted one, exactly; the second is missed by 45 degrees.
        assert!(!found.in_order && (found.worst_tenth - 1.0).abs() < 1e-12, "{found:?}");
        assert!((found.median - 0.5_f64.sqrt() / 2.0).abs() < 1e-12, "{found:?}");

        let spec = DatasetSpec { n_features: 8, rank: 3, n_samples: 4, ..DatasetSpec::new(DatasetKind::Dir) };
        let mut data = spec.generate().unwrap();
        data.weights = array![[1.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 2.0], [0.0, 0.0, 2.0]];
        let third = (1.0_f64 / 3.0).sqrt();
        let found = weight_correlations(&data).unwrap();
        assert!(
            (found.largest + 1.0).abs() < 1e-12 && (found.most_positive - third).abs() < 1e-12,
            "{found:?}"
        );
        assert!((found.typical - third).abs() < 1e-12, "{found:?}");
    }
}
