//! The fields of a line: what stands between separators, quoted or not.

use std::borrow::Cow;
use std::io::BufRead;

use crate::files::error::{Fault, Place, Problem};
use crate::files::text::{Line, Lines, means_missing};

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) quoted: bool,
}

impl Field<'_> {
    /// Whether this can only be a name: neither a number nor a sign for a missing one.
    pub(super) fn is_name(&self) -> bool {
        !is_number(&self.text) && !means_missing(&self.text)
    }
}

/// Whether a text is a number, be it with a decimal comma: that is refused, but not taken for a name.
pub(super) fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.parse::<f64>().is_ok() || text.contains(',') && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// The fields of a line; `None` where a quote is not closed in it.
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

/// The text up to the closing quote, and what follows it; two quotes in a row stand for one.
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

/// How many lines a quoted name may have: a quote that is never closed must not swallow the file.
const LINES_OF_A_FIELD: u64 = 100;

/// The next line that has something in it, with those after it as long as a quote is open; also the number of its
/// first line.
pub(super) fn next_record<'a, R: BufRead>(
    lines: &'a mut Lines<R>,
    separator: Option<char>,
) -> Result<Option<(u64, Line<'a>)>, Fault> {
    loop {
        match lines.next()? {
            None => return Ok(None),
            // Tabs are empty fields where they separate.
            Some(line) if line.text.trim_matches(' ').is_empty() => {}
            Some(_) => break,
        }
    }
    let first = lines.number();
    while is_open(lines.current().text, separator) {
        if lines.number() - first >= LINES_OF_A_FIELD || lines.go_on()?.is_none() {
            let what = "a quote is opened here and not closed".to_owned();
            let instead = "close it, or double it where it belongs to a name".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Place::Line(first)));
        }
    }
    Ok(Some((first, lines.current())))
}

fn is_open(text: &str, separator: Option<char>) -> bool {
    // Where the separator is not known yet, quotes come in pairs or one is open.
    text.contains('"')
        && separator.map_or_else(|| text.matches('"').count() % 2 == 1, |s| split(text, s).is_none())
}

/// The separator of a file, from its first line: the preferred one unless another is there more often.
pub(super) fn separator(line: &str, preferred: char) -> char {
    let mut inside = false;
    let mut counts = [(preferred, 0), (',', 0), (';', 0), ('\t', 0)];
    for letter in line.chars() {
        inside ^= letter == '"';
        counts.iter_mut().filter(|(known, _)| !inside && *known == letter).for_each(|(_, count)| *count += 1);
    }
    // Of equals the first, which is the preferred one.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(preferred, |&(separator, _)| separator)
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
    fn the_separator_is_the_one_that_is_there() {
        assert_eq!(separator("a;b;c", ','), ';');
        assert_eq!(separator("a\tb", ','), '\t');
        assert_eq!(separator("a,b;c", ','), ',');
        assert_eq!(separator("a,b;c", '\t'), ',');
        assert_eq!(separator("abc", '\t'), '\t');
        assert_eq!(separator(r#"";;;;",a"#, ','), ',');
    }

    #[test]
    fn a_quoted_name_may_have_several_lines_but_not_all() {
        let mut lines = Lines::new(&b"\n\"a\nb\",1\n2,3\n"[..]);
        let (number, line) = next_record(&mut lines, Some(',')).unwrap().unwrap();
        assert_eq!((number, line.text), (2, "\"a\nb\",1"));
        assert_eq!(next_record(&mut lines, Some(',')).unwrap().unwrap().1.text, "2,3");
        assert!(next_record(&mut lines, Some(',')).unwrap().is_none());
        for end in ["", "\",1\n"] {
            let endless = format!("1,2\n\"a{}{end}", "\n1,2".repeat(1000));
            let mut lines = Lines::new(endless.as_bytes());
            next_record(&mut lines, None).unwrap();
            let Err(fault) = next_record(&mut lines, Some(',')) else { panic!("a name of a thousand lines") };
            assert_eq!((fault.place, lines.number()), (Place::Line(2), 102), "it is given up in time");
        }
    }
}
