//! Lines with bands.

use super::chart::{PlotLine, Point};
use super::palette::Style;
use super::scale::{AxisRange, AxisScale, Placement};
use super::svg::{Area, Canvas, path};

/// Dash pattern of dashed lines.
pub(super) const DASHES: &str = "6 4";
/// Opacity of bands.
pub(super) const BAND_OPACITY: &str = "0.16";
pub(super) const LINE_WIDTH: f64 = 1.8;
/// Lines with up to this many points have a marker on each.
const ALL_MARKED: usize = 12;
/// Number of markers on a longer line.
const MARKERS: usize = 7;

/// Data that could not be drawn at their position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Omissions {
    /// True if there are values of zero or less on a logarithmic axis.
    pub(super) at_edge: bool,
    /// Number of points without a finite value.
    pub(super) points: usize,
    /// True if some cell has a value of zero or less.
    pub(super) lowest_colour: bool,
    /// Number of rows and columns of cells without a position or without values.
    pub(super) strips: usize,
}

impl Omissions {
    /// Sentences for the note of the chart.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.at_edge {
            sentences.push("Values of zero or less are drawn at the edge of a logarithmic axis.".to_owned());
        }
        if self.lowest_colour {
            sentences.push("Cells with a value of zero or less have the lowest colour.".to_owned());
        }
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if self.points > 0 {
            let (count, s) = (self.points, plural(self.points));
            sentences.push(format!("{count} point{s} without a finite value omitted."));
        }
        if self.strips > 0 {
            let (count, s) = (self.strips, plural(self.strips));
            sentences.push(format!("{count} row{s} or column{s} without a valid position omitted."));
        }
        sentences
    }
}

/// The points that can be drawn on axes with these scales.
fn drawn(lines: &[PlotLine], x: AxisScale, y: AxisScale) -> impl Iterator<Item = &Point> {
    lines.iter().flat_map(|line| &line.points).filter(move |point| is_drawable(point, x, y))
}

fn is_drawable(point: &Point, x: AxisScale, y: AxisScale) -> bool {
    x.placement(point.x) != Placement::NotDrawable && y.placement(point.y) != Placement::NotDrawable
}

/// Ranges of both axes that contain all lines.
pub(super) fn axis_ranges(lines: &[PlotLine], x: AxisScale, y: AxisScale) -> Option<(AxisRange, AxisRange)> {
    let across = AxisRange::around(x, drawn(lines, x, y).map(|point| point.x))?;
    // Band ends without a logarithm do not extend the axis.
    let ends = |point: &Point| {
        [point.low, point.high].map(|v| if y.placement(v) == Placement::Within { v } else { f64::NAN })
    };
    let up =
        AxisRange::around(y, drawn(lines, x, y).flat_map(|point| ends(point).into_iter().chain([point.y])))?;
    Some((across, up))
}

/// Counts the points that are omitted or drawn at an edge.
pub(super) fn omissions(lines: &[PlotLine], x: AxisScale, y: AxisScale) -> Omissions {
    let edge = |point: &Point| {
        x.placement(point.x) == Placement::AtLowerEdge
            || [point.y, point.low, point.high].iter().any(|&v| y.placement(v) == Placement::AtLowerEdge)
    };
    let all: usize = lines.iter().map(|line| line.points.len()).sum();
    let points = all - drawn(lines, x, y).count();
    Omissions { at_edge: drawn(lines, x, y).any(edge), points, ..Omissions::default() }
}

/// A point and its band in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PixelPoint {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
}

/// The points in pixels, split at those that cannot be drawn.
fn segments(line: &PlotLine, x: &AxisRange, y: &AxisRange, plot: Area) -> Vec<Vec<PixelPoint>> {
    let to_pixels = |point: &Point| {
        let up = |value: f64| {
            let known = if y.scale.placement(value) == Placement::NotDrawable { point.y } else { value };
            plot.at(0.0, y.fraction(known)).1
        };
        let across = plot.at(x.fraction(point.x), 0.0).0;
        PixelPoint { x: across, y: up(point.y), low: up(point.low), high: up(point.high) }
    };
    line.points
        .split(|point| !is_drawable(point, x.scale, y.scale))
        .filter(|segment| !segment.is_empty())
        .map(|segment| segment.iter().map(to_pixels).collect())
        .collect()
}

/// The line in pixels, in segments.
pub(super) fn centre_segments(
    line: &PlotLine,
    x: &AxisRange,
    y: &AxisRange,
    plot: Area,
) -> Vec<Vec<(f64, f64)>> {
    let centre = |segment: Vec<PixelPoint>| segment.iter().map(|pixel| (pixel.x, pixel.y)).collect();
    segments(line, x, y, plot).into_iter().map(centre).collect()
}

/// True if some point of the line has a band.
pub(super) fn has_band(line: &PlotLine) -> bool {
    line.points.iter().any(|point| point.low < point.y || point.high > point.y)
}

/// Draws all bands, then all lines over them.
pub(super) fn draw(
    canvas: &mut Canvas,
    lines: &[(Style, &PlotLine)],
    x: &AxisRange,
    y: &AxisRange,
    plot: Area,
) {
    for (style, line) in lines.iter().filter(|(_, line)| has_band(line)) {
        for segment in segments(line, x, y, plot) {
            draw_band(canvas, *style, &segment);
        }
    }
    for (style, line) in lines {
        let dashes: &[_] = if line.dashed { &[("stroke-dasharray", DASHES)] } else { &[] };
        let segments = centre_segments(line, x, y, plot);
        for segment in segments.iter().filter(|segment| segment.len() > 1) {
            let joined = [&[("stroke-linejoin", "round")], dashes].concat();
            canvas.stroke(&path(segment), style.colour(), LINE_WIDTH, &joined);
        }
        for position in marked(&segments, *style, plot) {
            style.draw_marker(canvas, position);
        }
    }
}

fn draw_band(canvas: &mut Canvas, style: Style, segment: &[PixelPoint]) {
    if let [alone] = segment {
        let bar = path(&[(alone.x, alone.low), (alone.x, alone.high)]);
        canvas.stroke(&bar, style.colour(), LINE_WIDTH, &[("opacity", "0.5")]);
        return;
    }
    let outline: Vec<(f64, f64)> = segment
        .iter()
        .map(|pixel| (pixel.x, pixel.high))
        .chain(segment.iter().rev().map(|pixel| (pixel.x, pixel.low)))
        .collect();
    let outline = path(&outline) + "Z";
    canvas.element(
        "path",
        &[("d", &*outline), ("fill", style.colour()), ("fill-opacity", BAND_OPACITY), ("stroke", "none")],
    );
}

/// The points with a marker: all of them on short lines, evenly spaced ones on long lines, and always isolated points,
/// which would be invisible otherwise.
fn marked(segments: &[Vec<(f64, f64)>], style: Style, plot: Area) -> Vec<(f64, f64)> {
    let count: usize = segments.iter().map(Vec::len).sum();
    if count <= ALL_MARKED {
        return segments.concat();
    }
    let spacing = plot.width / MARKERS as f64;
    let mut next = plot.left + spacing * (0.15 + 0.8 * style.marker_shift());
    let mut marked = Vec::new();
    for segment in segments {
        for &(x, y) in segment {
            if segment.len() == 1 || x >= next {
                marked.push((x, y));
            }
            while x >= next {
                next += spacing;
            }
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Area = Area { left: 10.0, top: 20.0, width: 100.0, height: 200.0 };

    fn line(points: Vec<Point>) -> PlotLine {
        PlotLine { name: "a".to_owned(), points, dashed: false }
    }

    fn even(from: f64, to: f64) -> AxisRange {
        AxisRange { scale: AxisScale::Linear, from, to }
    }

    fn drawing(line: &PlotLine, x: &AxisRange, y: &AxisRange) -> String {
        let mut canvas = Canvas::default();
        draw(&mut canvas, &[(Style::of(0), line)], x, y, PLOT);
        canvas.finish("", 1.0, 1.0)
    }

    #[test]
    fn a_band_goes_along_its_upper_ends_and_back_along_the_lower() {
        let points = vec![
            Point { x: 0.0, y: 0.5, low: 0.25, high: 0.75 },
            Point { x: 1.0, y: 0.5, low: 0.0, high: 1.0 },
        ];
        let svg = drawing(&line(points), &even(0.0, 1.0), &even(0.0, 1.0));
        assert!(svg.contains("d=\"M10 70L110 20L110 220L10 170Z\""), "{svg}");
        assert!(svg.contains("d=\"M10 120L110 120\""), "{svg}");
    }

    #[test]
    fn a_line_without_a_band_has_none() {
        let svg = drawing(
            &line(vec![Point::exact(0.0, 0.0), Point::exact(1.0, 1.0)]),
            &even(0.0, 1.0),
            &even(0.0, 1.0),
        );
        assert!(!svg.contains("fill-opacity"));
    }

    #[test]
    fn non_finite_values_leave_gaps_and_are_counted() {
        let ys = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 1.0, 1.5];
        let broken = line(ys.iter().enumerate().map(|(i, &y)| Point::exact(i as f64, y)).collect());
        let lengths: Vec<usize> =
            segments(&broken, &even(0.0, 6.0), &even(0.0, 3.0), PLOT).iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1, 2]);
        assert_eq!(omissions(&[broken], AxisScale::Linear, AxisScale::Linear).points, 2);
    }

    #[test]
    fn a_non_finite_band_end_is_drawn_on_the_line() {
        let points = vec![Point { x: 0.0, y: 1.0, low: f64::NEG_INFINITY, high: f64::NAN }];
        let pixel = segments(&line(points), &even(0.0, 1.0), &even(0.0, 2.0), PLOT)[0][0];
        assert_eq!((pixel.low, pixel.high), (pixel.y, pixel.y));
    }

    #[test]
    fn zeros_on_a_logarithmic_axis_are_at_its_lower_end_and_noted() {
        let exact = line(vec![Point::exact(0.0, 1.0), Point::exact(1.0, 0.0)]);
        let (x, y) = axis_ranges(std::slice::from_ref(&exact), AxisScale::Linear, AxisScale::Log10).unwrap();
        assert_eq!(centre_segments(&exact, &x, &y, PLOT)[0][1].1, PLOT.bottom());
        assert!(omissions(&[exact], AxisScale::Linear, AxisScale::Log10).at_edge);
    }

    #[test]
    fn a_band_that_reaches_zero_does_not_stretch_a_logarithmic_axis() {
        let with = |low: f64| line(vec![Point { x: 0.0, y: 0.1, low, high: 1.0 }]);
        let up = |low: f64| axis_ranges(&[with(low)], AxisScale::Linear, AxisScale::Log10).unwrap().1;
        assert_eq!(up(0.0), up(0.1));
        assert!(up(0.001).from < up(0.1).from);
    }

    #[test]
    fn long_lines_have_few_markers_and_isolated_points_always_one() {
        let mut points: Vec<Point> = (0..500).map(|i| Point::exact(f64::from(i), 1.0)).collect();
        (points[300].y, points[302].y) = (f64::NAN, f64::NAN);
        let long = line(points);
        let segments = centre_segments(&long, &even(0.0, 499.0), &even(0.0, 2.0), PLOT);
        let marked = marked(&segments, Style::of(3), PLOT);
        assert!((MARKERS..=MARKERS + 2).contains(&marked.len()), "{}", marked.len());
        assert!(marked.contains(&segments[1][0]));
    }
}
