//! Samples from files.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::{FileError, Problem, ReadOptions, SampleTable};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, is_wrong_path};
use crate::nearest::did_you_mean_file;

/// Heading of the options for reading files in the help.
const INPUT: &str = "Input options";

/// Floating-point precision of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single precision: half the memory, relative errors around 1e-6
    F32,
    /// Double precision
    F64,
}

/// A file of samples, and the options for reading it.
#[derive(Debug, Clone, Args)]
pub struct DataArgs {
    /// Samples, one per row: .npy .npz .csrstore .mtx .csv .tsv .svmlight docword (text also as .gz), .h5ad and
    /// .parquet if built in, a 10x folder or a folder of images
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Options for reading it.
    #[command(flatten)]
    pub how: ReadArgs,
}

impl DataArgs {
    /// Reads the samples and their names.
    pub fn read<T: Real>(&self) -> Result<SampleTable<T>, Failure> {
        self.how.read(&self.data)
    }
}

/// Options for reading samples, and the precision.
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// Options for reading the file.
    #[command(flatten)]
    pub file: FileArgs,
    /// Floating-point precision
    #[arg(long, value_enum, default_value = "f64", help_heading = INPUT)]
    pub precision: Precision,
}

impl ReadArgs {
    /// Reads the samples of a file and their names.
    pub fn read<T: Real>(&self, path: &Path) -> Result<SampleTable<T>, Failure> {
        self.file.read(path)
    }
}

/// A yes-or-no option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum YesNo {
    /// Yes
    Yes,
    /// No
    No,
}

/// Options for reading samples.
#[derive(Debug, Clone, Args)]
pub struct FileArgs {
    /// Samples are in columns instead of rows
    #[arg(long, help_heading = INPUT)]
    pub transpose: bool,
    /// The first line of a .csv or .tsv file contains column names [default: detected]
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true, help_heading = INPUT)]
    pub header: Option<YesNo>,
    /// The first column of a .csv or .tsv file contains row names [default: detected]
    #[arg(long, value_enum, value_name = "yes|no", hide_possible_values = true, help_heading = INPUT)]
    pub row_names: Option<YesNo>,
    /// Matrix to read from a file with several: a layer of .h5ad, an array of .npz
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub layer: Option<String>,
    /// File of feature names, one per line; replaces those in DATA
    #[arg(long, visible_alias = "vocab", value_name = "FILE", help_heading = INPUT)]
    pub name_file: Option<PathBuf>,
}

impl FileArgs {
    /// The options of the library.
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

    /// Reads the samples of a file and their names.
    pub fn read<T: Real>(&self, path: &Path) -> Result<SampleTable<T>, Failure> {
        self.read_within(path, None)?.map_err(read_failure)
    }

    /// Reads the samples of a file and their names, which may take this much memory. Errors of the file itself are the inner
    /// ones.
    pub fn read_within<T: Real>(
        &self,
        path: &Path,
        memory: Option<u64>,
    ) -> Result<Result<SampleTable<T>, FileError>, Failure> {
        let mut table = match io::read::<T>(path, &ReadOptions { memory, ..self.options() }) {
            Ok(table) => table,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(names) = self.names_for(path, table.n_samples(), table.n_features())? {
            table.feature_names = Some(names);
        }
        Ok(Ok(table))
    }

    /// Reads the names in `--name-file`, for samples of this size.
    pub fn names_for(
        &self,
        path: &Path,
        n_samples: usize,
        n_features: usize,
    ) -> Result<Option<Vec<String>>, Failure> {
        let Some(file) = &self.name_file else { return Ok(None) };
        let names = io::read_names(file).map_err(read_failure)?;
        if names.len() != n_features {
            return Err(Failure::Request(format!(
                "{}: {} names, but {} has {n_features} features; each feature needs one name{}",
                file.display(),
                names.len(),
                path.display(),
                if names.len() == n_samples { "; if samples are in columns, add --transpose" } else { "" },
            )));
        }
        Ok(Some(names))
    }
}

/// The failure for a file that could not be read: a wrong request, unless the system failed to read it.
pub fn read_failure(error: FileError) -> Failure {
    use std::io::ErrorKind;
    // A missing file is reported as such, before anything else about its name.
    if error.file.symlink_metadata().is_err_and(|reason| reason.kind() == ErrorKind::NotFound) {
        let file = error.file.display();
        return Failure::Request(format!("{file}: there is no such file{}", similar_file(&error.file)));
    }
    match &error.problem {
        Problem::Io(system) if !is_wrong_path(system) => Failure::Other(error.to_string()),
        Problem::Changed { .. } => Failure::Other(error.to_string()),
        _ => Failure::Request(error.to_string()),
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        read_failure(error)
    }
}

/// A suggestion of the file in the same folder with the most similar name.
fn similar_file(file: &Path) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(typed) = file.file_name().and_then(|name| name.to_str()) else { return String::new() };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!(", and no folder {}", folder.display());
    };
    let names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    did_you_mean_file(typed, names.iter().map(String::as_str))
}
