//! `--by`: the order of the words of a topic.

use andnmf::metrics::FeatureOrder;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// `--by`.
#[derive(Debug, Clone, Args)]
pub(crate) struct OrderArgs {
    /// Order of the top words: relevance (how much more of them a topic has than the others), or value
    #[arg(long, default_value = "relevance", value_name = "relevance|value", value_parser = parser(), hide_possible_values = true)]
    pub(crate) by: FeatureOrder,
}

fn parser() -> impl TypedValueParser<Value = FeatureOrder> {
    PossibleValuesParser::new(FeatureOrder::NAMES.map(|(name, _)| name))
        .try_map(|name| FeatureOrder::by_name(&name))
}
