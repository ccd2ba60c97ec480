//! `andnmf topics` and `andnmf anchor`: the topics of texts and word counts.

use std::collections::BTreeSet;
use std::fs;

use crate::corpus::{SUBJECTS, bag, documents};
use crate::support::{Folder, andnmf, files_in, json, read_array, read_json, refused, text};
use serde_json::Value;

/// A folder `texts` of these documents, in folders of their own.
fn texts(folder: &Folder) -> String {
    for (i, document) in documents().iter().enumerate() {
        let below = folder.path(&format!("texts/{}", i % 2));
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join(format!("{i:02}.txt")), document).unwrap();
    }
    folder.arg("texts")
}

/// The words of each topic in an object, as sets.
fn sets(found: &Value, word: impl Fn(&Value) -> String) -> BTreeSet<BTreeSet<String>> {
    let topics = found["topics"].as_array().unwrap();
    topics.iter().map(|topic| topic["words"].as_array().unwrap().iter().map(&word).collect()).collect()
}

fn expected() -> BTreeSet<BTreeSet<String>> {
    SUBJECTS.iter().map(|words| words.iter().map(|&word| word.to_owned()).collect()).collect()
}

fn named(word: &Value) -> String {
    word["word"].as_str().unwrap().to_owned()
}

#[test]
fn topics_of_a_folder_are_its_subjects() {
    let folder = Folder::new();
    let texts = texts(&folder);
    let out = folder.arg("found");
    let done = andnmf(&["topics", &texts, "--rank", "3", "--top", "6", "--out", &out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(done.stderr.is_empty(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    assert!(
        said.starts_with("3 topics of 90 documents × 18 words (counts)\ncounts with Poisson noise: "),
        "{said}"
    );
    let files = [
        "components.npy",
        "documents.txt",
        "model.safetensors",
        "report.html",
        "summary.json",
        "topics.json",
        "trace.csv",
        "weights.npy",
        "words.csv",
    ];
    assert_eq!(files_in(&folder.path("found")), files);
    let topics = read_json(&folder.path("found/topics.json"));
    assert_eq!(sets(&topics, named), expected());
    let scores: Vec<f64> = topics["topics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|topic| topic["coherence"].as_f64().unwrap())
        .collect();
    let mean = scores.iter().sum::<f64>() / 3.0;
    assert!((topics["mean_coherence"].as_f64().unwrap() - mean).abs() < 1e-12 && mean > 0.2, "{scores:?}");
    let shares: f64 =
        topics["topics"].as_array().unwrap().iter().map(|topic| topic["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    assert_eq!(read_array(&folder.path("found/weights.npy")).dim(), (90, 3));
    let names = fs::read_to_string(folder.path("found/documents.txt")).unwrap();
    assert_eq!((names.lines().next(), names.lines().count()), (Some("0/00.txt"), 90));
    assert!(fs::read_to_string(folder.path("found/report.html")).unwrap().contains("galaxy"));
}

#[test]
fn a_folder_lines_and_a_bag_of_words_have_the_same_topics() {
    let folder = Folder::new();
    let (corpus, vocab) = bag(&folder);
    let lines = folder.write("lines.txt", &documents().join("\n"));
    let topics = |args: &[&str]| {
        let found = json(&andnmf(&[&["topics", "--rank", "3", "--top", "6", "--json"], args].concat()));
        assert_eq!(found["summary"]["n_samples"], 90, "{args:?}");
        (sets(&found, named), found["mean_coherence"].as_f64().unwrap(), found["values"].clone())
    };
    let (words, mean, values) = topics(&[&texts(&folder)]);
    assert_eq!((words, values), (expected(), "counts".into()));
    for args in [&[&lines[..]][..], &["--corpus", &corpus, "--vocab", &vocab]] {
        let (words, same, _) = topics(args);
        assert_eq!(words, expected());
        assert!((same - mean).abs() < 1e-12);
    }
    let (words, _, values) = topics(&[&lines, "--method", "lda", "--seed", "1"]);
    assert_eq!((words.len(), values), (3, "counts".into()));
}

#[test]
fn words_are_weighed_as_said() {
    let folder = Folder::new();
    let texts = texts(&folder);
    let found = |args: &[&str]| json(&andnmf(&[&["topics", &texts, "--rank", "3", "--json"], args].concat()));
    let weights = |found: &Value| -> Vec<f64> {
        let words =
            found["topics"].as_array().unwrap().iter().flat_map(|topic| topic["words"].as_array().unwrap());
        words.map(|word| word["weight"].as_f64().unwrap()).collect()
    };
    let poisson = found(&[]);
    assert_eq!((&poisson["summary"]["noise"], &poisson["values"]), (&"poisson".into(), &"counts".into()));
    assert!(poisson["weighting"].as_str().unwrap().contains("one over its frequency (from 0."), "{poisson}");
    assert_eq!(poisson["weighting"], poisson["summary"]["settings"]["weighting"]);
    let weighed = weights(&poisson);
    assert!(
        weighed.iter().any(|&weight| weight > 1.0) && weighed.iter().any(|&weight| weight < 1.0),
        "{weighed:?}"
    );
    for tf_idf in [found(&["--tfidf"]), found(&["--noise", "gaussian"]), found(&["--method", "hals"])] {
        assert_eq!((&tf_idf["summary"]["noise"], &tf_idf["values"]), (&"gaussian".into(), &"tf-idf".into()));
        assert!(weights(&tf_idf).iter().all(|&weight| weight > 1.0));
    }
    let alike = found(&["--method", "hals", "--counts"]);
    assert!(weights(&alike).iter().all(|&weight| weight == 1.0), "{alike}");
    let divergence = found(&["--method", "mu", "--loss", "kullback-leibler"]);
    assert_eq!(
        (&divergence["summary"]["noise"], &divergence["values"]),
        (&"poisson".into(), &"counts".into())
    );
    // Values that are no counts have no Poisson noise.
    let lines = "apple,grape,plum\n1.5,2,0\n0,1,3.5\n2,0.5,1\n".to_owned() + &"1,2.5,3\n".repeat(9);
    let table = folder.write("values.csv", &lines);
    let args = ["topics", "--corpus", &table, "--rank", "2", "--json", "--max-documents", "100%"];
    assert_eq!(json(&andnmf(&args))["values"], "tf-idf");
    let out = folder.arg("out");
    assert!(andnmf(&["topics", &texts, "--rank", "3", "--out", &out]).status.success());
    let csv = fs::read_to_string(folder.path("out/words.csv")).unwrap();
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some("word,documents,count,weight"), 19));
}

#[test]
fn the_vocabulary_follows_its_options() {
    let folder = Folder::new();
    let texts = texts(&folder);
    let stop = folder.write("stop.txt", "apple\npiano # not wanted\n");
    let n_words = |args: &[&str]| {
        let found = json(&andnmf(&[&["topics", &texts, "--rank", "2", "--json"], args].concat()));
        (found["n_words"].as_u64().unwrap(), found["summary"]["settings"]["values"].clone())
    };
    assert_eq!(n_words(&["--counts"]), (18, "counts".into()));
    assert_eq!(n_words(&["--stop-words", &stop]).0, 16, "the, of, and are in too many documents");
    assert_eq!(n_words(&["--stop-words", &stop, "--max-documents", "100%"]).0, 19);
    assert_eq!(n_words(&["--stop-words", "none", "--max-documents", "90"]).0, 21);
    assert_eq!(n_words(&["--words", "5"]).0, 5);
    assert_eq!(n_words(&["--min-letters", "6"]).0, 6);
}

#[test]
fn posts_and_skipped_files_are_noted_on_standard_error() {
    let folder = Folder::new();
    let texts = texts(&folder);
    for i in 0..200 {
        let post = format!("From: me\nSubject: fruit\n\nmelon pear {i}\napple grape");
        fs::write(folder.path(&format!("texts/1/post{i}")), post).unwrap();
    }
    fs::write(folder.path("texts/blob.bin"), [0_u8; 64]).unwrap();
    let done = andnmf(&["topics", &texts, "--rank", "2"]);
    assert!(done.status.success());
    let notes = text(&done.stderr);
    assert!(notes.contains("skipped 1 files: blob.bin (it is not a text file)"), "{notes}");
    assert!(notes.contains("--strip-headers"), "{notes}");
    let quiet = andnmf(&["topics", &texts, "--rank", "2", "--quiet"]);
    assert!(quiet.stderr.is_empty() && text(&quiet.stdout).contains("top words"));
    let stripped = andnmf(&["topics", &texts, "--rank", "2", "--strip-headers"]);
    assert!(!text(&stripped.stderr).contains("--strip-headers"));
    let all = ["topics", &texts, "--rank", "2", "--stop-words", "none", "--max-documents", "100%", "--json"];
    let n_words = |more: &[&str]| json(&andnmf(&[&all[..], more].concat()))["n_words"].as_u64().unwrap();
    assert_eq!(n_words(&[]) - n_words(&["--strip-headers"]), 4, "from, me, subject, fruit");
}

#[test]
fn wrong_requests_say_what_would_be_right() {
    let folder = Folder::new();
    let texts = texts(&folder);
    let (corpus, vocab) = bag(&folder);
    let short = folder.write("short.txt", "one\ntwo\n");
    refused(&["topics", "--rank", "3"], &["TEXTS"]);
    refused(&["topics", &texts], &["--rank"]);
    refused(&["topics", &texts, "--rank", "0"], &["--rank is 0"]);
    refused(&["topics", &texts, "--rank", "3", "--min-documents", "many"], &["50%"]);
    refused(&["topics", &texts, "--rank", "3", "--words", "0"], &["a number of 1 or more, or all"]);
    refused(&["topics", &texts, "--rank", "3", "--min-documents", "91"], &["no word is left of 21", "91"]);
    refused(&["topics", &folder.arg("text"), "--rank", "3"], &["no such file", "did you mean texts?"]);
    refused(&["topics", &corpus, "--rank", "3"], &["contains a matrix", "--corpus"]);
    refused(&["topics", "--corpus", &corpus, "--rank", "3"], &["contains no words", "--vocab"]);
    let args = ["topics", "--corpus", &corpus, "--vocab", &short, "--rank", "3"];
    refused(&args, &["short.txt: 2 words, but", "has 21"]);
    let out = folder.arg("kept");
    folder.write("kept", "a file");
    refused(&["topics", &texts, "--rank", "3", "--out", &out], &["is a file, but must be a folder"]);
    refused(&["anchor", "--corpus", &corpus, "--vocab", &vocab, "--rank", "3", "--out", "t.csv"], &[".npy"]);
    let nowhere = folder.arg("no/t.npy");
    let args = ["anchor", "--corpus", &corpus, "--vocab", &vocab, "--rank", "3", "--out", &nowhere];
    refused(&args, &["there is no folder"]);
    let args = ["anchor", "--corpus", &corpus, "--vocab", &vocab, "--rank", "30", "--out", "t.npy"];
    refused(&args, &["--rank is 30", "there are 18 words"]);
}

#[test]
fn anchor_writes_topics_with_their_words_and_keeps_existing_files() {
    let folder = Folder::new();
    let (corpus, vocab) = bag(&folder);
    let out = folder.arg("truth.npy");
    let args = ["anchor", "--corpus", &corpus, "--vocab", &vocab, "--rank", "3", "--out", &out, "--top", "6"];
    let said = andnmf(&args);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(text(&said.stdout).contains("anchor: top words"), "{}", text(&said.stdout));
    let topics = read_array(&folder.path("truth.npy"));
    assert_eq!(topics.dim(), (3, 18));
    assert!(topics.outer_iter().all(|topic| (topic.sum() - 1.0).abs() < 1e-9));
    let words = fs::read_to_string(folder.path("truth.vocab.txt")).unwrap();
    assert_eq!(words.lines().collect::<Vec<_>>(), SUBJECTS.concat());
    refused(&args, &["truth.npy exists", "--force"]);
    let found = json(&andnmf(&[&args[..], &["--force", "--json"]].concat()));
    assert_eq!(found["anchor_documents"], 6, "one document in fifteen");
    let subject_of = |word: &str| SUBJECTS.iter().position(|words| words.contains(&word));
    let anchors: BTreeSet<_> = found["topics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|topic| subject_of(topic["anchor"].as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(anchors.len(), 3, "an anchor from every subject");
    assert_eq!(sets(&found, |word| word.as_str().unwrap().to_owned()).len(), 3);
}
