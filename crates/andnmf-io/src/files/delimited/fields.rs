//! Splits lines into fields, quoted or not.

use std::borrow::Cow;
use std::io::BufRead;

use crate::files::error::{LocatedProblem, Location, Problem};
use crate::files::plain_text::{LineReader, NumberedLine, is_missing_marker};

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) quoted: bool,
}

impl Field<'_> {
    /// Returns true if the field is neither a number nor a missing-value marker.
    pub(super) fn is_name(&self) -> bool {
        !is_number(&self.text) && !is_missing_marker(&self.text)
    }
}

/// Returns true for a number, also with a decimal comma (an error later, but not a name).
pub(super) fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.parse::<f64>().is_ok() || text.contains(',') && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Splits a line into fields; `None` if a quote is not closed.
pub(super) fn split(line: &str, separator: char) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let field = rest.trim_start_matches(' ');
        let (text, quoted, after) = if let Some(inside) = field.strip_prefix('"') {
            let (text, after) = unquote(inside)?;
            let end = after.find(separator).unwrap_or(after.len());
            (text, true, &after[end..])
        } else {
            let end = rest.find(separator).unwrap_or(rest.len());
            (Cow::Borrowed(rest[..end].trim()), false, &rest[end..])
        };
        fields.push(Field { text, quoted });
        match after.strip_prefix(separator) {
            Some(next) => rest = next,
            None => return Some(fields),
        }
    }
}

/// Returns the text up to the closing quote and the rest; a doubled quote is an escaped quote.
fn unquote(inside: &str) -> Option<(Cow<'_, str>, &str)> {
    let (text, mut after) = inside.split_once('"')?;
    let mut text = Cow::Borrowed(text);
    while let Some(next) = after.strip_prefix('"') {
        let (more, rest) = next.split_once('"')?;
        text.to_mut().push('"');
        text.to_mut().push_str(more);
        after = rest;
    }
    Some((text, after))
}

/// Limit on the lines of a quoted field, so that an unclosed quote does not consume the whole file.
const MAX_LINES_PER_FIELD: u64 = 100;

/// Reads the next non-blank line, with the following lines while a quote is open; also returns the number of its first
/// line.
pub(super) fn next_record<'a, R: BufRead>(
    lines: &'a mut LineReader<R>,
    separator: Option<char>,
) -> Result<Option<(u64, NumberedLine<'a>)>, LocatedProblem> {
    loop {
        match lines.next()? {
            None => return Ok(None),
            // A line of tabs is a row of empty fields, not a blank line.
            Some(line) if line.text.trim_matches(' ').is_empty() => {}
            Some(_) => break,
        }
    }
    let first = lines.number();
    while has_open_quote(lines.current().text, separator) {
        if lines.number() - first >= MAX_LINES_PER_FIELD || lines.append_next()?.is_none() {
            let what = "the quote that opens here is never closed".to_owned();
            let instead = "close it, or write two quotes for a quote in a name".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Location::Line(first)));
        }
    }
    Ok(Some((first, lines.current())))
}

fn has_open_quote(text: &str, separator: Option<char>) -> bool {
    // As long as the separator is unknown, an odd number of quotes means an open one.
    text.contains('"')
        && separator.map_or_else(|| text.matches('"').count() % 2 == 1, |s| split(text, s).is_none())
}

/// Detects the separator from the first line: the most frequent one, or the default.
pub(super) fn separator(line: &str, default_separator: char) -> char {
    let mut inside = false;
    let mut counts = [(default_separator, 0), (',', 0), (';', 0), ('\t', 0)];
    for letter in line.chars() {
        inside ^= letter == '"';
        counts.iter_mut().filter(|(known, _)| !inside && *known == letter).for_each(|(_, count)| *count += 1);
    }
    // Ties go to the default separator, which is first.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(default_separator, |&(separator, _)| separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Option<Vec<String>> {
        Some(split(line, ',')?.into_iter().map(|field| field.text.into_owned()).collect())
    }

    #[test]
    fn quotes_hide_separators_and_double_for_themselves() {
        assert_eq!(texts(r#"a, "b,c" ,"say ""hi""","",d"#).unwrap(), ["a", "b,c", "say \"hi\"", "", "d"]);
        assert_eq!(texts("").unwrap(), [""]);
        assert_eq!(texts(",").unwrap(), ["", ""]);
        assert_eq!(texts(r#"5" pipe,x"#).unwrap(), ["5\" pipe", "x"], "a quote in the middle is a letter");
        assert_eq!(texts(r#"a,"b"#), None);
        let quoted: Vec<bool> = split(r#""1",2"#, ',').unwrap().iter().map(|field| field.quoted).collect();
        assert_eq!(quoted, [true, false]);
    }

    #[test]
    fn the_most_frequent_separator_is_detected() {
        assert_eq!(separator("a;b;c", ','), ';');
        assert_eq!(separator("a\tb", ','), '\t');
        assert_eq!(separator("a,b;c", ','), ',');
        assert_eq!(separator("a,b;c", '\t'), ',');
        assert_eq!(separator("abc", '\t'), '\t');
        assert_eq!(separator(r#"";;;;",a"#, ','), ',');
    }

    #[test]
    fn a_quoted_name_may_have_several_lines_up_to_a_limit() {
        let mut lines = LineReader::new(&b"\n\"a\nb\",1\n2,3\n"[..]);
        let (number, line) = next_record(&mut lines, Some(',')).unwrap().unwrap();
        assert_eq!((number, line.text), (2, "\"a\nb\",1"));
        assert_eq!(next_record(&mut lines, Some(',')).unwrap().unwrap().1.text, "2,3");
        assert!(next_record(&mut lines, Some(',')).unwrap().is_none());
        for end in ["", "\",1\n"] {
            let endless = format!("1,2\n\"a{}{end}", "\n1,2".repeat(1000));
            let mut lines = LineReader::new(endless.as_bytes());
            next_record(&mut lines, None).unwrap();
            let Err(error) = next_record(&mut lines, Some(',')) else { panic!("a name of a thousand lines") };
            assert_eq!((error.location, lines.number()), (Location::Line(2), 102), "the limit applies");
        }
    }
}
