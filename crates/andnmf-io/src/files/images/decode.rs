//! Decodes an image file to grey values.

use std::io::Cursor;

use png::{BitDepth, ColorType, DecodingError, Limits, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::pgm;
use crate::files::error::{LocatedProblem, Problem};
use andnmf::Real;

/// A decoded grey image.
#[derive(Debug)]
pub(super) struct GreyPixels<T> {
    pub(super) height: usize,
    pub(super) width: usize,
    /// From 0 to 1, row by row.
    pub(super) values: Vec<T>,
}

impl<T> GreyPixels<T> {
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.height, self.width)
    }
}

/// The most pixels that one byte can decode to: deflate (PNG) has a ratio of at most 1032, and JPEG needs at least one
/// bit per 64 pixels.
const PIXELS_PER_BYTE: usize = 1040;

/// Decodes an image. The format is detected by the first bytes, because extensions are often wrong.
pub(super) fn grey<T: Real>(bytes: &[u8]) -> Result<GreyPixels<T>, LocatedProblem> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [0xff, 0xd8, ..] => jpeg(bytes),
        [b'P', b'2' | b'5', ..] => pgm::grey(bytes),
        _ => Err(damaged("a PNG, PGM or JPEG image", "it begins with other bytes".to_owned())),
    }
}

fn png<T: Real>(bytes: &[u8]) -> Result<GreyPixels<T>, LocatedProblem> {
    // Skips profiles and texts.
    let mut decoder =
        png::Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: max_decoded_bytes(bytes) });
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let (width, height) = decoder.read_header_info().map_err(png_problem)?.size();
    let (height, width) = check_size(height as usize, width as usize, bytes)?;
    let mut reader = decoder.read_info().map_err(png_problem)?;
    let (color, depth) = reader.output_color_type();
    let size = reader.output_buffer_size().filter(|&size| size <= max_decoded_bytes(bytes));
    let size = size.ok_or_else(|| too_large(height, width, bytes))?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(png_problem)?;
    let values = match depth {
        BitDepth::Sixteen => {
            let wide: Vec<f64> =
                pixels.as_chunks().0.iter().map(|&two| f64::from(u16::from_be_bytes(two))).collect();
            lumas(&wide, color.samples(), 65535.0)
        }
        _ => lumas(&pixels, color.samples(), 255.0),
    };
    debug_assert!(color != ColorType::Indexed, "palettes are expanded");
    Ok(GreyPixels { height, width, values })
}

fn jpeg<T: Real>(bytes: &[u8]) -> Result<GreyPixels<T>, LocatedProblem> {
    if !jpeg_is_complete(bytes) {
        return Err(truncated());
    }
    // `check_size` below limits the size.
    let options = DecoderOptions::default().set_strict_mode(true).set_max_width(65535).set_max_height(65535);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(jpeg_problem)?;
    let (width, height) = decoder.dimensions().ok_or(Problem::Empty)?;
    let (height, width) = check_size(height, width, bytes)?;
    let plain = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let out_colorspace = if plain { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(out_colorspace));
    let pixels = decoder.decode().map_err(jpeg_problem)?;
    Ok(GreyPixels { height, width, values: lumas(&pixels, out_colorspace.num_components(), 255.0) })
}

/// Returns true if the end-of-image marker follows the last scan. The decoder would fill missing parts with grey.
/// These markers cannot occur within a scan.
fn jpeg_is_complete(bytes: &[u8]) -> bool {
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    last(0xd9) > last(0xda)
}

fn truncated() -> LocatedProblem {
    Problem::Truncated { missing: "the image data are incomplete".to_owned() }.into()
}

/// Converts pixels with `per_pixel` channels to grey; the last of two or four channels is opacity and ignored.
fn lumas<S: Copy + Into<f64>, T: Real>(samples: &[S], per_pixel: usize, largest: f64) -> Vec<T> {
    let luma = |pixel: &[S]| match *pixel {
        [red, green, blue, ..] => 0.299 * red.into() + 0.587 * green.into() + 0.114 * blue.into(),
        [grey, ..] => grey.into(),
        [] => 0.0,
    };
    samples.chunks_exact(per_pixel).map(|pixel| T::from_f64(luma(pixel) / largest)).collect()
}

/// The largest possible size of the decoded image.
fn max_decoded_bytes(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(8 * PIXELS_PER_BYTE)
}

/// Checks the declared size against the size of the file.
pub(super) fn check_size(height: usize, width: usize, bytes: &[u8]) -> Result<(usize, usize), Problem> {
    if height == 0 || width == 0 {
        return Err(Problem::Empty);
    }
    if height.checked_mul(width).is_none_or(|pixels| pixels > max_pixels(bytes)) {
        return Err(too_large(height, width, bytes));
    }
    Ok((height, width))
}

fn max_pixels(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(PIXELS_PER_BYTE)
}

fn too_large(height: usize, width: usize, bytes: &[u8]) -> Problem {
    let limit = format!("{} pixels", max_pixels(bytes));
    Problem::DeclaredSize { declared: format!("{height} × {width} pixels"), limit }
}

pub(super) fn damaged(expected: &'static str, reason: String) -> LocatedProblem {
    Problem::NotThisFormat { expected, reason }.into()
}

fn png_problem(error: DecodingError) -> LocatedProblem {
    match error {
        DecodingError::IoError(error) => error.into(),
        other => damaged("a valid PNG image", other.to_string()),
    }
}

fn jpeg_problem(error: DecodeErrors) -> LocatedProblem {
    match error {
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => truncated(),
        other => damaged("a valid JPEG image", format!("{other:?}")),
    }
}
