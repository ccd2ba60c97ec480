//! Heatmap cells and their colour bar.

use super::chart::Heatmap;
use super::label::TICK_FONT;
use super::lines::{DASHES, Omissions, centre_segments};
use super::palette::{Style, cell_colour};
use super::scale::{AxisRange, AxisScale, Placement};
use super::svg::{Anchor, Area, Canvas, FAINT_INK, INK, number, path};
use super::ticks::{AxisLength, Ticks};

/// Background and stroke of cells that were not run.
const NOT_RUN: (&str, &str) = ("#ececec", "#a0a0a0");
const BAR_WIDTH: f64 = 13.0;
const BAR_STEPS: usize = 64;
/// Gaps between plot and bar, bar and labels, labels and name.
const BAR_GAPS: (f64, f64, f64) = (12.0, 7.0, 6.0);

/// The cells along one axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AxisCells {
    /// Indices of the rows or columns, in axis order.
    order: Vec<usize>,
    /// The values of the cells.
    pub(super) values: Vec<f64>,
    /// Edges of the cells, as fractions of the axis.
    edges: Vec<f64>,
    /// From the first edge to the last.
    pub(super) range: AxisRange,
}

impl AxisCells {
    /// Cells with edges halfway between their values, in axis units; the outermost are symmetric. `None` if no value is
    /// drawable.
    fn of(scale: AxisScale, given: &[f64], available: usize) -> Option<Self> {
        let mut order: Vec<usize> = (0..given.len().min(available))
            .filter(|&i| scale.placement(given[i]) == Placement::Within)
            .collect();
        order.sort_by(|&a, &b| given[a].total_cmp(&given[b]));
        let positions: Vec<f64> = order.iter().map(|&i| scale.forward(given[i])).collect();
        let (&first, &last) = (positions.first()?, positions.last()?);
        let mut edges: Vec<f64> = positions.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
        let half = |edge: Option<&f64>, position: f64| {
            edge.map(|edge| (edge - position).abs()).filter(|&half| half > 0.0).unwrap_or(0.5)
        };
        let (before, after) = (half(edges.first(), first), half(edges.last(), last));
        edges.insert(0, first - before);
        edges.push(last + after);
        let range = AxisRange { scale, from: edges[0], to: edges[edges.len() - 1] };
        for edge in &mut edges {
            *edge = (*edge - range.from) / (range.to - range.from);
        }
        Some(Self { values: order.iter().map(|&i| given[i]).collect(), order, edges, range })
    }
}

/// The cells of a panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellGrid {
    pub(super) x: AxisCells,
    pub(super) y: AxisCells,
}

impl CellGrid {
    pub(super) fn of(heat: &Heatmap, x: AxisScale, y: AxisScale) -> Option<Self> {
        let (rows, columns) = heat.values.dim();
        Some(Self {
            x: AxisCells::of(x, &heat.x_values, columns)?,
            y: AxisCells::of(y, &heat.y_values, rows)?,
        })
    }

    /// Every cell in pixels, with its value.
    fn cells<'a>(&'a self, heat: &'a Heatmap, plot: Area) -> impl Iterator<Item = (Area, f64)> + 'a {
        let edges = |cells: &'a AxisCells| cells.order.iter().zip(cells.edges.windows(2));
        edges(&self.y).flat_map(move |(&row, y)| {
            edges(&self.x).map(move |(&column, x)| {
                let ((left, bottom), (right, top)) = (plot.at(x[0], y[0]), plot.at(x[1], y[1]));
                let area = Area { left, top, width: right - left, height: bottom - top };
                (area, heat.values[(row, column)])
            })
        })
    }
}

/// Counts the cells that are omitted or drawn at an edge.
pub(super) fn omissions(heat: &Heatmap, x: AxisScale, y: AxisScale) -> Omissions {
    let (rows, columns) = heat.values.dim();
    let drawn = CellGrid::of(heat, x, y).map_or((0, 0), |grid| (grid.y.order.len(), grid.x.order.len()));
    let given = (heat.y_values.len().max(rows), heat.x_values.len().max(columns));
    Omissions {
        lowest_colour: heat.values.iter().any(|&v| AxisScale::Log10.placement(v) == Placement::AtLowerEdge),
        strips: (given.0 - drawn.0) + (given.1 - drawn.1),
        ..Omissions::default()
    }
}

/// True if some cell was not run.
pub(super) fn has_gaps(heat: &Heatmap) -> bool {
    heat.values.iter().any(|&v| AxisScale::Log10.placement(v) == Placement::NotDrawable)
}

/// The range from the smallest to the largest value, extended if it has too few ticks.
pub(super) fn colour_range<'a>(heats: impl Iterator<Item = &'a Heatmap>) -> Option<AxisRange> {
    let within = |value: &f64| AxisScale::Log10.placement(*value) == Placement::Within;
    let values: Vec<f64> = heats.flat_map(|heat| heat.values.iter().copied().filter(within)).collect();
    let exact = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).map(f64::log10);
    let (from, to) = (exact(f64::min)?, exact(f64::max)?);
    if to.floor() - from.ceil() >= 1.0 {
        Some(AxisRange { scale: AxisScale::Log10, from, to })
    } else {
        AxisRange::around(AxisScale::Log10, values.into_iter())
    }
}

/// Draws the cells and the lines over them.
pub(super) fn draw(
    canvas: &mut Canvas,
    heat: &Heatmap,
    grid: &CellGrid,
    colours: Option<&AxisRange>,
    overlay: &[(Style, &super::PlotLine)],
    plot: Area,
) {
    // Prevents hairlines between cells.
    canvas.open("g", &[("shape-rendering", "crispEdges")]);
    let mut gaps = Vec::new();
    for (area, value) in grid.cells(heat, plot) {
        match colours.filter(|_| AxisScale::Log10.placement(value) != Placement::NotDrawable) {
            Some(range) => canvas.rectangle(area, &cell_colour(range.fraction(value)), &[]),
            None => gaps.push(area),
        }
    }
    canvas.close("g");
    for area in gaps {
        draw_not_run(canvas, area);
    }
    let inside = Area { left: 0.0, top: 0.0, ..plot };
    let [left, top, width, height] = [plot.left, plot.top, plot.width, plot.height].map(number);
    // A nested SVG clips the lines.
    canvas.open("svg", &[("x", &left), ("y", &top), ("width", &width), ("height", &height)]);
    for (style, line) in overlay {
        for segment in centre_segments(line, &grid.x.range, &grid.y.range, inside) {
            draw_over_cells(canvas, *style, line.dashed, &segment);
        }
    }
    canvas.close("svg");
}

/// Draws a line that is visible on light and dark cells.
pub(super) fn draw_over_cells(canvas: &mut Canvas, style: Style, dashed: bool, segment: &[(f64, f64)]) {
    let dashes: &[_] = if dashed { &[("stroke-dasharray", DASHES)] } else { &[] };
    canvas.stroke(&path(segment), "#000000", 3.6, &[]);
    canvas.stroke(&path(segment), style.colour_over_cells(), 1.8, dashes);
}

/// Draws a grey, crossed-out cell.
pub(super) fn draw_not_run(canvas: &mut Canvas, area: Area) {
    canvas.rectangle(area, NOT_RUN.0, &[("shape-rendering", "crispEdges")]);
    let diagonal = path(&[(area.left, area.bottom()), (area.right(), area.top)]);
    canvas.stroke(&diagonal, NOT_RUN.1, 0.8, &[]);
}

/// The colour bar of a plot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColourBar {
    range: AxisRange,
    ticks: Ticks,
    label: String,
    height: f64,
}

impl ColourBar {
    pub(super) fn of(range: AxisRange, label: &str, height: f64) -> Self {
        Self {
            range,
            ticks: Ticks::fitting(&range, AxisLength::Vertical(height)),
            label: label.to_owned(),
            height,
        }
    }

    /// Its width, including gaps and labels.
    pub(super) fn width(&self) -> f64 {
        BAR_GAPS.0 + BAR_WIDTH + BAR_GAPS.1 + self.widest_label() + BAR_GAPS.2 + TICK_FONT.line_height()
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
            canvas.label(
                &tick.label,
                (x + BAR_GAPS.1, y + TICK_FONT.baseline_shift()),
                Anchor::Start,
                TICK_FONT,
            );
        }
        let name_at = bar.right() + BAR_GAPS.1 + self.widest_label() + BAR_GAPS.2 + TICK_FONT.size;
        let name = TICK_FONT.truncated(&self.label, self.height);
        canvas.upward_text(&name, (name_at, bar.centre().1), TICK_FONT, FAINT_INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    const PLOT: Area = Area { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };

    fn heat(x: &[f64], y: &[f64], values: Array2<f64>) -> Heatmap {
        Heatmap {
            x_values: x.to_vec(),
            y_values: y.to_vec(),
            values,
            value_label: "error".to_owned(),
            overlay: Vec::new(),
        }
    }

    #[test]
    fn cells_meet_halfway_in_axis_units() {
        let even = AxisCells::of(AxisScale::Linear, &[1.0, 2.0, 4.0], 3).unwrap();
        assert_eq!((even.range.from, even.range.to), (0.5, 5.0));
        assert_eq!(even.edges, [0.0, 1.0 / 4.5, 2.5 / 4.5, 1.0]);
        let decades = AxisCells::of(AxisScale::Log10, &[1.0, 10.0, 100.0], 3).unwrap();
        assert!(
            decades.edges.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert_eq!(AxisCells::of(AxisScale::Linear, &[7.0], 1).unwrap().edges, [0.0, 1.0]);
    }

    #[test]
    fn rows_go_up_and_values_may_be_in_any_order() {
        let heat = heat(&[2.0, 1.0], &[10.0, 20.0], array![[1.0, 2.0], [3.0, 4.0]]);
        let grid = CellGrid::of(&heat, AxisScale::Linear, AxisScale::Linear).unwrap();
        let cells: Vec<((f64, f64), f64)> =
            grid.cells(&heat, PLOT).map(|(area, value)| ((area.left, area.top), value)).collect();
        let expected = [((0.0, 50.0), 2.0), ((50.0, 50.0), 1.0), ((0.0, 0.0), 4.0), ((50.0, 0.0), 3.0)];
        assert_eq!(cells, expected);
    }

    #[test]
    fn cells_that_were_not_run_are_crossed_out_and_not_coloured() {
        let heat = heat(&[1.0, 2.0], &[1.0], array![[f64::NAN, 1e-3]]);
        let grid = CellGrid::of(&heat, AxisScale::Linear, AxisScale::Linear).unwrap();
        let mut canvas = Canvas::default();
        draw(&mut canvas, &heat, &grid, colour_range([&heat].into_iter()).as_ref(), &[], PLOT);
        let svg = canvas.finish("", 1.0, 1.0);
        assert_eq!(svg.matches(NOT_RUN.0).count(), 1);
        assert_eq!(svg.matches("stroke=\"#a0a0a0\"").count(), 1);
        assert!(has_gaps(&heat) && !svg.contains("NaN"));
    }

    #[test]
    fn colours_cover_all_panels_from_the_lowest_to_the_highest_value() {
        let low = heat(&[1.0], &[1.0], array![[1e-5]]);
        let high = heat(&[1.0], &[1.0], array![[10.0]]);
        let range = colour_range([&low, &high].into_iter()).unwrap();
        assert!((range.fraction(1e-5)).abs() < 1e-12 && (range.fraction(10.0) - 1.0).abs() < 1e-12);
        assert_eq!(colour_range([&heat(&[1.0], &[1.0], array![[f64::NAN]])].into_iter()), None);
        let one = colour_range([&low].into_iter()).unwrap();
        assert!(Ticks::fitting(&one, AxisLength::Vertical(200.0)).labelled.len() >= 2);
    }

    #[test]
    fn rows_and_columns_without_a_position_or_values_are_counted() {
        let values = Array2::from_elem((2, 3), 1.0);
        let fine = heat(&[1.0, 2.0, 3.0], &[1.0, 2.0], values.clone());
        assert_eq!(omissions(&fine, AxisScale::Linear, AxisScale::Log10), Omissions::default());
        let zero = heat(&[0.0, 2.0, 3.0], &[1.0, 2.0], values.clone());
        assert_eq!(omissions(&zero, AxisScale::Log10, AxisScale::Linear).strips, 1);
        let short = heat(&[1.0, 2.0], &[1.0, 2.0, f64::NAN], values);
        assert_eq!(omissions(&short, AxisScale::Linear, AxisScale::Linear).strips, 2);
        let solved = heat(&[1.0], &[1.0], array![[0.0]]);
        assert!(omissions(&solved, AxisScale::Linear, AxisScale::Linear).lowest_colour);
    }
}
