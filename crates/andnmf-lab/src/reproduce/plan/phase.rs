//! Beyond the paper: maps of the limits of recovery, and the errors of the theory stage by stage.

use andnmf::and::{AndParams, Schedule};
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf::{Method, MethodParams};
use andnmf_program::{Experiment, StartFrom};

use super::labels::{AND_AUTO, AND_THRESHOLDS, HALS, MIN_VOLUME};
use super::methods::{min_volume, until_time_limit};
use super::{AND_DEFAULT, ExperimentScale, PlanParams};
use crate::reproduce::FigureName;
use crate::reproduce::cell::{Cell, RecoveryTask, Task, Truth};

/// The number of seeds of a map, which shows medians without bands.
const MAP_SEEDS: usize = 3;
/// Maps have hundreds of points, so baselines, which run until the time limit, get this share of the budget at each.
const BUDGET_SHARE: f64 = 0.1;
/// The mean number of active weights per sample, if the map does not vary it.
const SPARSITY: f64 = 3.0;
/// The mixing r_l of the start, if the map does not vary it.
const MIXING: f64 = 2.0;
/// The decay order of the weights, if the map does not vary it.
const DECAY_ORDER: f64 = 2.0;

/// A map of recovery against the co-occurrence within pairs (x) and a second variable (y).
#[derive(Debug, Clone, Copy)]
pub(in crate::reproduce) struct PhaseMap {
    /// Its file name.
    pub(in crate::reproduce) name: &'static str,
    /// Its title; the case of its cells.
    pub(in crate::reproduce) case: &'static str,
    /// Label of the y axis.
    pub(in crate::reproduce) y_label: &'static str,
    /// True if the y axis is logarithmic.
    pub(in crate::reproduce) log: bool,
    /// The values of y, in increasing order; a quick map uses every other one.
    y: [f64; 5],
}

/// The maps of the figure.
pub(in crate::reproduce) const MAPS: [PhaseMap; 4] = [
    PhaseMap {
        name: "phase-decay",
        case: "correlation × decay order",
        y_label: "decay order q of the weights",
        log: true,
        y: [0.5, 1.0, 2.0, 4.0, 8.0],
    },
    PhaseMap {
        name: "phase-sparsity",
        case: "correlation × sparsity",
        y_label: "weights on per sample",
        log: false,
        y: [1.0, 2.0, 4.0, 6.0, 8.0],
    },
    PhaseMap {
        name: "phase-start",
        case: "correlation × start error",
        y_label: "mixing of the start, r_l",
        log: true,
        y: [0.5, 1.0, 2.0, 4.0, 8.0],
    },
    PhaseMap {
        name: "phase-samples",
        case: "correlation × samples",
        y_label: "samples",
        log: true,
        y: [125.0, 250.0, 500.0, 1000.0, 2000.0],
    },
];

/// Probability that both components of a pair are active, given that one of them is.
const CO_OCCURRENCES: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.95];
const QUICK_CO_OCCURRENCES: [f64; 4] = [0.0, 0.4, 0.8, 0.95];

/// Cases on which the stage lemma is checked.
pub(in crate::reproduce) const LEMMA_CASES: [&str; 3] = [
    "stage lemma: one binary weight at a time, threshold 1/4",
    "stage lemma: three binary weights at a time, threshold 1/4",
    "stage lemma: decay order 2, threshold 0.1/1.1^j",
];

struct MapSizes {
    rank: usize,
    n_features: usize,
    n_samples: usize,
}

/// All maps, then the stage lemma. The truth is always the built-in one: a map with a hundred components would take
/// days.
pub(super) fn cells(params: &PlanParams) -> Vec<Cell> {
    let (sizes, co_occurrences) = match params.scale {
        ExperimentScale::Quick => {
            (MapSizes { rank: 16, n_features: 160, n_samples: 800 }, &QUICK_CO_OCCURRENCES[..])
        }
        ExperimentScale::Full => {
            (MapSizes { rank: 30, n_features: 300, n_samples: 1500 }, &CO_OCCURRENCES[..])
        }
    };
    let mut cells = Vec::new();
    for map in &MAPS {
        for (i, &y) in map.y.iter().enumerate() {
            if params.scale == ExperimentScale::Quick && i % 2 == 1 {
                continue;
            }
            for &x in co_occurrences {
                for seed in 0..params.seeds.min(MAP_SEEDS) as u64 {
                    let dataset = dataset_at(map, &sizes, (x, y), seed);
                    cells.extend(contenders(map, &dataset).into_iter().map(|(method, settings, from)| {
                        let ends = settings.method() == Method::And;
                        let limit = if ends { params.budget } else { BUDGET_SHARE * params.budget };
                        let settings = settings.with_seed(seed).with_time_limit(Some(limit));
                        cell(
                            map.case,
                            method,
                            vec![x, y],
                            seed,
                            true,
                            Experiment { dataset: dataset.clone(), method: settings, from },
                        )
                    }));
                }
            }
        }
    }
    cells.extend(lemma(&sizes));
    cells
}

fn cell(case: &str, method: &str, at: Vec<f64>, seed: u64, conditions: bool, experiment: Experiment) -> Cell {
    let recovery = Box::new(RecoveryTask {
        experiment,
        truth: Truth::BuiltIn,
        out_of_span: None,
        released: None,
        conditions,
    });
    let task = if conditions { Task::Recovery(recovery) } else { Task::StageLemma(recovery) };
    Cell { figure: FigureName::Phase, case: case.into(), method: method.into(), at, seed, task }
}

/// The dataset at one point of a map.
fn dataset_at(map: &PhaseMap, sizes: &MapSizes, (co_occurrence, y): (f64, f64), seed: u64) -> DatasetSpec {
    let (mut sparsity, mut order, mut in_span, mut n_samples) =
        (SPARSITY, DECAY_ORDER, MIXING, sizes.n_samples);
    match map.name {
        "phase-decay" => order = y,
        "phase-sparsity" => sparsity = y,
        "phase-start" => in_span = y,
        _ => n_samples = y as usize,
    }
    let weights = Weights::Paired { sparsity, co_occurrence, decay_order: Some(order) };
    DatasetSpec {
        rank: sizes.rank,
        n_features: sizes.n_features,
        n_samples,
        seed,
        weights,
        in_span,
        ..DatasetSpec::new(DatasetKind::Paired)
    }
}

/// AND with default settings and with the paper's thresholds, HALS, and minimum volume.
fn contenders(map: &PhaseMap, dataset: &DatasetSpec) -> [(&'static str, MethodParams, StartFrom); 4] {
    let rank = dataset.rank;
    // If the start is varied, all methods use it; otherwise AND (auto) starts from the data.
    let (auto, from) = match map.name {
        "phase-start" => (AND_DEFAULT, StartFrom::MixedTruth),
        _ => (AND_AUTO, StartFrom::Data),
    };
    [
        (auto, MethodParams::And(AndParams::new(rank)), from),
        (AND_THRESHOLDS, MethodParams::And(AndParams::scheduled(rank)), StartFrom::MixedTruth),
        (HALS, until_time_limit(MethodParams::new(Method::Hals, rank)), StartFrom::MixedTruth),
        (MIN_VOLUME, min_volume(rank, false), StartFrom::MixedTruth),
    ]
}

/// Exact stages, which have enough steps for the lemma, from a start that is near enough for it.
fn lemma(sizes: &MapSizes) -> Vec<Cell> {
    let binary = |sparsity: usize| {
        (DatasetKind::Binary, Weights::SparseBinary { sparsity }, Schedule::Constant(0.25), 8)
    };
    let geometric = Schedule::Geometric { start: 0.1, ratio: 1.1, floor: None };
    let decay = (DatasetKind::Decay, Weights::Decay { sparsity: SPARSITY, order: 2.0 }, geometric, 60);
    let mut cells = Vec::new();
    for (case, (kind, weights, schedule, stages)) in
        LEMMA_CASES.into_iter().zip([binary(1), binary(3), decay])
    {
        let dataset = DatasetSpec {
            rank: sizes.rank,
            n_features: sizes.n_features,
            n_samples: 2 * sizes.n_samples,
            weights,
            in_span: 0.3,
            // A part outside the span disturbs decoding; one case has none, which meets the premises of the lemma.
            out_of_span: if cells.is_empty() { 0.0 } else { 0.01 },
            ..DatasetSpec::new(kind)
        };
        let and =
            AndParams { threshold: schedule.into(), max_stages: stages, ..AndParams::new(dataset.rank) };
        let experiment = Experiment { dataset, method: MethodParams::And(and), from: StartFrom::MixedTruth };
        cells.push(cell(case, AND_THRESHOLDS, vec![], 0, false, experiment));
    }
    cells
}
