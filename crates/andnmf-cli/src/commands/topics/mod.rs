//! `andnmf topics`: the topics of texts.

mod corpus;
mod output;

use std::path::PathBuf;
use std::time::Instant;

use andnmf::Real;
use andnmf::metrics::{Relevance, coherence, component_shares, distinctive_features};
use andnmf_program::{CommonArgs, Failure, Precision, Progress, json as print_json};
use andnmf_report::FeatureKind;
use clap::Args;
use serde_json::json;

use super::fit::message;
use super::simple_fit::{ForceArgs, SimpleFit, SimpleFitArgs};
use crate::shared::OrderArgs;
use corpus::{CorpusArgs, WordArgs};
pub(crate) use corpus::{VOCABULARY, read_stop_words};
pub(crate) use output::lines;
use output::{TopWord, Topic, TopicList};

/// Find the topics of texts, with their top words and coherence.
///
/// Example: andnmf topics my-texts --rank 20
///
/// TEXTS is a folder of text files (including subfolders), a .tar.gz archive of them, or a file with one document per
/// line; --corpus and --vocab read word counts instead. Words are converted to lower case; stop words, rare words and
/// words in more than half of the documents are dropped; counts are weighted by tf-idf.
///
/// The coherence of a topic is the mean normalized pointwise mutual information (NPMI) of its top words: 1 if they
/// always occur together, 0 if by chance, -1 if never. Words are listed by relevance, which prefers those that a topic has
/// more of than the other topics. With --out, writes the files of a fit (see `andnmf fit
/// --help`), topics.json, documents.txt and report.html to DIR. Topics are numbered from 0, like the columns of
/// weights.npy. An interrupted run writes nothing and cannot be resumed.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf topics my-texts --rank 20
  andnmf topics 20news-bydate.tar.gz --strip-headers --rank 20 --out newsgroups
  andnmf topics --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 20 --json")]
pub(crate) struct TopicsArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Number of topics
    #[arg(long, value_name = "K", display_order = 1)]
    rank: usize,
    /// Output folder
    #[arg(long, value_name = "DIR", display_order = 2)]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    words: WordArgs,
    /// Factorize the word counts [default for --method lda and anchor-words]
    #[arg(long, help_heading = VOCABULARY, conflicts_with = "tfidf")]
    counts: bool,
    /// Weight the word counts by tf-idf [default for other methods]
    #[arg(long, help_heading = VOCABULARY)]
    tfidf: bool,
    /// Number of top words per topic, to show and to score
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = at_least_two)]
    top: usize,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    how: SimpleFitArgs,
    #[command(flatten)]
    common: CommonArgs,
}

fn at_least_two(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&top| top >= 2).ok_or_else(|| "expected a number of 2 or more".to_owned())
}

pub(crate) fn run(args: &TopicsArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    match args.how.precision {
        Precision::F32 => run_topics::<f32>(args),
        Precision::F64 => run_topics::<f64>(args),
    }
}

fn run_topics<T: Real>(args: &TopicsArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let settings = args.how.settings.settings(args.rank)?;
    let vocabulary = args.words.vocabulary()?;
    let folder = args.force.open(args.out.as_ref())?;
    let source = args.corpus.source()?;

    let mut progress = Progress::new(&args.common, format!("reading {}", source.display()));
    let (corpus, notes) = args.corpus.read::<T>(vocabulary.words)?;
    let corpus = corpus.with_vocabulary(&vocabulary)?;
    let use_counts = args.counts || (!args.tfidf && settings.method().info().about.counts);
    let samples = if use_counts { corpus.counts.clone() } else { corpus.tf_idf()? };
    let options = json!({
        "corpus": source,
        "values": if use_counts { "counts" } else { "tf-idf" },
        "min_documents": vocabulary.min_documents_of(samples_of(&corpus)).to_string(),
        "max_documents": vocabulary.max_documents.to_string(),
        "words": vocabulary.max_words,
        "strip_headers": args.corpus.strip_headers,
    });
    let names = Some(corpus.words.clone());
    let mut result = SimpleFit::of(
        &samples,
        names,
        (&settings, args.how.tables),
        options,
        &args.common,
        (&mut progress, started),
    )?;

    let components = result.fit.components.view();
    let shares = component_shares(components, result.weights.view());
    let tops = distinctive_features(components, Some(&shares), args.order.by, args.top)?;
    let relevance = Relevance::of(components, Some(&shares))?;
    let scores = coherence(&tops, &corpus.counts)?;
    let listed = tops.iter().enumerate().map(|(topic, top)| {
        let value = |&word: &usize| TopWord {
            word: corpus.words[word].clone(),
            value: components[[topic, word]].as_f64(),
            lift: relevance.lift(components, topic, word),
        };
        Topic {
            topic,
            share: shares[topic],
            coherence: scores.per_topic[topic],
            words: top.iter().map(value).collect(),
        }
    });
    let mut topics = TopicList {
        n_documents: result.summary.n_samples,
        n_words: result.summary.n_features,
        values: if use_counts { "counts" } else { "tf-idf" },
        mean_coherence: scores.mean,
        topics: listed.collect(),
        summary: None,
    };
    result.sample_names.clone_from(&corpus.documents);
    let mut files = Vec::new();
    if let Some(folder) = &folder {
        progress.set_message("writing");
        let mut others = vec![("topics.json", (serde_json::to_string_pretty(&topics)? + "\n").into_bytes())];
        if let Some(documents) = &corpus.documents {
            others.push(("documents.txt", lines(documents)));
        }
        files = result.write(folder, source, FeatureKind::Words, others)?;
    }
    drop(progress);
    args.common.print_notes(&notes);
    if args.common.json {
        topics.summary = Some(result.summary);
        return print_json::print(&topics);
    }
    topics.print()?;
    match &folder {
        Some(folder) => args
            .common
            .print(format!("\n{}", message::fit_text(&result.summary, folder.path(), &files, false))),
        None => args.common.print(format!("\n{}", output::verdict_text(&result.summary))),
    }
}

fn samples_of<T: Real>(corpus: &andnmf_io::text::Corpus<T>) -> usize {
    andnmf::samples::Samples::n_samples(&corpus.counts)
}
