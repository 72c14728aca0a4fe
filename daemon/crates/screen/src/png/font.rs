//! The font. It is part of the daemon, so an image is the same on all hosts.
//! `glyphs.bin.gz` contains the characters of DejaVu Sans Mono 2.37, hinted and drawn at the size of images. The test in
//! glyphs.rs writes it; LICENSE-DejaVu is the licence of the font.

use super::pixels::Mask;
use flate2::read::GzDecoder;
use std::io::{self, Read as _};
use zeno::Placement;

static PACKED: &[u8] = include_bytes!("glyphs.bin.gz");

/// What the file says about a character: its code point in four bytes; how far its shape is to the right of its start and
/// below the baseline; width and height of the shape.
type GlyphEntry = [u8; 8];

/// How far an italic letter leans to the right, as a part of its height.
const SLANT: f32 = 0.2;

pub(super) struct Font {
    /// In the order of their code points, so that a character can be found by a binary search.
    entries: Vec<GlyphEntry>,
    /// One byte for each pixel of the shapes.
    coverage: Vec<u8>,
    starts: Vec<usize>,
}

impl Font {
    pub(super) fn new() -> io::Result<Self> {
        let mut file = GzDecoder::new(PACKED);
        let mut count = [0; 4];
        file.read_exact(&mut count)?;
        let mut entries = vec![GlyphEntry::default(); u32::from_be_bytes(count) as usize];
        file.read_exact(entries.as_flattened_mut())?;
        let mut coverage = Vec::new();
        file.read_to_end(&mut coverage)?;
        let starts = entries.iter().scan(0, |next, entry| {
            let start = *next;
            *next += pixels(entry);
            Some(start)
        });
        Ok(Self {
            starts: starts.collect(),
            entries,
            coverage,
        })
    }

    /// Returns the shape of a character relative to its start on the baseline; `None` if the font lacks it.
    pub(super) fn mask(&self, character: char, is_italic: bool) -> Option<Mask> {
        let code_point = u32::from(character).to_be_bytes();
        let index = self
            .entries
            .binary_search_by(|entry| entry[..4].cmp(&code_point))
            .ok()?;
        let (entry, start) = (self.entries[index], self.starts[index]);
        let [.., left, top, width, height] = entry;
        let mask = Mask {
            coverage: self.coverage[start..start + pixels(&entry)].to_vec(),
            placement: Placement {
                left: i32::from(left.cast_signed()),
                top: i32::from(top.cast_signed()),
                width: u32::from(width),
                height: u32::from(height),
            },
        };
        Some(if is_italic { italic(&mask) } else { mask })
    }
}

fn pixels([.., width, height]: &GlyphEntry) -> usize {
    usize::from(*width) * usize::from(*height)
}

/// Moves each row to the right by a part of its height above the baseline. A pixel that comes to lie between two columns
/// is divided among them.
fn italic(upright: &Mask) -> Mask {
    let placement = upright.placement;
    let shift = |row: u32| SLANT * (-0.5 - (placement.top + row as i32) as f32);
    // Below the shape, so no row is moved to the left of it.
    let least = shift(placement.height).floor();
    let width = placement.width + (shift(0) - least) as u32 + 1;
    let mut coverage = vec![0; (width * placement.height) as usize];
    let from = upright
        .coverage
        .chunks_exact(placement.width.max(1) as usize);
    let to = coverage.chunks_exact_mut(width as usize);
    for (row, (from, to)) in (0..).zip(from.zip(to)) {
        let shift = shift(row) - least;
        for (column, ink) in (shift as usize..).zip(from) {
            let next = (f32::from(*ink) * shift.fract()).round() as u8;
            to[column] += ink - next;
            to[column + 1] += next;
        }
    }
    Mask {
        coverage,
        placement: Placement {
            left: placement.left + least as i32,
            width,
            ..placement
        },
    }
}
