//! What callers start, compiled in this crate once for each type of number.
//!
//! Generic code is compiled anew in every crate that names its types, which for the solvers and the linear algebra
//! below them takes minutes, for every program, test and example. The methods of a trait for `f32` and for `f64`
//! are not generic: public functions pass their work through them, and callers only link.

use std::ops::RangeInclusive;
use std::path::Path;

use ndarray::{Array2, ArrayView2};

use crate::and::And;
use crate::baselines::{AnchorWords, Anls, Hals, MinVolume, Mu, OnlineLda};
use crate::diagnose::WeightDiagnosis;
use crate::elsewhere::{Answer, Question};
use crate::fit::{Fit, Run, Start};
use crate::init::{Nndsvd, NndsvdFill};
use crate::io::{FileError, Format, ReadOptions, Table};
use crate::metrics::ReconstructionError;
use crate::nnls::NnlsError;
use crate::rank::{RankSettings, RankSuggestion};
use crate::samples::Samples;
use crate::theory::MatrixError;
use crate::{FitError, Real, SamplesError};

macro_rules! compiled {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty = $generic:expr;)*) => {
        /// Not generic in its implementations: see the module.
        pub trait Compiled: Sized {
            $(#[doc(hidden)] #[allow(missing_docs)] fn $name($($argument: $type),*) -> $result where Self: Real;)*
        }

        compiled!(@ f32 $($name ($($argument: $type),*) -> $result = $generic;)*);
        compiled!(@ f64 $($name ($($argument: $type),*) -> $result = $generic;)*);
    };
    (@ $float:ident $($name:ident ($($argument:ident: $type:ty),*) -> $result:ty = $generic:expr;)*) => {
        impl Compiled for $float {
            $(fn $name($($argument: $type),*) -> $result { $generic($($argument),*) })*
        }
    };
}

type Fitted<T> = Result<Fit<T>, FitError>;

compiled! {
    fn fit_and(solver: &And, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = And::run;
    fn fit_anls(solver: &Anls, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = Anls::run;
    fn fit_hals(solver: &Hals, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = Hals::run;
    fn fit_mu(solver: &Mu, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = Mu::run;
    fn fit_min_volume(solver: &MinVolume, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = MinVolume::run;
    fn fit_online_lda(solver: &OnlineLda, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = OnlineLda::run;
    fn fit_anchor_words(solver: &AnchorWords, samples: &dyn Samples<Self>, start: Start<Self>, run: &mut Run<'_, Self>) -> Fitted<Self> = AnchorWords::run;

    fn weights(samples: &dyn Samples<Self>, components: ArrayView2<'_, Self>) -> Result<Array2<Self>, NnlsError> = crate::nnls::weights_on_these_threads;
    fn residual(samples: &dyn Samples<Self>, weights: ArrayView2<'_, Self>, components: ArrayView2<'_, Self>) -> Result<f64, ReconstructionError> = crate::metrics::residual;
    fn diagnosis(weights: ArrayView2<'_, Self>) -> Result<WeightDiagnosis, MatrixError> = crate::diagnose::diagnosis;
    fn rank_scores(samples: &dyn Samples<Self>, ranks: RangeInclusive<usize>, settings: &RankSettings, run: &Run<'_, Self>) -> Result<RankSuggestion, FitError> = crate::rank::score_ranks;

    fn singular_start(samples: &dyn Samples<Self>, rank: usize, fill: NndsvdFill, seed: u64) -> Result<Nndsvd<Self>, FitError> = crate::init::singular_start;
    fn far_samples(samples: &dyn Samples<Self>, rank: usize) -> Result<Array2<Self>, FitError> = crate::init::far_samples;

    fn answer(samples: &dyn Samples<Self>, first: usize, question: &Question<'_, Self>) -> Result<Answer<Self>, SamplesError> = crate::elsewhere::answer_on_these_threads;

    fn table(path: &Path, format: Format, options: &ReadOptions) -> Result<Table<Self>, FileError> = crate::io::read_as;
}
