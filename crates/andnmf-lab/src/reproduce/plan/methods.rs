//! The methods of the figures, with their settings.

use andnmf::and::AndParams;
use andnmf::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuParams, OnlineLdaParams};
use andnmf::{Method, MethodParams};
use andnmf_program::StartFrom;

use super::labels::{ANCHOR_WORDS, AND_AUTO, AND_PAPER, ANLS, HALS, LDA, MIN_VOLUME, MU, SIGNED};

/// Every row of a mixture that sums to 1 stands for this many words: LDA takes values for counts.
const WORDS_PER_DOCUMENT: f64 = 1000.0;
/// More stages than any budget allows.
const ENDLESS: usize = 1_000_000;

/// A method as a figure names it, its settings, and where it begins.
pub(super) type Contender = (String, MethodParams, StartFrom);

/// The paper's settings.
pub(super) fn paper(rank: usize) -> MethodParams {
    MethodParams::And(AndParams::paper(rank))
}

/// AND by both its rules: the paper's from the common start, and its own from the data alone.
pub(super) fn ours(rank: usize) -> Vec<Contender> {
    let auto = MethodParams::And(AndParams::new(rank));
    vec![(AND_PAPER.into(), paper(rank), StartFrom::MixedTruth), (AND_AUTO.into(), auto, StartFrom::Data)]
}

/// The rivals that alternate, until their time is up; `signed`: with components of any sign.
pub(super) fn alternating(rank: usize, signed: bool) -> Vec<Contender> {
    let note = if signed { SIGNED } else { "" };
    let methods = [
        (HALS, MethodParams::Hals(HalsParams { signed, ..HalsParams::new(rank) })),
        (ANLS, MethodParams::Anls(AnlsParams { signed, ..AnlsParams::new(rank) })),
        (MU, MethodParams::Mu(MuParams { signed, ..MuParams::new(rank) })),
        (MIN_VOLUME, min_volume(rank, signed)),
    ];
    let named = |(name, params): (&str, MethodParams)| {
        (format!("{name}{note}"), endless(params), StartFrom::MixedTruth)
    };
    methods.map(named).into()
}

/// The rivals that only know topics. Anchor words has a start of its own.
pub(super) fn topic_models(rank: usize) -> Vec<Contender> {
    let lda = OnlineLdaParams { sample_scale: WORDS_PER_DOCUMENT, ..OnlineLdaParams::new(rank) };
    vec![
        (LDA.into(), endless(MethodParams::OnlineLda(lda)), StartFrom::MixedTruth),
        (ANCHOR_WORDS.into(), MethodParams::new(Method::AnchorWords, rank), StartFrom::Data),
    ]
}

/// Minimum volume with a weight that fades, the best of several on samples without noise.
pub(super) fn min_volume(rank: usize, signed: bool) -> MethodParams {
    let faded = MinVolumeParams { volume_weight: 1e-3, weight_ratio: 0.95, ..MinVolumeParams::new(rank) };
    endless(MethodParams::MinVolume(MinVolumeParams { signed, ..faded }))
}

/// Until its time is up.
pub(super) fn endless(params: MethodParams) -> MethodParams {
    params.with_max_stages(ENDLESS).with_tolerance(0.0)
}
