//! `andnmf suggest-rank`.

use crate::support::{Folder, andnmf, json, refused, small_data, text};

#[test]
fn the_rank_of_the_truth_is_suggested_with_a_score_for_every_rank() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let args = ["suggest-rank", &samples, "--ranks", "3..7"];
    let found = json(&andnmf(&[&args[..], &["--json"]].concat()));
    assert_eq!(found["rank"], 5);
    let scores = found["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 5);
    assert!(
        scores.iter().all(|score| score["held_out_error"].is_number() && score["unstable_share"].is_number())
    );
    let said = text(&andnmf(&[&args[..], &["--fast"]].concat()).stdout);
    for column in ["last kept ", "first out ", "noise edge ", "held out ", "unstable "] {
        assert!(said.lines().any(|line| line.starts_with(column)), "{column} is not explained: {said}");
    }
    assert!(said.contains("\nrank 5 (") && said.contains("--rank 5 --out"), "{said}");
    assert!(said.lines().any(|line| line.starts_with(">    5")), "{said}");
    assert_eq!(text(&andnmf(&[&args[..], &["--fast", "--quiet"]].concat()).stdout).lines().count(), 1);
}

#[test]
fn wrong_ranges_are_refused() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    refused(&["suggest-rank", &samples, "--ranks", "3-7"], &["2..30"]);
    refused(&["suggest-rank", &samples, "--ranks", "7..3"], &["--ranks is 7 to 3"]);
    refused(&["suggest-rank", &samples, "--ranks", "0..3"], &["--ranks is 0 to 3"]);
    refused(&["suggest-rank", &samples, "--ranks", "100..120"], &["rank 60 at most"]);
}

#[test]
fn counts_are_recognised_unless_the_noise_is_given() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..60)
        .map(|i| {
            (0..12)
                .map(|j| ((i * 7 + j * 5) % 11 * (j % 4 * 3 + 1)).to_string())
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    let path = folder.path("counts.csv");
    std::fs::write(&path, rows.join("\n")).unwrap();
    let path = path.display().to_string();
    let args = ["suggest-rank", &path, "--ranks", "1..2", "--fast", "--json", "--noise"];
    let found = |noise: &str| json(&andnmf(&[&args[..], &[noise]].concat()));
    assert!(found("poisson")["counts"]["overdispersion"].is_number());
    assert!(found("gaussian")["counts"].is_null());
    refused(&[&args[..], &["uniform"]].concat(), &["auto, gaussian, poisson"]);
}
