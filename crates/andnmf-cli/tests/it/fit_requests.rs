//! `andnmf fit`: wrong requests; each message says what would be right.

use crate::support::{Folder, andnmf, files_in, refused, small_data, text};

/// Runs `fit` on good data with these options; it must be refused and leave nothing behind.
#[track_caller]
fn wrong(options: &[&str], said: &[&str]) {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    refused(&[&["fit", &samples, "--out", &out][..], options].concat(), said);
    assert!(!folder.path("fitted").exists(), "{options:?} leaves something behind");
}

#[test]
fn a_rank_is_needed() {
    wrong(&[], &["--rank"]);
}

#[test]
fn rank_cannot_be_zero() {
    wrong(&["--rank", "0"], &["--rank is 0", "at least 1"]);
}

#[test]
fn rank_is_a_number_or_auto() {
    wrong(&["--rank", "aut"], &["'aut'", "did you mean auto?"]);
}

#[test]
fn an_unknown_option_is_answered_with_the_nearest() {
    wrong(&["--rank", "5", "--treshold", "auto"], &["--threshold"]);
}

#[test]
fn an_unknown_method_is_answered_with_the_nearest() {
    wrong(&["--rank", "5", "--method", "hal"], &["'hals'", "min-volume"]);
}

#[test]
fn an_option_of_another_method_is_refused_with_those_that_have_it() {
    wrong(
        &["--rank", "5", "--method", "hals", "--threshold", "constant:0.1"],
        &["hals has no --threshold", "and"],
    );
    wrong(&["--rank", "5", "--method", "mu", "--inner", "3"], &["mu has no --inner"]);
    wrong(&["--rank", "5", "--method", "anls", "--step", "safe"], &["anls has no --step"]);
    wrong(&["--rank", "5", "--method", "min-volume", "--batch", "3"], &["no --batch", "and, lda"]);
    wrong(&["--rank", "5", "--method", "lda", "--signed"], &["lda has no --signed", "hals"]);
    wrong(&["--rank", "5", "--method", "lda", "--compress", "off"], &["lda has no --compress"]);
    wrong(&["--rank", "5", "--method", "anchor-words", "--stages", "3"], &["no --stages"]);
    wrong(&["--rank", "5", "--method", "anchor-words", "--init", "spa"], &["--init spa"]);
}

#[test]
fn automatic_thresholds_allow_no_other_number_of_steps() {
    wrong(&["--rank", "5", "--inner", "50"], &["--inner", "threshold"]);
}

#[test]
fn a_misspelt_schedule_is_answered_with_its_form() {
    wrong(&["--rank", "5", "--threshold", "geometrik:1:2"], &["did you mean geometric:START:RATIO[:FLOOR]?"]);
    wrong(&["--rank", "5", "--threshold", "geometric:1"], &["geometric:START:RATIO[:FLOOR]"]);
    wrong(&["--rank", "5", "--threshold", "theory:a:1:1"], &["'a' is not a number", "theory:LAMBDA:R:Q"]);
    wrong(&["--rank", "5", "--threshold", "list:"], &["list:A,B,..."]);
    wrong(
        &["--rank", "5", "--threshold", "geometric:0.1:0.5"],
        &["ratio of --threshold is 0.5", "at least 1"],
    );
}

#[test]
fn other_values_are_refused_by_name() {
    wrong(&["--rank", "5", "--inner", "exct"], &["did you mean exact?"]);
    wrong(&["--rank", "5", "--step", "papr"], &["did you mean paper?"]);
    wrong(&["--rank", "5", "--batch", "al"], &["did you mean all?"]);
    wrong(&["--rank", "5", "--compress", "losless"], &["did you mean lossless?"]);
    wrong(&["--rank", "5", "--init", "nndsv"], &["did you mean nndsvd?"]);
    wrong(&["--rank", "5", "--precision", "f16"], &["f32", "f64"]);
    wrong(&["--rank", "5", "--stages", "0"], &["--stages is 0"]);
    wrong(&["--rank", "5", "--tolerance", "-1"], &["--tolerance is -1"]);
    wrong(&["--rank", "5", "--time-limit", "-1"], &["--time-limit is -1"]);
    wrong(&["--rank", "5", "--checkpoint-every", "nan"], &["--checkpoint-every"]);
    wrong(&["--rank", "5", "--shape", "6by10"], &["28x28"]);
    wrong(&["--rank", "5", "--shape", "6x11"], &["66 pixels", "60 features"]);
    wrong(&["--rank", "5", "--show", "image"], &["--shape HxW"]);
}

#[test]
fn missing_files_are_reported_with_similar_names() {
    let folder = Folder::new();
    small_data(&folder);
    let (typed, out) = (folder.arg("sample.npy"), folder.arg("fitted"));
    refused(
        &["fit", &typed, "--rank", "5", "--out", &out],
        &["sample.npy: there is no such file", "did you mean samples.npy?"],
    );
    let samples = folder.arg("samples.npy");
    let truth = folder.arg("trth.npy");
    refused(
        &["fit", &samples, "--rank", "5", "--truth", &truth, "--out", &out],
        &["did you mean truth.npy?"],
    );
    assert_eq!(files_in(&folder.path("")), ["samples.npy", "truth.npy"]);
}

#[test]
fn a_bad_value_is_reported_with_file_line_and_field() {
    let folder = Folder::new();
    let table = folder.write("table.csv", "a,b\n1,2\n3,x\n");
    let out = folder.arg("fitted");
    refused(
        &["fit", &table, "--rank", "1", "--out", &out],
        &["table.csv, line 3, field 2", "'x' is not a number"],
    );
    assert!(!folder.path("fitted").exists());
}

#[test]
fn mismatched_shapes_are_reported_with_both_sizes() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    let narrow = folder.write_array("narrow.npy", &ndarray::Array2::<f64>::ones((5, 7)));
    refused(
        &["fit", &samples, "--rank", "5", "--truth", &narrow, "--out", &out],
        &["narrow.npy", "60 values", "5 × 7"],
    );
    refused(&["fit", &samples, "--rank", "5", "--init", &narrow, "--out", &out], &["5 × 60", "5 × 7"]);
    let names = folder.write("names.txt", "one\ntwo\n");
    refused(
        &["fit", &samples, "--rank", "5", "--vocab", &names, "--out", &out],
        &["names.txt: 2 names", "60 features"],
    );
}

#[test]
fn existing_results_are_not_replaced_without_force() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let out = folder.arg("fitted");
    std::fs::create_dir(&out).unwrap();
    assert!(
        andnmf(&["fit", &samples, "--rank", "5", "--out", &out]).status.success(),
        "an empty folder is accepted"
    );
    let before = std::fs::read(folder.path("fitted/summary.json")).unwrap();
    refused(&["fit", &samples, "--rank", "4", "--out", &out], &["not empty", "--force"]);
    assert!(std::fs::read(folder.path("fitted/summary.json")).unwrap() == before);
    folder.write("fitted/notes.txt", "mine");
    let forced = andnmf(&["fit", &samples, "--rank", "4", "--out", &out, "--force"]);
    assert!(forced.status.success(), "{}", text(&forced.stderr));
    assert_eq!(crate::support::read_json(&folder.path("fitted/summary.json"))["rank"], 4);
    assert!(folder.path("fitted/notes.txt").exists(), "other files stay");
    refused(&["fit", &samples, "--rank", "5", "--out", &samples], &["is a file"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_before_the_fit() {
    let folder = Folder::new();
    let (samples, _) = small_data(&folder);
    let below_a_file = folder.arg("samples.npy/fitted");
    refused(&["fit", &samples, "--rank", "5", "--out", &below_a_file], &["samples.npy"]);
}

#[test]
fn negative_samples_are_refused_by_methods_that_cannot_use_them() {
    let folder = Folder::new();
    let signed = folder.write_array("signed.npy", &ndarray::array![[1.0, -2.0], [0.5, 1.0], [2.0, 1.0]]);
    let out = folder.arg("fitted");
    refused(
        &["fit", &signed, "--rank", "2", "--method", "lda", "--out", &out],
        &["sample 0, feature 1 is -2"],
    );
}

#[test]
fn only_similar_names_are_suggested() {
    let folder = Folder::new();
    for name in ["mine.csv", "profits.csv", "b.csv", "counts.npy"] {
        folder.write(name, "1,2\n3,4\n");
    }
    let said = |typed: &str| {
        let done = andnmf(&["fit", &folder.arg(typed), "--rank", "1", "--out", &folder.arg("fitted")]);
        assert_eq!(done.status.code(), Some(2));
        text(&done.stderr)
    };
    for typed in ["nofile.csv", "a.csv", "other.csv"] {
        assert!(!said(typed).contains("did you mean"), "{}", said(typed));
    }
    for (typed, meant) in
        [("mien.csv", "mine.csv"), ("counts.csv", "counts.npy"), ("Profit.csv", "profits.csv")]
    {
        assert!(said(typed).contains(&format!("did you mean {meant}?")), "{}", said(typed));
    }
}

#[test]
fn rows_of_different_lengths_are_reported_with_line_and_name() {
    let folder = Folder::new();
    let table = folder.write("table.csv", "gene,x,y\na,1,2\n\nb,3\n");
    refused(
        &["fit", &table, "--rank", "1", "--out", &folder.arg("fitted")],
        &["table.csv, line 4", "the row 'b' has 1 value(s), but the rows before it have 2"],
    );
}
