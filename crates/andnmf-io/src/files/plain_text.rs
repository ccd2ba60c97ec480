//! Lines and numbers of text files, with their locations.

use std::io::{self, BufRead, Read, Write};

use super::error::{LocatedProblem, Location, Problem};
use andnmf::Real;

/// The longest line in bytes: millions of numbers. A file of a few megabytes can unpack to one line of gigabytes, and some
/// devices have no line ends at all.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// The longest line of files with one entry or name per line.
pub(crate) const MAX_ENTRY_LINE: usize = 1 << 20;

/// The longest line in a quarter of this much memory: it is parsed while it is there, and lists grow by doubling.
pub(crate) fn longest_line(memory: Option<u64>) -> usize {
    let quarter = memory.map_or(MAX_LINE, |bytes| usize::try_from(bytes / 4).unwrap_or(MAX_LINE));
    quarter.clamp(MAX_ENTRY_LINE / 4, MAX_LINE)
}

/// Reads lines one at a time, counted from 1, without line endings and without a byte-order mark.
pub(crate) struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    number: u64,
    longest: usize,
}

/// A line with its number.
#[derive(Clone, Copy)]
pub(crate) struct NumberedLine<'a> {
    pub(crate) number: u64,
    pub(crate) text: &'a str,
}

impl NumberedLine<'_> {
    pub(crate) fn location(self) -> Location {
        Location::Line(self.number)
    }
}

impl<R: BufRead> LineReader<R> {
    #[cfg(test)]
    pub(crate) fn new(source: R) -> Self {
        Self::with_longest(source, MAX_LINE)
    }

    /// A reader of lines of at most this many bytes.
    pub(crate) fn with_longest(source: R, longest: usize) -> Self {
        Self { source, buffer: Vec::new(), number: 0, longest }
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<NumberedLine<'_>>, LocatedProblem> {
        self.buffer.clear();
        self.append_next()
    }

    /// Appends the next line to the current one, for quoted fields that span lines.
    pub(crate) fn append_next(&mut self) -> Result<Option<NumberedLine<'_>>, LocatedProblem> {
        if !self.buffer.is_empty() {
            self.buffer.push(b'\n');
        }
        let (known, number) = (self.buffer.len(), self.number + 1);
        let locate = |error: LocatedProblem| error.problem.at(Location::Line(number));
        // Two bytes more for the line end.
        let allowed = (self.longest + 2).saturating_sub(known) as u64;
        let read = self.source.by_ref().take(allowed).read_until(b'\n', &mut self.buffer);
        if read.map_err(|error| locate(error.into()))? == 0 && allowed > 0 {
            return Ok(None);
        }
        if allowed == 0 || self.buffer.len() >= self.longest + 2 && !self.buffer.ends_with(b"\n") {
            self.buffer = Vec::new();
            return Err(Problem::LongLine { longest: self.longest }.at(Location::Line(number)));
        }
        self.number = number;
        if number == 1 {
            strip_byte_order_mark(&mut self.buffer)?;
        }
        if self.buffer.len() > known && self.buffer.ends_with(b"\n") {
            self.buffer.pop();
        }
        if self.buffer.len() > known && self.buffer.ends_with(b"\r") {
            self.buffer.pop();
        }
        let text = std::str::from_utf8(&self.buffer).map_err(|_| {
            let reason = "it is not valid UTF-8; save it as UTF-8".to_owned();
            Problem::NotThisFormat { expected: "a text file", reason }.at(Location::Line(number))
        })?;
        Ok(Some(NumberedLine { number, text }))
    }

    /// The next line that is not blank.
    pub(crate) fn next_nonblank(&mut self) -> Result<Option<NumberedLine<'_>>, LocatedProblem> {
        loop {
            // `current` borrows again, because the borrow checker would extend the borrow of `next` to all paths.
            match self.next()? {
                None => return Ok(None),
                Some(line) if line.text.trim().is_empty() => {}
                Some(_) => break,
            }
        }
        Ok(Some(self.current()))
    }

    /// The last line read.
    pub(crate) fn current(&self) -> NumberedLine<'_> {
        // `append_next` has checked that this is UTF-8.
        NumberedLine { number: self.number, text: std::str::from_utf8(&self.buffer).unwrap_or_default() }
    }

    /// The number of lines read so far.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The location of the last line read, for errors about missing data.
    pub(crate) fn end_location(&self) -> Location {
        Location::Line(self.number.max(1))
    }
}

/// Removes a UTF-8 byte-order mark; rejects UTF-16.
fn strip_byte_order_mark(line: &mut Vec<u8>) -> Result<(), LocatedProblem> {
    if line.starts_with(&[0xff, 0xfe]) || line.starts_with(&[0xfe, 0xff]) {
        let reason = "it is UTF-16; save it as UTF-8".to_owned();
        return Err(Problem::NotThisFormat { expected: "a UTF-8 text file", reason }.at(Location::Line(1)));
    }
    if line.starts_with(&[0xef, 0xbb, 0xbf]) {
        line.drain(..3);
    }
    Ok(())
}

/// Parses a finite number.
#[inline]
pub(crate) fn parse_number<T: Real>(text: &str) -> Result<T, Problem> {
    match text.parse::<T>() {
        Ok(value) if value.finite() => Ok(value),
        _ => Err(explain_bad_number(text)),
    }
}

#[cold]
fn explain_bad_number(text: &str) -> Problem {
    if let Ok(value) = text.parse::<f64>() {
        return Problem::NotFinite { value };
    }
    if is_missing_marker(text) {
        return Problem::Missing;
    }
    let shown = shorten(text);
    if text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok() {
        let instead = "use a decimal point".to_owned();
        return Problem::Unsupported { what: format!("'{shown}' has a decimal comma"), instead };
    }
    let parts = || text.split([' ', '\t', ';', ',', '|']).filter(|part| !part.is_empty());
    if parts().count() > 1 && parts().all(|part| part.parse::<f64>().is_ok()) {
        let instead = "separate all values by the same character: a comma, a semicolon or a tab".to_owned();
        return Problem::Unsupported { what: format!("'{shown}' contains several numbers"), instead };
    }
    Problem::NotANumber { text: shown }
}

/// Returns true for texts that programs write for a missing value.
pub(crate) fn is_missing_marker(text: &str) -> bool {
    const WORDS: [&str; 9] = ["", "na", "n/a", "null", "none", "<na>", "-", "?", "."];
    WORDS.contains(&text.trim().to_ascii_lowercase().as_str())
}

/// Parses an integer of 0 or more.
#[inline]
pub(crate) fn parse_unsigned(text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| {
        let shown = shorten(text);
        Problem::NotThisFormat { expected: "an integer of 0 or more", reason: format!("'{shown}'") }
    })
}

/// Shortens and escapes a text for an error message.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Writes a number with the fewest digits that parse back to the same number.
pub(crate) fn write_number<T: Real>(out: &mut dyn Write, value: T) -> io::Result<()> {
    // `Debug` uses exponents for very large and small numbers, and writes ".0" after integers.
    let number = value.as_f64();
    if number.abs() < 1e15 && number.fract() == 0.0 && (number != 0.0 || number.is_sign_positive()) {
        return write!(out, "{}", number as i64);
    }
    write!(out, "{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Result<Vec<String>, LocatedProblem> {
        let mut lines = LineReader::new(text);
        let mut all = Vec::new();
        while let Some(line) = lines.next()? {
            all.push(format!("{}:{}", line.number, line.text));
        }
        Ok(all)
    }

    #[test]
    fn byte_order_marks_and_line_endings_are_removed() {
        assert_eq!(lines(b"\xef\xbb\xbfa\r\nb\n\nc").unwrap(), ["1:a", "2:b", "3:", "4:c"]);
        assert_eq!(lines(b"").unwrap(), [""; 0]);
    }

    #[test]
    fn a_line_without_an_end_is_refused_before_it_takes_the_memory() {
        let longest = 10;
        let lines = |text: &'static [u8]| {
            let mut lines = LineReader::with_longest(text, longest);
            let mut count = 0;
            loop {
                match lines.next() {
                    Ok(Some(_)) => count += 1,
                    Ok(None) => return Ok(count),
                    Err(error) => return Err((count, error.location, error.problem.to_string())),
                }
            }
        };
        assert_eq!(lines(b"0123456789\r\n0123456789\n0123456789"), Ok(3));
        let (count, location, message) = lines(b"1\n0123456789ab\n").unwrap_err();
        assert_eq!((count, location), (1, Location::Line(2)));
        assert!(message.contains("longer than 10 bytes"), "{message}");
        let mut endless = LineReader::with_longest(io::BufReader::new(io::repeat(b'7')), 1 << 20);
        let (error, peak) = crate::files::testing::peak_memory(|| endless.next().map(drop).unwrap_err());
        assert!(matches!(error.problem, Problem::LongLine { .. }) && peak < 3 << 20, "{peak}");
    }

    #[test]
    fn a_quoted_field_of_many_lines_counts_as_one_line() {
        let mut lines = LineReader::with_longest(&b"abc\ndef\nghi\n"[..], 8);
        assert!(lines.next().unwrap().is_some() && lines.append_next().unwrap().is_some());
        assert!(matches!(lines.append_next().map(drop).unwrap_err().problem, Problem::LongLine { .. }));
    }

    #[test]
    fn other_encodings_are_refused_with_what_to_do() {
        for (bytes, line) in [(&b"\xff\xfea\0"[..], 1), (b"a\n\xe9\n", 2)] {
            let error = lines(bytes).unwrap_err();
            assert_eq!(error.location, Location::Line(line));
            assert!(error.problem.to_string().contains("UTF-8"), "{}", error.problem);
        }
    }

    #[test]
    fn the_error_says_why_a_text_is_not_a_finite_number() {
        let problem = |text| parse_number::<f32>(text).unwrap_err().to_string();
        assert!(problem("x7").contains("'x7' is not a number"));
        assert!(problem("nan").contains("the value is NaN"));
        assert!(
            problem("1e39").contains("within the range of the requested precision"),
            "{}",
            problem("1e39")
        );
        assert!(problem("1,5").contains("decimal comma"));
        assert!(problem("NA").contains("missing") && problem("").contains("missing"));
        assert!(problem(&"z".repeat(1000)).len() < 80);
        assert_eq!(parse_number::<f64>("1e39").unwrap(), 1e39);
    }

    #[test]
    fn numbers_read_back_as_they_were_written() {
        for value in
            [0.0, -0.0, 1.0, -3.0, 0.1, 1e-300, 1.7e308, 123_456_789.0, 1e15, 1e16, 3e20, f64::MIN_POSITIVE]
        {
            let mut text = Vec::new();
            write_number(&mut text, value).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(parse_number::<f64>(&text).unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(text.len() < 25, "{text}");
        }
        let mut text = Vec::new();
        write_number(&mut text, 0.1_f32).unwrap();
        assert_eq!(text, b"0.1");
    }
}
