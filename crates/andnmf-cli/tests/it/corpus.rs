//! A small corpus with three topics.

use crate::support::Folder;

/// The words of each topic.
pub(crate) const SUBJECTS: [[&str; 6]; 3] = [
    ["apple", "pear", "plum", "cherry", "grape", "melon"],
    ["piano", "violin", "trumpet", "organ", "flute", "cello"],
    ["planet", "comet", "orbit", "moon", "galaxy", "meteor"],
];

/// Ninety documents of one or two subjects each, with filler words around.
pub(crate) fn documents() -> Vec<String> {
    let mut state = 7_u64;
    let mut draw = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    (0..90)
        .map(|document| {
            let other = if draw(3) == 0 { draw(3) } else { document % 3 };
            let mut words = vec!["the", "of", "and"];
            words.extend((0..40).map(|i| SUBJECTS[if i % 4 == 3 { other } else { document % 3 }][draw(6)]));
            words.join(" ")
        })
        .collect()
}

/// The same as a docword file with its vocabulary, stop words among them.
pub(crate) fn bag(folder: &Folder) -> (String, String) {
    let mut words: Vec<&str> = SUBJECTS.concat();
    words.extend(["the", "of", "and"]);
    let mut entries = Vec::new();
    for (i, document) in documents().iter().enumerate() {
        for (j, word) in words.iter().enumerate() {
            let count = document.split(' ').filter(|found| found == word).count();
            if count > 0 {
                entries.push(format!("{} {} {count}", i + 1, j + 1));
            }
        }
    }
    let head = format!("90\n{}\n{}\n", words.len(), entries.len());
    let corpus = folder.write("docword.small.txt", &(head + &entries.join("\n")));
    (corpus, folder.write("vocab.small.txt", &words.join("\n")))
}
