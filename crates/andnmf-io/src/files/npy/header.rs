//! The header of a `.npy` file: type, order and shape of the values.

use std::io::Read;

use crate::files::error::{LocatedProblem, Problem};
use crate::files::plain_text::shorten;

/// The kind of a numpy type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NpyKind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Byte strings and Unicode strings are supported only for the `format` array that scipy writes.
    Bytes,
    Unicode,
}

/// The type of the values (dtype).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NpyDtype {
    pub(crate) kind: NpyKind,
    /// Bytes per value.
    pub(crate) size: usize,
    pub(crate) big_endian: bool,
}

/// The header before the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub(crate) dtype: NpyDtype,
    pub(crate) column_major: bool,
    pub(crate) shape: Vec<u64>,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers have some hundred bytes; only structured arrays, which are not supported, have long ones.
const MAX_HEADER_LENGTH: usize = 1 << 16;

fn not_npy(reason: impl Into<String>) -> LocatedProblem {
    Problem::NotThisFormat { expected: "a .npy file", reason: reason.into() }.into()
}

impl NpyHeader {
    /// Reads a header; the source is then at the first value.
    pub(crate) fn read(source: &mut impl Read) -> Result<Self, LocatedProblem> {
        let mut start = [0; 8];
        source.read_exact(&mut start)?;
        if &start[..6] != MAGIC {
            return Err(not_npy("it does not begin with \\x93NUMPY"));
        }
        let length = match start[6] {
            1 => {
                let mut length = [0; 2];
                source.read_exact(&mut length)?;
                usize::from(u16::from_le_bytes(length))
            }
            2 | 3 => {
                let mut length = [0; 4];
                source.read_exact(&mut length)?;
                u32::from_le_bytes(length) as usize
            }
            version => return Err(not_npy(format!("version {version} is not supported, only 1 to 3"))),
        };
        if length > MAX_HEADER_LENGTH {
            return Err(not_npy(format!("a header of {length} bytes is too long")));
        }
        let mut text = vec![0; length];
        source.read_exact(&mut text)?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Parses the Python dictionary: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self, LocatedProblem> {
        let after = |key: &str| {
            let quoted = [format!("'{key}'"), format!("\"{key}\"")];
            let position = quoted.iter().find_map(|key| text.find(key.as_str()).map(|at| at + key.len()));
            let rest = position.and_then(|at| text[at..].trim_start().strip_prefix(':'));
            rest.map(str::trim_start).ok_or_else(|| not_npy(format!("its header has no '{key}'")))
        };
        let order = after("fortran_order")?;
        let column_major = order.starts_with("True");
        if !column_major && !order.starts_with("False") {
            return Err(not_npy("'fortran_order' is neither True nor False"));
        }
        Ok(Self { dtype: parse_dtype(after("descr")?)?, column_major, shape: parse_shape(after("shape")?)? })
    }

    /// The header as numpy writes it, padded to a multiple of 64 bytes.
    pub(crate) fn bytes(descr: &str, shape: &[usize]) -> Vec<u8> {
        Self::padded(descr, shape, 64)
    }

    /// A header with the same length for any two sizes, to be overwritten when they are known.
    pub(crate) fn fixed_length_bytes(descr: &str, shape: &[usize; 2]) -> Vec<u8> {
        Self::padded(descr, shape, 128)
    }

    fn padded(descr: &str, shape: &[usize], multiple: usize) -> Vec<u8> {
        let sizes: Vec<String> = shape.iter().map(|size| format!("{size},")).collect();
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", sizes.join(" "));
        let unpadded = MAGIC.len() + 4 + text.len() + 1;
        text.push_str(&" ".repeat(unpadded.next_multiple_of(multiple) - unpadded));
        text.push('\n');
        // At most a few hundred bytes: twenty digits for each of two sizes.
        let length = (text.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0][..], &length, text.as_bytes()].concat()
    }
}

fn parse_shape(text: &str) -> Result<Vec<u64>, LocatedProblem> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (sizes, _) = inside.ok_or_else(|| not_npy("'shape' is not in parentheses"))?;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    // Python 2 wrote long integers with an L.
    let size = |text: &str| text.strip_suffix('L').unwrap_or(text).parse().ok();
    sizes
        .map(|text| size(text).ok_or_else(|| not_npy(format!("'{}' is not a size", shorten(text)))))
        .collect()
}

fn parse_dtype(text: &str) -> Result<NpyDtype, LocatedProblem> {
    if text.starts_with('[') {
        return Err(unsupported("a structured array", "save its fields as one array of numbers"));
    }
    let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote));
    let descr = quote.and_then(|quote| text[1..].split(quote).next());
    let descr = descr.ok_or_else(|| not_npy("'descr' is not in quotes"))?;
    let as_numbers = "save it as an array of numbers, with .astype(float)";
    let unknown = || unsupported(&format!("an array of the unknown type '{}'", shorten(descr)), as_numbers);

    let mut letters = descr.chars();
    let order = letters.next().filter(|order| "<>|=".contains(*order)).ok_or_else(unknown)?;
    let kind = letters.next().ok_or_else(unknown)?;
    let size = || letters.as_str().parse::<usize>().map_err(|_| unknown());
    let kind = match kind {
        'b' => NpyKind::Bool,
        'i' => NpyKind::Signed,
        'u' => NpyKind::Unsigned,
        'f' => NpyKind::Float,
        'S' => NpyKind::Bytes,
        'U' => NpyKind::Unicode,
        'c' => return Err(unsupported("an array of complex numbers", "save its real part, .real")),
        'O' => return Err(unsupported("an array of Python objects", as_numbers)),
        'M' | 'm' => return Err(unsupported("an array of times", as_numbers)),
        'V' => return Err(unsupported("an array of raw bytes", as_numbers)),
        _ => return Err(unknown()),
    };
    let size = match (kind, size()?) {
        (NpyKind::Bool, 1) => 1,
        (NpyKind::Signed | NpyKind::Unsigned, size @ (1 | 2 | 4 | 8)) => size,
        (NpyKind::Float, size @ (2 | 4 | 8)) => size,
        (NpyKind::Float, 10 | 12 | 16) => {
            return Err(unsupported("an array of long doubles", "save it in double precision"));
        }
        (NpyKind::Bytes, size @ 1..=64) => size,
        (NpyKind::Unicode, size @ 1..=16) => 4 * size,
        (NpyKind::Bytes | NpyKind::Unicode, _) => return Err(unsupported("an array of text", as_numbers)),
        _ => return Err(unknown()),
    };
    Ok(NpyDtype { kind, size, big_endian: order == '>' || (order == '=' && cfg!(target_endian = "big")) })
}

fn unsupported(what: &str, instead: &str) -> LocatedProblem {
    Problem::Unsupported { what: what.to_owned(), instead: instead.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(descr: &str, rest: &str) -> Result<NpyHeader, String> {
        NpyHeader::parse(&format!("{{'descr': {descr}, {rest}}}")).map_err(|error| error.problem.to_string())
    }

    const REST: &str = "'fortran_order': False, 'shape': (3, 4), ";

    #[test]
    fn headers_are_read_however_python_spaces_them() {
        let dtype = NpyDtype { kind: NpyKind::Float, size: 8, big_endian: false };
        let expected = NpyHeader { dtype, column_major: false, shape: vec![3, 4] };
        assert_eq!(parse("'<f8'", REST).unwrap(), expected);
        let odd = "{\"shape\" :(3L,4L,),'fortran_order':False,  \"descr\":\"<f8\"}   \n";
        assert_eq!(NpyHeader::parse(odd).unwrap_or_else(|_| panic!("legal")), expected);
        let scalar = parse("'|S3'", "'fortran_order': True, 'shape': ()").unwrap();
        assert_eq!((scalar.shape.len(), scalar.column_major), (0, true));
    }

    #[test]
    fn written_headers_read_back() {
        for shape in [&[3, 4][..], &[usize::MAX, 1], &[7], &[]] {
            let bytes = NpyHeader::bytes(">i2", shape);
            assert_eq!(bytes.len() % 64, 0);
            let header = NpyHeader::read(&mut &bytes[..]).unwrap();
            assert_eq!(header.shape, shape.iter().map(|&size| size as u64).collect::<Vec<_>>());
            assert_eq!(header.dtype, NpyDtype { kind: NpyKind::Signed, size: 2, big_endian: true });
        }
    }

    #[test]
    fn a_fixed_length_header_has_one_length_for_all_sizes() {
        let lengths = [[0, 0], [7, 123_456], [usize::MAX, usize::MAX]]
            .map(|shape| NpyHeader::fixed_length_bytes("<f8", &shape).len());
        assert_eq!(lengths, [128; 3]);
        let bytes = NpyHeader::fixed_length_bytes("<f8", &[12, 3]);
        assert_eq!(NpyHeader::read(&mut &bytes[..]).unwrap().shape, [12, 3]);
    }

    #[test]
    fn values_that_are_not_real_numbers_are_refused_by_name() {
        for (descr, word) in [
            ("'<c16'", "complex"),
            ("'|O'", "objects"),
            ("[('a', '<f8')]", "structured"),
            ("'<M8[ns]'", "times"),
            ("'<f16'", "long doubles"),
            ("'|V8'", "raw bytes"),
            ("'<U200'", "text"),
            ("'<f3'", "'<f3'"),
            ("'<x8'", "'<x8'"),
            ("'f8'", "'f8'"),
            ("'<f'", "'<f'"),
        ] {
            let error = parse(descr, REST).unwrap_err();
            assert!(error.contains(word), "{descr}: {error}");
        }
    }

    #[test]
    fn an_incomplete_header_is_refused() {
        for text in [
            "{'fortran_order': False, 'shape': (3, 4)}",
            "{'descr': '<f8', 'shape': (3, 4)}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': 7, 'shape': (3, 4)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 4)}",
            "{'descr': <f8, 'fortran_order': False, 'shape': (3, 4)}",
        ] {
            let error = NpyHeader::parse(text).unwrap_err();
            assert!(matches!(error.problem, Problem::NotThisFormat { .. }), "{text}: {}", error.problem);
        }
    }

    #[test]
    fn other_versions_and_overlong_headers_are_refused() {
        let refused = |bytes: &[u8]| NpyHeader::read(&mut &bytes[..]).unwrap_err().problem.to_string();
        assert!(refused(b"\x93NUMPY\x04\x00\x10\x00").contains("version 4"));
        assert!(refused(b"\x93NUMPY\x02\x00\xff\xff\xff\x7f").contains("too long"));
        assert!(refused(b"PK\x03\x04abcdefgh").contains("does not begin"));
        assert!(refused(b"\x93NUMPY\x01\x00\x10\x00{'de").contains("truncated"));
    }
}
