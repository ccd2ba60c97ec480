//! One picture, from the bytes of its file to grey values.

use std::io::Cursor;

use png::{BitDepth, ColorType, DecodingError, Limits, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::pgm;
use crate::files::error::{Fault, Problem};
use andnmf::Real;

/// A picture in grey.
#[derive(Debug)]
pub(super) struct Grey<T> {
    pub(super) height: usize,
    pub(super) width: usize,
    /// From 0 to 1, row by row.
    pub(super) values: Vec<T>,
}

impl<T> Grey<T> {
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.height, self.width)
    }
}

/// No compression of pictures makes more pixels than this of a byte: deflate, which PNG uses, stops at 1032; JPEG
/// spends at least a bit on 64 pixels.
const PIXELS_PER_BYTE: usize = 1040;

/// A picture that goes by its first bytes: many a file has the ending of another format.
pub(super) fn grey<T: Real>(bytes: &[u8]) -> Result<Grey<T>, Fault> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [0xff, 0xd8, ..] => jpeg(bytes),
        [b'P', b'2' | b'5', ..] => pgm::grey(bytes),
        _ => Err(damaged("a PNG, PGM or JPEG picture", "its first bytes are others".to_owned())),
    }
}

fn png<T: Real>(bytes: &[u8]) -> Result<Grey<T>, Fault> {
    // Anything beside the pixels (profiles, texts) is left out, and the pixels are checked below.
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: room(bytes) });
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let (width, height) = decoder.read_header_info().map_err(png_fault)?.size();
    let (height, width) = check_size(height as usize, width as usize, bytes)?;
    let mut reader = decoder.read_info().map_err(png_fault)?;
    let (color, depth) = reader.output_color_type();
    let size = reader.output_buffer_size().filter(|&size| size <= room(bytes)).ok_or(Problem::Empty)?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(png_fault)?;
    let values = match depth {
        BitDepth::Sixteen => {
            let wide: Vec<f64> =
                pixels.as_chunks().0.iter().map(|&two| f64::from(u16::from_be_bytes(two))).collect();
            lumas(&wide, color.samples(), 65535.0)
        }
        _ => lumas(&pixels, color.samples(), 255.0),
    };
    debug_assert!(color != ColorType::Indexed, "palettes are expanded");
    Ok(Grey { height, width, values })
}

fn jpeg<T: Real>(bytes: &[u8]) -> Result<Grey<T>, Fault> {
    if !jpeg_is_whole(bytes) {
        return Err(cut_short());
    }
    // Sizes are checked below, by what the file can hold.
    let options = DecoderOptions::default().set_strict_mode(true).set_max_width(65535).set_max_height(65535);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(jpeg_fault)?;
    let (width, height) = decoder.dimensions().ok_or(Problem::Empty)?;
    let (height, width) = check_size(height, width, bytes)?;
    let plain = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let wanted = if plain { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(wanted));
    let pixels = decoder.decode().map_err(jpeg_fault)?;
    Ok(Grey { height, width, values: lumas(&pixels, wanted.num_components(), 255.0) })
}

/// Whether the end of the picture follows its last scan: the decoder fills up with grey what is missing. Within a scan
/// these pairs of bytes cannot occur.
fn jpeg_is_whole(bytes: &[u8]) -> bool {
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    last(0xd9) > last(0xda)
}

fn cut_short() -> Fault {
    Problem::Truncated { missing: "the picture stops in the middle".to_owned() }.into()
}

/// Grey values of pixels that have so many samples each; the last of two or four is how opaque it is.
fn lumas<S: Copy + Into<f64>, T: Real>(samples: &[S], per_pixel: usize, largest: f64) -> Vec<T> {
    let luma = |pixel: &[S]| match *pixel {
        [red, green, blue, ..] => 0.299 * red.into() + 0.587 * green.into() + 0.114 * blue.into(),
        [grey, ..] => grey.into(),
        [] => 0.0,
    };
    samples.chunks_exact(per_pixel).map(|pixel| T::from_f64(luma(pixel) / largest)).collect()
}

/// The most bytes that a decoded picture can have.
fn room(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(8 * PIXELS_PER_BYTE)
}

/// The size that a picture declares, if its file can hold so many pixels.
pub(super) fn check_size(height: usize, width: usize, bytes: &[u8]) -> Result<(usize, usize), Problem> {
    if height == 0 || width == 0 {
        return Err(Problem::Empty);
    }
    let held = bytes.len().saturating_mul(PIXELS_PER_BYTE);
    if height.checked_mul(width).is_none_or(|pixels| pixels > held) {
        let declared = format!("{height} × {width} pixels");
        return Err(Problem::DeclaredSize { declared, held: format!("{held} pixels") });
    }
    Ok((height, width))
}

pub(super) fn damaged(expected: &'static str, reason: String) -> Fault {
    Problem::NotThisFormat { expected, reason }.into()
}

fn png_fault(error: DecodingError) -> Fault {
    match error {
        DecodingError::IoError(error) => error.into(),
        other => damaged("an undamaged PNG picture", other.to_string()),
    }
}

fn jpeg_fault(error: DecodeErrors) -> Fault {
    match error {
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => cut_short(),
        other => damaged("an undamaged JPEG picture", format!("{other:?}")),
    }
}
