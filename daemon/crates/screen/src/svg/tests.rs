use super::super::image::PictureTooLarge;
use super::super::model::Screen;
use super::super::png::draw_png;
use super::*;
use ccd_protocol::image::{ImageStyle, ImageTheme};
use proptest::prelude::*;

fn drawn(rows: u16, cols: u16, output: &str) -> String {
    let mut screen = Screen::new(rows, cols);
    screen.feed(output.as_bytes());
    draw_svg(
        &screen.snapshot(),
        &(0..rows),
        "a <title> & more",
        false,
        &ImageStyle::default(),
    )
    .unwrap()
}

/// Returns the elements between the background and the cursor, without the fonts.
fn elements(rows: u16, cols: u16, output: &str) -> Vec<String> {
    let picture = drawn(rows, cols, output);
    let kept = picture.lines().skip(3);
    let kept = kept.filter(|line| !line.starts_with("<g") && !line.starts_with("</"));
    kept.map(str::to_owned).collect()
}

#[test]
fn a_picture_is_a_whole_document() {
    let picture = drawn(2, 10, "hi\r\n");
    assert_eq!(
        picture,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"106\" height=\"52\" viewBox=\"-8 -8 106 52\">\n\
         <title>a &lt;title&gt; &amp; more</title>\n\
         <rect x=\"-8\" y=\"-8\" width=\"106\" height=\"52\" fill=\"#000000\"/>\n\
         <g shape-rendering=\"crispEdges\">\n<g transform=\"scale(9 18)\">\n\
         <path fill=\"#ffffff\" d=\"M0,1h1v1h-1z\"/>\n</g>\n</g>\n<g fill=\"none\">\n</g>\n\
         <g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono','Noto Sans Mono CJK JP',monospace\" \
         font-size=\"15\" fill=\"#ffffff\" style=\"font-variant-ligatures:none\">\n\
         <text x=\"0\" y=\"14\" textLength=\"18\">hi</text>\n</g>\n</svg>\n"
    );
}

fn styled(output: &str, style: ImageStyle) -> String {
    let mut screen = Screen::new(5, 20);
    screen.feed(output.as_bytes());
    draw_svg(&screen.snapshot(), &(0..5), "vi notes.txt", false, &style).unwrap()
}

#[test]
fn a_theme_has_its_colours_and_the_program_may_change_them() {
    let theme = |theme| ImageStyle {
        theme: Some(theme),
        ..ImageStyle::default()
    };
    #[rustfmt::skip]
    let rows = [
        (ImageTheme::Dracula, "\x1b[31mr", [r##"fill="#282a36"/>"##, r##"fill="#ff5555">r<"##]),
        // Bold text is bright in xterm's colours only.
        (ImageTheme::Xterm, "\x1b[1;31mr", [r##"fill="#000000"/>"##, r##"fill="#ff0000" font-weight="bold">r<"##]),
        (ImageTheme::SolarizedLight, "\x1b[1;32mr", [r##"fill="#fdf6e3"/>"##, r##"fill="#859900" font-weight="bold">r<"##]),
        (ImageTheme::Light, "\x1b]4;1;#123456\x07\x1b[31mr", [r##"fill="#ffffff"/>"##, r##"fill="#123456">r<"##]),
        (ImageTheme::Dark, "\x1b[38;5;231mr", [r##"fill="#0d1117"/>"##, r##"fill="#ffffff">r<"##]),
    ];
    for (name, output, parts) in rows {
        let picture = styled(output, theme(name));
        for part in parts {
            assert!(picture.contains(part), "{name:?} {part}: {picture}");
        }
    }
}

#[test]
fn a_picture_is_cropped_padded_and_framed() {
    let size = |style| {
        let picture = styled("one\r\n  two\r\n\x1b[41m \x1b[m", style);
        picture
            .split_once("\n")
            .unwrap()
            .0
            .split_once("width")
            .unwrap()
            .1
            .to_owned()
    };
    let plain = ImageStyle::default();
    let crop = ImageStyle {
        crop: true,
        ..plain
    };
    let padded = ImageStyle {
        padding: Some(0),
        ..crop
    };
    let window = ImageStyle {
        window: true,
        ..padded
    };
    #[rustfmt::skip]
    let rows = [
        (plain, r#"="196" height="106" viewBox="-8 -8 196 106">"#),
        (crop, r#"="61" height="70" viewBox="-8 -8 61 70">"#),
        (padded, r#"="45" height="54" viewBox="0 0 45 54">"#),
        (window, r#"="45" height="86" viewBox="0 -32 45 86">"#),
    ];
    for (style, expected) in rows {
        assert_eq!(size(style), expected);
    }
    let wide = styled(
        "",
        ImageStyle {
            window: true,
            ..plain
        },
    );
    assert!(
        wide.contains("…</text>") && !wide.contains("notes.txt</text>"),
        "{wide}"
    );
    let empty = styled("\x1b[?25l", crop);
    assert!(empty.contains(r#"width="25" height="34""#), "{empty}");
}

#[test]
fn equal_backgrounds_are_one_rectangle() {
    let output = "\x1b[?25l\x1b[41m    \x1b[44m  \x1b[41m    \x1b[42m  ";
    let expected = [
        r##"<path fill="#0000ee" d="M4,0h2v1h-2z"/>"##,
        r##"<path fill="#00cd00" d="M4,1h2v1h-2z"/>"##,
        r##"<path fill="#cd0000" d="M0,0h4v2h-4z"/>"##,
    ];
    assert_eq!(elements(3, 6, output), expected);
}

#[test]
fn styles_become_colours_weights_and_lines() {
    let text = |output: &str| elements(1, 9, &format!("\x1b[?25l{output}")).join("");
    #[rustfmt::skip]
    let rows = [
        ("\x1b[31mr", r##"<text x="0" y="14" fill="#cd0000">r</text>"##),
        ("\x1b[1;31mr", r##"<text x="0" y="14" fill="#ff0000" font-weight="bold">r</text>"##),
        ("\x1b[2mr", r##"<text x="0" y="14" fill="#999999">r</text>"##),
        (
            "\x1b[3;4mab c\x1b[38;5;196md",
            "<path fill=\"#ff0000\" d=\"M36,16h9v1h-9z\"/><path fill=\"#ffffff\" d=\"M0,16h36v1h-36z\"/>\
             <text x=\"0\" y=\"14\" textLength=\"36\" font-style=\"italic\">ab c</text>\
             <text x=\"36\" y=\"14\" fill=\"#ff0000\" font-style=\"italic\">d</text>",
        ),
        (
            "\x1b[7;38;2;1;2;3mr",
            r##"<path fill="#010203" d="M0,0h1v1h-1z"/><text x="0" y="14" fill="#000000">r</text>"##,
        ),
        // Lines have their style, and hidden text is not there.
        ("\x1b[9mab", r##"<path fill="#ffffff" d="M0,9h18v1h-18z"/><text x="0" y="14" textLength="18">ab</text>"##),
        ("\x1b[21;58:2::1:2:3m \x1b[m", r##"<path fill="#010203" d="M0,14h9v1h-9zM0,16h9v1h-9z"/>"##),
        (
            "\x1b[4:3m  \x1b[4:5m ",
            "<path fill=\"#ffffff\" d=\"M18,16h5v1h-5z\"/>\
             <path stroke=\"#ffffff\" d=\"M0,16q2.25,-4 4.5,0t4.5,0M9,16q2.25,-4 4.5,0t4.5,0\"/>",
        ),
        ("\x1b[4:4m ", r##"<path fill="#ffffff" d="M0,16h1v1h-1zM3,16h1v1h-1zM6,16h1v1h-1z"/>"##),
        ("\x1b[8;4;9msecret", ""),
        ("\x1b[8;41mx", r##"<path fill="#cd0000" d="M0,0h1v1h-1z"/>"##),
    ];
    for (output, expected) in rows {
        assert_eq!(text(output), expected, "{output:?}");
    }
}

#[test]
fn text_blinks_if_it_should() {
    let picture = drawn(1, 2, "\x1b[5ma");
    for part in [
        r#"<text x="0" y="14" class="blink">a<"#,
        "<style>@media (prefers-reduced-motion:no-preference){.blink",
    ] {
        assert!(picture.contains(part), "{picture}");
    }
    assert!(!drawn(1, 2, "a").contains("style>"));
}

#[test]
fn only_safe_links_can_be_clicked() {
    let links = |address: &str| {
        let picture = drawn(1, 9, &format!("\x1b]8;;{address}\x07ab\x1b]8;;\x07c"));
        let found = picture.lines().filter(|line| line.starts_with("<a "));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        links("https://a/?b=\"<&"),
        [
            "<a target=\"_blank\" rel=\"noreferrer\" href=\"https://a/?b=&quot;&lt;&amp;\"><title>https://a/?b=&quot;&lt;&amp;</title>\
          <rect x=\"0\" y=\"0\" width=\"18\" height=\"18\" fill-opacity=\"0\"/></a>"
        ]
    );
    assert_eq!(links("HTTP://a").len() + links("mailto:a@b").len(), 2);
    let script = "javascript:alert(1)";
    for address in [
        script,
        "file:///etc/passwd",
        "data:text/html,x",
        "a",
        "httpx:a",
    ] {
        assert_eq!(links(address).len(), 0, "{address}");
    }
}

#[test]
fn colours_that_the_program_has_changed_are_shown() {
    let changed = "\x1b]4;1;#123456\x07\x1b]11;rgb:aa/bb/cc\x07\x1b[31mr";
    let reverse = "\x1b[?5hr";
    for (output, part) in [
        (changed, r##"fill="#aabbcc"/>"##),
        (changed, r##"fill="#123456">r<"##),
        (reverse, r##"height="34" fill="#ffffff"/>"##),
        (reverse, r##"fill="#000000" style"##),
    ] {
        let picture = drawn(1, 3, output);
        assert!(picture.contains(part), "{picture}");
    }
}

#[test]
fn the_cursor_has_its_shape() {
    let last = |style: &str, is_hollow| {
        let mut screen = Screen::new(1, 4);
        screen.feed(format!("\x1b[{style} qa語\x1b[2D").as_bytes());
        let picture = draw_svg(
            &screen.snapshot(),
            &(0..1),
            "",
            is_hollow,
            &ImageStyle::default(),
        )
        .unwrap();
        let line = picture.lines().rev().nth(1);
        line.unwrap().to_owned()
    };
    let hollow = r##"<rect x="9.5" y="0.5" width="17" height="17" fill="none" stroke="#ffffff"/>"##;
    #[rustfmt::skip]
    let rows = [
        ("2", false, "</g>"),
        ("2", true, hollow),
        ("4", false, r##"<rect x="9" y="16" width="18" height="2" fill="#ffffff"/>"##),
        ("6", false, r##"<rect x="9" y="0" width="2" height="18" fill="#ffffff"/>"##),
    ];
    for (style, is_hollow, expected) in rows {
        assert_eq!(last(style, is_hollow), expected);
    }
    let picture = drawn(1, 2, "\x1b]12;#010203\x07x\x08");
    assert!(picture.contains(r##"<path fill="#010203" d="M0,0h1v1h-1z"/>"##));
}

#[test]
fn lines_meet_at_the_borders_of_their_cells() {
    let path = |text: &str| elements(1, 3, &format!("\x1b[?25l{text}")).join("");
    let white = |data: &str| format!("<path fill=\"#ffffff\" d=\"{data}\"/>");
    let arc = r##"<path stroke="#ffffff" d="M4.5,18V14A4.5,4.5 0 0 1 9,9.5"/>"##;
    #[rustfmt::skip]
    let rows = [
        ("─│", &*white("M4,9h5v1h-5zM0,9h5v1h-5zM13,9h1v9h-1zM13,0h1v10h-1z")),
        ("┏", &white("M3,8h6v3h-6zM3,8h3v10h-3z")),
        ("╔", &white("M3,8h6v1h-6zM5,10h4v1h-4zM3,8h1v10h-1zM5,10h1v8h-1z")),
        ("█▄", &white("M0,0h9v18h-9zM9,9h9v9h-9z")),
        ("⣀", &white("M1,14h2v2h-2zM6,14h2v2h-2z")),
        ("╭", arc),
        ("\x1b[34m▒", r##"<path fill="#000077" d="M0,0h9v18h-9z"/>"##),
    ];
    for (text, expected) in rows {
        assert_eq!(path(text), expected, "{text:?}");
    }
}

#[test]
fn a_part_of_the_rows_is_a_picture_too() {
    let mut screen = Screen::new(9, 4);
    screen.feed(b"1\r\n2\r\n3");
    let picture = draw_svg(
        &screen.snapshot(),
        &(1..2),
        "",
        false,
        &ImageStyle::default(),
    )
    .unwrap();
    assert!(
        picture.contains(r#"height="34""#) && picture.contains(r#" y="14">2<"#),
        "{picture}"
    );
    assert!(!picture.contains(">1<") && !picture.contains(">3<"));
}

/// Every colour is different, and all text may be missing in fonts: nothing can be joined.
#[test]
fn a_picture_of_a_million_colours_is_refused_or_drawn_in_parts() {
    let mut screen = Screen::new(1000, 1000);
    for row in 0..1000 {
        let mut line = format!("\x1b[{};1H", row + 1);
        for col in 0..1000 {
            let (red, green, blue) = (row % 256, col % 256, row / 256 * 16 + col / 256);
            line.push_str(&format!(
                "\x1b[38;2;{red};{green};{blue};48;2;{blue};{green};{red}m✓"
            ));
        }
        screen.feed(line.as_bytes());
    }
    let snapshot = screen.snapshot();
    let refused = draw_svg(&snapshot, &(0..1000), "", false, &ImageStyle::default());
    assert_eq!(refused, Err(PictureTooLarge("64 MiB")));
    assert!(
        draw_svg(&snapshot, &(0..400), "", false, &ImageStyle::default())
            .unwrap()
            .len()
            < 64 << 20
    );
}

/// Checks that elements are closed in order, attributes are quoted, and all characters are allowed in XML.
fn assert_well_formed(picture: &str) {
    let mut open = Vec::new();
    let mut rest = picture;
    while let Some(at) = rest.find('<') {
        assert_text(&rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = tag.split([' ', '>']).next().unwrap();
            assert!(name.chars().all(|c| c.is_ascii_lowercase()), "{tag}");
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert_eq!((rest, open.len()), ("\n", 0));
}

fn assert_text(text: &str) {
    for (at, _) in text.match_indices('&') {
        let entity = ["&amp;", "&lt;", "&gt;", "&quot;"]
            .iter()
            .any(|name| text[at..].starts_with(name));
        assert!(entity, "{text:?}");
    }
    let is_legal = |c: char| matches!(c, '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(is_legal), "{text:?}");
}

proptest! {
    #[test]
    fn whatever_is_shown_is_well_formed(
        pieces in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "<", ">", "&", "\"", "'", "]]>", "<!--", "&amp;", "\u{fffe}", "\u{ffff}", "\u{301}", "\u{200b}", "\u{202e}",
                "\u{200d}", "👩\u{200d}💻", "ב", "ع", "語", "✔\u{fe0f}", "╬", "▒", "⣿", "\u{e0b0}", "\u{1b}[1;4;7m",
                "\u{1b}[38;2;1;2;3m", "\u{1b}]8;;http:\"'<&\u{7}", "\u{1b}[5;8;9m", "\u{1b}[4:3m", "\u{1b}[?5h", "\u{1b}[4;1H", "\r\n", "\u{1b}]2;<&\u{fffe}\u{7}", "\u{1b}[6 q", "\u{85}",
            ]).prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
            "\u{1b}\\[[0-9;]{0,6}[mHJK@PLM]",
        ], 0..60),
        rows in 1_u16..6, cols in 1_u16..9, is_hollow: bool,
        padding in prop::option::of(0_u16..30), window: bool, crop: bool,
    ) {
        let mut screen = Screen::new(rows, cols);
        screen.feed(pieces.concat().as_bytes());
        let snapshot = screen.snapshot();
        let style = ImageStyle { theme: None, padding, window, crop };
        let draw = || draw_svg(&snapshot, &(0..rows), &snapshot.title, is_hollow, &style);
        let picture = draw().unwrap();
        assert_well_formed(&picture);
        prop_assert!(draw_png(&snapshot, &(0..rows), &snapshot.title, is_hollow, &style).is_ok());
        prop_assert_eq!(draw().unwrap(), picture);
    }
}
