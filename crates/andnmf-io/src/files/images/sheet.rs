//! Components as one picture.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use ndarray::ArrayView2;

use crate::files::Overwrite;
use crate::files::aside::write_file;
use crate::files::error::{FileError, Problem};
use andnmf::{Real, ShapeError};

/// What the gaps between pictures are filled with.
const GAP: u8 = 255;

/// A picture in shades of grey, one byte per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreyPicture {
    height: usize,
    width: usize,
    pixels: Vec<u8>,
}

impl GreyPicture {
    /// One picture (height × width) without a border, scaled as those of a [`contact_sheet`] are.
    #[must_use]
    pub fn of<T: Real>(values: ArrayView2<'_, T>) -> Self {
        let (height, width) = values.dim();
        Self { height, width, pixels: shades(values.iter()) }
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The pixels, row by row, from 0 (black) to 255 (white).
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The same so many times as high and as wide, each pixel a square; small pictures are hard to see otherwise.
    #[must_use]
    pub fn enlarged(&self, times: NonZeroUsize) -> Self {
        let times = times.get();
        let rows = self.pixels.chunks_exact(self.width.max(1)).flat_map(|row| {
            let wide: Vec<u8> = row.iter().flat_map(|&pixel| std::iter::repeat_n(pixel, times)).collect();
            std::iter::repeat_n(wide, times).flatten()
        });
        Self { height: self.height * times, width: self.width * times, pixels: rows.collect() }
    }

    /// The bytes of a PNG file, for those who put it elsewhere.
    ///
    /// # Errors
    /// Where the picture is larger than that format allows.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let side =
            |n: usize| u32::try_from(n).map_err(|_| io::Error::other("the picture is too large for PNG"));
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side(self.width)?, side(self.height)?);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes a PNG file; it is there in full or not at all.
    ///
    /// # Errors
    /// Where the file is there and must not be replaced, or cannot be written.
    pub fn write_png(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_file(path, overwrite, |out| {
            let bytes = self.to_png().map_err(Problem::Io)?;
            Ok(io::Write::write_all(out, &bytes)?)
        })
    }
}

/// All components (rank × features) side by side, each as a picture of `shape` (height and width): so many in a row,
/// or as many as make the whole about square.
///
/// Each component is scaled to its own range, its lowest value black and its highest white. One with negative values
/// has zero in the middle grey, and its largest value, whichever sign it has, at black or white.
///
/// # Errors
/// Where there are no components, or they do not have as many features as the shape has pixels.
pub fn contact_sheet<T: Real>(
    components: ArrayView2<'_, T>,
    shape: (usize, usize),
    columns: Option<usize>,
) -> Result<GreyPicture, ShapeError> {
    let (height, width) = shape;
    if components.is_empty() || height.checked_mul(width) != Some(components.ncols()) {
        let expected = format!("any number of components × {height}·{width} pixels");
        return Err(ShapeError::new("the components", components.dim(), expected));
    }
    let rank = components.nrows();
    let columns = columns.unwrap_or_else(|| about_square(rank, shape)).clamp(1, rank);
    let gap = (height.min(width) / 32).max(1);
    let side = |count: usize, size: usize| count * (size + gap) + gap;
    let (sheet_height, sheet_width) = (side(rank.div_ceil(columns), height), side(columns, width));
    let mut pixels = vec![GAP; sheet_height * sheet_width];
    for (k, component) in components.outer_iter().enumerate() {
        let (top, left) = (side(k / columns, height), side(k % columns, width));
        for (i, row) in shades(component.iter()).chunks_exact(width).enumerate() {
            let at = (top + i) * sheet_width + left;
            pixels[at..at + width].copy_from_slice(row);
        }
    }
    Ok(GreyPicture { height: sheet_height, width: sheet_width, pixels })
}

/// How many pictures in a row make the sheet as wide as it is high.
fn about_square(rank: usize, (height, width): (usize, usize)) -> usize {
    (rank as f64 * height as f64 / width as f64).sqrt().round() as usize
}

fn shades<'a, T: Real>(component: impl Iterator<Item = &'a T> + Clone) -> Vec<u8> {
    let values = || component.clone().map(|v| v.as_f64());
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = if low < 0.0 { (-high.max(-low), high.max(-low)) } else { (low, high) };
    // Halves, because the whole range of huge numbers is no number.
    let (start, range) = (low / 2.0, high / 2.0 - low / 2.0);
    let shade = |v: f64| if range > 0.0 { (v / 2.0 - start) / range * 255.0 } else { 0.0 };
    // A number that is none becomes black.
    values().map(|v| shade(v).round() as u8).collect()
}
