//! Figures 2 to 4: AND alone, with one parameter varied.

use andnmf::MethodParams;
use andnmf::and::{AndParams, Schedule, StepsPerStage, ThresholdParams};
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_program::StartFrom;

use super::labels::{
    CTM, CTM_RELEASED, DECAY, DECREASING, DIR, DIR_AUTO, EUCLIDEAN, FEWER_STEPS, FLOORED, NOISE,
    NOISE_RELEASED, THEORY,
};
use super::methods::paper;
use super::{PlanParams, RecoverySpec};
use crate::Norm;
use crate::reproduce::{Cell, FigureName, OutOfSpan};

/// The time limit in budgets. These runs normally end at their last stage; the limit is for busy machines.
const TIME_LIMIT_FACTOR: f64 = 6.0;
/// Constant thresholds to compare with the decreasing one. The paper does not say which it used.
const CONSTANT_THRESHOLDS: [f64; 5] = [0.1, 0.03, 0.01, 0.003, 0.001];
/// Noise levels γ: about the norm of the noise added to a sample.
const NOISE_LEVELS: [f64; 3] = [0.001, 0.01, 0.03];
/// The noise level at which the paper's two numbers of steps are compared; other levels give the same picture.
const STEPS_COMPARED_AT: f64 = 0.01;
/// By this stage the threshold is far below the smallest noise level.
const NOISE_STAGES: usize = 100;
/// The floor of floored thresholds, in root mean squares of the negative decoded weights.
const FLOOR: f64 = 2.0;
/// Noise fills all dimensions, which makes these runs slow; fewer seeds are enough.
const NOISE_SEEDS: usize = 3;
/// The mixing r_l of the components in the start.
const MIXINGS: [f64; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];
/// Norm of the part of the start outside the span of the truth, relative to the true components, as a sum of absolute
/// values: "comparable or even larger".
const OFF_SPAN: [f64; 5] = [0.0, 0.5, 1.0, 2.0, 4.0];
/// The same in the Euclidean norm, which is a harder test.
const OFF_SPAN_EUCLIDEAN: [f64; 4] = [0.25, 0.5, 1.0, 1.5];
/// Total concentration of the Dirichlet distribution.
const CONCENTRATIONS: [f64; 6] = [1.0, 5.0, 10.0, 20.0, 40.0, 80.0];

type Case = (&'static str, DatasetKind, Weights);

fn dir(params: &PlanParams) -> Case {
    (DIR, DatasetKind::Dir, params.dirichlet())
}

fn ctm() -> Case {
    (CTM, DatasetKind::Ctm, DatasetKind::Ctm.default_weights())
}

fn released() -> Case {
    (CTM_RELEASED, DatasetKind::CtmReleased, Weights::LogisticNormalReleased)
}

/// One value of the varied parameter: its label, its settings, and its effect on the samples.
struct SweepSetting {
    name: String,
    value: f64,
    settings: MethodParams,
    noise: f64,
    in_span: f64,
    off_span: Option<OutOfSpan>,
    from: StartFrom,
}

impl SweepSetting {
    fn new(name: String, value: f64, settings: MethodParams) -> Self {
        let from = StartFrom::MixedTruth;
        Self { name, value, settings, noise: 0.0, in_span: 1.0, off_span: None, from }
    }
}

/// All settings on all cases with all seeds. Settings that share their samples are adjacent, so that samples are
/// reused.
fn sweep(figure: FigureName, params: &PlanParams, cases: &[Case], settings: &[SweepSetting]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &(case, kind, weights) in cases {
        for seed in 0..params.seeds as u64 {
            for setting in settings {
                let (dataset, truth) = params.samples(kind, weights, seed);
                let line = RecoverySpec {
                    case,
                    method: setting.name.clone(),
                    at: vec![setting.value],
                    dataset: DatasetSpec {
                        noise: setting.noise,
                        in_span: setting.in_span * dataset.in_span,
                        ..dataset
                    },
                    truth,
                    settings: setting.settings.clone(),
                    from: setting.from,
                    out_of_span: setting.off_span,
                    released: None,
                };
                cells.push(line.cell(figure, TIME_LIMIT_FACTOR * params.budget));
            }
        }
    }
    cells
}

/// λ, r and q of the thresholds of the theory for weights that sum to 1. Their decay order is below 1, where the theory
/// says nothing: with these values, thresholds are ‖E‖.
const THEORY_ON_SIMPLEX: Schedule = Schedule::Theory { lambda: 1.0, sparsity: 1.0, decay_order: 1.0 };
/// The same for [`decay`] at 100 components: λ from its moments, r the largest sum of the weights of thousands of samples.
const THEORY_ON_DECAY: Schedule = Schedule::Theory { lambda: 1.9, sparsity: 8.0, decay_order: 2.0 };

fn decay() -> Case {
    (DECAY, DatasetKind::Decay, DatasetKind::Decay.default_weights())
}

/// Decreasing and constant thresholds, and those of the theory.
pub(super) fn thresholds(figure: FigureName, params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let with = |name: String, value: f64, schedule: Schedule| {
        let and = AndParams { threshold: schedule.into(), tolerance: 0.0, ..AndParams::paper(rank) };
        SweepSetting::new(name, value, MethodParams::And(and))
    };
    let constant = |value: f64| with(format!("constant {value}"), value, Schedule::Constant(value));
    let cases = match figure {
        FigureName::Fig2a => vec![dir(params), decay()],
        _ => vec![ctm(), released()],
    };
    let cells_of = |case: Case| {
        let theory = if case.0 == DECAY { THEORY_ON_DECAY } else { THEORY_ON_SIMPLEX };
        let mut settings = vec![SweepSetting::new(DECREASING.into(), 0.0, paper(rank))];
        settings.extend(CONSTANT_THRESHOLDS.map(constant));
        settings.push(with(THEORY.into(), 0.0, theory));
        sweep(figure, params, &[case], &settings)
    };
    cases.into_iter().flat_map(cells_of).collect()
}

/// Several noise levels, with the paper's thresholds and with thresholds that have a floor from the data.
pub(super) fn noise(params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let mut settings = Vec::new();
    let mut add = |level: f64, note: &str, steps: u64, data_floor: Option<f64>| {
        let threshold = ThresholdParams { data_floor, ..ThresholdParams::default() };
        let and = AndParams {
            threshold: threshold.into(),
            inner: StepsPerStage::Steps(steps),
            max_stages: NOISE_STAGES,
            ..AndParams::paper(rank)
        };
        let setting = SweepSetting::new(format!("γ = {level}{note}"), level, MethodParams::And(and));
        settings.push(SweepSetting { noise: level, ..setting });
    };
    for level in NOISE_LEVELS {
        add(level, "", 100, None);
        add(level, FLOORED, 100, Some(FLOOR));
    }
    add(STEPS_COMPARED_AT, FEWER_STEPS, 50, None);
    let named = |name: &'static str, (_, kind, weights): Case| (name, kind, weights);
    let cases = [named(NOISE, ctm()), named(NOISE_RELEASED, released())];
    let fewer = PlanParams { seeds: params.seeds.min(NOISE_SEEDS), ..params.clone() };
    sweep(FigureName::Fig2c, &fewer, &cases, &settings)
}

/// Starts whose components are mixed with each other.
pub(super) fn mixed_starts(params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let setting = |r_l: f64| {
        let setting = SweepSetting::new(format!("r_l = {r_l}"), r_l, paper(rank));
        SweepSetting { in_span: r_l, ..setting }
    };
    sweep(FigureName::Fig3a, params, &[dir(params), ctm(), released()], &MIXINGS.map(setting))
}

/// Starts with a part outside the span of the truth.
pub(super) fn starts_off_span(params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let setting = |norm: Norm, suffix: &str, share: f64| {
        let setting = SweepSetting::new(format!("noise/signal = {share}{suffix}"), share, paper(rank));
        SweepSetting { off_span: Some(OutOfSpan { norm, share }), ..setting }
    };
    let absolute = OFF_SPAN.map(|share| setting(Norm::Absolute, "", share));
    let euclidean = OFF_SPAN_EUCLIDEAN.map(|share| setting(Norm::Euclidean, EUCLIDEAN, share));
    let settings: Vec<SweepSetting> = absolute.into_iter().chain(euclidean).collect();
    sweep(FigureName::Fig3b, params, &[dir(params), ctm(), released()], &settings)
}

/// Weights with more and more active components per sample.
pub(super) fn sparsity(params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let auto = MethodParams::And(AndParams::new(rank));
    let mut cells = Vec::new();
    for (case, settings, from) in
        [(DIR, paper(rank), StartFrom::MixedTruth), (DIR_AUTO, auto, StartFrom::Data)]
    {
        for concentration in CONCENTRATIONS {
            let weights = Weights::Dirichlet { concentration };
            let name = format!("α = {concentration}");
            let setting = SweepSetting { from, ..SweepSetting::new(name, concentration, settings.clone()) };
            let case = (case, DatasetKind::Dir, weights);
            cells.extend(sweep(FigureName::Fig4, params, &[case], &[setting]));
        }
    }
    cells
}
