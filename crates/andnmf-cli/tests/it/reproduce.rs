//! `andnmf reproduce`.

use crate::support::{Folder, refused};

#[test]
fn it_names_the_program_that_reproduces_the_figures_with_what_was_typed() {
    refused(&["reproduce"], &["cargo run --release -p andnmf-lab -- all --quick"]);
    let typed = ["reproduce", "fig4", "fig5", "--quick", "--out", "made", "--seeds", "2"];
    refused(&typed, &["cargo run --release -p andnmf-lab -- fig4 fig5 --quick --out made --seeds 2"]);
}

#[test]
fn the_page_of_a_reproduction_is_left_to_that_program() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("made")).unwrap();
    folder.write("made/plan.json", "{}");
    let out = folder.arg("made");
    refused(&["report", &out], &["reproduction", &format!("-p andnmf-lab -- --rebuild --out {out}")]);
}
