//! Text corpora: documents to word counts, the samples of topic models.
//!
//! [`read_texts`] reads a folder, an archive, or a file with one document per line into a [`Corpus`];
//! [`Corpus::from_table`] takes word counts that [`crate::read`] has read. [`Corpus::with_vocabulary`] selects the
//! vocabulary, [`Corpus::tf_idf`] applies tf-idf weights. The result is deterministic.

mod corpus;
mod decode;
mod documents;
mod posts;
mod selected;
mod stop_words;
mod tf_idf;
mod tokenize;
mod vocabulary;

pub use corpus::{Corpus, TextOptions, Texts, read_texts};
pub use documents::{Document, Skipped, read_documents};
pub use posts::{looks_like_post, strip_post};
pub use selected::read_selected;
pub use stop_words::StopWords;
pub use tokenize::WordRules;
pub use vocabulary::{Frequency, VocabularyParams};
