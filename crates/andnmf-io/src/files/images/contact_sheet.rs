//! Components as one image.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use ndarray::ArrayView2;

use crate::files::Overwrite;
use crate::files::atomic_write::write_file;
use crate::files::error::{FileError, Problem};
use andnmf::{Real, ShapeError};

/// The shade of the gaps between components.
const GAP: u8 = 255;

/// A grey image with one byte per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreyImage {
    height: usize,
    width: usize,
    pixels: Vec<u8>,
}

impl GreyImage {
    /// Renders one matrix (height × width) without a border, scaled like the components of a [`contact_sheet`].
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

    /// Enlarges the image by an integer factor, without interpolation.
    #[must_use]
    pub fn enlarged(&self, times: NonZeroUsize) -> Self {
        let times = times.get();
        let rows = self.pixels.chunks_exact(self.width.max(1)).flat_map(|row| {
            let wide: Vec<u8> = row.iter().flat_map(|&pixel| std::iter::repeat_n(pixel, times)).collect();
            std::iter::repeat_n(wide, times).flatten()
        });
        Self { height: self.height * times, width: self.width * times, pixels: rows.collect() }
    }

    /// Encodes the image as PNG.
    ///
    /// # Errors
    /// If the image is too large for PNG.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let side =
            |n: usize| u32::try_from(n).map_err(|_| io::Error::other("the image is too large for PNG"));
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side(self.width)?, side(self.height)?);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes a PNG file atomically.
    ///
    /// # Errors
    /// If the file exists and must not be replaced, or cannot be written.
    pub fn write_png(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_file(path, overwrite, |out| {
            let bytes = self.to_png().map_err(Problem::Io)?;
            Ok(io::Write::write_all(out, &bytes)?)
        })
    }
}

/// Renders all components (rank × features) side by side, each as an image of `shape` (height, width), with `columns`
/// images per row. `None` chooses the number that makes the sheet about square.
///
/// Each component is scaled to its own range: lowest value black, highest white. With negative values, the scale is
/// symmetric around zero, which is middle grey.
///
/// # Errors
/// If there are no components, or the number of features is not the number of pixels.
pub fn contact_sheet<T: Real>(
    components: ArrayView2<'_, T>,
    shape: (usize, usize),
    columns: Option<usize>,
) -> Result<GreyImage, ShapeError> {
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
    Ok(GreyImage { height: sheet_height, width: sheet_width, pixels })
}

/// The number of images per row that makes the sheet about square.
fn about_square(rank: usize, (height, width): (usize, usize)) -> usize {
    (rank as f64 * height as f64 / width as f64).sqrt().round() as usize
}

fn shades<'a, T: Real>(component: impl Iterator<Item = &'a T> + Clone) -> Vec<u8> {
    let values = || component.clone().map(|v| v.as_f64());
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = if low < 0.0 { (-high.max(-low), high.max(-low)) } else { (low, high) };
    // Halved, because the range of huge values would overflow.
    let (start, range) = (low / 2.0, high / 2.0 - low / 2.0);
    let shade = |v: f64| if range > 0.0 { (v / 2.0 - start) / range * 255.0 } else { 0.0 };
    // NaN becomes black.
    values().map(|v| shade(v).round() as u8).collect()
}
