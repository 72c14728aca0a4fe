use super::super::image::PictureTooLarge;
use super::super::model::Screen;
use super::font::Font;
use super::*;
use ccd_protocol::image::ImageStyle;
use std::collections::HashSet;

fn png(rows: u16, cols: u16, output: &str) -> Vec<u8> {
    let mut screen = Screen::new(rows, cols);
    screen.feed(output.as_bytes());
    draw_png(
        &screen.snapshot(),
        &(0..rows),
        "",
        false,
        &ImageStyle::default(),
    )
    .unwrap()
}

/// Returns the colour of a pixel in a screen of 2 rows and 3 columns, counted from the first cell.
fn pixel(output: &str, x: i64, y: i64) -> [u8; 3] {
    let png = png(2, 3, output);
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
    let size = decoder.next_frame(&mut pixels).unwrap();
    assert_eq!((size.width, size.height), (43, 52));
    let margin = 8;
    pixels.as_chunks().0[((y + margin) * 43 + x + margin) as usize]
}

#[test]
fn backgrounds_and_the_cursor_have_their_exact_colours() {
    for (output, (x, y), color) in [
        ("", (-8, -8), [0, 0, 0]),
        ("\x1b]11;#010203\x07", (34, 43), [1, 2, 3]),
        ("\x1b[?5h", (-8, -8), [255; 3]),
        (" \x1b[48;2;1;2;3m ", (8, 9), [0, 0, 0]),
        (" \x1b[48;2;1;2;3m ", (9, 9), [1, 2, 3]),
        (" \x1b[48;2;1;2;3m ", (17, 17), [1, 2, 3]),
        ("\r\n\x1b]4;1;#010203\x07\x1b[7;31m ", (0, 18), [1, 2, 3]),
        ("\x1b]12;#010203\x07x\x08", (0, 0), [1, 2, 3]),
        ("\x1b]12;#010203\x07\x1b[4 q", (8, 17), [1, 2, 3]),
        ("\x1b[4;58:2::1:2:3m ", (0, 16), [1, 2, 3]),
    ] {
        assert_eq!(pixel(output, x, y), color, "{output:?} {x} {y}");
    }
}

#[test]
fn lines_meet_at_the_borders_of_their_cells() {
    let white = |output: &str, x, y| pixel(&format!("\x1b[?25l{output}"), x, y) == [255; 3];
    for x in 0..27 {
        let all = [("───", 9), ("━━━", 10), ("▀▀▀", 8)];
        assert!(all.iter().all(|(line, y)| white(line, x, *y)), "{x}");
    }
    for y in 0..36 {
        assert!(white("│\r\n│", 4, y) && white("█\r\n▌", 0, y), "{y}");
    }
}

#[test]
fn what_differs_on_a_terminal_differs_in_the_image() {
    #[rustfmt::skip]
    let outputs = [
        " ", "x", "é", "✓", "✗", "語", "\u{e123}", "x\u{301}", "x\u{302}", "╭", "╱", "\u{e0b0}", "\x1b[1mx", "\x1b[2mx",
        "\x1b[3mx", "\x1b[7mx", "\x1b[9mx", "\x1b[4mx", "\x1b[21mx", "\x1b[4:3mx", "\x1b[4:4mx", "\x1b[4:5mx", "\x1b[4 q ",
        "\x1b[6 q ", "\x1b[?25l",
    ];
    let images: HashSet<Vec<u8>> = outputs.iter().map(|output| png(1, 3, output)).collect();
    assert_eq!(images.len(), outputs.len());
    assert_eq!(png(1, 3, "\x1b[8;4;9mx"), png(1, 3, " "));
    // Both are missing, and boxes.
    assert_eq!(png(1, 3, "語"), png(1, 3, "🎉"));
}

#[test]
fn an_italic_character_has_as_much_ink_as_an_upright_one() {
    let font = Font::new().unwrap();
    let ink = |character, is_italic| -> Option<u32> {
        let mask = font.mask(character, is_italic)?;
        Some(mask.coverage.iter().copied().map(u32::from).sum())
    };
    for character in '\0'..=char::MAX {
        assert_eq!(ink(character, true), ink(character, false), "{character:?}");
    }
    assert_eq!((ink(' ', true), ink('語', true)), (Some(0), None));
}

#[test]
fn a_large_screen_is_refused_or_drawn_in_parts() {
    let snapshot = Screen::new(1000, 1000).snapshot();
    let refused = Err(PictureTooLarge("16 million pixels"));
    assert_eq!(
        draw_png(&snapshot, &(0..1000), "", false, &ImageStyle::default()),
        refused
    );
    assert!(draw_png(&snapshot, &(900..910), "", true, &ImageStyle::default()).is_ok());
}
