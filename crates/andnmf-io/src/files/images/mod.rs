//! Images: a folder of them as samples, and components as an image.
//!
//! Each pixel is a feature, row by row from the top left. Values are scaled to 0 (black) to 1 (white). Colours are
//! converted to grey by their luma (0.299 red, 0.587 green, 0.114 blue); transparency is ignored.

mod contact_sheet;
mod decode;
mod pgm;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::Array2;

pub use contact_sheet::{GreyImage, contact_sheet};

use super::error::{FileError, LocatedProblem, Problem};
use super::format::is_image;
use super::sample_table::SampleTable;
use super::without_panic;
use andnmf::Real;
use decode::GreyPixels;

/// The images in a folder.
#[derive(Debug, Clone)]
pub struct ImageFolder<T: Real> {
    /// One image per row; sample names are file names.
    pub table: SampleTable<T>,
    /// Height and width of every image, in pixels.
    pub shape: (usize, usize),
}

/// Reads the PNG, PGM and JPEG files in a folder, sorted by name; other files and hidden files are ignored.
///
/// ```
/// use andnmf_io::images::{contact_sheet, read_folder};
/// use andnmf_io::Overwrite;
/// let folder = tempfile::tempdir()?;
/// let image = contact_sheet(ndarray::array![[0.0, 0.5], [1.0, 0.0]].view(), (1, 2), Some(1))?;
/// image.write_png(&folder.path().join("a.png"), Overwrite::No)?;
/// let images = read_folder::<f64>(folder.path())?;
/// assert_eq!(images.shape, (image.height(), image.width()));
/// assert_eq!(images.table.sample_names.as_deref(), Some(&["a.png".to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the folder has no images, an image cannot be read, or its size differs from that of the first one.
pub fn read_folder<T: Real>(folder: &Path) -> Result<ImageFolder<T>, FileError> {
    let files = image_files(folder).map_err(|error| error.in_file(folder))?;
    let (mut values, mut names) = (Vec::new(), Vec::new());
    let mut first: Option<(usize, usize)> = None;
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let image = read_image::<T>(file).map_err(|error| error.in_file(file))?;
        let shape = *first.get_or_insert(image.shape());
        if image.shape() != shape {
            return Err(size_mismatch(image.shape(), shape, &names).in_file(file));
        }
        values.extend(image.values);
        names.push(name);
    }
    let (height, width) = first.ok_or_else(|| LocatedProblem::from(no_images()).in_file(folder))?;
    let array = Array2::from_shape_vec((names.len(), height * width), values);
    let table = array
        .map_err(|_| LocatedProblem::from(Problem::Empty))
        .and_then(|array| Ok(SampleTable::try_from(array)?));
    let table = SampleTable { sample_names: Some(names), ..table.map_err(|error| error.in_file(folder))? };
    Ok(ImageFolder { table, shape: (height, width) })
}

/// The files with image extensions in a folder, sorted.
fn image_files(folder: &Path) -> Result<Vec<PathBuf>, LocatedProblem> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_image(&path) && !hidden && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_image<T: Real>(file: &Path) -> Result<GreyPixels<T>, LocatedProblem> {
    let bytes = fs::read(file)?;
    without_panic(|| decode::grey(&bytes))
}

fn size_mismatch(given: (usize, usize), expected: (usize, usize), before: &[String]) -> LocatedProblem {
    let describe = |(height, width): (usize, usize)| format!("{height} pixels high and {width} wide");
    let first = before.first().map_or("the first one", String::as_str);
    Problem::Unsupported {
        what: format!("the image is {}, but {first} is {}", describe(given), describe(expected)),
        instead: "all images in a folder must have the same size".to_owned(),
    }
    .into()
}

fn no_images() -> Problem {
    Problem::Unsupported {
        what: "the folder contains no images".to_owned(),
        instead: "it must contain PNG, PGM or JPEG files".to_owned(),
    }
}
