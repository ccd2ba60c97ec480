//! Style, script and data in one document.

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/page.css"), include_str!("page/charts.css"));
/// One script in parts by idea, in the order in which they need each other.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("page/elements.js"),
    include_str!("page/format.js"),
    include_str!("page/theme.js"),
    include_str!("page/scales.js"),
    include_str!("page/axes.js"),
    include_str!("page/line_chart.js"),
    include_str!("page/heat_map.js"),
    include_str!("page/pictures.js"),
    include_str!("page/overview.js"),
    include_str!("page/convergence.js"),
    include_str!("page/components.js"),
    include_str!("page/correlation.js"),
    include_str!("page/sections.js"),
    include_str!("page/main.js"),
    "})();\n",
);

/// The whole page of a report that is this JSON.
pub(crate) fn html(title: &str, data: &str) -> String {
    let (title, data) = (escaped_text(title), escaped_json(data));
    let mut page =
        String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + title.len() + data.len());
    // What is put in is never searched for places, whatever it contains.
    for part in TEMPLATE.split("{{") {
        let (place, rest) = part.split_once("}}").unwrap_or(("", part));
        page.push_str(match place {
            "title" => &title,
            "style" => STYLE,
            "data" => &data,
            "script" => SCRIPT,
            _ => "",
        });
        page.push_str(rest);
    }
    page
}

/// Text that is text in HTML, too.
fn escaped_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// JSON that cannot end the element it stands in: `<` occurs in strings only, where it may be written by number.
fn escaped_json(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use serde_json::{Value, json};

    fn data_of(page: &str) -> Value {
        let (_, rest) = page.split_once("id=\"report-data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    #[test]
    fn whatever_names_contain_the_data_come_back_as_they_were() {
        let hostile = "</script><script>alert(1)</script><!-- {{data}} \u{2028} \" ' & ☂";
        let report = Report::new(hostile, json!({"method": hostile, "seconds": 0.1}));
        let page = report.to_html();
        let data = data_of(&page);
        assert_eq!(data["title"], hostile);
        assert_eq!(data["summary"], report.summary);
        assert!(!page.contains("<script>alert") && page.matches("</script>").count() == 2);
        assert!(page.contains("<title>&lt;/script>"));
    }

    #[test]
    fn the_page_has_every_part_and_asks_for_nothing_elsewhere() {
        let page = Report::new("t", Value::Null).to_html();
        assert!(!page.contains("{{") && page.contains(STYLE) && page.contains(SCRIPT));
        for loading in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }
}
