//! `--help` of every command.

use crate::support::{andnmf, refused, text};

#[test]
fn help_opens_with_a_purpose_in_one_line_and_an_example() {
    for name in ["fit", "transform", "evaluate", "diagnose", "suggest-rank", "topics", "images", "anchor"] {
        let done = andnmf(&[name, "--help"]);
        assert!(done.status.success());
        let help = text(&done.stdout);
        let opening: Vec<&str> = help.lines().filter(|line| !line.is_empty()).take(2).collect();
        assert!(opening[0].len() > 20, "{help}");
        assert!(opening[1].starts_with(&format!("Example: andnmf {name} ")), "{help}");
        for option in ["--threads", "--quiet", "--json"] {
            assert!(help.contains(option), "{name} has no {option}");
        }
    }
}

#[test]
fn a_misspelt_command_is_answered_with_the_nearest() {
    for (typed, meant) in
        [("fti", "fit"), ("sugest-rank", "suggest-rank"), ("transfrom", "transform"), ("dem", "demo")]
    {
        refused(&[typed], &[&format!("'{typed}'"), &format!("'{meant}'")]);
    }
    let nothing_near = andnmf(&["xyzzy"]);
    assert!(!text(&nothing_near.stderr).contains("similar"), "{}", text(&nothing_near.stderr));
}
