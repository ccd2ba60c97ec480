//! Where the panels, the legend and the texts of a chart stand.

use super::chart::{Chart, Heat, Line, Marks, Panel};
use super::heat::{Bar, colour_span};
use super::legend::{Legend, Names};
use super::lines::Omissions;
use super::page::{MARGIN, draw_note, draw_title};
use super::panel::Prepared;
use super::scale::Span;
use super::svg::{Area, Canvas};

/// Between columns and between rows of panels.
const GAP: f64 = 16.0;
/// Texts are not broken to less than this, however narrow the panels are.
const LEAST_WIDTH: f64 = 300.0;

/// How many panels stand in a row: as few short rows as there can be.
fn columns_for(panels: usize) -> usize {
    match panels {
        0 => 1,
        1..=4 => panels,
        5 | 6 | 9 => 3,
        _ => 4,
    }
}

/// Width and height of plots that share a row with so many.
fn plot_size(columns: usize) -> (f64, f64) {
    match columns {
        1 => (460.0, 300.0),
        2 => (350.0, 260.0),
        3 => (255.0, 215.0),
        _ => (205.0, 190.0),
    }
}

/// A panel in its place, with what stands around it.
struct Cell<'a> {
    prepared: Prepared<'a>,
    /// Whether the axis at its left is named; not where the neighbour has said it.
    labelled: bool,
    colours: Option<Span>,
    bar: Option<Bar>,
    /// Its own legend, where panels do not share one.
    legend: Legend,
}

fn heat(panel: &Panel) -> Option<&Heat> {
    match &panel.marks {
        Marks::Heat(heat) => Some(heat),
        Marks::Lines(_) => None,
    }
}

fn lines(panel: &Panel) -> &[Line] {
    match &panel.marks {
        Marks::Lines(lines) => lines,
        Marks::Heat(_) => &[],
    }
}

fn overlay(panel: &Panel) -> &[Line] {
    heat(panel).map_or(&[], |heat| &heat.overlay)
}

/// The colours of a panel are those of all that measure the same.
fn colours_of(panel: &Panel, all: &[Panel]) -> Option<Span> {
    let label = &heat(panel)?.value_label;
    colour_span(all.iter().filter_map(heat).filter(|other| other.value_label == *label))
}

/// The whole chart as SVG.
pub(super) fn draw_chart(chart: &Chart) -> String {
    let columns = columns_for(chart.panels.len());
    let plot = plot_size(columns);
    let names = Names::of(chart.panels.iter().flat_map(lines));
    let overlays = Names::of(chart.panels.iter().flat_map(overlay));
    let whole = Legend::of(chart.panels.iter(), &names, &overlays);
    let own = |panel| Legend::of(std::iter::once(panel), &names, &overlays);
    // A panel in which some of the lines are missing needs no legend of its own.
    let shared = is_heat_only(chart) || chart.panels.iter().any(|panel| own(panel).same_names(&whole));
    let cell = |(i, panel)| {
        let legend = if shared { Legend::default() } else { own(panel) };
        Cell { legend, ..Cell::of(chart, i, columns) }
    };
    let cells = chart.panels.iter().enumerate().map(cell).collect();
    let legend = if shared { whole } else { Legend::default() };
    Layout { chart, cells, columns, plot, names, overlays, legend }.draw()
}

/// Lines over cells and cells that were not run are rarely in all panels, and look the same wherever they are.
fn is_heat_only(chart: &Chart) -> bool {
    chart.panels.iter().all(|panel| heat(panel).is_some())
}

impl<'a> Cell<'a> {
    /// The so-many-th panel, which leaves out what its neighbours say.
    fn of(chart: &'a Chart, number: usize, columns: usize) -> Self {
        let panel = &chart.panels[number];
        let (width, height) = plot_size(columns);
        let before = (!number.is_multiple_of(columns)).then(|| &chart.panels[number - 1]);
        let after = chart.panels.get(number + 1).filter(|_| !(number + 1).is_multiple_of(columns));
        let measured = |panel: &'a Panel| heat(panel).map(|heat| &heat.value_label);
        let colours = colours_of(panel, &chart.panels);
        let bar = measured(panel).zip(colours).filter(|_| after.and_then(measured) != measured(panel));
        Self {
            prepared: Prepared::of(panel, width, height),
            labelled: before.is_none_or(|before| before.y.label != panel.y.label),
            colours,
            bar: bar.map(|(label, span)| Bar::of(span, label, height)),
            legend: Legend::default(),
        }
    }
}

struct Layout<'a> {
    chart: &'a Chart,
    cells: Vec<Cell<'a>>,
    columns: usize,
    plot: (f64, f64),
    names: Names,
    overlays: Names,
    legend: Legend,
}

impl Layout<'_> {
    /// The largest of something over the panels of a column.
    fn of_column(&self, column: usize, room: impl Fn(&Cell<'_>) -> f64) -> f64 {
        self.cells.iter().skip(column).step_by(self.columns).map(room).fold(0.0, f64::max)
    }

    fn draw(&self) -> String {
        let mut canvas = Canvas::default();
        // Where plots start from the left, column by column.
        let mut lefts = Vec::new();
        let mut right = MARGIN;
        for column in 0..self.columns {
            let before = self.of_column(column, |cell| cell.prepared.left(cell.labelled));
            let bar = |cell: &Cell<'_>| cell.bar.as_ref().map_or(0.0, Bar::width);
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
        let room = width - MARGIN - start;
        self.legend.draw(&mut canvas, start, top, room);
        top += self.legend.height(room) + 6.0;
        top = draw_note(&mut canvas, &self.note(), width, top);
        canvas.finish(&self.chart.title, width, top + MARGIN)
    }

    /// Draws a row of panels from the top down, and says where it ends.
    fn draw_row(&self, canvas: &mut Canvas, row: &[Cell<'_>], lefts: &[f64], top: f64) -> f64 {
        let most = |room: &dyn Fn(&Cell<'_>) -> f64| row.iter().map(room).fold(0.0, f64::max);
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

    /// What the chart was given to say, and what it has to say itself.
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
