use super::*;
use ccd_text::escape::Splitter;

const SIZE: (u16, u16) = (24, 80);

fn queries(output: &[u8]) -> Vec<Query> {
    let (mut modes, mut splitter) = (Modes::default(), Splitter::new());
    let (mut rest, mut found) = (output, Vec::new());
    while let Some(sequence) = splitter.next(&mut rest, |_| true) {
        Query::find(&sequence, &modes, |query| found.push(query));
        modes.apply(&sequence);
    }
    found
}

fn answers(output: &str) -> String {
    let found = queries(output.as_bytes());
    let bytes = found
        .iter()
        .filter_map(|query| answer(query, Some((4, 9)), SIZE))
        .flatten();
    String::from_utf8(bytes.collect()).unwrap()
}

#[test]
fn each_query_gets_the_answer_of_its_kind() {
    let version = concat!("\x1bP>|ccd ", env!("CARGO_PKG_VERSION"), "\x1b\\");
    #[rustfmt::skip]
    let table = [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[0c", "\x1b[?62;22c"),
        ("\x1bZ", "\x1b[?62;22c"),
        ("\x1b[>c", "\x1b[>1;300;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[6n", "\x1b[5;10R"),
        ("\x1b[?6n", "\x1b[?5;10R"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[?2004$p", "\x1b[?2004;2$y"),
        ("\x1b[?2004h\x1b[?2004$p\x1b[?2004l", "\x1b[?2004;1$y"),
        ("\x1b[?2026$p", "\x1b[?2026;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b]10;?\x07", "\x1b]10;rgb:ffff/ffff/ffff\x07"),
        ("\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
        ("\x1b]11;?;?\x07", "\x1b]11;rgb:0000/0000/0000\x07\x1b]12;rgb:ffff/ffff/ffff\x07"),
        ("\x1b]4;9;?\x07", "\x1b]4;9;rgb:ffff/0000/0000\x07"),
        ("\x1b]4;1;red;232;?\x1b\\", "\x1b]4;232;rgb:0808/0808/0808\x1b\\"),
        ("\x1b[>q", version),
        ("\x1b[>0q", version),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>1u\x1b[?u", "\x1b[?1u"),
        ("\x1bP$q q\x1b\\", "\x1bP1$r0 q\x1b\\"),
        ("\x1b[4 q\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\"),
        ("\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"),
        ("\x1b[2;9r\x1bP$qr\x1b\\", "\x1bP1$r2;9r\x1b\\"),
        ("\x1bP$qm\x1b\\", "\x1bP0$r\x1b\\"),
        ("\x1bP+q544e\x1b\\", "\x1bP0+r\x1b\\"),
        ("\x1b[14t", "\x1b[4;384;640t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[21t", "\x1b]l\x1b\\"),
    ];
    for (asked, expected) in table {
        assert_eq!(answers(asked), expected, "{asked:?}");
    }
}

#[test]
fn what_is_no_query_is_left_alone() {
    let output = "\x1b[1c\x1b[>1u\x1b[u\x1b[2J\x1b[22;2t\x1b[8;24;80t\x1b[4m\x1b[>4;2m\x1b[!p\x1b[2 q\
                  \x1b]0;?\x07\x1b]2;?\x07\x1b]52;c;aGk=\x07\x1b]4;1;red\x07\x1b]11;#000000\x07\x1bPq#0\x1b\\\x1b_Ga=T;\x1b\\";
    assert_eq!(queries(output.as_bytes()), []);
}

#[test]
fn questions_without_an_answer_are_known_as_such() {
    let output = b"\x1b]52;c;?\x07\x1b[x\x1b[?4m\x1b]17;?\x07\x1b_Gi=31,a=q;AAAA\x1b\\";
    assert_eq!(queries(output), [Query::Unanswered; 5]);
    assert_eq!(answers("\x1b]52;c;?\x07"), "");
}

#[test]
fn only_the_cursor_needs_the_screen() {
    let ask = Query::CursorPosition { private: false };
    assert!(needs_cursor(&ask) && !needs_cursor(&Query::Status));
    assert_eq!(answer(&ask, None, SIZE), None);
    assert_eq!(
        answer(&ask, Some((0, 80)), SIZE).unwrap(),
        b"\x1b[1;80R",
        "a cursor that waits to wrap"
    );
}
