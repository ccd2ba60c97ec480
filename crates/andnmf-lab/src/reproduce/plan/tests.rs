use std::collections::BTreeSet;

use super::*;
use andnmf::Method;

fn plan(figures: &[FigureName], scale: Scale) -> Plan {
    let mut params = PlanParams::new(scale);
    params.texts = Some("t".into());
    params.pictures = Some(KnownMatrix { rows: 4, columns: 9, print: "p".into() });
    Plan::new(figures, &params).unwrap()
}

#[test]
fn every_cell_of_every_figure_has_a_file_of_its_own_and_comes_back_from_json() {
    for scale in [Scale::Quick, Scale::Full] {
        let plan = plan(&FigureName::ALL, scale);
        let files: BTreeSet<(FigureName, String)> =
            plan.cells.iter().map(|cell| (cell.figure, cell.file_name())).collect();
        assert_eq!(files.len(), plan.cells.len());
        for figure in FigureName::ALL {
            assert!(plan.cells.iter().any(|cell| cell.figure == figure), "{figure}");
        }
        let text = serde_json::to_string(&plan.cells).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Cell>>(&text).unwrap(), plan.cells);
        assert!(plan.left_out.is_empty());
    }
}

#[test]
fn what_is_not_there_is_left_out_with_a_reason() {
    let plan = Plan::new(&[FigureName::Table1, FigureName::Fig5], &PlanParams::new(Scale::Quick)).unwrap();
    assert!(plan.cells.is_empty());
    let said: Vec<&str> = plan.left_out.iter().map(|(_, why)| why.as_str()).collect();
    assert!(said[0].contains("newsgroups") && said[1].contains("faces"), "{said:?}");
}

#[test]
fn a_given_truth_sets_the_sizes_of_all_but_the_signed_and_the_small() {
    let mut params = PlanParams::new(Scale::Full);
    params.truth = Some(KnownMatrix { rows: 70, columns: 900, print: "abc".into() });
    let plan = Plan::new(&[FigureName::Fig1a, FigureName::Fig1c, FigureName::Phase], &params).unwrap();
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
fn both_readings_of_the_correlated_weights_are_run_and_named() {
    let starts = plan(&[FigureName::Fig3a, FigureName::Fig3b], Scale::Quick);
    let plan =
        plan(&[FigureName::Fig1b, FigureName::Fig1c, FigureName::Fig2b, FigureName::Fig2c], Scale::Quick);
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
fn on_signed_components_rivals_run_with_their_constraint_and_without() {
    let plan = plan(&[FigureName::Fig1c], Scale::Quick);
    let of = |method: &str| plan.cells.iter().filter(|cell| cell.method == method).count();
    for method in ["HALS", "ANLS", "MU", "min-volume"] {
        assert_eq!((of(method), of(&format!("{method}, signed"))), (4, 4), "{method}");
    }
    assert!(plan.cells.iter().all(|cell| cell.settings().method() != Method::OnlineLda));
}

#[test]
fn seeds_cannot_be_zero_and_a_budget_must_be_some_time() {
    let wrong = |params: PlanParams| Plan::new(&[FigureName::Fig1a], &params).unwrap_err().name;
    let usual = PlanParams::new(Scale::Quick);
    assert_eq!(wrong(PlanParams { seeds: 0, ..usual.clone() }), "seeds");
    for budget in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(wrong(PlanParams { budget, ..usual.clone() }), "budget");
    }
}
