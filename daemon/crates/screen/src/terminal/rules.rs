//! What each sequence does, one rule a row: output, and the lines that it leaves. `E` marks a background of colour 1.

use crate::Screen;
use crate::terminal::{Attributes, Cell, Style, Underline};
use ccd_protocol::session::{Color, UnderlineStyle};
use unicode_width::UnicodeWidthStr;

/// Returns the lines; a blank cell is `.`, one with background 1 is `#`.
fn drawn(rows: u16, cols: u16, output: &str) -> Vec<String> {
    let mut screen = Screen::new(rows, cols);
    screen.feed(output.as_bytes());
    let row = |row| {
        let cells = screen.row(row).iter().filter(|cell| !cell.is_second_half());
        cells.map(shown).collect()
    };
    (0..rows).map(row).collect()
}

fn shown(cell: &Cell) -> char {
    let plain = Cell {
        character: cell.character,
        flags: cell.flags,
        ..Cell::blank(cell.style.bg)
    };
    let is_erased = cell.character == ' ' && *cell == plain;
    match cell.style.bg {
        Some(Color::Indexed(1)) if is_erased => '#',
        None if is_erased => '.',
        _ => cell.character,
    }
}

fn check(rules: &[(&str, &str)]) {
    for (output, expected) in rules {
        let lines: Vec<&str> = expected.split('|').collect();
        let cols = lines.iter().map(|line| line.width()).max().unwrap();
        let found = drawn(lines.len() as u16, cols as u16, output);
        assert_eq!(found, lines, "{output:?}");
    }
}

#[test]
fn new_cells_have_the_background_and_nothing_else_of_the_style() {
    let red = "\x1b[1;4;5;7;8;9;41;32m\x1b]8;;http://a\x07";
    let text = "abc\r\ndef\r\nghi\x1b[2;2H";
    let rules = [
        ("\x1b[3;1H\n", "def|ghi|###"),
        ("\x1b[1;1H\x1bM", "###|abc|def"),
        ("\x1b[L", "abc|###|def"),
        ("\x1b[M", "abc|ghi|###"),
        ("\x1b[S", "def|ghi|###"),
        ("\x1b[T", "###|abc|def"),
        ("\x1b[@", "abc|d#e|ghi"),
        ("\x1b[P", "abc|df#|ghi"),
        ("\x1b[9P", "abc|d##|ghi"),
        ("\x1b[X", "abc|d#f|ghi"),
        ("\x1b[J", "abc|d##|###"),
        ("\x1b[1J", "###|##f|ghi"),
        ("\x1b[2J", "###|###|###"),
        ("\x1b[K", "abc|d##|ghi"),
        ("\x1b[1K", "abc|##f|ghi"),
        ("\x1b[2K", "abc|###|ghi"),
        ("\x1b[?1049h", "###|###|###"),
        ("\x1b[?J", "abc|d##|###"),
        ("\x1b[?2K", "abc|###|ghi"),
        ("\x1b[?40h\x1b[?3h", "###|###|###"),
        ("\x1b[?3h", "abc|def|ghi"),
        ("\x1b#8", "EEE|EEE|EEE"),
    ];
    for (sequence, expected) in rules {
        check(&[(&format!("{text}{red}{sequence}"), expected)]);
    }
}

#[test]
fn margins_keep_what_is_outside() {
    check(&[
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\nX", "a|c|X|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2;1H\x1bMX", "a|X|b|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[1;1H\x1bMX", "X|b|c|d"),
        (
            "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\x1bM\x1bM\x1bMX",
            "a|X|.|d",
        ),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[4;1H\nX", "a|b|c|X"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[4;1H\x1b[9AX", "a|X|c|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[1;1H\x1b[9BX", "a|b|X|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2;1H\x1b[9AX", "a|X|c|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[1;1H\x1b[LX", "X|b|c|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\x1b[LX", "a|b|X|d"),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2;1H\x1b[M", "a|c|.|d"),
        // It moves the cursor to the start, in origin mode to that of the region.
        ("\x1b[3;1H\x1b[2;3rX", "X|.|."),
        ("\x1b[?6h\x1b[2;3rX", ".|X|."),
        ("\x1b[2;3r\x1b[?6hX\x1b[?6lY", "Y|X|."),
        ("\x1b[2;3r\x1b[?6h\x1b[9;1HX\x1b[1dY", "..|.Y|X."),
        ("\x1b[2;3r\x1b[?6h\x1b[2GX", "..|.X|.."),
        // A region of one row is not obeyed.
        ("\x1b[2;3r\x1b[3;1HX\x1b[2;2r\n\x1b[9;9rY", "..|X.|.Y|.."),
        // Nor is it kept after a reset.
        ("\x1b[1;2r\x1b[!p\x1b[3;1Ha\nb", "..|a.|.b"),
    ]);
}

#[test]
fn autowrap_and_insert_mode_are_obeyed() {
    check(&[
        ("abcd", "abc|d.."),
        ("\x1b[?7labcd", "abd|..."),
        ("\x1b[?7lab語", "ab.|..."),
        ("\x1b[?7labc\x1b[?7hd", "abc|d.."),
        ("abc\x1b[1;1H\x1b[4hX", "Xab"),
        ("abc\x1b[1;1H\x1b[4hX\x1b[4lY", "XYb"),
        ("a語\x1b[1;1H\x1b[4hX", "Xa."),
        // BS: xterm leaves the column that waited to wrap.
        ("abc\x08X", "aXc"),
        ("abc\rX", "Xbc"),
    ]);
}

#[test]
fn all_but_text_tabs_styles_and_erasing_ends_the_wait_to_wrap() {
    check(&[
        ("abc\nX", "abc|..X|..."),
        ("abc\x1bDX", "abc|..X|..."),
        ("\nabc\x1bMX", "..X|abc|..."),
        ("abc\x1b[KX", "abc|X..|..."),
        ("abc\x1b[1KX", "...|X..|..."),
        ("abc\x1b[JX", "abc|X..|..."),
        ("abc\x1b[2JX", "...|X..|..."),
        ("abc\x1b[XX", "abc|X..|..."),
        ("abc\x1b[PX", "abX|...|..."),
        ("abc\x1b[@X", "abX|...|..."),
        ("abc\tX", "abc|X..|..."),
        ("abc\x1b[1mX", "abc|X..|..."),
        ("abc\x1b7\x1b[H\x1b8X", "abc|X..|..."),
    ]);
}

#[test]
fn a_wide_character_that_does_not_fit_leaves_the_last_column_alone() {
    check(&[("abc\x1b[1;3H語", "abc|語."), ("ab語", "ab.|語.")]);
}

#[test]
fn tab_stops_move() {
    check(&[
        ("\x1b[4G\x1bH\r\tX", "...X......"),
        ("\x1b[4G\x1bH\r\tX\x1b[3g\r\tY", "...X.....Y"),
        ("\x1b[9G\x1b[g\r\tX", ".........X"),
        ("\x1b[4G\x1bH\x1b[10G\x1b[2ZX", "...X......"),
        ("\x1b[4G\x1bH\r\x1b[2IX", "........X."),
        ("\x1b[4G\x1bH\x1bc\tX", "........X."),
    ]);
}

#[test]
fn a_saved_cursor_has_its_modes_and_charsets() {
    check(&[
        ("\x1b(0\x1b7\x1b(B\x1b8q", "─"),
        ("\x1b(0\x1b[?1049h\x1b(Bq\x1b[?1049lq", "─"),
        ("\x1b)0\x0e\x1b7\x0fq\x1b8q", "─."),
        ("\x1b[2;3r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1HX", ".|X|."),
        ("\x1b[?7l\x1b7\x1b[?7h\x1b8abcd", "abd"),
        ("\x1b[?7l\x1b[?1049h\x1b[?7h\x1b[?1049labcd", "abd"),
        ("\x1b[41m\x1b7\x1b[m\x1b8\x1b[2J", "##"),
        ("ab\x1b7\x1b[1;1H\x1b8X", "ab|X."),
        // Without a saved one: the start, and what is usual.
        ("\x1b[41m\x1b[2;2H\x1b8X\x1b[K", "X.|.."),
        // 47 and 1047 leave what is saved alone, and the cursor where it is.
        ("a\x1b7\x1b[?47h\x1b[2;1H\x1b[?47lX\x1b8Y", "aY|X."),
        ("a\x1b[?1047h\x1b[2;1H\x1b[?1047lX", "a|X"),
        // Each screen keeps its own.
        (
            "\x1b[?1049h\x1b[2;2H\x1b7\x1b[?1049l\x1b[?1049h\x1b8X",
            "..|.X",
        ),
        // 1049 restores on the main screen as well.
        ("a\x1b7\x1b[2;1H\x1b[?1049lX", "aX|.."),
    ]);
}

#[test]
fn protected_cells_are_erased_by_plain_sequences_only() {
    check(&[
        ("a\x1b[1\"qb\x1b[0\"qc\x1b[1;1H\x1b[?J", ".b."),
        ("a\x1b[1\"qb\x1b[2\"qc\x1b[1;1H\x1b[?K", ".b."),
        ("a\x1b[1\"qb\x1b[mc\x1b[1;1H\x1b[?2J", ".bc"),
        ("a\x1b[1\"qb\x1b[1;1H\x1b[J", ".."),
        ("a\x1b[1\"qb\x1b[!pc\x1b[?1K", ".b."),
    ]);
}

#[test]
fn what_is_repeated_is_the_last_character() {
    check(&[
        ("a\x1b[3b", "aaaa."),
        ("語\x1b[b", "語語."),
        ("\x1b[3b", "....."),
        ("a\x1b[9b", "aaaaa"),
        // Not if there is anything between.
        ("a\r\x1b[C\x1b[3b", "a...."),
        ("a\x1b[1m\x1b[3b", "a...."),
    ]);
}

#[test]
fn half_a_wide_character_is_never_left() {
    check(&[
        ("語x\x1b[1;2H!", ".!x"),
        ("語x\x1b[1;1H!", "!.x"),
        ("語x\x1b[1;2H\x1b[K", "..."),
        ("語x\x1b[1;2H\x1b[?K", "..."),
        ("x語\x1b[1;2H\x1b[1K", "..."),
        ("語x\x1b[1;2H\x1b[X", "..x"),
        ("語x\x1b[1;1H\x1b[P", ".x."),
        ("x語\x1b[1;1H\x1b[@", ".x."),
        ("語x\x1b[1;2H\x1b[@", "..."),
        // The other half is erased, as in xterm.
        ("語x\x1b[41m\x1b[1;2H!", "#!x"),
        ("\x1b[41m語x\x1b[m\x1b[1;2H\x1b[P", ".x."),
    ]);
}

#[test]
fn each_attribute_reaches_the_cell() {
    let mut screen = Screen::new(1, 9);
    let styles = "\x1b[1;2ma\x1b[0;3mb\x1b[0;5mc\x1b[0;7md\x1b[0;8me\x1b[0;9mf\x1b[0;4:3;58:2::1:2:3mg\x1b[0;21mh\x1b[mi";
    screen.feed(styles.as_bytes());
    let cells = screen.row(0);
    let attributes: Vec<Attributes> = cells.iter().map(|cell| cell.style.attributes).collect();
    use Attributes as A;
    let none = A::empty();
    let (both, struck) = (A::BOLD | A::DIM, A::STRIKETHROUGH);
    let expected = [
        both,
        A::ITALIC,
        A::BLINK,
        A::INVERSE,
        A::HIDDEN,
        struck,
        none,
        none,
        none,
    ];
    assert_eq!(attributes, expected);
    let curly = Underline::Other(UnderlineStyle::Curly);
    assert_eq!(cells[6].style.underline, curly);
    assert_eq!(cells[6].underline_color(), Some(Color::Rgb(1, 2, 3)));
    let double = Underline::Other(UnderlineStyle::Double);
    assert_eq!(cells[7].style.underline, double);
    assert_eq!(cells[7].underline_color(), None);
    assert_eq!(
        (cells[8].character, cells[8].style),
        ('i', Style::default())
    );
}

#[test]
fn links_of_a_huge_screen_are_short() {
    for (cols, is_link) in [(100, true), (1000, false)] {
        let mut screen = Screen::new(1000, cols);
        screen.feed(b"\x1b]8;;http://example.org/a\x07a");
        assert_eq!(screen.row(0)[0].link().is_some(), is_link, "{cols}");
    }
}

#[test]
fn a_link_lasts_until_it_ends() {
    let mut screen = Screen::new(1, 5);
    screen
        .feed(b"\x1b]8;id=x;http://a/;b\x1b\\a\x1b[mb\x1b]8;;\x07c\x1b]8;;http://d\x1b\\d\x1b]8;");
    screen.feed(&[b';'; 5000]);
    screen.feed(b"\x07e");
    let cells = screen.row(0).iter();
    let links: Vec<_> = cells.map(|cell| cell.link().map(|link| &**link)).collect();
    let (first, second) = (Some("http://a/;b"), Some("http://d"));
    // One that is too long ends it.
    assert_eq!(links, [first, first, None, second, None]);
}
