//! The settings of any method.

use serde::{Deserialize, Serialize};

use crate::and::AndParams;
use crate::baselines::{
    AnchorWordsParams, AnlsParams, HalsParams, MinVolumeParams, MuParams, OnlineLdaParams,
};
use crate::fit::{Method, Solver};
use crate::{Real, SettingError};

/// The settings of one of the methods, whichever it is: for callers that let their users choose.
///
/// ```
/// use andnmf::MethodParams;
/// use andnmf::fit::{Method, Run, Start};
/// use andnmf::samples::DenseSamples;
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// for method in [Method::Hals, Method::Anls, Method::Mu] {
///     let solver = MethodParams::new(method, 2).with_max_stages(500).check()?;
///     let fit = solver.fit(&samples, Start::Auto, &mut Run::new())?;
///     assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-3, "{method}");
/// }
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs)] // each variant is the settings of the method it names
pub enum MethodParams {
    And(AndParams),
    Anls(AnlsParams),
    Hals(HalsParams),
    MinVolume(MinVolumeParams),
    AnchorWords(AnchorWordsParams),
    Mu(MuParams),
    #[serde(rename = "lda")]
    OnlineLda(OnlineLdaParams),
}

/// The same expression for the settings of every method.
macro_rules! whichever {
    ($params:expr, $inner:ident => $result:expr) => {
        match $params {
            MethodParams::And($inner) => $result,
            MethodParams::Anls($inner) => $result,
            MethodParams::Hals($inner) => $result,
            MethodParams::MinVolume($inner) => $result,
            MethodParams::AnchorWords($inner) => $result,
            MethodParams::Mu($inner) => $result,
            MethodParams::OnlineLda($inner) => $result,
        }
    };
}

impl MethodParams {
    /// Default settings of a method with this many components.
    #[must_use]
    pub fn new(method: Method, rank: usize) -> Self {
        match method {
            Method::And => Self::And(AndParams::new(rank)),
            Method::Anls => Self::Anls(AnlsParams::new(rank)),
            Method::Hals => Self::Hals(HalsParams::new(rank)),
            Method::MinVolume => Self::MinVolume(MinVolumeParams::new(rank)),
            Method::AnchorWords => Self::AnchorWords(AnchorWordsParams::new(rank)),
            Method::Mu => Self::Mu(MuParams::new(rank)),
            Method::OnlineLda => Self::OnlineLda(OnlineLdaParams::new(rank)),
        }
    }

    /// Which method it is.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::And(_) => Method::And,
            Self::Anls(_) => Method::Anls,
            Self::Hals(_) => Method::Hals,
            Self::MinVolume(_) => Method::MinVolume,
            Self::AnchorWords(_) => Method::AnchorWords,
            Self::Mu(_) => Method::Mu,
            Self::OnlineLda(_) => Method::OnlineLda,
        }
    }

    /// Number of components.
    #[must_use]
    pub fn rank(&self) -> usize {
        whichever!(self, params => params.rank)
    }

    /// With at most this many stages; anchor words has one only, whatever is asked.
    #[must_use]
    pub fn with_max_stages(mut self, stages: usize) -> Self {
        match &mut self {
            Self::And(params) => params.max_stages = stages,
            Self::Anls(params) => params.max_stages = stages,
            Self::Hals(params) => params.max_stages = stages,
            Self::MinVolume(params) => params.max_stages = stages,
            Self::AnchorWords(_) => {}
            Self::Mu(params) => params.max_stages = stages,
            Self::OnlineLda(params) => params.max_stages = stages,
        }
        self
    }

    /// With this tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        whichever!(&mut self, params => params.tolerance = tolerance);
        self
    }

    /// With this limit on the time, in seconds.
    #[must_use]
    pub fn with_time_limit(mut self, seconds: Option<f64>) -> Self {
        whichever!(&mut self, params => params.time_limit = seconds);
        self
    }

    /// With this seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        whichever!(&mut self, params => params.seed = seed);
        self
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check<T: Real>(self) -> Result<Box<dyn Solver<T>>, SettingError> {
        Ok(whichever!(self, params => Box::new(params.check()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_settings_that_bear_its_name_in_json_too() {
        for method in Method::ALL {
            let params = MethodParams::new(method, 7).with_seed(5).with_time_limit(Some(2.0));
            assert_eq!((params.method(), params.rank()), (method, 7));
            let solver = params.clone().check::<f32>().unwrap();
            assert_eq!(solver.method(), method);
            let text = serde_json::to_string(&params).unwrap();
            assert!(text.starts_with(&format!(r#"{{"method":"{method}""#)), "{text}");
            assert_eq!(serde_json::from_str::<MethodParams>(&text).unwrap(), params);
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
        }
        assert!(serde_json::from_str::<MethodParams>(r#"{"method":"hals","rnak":3}"#).is_err());
        assert_eq!(MethodParams::new(Method::Mu, 0).check::<f64>().err().unwrap().name, "rank");
    }
}
