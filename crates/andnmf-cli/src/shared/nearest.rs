//! The nearest right spelling.

/// The known word that a mistyped one most likely stands for.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let likeness = |word: &str| strsim::jaro_winkler(&typed, &word.to_lowercase());
    let best = known.into_iter().map(|word| (likeness(word), word));
    let (likeness, word) = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.8).then_some(word)
}

/// The same as the end of a sentence; empty where nothing comes close.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map_or_else(String::new, |word| format!("; did you mean {word}?"))
}
