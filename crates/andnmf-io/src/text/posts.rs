//! E-mail and news posts: what of them is not their author's own words.
//!
//! The rules are those of scikit-learn's `fetch_20newsgroups(remove=("headers", "footers", "quotes"))`, less eager in
//! two places: only what looks like headers is taken for them, and a long last paragraph is no signature.

/// A last paragraph of more lines than this is no signature.
const LONGEST_SIGNATURE: usize = 10;
/// A name or initials before the mark of a quote, as in "JS> what I meant", are no longer than this.
const LONGEST_INITIALS: usize = 5;

/// Whether a text begins with the headers of an e-mail or a news post.
#[must_use]
pub fn looks_like_post(text: &str) -> bool {
    header_lines(text).is_some()
}

/// A post without its headers, the lines that quote others or name them, and the signature.
///
/// ```
/// use andnmf_io::text::strip_post;
/// let post = "From: a@b.org\nSubject: Re: stars\n\nJo writes:\n> Which?\n\nThe red ones.\n--\nAnn, Somewhere";
/// assert_eq!(strip_post(post), "The red ones.");
/// ```
#[must_use]
pub fn strip_post(text: &str) -> String {
    let skipped = header_lines(text).unwrap_or(0);
    let own: Vec<&str> = text.lines().skip(skipped).filter(|line| !is_quote(line)).collect();
    without_signature(trim_blank(&own)).join("\n")
}

/// The number of lines that are headers, with the blank one after them.
fn header_lines(text: &str) -> Option<usize> {
    let mut tells = 0;
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            return (tells > 0).then_some(number + 1);
        }
        let field = field_name(line);
        let continued = line.starts_with([' ', '\t']);
        if number == 0 && field.is_none() && !line.starts_with("From ") {
            return None;
        }
        if let Some(name) = field {
            tells += usize::from(["from", "subject", "newsgroups", "message-id"].contains(&name.as_str()));
        } else if !continued && number > 0 && tells == 0 {
            return None;
        }
    }
    (tells > 0).then(|| text.lines().count())
}

/// The name of a header such as `Reply-To: …`, in lower case.
fn field_name(line: &str) -> Option<String> {
    let (name, _) = line.split_once(':')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    plain.then(|| name.to_ascii_lowercase())
}

fn is_quote(line: &str) -> bool {
    let line = line.trim_start();
    let initials = line.chars().take_while(|c| c.is_alphanumeric()).count();
    let marked = line.starts_with(['>', '|'])
        || (initials <= LONGEST_INITIALS && line.chars().nth(initials) == Some('>'));
    let names_another = ["writes in", "writes:", "wrote:", "says:", "said:"].iter().any(|s| line.contains(s));
    marked || names_another || line.starts_with("In article") || line.starts_with("Quoted from")
}

fn trim_blank<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let filled = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(filled).unwrap_or(lines.len());
    let last = lines.iter().rposition(filled).map_or(first, |last| last + 1);
    &lines[first..last]
}

/// What comes before the last line that is blank or made of dashes, where little follows it.
fn without_signature<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let divides = |line: &&str| line.trim().trim_matches('-').is_empty();
    match lines.iter().rposition(divides) {
        Some(at) if at > 0 && lines.len() - at - 1 <= LONGEST_SIGNATURE => trim_blank(&lines[..at]),
        _ => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_go_where_there_are_some() {
        let post = "From: a@b\nOrganization: c\n d e\nSubject: f\n\nfirst\nsecond";
        assert_eq!(strip_post(post), "first\nsecond");
        assert!(looks_like_post(post) && looks_like_post(&post.replace('\n', "\r\n")));
        for text in ["Dear Anna:\n\nFrom: nobody", "Note: this\nis no header\n\nbody", "plain", ""] {
            assert!(!looks_like_post(text), "{text}");
        }
        assert_eq!(strip_post("one\n\ntwo: three\nand more"), "one", "the rest is taken for a signature");
    }

    #[test]
    fn quotes_and_those_who_are_quoted_go() {
        let post =
            "Jo Doe <jo@d> writes:\n> old\n  | old\nJD> old\nIn article <7>\nnew > old\nlonger>than initials";
        assert_eq!(strip_post(post), "new > old\nlonger>than initials");
    }

    #[test]
    fn a_short_last_part_is_a_signature_and_a_long_one_is_not() {
        assert_eq!(strip_post("text\nmore\n---\nAnn\nHome\n\n"), "text\nmore");
        assert_eq!(strip_post("only one part"), "only one part");
        let long = format!("begin\n\n{}", ["line"; LONGEST_SIGNATURE + 1].join("\n"));
        assert_eq!(strip_post(&long), long);
    }

    #[test]
    fn what_is_all_header_or_quote_becomes_empty() {
        assert_eq!(strip_post("From: a\nSubject: b"), "");
        assert_eq!(strip_post("> a\n> b"), "");
    }
}
