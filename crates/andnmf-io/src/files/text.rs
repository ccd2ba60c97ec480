//! Lines and numbers of text files, each with its place.

use std::io::{self, BufRead, Write};

use super::error::{Fault, Place, Problem};
use andnmf::Real;

/// The lines of a text, one at a time and counted from 1, without the ends of lines and a byte-order mark.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    number: u64,
}

/// A line with its number.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) number: u64,
    pub(crate) text: &'a str,
}

impl Line<'_> {
    pub(crate) fn place(self) -> Place {
        Place::Line(self.number)
    }
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), number: 0 }
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, Fault> {
        self.buffer.clear();
        self.go_on()
    }

    /// The current line with the next one after it, for what is quoted across lines.
    pub(crate) fn go_on(&mut self) -> Result<Option<Line<'_>>, Fault> {
        if !self.buffer.is_empty() {
            self.buffer.push(b'\n');
        }
        let (known, number) = (self.buffer.len(), self.number + 1);
        let here = |fault: Fault| fault.problem.at(Place::Line(number));
        if self.source.read_until(b'\n', &mut self.buffer).map_err(|error| here(error.into()))? == 0 {
            return Ok(None);
        }
        self.number = number;
        if number == 1 {
            without_mark(&mut self.buffer)?;
        }
        if self.buffer.len() > known && self.buffer.ends_with(b"\n") {
            self.buffer.pop();
        }
        if self.buffer.len() > known && self.buffer.ends_with(b"\r") {
            self.buffer.pop();
        }
        let text = std::str::from_utf8(&self.buffer).map_err(|_| {
            let reason = "it has bytes that are no letters; save it as UTF-8".to_owned();
            Problem::NotThisFormat { expected: "a text", reason }.at(Place::Line(number))
        })?;
        Ok(Some(Line { number, text }))
    }

    /// The next line that is not blank.
    pub(crate) fn next_filled(&mut self) -> Result<Option<Line<'_>>, Fault> {
        loop {
            // Looked at twice, as a borrow that is handed out on one path lasts on all of them.
            match self.next()? {
                None => return Ok(None),
                Some(line) if line.text.trim().is_empty() => {}
                Some(_) => break,
            }
        }
        Ok(Some(self.current()))
    }

    /// The line that was read last.
    pub(crate) fn current(&self) -> Line<'_> {
        // Looked through when it was read.
        Line { number: self.number, text: std::str::from_utf8(&self.buffer).unwrap_or_default() }
    }

    /// How many lines have been read.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The place after everything that was read: for what is missing there.
    pub(crate) fn end(&self) -> Place {
        Place::Line(self.number.max(1))
    }
}

/// Takes a byte-order mark away, and refuses texts in another encoding.
fn without_mark(line: &mut Vec<u8>) -> Result<(), Fault> {
    if line.starts_with(&[0xff, 0xfe]) || line.starts_with(&[0xfe, 0xff]) {
        let reason = "it is UTF-16; save it as UTF-8".to_owned();
        return Err(Problem::NotThisFormat { expected: "a text in UTF-8", reason }.at(Place::Line(1)));
    }
    if line.starts_with(&[0xef, 0xbb, 0xbf]) {
        line.drain(..3);
    }
    Ok(())
}

/// A finite number, or why it is none.
#[inline]
pub(crate) fn number<T: Real>(text: &str) -> Result<T, Problem> {
    match text.parse::<T>() {
        Ok(value) if value.finite() => Ok(value),
        _ => Err(not_a_number(text)),
    }
}

#[cold]
fn not_a_number(text: &str) -> Problem {
    if let Ok(value) = text.parse::<f64>() {
        return Problem::NotFinite { value };
    }
    if means_missing(text) {
        return Problem::Missing;
    }
    let shown = shorten(text);
    if text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok() {
        let instead = "write the decimals after a point".to_owned();
        return Problem::Unsupported { what: format!("'{shown}' has a decimal comma"), instead };
    }
    let parts = || text.split([' ', '\t', ';', ',', '|']).filter(|part| !part.is_empty());
    if parts().count() > 1 && parts().all(|part| part.parse::<f64>().is_ok()) {
        let instead = "the separator must be the same everywhere: a comma, a semicolon or a tab".to_owned();
        return Problem::Unsupported { what: format!("'{shown}' are several numbers"), instead };
    }
    Problem::NotANumber { text: shown }
}

/// What programs write where they have no value.
pub(crate) fn means_missing(text: &str) -> bool {
    const WORDS: [&str; 9] = ["", "na", "n/a", "null", "none", "<na>", "-", "?", "."];
    WORDS.contains(&text.trim().to_ascii_lowercase().as_str())
}

/// A whole number of zero or more.
#[inline]
pub(crate) fn whole(text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| {
        let shown = shorten(text);
        Problem::NotThisFormat { expected: "a whole number of zero or more", reason: format!("'{shown}'") }
    })
}

/// The beginning of a text, fit to be shown in one line.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Writes a number in the fewest digits that read back as the same number.
pub(crate) fn write_number<T: Real>(out: &mut dyn Write, value: T) -> io::Result<()> {
    // `Debug` turns to exponents for the very large and small, and writes ".0" after whole numbers.
    let whole = value.as_f64();
    if whole.abs() < 1e15 && whole.fract() == 0.0 && (whole != 0.0 || whole.is_sign_positive()) {
        return write!(out, "{}", whole as i64);
    }
    write!(out, "{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Result<Vec<String>, Fault> {
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(line) = lines.next()? {
            all.push(format!("{}:{}", line.number, line.text));
        }
        Ok(all)
    }

    #[test]
    fn marks_and_ends_of_lines_are_taken_away() {
        assert_eq!(lines(b"\xef\xbb\xbfa\r\nb\n\nc").unwrap(), ["1:a", "2:b", "3:", "4:c"]);
        assert_eq!(lines(b"").unwrap(), [""; 0]);
    }

    #[test]
    fn other_encodings_are_refused_with_what_to_do() {
        for (bytes, line) in [(&b"\xff\xfea\0"[..], 1), (b"a\n\xe9\n", 2)] {
            let fault = lines(bytes).unwrap_err();
            assert_eq!(fault.place, Place::Line(line));
            assert!(fault.problem.to_string().contains("UTF-8"), "{}", fault.problem);
        }
    }

    #[test]
    fn what_is_no_finite_number_is_refused_by_what_it_is() {
        let problem = |text| number::<f32>(text).unwrap_err().to_string();
        assert!(problem("x7").contains("'x7' is not a number"));
        assert!(problem("nan").contains("the value is NaN"));
        assert!(problem("1e39").contains("within the range of the precision"), "{}", problem("1e39"));
        assert!(problem("1,5").contains("decimal comma"));
        assert!(problem("NA").contains("missing") && problem("").contains("missing"));
        assert!(problem(&"z".repeat(1000)).len() < 80);
        assert_eq!(number::<f64>("1e39").unwrap(), 1e39);
    }

    #[test]
    fn numbers_read_back_as_they_were_written() {
        for value in
            [0.0, -0.0, 1.0, -3.0, 0.1, 1e-300, 1.7e308, 123_456_789.0, 1e15, 1e16, 3e20, f64::MIN_POSITIVE]
        {
            let mut text = Vec::new();
            write_number(&mut text, value).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(number::<f64>(&text).unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(text.len() < 25, "{text}");
        }
        let mut text = Vec::new();
        write_number(&mut text, 0.1_f32).unwrap();
        assert_eq!(text, b"0.1");
    }
}
