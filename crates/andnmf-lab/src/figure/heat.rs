//! Coloured cells and the bar that explains their colours.

use super::chart::Heat;
use super::label::TICK_FACE;
use super::lines::{DASHES, Omissions, middles};
use super::palette::{Style, cell_colour};
use super::scale::{Scale, Span, Standing};
use super::svg::{Anchor, Area, Canvas, FAINT_INK, INK, number, path};
use super::ticks::{Run, Ticks};

/// Ground and stroke of cells that were not run.
const NOT_RUN: (&str, &str) = ("#ececec", "#a0a0a0");
const BAR_WIDTH: f64 = 13.0;
const BAR_STEPS: usize = 64;
/// Between a plot and the bar, a bar and its labels, the labels and the name.
const BAR_GAPS: (f64, f64, f64) = (12.0, 7.0, 6.0);

/// The cells along one axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cells {
    /// Which rows or columns of the values these are, from the start of the axis.
    order: Vec<usize>,
    /// What they stand for.
    pub(super) values: Vec<f64>,
    /// Where they begin and end, as fractions of the axis.
    edges: Vec<f64>,
    /// From the first edge to the last.
    pub(super) span: Span,
}

impl Cells {
    /// Cells that meet halfway between their values, as the axis is spread; the outermost are as wide as they are on
    /// their inner side. None where no value has a place.
    fn of(scale: Scale, given: &[f64], available: usize) -> Option<Self> {
        let mut order: Vec<usize> = (0..given.len().min(available))
            .filter(|&i| scale.standing(given[i]) == Standing::Within)
            .collect();
        order.sort_by(|&a, &b| given[a].total_cmp(&given[b]));
        let places: Vec<f64> = order.iter().map(|&i| scale.forward(given[i])).collect();
        let (&first, &last) = (places.first()?, places.last()?);
        let mut edges: Vec<f64> = places.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
        let half = |edge: Option<&f64>, place: f64| {
            edge.map(|edge| (edge - place).abs()).filter(|&half| half > 0.0).unwrap_or(0.5)
        };
        let (before, after) = (half(edges.first(), first), half(edges.last(), last));
        edges.insert(0, first - before);
        edges.push(last + after);
        let span = Span { scale, from: edges[0], to: edges[edges.len() - 1] };
        for edge in &mut edges {
            *edge = (*edge - span.from) / (span.to - span.from);
        }
        Some(Self { values: order.iter().map(|&i| given[i]).collect(), order, edges, span })
    }
}

/// The cells of a panel in both directions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) x: Cells,
    pub(super) y: Cells,
}

impl Grid {
    pub(super) fn of(heat: &Heat, x: Scale, y: Scale) -> Option<Self> {
        let (rows, columns) = heat.values.dim();
        Some(Self { x: Cells::of(x, &heat.x_values, columns)?, y: Cells::of(y, &heat.y_values, rows)? })
    }

    /// Every cell in pixels, with its value.
    fn cells<'a>(&'a self, heat: &'a Heat, plot: Area) -> impl Iterator<Item = (Area, f64)> + 'a {
        let edges = |cells: &'a Cells| cells.order.iter().zip(cells.edges.windows(2));
        edges(&self.y).flat_map(move |(&row, y)| {
            edges(&self.x).map(move |(&column, x)| {
                let ((left, bottom), (right, top)) = (plot.at(x[0], y[0]), plot.at(x[1], y[1]));
                let area = Area { left, top, width: right - left, height: bottom - top };
                (area, heat.values[(row, column)])
            })
        })
    }
}

/// What of the cells does not stand where it should.
pub(super) fn omissions(heat: &Heat, x: Scale, y: Scale) -> Omissions {
    let (rows, columns) = heat.values.dim();
    let drawn = Grid::of(heat, x, y).map_or((0, 0), |grid| (grid.y.order.len(), grid.x.order.len()));
    let given = (heat.y_values.len().max(rows), heat.x_values.len().max(columns));
    Omissions {
        lowest_colour: heat.values.iter().any(|&v| Scale::Log10.standing(v) == Standing::AtEdge),
        strips: (given.0 - drawn.0) + (given.1 - drawn.1),
        ..Omissions::default()
    }
}

/// Whether any cell was not run.
pub(super) fn has_gaps(heat: &Heat) -> bool {
    heat.values.iter().any(|&v| Scale::Log10.standing(v) == Standing::Nowhere)
}

/// From the lowest to the highest of all values; more only where there would be nothing to read at the bar.
pub(super) fn colour_span<'a>(heats: impl Iterator<Item = &'a Heat>) -> Option<Span> {
    let within = |value: &f64| Scale::Log10.standing(*value) == Standing::Within;
    let values: Vec<f64> = heats.flat_map(|heat| heat.values.iter().copied().filter(within)).collect();
    let exact = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).map(f64::log10);
    let (from, to) = (exact(f64::min)?, exact(f64::max)?);
    if to.floor() - from.ceil() >= 1.0 {
        Some(Span { scale: Scale::Log10, from, to })
    } else {
        Span::around(Scale::Log10, values.into_iter())
    }
}

/// Draws the cells and the lines over them.
pub(super) fn draw(
    canvas: &mut Canvas,
    heat: &Heat,
    grid: &Grid,
    colours: Option<&Span>,
    overlay: &[(Style, &super::Line)],
    plot: Area,
) {
    // Without it, hairlines of the ground show between cells.
    canvas.open("g", &[("shape-rendering", "crispEdges")]);
    let mut gaps = Vec::new();
    for (area, value) in grid.cells(heat, plot) {
        match colours.filter(|_| Scale::Log10.standing(value) != Standing::Nowhere) {
            Some(span) => canvas.rectangle(area, &cell_colour(span.fraction(value)), &[]),
            None => gaps.push(area),
        }
    }
    canvas.close("g");
    for area in gaps {
        draw_not_run(canvas, area);
    }
    let inside = Area { left: 0.0, top: 0.0, ..plot };
    let [left, top, width, height] = [plot.left, plot.top, plot.width, plot.height].map(number);
    // A drawing within the drawing ends at its borders, whatever the lines do.
    canvas.open("svg", &[("x", &left), ("y", &top), ("width", &width), ("height", &height)]);
    for (style, line) in overlay {
        for run in middles(line, &grid.x.span, &grid.y.span, inside) {
            draw_over_cells(canvas, *style, line.dashed, &run);
        }
    }
    canvas.close("svg");
}

/// A line that is seen on light and on dark cells.
pub(super) fn draw_over_cells(canvas: &mut Canvas, style: Style, dashed: bool, run: &[(f64, f64)]) {
    let dashes: &[_] = if dashed { &[("stroke-dasharray", DASHES)] } else { &[] };
    canvas.stroke(&path(run), "#000000", 3.6, &[]);
    canvas.stroke(&path(run), style.colour_over_cells(), 1.8, dashes);
}

/// A grey cell, crossed out.
pub(super) fn draw_not_run(canvas: &mut Canvas, area: Area) {
    canvas.rectangle(area, NOT_RUN.0, &[("shape-rendering", "crispEdges")]);
    let diagonal = path(&[(area.left, area.bottom()), (area.right(), area.top)]);
    canvas.stroke(&diagonal, NOT_RUN.1, 0.8, &[]);
}

/// The bar of colours beside a plot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    span: Span,
    ticks: Ticks,
    label: String,
    height: f64,
}

impl Bar {
    pub(super) fn of(span: Span, label: &str, height: f64) -> Self {
        Self { span, ticks: Ticks::fitting(&span, Run::Up(height)), label: label.to_owned(), height }
    }

    /// Workspace that it takes right of a plot.
    pub(super) fn width(&self) -> f64 {
        BAR_GAPS.0 + BAR_WIDTH + BAR_GAPS.1 + self.widest_label() + BAR_GAPS.2 + TICK_FACE.line_height()
    }

    fn widest_label(&self) -> f64 {
        self.ticks.labelled.iter().map(|tick| tick.label.width()).fold(0.0, f64::max)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, plot: Area) {
        let bar = Area { left: plot.right() + BAR_GAPS.0, width: BAR_WIDTH, ..plot };
        let step = bar.height / BAR_STEPS as f64;
        canvas.open("g", &[("shape-rendering", "crispEdges")]);
        for i in 0..BAR_STEPS {
            let colour = cell_colour(i as f64 / (BAR_STEPS - 1) as f64);
            let top = bar.bottom() - (i + 1) as f64 * step;
            canvas.rectangle(Area { top, height: step, ..bar }, &colour, &[]);
        }
        canvas.close("g");
        canvas.rectangle(bar, "none", &[("stroke", INK), ("stroke-width", "0.8")]);
        let tick_to = |canvas: &mut Canvas, fraction: f64, length: f64| {
            let (x, y) = bar.at(1.0, fraction);
            canvas.stroke(&path(&[(x, y), (x + length, y)]), INK, 0.8, &[]);
        };
        for &fraction in &self.ticks.minor {
            tick_to(canvas, fraction, 2.5);
        }
        for tick in &self.ticks.labelled {
            tick_to(canvas, tick.fraction, 4.5);
            let (x, y) = bar.at(1.0, tick.fraction);
            canvas.label(&tick.label, (x + BAR_GAPS.1, y + TICK_FACE.drop()), Anchor::Start, TICK_FACE);
        }
        let name_at = bar.right() + BAR_GAPS.1 + self.widest_label() + BAR_GAPS.2 + TICK_FACE.size;
        let name = TICK_FACE.shortened(&self.label, self.height);
        canvas.upward_text(&name, (name_at, bar.middle().1), TICK_FACE, FAINT_INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    const PLOT: Area = Area { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };

    fn heat(x: &[f64], y: &[f64], values: Array2<f64>) -> Heat {
        Heat {
            x_values: x.to_vec(),
            y_values: y.to_vec(),
            values,
            value_label: "error".to_owned(),
            overlay: Vec::new(),
        }
    }

    #[test]
    fn cells_meet_halfway_as_the_axis_is_spread() {
        let even = Cells::of(Scale::Linear, &[1.0, 2.0, 4.0], 3).unwrap();
        assert_eq!((even.span.from, even.span.to), (0.5, 5.0));
        assert_eq!(even.edges, [0.0, 1.0 / 4.5, 2.5 / 4.5, 1.0]);
        let decades = Cells::of(Scale::Log10, &[1.0, 10.0, 100.0], 3).unwrap();
        assert!(
            decades.edges.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert_eq!(Cells::of(Scale::Linear, &[7.0], 1).unwrap().edges, [0.0, 1.0]);
    }

    #[test]
    fn rows_go_up_and_values_follow_their_places_in_any_order() {
        let heat = heat(&[2.0, 1.0], &[10.0, 20.0], array![[1.0, 2.0], [3.0, 4.0]]);
        let grid = Grid::of(&heat, Scale::Linear, Scale::Linear).unwrap();
        let cells: Vec<((f64, f64), f64)> =
            grid.cells(&heat, PLOT).map(|(area, value)| ((area.left, area.top), value)).collect();
        let expected = [((0.0, 50.0), 2.0), ((50.0, 50.0), 1.0), ((0.0, 0.0), 4.0), ((50.0, 0.0), 3.0)];
        assert_eq!(cells, expected);
    }

    #[test]
    fn what_was_not_run_is_crossed_out_and_not_coloured() {
        let heat = heat(&[1.0, 2.0], &[1.0], array![[f64::NAN, 1e-3]]);
        let grid = Grid::of(&heat, Scale::Linear, Scale::Linear).unwrap();
        let mut canvas = Canvas::default();
        draw(&mut canvas, &heat, &grid, colour_span([&heat].into_iter()).as_ref(), &[], PLOT);
        let svg = canvas.finish("", 1.0, 1.0);
        assert_eq!(svg.matches(NOT_RUN.0).count(), 1);
        assert_eq!(svg.matches("stroke=\"#a0a0a0\"").count(), 1);
        assert!(has_gaps(&heat) && !svg.contains("NaN"));
    }

    #[test]
    fn colours_span_all_panels_from_the_lowest_to_the_highest() {
        let low = heat(&[1.0], &[1.0], array![[1e-5]]);
        let high = heat(&[1.0], &[1.0], array![[10.0]]);
        let span = colour_span([&low, &high].into_iter()).unwrap();
        assert!((span.fraction(1e-5)).abs() < 1e-12 && (span.fraction(10.0) - 1.0).abs() < 1e-12);
        assert_eq!(colour_span([&heat(&[1.0], &[1.0], array![[f64::NAN]])].into_iter()), None);
        let one = colour_span([&low].into_iter()).unwrap();
        assert!(Ticks::fitting(&one, Run::Up(200.0)).labelled.len() >= 2);
    }

    #[test]
    fn strips_without_a_place_and_values_without_a_strip_are_counted() {
        let values = Array2::from_elem((2, 3), 1.0);
        let fine = heat(&[1.0, 2.0, 3.0], &[1.0, 2.0], values.clone());
        assert_eq!(omissions(&fine, Scale::Linear, Scale::Log10), Omissions::default());
        let zero = heat(&[0.0, 2.0, 3.0], &[1.0, 2.0], values.clone());
        assert_eq!(omissions(&zero, Scale::Log10, Scale::Linear).strips, 1);
        let short = heat(&[1.0, 2.0], &[1.0, 2.0, f64::NAN], values);
        assert_eq!(omissions(&short, Scale::Linear, Scale::Linear).strips, 2);
        let solved = heat(&[1.0], &[1.0], array![[0.0]]);
        assert!(omissions(&solved, Scale::Linear, Scale::Linear).lowest_colour);
    }
}
