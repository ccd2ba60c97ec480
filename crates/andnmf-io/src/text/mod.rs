//! Texts: from documents to counts of words, the samples of topic models.
//!
//! [`read_texts`] reads a folder, an archive, or a file with one document per line into a [`Corpus`]; bags of words in
//! files come through [`read`](crate::read) and [`Corpus::of_table`]. [`Corpus::with_vocabulary`] keeps the words that are worth
//! keeping, [`Corpus::tf_idf`] weighs them. The same texts give the same words in the same order everywhere.

mod corpus;
mod decode;
mod documents;
mod posts;
mod stop_words;
mod tf_idf;
mod vocabulary;
mod words;

pub use corpus::{Corpus, TextOptions, Texts, read_texts};
pub use documents::{Document, Skipped, read_documents};
pub use posts::{looks_like_post, strip_post};
pub use stop_words::StopWords;
pub use vocabulary::{Frequency, VocabularyParams};
pub use words::WordRules;
