#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| andnmf_fuzz::read_as(andnmf_io::Format::Svmlight, bytes));
