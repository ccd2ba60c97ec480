//! All messages for users in one listing, and the rules that each of them must follow.
//!
//! The listing has every string literal of the workspace that reads like a sentence, with its file and line, and the
//! `--help` of every command. The test writes it to `messages.txt` in the target folder: read it from top to bottom
//! after changing messages.

use std::path::{Path, PathBuf};

use crate::support::{andnmf, text};

/// Words and phrases that do not belong in messages, each with a plain replacement.
const BANNED: [(&str, &str); 24] = [
    ("told", "reported, given"),
    ("asked", "requested"),
    ("heard", "received"),
    ("begun", "started"),
    ("astray", "diverged, wrong"),
    ("called off", "cancelled"),
    ("is there already", "exists"),
    ("are there already", "exist"),
    ("turned round", "transposed"),
    ("time is up", "time limit reached"),
    ("so many", "this many, N"),
    ("in vain", "without effect"),
    ("whoever", "(name who)"),
    ("nobody", "(say what fails)"),
    ("all the same", "nevertheless"),
    ("by then", "so far"),
    ("come to its end", "finished"),
    ("goes on", "continues, resumes"),
    ("go on", "continue, resume"),
    ("leave out", "omit"),
    ("left out", "omitted, skipped"),
    ("left alone", "ignored"),
    ("looked for", "searched"),
    ("to the letter", "exactly"),
];

/// Files without messages: tests, and a list of English words.
const SKIPPED: [&str; 4] = ["test", "each_query", "oracle", "stop_words"];

/// Openings that make the help of an option a riddle.
const RIDDLES: [&str; 5] = ["What ", "Whether ", "Where ", "How ", "Which "];

/// A message and where it is made.
#[derive(Debug)]
struct Message {
    /// File and line, or the command whose help it is.
    origin: String,
    text: String,
}

/// Calls whose texts are for developers.
const INTERNAL: [&str; 4] = ["expect(", "panic!(", "unreachable!(", "concat!("];

/// The string literals of Rust code outside of its inline tests, with their line numbers.
fn literals(code: &str) -> Vec<(usize, String)> {
    let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or(code);
    let chars: Vec<char> = code.chars().collect();
    let starts_with =
        |at: usize, text: &str| text.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let raw_start = |hashes: usize| starts_with(at, &format!("r{}\"", "#".repeat(hashes)));
        let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        if starts_with(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if chars[at] == '\'' {
            // A character literal, or a lifetime.
            at += match (chars.get(at + 1), chars.get(at + 2)) {
                (Some('\\'), _) => {
                    2 + chars[at + 2..].iter().skip(1).position(|&c| c == '\'').unwrap_or(0) + 2
                }
                (_, Some('\'')) => 3,
                _ => 1,
            };
        } else if let Some(hashes) = (0..4).find(|&hashes| !in_word && raw_start(hashes)) {
            let (start, end) = (at + hashes + 2, format!("\"{}", "#".repeat(hashes)));
            at = (start..chars.len()).find(|&i| starts_with(i, &end)).unwrap_or(chars.len());
            found.push((line, chars[start..at].iter().collect::<String>()));
            line += chars[start..at].iter().filter(|&&c| c == '\n').count();
            at += end.len();
        } else if chars[at] == '"' {
            let (mut value, start_line) = (String::new(), line);
            let before: String = chars[at.saturating_sub(60)..at].iter().collect();
            let internal = INTERNAL.iter().any(|call| before.trim_end().ends_with(call));
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                match (chars[at], chars.get(at + 1)) {
                    ('\\', Some('\n')) => {
                        line += 1;
                        at += 2;
                        while chars.get(at).is_some_and(|c| *c == ' ') {
                            at += 1;
                        }
                        continue;
                    }
                    ('\\', Some('n')) => value.push('\n'),
                    ('\\', Some(&escaped)) => value.push(escaped),
                    (c, _) => {
                        line += usize::from(c == '\n');
                        value.push(c);
                        at += 1;
                        continue;
                    }
                }
                at += 2;
            }
            at += 1;
            if !internal {
                found.push((start_line, value));
            }
        } else {
            line += usize::from(chars[at] == '\n');
            at += 1;
        }
    }
    found
}

/// Returns true for text with two words or more, and no markup.
fn reads_like_a_sentence(text: &str) -> bool {
    let is_word =
        |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || ",.;:'’-".contains(c));
    let words = text.split_whitespace().filter(is_word).count();
    words >= 2 && !text.contains("</") && !text.contains("px;") && !text.contains("function")
}

/// All Rust files below a folder that are not tests.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "samples", "testing"].contains(&name.as_str()) {
                rust_files(&path, files);
            }
        } else if name.ends_with(".rs") && !SKIPPED.iter().any(|skipped| name.contains(skipped)) {
            files.push(path);
        }
    }
}

fn source_messages() -> Vec<Message> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        rust_files(&entry.unwrap().path().join("src"), &mut files);
    }
    rust_files(&root.join("bindings/python/src"), &mut files);
    files.sort();
    let mut messages = Vec::new();
    for file in files {
        let code = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let sentences = literals(&code).into_iter().filter(|(_, text)| reads_like_a_sentence(text));
        messages.extend(sentences.map(|(line, text)| Message { origin: format!("{name}:{line}"), text }));
    }
    messages
}

/// The names of all commands, as the overview lists them.
fn commands() -> Vec<String> {
    let help = text(&andnmf(&["--help"]).stdout);
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

fn help_messages() -> Vec<Message> {
    let overview = Message { origin: "andnmf --help".to_owned(), text: text(&andnmf(&["--help"]).stdout) };
    let of_command = |name: String| Message {
        text: text(&andnmf(&[&name, "--help"]).stdout),
        origin: format!("andnmf {name} --help"),
    };
    std::iter::once(overview).chain(commands().into_iter().map(of_command)).collect()
}

/// The options of all commands, without their dashes.
fn option_names(helps: &[Message]) -> Vec<String> {
    let words = helps.iter().flat_map(|help| help.text.split_whitespace());
    let mut names: Vec<String> =
        words.filter_map(|word| word.strip_prefix("--")).map(|name| name.to_owned()).collect();
    names.retain(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    names.sort();
    names.dedup();
    names
}

/// Returns true if the text has the phrase as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let text: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    text.windows(phrase.len()).any(|words| words.iter().zip(&phrase).all(|(a, b)| a == b))
}

/// The first number such as 2.2e0 or 1.8e+1: one that needs no exponent.
fn needless_exponent(text: &str) -> Option<&str> {
    let is_number = |word: &&str| {
        let (mantissa, exponent) = word.split_once('e').unwrap_or_default();
        let digits =
            |part: &str| part.starts_with(|c: char| c.is_ascii_digit()) && part.parse::<f64>().is_ok();
        digits(mantissa) && ["0", "1", "-1", "+0", "+1", "00", "01"].contains(&exponent)
    };
    text.split(|c: char| !(c.is_alphanumeric() || ".+-".contains(c)))
        .map(|w| w.trim_end_matches('.'))
        .find(is_number)
}

/// Every violation of a rule, as a line with its place.
fn violations(messages: &[Message], options: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for Message { origin, text } in messages {
        let mut report =
            |rule: String| found.push(format!("{origin}: {rule}: {}", text.lines().next().unwrap_or("")));
        let own = origin.starts_with("crates/andnmf-cli") || origin.starts_with("crates/andnmf-program");
        for (phrase, better) in BANNED {
            if has_phrase(text, phrase) {
                report(format!("'{phrase}' is private language, use: {better}"));
            }
        }
        if let Some(number) = needless_exponent(text) {
            report(format!("{number} needs no exponent"));
        }
        if own && (text.contains("e}") && text.contains(":.") || text.contains(":e}")) {
            report("numbers for people go through format::number".to_owned());
        }
        if text.ends_with("  ") {
            report("two spaces at the end".to_owned());
        }
        let mut words = text.split(' ');
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if own
            && options.iter().any(|option| option == first)
            && ["is", "must", "needs", "has"].contains(&second)
        {
            report(format!("an option is written with its dashes: --{first}"));
        }
        if origin.ends_with("--help") {
            for line in text.lines().map(str::trim) {
                if RIDDLES.iter().any(|riddle| line.starts_with(riddle)) {
                    report(format!("help that starts with a riddle: {line}"));
                }
                if line.matches("[default").count() > 1 {
                    report(format!("two defaults: {line}"));
                }
            }
        }
    }
    found
}

#[test]
fn every_message_follows_the_rules() {
    let helps = help_messages();
    let options = option_names(&helps);
    assert!(options.iter().any(|option| option == "rank"), "{options:?}");
    let messages: Vec<Message> = source_messages().into_iter().chain(helps).collect();
    assert!(messages.len() > 500, "the scan found only {} messages", messages.len());
    let listing: String = messages
        .iter()
        .map(|Message { origin, text }| format!("{origin}\n    {}\n", text.replace('\n', "\n    ")))
        .collect();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages.txt");
    std::fs::write(&file, listing).unwrap();
    println!("{} messages are in {}", messages.len(), file.display());
    let violations = violations(&messages, &options);
    assert!(violations.is_empty(), "{} of {}\n{}", violations.len(), messages.len(), violations.join("\n"));
}

#[test]
fn every_command_has_a_purpose_of_one_sentence_and_two_examples() {
    for name in commands() {
        let help = text(&andnmf(&[&name, "--help"]).stdout);
        let purpose = help.lines().next().unwrap();
        assert!(purpose.ends_with('.') && purpose.matches(". ").count() == 0, "{name}: {purpose}");
        let examples = help.split("Examples:").nth(1).unwrap_or_default();
        let count = examples.lines().filter(|line| line.contains(&format!("andnmf {name}"))).count();
        assert!(count >= 2, "{name} has {count} examples:\n{help}");
    }
}

#[test]
fn each_rule_finds_a_planted_violation() {
    let options = vec!["rank".to_owned()];
    let found = |origin: &str, text: &str| {
        violations(&[Message { origin: origin.to_owned(), text: text.to_owned() }], &options)
    };
    let program = "crates/andnmf-cli/src/x.rs:1";
    for wrong in [
        "the file is there already",
        "you are Told so",
        "the run was called off",
        "error 2.2e0 of 3",
        "an error of 1.8e+1.",
        "error {error:.3e} of all",
        "reading the file  ",
        "rank is 0, but it must be at least 1",
    ] {
        assert_eq!(found(program, wrong).len(), 1, "{wrong}");
    }
    assert_eq!(found("andnmf fit --help", "Usage\n  --x  \n      Whether to do it").len(), 1);
    for right in
        ["--rank is 0, but it must be at least 1", "error 8e-13, 1.5e7", "untold wealth", "rank 5: clear"]
    {
        assert_eq!(found(program, right), Vec::<String>::new(), "{right}");
    }
}

#[test]
fn literals_of_code_are_found_with_their_lines() {
    let code = "// \"no\"\nlet a = \"one \\\n   two\";\nlet c = '\"'; let d = '\\'';\nfn f<'a>() { r#\"a \"b\" c\"# }\nx(\"n\\\"o\")";
    let expected = [(2, "one two"), (5, "a \"b\" c"), (6, "n\"o")];
    let found = literals(code);
    assert_eq!(found.iter().map(|(line, text)| (*line, text.as_str())).collect::<Vec<_>>(), expected);
    assert!(literals("let a = 1;\n#[cfg(test)]\nmod tests { \"x y\" }").is_empty());
}
