//! Strips e-mail and news posts of everything that their author did not write.
//!
//! The rules are those of scikit-learn's `fetch_20newsgroups(remove=("headers", "footers", "quotes"))` with two
//! exceptions: headers must look like headers, and a long last paragraph is not a signature.

/// Maximum lines of a signature.
const MAX_SIGNATURE_LINES: usize = 10;
/// Maximum letters before the quote mark, as in "JS> what I meant".
const MAX_INITIALS: usize = 5;

/// Returns true if a text begins with the headers of an e-mail or news post.
#[must_use]
pub fn looks_like_post(text: &str) -> bool {
    header_lines(text).is_some()
}

/// Removes headers, quoted lines, attribution lines ("Jo writes:") and the signature.
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

/// The number of header lines, including the blank line after them; `None` if there are no headers.
fn header_lines(text: &str) -> Option<usize> {
    let mut known_fields = 0;
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            return (known_fields > 0).then_some(number + 1);
        }
        let field = field_name(line);
        let continued = line.starts_with([' ', '\t']);
        if number == 0 && field.is_none() && !line.starts_with("From ") {
            return None;
        }
        if let Some(name) = field {
            known_fields +=
                usize::from(["from", "subject", "newsgroups", "message-id"].contains(&name.as_str()));
        } else if !continued && number > 0 && known_fields == 0 {
            return None;
        }
    }
    (known_fields > 0).then(|| text.lines().count())
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
    let marked =
        line.starts_with(['>', '|']) || (initials <= MAX_INITIALS && line.chars().nth(initials) == Some('>'));
    let names_another = ["writes in", "writes:", "wrote:", "says:", "said:"].iter().any(|s| line.contains(s));
    marked || names_another || line.starts_with("In article") || line.starts_with("Quoted from")
}

fn trim_blank<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let filled = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(filled).unwrap_or(lines.len());
    let last = lines.iter().rposition(filled).map_or(first, |last| last + 1);
    &lines[first..last]
}

/// Removes the lines after the last line that is blank or consists of dashes, if they are few enough for a signature.
fn without_signature<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let divides = |line: &&str| line.trim().trim_matches('-').is_empty();
    match lines.iter().rposition(divides) {
        Some(at) if at > 0 && lines.len() - at - 1 <= MAX_SIGNATURE_LINES => trim_blank(&lines[..at]),
        _ => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_removed() {
        let post = "From: a@b\nOrganization: c\n d e\nSubject: f\n\nfirst\nsecond";
        assert_eq!(strip_post(post), "first\nsecond");
        assert!(looks_like_post(post) && looks_like_post(&post.replace('\n', "\r\n")));
        for text in ["Dear Anna:\n\nFrom: nobody", "Note: this\nis no header\n\nbody", "plain", ""] {
            assert!(!looks_like_post(text), "{text}");
        }
        assert_eq!(strip_post("one\n\ntwo: three\nand more"), "one", "the rest is taken for a signature");
    }

    #[test]
    fn quotes_and_attributions_are_removed() {
        let post =
            "Jo Doe <jo@d> writes:\n> old\n  | old\nJD> old\nIn article <7>\nnew > old\nlonger>than initials";
        assert_eq!(strip_post(post), "new > old\nlonger>than initials");
    }

    #[test]
    fn a_short_last_paragraph_is_a_signature_and_a_long_one_is_not() {
        assert_eq!(strip_post("text\nmore\n---\nAnn\nHome\n\n"), "text\nmore");
        assert_eq!(strip_post("only one part"), "only one part");
        let long = format!("begin\n\n{}", ["line"; MAX_SIGNATURE_LINES + 1].join("\n"));
        assert_eq!(strip_post(&long), long);
    }

    #[test]
    fn posts_of_only_headers_or_quotes_become_empty() {
        assert_eq!(strip_post("From: a\nSubject: b"), "");
        assert_eq!(strip_post("> a\n> b"), "");
    }
}
