//! The data of a chart.

use ndarray::Array2;
use serde::Serialize;

use super::AxisScale;
use super::layout::draw_chart;

/// A figure with one or more panels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// Title above all panels.
    pub title: String,
    /// The panels, row by row, three or four per row.
    pub panels: Vec<Panel>,
    /// True if all panels of lines have the same range of y values.
    pub shared_y: bool,
    /// Note below all panels, before the notes on omitted data.
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
    /// Title above the plot.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The plotted data.
    pub marks: Marks,
}

/// Label and scale of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// The quantity with its unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: AxisScale,
}

/// The data of a panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Marks {
    /// Lines with bands.
    Lines(Vec<PlotLine>),
    /// Heatmap cells.
    Heatmap(Heatmap),
}

/// A line with an optional band. Lines with the same name have the same style in all panels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlotLine {
    /// Name in the legend.
    pub name: String,
    /// Points in order. One without a finite value leaves a gap.
    pub points: Vec<Point>,
    /// True for a dashed line.
    pub dashed: bool,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// Lower end of the band; equal to `y` without a band.
    pub low: f64,
    /// Upper end of the band; equal to `y` without a band.
    pub high: f64,
}

impl Point {
    /// A point without a band.
    #[must_use]
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }
}

/// Cells coloured by the logarithm of their values. Panels with the same `value_label` share a colour range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heatmap {
    /// Centres of the columns.
    pub x_values: Vec<f64>,
    /// Centres of the rows.
    pub y_values: Vec<f64>,
    /// One row per `y_values`, one column per `x_values`; NaN for cells that were not run.
    pub values: Array2<f64>,
    /// Label of the colour bar.
    pub value_label: String,
    /// Lines over the cells, in axis coordinates, drawn without bands.
    pub overlay: Vec<PlotLine>,
}
