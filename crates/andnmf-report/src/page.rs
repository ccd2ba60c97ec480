//! Combines style, script and data in one HTML document.

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/page.css"), include_str!("page/charts.css"));
/// The script, from files in the order of their dependencies.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("page/elements.js"),
    include_str!("page/format.js"),
    include_str!("page/theme.js"),
    include_str!("page/links.js"),
    include_str!("page/download.js"),
    include_str!("page/scales.js"),
    include_str!("page/axes.js"),
    include_str!("page/line_chart.js"),
    include_str!("page/ramp.js"),
    include_str!("page/heat_map.js"),
    include_str!("page/pictures.js"),
    include_str!("page/overview.js"),
    include_str!("page/convergence.js"),
    include_str!("page/relevance.js"),
    include_str!("page/component_map.js"),
    include_str!("page/top_samples.js"),
    include_str!("page/components.js"),
    include_str!("page/activity.js"),
    include_str!("page/pair_graph.js"),
    include_str!("page/correlation.js"),
    include_str!("page/errors.js"),
    include_str!("page/rank.js"),
    include_str!("page/sections.js"),
    include_str!("page/main.js"),
    "})();\n",
);

/// The HTML page for a report given as JSON.
pub(crate) fn html(title: &str, data: &str) -> String {
    let (title, data) = (escape_text(title), escape_json(data));
    let mut page =
        String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + title.len() + data.len());
    // Only the template is searched for placeholders, never the inserted text.
    for part in TEMPLATE.split("{{") {
        let (placeholder, rest) = part.split_once("}}").unwrap_or(("", part));
        page.push_str(match placeholder {
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

/// Escapes text for HTML.
fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Escapes JSON so that it cannot end its script element: `<` only occurs in strings, where `\u003c` is the same.
fn escape_json(json: &str) -> String {
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
    fn names_with_any_content_round_trip_through_the_page() {
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
    fn the_page_is_complete_and_loads_nothing_external() {
        let page = Report::new("t", Value::Null).to_html();
        assert!(!page.contains("{{") && page.contains(STYLE) && page.contains(SCRIPT));
        for loading in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }
}
