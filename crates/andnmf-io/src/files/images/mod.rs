//! Pictures: a folder of them as samples, components as a picture.
//!
//! Every pixel is a feature, row by row from the top left. Values run from 0 (black) to 1 (white), whatever range the
//! file stores; colours become grey by their luma (0.299 red, 0.587 green, 0.114 blue); transparency is left out.

mod decode;
mod pgm;
mod sheet;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::Array2;

pub use sheet::{GreyPicture, contact_sheet};

use super::error::{Fault, FileError, Problem};
use super::format::is_picture;
use super::table::Table;
use andnmf::Real;
use decode::Grey;

/// The pictures of a folder.
#[derive(Debug, Clone)]
pub struct Pictures<T: Real> {
    /// One picture per row, by the name of its file.
    pub table: Table<T>,
    /// Height and width of each, in pixels.
    pub shape: (usize, usize),
}

/// Reads the PNG, PGM and JPEG files of a folder, sorted by name; other files and hidden ones are left out.
///
/// ```
/// use andnmf_io::images::{contact_sheet, read_folder};
/// use andnmf_io::Overwrite;
/// let folder = tempfile::tempdir()?;
/// let picture = contact_sheet(ndarray::array![[0.0, 0.5], [1.0, 0.0]].view(), (1, 2), Some(1))?;
/// picture.write_png(&folder.path().join("a.png"), Overwrite::No)?;
/// let pictures = read_folder::<f64>(folder.path())?;
/// assert_eq!(pictures.shape, (picture.height(), picture.width()));
/// assert_eq!(pictures.table.sample_names.as_deref(), Some(&["a.png".to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Names the file that cannot be read, or whose size is not that of the first one.
pub fn read_folder<T: Real>(folder: &Path) -> Result<Pictures<T>, FileError> {
    let files = picture_files(folder).map_err(|fault| fault.in_file(folder))?;
    let (mut values, mut names) = (Vec::new(), Vec::new());
    let mut first: Option<(usize, usize)> = None;
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let picture = read_picture::<T>(file).map_err(|fault| fault.in_file(file))?;
        let shape = *first.get_or_insert(picture.shape());
        if picture.shape() != shape {
            return Err(other_size(picture.shape(), shape, &names).in_file(file));
        }
        values.extend(picture.values);
        names.push(name);
    }
    let (height, width) = first.ok_or_else(|| Fault::from(no_pictures()).in_file(folder))?;
    let array = Array2::from_shape_vec((names.len(), height * width), values);
    let table = array.map_err(|_| Fault::from(Problem::Empty)).and_then(|array| Ok(Table::try_from(array)?));
    let table = Table { sample_names: Some(names), ..table.map_err(|fault| fault.in_file(folder))? };
    Ok(Pictures { table, shape: (height, width) })
}

/// The files of a folder that are pictures by their names, in order.
fn picture_files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_picture(&path) && !hidden && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_picture<T: Real>(file: &Path) -> Result<Grey<T>, Fault> {
    decode::grey(&fs::read(file)?)
}

fn other_size(given: (usize, usize), expected: (usize, usize), before: &[String]) -> Fault {
    let words = |(height, width): (usize, usize)| format!("{height} pixels high and {width} wide");
    let first = before.first().map_or("the first one", String::as_str);
    Problem::Unsupported {
        what: format!("the picture is {}, but {first} is {}", words(given), words(expected)),
        instead: "all pictures of a folder must have one size".to_owned(),
    }
    .into()
}

fn no_pictures() -> Problem {
    Problem::Unsupported {
        what: "there are no pictures in this folder".to_owned(),
        instead: "it must hold PNG, PGM or JPEG files".to_owned(),
    }
}
