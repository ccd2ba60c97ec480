use std::path::Path;

use ndarray::{Array2, array};

use super::*;
use crate::files::testing::survives_damage;
use crate::files::{Location, Overwrite};
use crate::testing::random_matrix;

/// Grey, 12 × 16: values rise by 8 per row and 10 per column.
const GRADIENT: &[u8] = include_bytes!("samples/gradient.jpg");
/// Colours, progressive, 16 × 16: red, green, blue and white quarters.
const QUARTERS: &[u8] = include_bytes!("samples/quarters.jpg");

fn png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == png::ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 255, 255, 255, 0, 0]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

fn values(bytes: &[u8]) -> Vec<f64> {
    decode::grey(bytes).unwrap().values
}

fn problem(bytes: &[u8]) -> String {
    decode::grey::<f64>(bytes).unwrap_err().problem.to_string()
}

#[track_caller]
fn assert_near(given: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(given.len(), expected.len());
    assert!(given.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance), "{given:?} {expected:?}");
}

#[test]
fn every_kind_of_png_becomes_grey_from_zero_to_one() {
    use png::BitDepth::{Eight, One, Sixteen, Two};
    use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    let luma = |r: f64, g: f64, b: f64| (0.299 * r + 0.587 * g + 0.114 * b) / 255.0;
    let red = luma(255.0, 0.0, 0.0);
    for (color, depth, data, expected) in [
        (Grayscale, Eight, vec![0, 51, 255], vec![0.0, 0.2, 1.0]),
        (Grayscale, One, vec![0b0110_0000], vec![0.0, 1.0, 1.0]),
        (Grayscale, Sixteen, vec![0, 0, 0x33, 0x33, 0xff, 0xff], vec![0.0, 0.2, 1.0]),
        (GrayscaleAlpha, Eight, vec![255, 0, 51, 255, 0, 9], vec![1.0, 0.2, 0.0]),
        (Indexed, Two, vec![0b0001_1000], vec![0.0, 1.0, red]),
        (Rgb, Eight, vec![255, 0, 0, 10, 20, 30, 255, 255, 255], vec![red, luma(10.0, 20.0, 30.0), 1.0]),
        (
            Rgba,
            Eight,
            vec![255, 0, 0, 0, 10, 20, 30, 1, 0, 0, 0, 255],
            vec![red, luma(10.0, 20.0, 30.0), 0.0],
        ),
        (
            Rgb,
            Sixteen,
            vec![0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            vec![red, 0.0, 1.0],
        ),
    ] {
        let file = png(3, 1, color, depth, &data);
        assert_near(&values(&file), &expected, 1e-12);
        assert_eq!(decode::grey::<f32>(&file).unwrap().shape(), (1, 3));
    }
}

#[test]
fn jpeg_becomes_grey_up_to_compression_losses() {
    let image = decode::grey::<f64>(GRADIENT).unwrap();
    assert_eq!(image.shape(), (12, 16));
    let expected = Array2::from_shape_fn((12, 16), |(i, j)| (8 * i + 10 * j) as f64 / 255.0);
    assert_near(&image.values, expected.as_slice().unwrap(), 0.02);

    let image = decode::grey::<f64>(QUARTERS).unwrap();
    assert_eq!(image.shape(), (16, 16));
    let quarter = |i: usize, j: usize| [[0.299, 0.587], [0.114, 1.0]][i / 8][j / 8];
    let expected = Array2::from_shape_fn((16, 16), |(i, j)| quarter(i, j));
    assert_near(&image.values, expected.as_slice().unwrap(), 0.02);
}

#[test]
fn pgm_is_read_as_text_and_binary() {
    for file in [
        &b"P2\n# made by hand\n3 2 # width, height\n10\n0 1 2\n3 5 10\n"[..],
        b"P5 3 2 10\n\x00\x01\x02\x03\x05\x0a",
        b"P5 3 2 10\n\x00\x01\x02\x03\x05\x0aand what follows",
    ] {
        let image = decode::grey::<f64>(file).unwrap();
        assert_eq!(image.shape(), (2, 3));
        assert_near(&image.values, &[0.0, 0.1, 0.2, 0.3, 0.5, 1.0], 1e-15);
    }
    assert_near(&values(b"P5 2 1 65535\n\x33\x33\xff\xff"), &[0.2, 1.0], 1e-15);
}

#[test]
fn a_malformed_pgm_is_refused() {
    for (file, expected_message) in [
        (&b"P5 3 2"[..], "its header has no largest value"),
        (b"P5 3", "its header has no height"),
        (b"P5 x 2 255 ", "its header has no width"),
        (b"P5 3 2 0\n123456", "its largest value is 0, not from 1 to 65535"),
        (b"P5 3 2 65536\n123456", "its largest value is 65536"),
        (b"P5 3 2 255\n12345", "it has 5 of 6 pixels"),
        (b"P5 3 2 256\n12345678901", "it has 5 of 6 pixels"),
        (b"P2 3 1 255\n1 2", "it has 2 of 3 pixels"),
        (b"P2 3 1 255\n1 2 -3", "it has 2 of 3 pixels"),
        (b"P2 3 1 9\n1 2 10", "a pixel is 10, above the largest value 9"),
        (b"P5 0 2 255\n", "there are no values"),
        (
            b"P5 4000000000 4000000000 255\n1",
            "the file declares 4000000000 × 4000000000 pixels but can hold at most",
        ),
        (b"P5 99999999999999999999 1 255\n1", "its header has no width"),
    ] {
        let problem = problem(file);
        assert!(problem.contains(expected_message), "{}: {problem}", file.escape_ascii());
    }
}

#[test]
fn a_malformed_png_is_refused() {
    let good = png(3, 2, png::ColorType::Grayscale, png::BitDepth::Eight, &[1, 2, 3, 4, 5, 6]);
    assert!(problem(&good[..good.len() - 20]).contains("truncated"), "{}", problem(&good[..good.len() - 20]));
    assert!(problem(&good[..20]).contains("truncated"));
    let mut flipped = good.clone();
    flipped[good.len() - 20] ^= 1;
    assert!(problem(&flipped).contains("this is not a valid PNG image"), "{}", problem(&flipped));
    // A width of 2^31 - 1, with the checksum that goes with it left as it was.
    let mut wide = good;
    wide[16..20].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    assert!(problem(&wide).contains("this is not a valid PNG image"), "{}", problem(&wide));
}

#[test]
fn a_png_that_declares_more_than_it_can_hold_is_refused() {
    let mut bytes = Vec::new();
    let encoder = png::Encoder::new(&mut bytes, 100_000, 100_000);
    // Only the header: its checksum is right, the pixels are missing.
    let _ = encoder.write_header().unwrap();
    assert!(problem(&bytes).starts_with("the file declares 100000 × 100000 pixels but can hold at most"));
}

#[test]
fn a_malformed_jpeg_is_refused() {
    for file in [GRADIENT, QUARTERS] {
        for cut in 2..file.len() {
            assert!(decode::grey::<f64>(&file[..cut]).is_err(), "cut at {cut} of {}", file.len());
        }
        let followed = [file, b"and what follows"].concat();
        assert_eq!(values(&followed), values(file));
    }
    let start = GRADIENT.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    let mut large = GRADIENT.to_vec();
    large[start + 5..start + 9].fill(0xff);
    assert!(problem(&large).contains("the file declares"), "{}", problem(&large));
}

#[test]
fn other_formats_are_refused() {
    assert!(problem(b"GIF89a").contains("this is not a PNG, PGM or JPEG image"));
    assert!(problem(b"").contains("this is not a PNG, PGM or JPEG image"));
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    folder
}

#[test]
fn a_folder_is_read_in_the_order_of_its_names() {
    let folder = folder(&[
        ("b.pgm", b"P5 2 1 255\n\xff\x00"),
        ("a.PNG", &png(2, 1, png::ColorType::Grayscale, png::BitDepth::Eight, &[0, 255])),
        // Detected by its first bytes, whatever the extension.
        ("c.jpg", b"P5 2 1 255\n\xff\xff"),
        ("notes.txt", b"not an image"),
        (".hidden.png", b"not an image"),
    ]);
    fs::create_dir(folder.path().join("d.png")).unwrap();
    let images = read_folder::<f32>(folder.path()).unwrap();
    assert_eq!(images.shape, (1, 2));
    assert_eq!(images.table.to_dense().unwrap(), array![[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    assert_eq!(images.table.sample_names.unwrap(), ["a.PNG", "b.pgm", "c.jpg"]);
}

#[test]
fn images_of_different_sizes_are_refused_with_the_file_and_both_sizes() {
    let folder = folder(&[("a.pgm", b"P5 2 1 255\n\xff\x00"), ("b.pgm", b"P5 1 2 255\n\xff\x00")]);
    let error = read_folder::<f64>(folder.path()).unwrap_err();
    assert_eq!(
        (error.file.as_path(), &error.location),
        (folder.path().join("b.pgm").as_path(), &Location::Whole)
    );
    let expected_message = "the image is 2 pixels high and 1 wide, but a.pgm is 1 pixels high and 2 wide";
    assert!(error.to_string().contains(expected_message), "{error}");
}

#[test]
fn a_broken_image_and_an_empty_folder_are_named() {
    let broken = folder(&[("a.pgm", b"P5 2 1 255\n\xff\x00"), ("b.png", b"")]);
    assert_eq!(read_folder::<f64>(broken.path()).unwrap_err().file, broken.path().join("b.png"));
    let empty = folder(&[("notes.txt", b"")]);
    let error = read_folder::<f64>(empty.path()).unwrap_err();
    assert!(error.to_string().contains("the folder contains no images"), "{error}");
    assert!(read_folder::<f64>(Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn a_sheet_has_every_component_in_its_place_with_gaps_between() {
    let components = array![[0.0, 2.0, 1.0, 0.5], [3.0, 4.0, 5.0, 3.0], [-1.0, 0.0, 0.5, 0.25]];
    let sheet = contact_sheet(components.view(), (2, 2), Some(2)).unwrap();
    let gap = 255;
    #[rustfmt::skip]
    let expected = [
        gap, gap, gap, gap, gap, gap, gap,
        gap, 0,   255, gap, 0,   128, gap,
        gap, 128, 64,  gap, 255, 0,   gap,
        gap, gap, gap, gap, gap, gap, gap,
        gap, 0,   128, gap, gap, gap, gap,
        gap, 191, 159, gap, gap, gap, gap,
        gap, gap, gap, gap, gap, gap, gap,
    ];
    assert_eq!((sheet.height(), sheet.width()), (7, 7));
    assert_eq!(sheet.pixels(), expected);
    let narrow = contact_sheet(components.mapv(|v| v as f32).view(), (2, 2), Some(2)).unwrap();
    assert_eq!(narrow, sheet);
}

#[test]
fn an_enlarged_image_has_a_square_for_every_pixel() {
    let sheet = contact_sheet(array![[0.0, 1.0]].view(), (1, 2), None).unwrap();
    let large = sheet.enlarged(3.try_into().unwrap());
    assert_eq!((large.height(), large.width()), (3 * sheet.height(), 3 * sheet.width()));
    for (at, &pixel) in large.pixels().iter().enumerate() {
        let (row, column) = (at / large.width() / 3, at % large.width() / 3);
        assert_eq!(pixel, sheet.pixels()[row * sheet.width() + column], "{row}, {column}");
    }
}

#[test]
fn a_sheet_is_about_square_by_default() {
    let components = random_matrix::<f64>(12, 50, 1);
    let side = |columns| {
        let sheet = contact_sheet(components.view(), (10, 5), columns).unwrap();
        (sheet.height(), sheet.width())
    };
    assert_eq!(side(None), (34, 31));
    assert_eq!(side(Some(1)), (133, 7));
    assert_eq!(side(Some(0)), side(Some(1)));
    assert_eq!(side(Some(100)), (12, 73));
}

#[test]
fn extreme_components_are_rendered() {
    let shades = |row: [f64; 3]| {
        let row = Array2::from_shape_vec((1, 3), row.to_vec()).unwrap();
        contact_sheet(row.view(), (1, 3), None).unwrap().pixels()[6..9].to_vec()
    };
    assert_eq!(shades([0.0; 3]), [0; 3]);
    assert_eq!(shades([7.0; 3]), [0; 3]);
    assert_eq!(shades([f64::MAX, 0.0, -f64::MAX]), [255, 128, 0]);
    assert_eq!(shades([0.0, f64::MIN_POSITIVE, 0.0]), [0, 255, 0]);
}

#[test]
fn a_single_image_has_no_border_and_the_shades_of_a_sheet() {
    let values = array![[0.0, 1.0, 2.0], [4.0, 3.0, f64::NAN]];
    let alone = GreyImage::of(values.view());
    assert_eq!((alone.height(), alone.width()), (2, 3));
    assert_eq!(alone.pixels(), [0, 64, 128, 255, 191, 0]);
    // Transposed: the logical order counts, not the memory layout.
    assert_eq!(GreyImage::of(values.t()).pixels(), [0, 255, 64, 191, 128, 0]);
}

#[test]
fn components_that_do_not_fit_the_shape_are_refused() {
    let components = random_matrix::<f64>(2, 6, 1);
    let error = contact_sheet(components.view(), (2, 2), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the components must be any number of components × 2·2 pixels, but is 2 × 6"
    );
    assert!(contact_sheet(components.view(), (usize::MAX, usize::MAX), None).is_err());
    assert!(contact_sheet(Array2::<f64>::zeros((0, 6)).view(), (2, 3), None).is_err());
    assert!(contact_sheet(Array2::<f64>::zeros((2, 0)).view(), (0, 3), None).is_err());
}

#[test]
fn a_written_sheet_reads_back_pixel_by_pixel() {
    let sheet = contact_sheet(random_matrix::<f64>(7, 12, 1).view(), (3, 4), None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sheet.png");
    sheet.write_png(&file, Overwrite::No).unwrap();
    assert!(sheet.write_png(&file, Overwrite::No).is_err(), "it exists");
    let images = read_folder::<f64>(folder.path()).unwrap();
    assert_eq!(images.shape, (sheet.height(), sheet.width()));
    let expected: Vec<f64> = sheet.pixels().iter().map(|&p| f64::from(p) / 255.0).collect();
    assert_eq!(images.table.to_dense().unwrap().into_raw_vec_and_offset().0, expected);
}

#[test]
fn damaged_images_never_cause_a_panic() {
    let gradient: Vec<u8> = (0..=255).collect();
    let files = [
        png(16, 16, png::ColorType::Grayscale, png::BitDepth::Eight, &gradient),
        png(8, 8, png::ColorType::Rgba, png::BitDepth::Eight, &gradient),
        png(8, 8, png::ColorType::Indexed, png::BitDepth::Two, &[0b0110_0001; 16]),
        b"P2\n# made by hand\n3 2\n10\n0 1 2\n3 5 10\n".to_vec(),
        b"P5 3 2 300\n\x00\x01\x02\x03\x05\x0a\x00\x01\x02\x03\x05\x0a".to_vec(),
        GRADIENT.to_vec(),
        QUARTERS.to_vec(),
    ];
    for file in files {
        let outcome = survives_damage(&[file], 10_000, decode::grey::<f32>);
        assert!(outcome.refused > 500 && outcome.accepted > 50, "{outcome:?}");
    }
}
