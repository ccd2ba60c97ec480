//! Components and weights as tables with names.

use andnmf::Real;
use andnmf_io::SampleTable;
use andnmf_program::Failure;
use ndarray::ArrayView2;

/// The components, one per row, with the names of the features.
pub(crate) fn components_table<T: Real>(
    components: ArrayView2<'_, T>,
    feature_names: Option<&[String]>,
) -> Result<SampleTable<T>, Failure> {
    let (rank, n_features) = components.dim();
    let features = feature_names.map_or_else(|| numbered("feature", n_features), <[String]>::to_vec);
    Ok(SampleTable {
        sample_names: Some(numbered("component", rank)),
        feature_names: Some(features),
        corner: Some("component".to_owned()),
        ..SampleTable::try_from(components.to_owned())?
    })
}

/// The weights, one sample per row, with the names of the samples.
pub(crate) fn weights_table<T: Real>(
    weights: ArrayView2<'_, T>,
    sample_names: Option<&[String]>,
) -> Result<SampleTable<T>, Failure> {
    let (n_samples, rank) = weights.dim();
    let samples = sample_names.map_or_else(|| numbered("sample", n_samples), <[String]>::to_vec);
    Ok(SampleTable {
        sample_names: Some(samples),
        feature_names: Some(numbered("component", rank)),
        corner: Some("sample".to_owned()),
        ..SampleTable::try_from(weights.to_owned())?
    })
}

fn numbered(what: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{what} {number}")).collect()
}
