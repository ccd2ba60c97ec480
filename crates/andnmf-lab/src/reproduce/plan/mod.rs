//! The cells of each figure.

mod convergence;
pub(super) mod labels;
mod methods;
mod phase;
mod real_data;
mod sweeps;

use andnmf::SettingError;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_program::{Experiment, Fingerprint, StartFrom};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub(super) use phase::{LEMMA_CASES, MAPS, PhaseMap};
pub(super) use real_data::{AND_DEFAULT, AND_SAFE};

use super::cell::{Cell, OutOfSpan, RecoveryTask, ReleasedRun, Task, Truth};
use super::{FigureName, Sources};

/// The paper's Dirichlet parameter for each component of DIR.
const DIRICHLET_PARAMETER: f64 = 0.05;

/// The number of components of the paper's experiments.
const PAPER_RANK: f64 = 100.0;

/// The size of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentScale {
    /// Small: all figures in a few minutes.
    Quick,
    /// The sizes of the paper.
    Full,
}

/// The parameters of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanParams {
    /// The size of the experiments.
    pub scale: ExperimentScale,
    /// The number of runs with different seeds.
    pub seeds: usize,
    /// Solver time limit in seconds, per method and seed.
    pub budget: f64,
    /// True if all other methods also run as in the authors' released program.
    #[serde(default)]
    pub released: bool,
    /// The truth supplied by the caller.
    pub truth: Option<MatrixFingerprint>,
    /// Fingerprint of the texts supplied by the caller.
    pub texts: Option<String>,
    /// The images supplied by the caller.
    #[serde(rename = "pictures")]
    pub images: Option<MatrixFingerprint>,
}

/// Size and fingerprint of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixFingerprint {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Hash of the size and all values.
    #[serde(rename = "print")]
    pub fingerprint: String,
}

impl MatrixFingerprint {
    /// Computes size and fingerprint of a matrix.
    #[must_use]
    pub fn of(matrix: &Array2<f64>) -> Self {
        Self { rows: matrix.nrows(), columns: matrix.ncols(), fingerprint: Sources::fingerprint_of(matrix) }
    }
}

/// A list of cells, and the figures that were skipped.
#[derive(Debug, Clone, PartialEq)]
pub struct ReproductionPlan {
    /// The figures to make.
    pub figures: Vec<FigureName>,
    /// The parameters that the plan was made from.
    pub params: PlanParams,
    /// The runs, in order.
    pub cells: Vec<Cell>,
    /// Skipped figures with the reason.
    pub skipped: Vec<(FigureName, String)>,
}

impl PlanParams {
    /// The default number of seeds and time limit of a scale, with the built-in truth.
    #[must_use]
    pub fn new(scale: ExperimentScale) -> Self {
        let (seeds, budget) = match scale {
            ExperimentScale::Quick => (2, 1.5),
            ExperimentScale::Full => (5, 10.0),
        };
        Self { scale, seeds, budget, released: false, truth: None, texts: None, images: None }
    }

    /// The same parameters with the fingerprints of the caller's data.
    ///
    /// # Errors
    /// Returns an error if the texts cannot be read.
    pub fn with_sources(mut self, sources: &Sources) -> Result<Self, std::io::Error> {
        self.truth = sources.truth.as_ref().map(MatrixFingerprint::of);
        self.images = sources.images.as_ref().map(MatrixFingerprint::of);
        let texts = sources.texts.as_deref().map(Fingerprint::of_file).transpose()?;
        self.texts = texts.map(|fingerprint| fingerprint.to_string());
        Ok(self)
    }

    /// Rank and number of features of the experiments.
    #[must_use]
    pub fn truth_size(&self) -> (usize, usize) {
        match (&self.truth, self.scale) {
            (Some(truth), _) => (truth.rows, truth.columns),
            (None, ExperimentScale::Quick) => (30, 400),
            (None, ExperimentScale::Full) => (100, 2940),
        }
    }

    /// Number of samples of the experiments.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match self.scale {
            ExperimentScale::Full => 5000,
            // As many samples per component as in the paper.
            ExperimentScale::Quick => 50 * self.truth_size().0,
        }
    }

    /// The weights of DIR: the paper's parameter for each component, for any rank.
    fn dirichlet(&self) -> Weights {
        Weights::Dirichlet { concentration: DIRICHLET_PARAMETER * self.truth_size().0 as f64 }
    }

    fn check(&self) -> Result<(), SettingError> {
        if self.seeds == 0 {
            return Err(SettingError::new("seeds", 0, "it must be at least 1"));
        }
        if !(self.budget > 0.0 && self.budget.is_finite()) {
            let expected = "it must be a number of seconds above 0";
            return Err(SettingError::new("budget", self.budget, expected));
        }
        Ok(())
    }

    /// The dataset of a kind at these sizes, and its truth.
    fn samples(&self, kind: DatasetKind, weights: Weights, seed: u64) -> (DatasetSpec, Truth) {
        let (rank, n_features) = self.truth_size();
        let (n_samples, weights) = (self.n_samples(), weights.for_rank(rank));
        let spec = DatasetSpec { n_features, rank, n_samples, seed, weights, ..DatasetSpec::new(kind) };
        // A signed truth is always generated, since no corpus has negative entries.
        let truth = match &self.truth {
            Some(truth) if kind != DatasetKind::Neg => Truth::Given(truth.fingerprint.clone()),
            _ => Truth::BuiltIn,
        };
        // The paper's mixing of the start is ±0.05 at 100 components. What is mixed into a component grows with the root
        // of their number.
        let in_span = (PAPER_RANK / rank as f64).sqrt();
        (DatasetSpec { noise: 0.0, in_span, ..spec }, truth)
    }
}

impl ReproductionPlan {
    /// Lists the cells of some figures and checks their settings.
    ///
    /// ```
    /// use andnmf_lab::reproduce::{ExperimentScale, FigureName, PlanParams, ReproductionPlan};
    ///
    /// let params = PlanParams { seeds: 1, ..PlanParams::new(ExperimentScale::Quick) };
    /// let plan = ReproductionPlan::new(&[FigureName::Fig4, FigureName::Table1], &params)?;
    /// assert_eq!((plan.cells.len(), plan.skipped.len()), (12, 1));
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a setting is out of its range.
    pub fn new(figures: &[FigureName], params: &PlanParams) -> Result<Self, SettingError> {
        params.check()?;
        let mut figures = figures.to_vec();
        figures.sort();
        figures.dedup();
        let mut plan =
            Self { figures: figures.clone(), params: params.clone(), cells: vec![], skipped: vec![] };
        for figure in figures {
            match figure {
                FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c | FigureName::Fig1d => {
                    plan.cells.extend(convergence::cells(figure, params));
                }
                FigureName::Fig2a | FigureName::Fig2b => {
                    plan.cells.extend(sweeps::thresholds(figure, params));
                }
                FigureName::Fig2c => plan.cells.extend(sweeps::noise(params)),
                FigureName::Fig3a => plan.cells.extend(sweeps::mixed_starts(params)),
                FigureName::Fig3b => plan.cells.extend(sweeps::starts_off_span(params)),
                FigureName::Fig4 => plan.cells.extend(sweeps::sparsity(params)),
                FigureName::Table1 => real_data::topics(&mut plan),
                FigureName::Fig5 => real_data::faces(&mut plan),
                FigureName::Phase => plan.cells.extend(phase::cells(params)),
            }
        }
        for cell in &plan.cells {
            match &cell.task {
                Task::Recovery(recovery) | Task::StageLemma(recovery) => recovery.experiment.check()?,
                Task::Topics { method, .. } | Task::Images { method, .. } => {
                    method.clone().check::<f64>().map(|_| ())?;
                }
            }
        }
        Ok(plan)
    }
}

/// The specification of a recovery run: samples, method and label.
struct RecoverySpec {
    case: &'static str,
    method: String,
    at: Vec<f64>,
    dataset: DatasetSpec,
    truth: Truth,
    settings: andnmf::MethodParams,
    from: StartFrom,
    out_of_span: Option<OutOfSpan>,
    released: Option<ReleasedRun>,
}

impl RecoverySpec {
    /// The cell of this run; its seed is that of the dataset.
    fn cell(self, figure: FigureName, budget: f64) -> Cell {
        let seed = self.dataset.seed;
        let method = self.settings.with_seed(seed).with_time_limit(Some(budget));
        let experiment = Experiment { dataset: self.dataset, method, from: self.from };
        let task = RecoveryTask {
            experiment,
            truth: self.truth,
            out_of_span: self.out_of_span,
            released: self.released,
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
