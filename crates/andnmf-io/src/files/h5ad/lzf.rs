//! Unpacking LZF, which h5py offers beside gzip.

use hdf5_reader::error::{Error, Result};

/// The number under which HDF5 knows it.
pub(super) const ID: u16 = 32000;

/// The contents of a packed chunk, of at most `room` bytes.
///
/// A byte below 32 announces that many literal bytes and one more. Any other is a copy of what came before: its three
/// high bits are the length (seven: the next byte is added), its low bits and the next byte say how far back.
pub(super) fn unpack(packed: &[u8], room: usize) -> Result<Vec<u8>> {
    let damaged = || Error::DecompressionError("LZF data are damaged".to_owned());
    let mut out = Vec::new();
    let mut rest = packed.iter();
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
            // What is copied may itself be part of the copy.
            (start..start + length).for_each(|at| out.push(out[at]));
        }
        if out.len() > room {
            return Err(damaged());
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_are_put_together() {
        // "abc", four from three back, nine from one back.
        let packed = [2, b'a', b'b', b'c', 2 << 5, 2, 7 << 5, 0, 0];
        assert_eq!(unpack(&packed, 100).unwrap(), b"abcabcaaaaaaaaaa");
        assert!(unpack(&[], 100).unwrap().is_empty());
    }

    #[test]
    fn damaged_data_are_refused() {
        for packed in
            [&[2, b'a'][..], &[0, b'a', 1 << 5], &[0, b'a', 1 << 5, 1], &[7 << 5], &[0, b'a', 7 << 5, 0]]
        {
            assert!(unpack(packed, 100).is_err(), "{packed:?}");
        }
        assert!(unpack(&[0, b'a', 7 << 5, 255, 0], 100).is_err(), "more than there is room for");
    }
}
