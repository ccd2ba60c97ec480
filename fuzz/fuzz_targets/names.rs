#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    andnmf_fuzz::with_file(bytes, |path| drop(andnmf_io::read_names(path)));
});
