//! Numbers and components as the texts of reasons name them.

/// How many components a text names before it only counts them.
const NAMED: usize = 8;

/// "component 3", "components 1, 4, 7", or the first few and how many more.
pub(super) fn components(numbers: &[usize]) -> String {
    unit_list("component", numbers)
}

/// The same of anything that has numbers.
pub(super) fn unit_list(noun: &str, numbers: &[usize]) -> String {
    let named: Vec<String> = numbers.iter().take(NAMED).map(usize::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    let more = match numbers.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{noun}{plural} {}{more}", named.join(", "))
}

/// "2 of 10 components".
pub(super) fn count(components: &[usize], of: usize) -> String {
    format!("{} of {of} components", components.len())
}

/// A share in percent, with a digit more where it is small.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// "4 and 5 (0.980)", the first few of them.
pub(super) fn pairs_in_words(pairs: &[(usize, usize, f64)]) -> String {
    let named = pairs.iter().take(NAMED).map(|(a, b, correlation)| format!("{a} and {b} ({correlation:.3})"));
    named.collect::<Vec<_>>().join(", ")
}
