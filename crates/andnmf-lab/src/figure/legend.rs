//! The legend of a chart.

use super::chart::{Marks, Panel, PlotLine};
use super::heat::{draw_not_run, draw_over_cells, has_gaps};
use super::lines::{BAND_OPACITY, DASHES, LINE_WIDTH, has_band};
use super::palette::Style;
use super::svg::{Anchor, Area, Canvas, INK, path};
use super::text::Font;

const FONT: Font = Font::plain(12.0);
const SWATCH: f64 = 28.0;
/// Gaps between a swatch and its name, and between entries.
const GAPS: (f64, f64) = (7.0, 20.0);
const ROW: f64 = 20.0;
/// Longer names are truncated.
const LONGEST_NAME: f64 = 300.0;

/// Distinct line names in order of appearance, which determines their styles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineNames(Vec<String>);

impl LineNames {
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a PlotLine>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for line in lines {
            if !names.contains(&line.name) {
                names.push(line.name.clone());
            }
        }
        Self(names)
    }

    /// Lines with their styles.
    pub(super) fn styled<'a>(&self, lines: &'a [PlotLine]) -> Vec<(Style, &'a PlotLine)> {
        let number = |line: &PlotLine| self.0.iter().position(|name| *name == line.name).unwrap_or(0);
        lines.iter().map(|line| (Style::of(number(line)), line)).collect()
    }
}

/// The sample drawn before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swatch {
    Line { style: Style, dashed: bool, band: bool },
    OverCells { style: Style, dashed: bool },
    NotRun,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LegendEntry {
    name: String,
    swatch: Swatch,
}

/// Swatches with their names, arranged in rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Legend {
    entries: Vec<LegendEntry>,
}

impl Legend {
    /// The legend of some panels. Lines without a name are omitted.
    pub(super) fn of<'a>(
        panels: impl Iterator<Item = &'a Panel>,
        lines: &LineNames,
        overlays: &LineNames,
    ) -> Self {
        let (mut entries, mut not_run): (Vec<LegendEntry>, bool) = (Vec::new(), false);
        let mut add = |name: &str, swatch: Swatch| {
            if !name.is_empty() && entries.iter().all(|entry| entry.name != name) {
                entries.push(LegendEntry { name: name.to_owned(), swatch });
            }
        };
        for panel in panels {
            match &panel.marks {
                Marks::Lines(given) => {
                    for (style, line) in lines.styled(given) {
                        add(&line.name, Swatch::Line { style, dashed: line.dashed, band: has_band(line) });
                    }
                }
                Marks::Heatmap(heat) => {
                    for (style, line) in overlays.styled(&heat.overlay) {
                        add(&line.name, Swatch::OverCells { style, dashed: line.dashed });
                    }
                    not_run |= has_gaps(heat);
                }
            }
        }
        if not_run {
            entries.push(LegendEntry { name: "not run".to_owned(), swatch: Swatch::NotRun });
        }
        Self { entries }
    }

    /// True if both have the same names, in any order.
    pub(super) fn same_names(&self, other: &Self) -> bool {
        let names = |legend: &Self| {
            let mut names: Vec<String> = legend.entries.iter().map(|entry| entry.name.clone()).collect();
            names.sort();
            names
        };
        names(self) == names(other)
    }

    /// Height in pixels, including the gap above.
    pub(super) fn height(&self, width: f64) -> f64 {
        let rows = self.entries.len().div_ceil(self.arrangement(width).len().max(1));
        if rows == 0 { 0.0 } else { rows as f64 * ROW + 8.0 }
    }

    /// Column widths: all entries in one row if they fit, otherwise in the smallest number of evenly filled rows.
    fn arrangement(&self, width: f64) -> Vec<f64> {
        let widths: Vec<f64> = self.entries.iter().map(|entry| Self::entry_width(entry, width)).collect();
        let columns_of = |rows: usize| -> Vec<f64> {
            let columns = widths.len().div_ceil(rows);
            let column = |i: usize| widths.iter().skip(i).step_by(columns).copied().fold(0.0, f64::max);
            (0..columns).map(column).collect()
        };
        let fits = |columns: &Vec<f64>| columns.iter().sum::<f64>() - GAPS.1 <= width || columns.len() == 1;
        (1..=widths.len()).map(columns_of).find(fits).unwrap_or_default()
    }

    fn entry_width(entry: &LegendEntry, width: f64) -> f64 {
        SWATCH + GAPS.0 + FONT.width(&Self::shown(&entry.name, width)) + GAPS.1
    }

    fn shown(name: &str, width: f64) -> String {
        FONT.truncated(name, LONGEST_NAME.min(width - SWATCH - GAPS.0))
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, left: f64, top: f64, width: f64) {
        let columns = self.arrangement(width);
        for (i, entry) in self.entries.iter().enumerate() {
            let (row, column) = (i / columns.len(), i % columns.len());
            let x = left + columns[..column].iter().sum::<f64>();
            let y = top + 8.0 + (row as f64 + 0.5) * ROW;
            draw_swatch(canvas, entry.swatch, x, y);
            let at = (x + SWATCH + GAPS.0, y + FONT.baseline_shift());
            canvas.text(&Self::shown(&entry.name, width), at, Anchor::Start, FONT, INK);
        }
    }
}

fn draw_swatch(canvas: &mut Canvas, swatch: Swatch, x: f64, y: f64) {
    let stroke = [(x, y), (x + SWATCH, y)];
    let box_of = |height: f64| Area { left: x, top: y - height / 2.0, width: SWATCH, height };
    match swatch {
        Swatch::Line { style, dashed, band } => {
            if band {
                canvas.rectangle(box_of(12.0), style.colour(), &[("fill-opacity", BAND_OPACITY)]);
            }
            let dashes: &[_] = if dashed { &[("stroke-dasharray", DASHES)] } else { &[] };
            canvas.stroke(&path(&stroke), style.colour(), LINE_WIDTH, dashes);
            style.draw_marker(canvas, (x + SWATCH / 2.0, y));
        }
        Swatch::OverCells { style, dashed } => draw_over_cells(canvas, style, dashed, &stroke),
        Swatch::NotRun => draw_not_run(canvas, box_of(12.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend(names: &[&str]) -> Legend {
        let swatch = Swatch::Line { style: Style::of(0), dashed: false, band: false };
        Legend { entries: names.iter().map(|&name| LegendEntry { name: name.to_owned(), swatch }).collect() }
    }

    #[test]
    fn names_share_a_row_while_they_fit() {
        let short = legend(&["AND", "HALS", "MU"]);
        assert_eq!(short.arrangement(400.0).len(), 3);
        assert_eq!(short.height(400.0), ROW + 8.0);
        assert_eq!(legend(&[]).height(400.0), 0.0);
    }

    #[test]
    fn many_names_take_rows_that_fit_and_are_evenly_filled() {
        let names: Vec<String> = (0..12).map(|i| format!("a method called {i}")).collect();
        let many = legend(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let columns = many.arrangement(700.0);
        assert!(columns.iter().sum::<f64>() - GAPS.1 <= 700.0);
        assert_eq!(columns.len(), 4);
        assert_eq!(many.height(700.0), 3.0 * ROW + 8.0);
    }

    #[test]
    fn a_name_wider_than_the_chart_is_truncated() {
        let long = "word ".repeat(200);
        let one = legend(&[&long]);
        assert!(one.arrangement(200.0)[0] - GAPS.1 <= 200.0);
    }

    #[test]
    fn the_same_names_in_another_order_are_the_same() {
        assert!(legend(&["a", "b"]).same_names(&legend(&["b", "a"])));
        assert!(!legend(&["a", "b"]).same_names(&legend(&["a"])));
    }
}
