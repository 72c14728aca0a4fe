//! The file of glyphs, drawn from the outlines of DejaVu Sans Mono. Only this test reads the font, so the program contains
//! neither the font nor the library that hints it.
//! `CCD_UPDATE_DOCS=1 cargo test -p ccd-screen glyphs` writes it.

use super::super::image::FONT_SIZE;
use super::pixels::Mask;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::pen::SvgPen;
use skrifa::outline::{DrawSettings, HintingInstance, HintingOptions};
use skrifa::{FontRef, MetadataProvider as _};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use zeno::{Fill, Transform};

#[test]
fn the_file_of_glyphs_equals_the_font() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/png/glyphs.bin.gz");
    let expected = file(&masks());
    if std::env::var_os("CCD_UPDATE_DOCS").is_some() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&expected).unwrap();
        fs::write(path, packed.finish().unwrap()).unwrap();
        return;
    }
    let mut bytes = Vec::new();
    let packed = fs::read(path).unwrap();
    GzDecoder::new(&*packed).read_to_end(&mut bytes).unwrap();
    assert!(bytes == expected, "glyphs.bin.gz is out of date");
}

fn masks() -> BTreeMap<u32, Mask> {
    let font = FontRef::new(dejavu::sans_mono::regular()).unwrap();
    let outlines = font.outline_glyphs();
    // Fits outlines to whole pixels; without it, small text is blurred.
    let hinting = HintingInstance::new(
        &outlines,
        Size::new(FONT_SIZE as f32),
        LocationRef::default(),
        HintingOptions::default(),
    )
    .unwrap();
    // In a font, y grows upwards.
    let transform = Transform::scale(1.0, -1.0);
    let draw = |(code_point, glyph)| {
        let mut path = SvgPen::new();
        let settings = DrawSettings::hinted(&hinting, false);
        let outline = outlines.get(glyph).unwrap();
        outline.draw(settings, &mut path).unwrap();
        let mask = Mask::new(path.as_ref(), Fill::NonZero, transform);
        (code_point, mask)
    };
    font.charmap().mappings().map(draw).collect()
}

/// Returns what font.rs reads: the number of characters, an entry for each, and the pixels of all.
fn file(masks: &BTreeMap<u32, Mask>) -> Vec<u8> {
    let mut bytes = (masks.len() as u32).to_be_bytes().to_vec();
    let mut coverage: Vec<u8> = Vec::new();
    for (code_point, mask) in masks {
        bytes.extend(code_point.to_be_bytes());
        let placement = mask.placement;
        for coordinate in [placement.left, placement.top] {
            bytes.extend(i8::try_from(coordinate).unwrap().to_be_bytes());
        }
        for length in [placement.width, placement.height] {
            bytes.push(u8::try_from(length).unwrap());
        }
        coverage.extend(&mask.coverage);
    }
    bytes.extend(coverage);
    bytes
}
