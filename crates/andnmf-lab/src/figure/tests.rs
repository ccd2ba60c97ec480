//! Tests of whole charts.

use ndarray::{Array2, array};
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::Document;

use super::*;

fn axis(label: &str, scale: AxisScale) -> Axis {
    Axis { label: label.to_owned(), scale }
}

fn line(name: &str, ys: &[f64]) -> PlotLine {
    let point = |(i, &y): (usize, &f64)| Point { x: i as f64, y, low: y / 2.0, high: y * 2.0 };
    PlotLine { name: name.to_owned(), points: ys.iter().enumerate().map(point).collect(), dashed: false }
}

fn panel(title: &str, lines: Vec<PlotLine>) -> Panel {
    Panel {
        title: title.to_owned(),
        x: axis("time (s)", AxisScale::Linear),
        y: axis("error", AxisScale::Log10),
        marks: Marks::Lines(lines),
    }
}

fn heat_panel(values: Array2<f64>, value_label: &str) -> Panel {
    let (rows, columns) = values.dim();
    let count = |n: usize| (1..=n).map(|i| i as f64).collect();
    let heat = Heatmap {
        x_values: count(columns),
        y_values: count(rows),
        values,
        value_label: value_label.to_owned(),
        overlay: Vec::new(),
    };
    Panel { marks: Marks::Heatmap(heat), ..panel("", Vec::new()) }
}

fn chart(panels: Vec<Panel>) -> Chart {
    Chart { title: "A <chart> & more".to_owned(), panels, shared_y: false, note: None }
}

/// All texts, with exponents after a caret.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let content = |node: resvg::usvg::roxmltree::Node<'_, '_>| {
        let parts: Vec<&str> = node.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
        parts.join("^")
    };
    texts.map(content).collect()
}

fn count(svg: &str, text: &str) -> usize {
    texts(svg).iter().filter(|found| *found == text).count()
}

/// Attributes must not contain NaN or infinity; texts may.
fn assert_sound(chart: &Chart) {
    let svg = chart.svg();
    let document = Document::parse(&svg).unwrap();
    let drawn = document.root_element().descendants().filter(|node| node.is_element());
    for attribute in drawn.flat_map(|node| node.attributes()).filter(|a| a.name() != "aria-label") {
        let value = attribute.value();
        assert!(!value.contains("NaN") && !value.contains("inf"), "{}={value}", attribute.name());
    }
    png(&svg, 1.0).unwrap();
}

#[test]
fn no_input_makes_a_chart_invalid() {
    let extremes =
        [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    let mut panels = vec![panel("", Vec::new()), panel("nothing", vec![line("a", &[])])];
    for scale in [AxisScale::Linear, AxisScale::Log10] {
        for &value in &extremes {
            let mut odd = panel("odd", vec![line("a", &[value]), line("b", &[1e-16, value, 1e2])]);
            (odd.x.scale, odd.y.scale) = (scale, scale);
            panels.push(odd);
            let mut cells = heat_panel(array![[value, 1e-3], [value, value]], "value");
            (cells.x.scale, cells.y.scale) = (scale, scale);
            let Marks::Heatmap(heat) = &mut cells.marks else { continue };
            heat.x_values[0] = value;
            heat.overlay.push(line("over", &[value, 1.0]));
            panels.push(cells);
        }
    }
    panels.push(heat_panel(Array2::zeros((0, 0)), "value"));
    for odd in &panels {
        assert_sound(&chart(vec![odd.clone()]));
    }
    assert_sound(&chart(panels));
    assert_sound(&chart(Vec::new()));
}

#[test]
fn a_chart_is_the_same_each_time() {
    let svg = || chart(vec![panel("a", vec![line("x", &[1.0, 0.5]), line("y", &[0.3, 0.1])])]).svg();
    assert_eq!(svg(), svg());
    assert_eq!(png(&svg(), 1.5).unwrap(), png(&svg(), 1.5).unwrap());
}

#[test]
fn exponents_of_logarithmic_axes_are_raised() {
    let svg = chart(vec![panel("", vec![line("a", &[1.0, 1e-3])])]).svg();
    for label in ["10^−3", "10^−2", "10^−1", "10^0"] {
        assert_eq!(count(&svg, label), 1, "{label}: {:?}", texts(&svg));
    }
    let document = Document::parse(&svg).unwrap();
    let number = |node: resvg::usvg::roxmltree::Node<'_, '_>, name| node.attribute(name)?.parse::<f64>().ok();
    for raised in document.descendants().filter(|node| node.has_tag_name("tspan")) {
        let size = number(raised.parent().unwrap(), "font-size").unwrap();
        assert!(number(raised, "dy").unwrap() < 0.0);
        assert!((0.5 * size..size).contains(&number(raised, "font-size").unwrap()));
    }
}

#[test]
fn panels_with_the_same_lines_share_a_legend_even_if_one_lacks_a_line() {
    let all = || vec![line("AND", &[1.0, 0.1]), line("HALS", &[1.0, 0.2])];
    let fewer = vec![line("HALS", &[1.0, 0.2])];
    let shared = chart(vec![panel("", all()), panel("", fewer), panel("", Vec::new())]).svg();
    assert_eq!((count(&shared, "AND"), count(&shared, "HALS")), (1, 1));
    let other = vec![line("HALS", &[1.0, 0.2]), line("MU", &[1.0, 0.2])];
    let apart = chart(vec![panel("", all()), panel("", other)]).svg();
    assert_eq!((count(&apart, "AND"), count(&apart, "HALS"), count(&apart, "MU")), (1, 2, 1));
}

#[test]
fn a_line_has_one_colour_in_all_panels() {
    let colours = |panels| {
        let svg = chart(panels).svg();
        let document = Document::parse(&svg).unwrap();
        let joined = document.descendants().filter(|node| node.has_attribute("stroke-linejoin"));
        joined.map(|node| node.attribute("stroke").unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (a, b) = (line("a", &[1.0, 2.0]), line("b", &[2.0, 1.0]));
    let found = colours(vec![panel("", vec![a.clone(), b.clone()]), panel("", vec![b, a])]);
    assert_eq!((&found[0], &found[1]), (&found[3], &found[2]));
    assert_ne!(found[0], found[1]);
}

#[test]
fn panels_with_the_same_value_label_share_one_colour_bar() {
    let values = |from: f64| array![[from, 10.0 * from], [100.0 * from, 1e3 * from]];
    let same = chart(vec![heat_panel(values(1e-6), "error"), heat_panel(values(1e-3), "error")]).svg();
    assert_eq!(count(&same, "error"), 2, "the axis of the first panel and the bar: {:?}", texts(&same));
    assert_eq!((count(&same, "10^−6"), count(&same, "10^0")), (1, 1));
    let apart = chart(vec![heat_panel(values(1e-6), "error"), heat_panel(values(1e-3), "time")]).svg();
    assert_eq!((count(&apart, "error"), count(&apart, "time")), (2, 1));
}

#[test]
fn the_note_lists_data_that_could_not_be_drawn() {
    let zeros = panel("", vec![line("a", &[1.0, 0.0, f64::NAN])]);
    let noted = Chart { note: Some("Ten seeds.".to_owned()), ..chart(vec![zeros]) };
    let note = texts(&noted.svg()).join(" ");
    assert!(note.contains("Ten seeds.") && note.contains("zero or less"), "{note}");
    assert!(note.contains("1 point without a finite value"), "{note}");
    let fine = texts(&chart(vec![panel("", vec![line("a", &[1.0, 0.5])])]).svg()).join(" ");
    assert!(!fine.contains("zero") && !fine.contains("omitted"), "{fine}");
}

#[test]
fn rows_hold_three_or_four_panels_and_grow_downwards() {
    let size = |panels: usize| {
        let svg = chart(vec![panel("", vec![line("a", &[1.0, 0.5])]); panels]).svg();
        let document = Document::parse(&svg).unwrap();
        let side = |name| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
        (side("width"), side("height"))
    };
    assert!(size(2).0 > size(1).0 && size(4).1 < size(5).1);
    assert_eq!((size(5), size(7)), (size(6), size(8)));
    assert!(size(12).0 < 1400.0 && size(12).1 > size(8).1);
}

#[test]
fn the_png_has_the_size_of_the_drawing_and_shows_its_text() {
    let named = chart(vec![panel("a title", vec![line("a name", &[1.0, 0.5])])]);
    let mut bare = named.clone();
    bare.title = " ".to_owned();
    bare.panels[0].title = " ".to_owned();
    let pixels = |chart: &Chart| Pixmap::decode_png(&png(&chart.svg(), 2.0).unwrap()).unwrap();
    let dark = |pixels: &Pixmap| pixels.pixels().iter().filter(|pixel| pixel.red() < 100).count();
    let (with, without) = (pixels(&named), pixels(&bare));
    assert!(dark(&without) > 2000 && dark(&with) > dark(&without) + 500);
    let svg = named.svg();
    let document = Document::parse(&svg).unwrap();
    let side = |name| document.root_element().attribute(name).unwrap().parse::<u32>().unwrap();
    assert_eq!((with.width(), with.height()), (2 * side("width"), 2 * side("height")));
}
