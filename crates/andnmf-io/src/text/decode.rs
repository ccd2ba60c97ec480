//! Decodes bytes as text.

/// Bytes checked for binary contents.
const BYTES_CHECKED: usize = 8192;
/// Contents with a higher share of control characters are binary.
const MAX_CONTROL_SHARE: f64 = 0.1;

/// Decodes UTF-8, UTF-16 with a byte-order mark, or else Latin-1; `None` if the bytes are binary.
pub(crate) fn text_of(bytes: Vec<u8>) -> Option<String> {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => return Some(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => return Some(utf16(rest, u16::from_be_bytes)),
        _ => {}
    }
    if is_binary(&bytes) {
        return None;
    }
    let text = String::from_utf8(bytes)
        // Each byte of Latin-1 is the Unicode character with the same number.
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect());
    match text.strip_prefix('\u{feff}') {
        Some(unmarked) => Some(unmarked.to_owned()),
        None => Some(text),
    }
}

/// Returns true if the bytes are not text in UTF-8 or Latin-1.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(BYTES_CHECKED)];
    let control =
        |byte: &&u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let controls = start.iter().filter(control).count();
    start.contains(&0) || controls as f64 > MAX_CONTROL_SHARE * start.len() as f64
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Option<String> {
        text_of(bytes.to_vec())
    }

    #[test]
    fn all_encodings_give_the_same_text() {
        let expected = Some("Größe".to_owned());
        assert_eq!(text("Größe".as_bytes()), expected);
        assert_eq!(text("\u{feff}Größe".as_bytes()), expected);
        assert_eq!(text(b"Gr\xf6\xdfe"), expected);
        let units: Vec<u16> = "\u{feff}Größe".encode_utf16().collect();
        let bytes =
            |order: fn(u16) -> [u8; 2]| units.iter().flat_map(|&unit| order(unit)).collect::<Vec<u8>>();
        assert_eq!(text(&bytes(u16::to_le_bytes)), expected);
        assert_eq!(text(&bytes(u16::to_be_bytes)), expected);
    }

    #[test]
    fn binary_contents_are_not_text() {
        assert_eq!(text(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), None);
        assert_eq!(text(&[1, 2, 3, 4, 65, 66]), None);
        assert_eq!(text(b""), Some(String::new()));
        assert_eq!(text(b"a page\x0cand another\n"), Some("a page\x0cand another\n".to_owned()));
    }
}
