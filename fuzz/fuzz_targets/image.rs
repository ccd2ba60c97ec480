#![no_main]

use andnmf_io::images::read_folder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("image.png"), bytes).expect("a temporary file can be written");
    if let Ok(images) = read_folder::<f32>(folder.path()) {
        assert_eq!(images.shape.0 * images.shape.1, images.table.n_features());
    }
});
