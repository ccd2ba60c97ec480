//! The methods of the figures, with their settings.

use andnmf::and::AndParams;
use andnmf::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuParams, OnlineLdaParams};
use andnmf::{Method, MethodParams};
use andnmf_program::StartFrom;

use super::labels::{ANCHOR_WORDS, AND_AUTO, AND_PAPER, ANLS, HALS, LDA, MIN_VOLUME, MU, SIGNED};

/// LDA treats values as counts: each sample, which sums to 1, is scaled to this many words.
const WORDS_PER_DOCUMENT: f64 = 1000.0;
/// More stages than any budget allows.
const UNLIMITED_STAGES: usize = 1_000_000;

/// A method: its label in the figure, its settings, and its start.
pub(super) type Contender = (String, MethodParams, StartFrom);

/// The paper's settings.
pub(super) fn paper(rank: usize) -> MethodParams {
    MethodParams::And(AndParams::paper(rank))
}

/// AND with the paper's settings from the common start, and with default settings from the data alone.
pub(super) fn ours(rank: usize) -> Vec<Contender> {
    let auto = MethodParams::And(AndParams::new(rank));
    vec![(AND_PAPER.into(), paper(rank), StartFrom::MixedTruth), (AND_AUTO.into(), auto, StartFrom::Data)]
}

/// The alternating baselines, which run until the time limit; with `signed`, components may have any sign.
pub(super) fn alternating(rank: usize, signed: bool) -> Vec<Contender> {
    let note = if signed { SIGNED } else { "" };
    let methods = [
        (HALS, MethodParams::Hals(HalsParams { signed, ..HalsParams::new(rank) })),
        (ANLS, MethodParams::Anls(AnlsParams { signed, ..AnlsParams::new(rank) })),
        (MU, MethodParams::Mu(MuParams { signed, ..MuParams::new(rank) })),
        (MIN_VOLUME, min_volume(rank, signed)),
    ];
    let named = |(name, params): (&str, MethodParams)| {
        (format!("{name}{note}"), until_time_limit(params), StartFrom::MixedTruth)
    };
    methods.map(named).into()
}

/// The topic models. Anchor words does not use a given start.
pub(super) fn topic_models(rank: usize) -> Vec<Contender> {
    let lda = OnlineLdaParams { sample_scale: WORDS_PER_DOCUMENT, ..OnlineLdaParams::new(rank) };
    vec![
        (LDA.into(), until_time_limit(MethodParams::OnlineLda(lda)), StartFrom::MixedTruth),
        (ANCHOR_WORDS.into(), MethodParams::new(Method::AnchorWords, rank), StartFrom::Data),
    ]
}

/// Minimum volume with a decaying volume weight, the best of several choices on samples without noise.
pub(super) fn min_volume(rank: usize, signed: bool) -> MethodParams {
    let faded = MinVolumeParams { volume_weight: 1e-3, weight_ratio: 0.95, ..MinVolumeParams::new(rank) };
    until_time_limit(MethodParams::MinVolume(MinVolumeParams { signed, ..faded }))
}

/// Removes every stopping rule except the time limit.
pub(super) fn until_time_limit(params: MethodParams) -> MethodParams {
    params.with_max_stages(UNLIMITED_STAGES).with_tolerance(0.0)
}
