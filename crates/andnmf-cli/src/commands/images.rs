//! `andnmf images`: the components of images, as images.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::images::{contact_sheet, read_folder};
use andnmf_io::{ReadOptions, SampleTable};
use andnmf_program::{
    CommonArgs, Failure, OutputFolder, Precision, Progress, json as print_json, read_failure,
};
use andnmf_report::FeatureKind;
use clap::Args;
use serde_json::json;

use super::fit::message;
use super::fit::option_types::Shape;
use super::simple_fit::{SimpleFit, SimpleFitArgs};

/// Images are enlarged until their shorter side has this many pixels.
const MIN_SIDE: usize = 200;
/// No side is enlarged beyond this.
const MAX_SIDE: usize = 1200;
/// Number of shapes to suggest in place of a wrong one.
const MAX_SUGGESTIONS: usize = 5;

/// Find the parts that images consist of, and write them as images.
///
/// Example: andnmf images my-images --rank 20 --out parts
///
/// IMAGES is a folder of PNG, PGM or JPEG files of equal size, or a matrix with one image per row (pixels in row-major
/// order), which requires --shape. Writes the files of a fit (see `andnmf fit --help`), components.png with all
/// components side by side (small ones enlarged), and report.html to DIR. An interrupted run writes nothing and
/// cannot be resumed; `andnmf fit --shape HxW --report` can.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf images my-images --rank 20 --out parts
  andnmf images faces.npy --shape 64x64 --rank 6 --out faces")]
pub(crate) struct ImagesArgs {
    /// Folder of images, or a matrix with one image per row
    #[arg(value_name = "IMAGES")]
    images: PathBuf,
    /// Number of components
    #[arg(long, value_name = "K", display_order = 1)]
    rank: usize,
    /// Height and width in pixels, such as 28x28; not needed for a folder of images
    #[arg(long, value_name = "HxW", display_order = 4)]
    shape: Option<Shape>,
    /// Output folder
    #[arg(long, value_name = "DIR", display_order = 2)]
    out: PathBuf,
    /// Replace existing results in DIR
    #[arg(long)]
    force: bool,
    /// Number of components per row of components.png [default: about square]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    #[command(flatten)]
    how: SimpleFitArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &ImagesArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    match args.how.precision {
        Precision::F32 => run_images::<f32>(args),
        Precision::F64 => run_images::<f64>(args),
    }
}

fn run_images<T: Real>(args: &ImagesArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let settings = args.how.settings.settings(args.rank)?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    let mut progress = Progress::new(&args.common, format!("reading {}", args.images.display()));
    let (images, shape) = read::<T>(&args.images, args.shape)?;
    let (height, width) = shape;
    let options = json!({"data": args.images, "shape": [height, width]});
    let mut result = SimpleFit::of(
        &images,
        None,
        (&settings, args.how.tables),
        options,
        &args.common,
        (&mut progress, started),
    )?;
    result.sample_names.clone_from(&images.sample_names);
    progress.set_message("drawing");
    let sheet =
        contact_sheet(result.fit.components.view(), shape, args.columns)?.enlarged(enlargement(shape));
    let others = vec![("components.png", sheet.to_png()?)];
    let files = result.write(&folder, &args.images, FeatureKind::Image { height, width }, others)?;
    drop(progress);
    if args.common.json {
        return print_json::print(&result.summary);
    }
    args.common.print(message::fit_text(&result.summary, folder.path(), &files, false))?;
    args.common.print(format!("images: {}", folder.file("components.png").display()))
}

/// The factor by which small images are enlarged.
fn enlargement((height, width): (usize, usize)) -> NonZeroUsize {
    let (short, long) = (height.min(width).max(1), height.max(width).max(1));
    let times = MIN_SIDE.div_ceil(short).min(MAX_SIDE / long);
    NonZeroUsize::new(times).unwrap_or(NonZeroUsize::MIN)
}

/// Reads the images, one per row, with their height and width.
fn read<T: Real>(path: &Path, requested: Option<Shape>) -> Result<(SampleTable<T>, (usize, usize)), Failure> {
    let is_folder = path.is_dir() && matches!(io::Format::of(path), Ok(io::Format::Images) | Err(_));
    if is_folder {
        let images = read_folder::<T>(path).map_err(read_failure)?;
        let (height, width) = images.shape;
        return match requested {
            Some(requested) if (requested.height, requested.width) != images.shape => {
                Err(Failure::Request(format!(
                    "--shape is {}x{}, but the images of {} are {height}x{width}; omit --shape",
                    requested.height,
                    requested.width,
                    path.display()
                )))
            }
            _ => Ok((images.table, images.shape)),
        };
    }
    let table = io::read::<T>(path, &ReadOptions::default()).map_err(read_failure)?;
    let pixels = table.n_features();
    let Some(Shape { height, width }) = requested else {
        return Err(Failure::Request(format!(
            "--shape is required: {} has rows of {pixels} pixels; {}",
            path.display(),
            possible_shapes(pixels)
        )));
    };
    if height.checked_mul(width) != Some(pixels) {
        return Err(Failure::Request(format!(
            "--shape {height}x{width} is {} pixels, but the rows of {} have {pixels}; {}",
            height.saturating_mul(width),
            path.display(),
            possible_shapes(pixels)
        )));
    }
    Ok((table, (height, width)))
}

/// Suggests shapes with this many pixels, the squarest first.
fn possible_shapes(pixels: usize) -> String {
    let below_root = (1..=pixels.isqrt()).rev().filter(|height| pixels.is_multiple_of(*height));
    let mut shapes = Vec::new();
    for height in below_root {
        let width = pixels / height;
        shapes.push(format!("{height}x{width}"));
        if height != width {
            shapes.push(format!("{width}x{height}"));
        }
    }
    shapes.truncate(MAX_SUGGESTIONS);
    format!("possible shapes: {}", shapes.join(", "))
}
