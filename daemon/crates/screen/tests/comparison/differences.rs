//! Where the terminals differ: who is right, and by which document. The random streams leave these out.

use super::terminals;
use super::tmux::Tmux;
use Who::{Avt, Ccd};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Ccd,
    Tmux,
    Avt,
}

/// What it is about, the shortest output, who is right, and why.
type Difference = (&'static str, &'static str, &'static [Who], &'static str);

const US: &[Who] = &[Ccd];
const US_AND_TMUX: &[Who] = &[Ccd, Who::Tmux];
const US_AND_AVT: &[Who] = &[Ccd, Avt];

/// DEC STD 070 lists what resets the Last Column Flag (<https://github.com/mattiase/wraptest> has the list, and what 19
/// terminals do); xterm 410 does it in `ResetWrap`.
const LAST_COLUMN: &str = "DEC STD 070, Last Column Flag; xterm: ResetWrap";

#[rustfmt::skip]
const DIFFERENCES: &[Difference] = &[
    ("BS from the last column", "12345678901234567890\x08X", US_AND_AVT, LAST_COLUMN),
    ("CUB from the last column", "12345678901234567890\x1b[DX", US_AND_AVT, LAST_COLUMN),
    ("LF after the last column", "12345678901234567890\nX", US_AND_AVT, LAST_COLUMN),
    ("LF after the last column, in the last row", "\x1b[10H12345678901234567890\nX", US, LAST_COLUMN),
    ("IND after the last column", "12345678901234567890\x1bDX", US_AND_AVT, LAST_COLUMN),
    ("RI after the last column", "\n12345678901234567890\x1bMX", US_AND_AVT, LAST_COLUMN),
    ("VPA after the last column", "\n12345678901234567890\x1b[dX", US_AND_AVT, LAST_COLUMN),
    ("ICH after the last column", "12345678901234567890\x1b[@X", US_AND_AVT, LAST_COLUMN),
    ("DCH after the last column", "12345678901234567890\x1b[PX", US_AND_AVT, LAST_COLUMN),
    ("DECAWM off after the last column", "12345678901234567890\x1b[?7lX",
        US_AND_AVT, "DEC STD 070, DECAWM: the last column is overwritten"),
    ("DECAWM on after the last column", "\x1b[?7l12345678901234567890\x1b[?7hX",
        US, "xterm: do_wrap is set without autowrap as well"),
    ("HT after the last column", "12345678901234567890\tX",
        US_AND_TMUX, "xterm: TabToNextStop; VT420 and VT510 (wraptest)"),
    ("DECSC after the last column", "12345678901234567890\x1b7\x1b[H\x1b8X",
        US, "DEC STD 070, DECSC: the Last Column Flag is saved"),
    ("IL and the column", "ab\x1b[LX", US, "ECMA-48, 8.3.67: to the line home position; xterm: InsertLine"),
    ("DL and the column", "ab\x1b[MX", US, "ECMA-48, 8.3.32: to the line home position; xterm: DeleteLine"),
    ("IL above the region", "ab\r\ncd\x1b[4;6r\x1b[H\x1b[L", US, "VT510, IL: no effect outside the margins"),
    ("DL above the region", "ab\r\ncd\x1b[4;6r\x1b[H\x1b[M", US, "VT510, DL: no effect outside the margins"),
    ("ICH of many", "\x1b[44mabcdefghijklmnopqrst\x1b[12G\x1b[5@", US_AND_AVT, "VT510, ICH: blanks are inserted"),
    ("ICH of more than there is room for", "\x1b[44mabcdefghijklmnopqrst\x1b[12G\x1b[50@", US_AND_AVT, "VT510, ICH"),
    ("REP of a character that is not ASCII", "─\x1b[3bX", US_AND_AVT, "ECMA-48, 8.3.103: the preceding character"),
    ("REP of a wide character", "語\x1b[2bX", US_AND_AVT, "ECMA-48, 8.3.103"),
    ("REP past the last column", "\x1b[19Ga\x1b[3bX", US_AND_AVT, "xterm: dotext, as if it were typed"),
    ("DECSTR", "\x1b[1;44mab\x1b[2;4r\x1b[?6h\x1b[4h\x1b[!pX", US_AND_AVT, "VT510, DECSTR: normal rendition"),
    ("DECALN", "\x1b[2;4r\x1b[3;3H\x1b#8X", US_AND_TMUX, "VT510, DECALN: full margins, cursor at home"),
    ("DECSTBM in origin mode", "\x1b[?6h\x1b[3;5rX", US_AND_AVT, "VT510, DECSTBM and DECOM: home is in the margins"),
    ("DECSTBM of one row", "\x1b[5;5HX\x1b[3;3rY", US_AND_TMUX, "VT510, DECSTBM: the top is less than the bottom"),
    ("HPR", "ab\x1b[3aX", US_AND_AVT, "ECMA-48, 8.3.59"),
    ("VPR", "ab\x1b[3eX", US_AND_AVT, "ECMA-48, 8.3.160"),
    ("CHT", "ab\x1b[2IX", US_AND_AVT, "ECMA-48, 8.3.10"),
    ("LNM", "\x1b[20hab\nX", US_AND_AVT, "ECMA-48, 7.2.10; VT510, LNM"),
    ("DECCOLM that is allowed", "abc\x1b[?40h\x1b[?3hX", US_AND_TMUX, "VT510, DECCOLM: the screen is cleared"),
    ("DECCOLM that is not allowed", "abc\x1b[?3hX", US_AND_AVT, "xterm: mode 40"),
    ("DECSEL and DECSCA", "a\x1b[1\"qb\x1b[0\"q\x1b[?2K", US, "VT510, DECSEL: what DECSCA protects stays"),
    ("DECSC and G0", "\x1b(0\x1b7\x1b(B\x1b8q", US_AND_TMUX, "VT510, DECSC: character sets"),
    ("DECSC and SO", "\x1b)0\x0e\x1b7\x0f\x1b8q", US_AND_TMUX, "VT510, DECSC: character sets in GL"),
    ("DECSC and autowrap", "\x1b[?7l\x1b7\x1b[?7h\x1b8\x1b[19Gabcd",
        US_AND_AVT, "VT510, DECSC: autowrap; xterm and DEC's terminals do not"),
    ("DECSC, then 1049", "ab\x1b7cd\x1b[?1049hxyz\x1b[?1049l\x1b8X", US_AND_AVT, "ctlseqs, 1049: as in DECSC"),
    ("1049 and G0", "\x1b[?1049h\x1b(0\x1b[?1049lq", US, "ctlseqs, 1049: as in DECRC"),
    ("1049 off on the main screen", "ab\x1b7cd\x1b[?1049lX", US_AND_AVT, "ctlseqs, 1049: as in DECRC"),
    ("1049 in a colour", "\x1b[44m\x1b[?1049hX", US_AND_AVT, "xterm: ClearScreen, bce"),
    ("a wrap that scrolls in a colour", "\x1b[10H\x1b[44m12345678901234567890X", US_AND_AVT, "xterm: WrapLine, bce"),
    ("erasing in a style", "ab\x1b[4;44m\x1b[K", US_AND_TMUX, "xterm: ClearInLine, colours only"),
    ("a wide character in insert mode", "abcd\r\x1b[4h語X", US_AND_TMUX, "ECMA-48, 7.2.7"),
    ("insert mode after the last column", "\x1b[2Hab\x1b[1;20H\x1b[4hcX", US, "ECMA-48, 7.2.7; xterm: WriteText"),
    ("ECH in a wide character", "語語X\x1b[2G\x1b[X", US_AND_AVT, "xterm: DamagedCells"),
    ("ICH in a wide character", "語語X\x1b[2G\x1b[@", US_AND_AVT, "xterm: DamagedCells"),
    ("DCH in a wide character", "語語X\x1b[2G\x1b[P", US_AND_AVT, "xterm: DamagedCells"),
    ("EL in a wide character", "語語X\x1b[2G\x1b[K", US_AND_AVT, "xterm: DamagedCells"),
    ("text in a wide character", "語語X\x1b[2Ga", US_AND_AVT, "xterm: DamagedCells"),
    ("bold and dim", "\x1b[1;2mX", US_AND_TMUX, "ECMA-48, 8.3.117: each has an effect of its own"),
    ("double underline", "\x1b[21mX", US_AND_TMUX, "ECMA-48, 8.3.117"),
    ("rapid blinking", "\x1b[6mX", US_AND_TMUX, "ECMA-48, 8.3.117"),
    ("colours of underlines", "\x1b[58;5;3mX", US_AND_TMUX, "the extension of kitty, which others have as well"),
    ("DEL", "ab\x7fX", US_AND_TMUX, "VT510: it is ignored"),
    ("line drawing: diamond, dot, blank", "\x1b(0`~_X", US, "VT510, DEC special graphics"),
    ("8-bit CSI in UTF-8", "ab\u{9b}DX",
        &[Avt], "ECMA-48, 5.3; 7-bit forms are enough, and text from elsewhere is safe"),
];

#[test]
fn where_terminals_differ_a_document_says_who_is_right() {
    let Some(tmux) = Tmux::start(10, 20) else {
        return;
    };
    let outputs: Vec<&str> = DIFFERENCES.iter().map(|(_, output, ..)| *output).collect();
    let mut wrong = Vec::new();
    for ((what, output, right, why), tmux) in DIFFERENCES.iter().zip(tmux.draw(&outputs)) {
        let ours = terminals::ours(10, 20, output);
        let avt = terminals::avt(10, 20, output);
        let shown = [(Ccd, &ours), (Who::Tmux, &tmux), (Avt, &avt)];
        let is_right = |who: &Who| right.contains(who);
        let model = shown.iter().find(|(who, _)| is_right(who)).unwrap().1;
        for (who, grid) in shown {
            let looks_right = grid.looks_like(model);
            // Another tmux may have learnt what this one does not know.
            if looks_right != is_right(&who) && (who != Who::Tmux || !looks_right) {
                wrong.push(format!(
                    "{what}, {output:?}: {right:?} by {why}; {who:?} shows {grid}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
