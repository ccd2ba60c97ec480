//! One plot with its frame, ticks and labels.

use super::chart::{Axis, Marks, Panel};
use super::heat::{self, CellGrid};
use super::label::TICK_FONT;
use super::legend::LineNames;
use super::lines::{self, Omissions};
use super::scale::AxisRange;
use super::svg::{Anchor, Area, Canvas, FAINT_INK, GRID, INK, path};
use super::text::Font;
use super::ticks::{AxisLength, Ticks};

const TITLE_FONT: Font = Font::bold(12.5);
const LABEL_FONT: Font = Font::plain(12.0);
const TICK: f64 = 5.0;
const MINOR_TICK: f64 = 3.0;
const TICK_GAP: f64 = 3.0;

/// A panel with its ticks and wrapped labels, before it is positioned.
pub(super) struct PanelLayout<'a> {
    panel: &'a Panel,
    content: Content<'a>,
    x: Ticks,
    y: Ticks,
    title: Vec<String>,
    x_label: Vec<String>,
}

enum Content<'a> {
    Nothing,
    Lines { lines: &'a [super::PlotLine], x: AxisRange, y: AxisRange },
    Cells { heat: &'a super::Heatmap, grid: CellGrid },
}

impl<'a> PanelLayout<'a> {
    /// Prepares a panel for a plot of this size; `shared_y` replaces the range of its own lines.
    pub(super) fn of(panel: &'a Panel, width: f64, height: f64, shared_y: Option<AxisRange>) -> Self {
        let (horizontal, vertical) = (AxisLength::Horizontal(width), AxisLength::Vertical(height));
        let (content, x, y) = match &panel.marks {
            Marks::Lines(lines) => match lines::axis_ranges(lines, panel.x.scale, panel.y.scale) {
                Some((x, own_y)) => {
                    let y = shared_y.filter(|range| range.scale == own_y.scale).unwrap_or(own_y);
                    let ticks = (Ticks::fitting(&x, horizontal), Ticks::fitting(&y, vertical));
                    (Content::Lines { lines, x, y }, ticks.0, ticks.1)
                }
                None => (Content::Nothing, Ticks::default(), Ticks::default()),
            },
            Marks::Heatmap(heat) => match CellGrid::of(heat, panel.x.scale, panel.y.scale) {
                Some(grid) => {
                    let x = Ticks::of_cells(&grid.x.range, &grid.x.values, horizontal);
                    let y = Ticks::of_cells(&grid.y.range, &grid.y.values, vertical);
                    (Content::Cells { heat, grid }, x, y)
                }
                None => (Content::Nothing, Ticks::default(), Ticks::default()),
            },
        };
        let title = TITLE_FONT.wrapped(&panel.title, width);
        let x_label = LABEL_FONT.wrapped(&panel.x.label, width);
        Self { panel, content, x, y, title, x_label }
    }

    /// The data that are omitted or drawn at an edge.
    pub(super) fn omissions(&self) -> Omissions {
        let Panel { x: Axis { scale: x, .. }, y: Axis { scale: y, .. }, marks, .. } = self.panel;
        match marks {
            Marks::Lines(lines) => lines::omissions(lines, *x, *y),
            Marks::Heatmap(heat) => heat::omissions(heat, *x, *y),
        }
    }

    /// Space above the plot.
    pub(super) fn top(&self) -> f64 {
        6.0 + self.title.len() as f64 * TITLE_FONT.line_height()
    }

    /// Space below the plot.
    pub(super) fn bottom(&self) -> f64 {
        let ticks = TICK + TICK_GAP + TICK_FONT.line_height();
        ticks + 4.0 + self.x_label.len() as f64 * LABEL_FONT.line_height()
    }

    /// Space left of the plot, with or without the label of the y axis.
    pub(super) fn left(&self, labelled: bool) -> f64 {
        let label =
            if labelled && !self.panel.y.label.is_empty() { LABEL_FONT.line_height() + 4.0 } else { 0.0 };
        self.tick_space() + label
    }

    fn tick_space(&self) -> f64 {
        TICK + TICK_GAP + self.y.labelled.iter().map(|tick| tick.label.width()).fold(0.0, f64::max)
    }

    /// Space right of the plot for the last x label.
    pub(super) fn right(&self, width: f64) -> f64 {
        let beyond = |tick: &super::ticks::Tick| tick.label.width() / 2.0 - (1.0 - tick.fraction) * width;
        self.x.labelled.iter().map(beyond).fold(4.0, f64::max)
    }

    /// Draws the panel; `colours` is the colour range of cells.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        plot: Area,
        labelled: bool,
        names: (&LineNames, &LineNames),
        colours: Option<&AxisRange>,
    ) {
        for (i, line) in self.title.iter().enumerate() {
            let vertical = (self.title.len() - i - 1) as f64 * TITLE_FONT.line_height();
            canvas.text(line, (plot.centre().0, plot.top - 8.0 - vertical), Anchor::Middle, TITLE_FONT, INK);
        }
        match &self.content {
            Content::Nothing => {
                let (x, y) = plot.centre();
                canvas.text(
                    "no data",
                    (x, y + LABEL_FONT.baseline_shift()),
                    Anchor::Middle,
                    LABEL_FONT,
                    FAINT_INK,
                );
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
        let horizontal =
            self.x.labelled.iter().map(|tick| [plot.at(tick.fraction, 0.0), plot.at(tick.fraction, 1.0)]);
        let vertical =
            self.y.labelled.iter().map(|tick| [plot.at(0.0, tick.fraction), plot.at(1.0, tick.fraction)]);
        let lines: String = horizontal.chain(vertical).map(|ends| path(&ends)).collect();
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
            let baseline = y + TICK + TICK_GAP + 0.85 * TICK_FONT.size;
            canvas.label(&tick.label, (x, baseline), Anchor::Middle, TICK_FONT);
        }
        for tick in &self.y.labelled {
            let (x, y) = plot.at(0.0, tick.fraction);
            canvas.label(
                &tick.label,
                (x - TICK - TICK_GAP, y + TICK_FONT.baseline_shift()),
                Anchor::End,
                TICK_FONT,
            );
        }
        let first = plot.bottom() + TICK + TICK_GAP + TICK_FONT.line_height() + LABEL_FONT.size + 2.0;
        for (i, line) in self.x_label.iter().enumerate() {
            let baseline = first + i as f64 * LABEL_FONT.line_height();
            canvas.text(line, (plot.centre().0, baseline), Anchor::Middle, LABEL_FONT, INK);
        }
        if labelled {
            // The label may be slightly longer than the plot.
            let label = LABEL_FONT.truncated(&self.panel.y.label, plot.height + 30.0);
            let x = plot.left - self.tick_space() - 8.0;
            canvas.upward_text(&label, (x, plot.centre().1), LABEL_FONT, INK);
        }
    }
}
