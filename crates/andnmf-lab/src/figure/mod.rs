//! Figures as data, drawn as SVG and PNG.
//!
//! A [`Chart`] contains panels of lines with bands or of heatmap cells, an [`ImageGrid`] rows of grey images, and a
//! [`WordTable`] columns of words. Each has `svg()`, and [`png()`] renders its result. Output is deterministic: it does
//! not depend on the time or on installed fonts.
//!
//! All input is accepted: values that cannot be drawn (NaN, zeros on a logarithmic axis) are omitted or drawn at the
//! edge, and the note below the chart says so.
//!
//! ```
//! use andnmf_lab::figure::{Axis, AxisScale, Chart, Marks, Panel, PlotLine, Point, png};
//!
//! let points = (0..5).map(|i| Point::exact(f64::from(i), 0.1f64.powi(i))).collect();
//! let panel = Panel {
//!     title: String::new(),
//!     x: Axis { label: "time (s)".to_owned(), scale: AxisScale::Linear },
//!     y: Axis { label: "error".to_owned(), scale: AxisScale::Log10 },
//!     marks: Marks::Lines(vec![PlotLine { name: "AND".to_owned(), points, dashed: false }]),
//! };
//! let svg = Chart { title: "Recovery".to_owned(), panels: vec![panel], shared_y: false, note: None }.svg();
//! assert!(png(&svg, 2.0)?.starts_with(b"\x89PNG"));
//! # Ok::<(), andnmf_lab::figure::FigureError>(())
//! ```

mod chart;
mod frame;
mod heat;
mod image_grid;
mod label;
mod layout;
mod legend;
mod lines;
mod palette;
mod panel;
mod png;
mod scale;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod ticks;
mod word_table;

pub use chart::{Axis, Chart, Heatmap, Marks, Panel, PlotLine, Point};
pub use image_grid::ImageGrid;
pub use png::{FigureError, png};
pub use scale::AxisScale;
pub use word_table::WordTable;
