//! Samples from files.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::{FileError, Problem, ReadOptions, SampleTable};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::nearest::did_you_mean_file;

/// In which precision to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single precision: half the memory, errors around 1e-6
    F32,
    /// Double precision
    F64,
}

/// Samples in a file, and how to read it.
#[derive(Debug, Clone, Args)]
pub struct DataArgs {
    /// The samples, one per row: .npy .npz .csrstore .mtx .csv .tsv .svmlight docword (text also as .gz), a 10x folder, a folder of pictures; .h5ad and .parquet where built in
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// How to read it.
    #[command(flatten)]
    pub how: ReadArgs,
}

impl DataArgs {
    /// The samples with their names.
    pub fn read<T: Real>(&self) -> Result<SampleTable<T>, Failure> {
        self.how.read(&self.data)
    }
}

/// How to read samples, and in which precision.
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// How to read the file.
    #[command(flatten)]
    pub file: FileArgs,
    /// Precision of the numbers
    #[arg(long, value_enum, default_value = "f64")]
    pub precision: Precision,
}

impl ReadArgs {
    /// The samples of a file with their names.
    pub fn read<T: Real>(&self, path: &Path) -> Result<SampleTable<T>, Failure> {
        self.file.read(path)
    }
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// Yes
    Yes,
    /// No
    No,
}

/// How to read samples.
#[derive(Debug, Clone, Args)]
pub struct FileArgs {
    /// Columns are samples instead of rows
    #[arg(long)]
    pub transpose: bool,
    /// Whether the first line of a .csv or .tsv file names its columns [default: recognised]
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true)]
    pub header: Option<YesNo>,
    /// Whether the first column of a .csv or .tsv file names its rows [default: recognised]
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true)]
    pub row_names: Option<YesNo>,
    /// Which of several matrices: a layer of a .h5ad file, an array of a .npz file
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Names of the features, one per line, instead of those in DATA
    #[arg(long, visible_alias = "vocab", value_name = "FILE")]
    pub name_file: Option<PathBuf>,
}

impl FileArgs {
    /// What was typed, as the library has it.
    pub fn options(&self) -> ReadOptions {
        let is_yes = |answer: Option<YesNo>| answer.map(|answer| answer == YesNo::Yes);
        ReadOptions {
            transpose: self.transpose,
            layer: self.layer.clone(),
            header: is_yes(self.header),
            row_names: is_yes(self.row_names),
            ..ReadOptions::default()
        }
    }

    /// The samples of a file with their names.
    pub fn read<T: Real>(&self, path: &Path) -> Result<SampleTable<T>, Failure> {
        let mut table = io::read::<T>(path, &self.options()).map_err(reading)?;
        if let Some(names) = self.names_for(path, table.n_samples(), table.n_features())? {
            table.feature_names = Some(names);
        }
        Ok(table)
    }

    /// The names of the file that was given for them, for samples of this size.
    pub fn names_for(
        &self,
        path: &Path,
        n_samples: usize,
        n_features: usize,
    ) -> Result<Option<Vec<String>>, Failure> {
        let Some(file) = &self.name_file else { return Ok(None) };
        let names = io::read_names(file).map_err(reading)?;
        if names.len() != n_features {
            return Err(Failure::Request(format!(
                "{}: {} names, but {} has {n_features} features; each feature needs one{}",
                file.display(),
                names.len(),
                path.display(),
                if names.len() == n_samples { " (if its columns are samples, --transpose)" } else { "" },
            )));
        }
        Ok(Some(names))
    }
}

/// A file that could not be read. What is wrong with an input is a wrong request; a disk that fails is not.
pub fn reading(error: FileError) -> Failure {
    use std::io::ErrorKind;
    // Whatever else is wrong with a name: that there is nothing under it comes first.
    if error.file.symlink_metadata().is_err_and(|reason| reason.kind() == ErrorKind::NotFound) {
        let file = error.file.display();
        return Failure::Request(format!("{file}: there is no such file{}", neighbour(&error.file)));
    }
    match &error.problem {
        Problem::Io(system)
            if !matches!(
                system.kind(),
                ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::IsADirectory
                    | ErrorKind::NotADirectory
            ) =>
        {
            Failure::Other(error.to_string())
        }
        _ => Failure::Request(error.to_string()),
    }
}

/// The file beside it that may have been meant.
fn neighbour(file: &Path) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(typed) = file.file_name().and_then(|name| name.to_str()) else { return String::new() };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!(", and no folder {}", folder.display());
    };
    let names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    did_you_mean_file(typed, names.iter().map(String::as_str))
}
