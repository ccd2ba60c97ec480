//! Renders SVG as PNG with embedded fonts.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};
use resvg::usvg::{Group, ImageKind, ImageRendering, Node, Options, Tree, fontdb};

const FAMILY: &str = "Noto Sans";
/// Largest number of pixels along a side.
const LARGEST_SIDE: f32 = 20_000.0;
/// Largest total number of pixels, at four bytes each.
const MOST_PIXELS: f32 = 1e8;

/// The error of rendering a drawing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The text is not valid SVG.
    #[error("not a valid SVG drawing: {0}")]
    Malformed(String),
    /// The scale is not a finite number above 0.
    #[error("scale is {0}; it must be a finite number above 0, such as 2 for twice the size")]
    Scale(f32),
    /// The image is too large or empty.
    #[error(
        "the image would have {width} × {height} pixels; each side must have 1 to {LARGEST_SIDE} and the whole image \
         at most {MOST_PIXELS}: use another scale"
    )]
    Size {
        /// Width in pixels.
        width: f32,
        /// Height in pixels.
        height: f32,
    },
    /// PNG encoding failed.
    #[error("cannot encode the image as PNG: {0}")]
    Encoding(String),
}

/// Only embedded fonts, so that images are the same on every machine.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for font in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family(FAMILY);
    // The fallback for unknown font names.
    fonts.set_serif_family(FAMILY);
    Arc::new(fonts)
});

/// Renders an SVG drawing as the bytes of a PNG file, with `scale` pixels per unit of the drawing.
///
/// Text is drawn in Noto Sans, whichever fonts are installed; characters that it lacks become boxes.
///
/// # Errors
/// Returns an error if the text is not SVG, or if the image would be empty or too large.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, FigureError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(FigureError::Scale(scale));
    }
    let options =
        Options { fontdb: Arc::clone(&FONTS), font_family: FAMILY.to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| FigureError::Malformed(error.to_string()))?;
    let (width, height) = ((tree.size().width() * scale).round(), (tree.size().height() * scale).round());
    let possible = (1.0..=LARGEST_SIDE).contains(&width) && (1.0..=LARGEST_SIDE).contains(&height);
    let pixels =
        (possible && width * height <= MOST_PIXELS).then(|| Pixmap::new(width as u32, height as u32));
    let mut pixels = pixels.flatten().ok_or(FigureError::Size { width, height })?;
    let enlarged = Transform::from_scale(width / tree.size().width(), height / tree.size().height());
    resvg::render(&tree, enlarged, &mut pixels.as_mut());
    paint_images(tree.root(), enlarged, &mut pixels);
    pixels.encode_png().map_err(|error| FigureError::Encoding(error.to_string()))
}

/// Draws embedded grey images. The renderer skips them unless it is built with decoders of all image formats. Nothing
/// overlaps them, so they can be drawn last.
fn paint_images(group: &Group, enlarged: Transform, pixels: &mut Pixmap) {
    for node in group.children() {
        match node {
            Node::Group(group) => paint_images(group, enlarged, pixels),
            Node::Image(image) => {
                let ImageKind::PNG(bytes) = image.kind() else { continue };
                let Ok(pixmap) = Pixmap::decode_png(bytes) else { continue };
                let quality = match image.rendering_mode() {
                    ImageRendering::Pixelated | ImageRendering::CrispEdges => FilterQuality::Nearest,
                    _ => FilterQuality::Bicubic,
                };
                let paint = PixmapPaint { quality, ..PixmapPaint::default() };
                let transform = image.abs_transform().post_concat(enlarged);
                pixels.draw_pixmap(0, 0, pixmap.as_ref(), &paint, transform, None);
            }
            Node::Path(_) | Node::Text(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(svg: &str, scale: f32) -> Pixmap {
        Pixmap::decode_png(&png(svg, scale).unwrap()).unwrap()
    }

    fn dark_pixels(pixels: &Pixmap) -> usize {
        pixels.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    }

    const WITH_TEXT: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='30'><rect width='60' \
        height='30' fill='white'/><text x='5' y='20' font-family='Nowhere Sans' font-size='16'>Hamlet</text></svg>";

    #[test]
    fn the_scale_sets_the_number_of_pixels() {
        for scale in [0.5, 1.0, 2.5] {
            let pixels = decoded(WITH_TEXT, scale);
            let side = |length: f32| (length * scale).round() as u32;
            assert_eq!((pixels.width(), pixels.height()), (side(60.0), side(30.0)));
        }
    }

    #[test]
    fn text_is_drawn_whatever_font_it_names() {
        let without = WITH_TEXT.replace("Hamlet", "");
        assert_eq!(dark_pixels(&decoded(&without, 1.0)), 0);
        assert!(dark_pixels(&decoded(WITH_TEXT, 1.0)) > 40);
        let bold = WITH_TEXT.replace("font-size", "font-weight='bold' font-size");
        assert!(dark_pixels(&decoded(&bold, 1.0)) > dark_pixels(&decoded(WITH_TEXT, 1.0)));
    }

    #[test]
    fn invalid_svg_is_refused() {
        assert!(matches!(png("<svg", 1.0), Err(FigureError::Malformed(_))));
        assert!(matches!(png("", 1.0), Err(FigureError::Malformed(_))));
    }

    #[test]
    fn scales_that_give_no_valid_size_are_refused() {
        for scale in [0.0, -1.0, f32::INFINITY] {
            assert_eq!(png(WITH_TEXT, scale), Err(FigureError::Scale(scale)));
        }
        assert!(matches!(png(WITH_TEXT, f32::NAN), Err(FigureError::Scale(_))));
        for scale in [1e-9, 1000.0, f32::MAX] {
            assert!(matches!(png(WITH_TEXT, scale), Err(FigureError::Size { .. })), "{scale}");
        }
    }
}
