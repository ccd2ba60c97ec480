//! Figures 2 to 4: AND alone, with one thing varied.

use andnmf::MethodParams;
use andnmf::and::{AndParams, Schedule, StepsPerStage, ThresholdParams};
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_program::StartFrom;

use super::labels::{
    CTM, CTM_RELEASED, DECREASING, DIR, DIR_AUTO, FEWER_STEPS, FLOORED, NOISE, NOISE_RELEASED,
};
use super::methods::paper;
use super::{Line, PlanParams};
use crate::reproduce::{Cell, FigureName};

/// These runs end with their last stage: the limit, so many budgets, is only for machines that are busy with others.
const PATIENCE: f64 = 6.0;
/// Constant thresholds beside the decreasing one. The paper does not say which it tried.
const CONSTANT_THRESHOLDS: [f64; 5] = [0.1, 0.03, 0.01, 0.003, 0.001];
/// Levels of noise: about the norm of what is added to a sample.
const NOISE_LEVELS: [f64; 3] = [0.001, 0.01, 0.03];
/// The level at which the paper's two numbers of steps are compared; at the others it would be the same picture again.
const STEPS_COMPARED_AT: f64 = 0.01;
/// By then the threshold is far below the smallest noise.
const NOISE_STAGES: usize = 100;
/// No threshold below so many times the root mean square of negative decoded weights.
const FLOOR: f64 = 2.0;
/// Noise fills all dimensions, so that these runs are long: they need fewer seeds for the same picture.
const NOISE_SEEDS: usize = 3;
/// The start's mixing of components, r_l.
const MIXINGS: [f64; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];
/// Length of what the start has outside the span, as a share of the true components: "comparable or even larger".
const OFF_SPAN: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5];
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

/// One value of what is varied: its name, the value, the settings, and what it does to the samples.
struct Setting {
    name: String,
    value: f64,
    settings: MethodParams,
    noise: f64,
    in_span: f64,
    off_span: Option<f64>,
    from: StartFrom,
}

impl Setting {
    fn new(name: String, value: f64, settings: MethodParams) -> Self {
        let from = StartFrom::MixedTruth;
        Self { name, value, settings, noise: 0.0, in_span: 1.0, off_span: None, from }
    }
}

/// All settings on all samples with all seeds. Settings that share their samples stand next to each other.
fn sweep(figure: FigureName, params: &PlanParams, cases: &[Case], settings: &[Setting]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &(case, kind, weights) in cases {
        for seed in 0..params.seeds as u64 {
            for setting in settings {
                let (dataset, truth) = params.samples(kind, weights, seed);
                let line = Line {
                    case,
                    method: setting.name.clone(),
                    at: vec![setting.value],
                    dataset: DatasetSpec { noise: setting.noise, in_span: setting.in_span, ..dataset },
                    truth,
                    settings: setting.settings.clone(),
                    from: setting.from,
                    out_of_span_share: setting.off_span,
                };
                cells.push(line.cell(figure, PATIENCE * params.budget));
            }
        }
    }
    cells
}

/// Decreasing against constant thresholds.
pub(super) fn thresholds(figure: FigureName, params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let constant = |value: f64| {
        let threshold = Schedule::Constant(value).into();
        let and = AndParams { threshold, tolerance: 0.0, ..AndParams::paper(rank) };
        Setting::new(format!("constant {value}"), value, MethodParams::And(and))
    };
    let mut settings = vec![Setting::new(DECREASING.into(), 0.0, paper(rank))];
    settings.extend(CONSTANT_THRESHOLDS.map(constant));
    let cases = match figure {
        FigureName::Fig2a => vec![dir(params)],
        _ => vec![ctm(), released()],
    };
    sweep(figure, params, &cases, &settings)
}

/// Noise at several levels, with the paper's plain thresholds and with a floor from the data.
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
        let setting = Setting::new(format!("γ = {level}{note}"), level, MethodParams::And(and));
        settings.push(Setting { noise: level, ..setting });
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
        let setting = Setting::new(format!("r_l = {r_l}"), r_l, paper(rank));
        Setting { in_span: r_l, ..setting }
    };
    sweep(FigureName::Fig3a, params, &[dir(params), ctm(), released()], &MIXINGS.map(setting))
}

/// Starts that leave the span of the truth.
pub(super) fn starts_off_span(params: &PlanParams) -> Vec<Cell> {
    let rank = params.truth_size().0;
    let setting = |share: f64| {
        let setting = Setting::new(format!("noise/signal = {share}"), share, paper(rank));
        Setting { off_span: Some(share), ..setting }
    };
    sweep(FigureName::Fig3b, params, &[dir(params), ctm(), released()], &OFF_SPAN.map(setting))
}

/// Weights with ever more components in each sample.
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
            let setting = Setting { from, ..Setting::new(name, concentration, settings.clone()) };
            let case = (case, DatasetKind::Dir, weights);
            cells.extend(sweep(FigureName::Fig4, params, &[case], &[setting]));
        }
    }
    cells
}
