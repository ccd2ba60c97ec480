//! Formats numbers and lists of components for the texts of reasons.

/// The most components that a text lists by number.
const MOST_LISTED: usize = 8;

/// "component 3", "components 1, 4, 7", or the first few and the number of the rest.
pub(super) fn list(numbers: &[usize]) -> String {
    unit_list("component", numbers)
}

/// The same for any noun.
pub(super) fn unit_list(noun: &str, numbers: &[usize]) -> String {
    let named: Vec<String> = numbers.iter().take(MOST_LISTED).map(usize::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    let more = match numbers.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{noun}{plural} {}{more}", named.join(", "))
}

/// "1 component is", "3 components are".
pub(super) fn components_are(components: &[usize]) -> String {
    match components.len() {
        1 => "1 component is".into(),
        count => format!("{count} components are"),
    }
}

/// "2 of 10 components".
pub(super) fn fraction_of(components: &[usize], of: usize) -> String {
    format!("{} of {of} components", components.len())
}

/// A share in percent, with one decimal below 10 %.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The first few pairs with their correlations: "4 and 5 (0.980)".
pub(super) fn format_pairs(pairs: &[(usize, usize, f64)]) -> String {
    let named =
        pairs.iter().take(MOST_LISTED).map(|(a, b, correlation)| format!("{a} and {b} ({correlation:.3})"));
    named.collect::<Vec<_>>().join(", ")
}

/// ": 4 trades with 5", for the first few pairs; nothing without any.
pub(super) fn trading(pairs: &[[usize; 2]]) -> String {
    let named: Vec<String> =
        pairs.iter().take(MOST_LISTED).map(|[a, b]| format!("{a} trades with {b}")).collect();
    if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) }
}

/// The components of pairs, each once, in order.
pub(super) fn in_pairs(pairs: &[(usize, usize, f64)]) -> Vec<usize> {
    let mut components: Vec<usize> = pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
    components.sort_unstable();
    components.dedup();
    components
}
