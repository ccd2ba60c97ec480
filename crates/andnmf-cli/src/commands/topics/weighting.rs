//! Which values of a corpus are factorized, and how much each word counts in them.

use andnmf::and::{AndParams, Threshold};
use andnmf::counts::Noise;
use andnmf::samples::{CsrSamples, Samples, document_frequencies};
use andnmf::{MethodParams, Real, SamplesError};
use andnmf_io::printable_line;
use andnmf_io::text::Corpus;

/// The values of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Word counts with Poisson noise.
    PoissonCounts,
    /// Word counts as they are.
    Counts,
    TfIdf,
}

impl Values {
    /// The values for a method: counts where it expects them, and for AND, which expects Poisson noise of them from then on.
    /// `given` is true for counts and false for tf-idf.
    pub(super) fn choose<T: Real>(
        given: Option<bool>,
        settings: &mut MethodParams,
        corpus: &Corpus<T>,
    ) -> Result<Self, SamplesError> {
        let poisson = match *settings {
            MethodParams::And(ref params) => may_be_poisson(params) && are_whole(&corpus.counts)?,
            ref other => other.weighs_counts(),
        };
        let counts = given.unwrap_or(poisson || settings.method().info().about.counts);
        if !counts {
            return Ok(Self::TfIdf);
        }
        if poisson && let MethodParams::And(params) = settings {
            params.noise = Noise::Poisson;
        }
        Ok(if poisson { Self::PoissonCounts } else { Self::Counts })
    }

    /// Their name in the output.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PoissonCounts | Self::Counts => "counts",
            Self::TfIdf => "tf-idf",
        }
    }

    /// The values themselves.
    pub(super) fn of<T: Real>(self, corpus: &Corpus<T>) -> Result<CsrSamples<'static, T>, SamplesError> {
        match self {
            Self::PoissonCounts | Self::Counts => Ok(corpus.counts.clone()),
            Self::TfIdf => corpus.tf_idf(),
        }
    }
}

/// Returns true if the settings allow Poisson noise: thresholds from the data, non-negative components, and no other noise.
fn may_be_poisson(params: &AndParams) -> bool {
    params.threshold == Threshold::Auto && !params.signed && params.noise != Noise::Gaussian
}

/// Returns true if all values are whole numbers.
fn are_whole<T: Real>(counts: &dyn Samples<T>) -> Result<bool, SamplesError> {
    let mut whole = true;
    for i in 0..counts.n_samples() {
        counts.block(i..i + 1)?.for_each(|_, _, v| whole &= v.as_f64() == v.as_f64().trunc());
    }
    Ok(whole)
}

/// How much each word counts.
pub(super) struct WordWeights {
    /// Documents with the word.
    documents: Vec<usize>,
    /// Occurrences of the word in all documents.
    counts: Vec<f64>,
    /// The weight of the word; 1 is that of a word of mean frequency, or of a word in every document.
    pub(super) weights: Vec<f64>,
    /// What the weights are, in a sentence.
    pub(super) sentence: String,
}

impl WordWeights {
    pub(super) fn of<T: Real>(corpus: &Corpus<T>, values: Values) -> Result<Self, SamplesError> {
        let n_documents = corpus.counts.n_samples();
        let documents = document_frequencies(&corpus.counts)?;
        let mut counts = vec![0.0; corpus.words.len()];
        for i in 0..n_documents {
            corpus.counts.block(i..i + 1)?.for_each(|_, word, v| counts[word] += v.as_f64());
        }
        let mean = counts.iter().sum::<f64>() / counts.len().max(1) as f64;
        let weights: Vec<f64> = match values {
            Values::PoissonCounts => counts.iter().map(|&count| mean / count.max(1.0)).collect(),
            Values::Counts => vec![1.0; counts.len()],
            Values::TfIdf => Corpus::<T>::idf(n_documents, &documents),
        };
        let rule = match values {
            Values::PoissonCounts => {
                "counts with Poisson noise: the squared error of a word counts one over its frequency"
            }
            Values::Counts => "counts: every occurrence of every word counts alike",
            Values::TfIdf => {
                "tf-idf: the counts of a word are multiplied the more, the fewer documents have it"
            }
        };
        let at = |pick: fn(f64, f64) -> bool| {
            let first =
                |best: usize, word: usize| if pick(weights[word], weights[best]) { word } else { best };
            let word = (0..weights.len()).reduce(first)?;
            Some(format!("{:.3} for {}", weights[word], printable_line(&corpus.words[word])))
        };
        let range = at(|a, b| a < b).zip(at(|a, b| a > b)).filter(|_| values != Values::Counts);
        let sentence = match range {
            Some((least, most)) => format!("{rule} (from {least} to {most})"),
            None => rule.to_owned(),
        };
        Ok(Self { documents, counts, weights, sentence })
    }

    /// The words table, `words.csv`.
    pub(super) fn table(&self, words: &[String]) -> Vec<u8> {
        let mut text = "word,documents,count,weight\n".to_owned();
        let columns = self.documents.iter().zip(&self.counts).zip(&self.weights);
        for (word, ((documents, count), weight)) in words.iter().zip(columns) {
            let plain = !word.contains([',', '"', '\n', '\r']);
            let word = if plain { word.clone() } else { format!("\"{}\"", word.replace('"', "\"\"")) };
            text.push_str(&format!("{word},{documents},{count},{weight:?}\n"));
        }
        text.into_bytes()
    }
}
