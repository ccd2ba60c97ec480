//! Writes SVG: elements, numbers and escaping.

use super::label::TickLabel;
use super::text::Font;

/// Colour of axes and text.
pub(super) const INK: &str = "#222222";
/// Colour of secondary text.
pub(super) const FAINT_INK: &str = "#555555";
/// Colour of grid lines.
pub(super) const GRID: &str = "#e4e4e4";

/// The font of the PNG renderer first, then fallbacks for browsers.
const FONTS: &str = "'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif";
/// Raise and size of exponents, in font sizes.
const RAISED: f64 = 0.38;
const RAISED_SIZE: f64 = 0.75;

/// A rectangle in pixels, from the top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(super) fn centre(&self) -> (f64, f64) {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    /// The point at these fractions of width and height, from the lower left as in a plot.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + x * self.width, self.bottom() - y * self.height)
    }
}

/// Horizontal alignment of text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// An SVG document under construction.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    /// Adds an element without content; attribute values are escaped.
    pub(super) fn element(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.body.truncate(self.body.len() - 2);
        self.body.push_str("/>\n");
    }

    /// Opens an element.
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.body.push('<');
        self.body.push_str(name);
        for (attribute, value) in attributes {
            self.body.push_str(&format!(" {attribute}=\"{}\"", escaped(value)));
        }
        self.body.push_str(">\n");
    }

    /// Closes an element.
    pub(super) fn close(&mut self, name: &str) {
        self.body.push_str(&format!("</{name}>\n"));
    }

    /// Adds a filled rectangle.
    pub(super) fn rectangle(&mut self, area: Area, fill: &str, more: &[(&str, &str)]) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(number);
        let own = [("x", &*x), ("y", &y), ("width", &width), ("height", &height), ("fill", fill)];
        self.element("rect", &[&own, more].concat());
    }

    /// Adds an unfilled path.
    pub(super) fn stroke(&mut self, path: &str, colour: &str, width: f64, more: &[(&str, &str)]) {
        let width = number(width);
        let own = [("d", path), ("fill", "none"), ("stroke", colour), ("stroke-width", &width)];
        self.element("path", &[&own, more].concat());
    }

    /// Adds a line of text with its baseline at the position.
    pub(super) fn text(&mut self, text: &str, at: (f64, f64), anchor: Anchor, font: Font, fill: &str) {
        self.write_text(&escaped(text), at, anchor, font, fill, false);
    }

    /// Adds text that reads upwards, centred at the position.
    pub(super) fn upward_text(&mut self, text: &str, at: (f64, f64), font: Font, fill: &str) {
        self.write_text(&escaped(text), at, Anchor::Middle, font, fill, true);
    }

    /// Adds a tick label with a superscript exponent.
    pub(super) fn label(&mut self, label: &TickLabel, at: (f64, f64), anchor: Anchor, font: Font) {
        let (base, exponent) = label.parts();
        let raised = exponent.map_or_else(String::new, |exponent| {
            let (up, size) = (number(-RAISED * font.size), number(RAISED_SIZE * font.size));
            format!("<tspan dy=\"{up}\" font-size=\"{size}\">{}</tspan>", escaped(&exponent))
        });
        self.write_text(&(escaped(&base) + &raised), at, anchor, font, INK, false);
    }

    fn write_text(
        &mut self,
        content: &str,
        (x, y): (f64, f64),
        anchor: Anchor,
        font: Font,
        fill: &str,
        up: bool,
    ) {
        let (x, y, size, anchor) = (number(x), number(y), number(font.size), anchor.name());
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        let turn = if up { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
        self.body.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{weight}{turn}>\
             {content}</text>\n"
        ));
    }

    /// The complete document, on a white background.
    pub(super) fn finish(self, title: &str, width: f64, height: f64) -> String {
        let (width, height, title) = (number(width.ceil()), number(height.ceil()), escaped(title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" font-family=\"{FONTS}\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// A coordinate with up to two decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// Path data through these points.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let steps = points.iter().enumerate().map(|(i, &(x, y))| {
        let command = if i == 0 { 'M' } else { 'L' };
        format!("{command}{} {}", number(x), number(y))
    });
    steps.collect()
}

/// Escapes text for XML; characters that XML forbids become the replacement character.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use resvg::usvg::roxmltree::Document;

    #[test]
    fn any_text_can_be_read_back_from_the_document() {
        let hostile = "</text><script>a & b</script> \"quoted\" 'single' ]]> &amp; ☂";
        let mut canvas = Canvas::default();
        canvas.text(hostile, (1.0, 2.0), Anchor::Start, Font::plain(11.0), INK);
        let svg = canvas.finish(hostile, 10.0, 10.0);
        let document = Document::parse(&svg).unwrap();
        let text_of =
            |name: &str| document.descendants().find(|node| node.has_tag_name(name)).unwrap().text();
        assert_eq!(text_of("text"), Some(hostile));
        assert_eq!(text_of("title"), Some(hostile));
        assert_eq!(document.root_element().attribute("aria-label"), Some(hostile));
    }

    #[test]
    fn characters_that_xml_forbids_are_replaced() {
        assert_eq!(escaped("a\0b\u{b}c\u{ffff}\nd"), "a\u{fffd}b\u{fffd}c\u{fffd} d");
    }

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        assert_eq!(
            [1.0, 0.125, -0.001, 12.3456, 100.0].map(number),
            ["1", "0.12", "0", "12.35", "100"].map(String::from)
        );
    }
}
