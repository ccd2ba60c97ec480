//! What a chart is made of.

use ndarray::Array2;
use serde::Serialize;

use super::Scale;
use super::layout::draw_chart;

/// Panels side by side, with what is common to them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// Stands above all panels.
    pub title: String,
    /// In the order of reading; after three or four of them comes a new row.
    pub panels: Vec<Panel>,
    /// Stands below all panels, before what the chart itself has to say about its data.
    pub note: Option<String>,
}

impl Chart {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        draw_chart(self)
    }
}

/// One plot with its axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// Stands above the plot.
    pub title: String,
    /// The axis below the plot.
    pub x: Axis,
    /// The axis left of the plot.
    pub y: Axis,
    /// What is plotted.
    pub marks: Marks,
}

/// What an axis is called, and how values are spread along it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
}

/// What is plotted in a panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Marks {
    /// Lines with bands.
    Lines(Vec<Line>),
    /// Coloured cells.
    Heat(Heat),
}

/// A line with a band around it. Lines of one name look the same in all panels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// In the order in which they are joined. One that is no number leaves a gap.
    pub points: Vec<Point>,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Where it stands along the axis below.
    pub x: f64,
    /// The value that the line goes through.
    pub middle: f64,
    /// The lower end of the band; `middle` where there is none.
    pub low: f64,
    /// The upper end of the band; `middle` where there is none.
    pub high: f64,
}

impl Point {
    /// A point without a band.
    #[must_use]
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, middle: y, low: y, high: y }
    }
}

/// Cells coloured by the logarithms of their values. Panels with the same `value_label` have the same colours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// The middles of columns.
    pub x_values: Vec<f64>,
    /// The middles of rows.
    pub y_values: Vec<f64>,
    /// A row for each of `y_values`, a column for each of `x_values`; NaN is what was not run.
    pub values: Array2<f64>,
    /// What the colours mean.
    pub value_label: String,
    /// Lines over the cells, in the coordinates of the axes; their bands are not drawn.
    pub overlay: Vec<Line>,
}
