//! Names of the figures and tables.

use std::fmt;
use std::str::FromStr;

use andnmf::SettingError;
use serde::{Deserialize, Serialize};

/// A figure or table of the paper, or the phase maps beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // each variant is the figure it names
pub enum FigureName {
    Fig1a,
    Fig1b,
    Fig1c,
    Fig1d,
    Fig2a,
    Fig2b,
    Fig2c,
    Fig3a,
    Fig3b,
    Fig4,
    Table1,
    Fig5,
    Phase,
}

impl FigureName {
    /// All figures, in the order of the paper.
    pub const ALL: [Self; 13] = [
        Self::Fig1a,
        Self::Fig1b,
        Self::Fig1c,
        Self::Fig1d,
        Self::Fig2a,
        Self::Fig2b,
        Self::Fig2c,
        Self::Fig3a,
        Self::Fig3b,
        Self::Fig4,
        Self::Table1,
        Self::Fig5,
        Self::Phase,
    ];

    /// The name on the command line and in file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig1a => "fig1a",
            Self::Fig1b => "fig1b",
            Self::Fig1c => "fig1c",
            Self::Fig1d => "fig1d",
            Self::Fig2a => "fig2a",
            Self::Fig2b => "fig2b",
            Self::Fig2c => "fig2c",
            Self::Fig3a => "fig3a",
            Self::Fig3b => "fig3b",
            Self::Fig4 => "fig4",
            Self::Table1 => "table1",
            Self::Fig5 => "fig5",
            Self::Phase => "phase",
        }
    }

    /// The title, with a short description.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Fig1a => "Figure 1a: convergence on DIR",
            Self::Fig1b => "Figure 1b: convergence on CTM",
            Self::Fig1c => "Figure 1c: convergence on NEG",
            Self::Fig1d => "Figure 1d: convergence under strong correlations",
            Self::Fig2a => "Figure 2a: thresholds on DIR",
            Self::Fig2b => "Figure 2b: thresholds on CTM",
            Self::Fig2c => "Figure 2c: robustness to noise",
            Self::Fig3a => "Figure 3a: starts mixed within the span",
            Self::Fig3b => "Figure 3b: starts outside the span",
            Self::Fig4 => "Figure 4: denser weights",
            Self::Table1 => "Table 1: ten topics of 20 newsgroups",
            Self::Fig5 => "Figure 5: six components of faces",
            Self::Phase => "Beyond the paper: where recovery ends",
        }
    }
}

impl fmt::Display for FigureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FigureName {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        Self::ALL.into_iter().find(|figure| figure.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            SettingError::new("figure", format!("\"{name}\""), format!("it must be one of {names}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_an_unknown_name_lists_them_all() {
        for figure in FigureName::ALL {
            assert_eq!(figure.to_string().parse::<FigureName>().unwrap(), figure);
            assert_eq!(serde_json::to_string(&figure).unwrap(), format!("\"{figure}\""));
            assert!(!figure.title().is_empty());
        }
        let error = "fig9".parse::<FigureName>().unwrap_err().to_string();
        assert!(FigureName::ALL.iter().all(|figure| error.contains(figure.name())), "{error}");
    }
}
