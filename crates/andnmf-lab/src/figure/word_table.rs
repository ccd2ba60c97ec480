//! A table of words.

use serde::Serialize;

use super::frame::{MARGIN, draw_note, draw_title};
use super::svg::{Anchor, Area, Canvas, INK, path};
use super::text::Font;

const HEADER_FONT: Font = Font::bold(12.0);
const CELL_FONT: Font = Font::plain(12.0);
const COLUMN_GAP: f64 = 22.0;
/// Padding above and below the text of a cell.
const PADDING: f64 = 3.5;
/// Largest width of a line of text in a cell.
const WIDEST: f64 = 250.0;
const LEAST_WIDTH: f64 = 260.0;
/// Background of every other row.
const STRIPE: &str = "#f4f4f4";

/// A table of words, such as the top words of topics.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordTable {
    /// Title above the table.
    pub title: String,
    /// Name and cells of each column. Columns may have different lengths.
    pub columns: Vec<(String, Vec<String>)>,
    /// Note below the table.
    pub foot: Option<String>,
}

/// A row, each cell as lines of text.
type Row = Vec<Vec<String>>;

impl WordTable {
    /// The table as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let head: Row = self.columns.iter().map(|(name, _)| HEADER_FONT.wrapped(name, WIDEST)).collect();
        let count = self.columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let cell = |cells: &[String], i: usize| {
            cells.get(i).map_or_else(Vec::new, |text| CELL_FONT.wrapped(text, WIDEST))
        };
        let rows: Vec<Row> =
            (0..count).map(|i| self.columns.iter().map(|(_, cells)| cell(cells, i)).collect()).collect();
        // Left edges of the columns, and the right edge of the last.
        let mut lefts = vec![MARGIN + 6.0];
        for column in 0..self.columns.len() {
            let widest =
                |font: Font, row: &Row| row[column].iter().map(|l| font.width(l)).fold(0.0, f64::max);
            let cells = rows.iter().map(|row| widest(CELL_FONT, row)).fold(0.0, f64::max);
            lefts.push(lefts[column] + widest(HEADER_FONT, &head).max(cells) + COLUMN_GAP);
        }
        let width = (lefts[lefts.len() - 1] - COLUMN_GAP + 6.0 + MARGIN).max(LEAST_WIDTH);
        self.draw(&head, &rows, &lefts, width)
    }

    fn draw(&self, head: &Row, rows: &[Row], lefts: &[f64], width: f64) -> String {
        let mut canvas = Canvas::default();
        let inner = width - 2.0 * MARGIN;
        let mut top = draw_title(&mut canvas, &self.title, width) + 6.0;
        let rule = |canvas: &mut Canvas, y: f64, thick: f64| {
            canvas.stroke(&path(&[(MARGIN, y), (width - MARGIN, y)]), INK, thick, &[]);
        };
        rule(&mut canvas, top, 1.4);
        top = draw_row(&mut canvas, head, lefts, top, HEADER_FONT);
        rule(&mut canvas, top, 0.8);
        for (i, row) in rows.iter().enumerate() {
            if i % 2 == 1 {
                let stripe = Area { left: MARGIN, top, width: inner, height: row_height(row, CELL_FONT) };
                canvas.rectangle(stripe, STRIPE, &[]);
            }
            top = draw_row(&mut canvas, row, lefts, top, CELL_FONT);
        }
        rule(&mut canvas, top, 1.4);
        let foot = self.foot.as_deref().unwrap_or_default();
        top = draw_note(&mut canvas, foot, width, top + 6.0);
        canvas.finish(&self.title, width, top + MARGIN)
    }
}

fn row_height(row: &Row, font: Font) -> f64 {
    row.iter().map(Vec::len).max().unwrap_or(0).max(1) as f64 * font.line_height() + 2.0 * PADDING
}

/// Draws a row and returns its lower edge.
fn draw_row(canvas: &mut Canvas, row: &Row, lefts: &[f64], top: f64, font: Font) -> f64 {
    for (cell, &left) in row.iter().zip(lefts) {
        for (i, line) in cell.iter().enumerate() {
            let baseline = top + PADDING + (i as f64 + 0.5) * font.line_height() + font.baseline_shift();
            canvas.text(line, (left, baseline), Anchor::Start, font, INK);
        }
    }
    top + row_height(row, font)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resvg::usvg::roxmltree::Document;

    fn table(columns: &[(&str, &[&str])]) -> WordTable {
        let owned = |&(name, cells): &(&str, &[&str])| {
            (name.to_owned(), cells.iter().map(|&cell| cell.to_owned()).collect())
        };
        WordTable { title: "Topics".to_owned(), columns: columns.iter().map(owned).collect(), foot: None }
    }

    /// Every text with its position.
    fn texts(svg: &str) -> Vec<(String, f64, f64)> {
        let document = Document::parse(svg).unwrap();
        let number = |node: &resvg::usvg::roxmltree::Node<'_, '_>, name| {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|node| (node.text().unwrap().to_owned(), number(&node, "x"), number(&node, "y"))).collect()
    }

    #[test]
    fn cells_are_aligned_in_rows_and_below_their_column_names() {
        let svg = table(&[("AND", &["space nasa", "god"]), ("LDA", &["orbit"])]).svg();
        let texts = texts(&svg);
        let position =
            |text: &str| texts.iter().find(|(t, _, _)| t == text).map(|&(_, x, y)| (x, y)).unwrap();
        assert_eq!(position("space nasa").1, position("orbit").1);
        assert_eq!((position("AND").0, position("LDA").0), (position("god").0, position("orbit").0));
        assert!(
            position("god").1 > position("space nasa").1 && position("orbit").0 > position("space nasa").0
        );
    }

    #[test]
    fn columns_are_wide_enough_for_their_cells() {
        let long = "windows dos file program version graphics image software ftp available jpeg format";
        let svg = table(&[("AND", &[long, "x"]), ("LDA", &["orbit", "y"])]).svg();
        let texts = texts(&svg);
        let second = texts.iter().find(|(text, _, _)| text == "LDA").unwrap().1;
        let first: Vec<_> = texts.iter().filter(|(text, x, _)| *x < second && text != "Topics").collect();
        assert!(first.len() > 3 && first.iter().all(|(text, x, _)| x + CELL_FONT.width(text) < second));
        let words: Vec<&str> =
            first.iter().map(|(text, _, _)| text.as_str()).filter(|t| long.contains(t)).collect();
        assert_eq!(words.join(" ").trim_end_matches(" x"), long);
    }

    #[test]
    fn tables_without_columns_or_cells_are_drawn() {
        for empty in [table(&[]), table(&[("AND", &[])]), table(&[("", &[""])])] {
            assert!(Document::parse(&empty.svg()).is_ok());
        }
    }
}
