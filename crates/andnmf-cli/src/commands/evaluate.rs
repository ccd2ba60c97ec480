//! `andnmf evaluate`: the recovery error of components against a truth.

use std::path::{Path, PathBuf};

use andnmf::metrics::Recovery;
use andnmf_io::read_array;
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, Failure, json, read_failure};
use clap::{Args, ValueEnum};
use ndarray::Array2;

/// One-to-one matching takes seconds for 2000 components, and far longer for more than this.
const MAX_COMPONENTS: usize = 3000;

/// Measure how well components recover a known truth.
///
/// Example: andnmf evaluate --components fitted/components.npy --truth truth.npy
///
/// Order, scale and sign of the components do not matter. The total correlation error is the sum, over all true
/// components, of the distance to the line through the nearest component in --components.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf evaluate --components fitted/components.npy --truth truth.npy
  andnmf evaluate --components fitted/components.npy --truth truth.npy --json
  andnmf evaluate --components fitted/components.npy --truth endmembers.csv --transpose=truth")]
pub(crate) struct EvaluateArgs {
    /// Components to evaluate, one per row
    #[arg(long, value_name = "FILE")]
    components: PathBuf,
    /// True components, one per row
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// Components are in columns instead of rows, in both files or in one
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "both", value_name = "FILE")]
    transpose: Option<TransposedFile>,
    #[command(flatten)]
    common: CommonArgs,
}

/// The files that `--transpose` applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TransposedFile {
    /// Both files
    Both,
    /// Only the file of --components
    Components,
    /// Only the file of --truth
    Truth,
}

impl EvaluateArgs {
    /// Reads components, one per row.
    fn read(&self, path: &Path, alone: TransposedFile) -> Result<Array2<f64>, Failure> {
        let array = read_array::<f64>(path).map_err(read_failure)?;
        let transposed = self
            .transpose
            .is_some_and(|transposed| transposed == TransposedFile::Both || transposed == alone);
        Ok(if transposed { array.reversed_axes().as_standard_layout().into_owned() } else { array })
    }

    /// Refuses a matrix with more rows than columns: most often it needs `--transpose`.
    fn check(&self, path: &Path, array: &Array2<f64>) -> Result<(), Failure> {
        let (rows, columns) = array.dim();
        let (file, now) =
            (path.display(), if self.transpose.is_some() { " (after --transpose)" } else { "" });
        if rows > columns {
            return Err(Failure::Request(format!(
                "{file}: {rows} rows of {columns} values{now}; there cannot be more components (rows) than features \
                 (columns); if components are in columns, add --transpose"
            )));
        }
        if rows > MAX_COMPONENTS {
            return Err(Failure::Request(format!(
                "{file}: {rows} components, but at most {MAX_COMPONENTS} can be matched; if these are samples, give \
                 components instead"
            )));
        }
        Ok(())
    }
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let components = args.read(&args.components, TransposedFile::Components)?;
    let truth = args.read(&args.truth, TransposedFile::Truth)?;
    let (given, expected) = (components.dim(), truth.dim());
    if given.1 != expected.1 {
        // If transposing one file makes them match, suggest the one with more rows than columns.
        let hint = match args.transpose {
            None if given.1 == expected.0 && expected.0 > expected.1 => {
                "; if the truth is in columns, add --transpose=truth"
            }
            None if given.0 == expected.1 && given.0 > given.1 => {
                "; if the components are in columns, add --transpose=components"
            }
            _ => "",
        };
        return Err(Failure::Request(format!(
            "{} is {} × {}, but {} is {} × {}; both must have one component per row and the same number of columns{hint}",
            args.components.display(),
            given.0,
            given.1,
            args.truth.display(),
            expected.0,
            expected.1
        )));
    }
    args.check(&args.components, &components)?;
    args.check(&args.truth, &truth)?;
    let recovery = Recovery::measure(components.view(), truth.view())?;
    if args.common.json {
        return json::print(&recovery);
    }
    // Also with --quiet: this is the result.
    let plain = CommonArgs { quiet: false, ..args.common.clone() };
    plain.print(format!(
        "total correlation error           {}",
        number(recovery.total_correlation_error, 7)
    ))?;
    plain.print(format!(
        "  relative                        {}",
        number(recovery.relative_total_correlation_error, 7)
    ))?;
    let squared = recovery.squared_relative_total_correlation_error;
    plain.print(format!("  relative, squared               {}", number(squared, 7)))?;
    plain.print(format!("mean cosine of matched components {:.9}", recovery.mean_matched_cosine))?;
    let worst = recovery.matched_cosines.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    if let Some((component, cosine)) = worst {
        plain.print(format!("worst: true component {component} (counted from 0), cosine {cosine:.6}"))?;
    }
    Ok(())
}
