//! The layout of a chart: panels, legend, title and note.

use super::chart::{Chart, Heatmap, Marks, Panel, PlotLine};
use super::frame::{MARGIN, draw_note, draw_title};
use super::heat::{ColourBar, colour_range};
use super::legend::{Legend, LineNames};
use super::lines::{Omissions, axis_ranges};
use super::panel::PanelLayout;
use super::scale::AxisRange;
use super::svg::{Area, Canvas};

/// Gap between columns and between rows of panels.
const GAP: f64 = 16.0;
/// Smallest width of the chart.
const LEAST_WIDTH: f64 = 300.0;

/// Number of panels per row.
fn columns_for(panels: usize) -> usize {
    match panels {
        0 => 1,
        1..=4 => panels,
        5 | 6 | 9 => 3,
        _ => 4,
    }
}

/// Width and height of the plots, by the number of columns.
fn plot_size(columns: usize) -> (f64, f64) {
    match columns {
        1 => (460.0, 300.0),
        2 => (350.0, 260.0),
        3 => (255.0, 215.0),
        _ => (205.0, 190.0),
    }
}

/// A panel with its colour bar and legend.
struct PlacedPanel<'a> {
    prepared: PanelLayout<'a>,
    /// True if the y axis has a label; false if the left neighbour has the same label.
    labelled: bool,
    colours: Option<AxisRange>,
    bar: Option<ColourBar>,
    /// Its own legend, if panels do not share one.
    legend: Legend,
}

fn heat(panel: &Panel) -> Option<&Heatmap> {
    match &panel.marks {
        Marks::Heatmap(heat) => Some(heat),
        Marks::Lines(_) => None,
    }
}

fn lines(panel: &Panel) -> &[PlotLine] {
    match &panel.marks {
        Marks::Lines(lines) => lines,
        Marks::Heatmap(_) => &[],
    }
}

fn overlay(panel: &Panel) -> &[PlotLine] {
    heat(panel).map_or(&[], |heat| &heat.overlay)
}

/// The range of y values of all lines, if the panels share it.
fn shared_y(chart: &Chart) -> Option<AxisRange> {
    let ranges =
        chart.panels.iter().filter_map(|panel| axis_ranges(lines(panel), panel.x.scale, panel.y.scale));
    let ranges = ranges.map(|(_, y)| y);
    let wider = |a: AxisRange, b: AxisRange| AxisRange { from: a.from.min(b.from), to: a.to.max(b.to), ..a };
    ranges.reduce(wider).filter(|_| chart.shared_y)
}

/// The colour range over all panels with the same value label.
fn colours_of(panel: &Panel, all: &[Panel]) -> Option<AxisRange> {
    let label = &heat(panel)?.value_label;
    colour_range(all.iter().filter_map(heat).filter(|other| other.value_label == *label))
}

/// The whole chart as SVG.
pub(super) fn draw_chart(chart: &Chart) -> String {
    let columns = columns_for(chart.panels.len());
    let plot = plot_size(columns);
    let names = LineNames::of(chart.panels.iter().flat_map(lines));
    let overlays = LineNames::of(chart.panels.iter().flat_map(overlay));
    let whole = Legend::of(chart.panels.iter(), &names, &overlays);
    let own = |panel| Legend::of(std::iter::once(panel), &names, &overlays);
    // A panel without some of the lines needs no legend of its own.
    let shared = is_heat_only(chart) || chart.panels.iter().any(|panel| own(panel).same_names(&whole));
    let cell = |(i, panel)| {
        let legend = if shared { Legend::default() } else { own(panel) };
        PlacedPanel { legend, ..PlacedPanel::of(chart, i, columns) }
    };
    let cells = chart.panels.iter().enumerate().map(cell).collect();
    let legend = if shared { whole } else { Legend::default() };
    ChartLayout { chart, cells, columns, plot, names, overlays, legend }.draw()
}

/// Overlays and cells that were not run look the same in all panels, so the legend is shared.
fn is_heat_only(chart: &Chart) -> bool {
    chart.panels.iter().all(|panel| heat(panel).is_some())
}

impl<'a> PlacedPanel<'a> {
    /// The panel at an index, without labels that its neighbours have.
    fn of(chart: &'a Chart, number: usize, columns: usize) -> Self {
        let panel = &chart.panels[number];
        let (width, height) = plot_size(columns);
        let before = (!number.is_multiple_of(columns)).then(|| &chart.panels[number - 1]);
        let after = chart.panels.get(number + 1).filter(|_| !(number + 1).is_multiple_of(columns));
        let measured = |panel: &'a Panel| heat(panel).map(|heat| &heat.value_label);
        let colours = colours_of(panel, &chart.panels);
        let bar = measured(panel).zip(colours).filter(|_| after.and_then(measured) != measured(panel));
        Self {
            prepared: PanelLayout::of(panel, width, height, shared_y(chart)),
            labelled: before.is_none_or(|before| before.y.label != panel.y.label),
            colours,
            bar: bar.map(|(label, range)| ColourBar::of(range, label, height)),
            legend: Legend::default(),
        }
    }
}

struct ChartLayout<'a> {
    chart: &'a Chart,
    cells: Vec<PlacedPanel<'a>>,
    columns: usize,
    plot: (f64, f64),
    names: LineNames,
    overlays: LineNames,
    legend: Legend,
}

impl ChartLayout<'_> {
    /// The largest extent over the panels of a column.
    fn of_column(&self, column: usize, extent: impl Fn(&PlacedPanel<'_>) -> f64) -> f64 {
        self.cells.iter().skip(column).step_by(self.columns).map(extent).fold(0.0, f64::max)
    }

    fn draw(&self) -> String {
        let mut canvas = Canvas::default();
        // Left edges of the plots, by column.
        let mut lefts = Vec::new();
        let mut right = MARGIN;
        for column in 0..self.columns {
            let before = self.of_column(column, |cell| cell.prepared.left(cell.labelled));
            let bar = |cell: &PlacedPanel<'_>| cell.bar.as_ref().map_or(0.0, ColourBar::width);
            let after = self.of_column(column, |cell| cell.prepared.right(self.plot.0).max(bar(cell)));
            lefts.push(right + before);
            right += before + self.plot.0 + after + GAP;
        }
        let width = (right - GAP + MARGIN).max(LEAST_WIDTH);
        let mut top = draw_title(&mut canvas, &self.chart.title, width);
        for row in self.cells.chunks(self.columns) {
            top = self.draw_row(&mut canvas, row, &lefts, top);
        }
        let start = lefts.first().copied().filter(|_| !self.cells.is_empty()).unwrap_or(MARGIN);
        let extent = width - MARGIN - start;
        self.legend.draw(&mut canvas, start, top, extent);
        top += self.legend.height(extent) + 6.0;
        top = draw_note(&mut canvas, &self.note(), width, top);
        canvas.finish(&self.chart.title, width, top + MARGIN)
    }

    /// Draws a row of panels and returns its lower edge.
    fn draw_row(&self, canvas: &mut Canvas, row: &[PlacedPanel<'_>], lefts: &[f64], top: f64) -> f64 {
        let most = |extent: &dyn Fn(&PlacedPanel<'_>) -> f64| row.iter().map(extent).fold(0.0, f64::max);
        let plot_top = top + most(&|cell| cell.prepared.top()) + 4.0;
        let below = plot_top + self.plot.1 + most(&|cell| cell.prepared.bottom());
        for (cell, &left) in row.iter().zip(lefts) {
            let plot = Area { left, top: plot_top, width: self.plot.0, height: self.plot.1 };
            let names = (&self.names, &self.overlays);
            cell.prepared.draw(canvas, plot, cell.labelled, names, cell.colours.as_ref());
            if let Some(bar) = &cell.bar {
                bar.draw(canvas, plot);
            }
            cell.legend.draw(canvas, left, below, self.plot.0);
        }
        below + most(&|cell| cell.legend.height(self.plot.0)) + GAP / 2.0
    }

    /// The chart's note and the notes on omitted data.
    fn note(&self) -> String {
        let mut all = Omissions::default();
        for cell in &self.cells {
            let of = cell.prepared.omissions();
            all.at_edge |= of.at_edge;
            all.lowest_colour |= of.lowest_colour;
            all.points += of.points;
            all.strips += of.strips;
        }
        let given = self.chart.note.iter().cloned();
        given.chain(all.sentences()).collect::<Vec<_>>().join(" ")
    }
}
