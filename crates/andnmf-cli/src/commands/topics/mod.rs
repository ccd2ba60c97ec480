//! `andnmf topics`: text in, topics out.

mod corpus;
mod told;

use std::path::PathBuf;
use std::time::Instant;

use andnmf::Real;
use andnmf::metrics::{coherence, top_features};
use andnmf_program::{Common, Failure, Precision, Progress, json as print_json};
use andnmf_report::FeatureKind;
use clap::Args;
use serde_json::json;

use super::fit::words;
use super::plain_fit::{ForceArgs, PlainFit, PlainFitArgs};
pub(crate) use corpus::read_stop_words;
use corpus::{CorpusArgs, WordArgs};
pub(crate) use told::lines;
use told::{Topic, Topics};

/// Find the topics of texts: their top words, and how well these go together.
///
/// Example: andnmf topics my-texts --rank 20
///
/// TEXTS is a folder of text files (with those below), a .tar.gz archive of them, or a file with one document per line;
/// --corpus and --vocab read a bag of words instead. Words are in lower case, without stop words, rare words, and words
/// of more than half of the documents; each document is weighed by tf-idf.
///
/// The coherence of a topic is the mean normalised pointwise mutual information (NPMI) of its top words: 1 where they
/// only come together, 0 where they meet as by chance, -1 where they never meet. With --out, DIR gets the files of a fit
/// (see `andnmf fit --help`), topics.json, documents.txt and report.html. Topics count from 0, as the columns of
/// weights.npy do. A fit that is stopped leaves nothing behind, and cannot be resumed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf topics my-texts --rank 20
  andnmf topics 20news-bydate.tar.gz --strip-headers --rank 20 --out newsgroups
  andnmf topics --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 20 --json")]
pub(crate) struct TopicsArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Number of topics
    #[arg(long, value_name = "K")]
    rank: usize,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    words: WordArgs,
    /// Use counts as they are [default with --method lda and anchor-words]
    #[arg(long, conflicts_with = "tfidf")]
    counts: bool,
    /// Weigh counts by tf-idf [default otherwise]
    #[arg(long)]
    tfidf: bool,
    /// Top words to show, and to score, of each topic
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = at_least_two)]
    top: usize,
    #[command(flatten)]
    how: PlainFitArgs,
    #[command(flatten)]
    common: Common,
}

fn at_least_two(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&top| top >= 2).ok_or_else(|| "a number of 2 or more is needed".to_owned())
}

pub(crate) fn run(args: &TopicsArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    match args.how.precision {
        Precision::F32 => topics::<f32>(args),
        Precision::F64 => topics::<f64>(args),
    }
}

fn topics<T: Real>(args: &TopicsArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let settings = args.how.settings.settings(args.rank)?;
    let vocabulary = args.words.vocabulary()?;
    let folder = args.force.open(args.out.as_ref())?;
    let source = args.corpus.source()?;

    let mut progress = Progress::new(&args.common, format!("reading {}", source.display()));
    let (corpus, notes) = args.corpus.read::<T>(vocabulary.words)?;
    let corpus = corpus.with_vocabulary(&vocabulary)?;
    let counted = args.counts || (!args.tfidf && settings.method().info().about.counts);
    let samples = if counted { corpus.counts.clone() } else { corpus.tf_idf()? };
    let beside = json!({
        "corpus": source,
        "values": if counted { "counts" } else { "tf-idf" },
        "min_documents": vocabulary.min_documents_of(samples_of(&corpus)).to_string(),
        "max_documents": vocabulary.max_documents.to_string(),
        "words": vocabulary.max_words,
        "strip_headers": args.corpus.strip_headers,
    });
    let names = Some(corpus.words.clone());
    let mut found = PlainFit::of(&samples, names, &settings, beside, &args.common, (&mut progress, begun))?;

    let tops: Vec<Vec<usize>> =
        found.fit.components.outer_iter().map(|topic| top_features(topic, args.top)).collect();
    let scores = coherence(&tops, &corpus.counts)?;
    let shares = told::shares(&found.fit.components, &found.weights);
    let listed = tops.iter().enumerate().map(|(topic, top)| {
        let value =
            |&word: &usize| (corpus.words[word].clone(), found.fit.components[[topic, word]].as_f64());
        Topic {
            topic,
            share: shares[topic],
            coherence: scores.per_topic[topic],
            words: top.iter().map(value).collect(),
        }
    });
    let mut topics = Topics {
        n_documents: found.summary.n_samples,
        n_words: found.summary.n_features,
        values: if counted { "counts" } else { "tf-idf" },
        mean_coherence: scores.mean,
        topics: listed.collect(),
        summary: None,
    };
    let mut files = Vec::new();
    if let Some(folder) = &folder {
        progress.doing("writing");
        let mut others = vec![("topics.json", (serde_json::to_string_pretty(&topics)? + "\n").into_bytes())];
        if let Some(documents) = &corpus.documents {
            others.push(("documents.txt", lines(documents)));
        }
        files = found.write(folder, source, FeatureKind::Words, others)?;
    }
    drop(progress);
    args.common.note(&notes);
    if args.common.json {
        topics.summary = Some(found.summary);
        return print_json::print(&topics);
    }
    topics.print()?;
    match &folder {
        Some(folder) => {
            args.common.say(format!("\n{}", words::told(&found.summary, folder.path(), &files, false)))
        }
        None => args.common.say(format!("\n{}", told::verdict(&found.summary))),
    }
}

fn samples_of<T: Real>(corpus: &andnmf_io::text::Corpus<T>) -> usize {
    andnmf::samples::Samples::n_samples(&corpus.counts)
}
