//! The methods of the figures, with their settings.

use andnmf::and::AndParams;
use andnmf::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuParams, OnlineLdaParams};
use andnmf::{Method, MethodParams};
use andnmf_program::StartFrom;

use super::labels::{
    ANCHOR_WORDS, AND_AUTO, AND_PAPER, ANLS, AS_RELEASED, HALS, HALS_RELEASED, LDA, MIN_VOLUME, MU, SIGNED,
};
use crate::reproduce::{ReleasedMethod, ReleasedRun};

/// LDA treats values as counts: each sample, which sums to 1, is scaled to this many words.
const WORDS_PER_DOCUMENT: f64 = 1000.0;
/// Stages of the alternating methods: their error then changes little from stage to stage, or they are far slower than
/// AND, whose paper's run has 200.
const STAGES: usize = 400;
/// Stages of the methods as the released program runs them, whose steps are those of a plain program.
const RELEASED_STAGES: usize = 100;
/// Passes of LDA: more than in the released program, which has up to 19.
const LDA_PASSES: usize = 20;
/// More stages than any time limit allows.
const UNLIMITED_STAGES: usize = 1_000_000;

/// A method in a figure.
#[derive(Debug, Clone)]
pub(super) struct Contender {
    /// Its label.
    pub(super) name: String,
    /// Its settings.
    pub(super) settings: MethodParams,
    /// Its start.
    pub(super) from: StartFrom,
    /// The method of the released program that runs in its place.
    pub(super) released: Option<ReleasedRun>,
}

impl Contender {
    fn new(name: impl Into<String>, settings: MethodParams, from: StartFrom) -> Self {
        Self { name: name.into(), settings, from, released: None }
    }
}

/// The paper's settings.
pub(super) fn paper(rank: usize) -> MethodParams {
    MethodParams::And(AndParams::paper(rank))
}

/// AND with the paper's settings from the common start, and with default settings from the data alone.
pub(super) fn ours(rank: usize) -> Vec<Contender> {
    let auto = MethodParams::And(AndParams::new(rank));
    vec![
        Contender::new(AND_PAPER, paper(rank), StartFrom::MixedTruth),
        Contender::new(AND_AUTO, auto, StartFrom::Data),
    ]
}

/// The alternating baselines, for a fixed number of stages; with `signed`, components may have any sign.
pub(super) fn alternating(rank: usize, signed: bool) -> Vec<Contender> {
    let note = if signed { SIGNED } else { "" };
    let methods = [
        (HALS, MethodParams::Hals(HalsParams { signed, ..HalsParams::new(rank) })),
        (ANLS, MethodParams::Anls(AnlsParams { signed, ..AnlsParams::new(rank) })),
        (MU, MethodParams::Mu(MuParams { signed, ..MuParams::new(rank) })),
        (MIN_VOLUME, min_volume(rank, signed)),
    ];
    let named = |(name, params): (&str, MethodParams)| {
        Contender::new(format!("{name}{note}"), for_stages(params, STAGES), StartFrom::MixedTruth)
    };
    methods.map(named).into()
}

/// The topic models. Anchor words does not use a given start.
pub(super) fn topic_models(rank: usize) -> Vec<Contender> {
    let lda = OnlineLdaParams { sample_scale: WORDS_PER_DOCUMENT, ..OnlineLdaParams::new(rank) };
    vec![
        Contender::new(LDA, for_stages(MethodParams::OnlineLda(lda), LDA_PASSES), StartFrom::MixedTruth),
        Contender::new(ANCHOR_WORDS, MethodParams::new(Method::AnchorWords, rank), StartFrom::Data),
    ]
}

/// HALS as the released program runs it: a component and its weights are replaced at once.
pub(super) fn released_hals(rank: usize) -> Contender {
    Contender {
        released: Some(ReleasedRun { method: ReleasedMethod::Hals, stages: RELEASED_STAGES }),
        ..Contender::new(HALS_RELEASED, MethodParams::Hals(HalsParams::new(rank)), StartFrom::MixedTruth)
    }
}

/// The other methods as the released program runs them: multiplicative updates from the start with its negative values,
/// ANLS whose components may have any sign, and LDA on samples that sum to 1, from its own random start.
pub(super) fn released(rank: usize) -> Vec<Contender> {
    let anls = MethodParams::Anls(AnlsParams { signed: true, ..AnlsParams::new(rank) });
    let lda = MethodParams::OnlineLda(OnlineLdaParams { sample_scale: 1.0, ..OnlineLdaParams::new(rank) });
    let name = |method: &str| format!("{method}{AS_RELEASED}");
    vec![
        Contender {
            released: Some(ReleasedRun { method: ReleasedMethod::Mu, stages: RELEASED_STAGES }),
            ..Contender::new(name(MU), MethodParams::Mu(MuParams::new(rank)), StartFrom::MixedTruth)
        },
        Contender::new(name(ANLS), for_stages(anls, RELEASED_STAGES), StartFrom::MixedTruth),
        Contender::new(name(LDA), for_stages(lda, LDA_PASSES), StartFrom::Data),
    ]
}

/// Minimum volume with a decaying volume weight, the best of several choices on samples without noise.
pub(super) fn min_volume(rank: usize, signed: bool) -> MethodParams {
    let faded = MinVolumeParams { volume_weight: 1e-3, weight_ratio: 0.95, ..MinVolumeParams::new(rank) };
    until_time_limit(MethodParams::MinVolume(MinVolumeParams { signed, ..faded }))
}

/// Removes every stopping rule except the number of stages and the time limit.
fn for_stages(params: MethodParams, stages: usize) -> MethodParams {
    params.with_max_stages(stages).with_tolerance(0.0)
}

/// Removes every stopping rule except the time limit.
pub(super) fn until_time_limit(params: MethodParams) -> MethodParams {
    for_stages(params, UNLIMITED_STAGES)
}
