//! Tokenization: splits texts into words.

/// Tokenization rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordRules {
    /// Minimum number of letters of a word.
    pub min_letters: usize,
    /// True to accept numbers and words with digits.
    pub numbers: bool,
}

impl Default for WordRules {
    /// At least two letters, and no digits.
    fn default() -> Self {
        Self { min_letters: 2, numbers: false }
    }
}

impl WordRules {
    /// Returns true if the rules accept a word.
    #[must_use]
    pub fn accepts(&self, word: &str) -> bool {
        let has_digits = word.chars().any(char::is_numeric);
        if has_digits {
            return self.numbers;
        }
        word.chars().filter(|c| c.is_alphabetic()).count() >= self.min_letters.max(1)
    }

    /// Calls `visit` with every accepted word of a text, in order and in lower case.
    ///
    /// A word is a run of letters and digits of any script. Inner apostrophes are kept ("don't"), an English genitive
    /// is removed ("Anna's" becomes "anna"). Scripts without spaces between words give whole phrases.
    ///
    /// ```
    /// use andnmf_io::text::WordRules;
    /// let mut words = Vec::new();
    /// WordRules::default().for_each_word("Anna's 2 cafés don’t open.", |word| words.push(word.to_owned()));
    /// assert_eq!(words, ["anna", "cafés", "don't", "open"]);
    /// ```
    pub fn for_each_word(&self, text: &str, mut visit: impl FnMut(&str)) {
        let mut word = String::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c.is_alphanumeric() || (!word.is_empty() && is_accent(c)) {
                word.extend(c.to_lowercase());
                continue;
            }
            let inside = !word.is_empty() && rest.peek().is_some_and(|next| next.is_alphabetic());
            if is_apostrophe(c) && inside {
                word.push('\'');
                continue;
            }
            self.finish(&mut word, &mut visit);
        }
        self.finish(&mut word, &mut visit);
    }

    fn finish(&self, word: &mut String, visit: &mut impl FnMut(&str)) {
        if !word.is_empty() {
            let plain = word.strip_suffix("'s").unwrap_or(word);
            if self.accepts(plain) {
                visit(plain);
            }
            word.clear();
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

/// Returns true for combining accents, which are characters after their letter.
fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, rules: WordRules) -> Vec<String> {
        let mut words = Vec::new();
        rules.for_each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_are_runs_of_letters_in_lower_case() {
        let text = "The Quick-brown_fox, ÄPFEL\tЖизнь;a\u{300}lla e\u{301}te";
        let expected = ["the", "quick", "brown", "fox", "äpfel", "жизнь", "a\u{300}lla", "e\u{301}te"];
        assert_eq!(words(text, WordRules::default()), expected);
        assert_eq!(words("", WordRules::default()), [""; 0]);
    }

    #[test]
    fn apostrophes_belong_to_words_only_within_them() {
        let text = "'twas don't DON\u{2019}T 'quoted' o'neill's dogs' it's";
        let expected = ["twas", "don't", "don't", "quoted", "o'neill", "dogs", "it"];
        assert_eq!(words(text, WordRules::default()), expected);
    }

    #[test]
    fn numbers_are_accepted_only_on_request() {
        let text = "in 1993 x11r5 mp3 7";
        assert_eq!(words(text, WordRules::default()), ["in"]);
        let all = WordRules { numbers: true, ..WordRules::default() };
        assert_eq!(words(text, all), ["in", "1993", "x11r5", "mp3", "7"]);
    }

    #[test]
    fn short_words_are_excluded_by_their_letters() {
        let three = WordRules { min_letters: 3, ..WordRules::default() };
        assert_eq!(words("ab abc a'b éàü", three), ["abc", "éàü"]);
        assert_eq!(words("a b cd", WordRules { min_letters: 0, ..three }), ["a", "b", "cd"]);
    }
}
