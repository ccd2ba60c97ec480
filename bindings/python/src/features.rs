//! Distinctive features of components.

use andnmf::Real;
use andnmf::metrics::{FeatureOrder, Relevance, distinctive_features};
use ndarray::ArrayView2;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::error::CallError;

/// Of each component: its first features, and their lift.
type TopFeatures = (Vec<Vec<usize>>, Vec<Vec<f64>>);

/// The first features of each component, and their lift: two lists of lists. `by` is relevance or value.
#[pyfunction]
pub(crate) fn top_features<'py>(
    components: &Bound<'py, PyAny>,
    shares: Option<Vec<f64>>,
    by: &str,
    count: usize,
) -> PyResult<TopFeatures> {
    if let Ok(narrow) = components.extract::<PyReadonlyArray2<'py, f32>>() {
        return top_features_of(narrow.as_array(), shares.as_deref(), by, count);
    }
    let wide = components.extract::<PyReadonlyArray2<'py, f64>>()?;
    top_features_of(wide.as_array(), shares.as_deref(), by, count)
}

fn top_features_of<T: Real>(
    components: ArrayView2<'_, T>,
    shares: Option<&[f64]>,
    by: &str,
    count: usize,
) -> PyResult<TopFeatures> {
    let order = FeatureOrder::by_name(by).map_err(CallError::from)?;
    let top = distinctive_features(components, shares, order, count).map_err(CallError::from)?;
    let relevance = Relevance::of(components, shares).map_err(CallError::from)?;
    let lift = |(k, features): (usize, &Vec<usize>)| {
        features.iter().map(|&feature| relevance.lift(components, k, feature)).collect()
    };
    let lifts = top.iter().enumerate().map(lift).collect();
    Ok((top, lifts))
}
