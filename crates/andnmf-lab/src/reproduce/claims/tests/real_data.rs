//! Topics and faces.

use super::*;

fn topics(mean: f64, stop_reason: StopReason) -> CellOutcome {
    CellOutcome::Topics(TopicResult {
        topics: vec![],
        coherence: vec![Some(mean), Some(0.01), None],
        mean_coherence: Some(mean),
        size: (1, 1),
        stages: 5,
        stop_reason,
        solver_seconds: 1.0,
    })
}

#[test]
fn topics_are_judged_by_coherence() {
    let coherent = |ours: CellOutcome| {
        SyntheticResults::default()
            .add(FigureName::Table1, NEWSGROUPS, HALS, topics(0.2, StopReason::Converged))
            .add(FigureName::Table1, NEWSGROUPS, LDA, topics(0.1, StopReason::MaxStages))
            .add(FigureName::Table1, NEWSGROUPS, AND_SAFE, ours)
            .add(FigureName::Table1, NEWSGROUPS_PAPER, AND_SAFE, topics(0.9, StopReason::MaxStages))
            .judged(FigureName::Table1, &format!("{NEWSGROUPS}: {AND_SAFE}"), "comparable")
    };
    let verdict = |mean| coherent(topics(mean, StopReason::MaxStages)).verdict;
    assert_eq!((verdict(0.19), verdict(0.15), verdict(0.05)), (Holds, HoldsWithADifference, DoesNotHold));
    let why = coherent(topics(0.05, StopReason::MaxStages)).why.unwrap();
    assert!(why.contains("2 of its topics") && why.contains("below 0.05"), "{why}");
    assert_eq!(coherent(topics(0.19, StopReason::TimeLimit)).verdict, NotMeasured);
}

#[test]
fn faces_are_judged_in_the_papers_setting_and_by_default() {
    let images = |residual: f64, stages: usize| {
        let components = ndarray::Array2::zeros((1, 4));
        let stop_reason = if stages == 0 { StopReason::TimeLimit } else { StopReason::Converged };
        CellOutcome::Images(ImageResult {
            components,
            residual,
            zeros: 0.0,
            stages,
            stop_reason,
            solver_seconds: 1.0,
        })
    };
    for method in [AND_SAFE, AND_DEFAULT] {
        let book = |ours: CellOutcome, nmf: CellOutcome| {
            SyntheticResults::default()
                .add(FigureName::Fig5, FACES, HALS, nmf)
                .add(FigureName::Fig5, FACES, AND_PAPER, failed())
                .add(FigureName::Fig5, FACES, method, ours)
                .judged(FigureName::Fig5, &format!("{method} and NMF"), "meaningful")
        };
        let faces = |ours: f64| book(images(ours, 9), images(0.1, 9));
        let verdicts = [0.105, 0.14, 0.2].map(|ours| faces(ours).verdict);
        assert_eq!(verdicts, [Holds, HoldsWithADifference, DoesNotHold]);
        let measured = faces(0.105).measured;
        assert!(measured.contains("AND (paper) failed: the step is too long"), "{measured}");
        // A start is no result.
        assert_eq!(book(images(0.1, 0), images(0.1, 9)).verdict, NotMeasured);
        assert_eq!(book(images(0.1, 9), images(0.1, 0)).verdict, NotMeasured);
    }
}
