//! `andnmf anchor`: topics from anchor words, each of which only one topic uses.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use andnmf::baselines::anchor_words::{AnchorTopics, AnchorWordsParams, Recover};
use andnmf::metrics::{coherence, distinctive_features};
use andnmf::samples::{Samples, document_frequencies};
use andnmf_io::text::{Corpus, Frequency};
use andnmf_io::{write_array, write_atomically};
use andnmf_program::corpus::{CorpusTopics, anchor_topics, read_bag};
use andnmf_program::{CommonArgs, Failure, Progress, json as print_json, overwrite, write_failure};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::topics::{VOCABULARY, read_stop_words};
use crate::shared::OrderArgs;

/// Find topics by anchor words, for example as the truth of generated data.
///
/// Example: andnmf anchor --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 100 --out topics.npy
///
/// Every topic is a distribution over the words, computed from co-occurrences of words (RecoverL2 of Arora et al.,
/// ICML 2013). Writes FILE.npy with one topic per row, and FILE.vocab.txt with the words of its columns.
/// `andnmf generate --truth FILE.npy` generates samples from these topics.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf anchor --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 100 --out topics.npy
  andnmf anchor --corpus counts.npz --vocab words.txt --rank 20 --recover kl --out topics.npy --json")]
pub(crate) struct AnchorArgs {
    /// Word counts: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD")]
    corpus: PathBuf,
    /// File of the words of --corpus, one per line
    #[arg(long, value_name = "VOCAB")]
    vocab: Option<PathBuf>,
    /// Number of topics
    #[arg(long, value_name = "K")]
    rank: usize,
    /// Output file (topics × words)
    #[arg(long, value_name = "FILE.npy")]
    out: PathBuf,
    /// Replace FILE.npy and FILE.vocab.txt if they exist
    #[arg(long)]
    force: bool,
    /// Drop words in fewer documents: a number, or a fraction such as 5% [default: 50, or 1/30 of fewer than 1500
    /// documents]
    #[arg(long, value_name = "N|FRACTION", help_heading = VOCABULARY)]
    min_documents: Option<Frequency>,
    /// Minimum number of documents that contain an anchor [default: 100, or 1/15 of fewer than 1500 documents]
    #[arg(long, value_name = "N", help_heading = VOCABULARY)]
    anchor_documents: Option<usize>,
    /// Stop words to drop: english, none, or a file with one word per line
    #[arg(long, default_value = "english", value_name = "english|none|FILE", help_heading = VOCABULARY)]
    stop_words: String,
    /// Distance to minimize: squared Euclidean (l2), or the slower Kullback-Leibler divergence (kl)
    #[arg(long, default_value = "l2", value_parser = PossibleValuesParser::new(Recover::WORDS).try_map(|word| word.parse::<Recover>()))]
    recover: Recover,
    /// Number of top words to show per topic
    #[arg(long, default_value_t = 10, value_name = "N")]
    top: usize,
    #[command(flatten)]
    order: OrderArgs,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &AnchorArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let vocab_file = args.out.with_extension("vocab.txt");
    check_output_files(args, &vocab_file)?;
    let params =
        AnchorWordsParams { recover: args.recover, seed: args.seed, ..AnchorWordsParams::new(args.rank) };
    params.clone().check()?;
    let stop_words = read_stop_words(&args.stop_words)?;

    let progress = Progress::new(&args.common, format!("reading {}", args.corpus.display()));
    let corpus: Corpus<f64> = read_bag(&args.corpus, args.vocab.as_deref())?;
    progress.set_message(format!("finding {} topics", args.rank));
    let CorpusTopics { corpus, topics, anchor_documents } =
        anchor_topics(corpus, params, stop_words, args.min_documents, args.anchor_documents)?;
    progress.set_message("writing");
    write_array(&args.out, topics.components.view(), overwrite(args.force)).map_err(write_failure)?;
    let words = super::topics::lines(&corpus.words);
    write_atomically(&vocab_file, overwrite(args.force), |out| out.write_all(&words))
        .map_err(write_failure)?;
    drop(progress);
    print_topics(args, &corpus, &topics, anchor_documents, &vocab_file)
}

/// Checks that both files can be written, before any work is done.
fn check_output_files(args: &AnchorArgs, vocab_file: &Path) -> Result<(), Failure> {
    if args.out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
        let given = args.out.display();
        return Err(Failure::Request(format!("--out {given} must end in .npy")));
    }
    for file in [&*args.out, vocab_file] {
        if file.exists() && !args.force {
            return Err(Failure::Request(format!(
                "{} exists; use --force to replace it, or choose another file",
                file.display()
            )));
        }
    }
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !fs::metadata(folder).is_ok_and(|data| data.is_dir()) => {
            Err(Failure::Request(format!("--out: there is no folder {}; create it first", folder.display())))
        }
        _ => Ok(()),
    }
}

fn print_topics(
    args: &AnchorArgs,
    corpus: &Corpus<f64>,
    found: &AnchorTopics<f64>,
    anchor_documents: usize,
    vocab_file: &Path,
) -> Result<(), Failure> {
    let tops =
        distinctive_features(found.components.view(), Some(&found.topic_shares), args.order.by, args.top)?;
    let scores = coherence(&tops, &corpus.counts)?;
    let documents_with = document_frequencies(&corpus.counts)?;
    let name = |word: usize| corpus.words[word].as_str();
    if args.common.json {
        let topics: Vec<_> = (0..tops.len())
            .map(|topic| {
                json!({
                    "topic": topic,
                    "anchor": name(found.anchors[topic]),
                    "anchor_documents": documents_with[found.anchors[topic]],
                    "share": found.topic_shares[topic],
                    "coherence": scores.per_topic[topic],
                    "words": tops[topic].iter().map(|&word| name(word)).collect::<Vec<_>>(),
                })
            })
            .collect();
        return print_json::print(&json!({
            "rank": tops.len(),
            "n_documents": corpus.counts.n_samples(),
            "n_words": corpus.words.len(),
            "anchor_documents": anchor_documents,
            "mean_coherence": scores.mean,
            "topics": topics,
            "components": args.out,
            "vocabulary": vocab_file,
        }));
    }
    let mut out = io::stdout().lock();
    let (documents, words) = (corpus.counts.n_samples(), corpus.words.len());
    writeln!(out, "{} topics of {documents} documents × {words} words, by anchor words", tops.len())?;
    if let Some(mean) = scores.mean {
        writeln!(out, "mean coherence {mean:.3} (NPMI: 1 = always together, 0 = by chance, -1 = never)")?;
    }
    writeln!(out, "\ntopic  share  coherence  anchor: top words")?;
    for (topic, top) in tops.iter().enumerate() {
        let score = scores.per_topic[topic].map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
        let words: Vec<&str> = top.iter().map(|&word| name(word)).collect();
        let share = 100.0 * found.topic_shares[topic];
        writeln!(
            out,
            "{topic:>5}  {share:>4.1}%  {score:>9}  {}: {}",
            name(found.anchors[topic]),
            words.join(" ")
        )?;
    }
    drop(out);
    let (file, vocabulary) = (args.out.display(), vocab_file.display());
    args.common.print(format!("\nwritten: {file} (topics × words), {vocabulary} (words)"))?;
    args.common.print(format!("next: andnmf generate dir --truth {file} --out samples"))
}
