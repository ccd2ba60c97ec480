//! Beyond the paper: where recovery ends, as maps; and the errors of the theory from stage to stage.

use andnmf::and::{AndParams, Schedule};
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf::{Method, MethodParams};
use andnmf_program::{Experiment, StartFrom};

use super::labels::{AND_AUTO, AND_THRESHOLDS, HALS, MIN_VOLUME};
use super::methods::{endless, min_volume};
use super::{AND_OWN, PlanParams, Scale};
use crate::reproduce::FigureName;
use crate::reproduce::cell::{Cell, Recovery, Task, Truth};

/// Seeds of a map: it shows a border, not a band.
const MAP_SEEDS: usize = 3;
/// Maps have hundreds of places: rivals, who have no end of their own, get a tenth of the budget at each.
const BUDGET_SHARE: f64 = 0.1;
/// Weights that are on in a sample, where the map does not vary them.
const SPARSITY: f64 = 3.0;
/// The start's mixing of components, where the map does not vary it.
const MIXING: f64 = 2.0;
/// Decay order of the weights, where the map does not vary it.
const DECAY_ORDER: f64 = 2.0;

/// A map: how often paired components come together, against something else.
#[derive(Debug, Clone, Copy)]
pub(in crate::reproduce) struct Map {
    /// Its name in files.
    pub(in crate::reproduce) name: &'static str,
    /// Its title.
    pub(in crate::reproduce) case: &'static str,
    /// What the other side is.
    pub(in crate::reproduce) y_label: &'static str,
    /// Whether that side is drawn by its logarithm.
    pub(in crate::reproduce) log: bool,
    /// The values of the other side, from few to many: a quick map takes every other one.
    y: [f64; 5],
}

/// The maps of the figure.
pub(in crate::reproduce) const MAPS: [Map; 4] = [
    Map {
        name: "phase-decay",
        case: "correlation × decay order",
        y_label: "decay order q of the weights",
        log: true,
        y: [0.5, 1.0, 2.0, 4.0, 8.0],
    },
    Map {
        name: "phase-sparsity",
        case: "correlation × sparsity",
        y_label: "weights on per sample",
        log: false,
        y: [1.0, 2.0, 4.0, 6.0, 8.0],
    },
    Map {
        name: "phase-start",
        case: "correlation × start error",
        y_label: "mixing of the start, r_l",
        log: true,
        y: [0.5, 1.0, 2.0, 4.0, 8.0],
    },
    Map {
        name: "phase-samples",
        case: "correlation × samples",
        y_label: "samples",
        log: true,
        y: [125.0, 250.0, 500.0, 1000.0, 2000.0],
    },
];

/// Probability that the two of a pair come together, where one of them comes.
const CO_OCCURRENCES: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.95];
const QUICK_CO_OCCURRENCES: [f64; 4] = [0.0, 0.4, 0.8, 0.95];

/// Samples on which the stage lemma is looked at.
pub(in crate::reproduce) const LEMMA_CASES: [&str; 3] = [
    "stage lemma: one binary weight at a time, threshold 1/4",
    "stage lemma: three binary weights at a time, threshold 1/4",
    "stage lemma: decay order 2, threshold 0.1/1.1^j",
];

struct Sizes {
    rank: usize,
    n_features: usize,
    n_samples: usize,
}

/// All maps, then the stage lemma. The truth is always built in: a map of a hundred components would take days.
pub(super) fn cells(params: &PlanParams) -> Vec<Cell> {
    let (sizes, co_occurrences) = match params.scale {
        Scale::Quick => (Sizes { rank: 16, n_features: 160, n_samples: 800 }, &QUICK_CO_OCCURRENCES[..]),
        Scale::Full => (Sizes { rank: 30, n_features: 300, n_samples: 1500 }, &CO_OCCURRENCES[..]),
    };
    let mut cells = Vec::new();
    for map in &MAPS {
        for (i, &y) in map.y.iter().enumerate() {
            if params.scale == Scale::Quick && i % 2 == 1 {
                continue;
            }
            for &x in co_occurrences {
                for seed in 0..params.seeds.min(MAP_SEEDS) as u64 {
                    let dataset = place(map, &sizes, (x, y), seed);
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
    let recovery =
        Box::new(Recovery { experiment, truth: Truth::BuiltIn, out_of_span_share: None, conditions });
    let task = if conditions { Task::Recovery(recovery) } else { Task::StageLemma(recovery) };
    Cell { figure: FigureName::Phase, case: case.into(), method: method.into(), at, seed, task }
}

/// The samples at one place of a map.
fn place(map: &Map, sizes: &Sizes, (co_occurrence, y): (f64, f64), seed: u64) -> DatasetSpec {
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

/// AND by both its rules, HALS and minimum volume.
fn contenders(map: &Map, dataset: &DatasetSpec) -> [(&'static str, MethodParams, StartFrom); 4] {
    let rank = dataset.rank;
    // Where the start is what is varied, all begin there; elsewhere AND auto needs none.
    let (auto, from) = match map.name {
        "phase-start" => (AND_OWN, StartFrom::MixedTruth),
        _ => (AND_AUTO, StartFrom::Data),
    };
    [
        (auto, MethodParams::And(AndParams::new(rank)), from),
        (AND_THRESHOLDS, MethodParams::And(AndParams::scheduled(rank)), StartFrom::MixedTruth),
        (HALS, endless(MethodParams::new(Method::Hals, rank)), StartFrom::MixedTruth),
        (MIN_VOLUME, min_volume(rank, false), StartFrom::MixedTruth),
    ]
}

/// Exact stages, which have as many steps as the lemma asks for, from a start near enough for it.
fn lemma(sizes: &Sizes) -> Vec<Cell> {
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
            // What lies outside the span disturbs decoding: one case is without it, and within the lemma.
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
