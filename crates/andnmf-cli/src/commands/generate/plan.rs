//! The options as a dataset specification; each kind accepts only its own options.

use andnmf::SettingError;
use andnmf::synth::{DatasetKind, DatasetSpec, LogisticNormal, Weights};
use andnmf_io::read_array;
use andnmf_program::{Failure, read_failure};
use ndarray::Array1;

use super::GenerateArgs;

/// The specification; the sizes of a given truth replace the default ones.
pub(super) fn dataset_spec(
    args: &GenerateArgs,
    truth: Option<(usize, usize)>,
) -> Result<DatasetSpec, Failure> {
    refuse_options_of_other_kinds(args)?;
    let defaults = DatasetSpec::new(args.kind);
    let (rank, n_features) = match truth {
        None => (args.rank.unwrap_or(defaults.rank), args.features.unwrap_or(defaults.n_features)),
        Some((rank, n_features)) => {
            check_size("--rank", args.rank, rank, "components")?;
            check_size("--features", args.features, n_features, "features")?;
            (rank, n_features)
        }
    };
    let spec = DatasetSpec {
        n_features,
        rank,
        n_samples: args.samples.unwrap_or(defaults.n_samples),
        seed: args.seed,
        weights: weights(args, defaults.weights, rank)?,
        noise: args.noise.unwrap_or(defaults.noise),
        noise_kind: args.noise_kind,
        in_span: args.in_span.unwrap_or(defaults.in_span),
        out_of_span: args.out_of_span.unwrap_or(defaults.out_of_span),
        ..defaults
    };
    spec.check()?;
    Ok(spec)
}

/// The distribution of the weights, if its covariance is given.
pub(super) fn logits(args: &GenerateArgs) -> Result<Option<LogisticNormal>, Failure> {
    let Some(file) = &args.logit_covariance else { return Ok(None) };
    if args.kind != DatasetKind::Ctm {
        return Err(Failure::Request(format!(
            "--logit-covariance is not an option of the kind {}; it is for ctm",
            args.kind
        )));
    }
    let covariance = read_array::<f64>(file).map_err(read_failure)?;
    let mean = match &args.logit_mean {
        None => Array1::zeros(covariance.nrows()),
        Some(file) => read_array::<f64>(file).map_err(read_failure)?.into_iter().collect(),
    };
    check_size("--rank", args.rank, mean.len(), "components")?;
    Ok(Some(LogisticNormal::new(mean.view(), covariance.view())?))
}

fn check_size(option: &str, requested: Option<usize>, given: usize, what: &str) -> Result<(), Failure> {
    match requested {
        Some(requested) if requested != given => Err(Failure::Request(format!(
            "{option} is {requested}, but the given file has {given} {what}; omit {option}"
        ))),
        _ => Ok(()),
    }
}

/// The weights of the kind, with the given options in place of the defaults.
fn weights(args: &GenerateArgs, defaults: Weights, rank: usize) -> Result<Weights, Failure> {
    Ok(match defaults.for_rank(rank) {
        Weights::Dirichlet { concentration } => {
            Weights::Dirichlet { concentration: args.concentration.unwrap_or(concentration) }
        }
        Weights::LogisticNormal { scale, correlation } => Weights::LogisticNormal {
            scale: args.scale.unwrap_or(scale),
            correlation: args.correlation.unwrap_or(correlation),
        },
        Weights::LogisticNormalBlocks { scale, correlation } => Weights::LogisticNormalBlocks {
            scale: args.scale.unwrap_or(scale),
            correlation: args.correlation.unwrap_or(correlation),
        },
        Weights::LogisticNormalOfPapers { mean_share } => {
            Weights::LogisticNormalOfPapers { mean_share: args.mean_share.unwrap_or(mean_share) }
        }
        Weights::SparseBinary { sparsity } => {
            let sparsity = args.sparsity.unwrap_or(sparsity as f64);
            Weights::SparseBinary { sparsity: whole(sparsity)? }
        }
        Weights::Decay { sparsity, order } => Weights::Decay {
            sparsity: args.sparsity.unwrap_or(sparsity),
            order: args.decay_order.unwrap_or(order),
        },
        Weights::Paired { sparsity, co_occurrence, decay_order } => Weights::Paired {
            sparsity: args.sparsity.unwrap_or(sparsity),
            co_occurrence: args.co_occurrence.unwrap_or(co_occurrence),
            decay_order: args.decay_order.or(decay_order),
        },
        other => other,
    })
}

fn whole(sparsity: f64) -> Result<usize, SettingError> {
    if sparsity >= 1.0 && sparsity.fract() == 0.0 && sparsity < 1e15 {
        Ok(sparsity as usize)
    } else {
        Err(SettingError::new(
            "sparsity",
            sparsity,
            "for binary weights it must be a whole number, at least 1",
        ))
    }
}

/// The options that only some kinds have.
const KIND_OPTIONS: [&str; 7] =
    ["concentration", "sparsity", "decay-order", "co-occurrence", "scale", "correlation", "mean-share"];

fn own_options(kind: DatasetKind) -> &'static [&'static str] {
    match kind.default_weights() {
        Weights::Dirichlet { .. } => &["concentration"],
        Weights::LogisticNormal { .. }
        | Weights::LogisticNormalUneven { .. }
        | Weights::LogisticNormalBlocks { .. } => &["scale", "correlation"],
        Weights::LogisticNormalOfPapers { .. } => &["mean-share"],
        Weights::LogisticNormalReleased | Weights::Given => &[],
        Weights::SparseBinary { .. } | Weights::BernoulliBinary { .. } => &["sparsity"],
        Weights::Decay { .. } => &["sparsity", "decay-order"],
        Weights::Paired { .. } => &["sparsity", "co-occurrence", "decay-order"],
    }
}

fn refuse_options_of_other_kinds(args: &GenerateArgs) -> Result<(), Failure> {
    let GenerateArgs {
        concentration,
        sparsity,
        decay_order,
        co_occurrence,
        scale,
        correlation,
        mean_share,
        ..
    } = args;
    let given = [concentration, sparsity, decay_order, co_occurrence, scale, correlation, mean_share];
    for (option, given) in KIND_OPTIONS.into_iter().zip(given) {
        if given.is_some() && !own_options(args.kind).contains(&option) {
            let having: Vec<&str> = DatasetKind::ALL
                .into_iter()
                .filter(|&kind| own_options(kind).contains(&option))
                .map(DatasetKind::name)
                .collect();
            let own: Vec<String> = own_options(args.kind).iter().map(|own| format!("--{own}")).collect();
            let own = if own.is_empty() { "none of these options".to_owned() } else { own.join(", ") };
            return Err(Failure::Request(format!(
                "--{option} is not an option of the kind {}, which has {own}; it is for {}",
                args.kind,
                having.join(", ")
            )));
        }
    }
    Ok(())
}
