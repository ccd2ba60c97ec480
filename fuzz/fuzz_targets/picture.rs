#![no_main]

use andnmf_io::images::read_folder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("picture.png"), bytes).expect("a temporary file can be written");
    if let Ok(pictures) = read_folder::<f32>(folder.path()) {
        assert_eq!(pictures.shape.0 * pictures.shape.1, pictures.table.n_features());
    }
});
