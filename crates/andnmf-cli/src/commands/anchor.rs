//! `andnmf anchor`: topics from words that only one of them uses.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use andnmf::baselines::anchor_words::{AnchorTopics, AnchorWordsParams, Recover};
use andnmf::metrics::{coherence, top_features};
use andnmf::samples::{Samples, document_frequencies};
use andnmf_io::text::{Corpus, Frequency};
use andnmf_io::{write_array, write_atomically};
use andnmf_program::corpus::{Found, anchor_topics, read_bag};
use andnmf_program::{Common, Failure, Progress, json as print_json, overwrite, writing};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::topics::read_stop_words;

/// Recover topics from anchor words, to build data with a known truth on.
///
/// Example: andnmf anchor --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 100 --out topics.npy
///
/// Every topic is a distribution over the words, found from how often words occur together (RecoverL2 of Arora et al.,
/// ICML 2013). FILE.npy gets one topic per row; the words of its columns go into FILE.vocab.txt beside it.
/// `andnmf generate --truth FILE.npy` makes samples from them.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example:
  andnmf anchor --corpus docword.nips.txt.gz --vocab vocab.nips.txt --rank 100 --out topics.npy")]
pub(crate) struct AnchorArgs {
    /// Counts of words: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD")]
    corpus: PathBuf,
    /// The words of --corpus, one per line
    #[arg(long, value_name = "VOCAB")]
    vocab: Option<PathBuf>,
    /// Number of topics
    #[arg(long, value_name = "K")]
    rank: usize,
    /// File for the topics: topics × words
    #[arg(long, value_name = "FILE.npy")]
    out: PathBuf,
    /// Replace FILE.npy where it is there already
    #[arg(long)]
    force: bool,
    /// Leave out words in fewer documents: a number or a share [default: 50, or 1 in 30 where there are fewer than 1500]
    #[arg(long, value_name = "N|SHARE")]
    min_documents: Option<Frequency>,
    /// Only words in so many documents can be anchors [default: 100, or 1 in 15 where there are fewer than 1500]
    #[arg(long, value_name = "N")]
    anchor_documents: Option<usize>,
    /// Words to leave out: english, none, or a file with one per line
    #[arg(long, default_value = "english", value_name = "english|none|FILE")]
    stop_words: String,
    /// Which distance to minimize: squared Euclidean (l2), or the slower Kullback-Leibler divergence (kl)
    #[arg(long, default_value = "l2", value_parser = PossibleValuesParser::new(Recover::WORDS).try_map(|word| word.parse::<Recover>()))]
    recover: Recover,
    /// Top words to show of each topic
    #[arg(long, default_value_t = 10, value_name = "N")]
    top: usize,
    /// Seed of the random projection
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &AnchorArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let vocab_file = args.out.with_extension("vocab.txt");
    check_places(args, &vocab_file)?;
    let params =
        AnchorWordsParams { recover: args.recover, seed: args.seed, ..AnchorWordsParams::new(args.rank) };
    params.clone().check()?;
    let stop_words = read_stop_words(&args.stop_words)?;

    let progress = Progress::new(&args.common, format!("reading {}", args.corpus.display()));
    let corpus: Corpus<f64> = read_bag(&args.corpus, args.vocab.as_deref())?;
    progress.doing(format!("looking for {} topics", args.rank));
    let Found { corpus, topics: found, anchor_documents: min_documents } =
        anchor_topics(corpus, params, stop_words, args.min_documents, args.anchor_documents)?;
    progress.doing("writing");
    write_array(&args.out, found.components.view(), overwrite(args.force)).map_err(writing)?;
    let words = super::topics::lines(&corpus.words);
    write_atomically(&vocab_file, overwrite(args.force), |out| out.write_all(&words)).map_err(writing)?;
    drop(progress);
    tell(args, &corpus, &found, min_documents, &vocab_file)
}

/// Both files must have room before any work is done.
fn check_places(args: &AnchorArgs, vocab_file: &Path) -> Result<(), Failure> {
    if args.out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
        let given = args.out.display();
        return Err(Failure::Request(format!("--out is {given}, but the topics are written as .npy")));
    }
    for file in [&*args.out, vocab_file] {
        if file.exists() && !args.force {
            return Err(Failure::Request(format!(
                "{} is there already; name another file, or add --force to replace it",
                file.display()
            )));
        }
    }
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !fs::metadata(folder).is_ok_and(|data| data.is_dir()) => {
            Err(Failure::Request(format!("--out: there is no folder {}", folder.display())))
        }
        _ => Ok(()),
    }
}

fn tell(
    args: &AnchorArgs,
    corpus: &Corpus<f64>,
    found: &AnchorTopics<f64>,
    min_documents: usize,
    vocab_file: &Path,
) -> Result<(), Failure> {
    let tops: Vec<Vec<usize>> =
        found.components.outer_iter().map(|topic| top_features(topic, args.top)).collect();
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
            "anchor_documents": min_documents,
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
        writeln!(out, "mean coherence {mean:.3} (NPMI: 1 always together, 0 by chance, -1 never)")?;
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
    args.common.say(format!("\nwritten: {file} (topics × words), {vocabulary} (its words)"))?;
    args.common.say(format!("next: andnmf generate dir --truth {file} --out samples"))
}
