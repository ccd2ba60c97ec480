use std::collections::BTreeSet;

use super::*;
use andnmf::Method;

fn plan(figures: &[FigureName], scale: ExperimentScale) -> ReproductionPlan {
    let mut params = PlanParams::new(scale);
    params.texts = Some("t".into());
    params.images = Some(MatrixFingerprint { rows: 4, columns: 9, fingerprint: "p".into() });
    ReproductionPlan::new(figures, &params).unwrap()
}

#[test]
fn every_cell_has_its_own_file_name_and_round_trips_through_json() {
    for scale in [ExperimentScale::Quick, ExperimentScale::Full] {
        let plan = plan(&FigureName::ALL, scale);
        let files: BTreeSet<(FigureName, String)> =
            plan.cells.iter().map(|cell| (cell.figure, cell.file_name())).collect();
        assert_eq!(files.len(), plan.cells.len());
        for figure in FigureName::ALL {
            assert!(plan.cells.iter().any(|cell| cell.figure == figure), "{figure}");
        }
        let text = serde_json::to_string(&plan.cells).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Cell>>(&text).unwrap(), plan.cells);
        assert!(plan.skipped.is_empty());
    }
}

#[test]
fn figures_without_data_are_skipped_with_a_reason() {
    let plan = ReproductionPlan::new(
        &[FigureName::Table1, FigureName::Fig5],
        &PlanParams::new(ExperimentScale::Quick),
    )
    .unwrap();
    assert!(plan.cells.is_empty());
    let reasons: Vec<&str> = plan.skipped.iter().map(|(_, why)| why.as_str()).collect();
    assert!(reasons[0].contains("newsgroups") && reasons[1].contains("faces"), "{reasons:?}");
}

#[test]
fn a_given_truth_sets_the_sizes_of_all_figures_but_phase_and_is_not_used_on_neg() {
    let mut params = PlanParams::new(ExperimentScale::Full);
    params.truth = Some(MatrixFingerprint { rows: 70, columns: 900, fingerprint: "abc".into() });
    let plan =
        ReproductionPlan::new(&[FigureName::Fig1a, FigureName::Fig1c, FigureName::Phase], &params).unwrap();
    for cell in &plan.cells {
        let (Task::Recovery(recovery) | Task::StageLemma(recovery)) = &cell.task else { unreachable!() };
        let DatasetSpec { rank, n_features, .. } = recovery.experiment.dataset;
        match cell.figure {
            FigureName::Fig1a => {
                assert_eq!((rank, n_features, &recovery.truth), (70, 900, &Truth::Given("abc".into())));
            }
            FigureName::Fig1c => {
                assert_eq!((rank, n_features, &recovery.truth), (70, 900, &Truth::BuiltIn));
            }
            _ => assert_eq!((rank, &recovery.truth), (30, &Truth::BuiltIn)),
        }
    }
}

#[test]
fn both_versions_of_the_correlated_weights_are_run_and_labelled() {
    let starts = plan(&[FigureName::Fig3a, FigureName::Fig3b], ExperimentScale::Quick);
    let plan = plan(
        &[FigureName::Fig1b, FigureName::Fig1c, FigureName::Fig2b, FigureName::Fig2c],
        ExperimentScale::Quick,
    );
    for figure in &starts.figures {
        let of = starts.cells.iter().filter(|cell| cell.figure == *figure);
        let cases: BTreeSet<&str> = of.map(|cell| cell.case.as_str()).collect();
        assert_eq!(cases, BTreeSet::from([labels::DIR, labels::CTM, labels::CTM_RELEASED]));
    }
    for figure in &plan.figures {
        let weights: BTreeSet<(String, bool)> = plan
            .cells
            .iter()
            .filter(|cell| cell.figure == *figure)
            .map(|cell| {
                let Task::Recovery(recovery) = &cell.task else { unreachable!() };
                (cell.case.clone(), recovery.experiment.dataset.weights == Weights::LogisticNormalReleased)
            })
            .collect();
        assert_eq!(weights.len(), 2, "{figure}: {weights:?}");
        assert!(weights.iter().all(|(case, released)| case.contains("released") == *released), "{weights:?}");
    }
}

#[test]
fn on_signed_components_baselines_run_with_and_without_their_constraint() {
    let plan = plan(&[FigureName::Fig1c], ExperimentScale::Quick);
    let of = |method: &str| plan.cells.iter().filter(|cell| cell.method == method).count();
    for method in ["HALS", "ANLS", "MU", "min-volume"] {
        assert_eq!((of(method), of(&format!("{method}, signed"))), (4, 4), "{method}");
    }
    assert!(plan.cells.iter().all(|cell| cell.settings().method() != Method::OnlineLda));
}

#[test]
fn seeds_cannot_be_zero_and_the_budget_must_be_positive() {
    let wrong = |params: PlanParams| ReproductionPlan::new(&[FigureName::Fig1a], &params).unwrap_err().name;
    let usual = PlanParams::new(ExperimentScale::Quick);
    assert_eq!(wrong(PlanParams { seeds: 0, ..usual.clone() }), "seeds");
    for budget in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(wrong(PlanParams { budget, ..usual.clone() }), "budget");
    }
}

#[test]
fn starts_are_equally_strong_at_any_rank() {
    let in_span = |rows: usize| {
        let mut params = PlanParams::new(ExperimentScale::Full);
        params.truth = Some(MatrixFingerprint { rows, columns: 900, fingerprint: "abc".into() });
        let plan = ReproductionPlan::new(&[FigureName::Fig1a], &params).unwrap();
        let Task::Recovery(recovery) = &plan.cells[0].task else { unreachable!() };
        recovery.experiment.dataset.in_span
    };
    assert_eq!((in_span(100), in_span(25)), (1.0, 2.0));
}

#[test]
fn methods_run_as_released_beside_ours_if_asked_for() {
    let methods = |released: bool| -> BTreeSet<String> {
        let params = PlanParams { released, ..PlanParams::new(ExperimentScale::Quick) };
        let plan = ReproductionPlan::new(&[FigureName::Fig1d], &params).unwrap();
        let cases = [labels::CTM_FITTED, labels::CTM_BLOCKS, labels::CTM_FITTED_MEANS];
        assert!(plan.cells.iter().all(|cell| cases.contains(&&*cell.case)));
        plan.cells.into_iter().map(|cell| cell.method).collect()
    };
    let more: Vec<String> = methods(true).difference(&methods(false)).cloned().collect();
    assert_eq!(more, ["ANLS, as released", "LDA, as released", "MU, as released"]);
    assert!(methods(false).contains(labels::HALS_RELEASED));
}
