//! Measurements of a recovery run.

use andnmf::fit::StopReason;
use andnmf::metrics::{CorrelationError, correlation_error};
use andnmf::synth::Dataset;
use andnmf::theory::{Decomposition, MatrixError, WeightReport, strongest_correlations};
use andnmf_program::{ExperimentError, ExperimentOutcome, StageRow};
use ndarray::Array2;

use super::ErrorSummary;
use super::error_summary::StageError;
use super::outcome::{
    ComponentErrors, Errors, RecoveryResult, StartMixing, WeightConditions, WeightCorrelations,
};
use super::quantiles::median;
use super::thinning::thinned;

/// The result of a finished run.
pub(super) fn recovered(
    outcome: &ExperimentOutcome,
    data: &Dataset,
    own_start: Option<Errors>,
) -> Result<RecoveryResult, ExperimentError> {
    let end = correlation_error(outcome.components.view(), data.truth.view())?;
    Ok(RecoveryResult {
        end: errors(&end),
        components: Some(of_components(&end)),
        solver_seconds: outcome.solver_seconds,
        stop_reason: outcome.stop_reason,
        ..stages_only(&outcome.stages, data, own_start)?
    })
}

/// The result of a run that failed after some stages.
pub(super) fn aborted(
    rows: &[StageRow],
    data: &Dataset,
    own_start: Option<Errors>,
    why: String,
) -> Result<RecoveryResult, ExperimentError> {
    Ok(RecoveryResult { aborted: Some(why), ..stages_only(rows, data, own_start)? })
}

/// The result of some stages, the last of which is the end.
pub(super) fn stages_only(
    rows: &[StageRow],
    data: &Dataset,
    own_start: Option<Errors>,
) -> Result<RecoveryResult, ExperimentError> {
    let start = errors(&correlation_error(data.init.view(), data.truth.view())?);
    let start_errors = own_start.unwrap_or(start);
    let stages: Vec<StageError> = rows
        .iter()
        .map(|row| StageError { seconds: row.record.seconds, error: row.correlation_error })
        .collect();
    let trace = thinned(rows);
    Ok(RecoveryResult {
        start,
        own_start,
        error_summary: ErrorSummary::of(start_errors.total, &stages),
        end: trace.last().map_or(start_errors, |last| last.errors),
        trace,
        components: None,
        stages: rows.len(),
        solver_seconds: stages.last().map_or(0.0, |last| last.seconds),
        stop_reason: StopReason::MaxStages,
        weights: weight_correlations(data)?,
        mixing: None,
        nonnegative_error_floor: nonnegative_error_floor(&data.truth),
        conditions: None,
        aborted: None,
    })
}

/// Total and relative error of components.
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

/// Correlations of the weights over all pairs of components.
fn weight_correlations(data: &Dataset) -> Result<WeightCorrelations, MatrixError> {
    let pairs = strongest_correlations(data.weights.view(), usize::MAX)?;
    let sizes: Vec<f64> = pairs.iter().map(|(_, _, correlation)| correlation.abs()).collect();
    let report = WeightReport::of(data.weights.view())?;
    let conditions = &report.conditions;
    let most_positive = pairs.iter().map(|&(_, _, correlation)| correlation).reduce(f64::max);
    Ok(WeightCorrelations {
        largest: pairs.first().map_or(0.0, |&(_, _, correlation)| correlation),
        most_positive: most_positive.unwrap_or(0.0),
        typical: median(&sizes).unwrap_or(0.0),
        co_occurrence: report.largest_co_occurrence.map_or(0.0, |pair| pair.value),
        conditions: WeightConditions {
            scaling: conditions.scaling.text().to_owned(),
            r: conditions.r,
            k: conditions.k,
            m: conditions.m,
            lambda: conditions.lambda,
            decay_order: Some(conditions.decay_order).filter(|order| order.is_finite()),
            bound: report.bounds.general,
        },
    })
}

/// The start in terms of the truth: the share of other components mixed into each component.
pub(super) fn mixing(data: &Dataset) -> Result<StartMixing, MatrixError> {
    let parts = Decomposition::of(data.init.view(), data.truth.view())?;
    let mixed = parts.off_diagonal.t().dot(&data.truth);
    let norm = |row: ndarray::ArrayView1<'_, f64>| row.dot(&row).sqrt();
    let ratios: Vec<f64> = mixed
        .outer_iter()
        .zip(data.truth.outer_iter())
        .zip(&parts.diagonal)
        .map(|((mixed, own), share)| norm(mixed) / (share.abs() * norm(own)))
        .filter(|ratio| ratio.is_finite())
        .collect();
    Ok(StartMixing {
        norm: parts.norms.mixing_error,
        typical_ratio: median(&ratios).unwrap_or(0.0),
        largest_ratio: ratios.iter().copied().fold(0.0, f64::max),
    })
}

/// The smallest error that non-negative components can reach on this truth, up to scale and sign: the norm of the
/// entries of the smaller sign. `None` if the truth has no negative entries.
fn nonnegative_error_floor(truth: &Array2<f64>) -> Option<f64> {
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
    fn non_negative_components_miss_the_smaller_sign() {
        let truth = array![[3.0, -4.0, 0.0], [-2.0, -1.0, 0.5]];
        assert_eq!(nonnegative_error_floor(&truth), Some(3.5));
        assert_eq!(nonnegative_error_floor(&array![[1.0, 0.0]]), None);
    }

    #[test]
    fn mixing_is_measured_against_the_own_part_of_each_component() {
        let spec =
            DatasetSpec { n_features: 50, rank: 6, n_samples: 20, ..DatasetSpec::new(DatasetKind::Dir) };
        let mut data = spec.generate().unwrap();
        data.truth = Array2::eye(6);
        data.init = Array2::eye(6) * 0.5;
        data.init[[2, 3]] = 0.4;
        let measured = mixing(&data).unwrap();
        assert!(
            (measured.largest_ratio - 0.8).abs() < 1e-12 && measured.typical_ratio < 1e-12,
            "{measured:?}"
        );
        assert!((measured.norm - 0.4).abs() < 1e-12);
    }

    #[test]
    fn error_distribution_and_correlations_match_hand_calculations() {
        let error =
            correlation_error(array![[1.0, 1.0], [1.0, 0.0]].view(), array![[1.0, 0.0], [0.0, 1.0]].view());
        let measured = of_components(&error.unwrap());
        // The second fitted component equals the first true one; the second true one is missed by 45 degrees.
        assert!(!measured.in_order && (measured.worst_tenth - 1.0).abs() < 1e-12, "{measured:?}");
        assert!((measured.median - 0.5_f64.sqrt() / 2.0).abs() < 1e-12, "{measured:?}");

        let spec = DatasetSpec { n_features: 8, rank: 3, n_samples: 4, ..DatasetSpec::new(DatasetKind::Dir) };
        let mut data = spec.generate().unwrap();
        data.weights = array![[1.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, 2.0], [0.0, 0.0, 2.0]];
        let third = (1.0_f64 / 3.0).sqrt();
        let measured = weight_correlations(&data).unwrap();
        assert!(
            (measured.largest + 1.0).abs() < 1e-12 && (measured.most_positive - third).abs() < 1e-12,
            "{measured:?}"
        );
        assert!((measured.typical - third).abs() < 1e-12, "{measured:?}");
    }
}
