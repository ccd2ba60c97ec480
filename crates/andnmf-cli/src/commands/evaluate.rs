//! `andnmf evaluate`: components against a truth.

use std::path::{Path, PathBuf};

use andnmf::metrics::Recovery;
use andnmf_io::read_array;
use andnmf_program::{Common, Failure, json, reading};
use clap::{Args, ValueEnum};
use ndarray::Array2;

/// More components than this take longer to match, one to one, than anyone waits without a word: 2000 take seconds.
const MOST_COMPONENTS: usize = 3000;

/// Measure how well components recover a known truth.
///
/// Example: andnmf evaluate --components fitted/components.npy --truth truth.npy
///
/// Order, scale and sign of components do not count. The total correlation error is the sum over all true
/// components of their distance from the line through the nearest component found.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf evaluate --components fitted/components.npy --truth truth.npy
  andnmf evaluate --components fitted/components.npy --truth truth.npy --json
  andnmf evaluate --components fitted/components.npy --truth endmembers.csv --transpose=truth")]
pub(crate) struct EvaluateArgs {
    /// The components found, one per row
    #[arg(long, value_name = "FILE")]
    components: PathBuf,
    /// The true components, one per row
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// One component per column instead of per row, in both files or in one of them
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "both", value_name = "FILE")]
    transpose: Option<Turned>,
    #[command(flatten)]
    common: Common,
}

/// What `--transpose` turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Turned {
    /// Both files
    Both,
    /// That of --components
    Components,
    /// That of --truth
    Truth,
}

impl EvaluateArgs {
    /// Components of a file, one per row.
    fn read(&self, path: &Path, alone: Turned) -> Result<Array2<f64>, Failure> {
        let array = read_array::<f64>(path).map_err(reading)?;
        let turned = self.transpose.is_some_and(|turned| turned == Turned::Both || turned == alone);
        Ok(if turned { array.reversed_axes().as_standard_layout().into_owned() } else { array })
    }

    /// Refuses what cannot be components one per row: most often it is turned round.
    fn check(&self, path: &Path, array: &Array2<f64>) -> Result<(), Failure> {
        let (rows, columns) = array.dim();
        let (file, now) =
            (path.display(), if self.transpose.is_some() { " (after --transpose)" } else { "" });
        if rows > columns {
            return Err(Failure::Request(format!(
                "{file}: {rows} rows of {columns} values{now}, but components are needed one per row, and there \
                 cannot be more of them than they have values; if they are in columns, add --transpose"
            )));
        }
        if rows > MOST_COMPONENTS {
            return Err(Failure::Request(format!(
                "{file}: {rows} components, but at most {MOST_COMPONENTS} are matched; if these are samples, give \
                 the components instead"
            )));
        }
        Ok(())
    }
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let components = args.read(&args.components, Turned::Components)?;
    let truth = args.read(&args.truth, Turned::Truth)?;
    let (found, wanted) = (components.dim(), truth.dim());
    if found.1 != wanted.1 {
        // Of two files that fit once one is turned, it is the one with too many rows.
        let hint = match args.transpose {
            None if found.1 == wanted.0 && wanted.0 > wanted.1 => {
                "; if the truth is in columns, add --transpose=truth"
            }
            None if found.0 == wanted.1 && found.0 > found.1 => {
                "; if the components are in columns, add --transpose=components"
            }
            _ => "",
        };
        return Err(Failure::Request(format!(
            "{} is {} × {}, but {} is {} × {}: both need one component per row, with the same number of features{hint}",
            args.components.display(),
            found.0,
            found.1,
            args.truth.display(),
            wanted.0,
            wanted.1
        )));
    }
    args.check(&args.components, &components)?;
    args.check(&args.truth, &truth)?;
    let recovery = Recovery::measure(components.view(), truth.view())?;
    if args.common.json {
        return json::print(&recovery);
    }
    // With --quiet too: this is what was asked for.
    let plain = Common { quiet: false, ..args.common.clone() };
    plain.say(format!("total correlation error           {:.6e}", recovery.total_correlation_error))?;
    plain.say(format!(
        "  relative                        {:.6e}",
        recovery.relative_total_correlation_error
    ))?;
    let squared = recovery.squared_relative_total_correlation_error;
    plain.say(format!("  relative, squared               {squared:.6e}"))?;
    plain.say(format!("mean cosine of matched components {:.9}", recovery.mean_matched_cosine))?;
    let worst = recovery.matched_cosines.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    if let Some((component, cosine)) = worst {
        plain.say(format!("worst: true component {component} (counted from 0), cosine {cosine:.6}"))?;
    }
    Ok(())
}
