//! Which cells make which figure.

mod convergence;
pub(super) mod labels;
mod methods;
mod phase;
mod real;
mod sweeps;

use andnmf::SettingError;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_program::{Experiment, Fingerprint, StartFrom};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) use phase::{LEMMA_CASES, MAPS, Map};
pub(super) use real::{AND_OWN, AND_SAFE};

use super::cell::{Cell, Recovery, Task, Truth};
use super::{FigureName, Sources};

/// What the paper gives every component of DIR.
const DIRICHLET_PARAMETER: f64 = 0.05;

/// How large the experiments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Small enough to be over in minutes.
    Quick,
    /// The sizes of the paper.
    Full,
}

/// What a plan is made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanParams {
    /// How large the experiments are.
    pub scale: Scale,
    /// Runs with different seeds.
    pub seeds: usize,
    /// Most seconds in the solver, per method and seed.
    pub budget: f64,
    /// The truth that was brought along.
    pub truth: Option<KnownMatrix>,
    /// The texts that were brought along, by their fingerprint.
    pub texts: Option<String>,
    /// The pictures that were brought along.
    pub pictures: Option<KnownMatrix>,
}

/// A matrix by its size and its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// What tells it from others.
    pub print: String,
}

impl KnownMatrix {
    /// Size and fingerprint of a matrix.
    #[must_use]
    pub fn of(matrix: &Array2<f64>) -> Self {
        Self { rows: matrix.nrows(), columns: matrix.ncols(), print: Sources::print_of(matrix) }
    }
}

/// A list of cells, and what had to be left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What is shown.
    pub figures: Vec<FigureName>,
    /// What it was made from.
    pub params: PlanParams,
    /// What is done, in this order.
    pub cells: Vec<Cell>,
    /// Figures that cannot be made, and why.
    pub left_out: Vec<(FigureName, String)>,
}

impl PlanParams {
    /// The usual seeds and budget of a scale, on the built-in truth.
    #[must_use]
    pub fn new(scale: Scale) -> Self {
        let (seeds, budget) = match scale {
            Scale::Quick => (2, 1.5),
            Scale::Full => (5, 10.0),
        };
        Self { scale, seeds, budget, truth: None, texts: None, pictures: None }
    }

    /// The same with what the caller brought along.
    ///
    /// # Errors
    /// Where the texts cannot be read.
    pub fn with_sources(mut self, sources: &Sources) -> Result<Self, std::io::Error> {
        self.truth = sources.truth.as_ref().map(KnownMatrix::of);
        self.pictures = sources.pictures.as_ref().map(KnownMatrix::of);
        let texts = sources.texts.as_deref().map(Fingerprint::of_file).transpose()?;
        self.texts = texts.map(|print| print.to_string());
        Ok(self)
    }

    /// Components and features of the experiments.
    #[must_use]
    pub fn truth_size(&self) -> (usize, usize) {
        match (&self.truth, self.scale) {
            (Some(truth), _) => (truth.rows, truth.columns),
            (None, Scale::Quick) => (30, 400),
            (None, Scale::Full) => (100, 2940),
        }
    }

    /// Samples of the experiments.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match self.scale {
            Scale::Full => 5000,
            // As many per component as in the paper.
            Scale::Quick => 50 * self.truth_size().0,
        }
    }

    /// The weights of DIR: the paper's parameter for each component, however many there are.
    fn dirichlet(&self) -> Weights {
        Weights::Dirichlet { concentration: DIRICHLET_PARAMETER * self.truth_size().0 as f64 }
    }

    fn check(&self) -> Result<(), SettingError> {
        if self.seeds == 0 {
            return Err(SettingError::new("seeds", 0, "at least 1 is needed"));
        }
        if !(self.budget > 0.0 && self.budget.is_finite()) {
            let expected = "it must be a number of seconds above 0";
            return Err(SettingError::new("budget", self.budget, expected));
        }
        Ok(())
    }

    /// The samples of a kind at these sizes, and the truth they are made of.
    fn samples(&self, kind: DatasetKind, weights: Weights, seed: u64) -> (DatasetSpec, Truth) {
        let (rank, n_features) = self.truth_size();
        let (n_samples, weights) = (self.n_samples(), weights.for_rank(rank));
        let spec = DatasetSpec { n_features, rank, n_samples, seed, weights, ..DatasetSpec::new(kind) };
        // The signed truth is always drawn: no corpus has one.
        let truth = match &self.truth {
            Some(truth) if kind != DatasetKind::Neg => Truth::Given(truth.print.clone()),
            _ => Truth::BuiltIn,
        };
        (DatasetSpec { noise: 0.0, ..spec }, truth)
    }
}

impl Plan {
    /// The cells of some figures, checked.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn new(figures: &[FigureName], params: &PlanParams) -> Result<Self, SettingError> {
        params.check()?;
        let mut figures = figures.to_vec();
        figures.sort();
        figures.dedup();
        let mut plan =
            Self { figures: figures.clone(), params: params.clone(), cells: vec![], left_out: vec![] };
        for figure in figures {
            match figure {
                FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c => {
                    plan.cells.extend(convergence::cells(figure, params));
                }
                FigureName::Fig2a | FigureName::Fig2b => {
                    plan.cells.extend(sweeps::thresholds(figure, params));
                }
                FigureName::Fig2c => plan.cells.extend(sweeps::noise(params)),
                FigureName::Fig3a => plan.cells.extend(sweeps::mixed_starts(params)),
                FigureName::Fig3b => plan.cells.extend(sweeps::starts_off_span(params)),
                FigureName::Fig4 => plan.cells.extend(sweeps::sparsity(params)),
                FigureName::Table1 => real::topics(&mut plan),
                FigureName::Fig5 => real::faces(&mut plan),
                FigureName::Phase => plan.cells.extend(phase::cells(params)),
            }
        }
        for cell in &plan.cells {
            match &cell.task {
                Task::Recovery(recovery) | Task::StageLemma(recovery) => recovery.experiment.check()?,
                Task::Topics { method, .. } | Task::Pictures { method, .. } => {
                    method.clone().check::<f64>().map(|_| ())?;
                }
            }
        }
        Ok(plan)
    }
}

/// One line of a figure before it has seeds: samples and method.
struct Line {
    case: &'static str,
    method: String,
    at: Vec<f64>,
    dataset: DatasetSpec,
    truth: Truth,
    settings: andnmf::MethodParams,
    from: StartFrom,
    out_of_span_share: Option<f64>,
}

impl Line {
    /// The cell of this line; the seed is that of the dataset.
    fn cell(self, figure: FigureName, budget: f64) -> Cell {
        let seed = self.dataset.seed;
        let method = self.settings.with_seed(seed).with_time_limit(Some(budget));
        let experiment = Experiment { dataset: self.dataset, method, from: self.from };
        let task = Recovery {
            experiment,
            truth: self.truth,
            out_of_span_share: self.out_of_span_share,
            conditions: false,
        };
        Cell {
            figure,
            case: self.case.into(),
            method: self.method,
            at: self.at,
            seed,
            task: Task::Recovery(Box::new(task)),
        }
    }
}

#[cfg(test)]
mod tests;
