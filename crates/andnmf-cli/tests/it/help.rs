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
fn help_shows_the_common_options_and_help_all_every_one() {
    for name in ["fit", "topics", "images"] {
        let (common, all) = (andnmf(&[name, "--help"]), andnmf(&[name, "--help-all"]));
        assert!(all.status.success() && all.stderr.is_empty(), "{}", text(&all.stderr));
        let (common, all) = (text(&common.stdout), text(&all.stdout));
        for rare in ["--threshold", "--volume-weight", "--kappa"] {
            assert!(!common.contains(&format!("{rare} ")) && all.contains(rare), "{name} {rare}");
        }
        for usual in ["--rank", "--method", "--out", "--seed", "--help-all"] {
            assert!(common.contains(usual) && all.contains(usual), "{name} {usual}");
        }
        assert!(common.lines().count() * 3 < all.lines().count() * 2, "{name}");
    }
    refused(&["transform", "--help-all"], &["--help-all"]);
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
