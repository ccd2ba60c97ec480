//! What was typed as a recipe: every kind takes its own options, and no others.

use andnmf::SettingError;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_program::Failure;

use super::GenerateArgs;

/// The recipe, with sizes that those of a given truth replace.
pub(super) fn recipe(args: &GenerateArgs, truth: Option<(usize, usize)>) -> Result<DatasetSpec, Failure> {
    refuse_options_of_other_kinds(args)?;
    let usual = DatasetSpec::new(args.kind);
    let (rank, n_features) = match truth {
        None => (args.rank.unwrap_or(usual.rank), args.features.unwrap_or(usual.n_features)),
        Some((rank, n_features)) => {
            agree("--rank", args.rank, rank, "components")?;
            agree("--features", args.features, n_features, "features")?;
            (rank, n_features)
        }
    };
    let spec = DatasetSpec {
        n_features,
        rank,
        n_samples: args.samples.unwrap_or(usual.n_samples),
        seed: args.seed,
        weights: weights(args, usual.weights, rank)?,
        noise: args.noise.unwrap_or(usual.noise),
        in_span: args.in_span.unwrap_or(usual.in_span),
        out_of_span: args.out_of_span.unwrap_or(usual.out_of_span),
        ..usual
    };
    spec.check()?;
    Ok(spec)
}

fn agree(option: &str, asked: Option<usize>, given: usize, what: &str) -> Result<(), Failure> {
    match asked {
        Some(asked) if asked != given => Err(Failure::Request(format!(
            "{option} is {asked}, but the file of --truth has {given} {what}; leave {option} out"
        ))),
        _ => Ok(()),
    }
}

/// The weights of the kind, with what was typed in place of what is usual.
fn weights(args: &GenerateArgs, usual: Weights, rank: usize) -> Result<Weights, Failure> {
    Ok(match usual.for_rank(rank) {
        Weights::Dirichlet { concentration } => {
            Weights::Dirichlet { concentration: args.concentration.unwrap_or(concentration) }
        }
        Weights::LogisticNormal { scale, correlation } => Weights::LogisticNormal {
            scale: args.scale.unwrap_or(scale),
            correlation: args.correlation.unwrap_or(correlation),
        },
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
        Err(SettingError::new("sparsity", sparsity, "binary weights need a whole number of ones, 1 or more"))
    }
}

/// The options that only some kinds have, and which of them a kind has.
const OWN_OPTIONS: [&str; 6] =
    ["concentration", "sparsity", "decay-order", "co-occurrence", "scale", "correlation"];

fn own_options(kind: DatasetKind) -> &'static [&'static str] {
    match kind.default_weights() {
        Weights::Dirichlet { .. } => &["concentration"],
        Weights::LogisticNormal { .. } | Weights::LogisticNormalUneven { .. } => &["scale", "correlation"],
        Weights::LogisticNormalReleased => &[],
        Weights::SparseBinary { .. } | Weights::BernoulliBinary { .. } => &["sparsity"],
        Weights::Decay { .. } => &["sparsity", "decay-order"],
        Weights::Paired { .. } => &["sparsity", "co-occurrence", "decay-order"],
    }
}

fn refuse_options_of_other_kinds(args: &GenerateArgs) -> Result<(), Failure> {
    let GenerateArgs { concentration, sparsity, decay_order, co_occurrence, scale, correlation, .. } = args;
    let given = [concentration, sparsity, decay_order, co_occurrence, scale, correlation];
    for (option, given) in OWN_OPTIONS.into_iter().zip(given) {
        if given.is_some() && !own_options(args.kind).contains(&option) {
            let having: Vec<&str> = DatasetKind::ALL
                .into_iter()
                .filter(|&kind| own_options(kind).contains(&option))
                .map(DatasetKind::name)
                .collect();
            let own: Vec<String> = own_options(args.kind).iter().map(|own| format!("--{own}")).collect();
            let own = if own.is_empty() { "no options of its own".to_owned() } else { own.join(", ") };
            return Err(Failure::Request(format!(
                "--{option} means nothing for {}, which has {own}; --{option} is for {}",
                args.kind,
                having.join(", ")
            )));
        }
    }
    Ok(())
}
