//! LZF decompression; h5py offers LZF beside gzip.

use hdf5_reader::error::{Error, Result};

/// The HDF5 filter ID of LZF.
pub(super) const ID: u16 = 32000;

/// Decompresses a chunk to at most `max_bytes` bytes.
///
/// A control byte c < 32 is followed by c + 1 literal bytes. Any other control byte is a back-reference: the three
/// high bits are the length (if 7, the next byte is added), the low bits and the next byte are the distance.
pub(super) fn decompress(compressed: &[u8], max_bytes: usize) -> Result<Vec<u8>> {
    let damaged = || Error::DecompressionError("LZF data are damaged".to_owned());
    let mut out = Vec::new();
    let mut rest = compressed.iter();
    let next = |rest: &mut std::slice::Iter<'_, u8>| rest.next().map(|&b| usize::from(b)).ok_or_else(damaged);
    while let Some(&control) = rest.next() {
        let control = usize::from(control);
        let length = if control < 32 { control + 1 } else { control >> 5 };
        if control < 32 {
            out.extend_from_slice(rest.as_slice().get(..length).ok_or_else(damaged)?);
            rest = rest.as_slice()[length..].iter();
        } else {
            let length = if length == 7 { length + next(&mut rest)? } else { length } + 2;
            let back = ((control & 31) << 8) + next(&mut rest)? + 1;
            let start = out.len().checked_sub(back).ok_or_else(damaged)?;
            // The copy may overlap its source.
            (start..start + length).for_each(|at| out.push(out[at]));
        }
        if out.len() > max_bytes {
            return Err(damaged());
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_back_references_are_decoded() {
        // "abc", four from three back, nine from one back.
        let compressed = [2, b'a', b'b', b'c', 2 << 5, 2, 7 << 5, 0, 0];
        assert_eq!(decompress(&compressed, 100).unwrap(), b"abcabcaaaaaaaaaa");
        assert!(decompress(&[], 100).unwrap().is_empty());
    }

    #[test]
    fn damaged_data_are_refused() {
        for compressed in
            [&[2, b'a'][..], &[0, b'a', 1 << 5], &[0, b'a', 1 << 5, 1], &[7 << 5], &[0, b'a', 7 << 5, 0]]
        {
            assert!(decompress(compressed, 100).is_err(), "{compressed:?}");
        }
        assert!(decompress(&[0, b'a', 7 << 5, 255, 0], 100).is_err(), "longer than the limit");
    }
}
