#![no_main]

use andnmf_io::model::Model;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    andnmf_fuzz::with_file(bytes, |path| {
        if let (Ok(wide), Ok(narrow)) = (Model::<f64>::load(path), Model::<f32>::load(path)) {
            assert_eq!(wide.components().dim(), narrow.components().dim());
        }
    });
});
