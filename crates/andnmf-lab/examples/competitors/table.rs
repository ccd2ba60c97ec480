//! Error against time, for every method on the paper's data and beyond, from the same perturbed start.

use std::error::Error;
use std::ops::ControlFlow;

use andnmf::and::{AndParams, Schedule, ThresholdParams};
use andnmf::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuLoss, MuParams, OnlineLdaParams};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec};
use andnmf::{FitError, Method, MethodParams, SamplesError};
use andnmf_program::{Experiment, ExperimentError, StageRow, StartFrom};

/// Each sample, which sums to 1, is scaled to this many words for LDA.
const WORDS_PER_DOCUMENT: f64 = 1000.0;

const DATASETS: [DatasetKind; 5] =
    [DatasetKind::Dir, DatasetKind::Ctm, DatasetKind::CtmReleased, DatasetKind::Neg, DatasetKind::Paired];

/// Prints one table per dataset, with a time limit for each method.
pub(crate) fn print(budget: f64) -> Result<(), Box<dyn Error>> {
    let times: Vec<f64> = [0.03, 0.1, 0.3, 1.0].iter().map(|share| share * budget).collect();
    for kind in DATASETS {
        let dataset = DatasetSpec::new(kind);
        let data = dataset.generate()?;
        println!(
            "\n### {} ({} x {}, {} components)\n",
            kind.name(),
            dataset.n_samples,
            dataset.n_features,
            dataset.rank
        );
        let heads: Vec<String> = times.iter().map(|t| format!("{t:.2} s")).collect();
        println!("| method | {} | smallest | to 1e-3 |", heads.join(" | "));
        println!("|---|{}---|---|", "---|".repeat(times.len()));
        for (name, method) in methods(kind, &data) {
            let method = method.with_time_limit(Some(budget));
            let experiment = Experiment { dataset: dataset.clone(), method, from: StartFrom::MixedTruth };
            match experiment.run_on(&data, None, &mut |_| ControlFlow::Continue(())) {
                Ok(outcome) => println!("| {name} | {}", cells(&outcome.stages, &times)),
                Err(ExperimentError::Fit(error)) => {
                    let reason = match error {
                        FitError::Samples(SamplesError::Negative { .. }) => "not for negative samples".into(),
                        FitError::StoppedBeforeStart => "nothing in this time".into(),
                        other => other.to_string(),
                    };
                    println!("| {name} | {reason} |{}", " |".repeat(times.len() + 1));
                }
                Err(other) => return Err(other.into()),
            }
        }
    }
    Ok(())
}

/// The error at each time, the smallest error, and the time at which it first fell below 1e-3.
fn cells(stages: &[StageRow], times: &[f64]) -> String {
    let error = |row: &StageRow| row.relative_correlation_error;
    let at = |time: f64| stages.iter().take_while(|row| row.record.seconds <= time).last();
    let mut cells: Vec<String> = times
        .iter()
        .map(|&time| at(time).map_or_else(|| "-".into(), |row| format!("{:.1e}", error(row))))
        .collect();
    let smallest = stages.iter().map(error).reduce(f64::min);
    cells.push(smallest.map_or_else(|| "-".into(), |error| format!("{error:.1e}")));
    let there = stages.iter().find(|row| error(row) < 1e-3);
    cells.push(there.map_or_else(|| "-".into(), |row| format!("{:.2} s", row.record.seconds)));
    format!("{} |", cells.join(" | "))
}

/// Every method with suitable settings, limited by time only.
fn methods(kind: DatasetKind, data: &Dataset) -> Vec<(String, MethodParams)> {
    let rank = data.truth.nrows();
    let paper = AndParams::paper(rank);
    let floored = ThresholdParams {
        data_floor: Some(2.0),
        ..Schedule::Geometric { start: 0.25, ratio: 1.1, floor: None }.into()
    };
    let and = if kind == DatasetKind::Paired {
        // The paper's step is too long for weights this large.
        ("AND (exact stages)", AndParams { threshold: floored.into(), ..AndParams::new(rank) })
    } else {
        ("AND (the paper's settings)", paper)
    };
    let mut rows = vec![(and.0.to_string(), MethodParams::And(and.1))];
    let mut add = |name: String, params: MethodParams| {
        rows.push((name, params.with_max_stages(1_000_000).with_tolerance(0.0)));
    };
    // If the truth has negative entries, methods run with and without their sign constraint.
    let signs: &[(bool, &str)] =
        if kind == DatasetKind::Neg { &[(false, ""), (true, ", signed")] } else { &[(false, "")] };
    for &(signed, note) in signs {
        add(format!("HALS{note}"), MethodParams::Hals(HalsParams { signed, ..HalsParams::new(rank) }));
        add(format!("ANLS{note}"), MethodParams::Anls(AnlsParams { signed, ..AnlsParams::new(rank) }));
        add(format!("MU{note}"), MethodParams::Mu(MuParams { signed, ..MuParams::new(rank) }));
        for (volume_weight, weight_ratio) in [(1e-3, 1.0), (1e-3, 0.95), (1e-2, 0.95)] {
            let params =
                MinVolumeParams { signed, volume_weight, weight_ratio, ..MinVolumeParams::new(rank) };
            let fades = if weight_ratio < 1.0 { " fading" } else { "" };
            add(format!("min-volume, {volume_weight:.0e}{fades}{note}"), MethodParams::MinVolume(params));
        }
    }
    let divergence = MuParams { loss: MuLoss::KullbackLeibler, ..MuParams::new(rank) };
    add("MU (Kullback-Leibler)".into(), MethodParams::Mu(divergence));
    let lda = OnlineLdaParams { sample_scale: WORDS_PER_DOCUMENT, ..OnlineLdaParams::new(rank) };
    add("online LDA".into(), MethodParams::OnlineLda(lda));
    let anchors = MethodParams::new(Method::AnchorWords, rank);
    rows.push(("anchor words (own start)".into(), anchors));
    rows
}
