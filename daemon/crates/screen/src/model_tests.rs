use super::*;
use crate::modes::Modes;
use ccd_protocol::session::{CellRun, CursorShape};
use proptest::prelude::*;

/// The contents of a screen without styles.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub lines: Vec<String>,
    cursor: Cursor,
    title: String,
    alternate: bool,
}

impl Screen {
    pub fn seen(&self) -> Seen {
        let snapshot = self.snapshot();
        Seen {
            lines: snapshot.lines(&(0..snapshot.size().0)),
            cursor: snapshot.cursor(),
            alternate: snapshot.alternate(),
            title: snapshot.title,
        }
    }

    pub fn cells(&self) -> Vec<Vec<CellRun>> {
        let snapshot = self.snapshot();
        snapshot.cells(&(0..snapshot.size().0))
    }
}

fn cursor_at(row: u16, col: u16, visible: bool) -> Cursor {
    Cursor {
        row,
        col,
        visible,
        shape: CursorShape::Block,
        blink: false,
    }
}

fn screen(rows: u16, cols: u16, output: &str) -> Screen {
    let mut whole = Screen::new(rows, cols);
    whole.feed(output.as_bytes());
    let mut single = Screen::new(rows, cols);
    output
        .as_bytes()
        .chunks(1)
        .for_each(|byte| single.feed(byte));
    assert_eq!(single.seen(), whole.seen(), "fed byte by byte");
    assert_eq!(whole.picture.faults, 0);
    whole
}

fn lines(rows: u16, cols: u16, output: &str) -> Vec<String> {
    screen(rows, cols, output).seen().lines
}

#[test]
fn characters_that_arrive_in_parts_lose_none_after_them() {
    let text = "\u{3a3}A\u{a1}b\u{20ac}c\u{1f600}d";
    assert_eq!(lines(1, 20, text), [text]);
    for text in [
        text.as_bytes(),
        b"\xcf\xcf\xbf#\xe5(\xf0\x9f\xc3\xa9+\xe2\x82)",
    ] {
        let mut whole = Screen::new(1, 20);
        whole.feed(text);
        for cut in 0..text.len() {
            let mut screen = Screen::new(1, 20);
            screen.feed(&text[..cut]);
            screen.feed(&text[cut..]);
            assert_eq!(screen.seen(), whole.seen(), "{cut}");
        }
    }
}

#[test]
fn text_wraps_scrolls_and_keeps_to_its_region() {
    assert_eq!(lines(3, 5, "abcdefg\r\nh"), ["abcde", "fg", "h"]);
    assert_eq!(lines(2, 5, "a\r\nb\r\nc  "), ["b", "c"]);
    let output = "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nX";
    assert_eq!(lines(4, 5, output), ["1", "3", "X", "4"]);
    assert_eq!(lines(3, 5, "a\x1bDb\x1bEc"), ["a", " b", "c"]);
}

#[test]
fn tabs_go_both_ways() {
    let shown = lines(1, 40, "a\tb\tc\x1b[2Zd\x1b[2Ie");
    assert_eq!(shown, ["a       d       c       e"]);
}

#[test]
fn wide_characters_take_two_columns() {
    let shown = screen(3, 7, "日本語x\r\n日本語語\x1b[3;1He\u{301}");
    assert_eq!(shown.seen().lines, ["日本語x", "日本語", "e\u{301}"]);
    // A wide character does not fit in the last column.
    assert_eq!(lines(2, 7, "日本語語")[1], "語");
}

#[test]
fn the_alternate_screen_leaves_the_main_one_as_it_was() {
    for (on, off) in [
        ("\x1b[?1049h", "\x1b[?1049l"),
        ("\x1b7\x1b[?47h", "\x1b[?47l\x1b8"),
        ("\x1b[?1048;h\x1b[?1047h", "\x1b[?1047l\x1b[?1048l"),
    ] {
        let inside = format!("$ vim{on}\x1b[HHELLO");
        let after = format!("{inside}{off}!");
        for (output, line, alternate) in [(inside, "HELLO", true), (after, "$ vim!", false)] {
            let shown = screen(2, 10, &output).seen();
            assert_eq!(
                (&*shown.lines[0], shown.alternate),
                (line, alternate),
                "{output:?}"
            );
        }
    }
}

#[test]
fn cursor_title_and_saved_position_are_followed() {
    let output = "\x1b]0;my title\x07\x1b[2;3H\x1b[s\x1b[4;4H\x1b[u\x1b[?25l";
    let shown = screen(4, 10, output).seen();
    assert_eq!(shown.title, "my title");
    assert_eq!(shown.cursor, cursor_at(1, 2, false));
    let waits_to_wrap = screen(1, 3, "abc").cursor();
    assert_eq!(waits_to_wrap, cursor_at(0, 2, true));
    let output = "\x1b[2;3r\x1b[?6h\x1b[4;4H\x1b[!pX";
    assert_eq!(lines(4, 10, output)[2], "   X");
}

#[test]
fn boxes_drawn_with_the_old_character_set_are_boxes() {
    let output = "\x1b(0lqk\x1b[31mx\x1b(Bx\r\n\x1b)0\x0eq\x0fq";
    assert_eq!(lines(2, 8, output), ["┌─┐│x", "─q"]);
}

#[test]
fn strings_show_nothing_however_long_or_broken() {
    let long = "x".repeat(10_000);
    let output = format!("a\x1b]52;c;{long}\x07b\x1bPq{long}\x1b\\c");
    assert_eq!(lines(1, 10, &output), ["abc"]);
    let output = "a\x1b[12\x18b\x1b]0;t\x1b[1mc\x1b[3\x1b[1md";
    assert_eq!(lines(1, 10, output), ["abcd"]);
    // Controls inside a sequence are obeyed.
    assert_eq!(lines(2, 10, "a\x1b[3\r\n1mb"), ["a", "b"]);
}

#[test]
fn cells_are_runs_of_one_style() {
    let shown = screen(2, 20, "ab \x1b[1;31mcd\x1b[0;48:2::1:2:3m \x1b[m语  \r\n");
    let cells = shown.cells();
    assert_eq!(cells[1], []);
    let spans = cells[0].iter().map(|run| (run.col, run.width, &*run.text));
    assert!(spans.eq([(0, 3, "ab "), (3, 2, "cd"), (5, 1, " "), (6, 2, "语")]));
    assert_eq!(
        serde_json::to_string(&cells[0][1..3]).unwrap(),
        r##"[{"col":3,"width":2,"text":"cd","fg":1,"bold":true},{"col":5,"width":1,"text":" ","bg":"#010203"}]"##
    );
}

#[test]
fn a_wide_character_that_no_longer_fits_wraps_or_is_gone() {
    let mut shown = screen(2, 4, "ab語");
    shown.resize(2, 3);
    assert_eq!(shown.seen().lines, ["ab", "語"]);
    let mut alternate = screen(1, 4, "\x1b[?1049h\x1b[Hab語");
    alternate.resize(1, 3);
    assert_eq!(alternate.seen().lines, ["ab"]);
}

#[test]
fn the_cursor_has_the_shape_that_was_asked_for() {
    let shapes = [
        ("", CursorShape::Block, false),
        ("\x1b[?12h", CursorShape::Block, true),
        ("\x1b[2 q\x1b[?12h", CursorShape::Block, false),
        ("\x1b[3 q", CursorShape::Underline, true),
        ("\x1b[6 q", CursorShape::Bar, false),
    ];
    for (output, shape, blink) in shapes {
        let cursor = screen(1, 4, output).cursor();
        assert_eq!((cursor.shape, cursor.blink), (shape, blink), "{output:?}");
    }
}

#[test]
fn a_resize_keeps_the_text_and_any_size_is_taken() {
    let mut shown = screen(4, 10, "abc\r\ndef");
    shown.resize(2, 2);
    assert_eq!(shown.size(), (2, 2));
    assert_eq!(shown.seen().lines, ["de", "f"]);
    shown.resize(0, 0);
    shown.feed("日x\x1b[2J\x1b[9;9H".as_bytes());
    assert_eq!((shown.size(), shown.picture.faults), ((1, 1), 0));
}

#[test]
fn a_model_that_panics_is_replaced() {
    let mut shown = screen(2, 5, "abc");
    let picture = &mut shown.picture;
    picture.guarded(|_| panic!("as a fault in the model would"));
    assert_eq!(picture.faults, 1);
    assert_eq!(shown.seen().lines, ["", ""]);
    shown.feed(b"on");
    assert_eq!(shown.seen().lines[0], "on");
}

/// The state that must be equal after a repaint.
fn state(shown: &Screen) -> (Seen, Vec<Vec<CellRun>>, Modes) {
    let mut modes = shown.picture.terminal.modes;
    // The repaint does not request keyboard protocols from the other terminal; the program's own output did.
    modes.keyboard = Default::default();
    (shown.seen(), shown.cells(), modes)
}

#[test]
fn a_repaint_brings_any_terminal_to_the_same_state() {
    let output = "\x1b]4;2;#010203\x07\x1b[32m$\x1b[m vim\x1b[?1049h\x1b]2;vim\x07\x1b[1;4r\x1b[?1;2004;1004;1002;1006h\x1b=\x1b[2;3H\x1b[7mhello\x1b[m\x1b[3 q\x1b[?25l";
    let mut shown = screen(5, 20, output);
    let repaint = shown.saved();
    let mut other = screen(5, 20, "junk\x1b[2;3r\x1b[?6h\x1b(0\x1b[4hqqq\x1b[?1003h");
    other.feed(&repaint);
    assert_eq!(state(&other), state(&shown));
    assert_eq!(other.snapshot().palette, shown.snapshot().palette);
    for both in [&mut shown, &mut other] {
        both.feed(b"\x1b[r\x1b[?1049l!");
    }
    assert_eq!(shown.seen().lines[0], "$ vim!");
    // After leaving the alternate screen.
    assert_eq!(state(&other), state(&shown));
}

/// Pieces of output that change all that a repaint must set.
#[rustfmt::skip]
const PIECES: [&str; 75] = [
    "a", "bc ", "日", "é", "e\u{301}", "\r\n", "\n", "\t", "\x08", "\x1b[31m", "\x1b[m", "\x1b[7m", "\x1b[2;5r",
    "\x1b[r", "\x1b[3;7H", "\x1b[K", "\x1b[J", "\x1b[L", "\x1b[M", "\x1b[2P", "\x1b[@", "\x1bM", "\x1bD", "\x1b[s",
    "\x1b[u", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[?1h", "\x1b(0", "\x1b(B", "\x1b[Z", "\x1b[3b",
    "\x1b[!p", "\x1b]2;t\x07", "\x1b[", "\x1b]", "\x18", "\x1b\\", "\x1bc", "\x1b[999C", "\x1b[9X", "\x1b[44m",
    "\x1b[1;2;5;8;9m", "\x1b[4:3;58:5:9m", "\x1b[21m", "\x1b[38;2;1;2;3m", "\x1b]8;;http://a\x07", "\x1b]8;;\x07",
    "\x1b[1\"q", "\x1b[0\"q", "\x1b[?J", "\x1b[?K", "\x1bH", "\x1b[3g", "\x1b[g", "\x1b7", "\x1b8", "\x1b[?6h",
    "\x1b[?6l", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h",
    "\x1b[?1048h", "\x1b#8", "\x1b)0\x0e", "\x0f", "\x1b[S", "\x1b[T", "\x1b[2;9H", "abcdefgh",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_output_is_drawn_alike_in_any_chunks_and_repainted(
        output in pieces(), later in pieces(), rows in 1_u16..8, cols in 1_u16..12,
    ) {
        let mut shown = screen(rows, cols, &output);
        prop_assume!(shown.open_bytes() == 0);
        // In origin mode, no sequence moves the cursor out of the region; only DECRC does.
        let terminal = &shown.picture.terminal;
        let row = usize::from(terminal.place().0);
        prop_assume!(!terminal.modes.origin || terminal.region().contains(&row));
        let mut other = Screen::new(rows, cols);
        other.feed(&shown.repaint());
        prop_assert_eq!(state(&other), state(&shown));
        prop_assert_eq!(other.picture.faults, 0);
        for both in [&mut shown, &mut other] {
            // REP repeats what came last, which a repaint need not be.
            both.feed(b"\x1b8z");
            both.feed(later.as_bytes());
        }
        prop_assert_eq!(state(&other), state(&shown), "what follows does the same");
    }

    #[test]
    fn random_bytes_never_break_the_model(bytes in prop::collection::vec(any::<u8>(), 0..400), rows in 1_u16..6, cols in 1_u16..6) {
        let mut shown = Screen::new(rows, cols);
        shown.feed(&bytes);
        shown.resize(cols, rows);
        shown.feed(&bytes);
        prop_assert_eq!(shown.picture.faults, 0);
        prop_assert_eq!(shown.seen().lines.len(), usize::from(cols));
    }
}

proptest! {
    #[test]
    fn repetitions_beyond_a_screenful_change_nothing(
        before in prop::sample::select(vec![
            "", "ab\r\n日c", "1\r\n2\r\n3\r\n4\r\n5", "\x1b[2;3r\x1b[9;1H", "\x1b[2;3r\x1b[2;3H", "\x1b[41m\x1b[?1049h",
            "日日日日日日\x1b[2;2H",
        ]),
        character in prop::sample::select(vec!["a", "日", "e\u{301}"]),
        count in 0_u32..=65_535, rows in 1_u16..6, cols in 2_u16..12,
    ) {
        let output = format!("{before}{character}\x1b[{count}b");
        let mut shown = Screen::new(rows, cols);
        shown.feed(output.as_bytes());
        let first = character.chars().next().unwrap().to_string();
        let mut plain = Screen::new(rows, cols);
        plain.feed(format!("{before}{character}").as_bytes());
        plain.feed(first.repeat(count.max(1) as usize).as_bytes());
        prop_assert_eq!(state(&shown), state(&plain));
        prop_assert_eq!(shown.all_rows(), plain.all_rows());
    }

    #[test]
    fn output_is_drawn_alike_in_slices(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "日", "é", "\r\n", "\x1b[31m", "\x1b[2J", "\x1b[9;9H", "\x1b[3L", "\x1b[999999b", "\x1b]2;t\x07", "\x1b[", "\x1bc",
        ]), 0..80),
    ) {
        let output = pieces.concat();
        let (mut sliced, mut rest) = (Screen::new(40, 500), output.as_bytes());
        while !rest.is_empty() {
            let taken = sliced.feed_for(rest, Duration::ZERO);
            prop_assert!(taken > 0);
            rest = &rest[taken..];
        }
        let mut whole = Screen::new(40, 500);
        whole.feed(output.as_bytes());
        prop_assert_eq!(sliced.seen(), whole.seen());
    }
}

#[test]
fn output_in_other_encodings_is_read_in_any_pieces() {
    // In Shift_JIS the second byte of a character may be an ASCII byte; in this one it is a backslash.
    let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode("\x1b[1m日本\x1b[m 表示\r\nend");
    for size in [1, 2, 3, 7, 100] {
        let mut screen = Screen::new(2, 20).reading(encoding_rs::SHIFT_JIS);
        for piece in bytes.chunks(size) {
            screen.feed(piece);
        }
        assert_eq!(screen.seen().lines, ["日本 表示", "end"], "{size}");
        assert_eq!(screen.open_bytes(), 0);
        assert!(screen.cells()[0][0].style.bold, "{size}");
        screen.feed(&bytes[4..5]);
        assert_eq!(screen.open_bytes(), 1, "it may not be saved now");
    }
    let mut screen = Screen::new(1, 20).reading(encoding_rs::UTF_16LE);
    screen.feed(b"\x1b[1mas it was");
    assert_eq!(screen.seen().lines, ["as it was"]);
}

#[test]
fn the_line_before_the_cursor_has_all_its_rows_and_nothing_else() {
    let before_cursor = |output: &str| {
        let mut screen = Screen::new(4, 10);
        screen.feed(output.as_bytes());
        screen.before_cursor()
    };
    for (output, text) in [
        ("", ""),
        ("one\r\n$ ", "$ "),
        ("$ ls\x1b[2D", "$ "),
        ("\x1b[5C$ ", "     $ "),
        ("$ \x1b7  right\x1b8", "$ "),
        ("日本> ", "日本> "),
        ("0123456789abc> ", "0123456789abc> "),
        ("0123456789\r\nabc> ", "abc> "),
        ("012345678>", "012345678>"),
    ] {
        assert_eq!(before_cursor(output), text, "{output:?}");
    }
}
