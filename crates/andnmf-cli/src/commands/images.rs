//! `andnmf images`: pictures in, the parts they are made of out, as pictures.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::images::{contact_sheet, read_folder};
use andnmf_io::{ReadOptions, SampleTable};
use andnmf_program::{Common, Failure, OutputFolder, Precision, Progress, json as print_json, reading};
use andnmf_report::FeatureKind;
use clap::Args;
use serde_json::json;

use super::fit::typed::Shape;
use super::fit::words;
use super::plain_fit::{PlainFit, PlainFitArgs};

/// A picture whose sides have so many pixels can be looked at.
const VISIBLE: usize = 200;
/// No side is enlarged beyond this.
const LARGE: usize = 1200;
/// So many shapes are offered in place of a wrong one.
const OFFERED: usize = 5;

/// Find the parts that pictures are made of, and draw them.
///
/// Example: andnmf images my-pictures --rank 20 --out parts
///
/// PICTURES is a folder of PNG, PGM or JPEG files of one size, or a matrix with one picture per row, its pixels row by
/// row: then --shape tells height and width. DIR gets the files of a fit (see `andnmf fit --help`), components.png with
/// all components side by side (small ones enlarged), and report.html. A fit that is stopped leaves nothing behind: what
/// may have to be resumed is better done by `andnmf fit --shape HxW --report`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf images my-pictures --rank 20 --out parts
  andnmf images faces.npy --shape 64x64 --rank 6 --out faces")]
pub(crate) struct ImagesArgs {
    /// A folder of pictures, or a matrix with one picture per row
    #[arg(value_name = "PICTURES")]
    pictures: PathBuf,
    /// Number of components
    #[arg(long, value_name = "K")]
    rank: usize,
    /// Height and width in pixels, such as 28x28; not needed for a folder
    #[arg(long, value_name = "HxW")]
    shape: Option<Shape>,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace the results that are in DIR already
    #[arg(long)]
    force: bool,
    /// Components in a row of components.png [default: about square]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    #[command(flatten)]
    how: PlainFitArgs,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &ImagesArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    match args.how.precision {
        Precision::F32 => images::<f32>(args),
        Precision::F64 => images::<f64>(args),
    }
}

fn images<T: Real>(args: &ImagesArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let settings = args.how.settings.settings(args.rank)?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    let mut progress = Progress::new(&args.common, format!("reading {}", args.pictures.display()));
    let (pictures, shape) = read::<T>(&args.pictures, args.shape)?;
    let (height, width) = shape;
    let beside = json!({"data": args.pictures, "shape": [height, width]});
    let mut found = PlainFit::of(&pictures, None, &settings, beside, &args.common, (&mut progress, begun))?;
    progress.doing("drawing");
    let sheet = contact_sheet(found.fit.components.view(), shape, args.columns)?.enlarged(enlargement(shape));
    let others = vec![("components.png", sheet.to_png()?)];
    let files = found.write(&folder, &args.pictures, FeatureKind::Image { height, width }, others)?;
    drop(progress);
    if args.common.json {
        return print_json::print(&found.summary);
    }
    args.common.say(words::told(&found.summary, folder.path(), &files, false))?;
    args.common.say(format!("look at: {}", folder.file("components.png").display()))
}

/// How many times small pictures are enlarged: until their sides are long enough to see what is on them, unless one
/// side is far longer than the other.
fn enlargement((height, width): (usize, usize)) -> NonZeroUsize {
    let (short, long) = (height.min(width).max(1), height.max(width).max(1));
    let times = VISIBLE.div_ceil(short).min(LARGE / long);
    NonZeroUsize::new(times).unwrap_or(NonZeroUsize::MIN)
}

/// The pictures, one per row, with their height and width.
fn read<T: Real>(path: &Path, asked: Option<Shape>) -> Result<(SampleTable<T>, (usize, usize)), Failure> {
    let is_folder = path.is_dir() && matches!(io::Format::of(path), Ok(io::Format::Images) | Err(_));
    if is_folder {
        let pictures = read_folder::<T>(path).map_err(reading)?;
        let (height, width) = pictures.shape;
        return match asked {
            Some(asked) if (asked.height, asked.width) != pictures.shape => Err(Failure::Request(format!(
                "--shape is {}x{}, but the pictures of {} are {height}x{width}; leave it out",
                asked.height,
                asked.width,
                path.display()
            ))),
            _ => Ok((pictures.table, pictures.shape)),
        };
    }
    let table = io::read::<T>(path, &ReadOptions::default()).map_err(reading)?;
    let pixels = table.n_features();
    let Some(Shape { height, width }) = asked else {
        return Err(Failure::Request(format!(
            "--shape is needed, as {} has rows of {pixels} pixels; {}",
            path.display(),
            fitting(pixels)
        )));
    };
    if height.checked_mul(width) != Some(pixels) {
        return Err(Failure::Request(format!(
            "--shape {height}x{width} is {} pixels, but the rows of {} have {pixels}; {}",
            height.saturating_mul(width),
            path.display(),
            fitting(pixels)
        )));
    }
    Ok((table, (height, width)))
}

/// The shapes that so many pixels can have, those nearest to a square first.
fn fitting(pixels: usize) -> String {
    let below_root = (1..=pixels.isqrt()).rev().filter(|height| pixels.is_multiple_of(*height));
    let mut shapes = Vec::new();
    for height in below_root {
        let width = pixels / height;
        shapes.push(format!("{height}x{width}"));
        if height != width {
            shapes.push(format!("{width}x{height}"));
        }
    }
    shapes.truncate(OFFERED);
    format!("what would fit: {}", shapes.join(", "))
}
