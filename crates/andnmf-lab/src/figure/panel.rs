//! One plot with its frame, ticks and labels.

use super::chart::{Axis, Marks, Panel};
use super::heat::{self, Grid};
use super::label::TICK_FACE;
use super::legend::Names;
use super::lines::{self, Omissions};
use super::scale::Span;
use super::svg::{Anchor, Area, Canvas, FAINT_INK, GRID, INK, path};
use super::text::Face;
use super::ticks::{Run, Ticks};

const TITLE_FACE: Face = Face::bold(12.5);
const LABEL_FACE: Face = Face::plain(12.0);
const TICK: f64 = 5.0;
const MINOR_TICK: f64 = 3.0;
const TICK_GAP: f64 = 3.0;

/// A panel with all that has to be known before there is a place for it.
pub(super) struct Prepared<'a> {
    panel: &'a Panel,
    content: Content<'a>,
    x: Ticks,
    y: Ticks,
    title: Vec<String>,
    x_label: Vec<String>,
}

enum Content<'a> {
    Nothing,
    Lines { lines: &'a [super::Line], x: Span, y: Span },
    Cells { heat: &'a super::Heat, grid: Grid },
}

impl<'a> Prepared<'a> {
    /// The panel in a plot so wide and so high.
    pub(super) fn of(panel: &'a Panel, width: f64, height: f64) -> Self {
        let (across, up) = (Run::Across(width), Run::Up(height));
        let (content, x, y) = match &panel.marks {
            Marks::Lines(lines) => match lines::spans(lines, panel.x.scale, panel.y.scale) {
                Some((x, y)) => {
                    let ticks = (Ticks::fitting(&x, across), Ticks::fitting(&y, up));
                    (Content::Lines { lines, x, y }, ticks.0, ticks.1)
                }
                None => (Content::Nothing, Ticks::default(), Ticks::default()),
            },
            Marks::Heat(heat) => match Grid::of(heat, panel.x.scale, panel.y.scale) {
                Some(grid) => {
                    let x = Ticks::of_cells(&grid.x.span, &grid.x.values, across);
                    let y = Ticks::of_cells(&grid.y.span, &grid.y.values, up);
                    (Content::Cells { heat, grid }, x, y)
                }
                None => (Content::Nothing, Ticks::default(), Ticks::default()),
            },
        };
        let title = TITLE_FACE.wrapped(&panel.title, width);
        let x_label = LABEL_FACE.wrapped(&panel.x.label, width);
        Self { panel, content, x, y, title, x_label }
    }

    /// What does not stand where it should.
    pub(super) fn omissions(&self) -> Omissions {
        let Panel { x: Axis { scale: x, .. }, y: Axis { scale: y, .. }, marks, .. } = self.panel;
        match marks {
            Marks::Lines(lines) => lines::omissions(lines, *x, *y),
            Marks::Heat(heat) => heat::omissions(heat, *x, *y),
        }
    }

    /// Workspace above the plot.
    pub(super) fn top(&self) -> f64 {
        6.0 + self.title.len() as f64 * TITLE_FACE.line_height()
    }

    /// Workspace below the plot.
    pub(super) fn bottom(&self) -> f64 {
        let ticks = TICK + TICK_GAP + TICK_FACE.line_height();
        ticks + 4.0 + self.x_label.len() as f64 * LABEL_FACE.line_height()
    }

    /// Workspace left of the plot, with or without the label of the axis there.
    pub(super) fn left(&self, labelled: bool) -> f64 {
        let label =
            if labelled && !self.panel.y.label.is_empty() { LABEL_FACE.line_height() + 4.0 } else { 0.0 };
        self.tick_room() + label
    }

    fn tick_room(&self) -> f64 {
        TICK + TICK_GAP + self.y.labelled.iter().map(|tick| tick.label.width()).fold(0.0, f64::max)
    }

    /// Workspace right of the plot into which the last label below it reaches.
    pub(super) fn right(&self, width: f64) -> f64 {
        let beyond = |tick: &super::ticks::Tick| tick.label.width() / 2.0 - (1.0 - tick.fraction) * width;
        self.x.labelled.iter().map(beyond).fold(4.0, f64::max)
    }

    /// Draws all of it; `colours` are those of cells.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        plot: Area,
        labelled: bool,
        names: (&Names, &Names),
        colours: Option<&Span>,
    ) {
        for (i, line) in self.title.iter().enumerate() {
            let up = (self.title.len() - i - 1) as f64 * TITLE_FACE.line_height();
            canvas.text(line, (plot.middle().0, plot.top - 8.0 - up), Anchor::Middle, TITLE_FACE, INK);
        }
        match &self.content {
            Content::Nothing => {
                let (x, y) = plot.middle();
                canvas.text("no data", (x, y + LABEL_FACE.drop()), Anchor::Middle, LABEL_FACE, FAINT_INK);
            }
            Content::Lines { lines, x, y } => {
                self.draw_grid(canvas, plot);
                lines::draw(canvas, &names.0.styled(lines), x, y, plot);
            }
            Content::Cells { heat, grid } => {
                heat::draw(canvas, heat, grid, colours, &names.1.styled(&heat.overlay), plot);
            }
        }
        self.draw_frame(canvas, plot);
        self.draw_labels(canvas, plot, labelled);
    }

    fn draw_grid(&self, canvas: &mut Canvas, plot: Area) {
        let across =
            self.x.labelled.iter().map(|tick| [plot.at(tick.fraction, 0.0), plot.at(tick.fraction, 1.0)]);
        let up =
            self.y.labelled.iter().map(|tick| [plot.at(0.0, tick.fraction), plot.at(1.0, tick.fraction)]);
        let lines: String = across.chain(up).map(|ends| path(&ends)).collect();
        if !lines.is_empty() {
            canvas.stroke(&lines, GRID, 0.8, &[]);
        }
    }

    fn draw_frame(&self, canvas: &mut Canvas, plot: Area) {
        canvas.rectangle(plot, "none", &[("stroke", INK), ("stroke-width", "0.9")]);
        let below = |fraction: f64, length: f64| {
            let (x, y) = plot.at(fraction, 0.0);
            path(&[(x, y), (x, y + length)])
        };
        let beside = |fraction: f64, length: f64| {
            let (x, y) = plot.at(0.0, fraction);
            path(&[(x, y), (x - length, y)])
        };
        let mut ticks = String::new();
        ticks.extend(self.x.minor.iter().map(|&fraction| below(fraction, MINOR_TICK)));
        ticks.extend(self.x.labelled.iter().map(|tick| below(tick.fraction, TICK)));
        ticks.extend(self.y.minor.iter().map(|&fraction| beside(fraction, MINOR_TICK)));
        ticks.extend(self.y.labelled.iter().map(|tick| beside(tick.fraction, TICK)));
        if !ticks.is_empty() {
            canvas.stroke(&ticks, INK, 0.9, &[]);
        }
    }

    fn draw_labels(&self, canvas: &mut Canvas, plot: Area, labelled: bool) {
        for tick in &self.x.labelled {
            let (x, y) = plot.at(tick.fraction, 0.0);
            let baseline = y + TICK + TICK_GAP + 0.85 * TICK_FACE.size;
            canvas.label(&tick.label, (x, baseline), Anchor::Middle, TICK_FACE);
        }
        for tick in &self.y.labelled {
            let (x, y) = plot.at(0.0, tick.fraction);
            canvas.label(&tick.label, (x - TICK - TICK_GAP, y + TICK_FACE.drop()), Anchor::End, TICK_FACE);
        }
        let first = plot.bottom() + TICK + TICK_GAP + TICK_FACE.line_height() + LABEL_FACE.size + 2.0;
        for (i, line) in self.x_label.iter().enumerate() {
            let baseline = first + i as f64 * LABEL_FACE.line_height();
            canvas.text(line, (plot.middle().0, baseline), Anchor::Middle, LABEL_FACE, INK);
        }
        if labelled {
            // A little longer than the plot is no harm: nothing else stands there.
            let label = LABEL_FACE.shortened(&self.panel.y.label, plot.height + 30.0);
            let x = plot.left - self.tick_room() - 8.0;
            canvas.upward_text(&label, (x, plot.middle().1), LABEL_FACE, INK);
        }
    }
}
