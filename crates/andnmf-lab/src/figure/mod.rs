//! Figures as data, drawn as SVG and PNG.
//!
//! A [`Chart`] holds panels of lines with bands, or of coloured cells; [`Pictures`] are rows of grey pictures and a
//! [`WordTable`] is columns of words. Each has `svg()`, and [`png()`] makes pixels of what that returns. Both are the
//! same on every machine and in every run: nothing depends on the time, the fonts installed or the order of a map.
//!
//! Nothing that is given is refused: what cannot be drawn (numbers that are none, zeros on a logarithmic axis) is left
//! out or stands at the edge, and the note beneath the chart says so.
//!
//! ```
//! use andnmf_lab::figure::{Axis, Chart, Line, Marks, Panel, Point, Scale, png};
//!
//! let points = (0..5).map(|i| Point::exact(f64::from(i), 0.1f64.powi(i))).collect();
//! let panel = Panel {
//!     title: String::new(),
//!     x: Axis { label: "time (s)".to_owned(), scale: Scale::Linear },
//!     y: Axis { label: "error".to_owned(), scale: Scale::Log10 },
//!     marks: Marks::Lines(vec![Line { name: "AND".to_owned(), points, dashed: false }]),
//! };
//! let svg = Chart { title: "Recovery".to_owned(), panels: vec![panel], note: None }.svg();
//! assert!(png(&svg, 2.0)?.starts_with(b"\x89PNG"));
//! # Ok::<(), andnmf_lab::figure::FigureError>(())
//! ```

mod chart;
mod heat;
mod label;
mod layout;
mod legend;
mod lines;
mod page;
mod palette;
mod panel;
mod pictures;
mod png;
mod scale;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod ticks;
mod words;

pub use chart::{Axis, Chart, Heat, Line, Marks, Panel, Point};
pub use pictures::Pictures;
pub use png::{FigureError, png};
pub use scale::Scale;
pub use words::WordTable;
