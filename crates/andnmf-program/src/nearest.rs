//! The nearest right spelling.

/// The known word that a mistyped one most likely stands for.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().filter_map(|word| Some((slips(typed, word)?, word)));
    near.min_by_key(|(slips, _)| *slips).map(|(_, word)| word)
}

/// The same as the end of a sentence; empty where nothing comes close.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map_or_else(String::new, offer)
}

/// The file of these that a mistyped name most likely stands for, as the end of a sentence. Endings are few, so that
/// they make names look alike that are not: what stands before them has to be near.
pub fn did_you_mean_file<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let stem = |name: &'a str| name.split_once('.').map_or(name, |(stem, _)| stem);
    let typed_stem = typed.split_once('.').map_or(typed, |(stem, _)| stem);
    let near = known.into_iter().filter_map(|name| {
        slips(typed_stem, stem(name))?;
        Some((strsim::osa_distance(typed, name), name))
    });
    near.min_by_key(|(distance, _)| *distance).map_or_else(String::new, |(_, name)| offer(name))
}

fn offer(word: &str) -> String {
    format!("; did you mean {word}?")
}

/// How many letters too many, too few, wrong or swapped make one word of the other; `None` where that is more than a
/// slip. A beginning of a word counts as that word.
fn slips(typed: &str, word: &str) -> Option<usize> {
    let (typed, word) = (typed.to_lowercase(), word.to_lowercase());
    let (short, long) = (typed.chars().count().min(word.chars().count()), typed.len().max(word.len()));
    let slips = strsim::osa_distance(&typed, &word);
    let begun = typed.len() >= 3 && word.starts_with(&typed);
    (slips == 0 || begun || (slips < short && slips <= (long / 4).max(1))).then_some(slips)
}
