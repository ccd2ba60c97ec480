//! A chart of measurements, on logarithmic axes.

use std::path::Path;

use andnmf_lab::figure::{Axis, AxisScale, Chart, Marks, Panel, PlotLine, Point};
use serde::Deserialize;
use serde_json::json;

use crate::Answer;

#[derive(Deserialize)]
struct Figures {
    title: String,
    note: Option<String>,
    panels: Vec<Plot>,
}

#[derive(Deserialize)]
struct Plot {
    title: String,
    x: String,
    y: String,
    lines: Vec<Points>,
}

#[derive(Deserialize)]
struct Points {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Draws the measurements of a JSON file.
pub(crate) fn draw(figures: &Path, out: &Path) -> Answer {
    let figures: Figures = serde_json::from_slice(&std::fs::read(figures)?)?;
    let panels = figures.panels.into_iter().map(panel).collect();
    std::fs::write(out, Chart { title: figures.title, panels, shared_y: false, note: figures.note }.svg())?;
    Ok(json!({ "file": out }))
}

fn panel(plot: Plot) -> Panel {
    let axis = |label| Axis { label, scale: AxisScale::Log10 };
    let line = |line: Points| {
        let points = line.points.into_iter().map(|(x, y)| Point::exact(x, y)).collect();
        PlotLine { name: line.name, points, dashed: false }
    };
    let lines = plot.lines.into_iter().map(line).collect();
    Panel { title: plot.title, x: axis(plot.x), y: axis(plot.y), marks: Marks::Lines(lines) }
}
