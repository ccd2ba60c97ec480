//! The texts of a few documents, to show them beside what was found in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::documents::read_documents;
use super::posts::strip_post;
use crate::files::FileError;

/// Number of characters that are kept of each text: what is shown is shorter.
const KEPT_CHARACTERS: usize = 2000;

/// Reads the texts again and returns the beginnings of the selected ones, which are counted from 0 as the rows of
/// [`read_texts`](super::read_texts). `strip_posts` removes headers, quotes and signatures of e-mail and news posts.
///
/// # Errors
/// If a file cannot be read.
///
/// ```
/// use std::collections::BTreeSet;
/// use andnmf_io::text::read_selected;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("lines.txt");
/// std::fs::write(&file, "red wine\n\nwhite wine\n")?;
/// let texts = read_selected(&file, false, &BTreeSet::from([1]))?;
/// assert_eq!(texts[&1], "white wine");
/// assert_eq!(texts.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_selected(
    path: &Path,
    strip_posts: bool,
    selected: &BTreeSet<usize>,
) -> Result<BTreeMap<usize, String>, FileError> {
    let mut texts = BTreeMap::new();
    let mut document = 0;
    read_documents(path, &mut |read| {
        if selected.contains(&document) {
            let text = if strip_posts { strip_post(&read.text) } else { read.text };
            texts.insert(document, text.trim().chars().take(KEPT_CHARACTERS).collect());
        }
        document += 1;
    })?;
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_rows_without_headers_and_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "From: me\nSubject: wine\n\nWhite wine.\n").unwrap();
        std::fs::write(folder.path().join("b.txt"), [0, 159, 0, 1]).unwrap();
        std::fs::write(folder.path().join("c.txt"), "é".repeat(5000)).unwrap();
        let rows = BTreeSet::from([0, 1, 7]);
        let stripped = read_selected(folder.path(), true, &rows).unwrap();
        // The second file is no text, so that the third is the second row.
        assert_eq!(stripped[&0], "White wine.");
        assert_eq!((stripped[&1].chars().count(), stripped.len()), (KEPT_CHARACTERS, 2));
        assert!(read_selected(folder.path(), false, &rows).unwrap()[&0].starts_with("From: me"));
        assert!(read_selected(&folder.path().join("none"), false, &rows).is_err());
    }
}
