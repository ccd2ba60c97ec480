//! Suggestions for misspelt words and file names.

/// The known word that is most similar to the typed one, if any is similar enough.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().filter_map(|word| Some((edits(typed, word)?, word)));
    near.min_by_key(|(edits, _)| *edits).map(|(_, word)| word)
}

/// [`nearest`] as the end of a message; empty if no word is similar enough.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map_or_else(String::new, suggestion)
}

/// The file name that is most similar to the typed one, as the end of a message. Only the part before the extension
/// decides, since most files share a few extensions.
pub fn did_you_mean_file<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let stem = |name: &'a str| name.split_once('.').map_or(name, |(stem, _)| stem);
    let typed_stem = typed.split_once('.').map_or(typed, |(stem, _)| stem);
    let near = known.into_iter().filter_map(|name| {
        edits(typed_stem, stem(name))?;
        Some((strsim::osa_distance(typed, name), name))
    });
    near.min_by_key(|(distance, _)| *distance).map_or_else(String::new, |(_, name)| suggestion(name))
}

fn suggestion(word: &str) -> String {
    format!("; did you mean {word}?")
}

/// The edit distance of two words (insertions, deletions, substitutions, transpositions); `None` if it is too large for
/// a typing error. A prefix of three letters or more always counts.
fn edits(typed: &str, word: &str) -> Option<usize> {
    let (typed, word) = (typed.to_lowercase(), word.to_lowercase());
    let (short, long) = (typed.chars().count().min(word.chars().count()), typed.len().max(word.len()));
    let edits = strsim::osa_distance(&typed, &word);
    let is_prefix = typed.len() >= 3 && word.starts_with(&typed);
    (edits == 0 || is_prefix || (edits < short && edits <= (long / 4).max(1))).then_some(edits)
}
