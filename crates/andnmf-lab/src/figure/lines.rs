//! Lines with bands.

use super::chart::{Line, Point};
use super::palette::Style;
use super::scale::{Scale, Span, Standing};
use super::svg::{Area, Canvas, path};

/// Dashes of dashed lines.
pub(super) const DASHES: &str = "6 4";
/// How much of a band's colour is seen.
pub(super) const BAND_OPACITY: &str = "0.16";
pub(super) const LINE_WIDTH: f64 = 1.8;
/// Lines with no more points have a marker on each of them.
const ALL_MARKED: usize = 12;
/// Markers on a longer line.
const MARKERS: usize = 7;

/// What could not be drawn where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Omissions {
    /// Values of zero or less on a logarithmic axis.
    pub(super) at_edge: bool,
    /// Points that are no numbers.
    pub(super) points: usize,
    /// Cells whose value is zero or less.
    pub(super) lowest_colour: bool,
    /// Rows and columns of cells without a place or without values.
    pub(super) strips: usize,
}

impl Omissions {
    /// What a reader should know.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.at_edge {
            sentences.push("Values of zero or less stand at the edge of a logarithmic axis.".to_owned());
        }
        if self.lowest_colour {
            sentences.push("Cells of zero or less have the lowest colour.".to_owned());
        }
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if self.points > 0 {
            let (count, s) = (self.points, plural(self.points));
            sentences.push(format!("{count} point{s} without a finite value left out."));
        }
        if self.strips > 0 {
            let (count, s) = (self.strips, plural(self.strips));
            sentences.push(format!("{count} row{s} or column{s} without a place on the axes left out."));
        }
        sentences
    }
}

/// The points that have a place on axes of these scales.
fn drawn(lines: &[Line], x: Scale, y: Scale) -> impl Iterator<Item = &Point> {
    lines.iter().flat_map(|line| &line.points).filter(move |point| has_place(point, x, y))
}

fn has_place(point: &Point, x: Scale, y: Scale) -> bool {
    x.standing(point.x) != Standing::Nowhere && y.standing(point.middle) != Standing::Nowhere
}

/// The spans of both axes in which all the lines can be seen.
pub(super) fn spans(lines: &[Line], x: Scale, y: Scale) -> Option<(Span, Span)> {
    let across = Span::around(x, drawn(lines, x, y).map(|point| point.x))?;
    // An end of a band without a logarithm does not make the axis longer.
    let ends = |point: &Point| {
        [point.low, point.high].map(|v| if y.standing(v) == Standing::Within { v } else { f64::NAN })
    };
    let up =
        Span::around(y, drawn(lines, x, y).flat_map(|point| ends(point).into_iter().chain([point.middle])))?;
    Some((across, up))
}

/// What of the lines does not stand where it should.
pub(super) fn omissions(lines: &[Line], x: Scale, y: Scale) -> Omissions {
    let edge = |point: &Point| {
        x.standing(point.x) == Standing::AtEdge
            || [point.middle, point.low, point.high].iter().any(|&v| y.standing(v) == Standing::AtEdge)
    };
    let all: usize = lines.iter().map(|line| line.points.len()).sum();
    let points = all - drawn(lines, x, y).count();
    Omissions { at_edge: drawn(lines, x, y).any(edge), points, ..Omissions::default() }
}

/// A point and its band in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    x: f64,
    middle: f64,
    low: f64,
    high: f64,
}

/// The points in pixels, in runs between those that have no place.
fn runs(line: &Line, x: &Span, y: &Span, plot: Area) -> Vec<Vec<Place>> {
    let place = |point: &Point| {
        let up = |value: f64| {
            let known = if y.scale.standing(value) == Standing::Nowhere { point.middle } else { value };
            plot.at(0.0, y.fraction(known)).1
        };
        let across = plot.at(x.fraction(point.x), 0.0).0;
        Place { x: across, middle: up(point.middle), low: up(point.low), high: up(point.high) }
    };
    line.points
        .split(|point| !has_place(point, x.scale, y.scale))
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().map(place).collect())
        .collect()
}

/// The middles of a line in pixels, run by run.
pub(super) fn middles(line: &Line, x: &Span, y: &Span, plot: Area) -> Vec<Vec<(f64, f64)>> {
    let middle = |run: Vec<Place>| run.iter().map(|place| (place.x, place.middle)).collect();
    runs(line, x, y, plot).into_iter().map(middle).collect()
}

/// Whether any point of the line has a band.
pub(super) fn has_band(line: &Line) -> bool {
    line.points.iter().any(|point| point.low < point.middle || point.high > point.middle)
}

/// Draws all bands, then all lines over them.
pub(super) fn draw(canvas: &mut Canvas, lines: &[(Style, &Line)], x: &Span, y: &Span, plot: Area) {
    for (style, line) in lines.iter().filter(|(_, line)| has_band(line)) {
        for run in runs(line, x, y, plot) {
            draw_band(canvas, *style, &run);
        }
    }
    for (style, line) in lines {
        let dashes: &[_] = if line.dashed { &[("stroke-dasharray", DASHES)] } else { &[] };
        let runs = middles(line, x, y, plot);
        for run in runs.iter().filter(|run| run.len() > 1) {
            let joined = [&[("stroke-linejoin", "round")], dashes].concat();
            canvas.stroke(&path(run), style.colour(), LINE_WIDTH, &joined);
        }
        for place in marked(&runs, *style, plot) {
            style.draw_marker(canvas, place);
        }
    }
}

fn draw_band(canvas: &mut Canvas, style: Style, run: &[Place]) {
    if let [alone] = run {
        let bar = path(&[(alone.x, alone.low), (alone.x, alone.high)]);
        canvas.stroke(&bar, style.colour(), LINE_WIDTH, &[("opacity", "0.5")]);
        return;
    }
    let outline: Vec<(f64, f64)> = run
        .iter()
        .map(|place| (place.x, place.high))
        .chain(run.iter().rev().map(|place| (place.x, place.low)))
        .collect();
    let outline = path(&outline) + "Z";
    canvas.element(
        "path",
        &[("d", &*outline), ("fill", style.colour()), ("fill-opacity", BAND_OPACITY), ("stroke", "none")],
    );
}

/// Which points have a marker: all where they are few, else some that are evenly spaced to the eye; in any case those
/// that stand alone, of which nothing else would be seen.
fn marked(runs: &[Vec<(f64, f64)>], style: Style, plot: Area) -> Vec<(f64, f64)> {
    let count: usize = runs.iter().map(Vec::len).sum();
    if count <= ALL_MARKED {
        return runs.concat();
    }
    let spacing = plot.width / MARKERS as f64;
    let mut next = plot.left + spacing * (0.15 + 0.8 * style.marker_shift());
    let mut marked = Vec::new();
    for run in runs {
        for &(x, y) in run {
            if run.len() == 1 || x >= next {
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

    fn line(points: Vec<Point>) -> Line {
        Line { name: "a".to_owned(), points, dashed: false }
    }

    fn even(from: f64, to: f64) -> Span {
        Span { scale: Scale::Linear, from, to }
    }

    fn drawing(line: &Line, x: &Span, y: &Span) -> String {
        let mut canvas = Canvas::default();
        draw(&mut canvas, &[(Style::of(0), line)], x, y, PLOT);
        canvas.finish("", 1.0, 1.0)
    }

    #[test]
    fn a_band_goes_along_its_upper_ends_and_back_along_the_lower() {
        let points = vec![
            Point { x: 0.0, middle: 0.5, low: 0.25, high: 0.75 },
            Point { x: 1.0, middle: 0.5, low: 0.0, high: 1.0 },
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
    fn numbers_that_are_none_leave_gaps_and_are_counted() {
        let ys = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 1.0, 1.5];
        let broken = line(ys.iter().enumerate().map(|(i, &y)| Point::exact(i as f64, y)).collect());
        let lengths: Vec<usize> =
            runs(&broken, &even(0.0, 6.0), &even(0.0, 3.0), PLOT).iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1, 2]);
        assert_eq!(omissions(&[broken], Scale::Linear, Scale::Linear).points, 2);
    }

    #[test]
    fn an_end_of_a_band_that_is_no_number_is_the_middle() {
        let points = vec![Point { x: 0.0, middle: 1.0, low: f64::NEG_INFINITY, high: f64::NAN }];
        let place = runs(&line(points), &even(0.0, 1.0), &even(0.0, 2.0), PLOT)[0][0];
        assert_eq!((place.low, place.high), (place.middle, place.middle));
    }

    #[test]
    fn zeros_on_a_logarithmic_axis_stand_at_its_foot_and_are_told() {
        let exact = line(vec![Point::exact(0.0, 1.0), Point::exact(1.0, 0.0)]);
        let (x, y) = spans(std::slice::from_ref(&exact), Scale::Linear, Scale::Log10).unwrap();
        assert_eq!(middles(&exact, &x, &y, PLOT)[0][1].1, PLOT.bottom());
        assert!(omissions(&[exact], Scale::Linear, Scale::Log10).at_edge);
    }

    #[test]
    fn a_band_that_reaches_zero_does_not_stretch_a_logarithmic_axis() {
        let with = |low: f64| line(vec![Point { x: 0.0, middle: 0.1, low, high: 1.0 }]);
        let up = |low: f64| spans(&[with(low)], Scale::Linear, Scale::Log10).unwrap().1;
        assert_eq!(up(0.0), up(0.1));
        assert!(up(0.001).from < up(0.1).from);
    }

    #[test]
    fn long_lines_have_few_markers_and_lone_points_always_one() {
        let mut points: Vec<Point> = (0..500).map(|i| Point::exact(f64::from(i), 1.0)).collect();
        (points[300].middle, points[302].middle) = (f64::NAN, f64::NAN);
        let long = line(points);
        let runs = middles(&long, &even(0.0, 499.0), &even(0.0, 2.0), PLOT);
        let marked = marked(&runs, Style::of(3), PLOT);
        assert!((MARKERS..=MARKERS + 2).contains(&marked.len()), "{}", marked.len());
        assert!(marked.contains(&runs[1][0]));
    }
}
