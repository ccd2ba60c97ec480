//! Stop words: words that carry no information about the topic.

use std::collections::HashSet;
use std::path::Path;

use super::WordRules;
use crate::files::{FileError, read_names};

/// English function words, contractions with and without the apostrophe, and common verbs and adverbs.
const ENGLISH: &str = "
a able about above according across actually after afterwards again against ago ah ain't aint all allow almost alone
along already also although always am amid among amongst an and another any anybody anyhow anymore anyone anything
anyway anywhere apart are aren't arent around as aside ask asked asking at away
back be became because become becomes becoming been before beforehand began begin behind being below beside besides
between beyond both but by
call called came can can't cannot cant certain certainly clearly come comes coming could could've couldn't couldnt
did didn't didnt do does doesn't doesnt doing don't done dont down due during
each eg either else elsewhere end enough entirely especially etc even ever every everybody everyone everything
everywhere exactly except
far few fewer first for former formerly forth found four from further furthermore
gave get gets getting give given gives giving go goes going gone gonna got gotta gotten
had hadn't hadnt happen happened happens hardly has hasn't hasnt have haven't havent having he he'd he'll he's hence
her here here's hereby herein hers herself hi him himself his hither how how's however
i i'd i'll i'm i've id ie if ill im in indeed inside instead into is isn't isnt it it'd it'll it's its itself ive
just
keep keeps kept kind knew know known knows
last lately later latter least less lest let let's lets like liked likely little look looked looking looks lot lots
made mainly make makes making many may maybe me mean means meanwhile might mine more moreover most mostly much must
mustn't my myself
namely near nearly necessarily need needed needs neither never nevertheless next no nobody non none nonetheless nor not
nothing now nowhere
obviously of off often oh ok okay on once one ones only onto or other others otherwise ought our ours ourselves out
outside over overall own
particular particularly per perhaps please possible possibly probably put puts
quite
rather re read really reasonably regarding regardless respectively right
said same saw say saying says second see seeing seem seemed seeming seems seen self send sent several shall she she'd
she'll she's should should've shouldn't shouldnt show showed shown shows simply since so some somebody somehow someone
something sometime sometimes somewhat somewhere soon sort still stuff such sure
take taken takes taking tell tells than thank thanks that that'd that'll that's thats the their theirs them themselves
then thence there there'd there'll there's thereafter thereby therefore therein theres thereupon these they they'd
they'll they're they've theyre thing things think thinking this thorough thoroughly those though thought three through
throughout thru thus till to together told too took toward towards tried tries truly try trying twice two
under unless unlike unlikely until unto up upon us use used uses using usually
various very via viz
wanna want wanted wants was wasn't wasnt way ways we we'd we'll we're we've well went were weren't werent what what'll
what's whatever whats when whence whenever where where's whereas whereby wherein whereupon wherever whether which
whichever while whilst whither who who'd who'll who's whoever whole whom whomever whose why will wish with within
without won't wonder wont would would've wouldn't wouldnt
yeah yes yet you you'd you'll you're you've youd youll your youre yours yourself yourselves youve
";

/// A set of words to exclude.
///
/// ```
/// use andnmf_io::text::StopWords;
/// let stop_words = StopWords::english();
/// assert!(stop_words.contains("the") && !stop_words.contains("theory"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopWords(HashSet<String>);

impl StopWords {
    /// The built-in English stop words.
    #[must_use]
    pub fn english() -> Self {
        Self(ENGLISH.split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// The empty set.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// These words, in lower case.
    #[must_use]
    pub fn of(words: impl IntoIterator<Item = String>) -> Self {
        Self(words.into_iter().map(|word| word.to_lowercase()).collect())
    }

    /// Reads a file with one or more words per line; `#` starts a comment.
    ///
    /// # Errors
    /// If the file cannot be read, is not text, or is empty.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let mut words = HashSet::new();
        let rules = WordRules { min_letters: 1, numbers: true };
        for line in read_names(path)? {
            let listed = line.split_once('#').map_or(line.as_str(), |(listed, _)| listed);
            rules.for_each_word(listed, |word| {
                words.insert(word.to_owned());
            });
        }
        Ok(Self(words))
    }

    /// Returns true if the set contains a word (in lower case).
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_english_stop_word_is_a_token_and_listed_once() {
        let rules = WordRules { min_letters: 1, numbers: false };
        let mut listed: Vec<&str> = ENGLISH.split_ascii_whitespace().collect();
        let genitive = |word: &str| word.ends_with("'s");
        for word in &listed {
            let mut words = Vec::new();
            rules.for_each_word(word, |word| words.push(word.to_owned()));
            // Tokenization reduces "it's" to "it", which is listed too.
            let expected = word.strip_suffix("'s").unwrap_or(word);
            assert_eq!(words, [expected]);
            assert!(!genitive(word) || StopWords::english().contains(expected), "{word}");
        }
        let n = listed.len();
        listed.sort_unstable();
        listed.dedup();
        assert_eq!((listed.len(), StopWords::english().len()), (n, n));
    }

    #[test]
    fn a_file_may_have_several_words_per_line_and_comments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("stop.txt");
        std::fs::write(&file, "Der die\n# articles above\ndas # neuter\n\n3\n").unwrap();
        let words = StopWords::read(&file).unwrap();
        assert!(["der", "die", "das", "3"].iter().all(|word| words.contains(word)));
        assert_eq!(words.len(), 4);
        let error = StopWords::read(&folder.path().join("sotp.txt")).unwrap_err().to_string();
        assert!(error.contains("sotp.txt"), "{error}");
    }
}
