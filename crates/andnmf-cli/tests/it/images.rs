//! `andnmf images`: the components of images.

use std::fs;

use andnmf_io::Overwrite;
use andnmf_io::images::{contact_sheet, read_folder};
use ndarray::Array2;

use crate::support::{Folder, andnmf, files_in, json, read_array, refused, text};

/// Eighty images of 6 × 4 pixels: two of four bars each, of any brightness.
fn images() -> Array2<f64> {
    Array2::from_shape_fn((80, 24), |(sample, pixel)| {
        let bar = pixel % 4;
        let (a, b) = (sample % 4, (sample / 4) % 4);
        let strength = |which: usize, level: usize| if bar == which { 1.0 + (level % 5) as f64 } else { 0.0 };
        strength(a, sample / 3) + strength(b, sample / 7)
    })
}

#[test]
fn images_of_a_matrix_become_a_sheet_and_a_report() {
    let folder = Folder::new();
    let data = folder.write_array("bars.npy", &images());
    let out = folder.arg("parts");
    let done = andnmf(&["images", &data, "--rank", "4", "--shape", "6x4", "--out", &out, "--columns", "3"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(done.stderr.is_empty());
    let files = [
        "components.npy",
        "components.png",
        "model.safetensors",
        "report.html",
        "summary.json",
        "trace.csv",
        "weights.npy",
    ];
    assert_eq!(files_in(&folder.path("parts")), files);
    let components = read_array(&folder.path("parts/components.npy"));
    let bright = |bar: usize| {
        components.outer_iter().any(|part| {
            let total: f64 = part.sum();
            (0..6).map(|row| part[4 * row + bar]).sum::<f64>() > 0.99 * total
        })
    };
    assert!((0..4).all(bright), "{components:.2}");
    // 4 pixels are enlarged to 200.
    let sheet = contact_sheet(components.view(), (6, 4), Some(3)).unwrap().enlarged(50.try_into().unwrap());
    assert_eq!(fs::read(folder.path("parts/components.png")).unwrap(), sheet.to_png().unwrap());
    assert!(text(&done.stdout).contains("images: "));
    assert!(text(&done.stdout).contains("parts/report.html in a browser"));
}

#[test]
fn the_shape_of_images_in_a_folder_is_known() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    for (i, picture) in images().outer_iter().enumerate() {
        let picture = contact_sheet(picture.insert_axis(ndarray::Axis(0)), (6, 4), None).unwrap();
        picture.write_png(&folder.path(&format!("in/{i:02}.png")), Overwrite::No).unwrap();
    }
    let shape = read_folder::<f64>(&folder.path("in")).unwrap().shape;
    let (data, out) = (folder.arg("in"), folder.arg("parts"));
    let summary = json(&andnmf(&["images", &data, "--rank", "3", "--out", &out, "--json"]));
    assert_eq!(summary["settings"]["shape"], serde_json::json!([shape.0, shape.1]));
    let other = folder.arg("other");
    refused(
        &["images", &data, "--rank", "3", "--shape", "3x3", "--out", &other],
        &["--shape is 3x3", "omit --shape"],
    );
    assert!(!folder.path("other").exists());
    refused(&["images", &data, "--rank", "3", "--out", &out], &["not empty", "--force"]);
}

#[test]
fn a_wrong_shape_is_refused_with_those_that_fit() {
    let folder = Folder::new();
    let data = folder.write_array("bars.npy", &images());
    let out = folder.arg("parts");
    let wrong = ["images", &data, "--rank", "4", "--out", &out, "--shape", "5x5"];
    refused(&wrong, &["5x5 is 25 pixels", "have 24", "possible shapes: 4x6, 6x4, 3x8, 8x3, 2x12"]);
    refused(&wrong[..6], &["--shape is required", "rows of 24 pixels", "4x6"]);
    refused(&["images", &data, "--rank", "4", "--out", &out, "--shape", "4by6"], &["28x28"]);
    assert!(!folder.path("parts").exists(), "nothing is left behind");
}
