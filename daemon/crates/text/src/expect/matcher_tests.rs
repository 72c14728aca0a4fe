//! Tests searches against a search of the whole text at once.

use std::borrow::Cow;
use std::sync::Arc;

use encoding_rs::{SHIFT_JIS, UTF_8, WINDOWS_1252};
use proptest::prelude::*;
use regex_automata::{Input, meta};

use super::matcher::LOOK_BACK_BYTES;
use super::syntax::parse;
use super::*;

/// Returns the matched text; bytes that are not UTF-8 (only after a raw search) become U+FFFD.
fn matched_text(hit: &Hit) -> Cow<'_, str> {
    String::from_utf8_lossy(&hit.matched)
}

fn patterns(list: &[&str], raw: bool) -> Arc<Patterns> {
    let list: Vec<_> = list
        .iter()
        .map(|regex| Pattern::Regex((*regex).to_owned()))
        .collect();
    Arc::new(Patterns::compile(&list, raw).unwrap())
}

fn matcher(list: &[&str]) -> Matcher {
    Matcher::new(patterns(list, false), 0, UTF_8)
}

/// Feeds `raw` in chunks of the given sizes, then pauses.
fn search(mut matcher: Matcher, raw: &[u8], cuts: &[usize]) -> Option<Hit> {
    let mut rest = raw;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, after) = rest.split_at(rest.len().min(*cut));
        if let Some(hit) = matcher.feed(chunk) {
            return Some(hit);
        }
        rest = after;
    }
    matcher.pause()
}

fn find(list: &[&str], raw: &[u8]) -> Option<Hit> {
    search(matcher(list), raw, &[1])
}

/// A piece of output: the raw bytes, and the corresponding text with its part of them.
#[derive(Clone, Debug)]
struct Piece {
    raw: Vec<u8>,
    text: String,
    text_at: usize,
}

fn piece() -> impl Strategy<Value = Piece> {
    let piece = |raw: &[u8], text: &str, text_at| Piece {
        raw: raw.to_vec(),
        text: text.to_owned(),
        text_at,
    };
    let letters = "aaaabbbcxyz d".chars().map(String::from);
    let plain: Vec<_> = letters.map(|c| piece(c.as_bytes(), &c, 0)).collect();
    let mut other = vec![
        piece(b"\r\n", "\n", 1),
        piece(b"\r\x1b[K\n", "\n", 4),
        piece(b"\xff", "\u{fffd}", 0),
    ];
    other.extend(["\n", "\ra", "é", "€"].map(|text| piece(text.as_bytes(), text, 0)));
    let silent = [
        "\x1b[1;31m",
        "\x1b]0;abc\x07",
        "\x1bPab\x1b\\",
        "\x1b(B\x07",
    ];
    other.extend(silent.map(|raw| piece(raw.as_bytes(), "", 0)));
    prop_oneof![3 => proptest::sample::select(plain), 2 => proptest::sample::select(other)]
}

/// Returns all output, its text, and where each byte of the text starts and ends in the output.
fn render(pieces: &[Piece]) -> (Vec<u8>, String, Vec<(usize, usize)>) {
    let (mut raw, mut text, mut places) = (Vec::new(), String::new(), Vec::new());
    for piece in pieces {
        let at = raw.len() + piece.text_at;
        let is_bad = piece.text == "\u{fffd}";
        let at_byte = |byte| at + if is_bad { 0 } else { byte };
        let bytes = 0..piece.text.len();
        places.extend(bytes.map(|byte| (at_byte(byte), at_byte(byte) + 1)));
        raw.extend_from_slice(&piece.raw);
        text.push_str(&piece.text);
    }
    (raw, text, places)
}

const LISTS: [&[&str]; 18] = [
    &["ab"],
    &["a+b"],
    &["(a|b)+c", "b+"],
    &["(?s)a.*c"],
    &["(?m)^a.b$"],
    &["a*?b", "c"],
    &["a*b"],
    &["(?:xyz)*ab", "(x+)y$"],
    &["(?m)(?:^|xy)a(b?)"],
    &[r"\bab\b"],
    &["(ab|a)(c|bcd)?x"],
    &["[ab]{2,4}c"],
    &[r"\n\n", r"\r."],
    &["é+", "ab"],
    &["a.b", "(?:a|€)\u{fffd}"],
    &[r"b\z", "zz"],
    &["(?:[^\n]*\n)*a(c)", "never"],
    &[r"\Aab", r"(?m)^$", "y*z"],
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_cuts_find_what_a_search_of_the_whole_text_finds(
        pieces in proptest::collection::vec(piece(), 0..40),
        cuts in proptest::collection::vec(1usize..6, 1..12),
        list in proptest::sample::select(&LISTS[..]),
    ) {
        let (raw, text, places) = render(&pieces);
        let hirs: Vec<_> = list.iter().map(|regex| parse(regex, false).unwrap()).collect();
        let whole = meta::Builder::new()
            .configure(meta::Config::new().utf8_empty(false))
            .build_many_from_hir(&hirs)
            .unwrap();
        let compiled = patterns(list, false);
        let (mut text_at, mut raw_at) = (0, 0);
        loop {
            let rest = &text[text_at..];
            let mut captures = whole.create_captures();
            whole.search_captures(&Input::new(rest), &mut captures);
            let hit = search(Matcher::new(Arc::clone(&compiled), raw_at as u64, UTF_8), &raw[raw_at..], &cuts);
            let Some(expected) = captures.get_match() else {
                prop_assert_eq!(hit, None);
                break;
            };
            let hit = hit.expect("the whole text has a match");
            let group = |number| captures.get_group(number).map(|span| rest.as_bytes()[span.range()].to_vec());
            prop_assert_eq!(hit.index, expected.pattern().as_usize());
            prop_assert_eq!(matched_text(&hit), &rest[expected.range()]);
            prop_assert_eq!(&hit.groups, &(0..captures.group_len()).map(group).collect::<Vec<_>>());
            prop_assert_eq!(&hit.before, &rest.as_bytes()[..expected.start()]);
            prop_assert!(!hit.matched_truncated && hit.before_omitted_bytes == 0);
            if expected.is_empty() {
                prop_assert_eq!(hit.start, hit.end);
                break;
            }
            let (start, _) = places[text_at + expected.start()];
            let (_, end) = places[text_at + expected.end() - 1];
            prop_assert_eq!((hit.start, hit.end), (start as u64, end as u64));
            (text_at, raw_at) = (text_at + expected.end(), end);
        }
    }

    #[test]
    fn any_bytes_at_all_do_no_harm(
        raw in proptest::collection::vec(any::<u8>(), 0..300),
        cuts in proptest::collection::vec(1usize..9, 1..5),
        label in proptest::sample::select(&["utf-8", "sjis", "gb18030", "latin1"][..]),
        as_bytes in any::<bool>(),
    ) {
        let list = patterns(&["(?s)[a-f](.*)[x-z]", r"(\w+)\s$"], as_bytes);
        let start = 1 << 40;
        let hit = search(Matcher::new(list, start, encoding_for(label).unwrap()), &raw, &cuts);
        if let Some(hit) = hit {
            prop_assert!(start <= hit.start && hit.start < hit.end && hit.end <= start + raw.len() as u64);
        }
    }
}

#[test]
fn a_sequence_inside_a_match_is_part_of_its_span_only() {
    let raw = b"--\x1b[1mpa\x1b[0mss\x1b[32mword\x1b[m: o\x1b[1mk\x1b[m \r\n";
    let hit = find(&[r"pass\w+: (\S+)"], raw).unwrap();
    assert_eq!((hit.start, hit.end), (6, 34));
    assert_eq!(hit.matched, b"password: ok");
    assert_eq!(hit.groups[1].as_deref(), Some(&b"ok"[..]));
    assert_eq!(hit.before, b"--");
}

#[test]
fn a_match_that_could_grow_waits_for_the_pause() {
    let mut matcher = matcher(&["[0-9]+", r"\$ $"]);
    assert!(!matcher.undecided());
    assert_eq!(matcher.feed(b"took 1"), None);
    assert!(matcher.undecided());
    assert_eq!(matcher.feed(b"2"), None);
    let hit = matcher.pause().unwrap();
    assert_eq!((hit.matched, matcher.position()), (b"12".to_vec(), 7));
    assert_eq!(matcher.feed(b"3"), None);
    assert_eq!(matcher.pause(), None);
}

#[test]
fn a_match_that_cannot_grow_waits_for_nothing() {
    for (regex, raw) in [
        ("READY>", "READY>"),
        (r"(\d+) passed", "12 passed"),
        (r"\bok\b.", "ok!"),
        ("(?i)password: ?!", "Password:!"),
        (r"(a|ab)(c|bcd)", "abcd"),
        ("x*?", ""),
    ] {
        let mut matcher = matcher(&[regex, "never"]);
        let hit = matcher.feed(format!("\x1b[1m{raw}").as_bytes()).unwrap();
        assert_eq!(matched_text(&hit), raw);
    }
    // There is a match, and it turned out that it cannot be longer.
    let mut matcher = matcher(&["ab(cd)?"]);
    assert_eq!(matcher.feed(b"abc"), None);
    assert_eq!(matcher.feed(b"x").unwrap().matched, b"ab");
}

#[test]
fn a_pause_without_a_match_goes_on() {
    let mut matcher = matcher(&[r"\$ $"]);
    assert_eq!(matcher.feed(b"$ ls"), None);
    assert_eq!((matcher.undecided(), matcher.pause()), (false, None));
    assert_eq!(matcher.feed(b"\r\nfile\r\n$ "), None);
    assert_eq!(matcher.pause().unwrap().start, 12);
}

#[test]
fn a_return_at_the_end_counts_where_it_is_asked_for() {
    let with_return = find(&["50%\r"], b"50%\r").unwrap();
    assert_eq!((with_return.start, with_return.end), (0, 4));
    assert_eq!(find(&["50%$"], b"50%\r").unwrap().end, 3);
    assert_eq!(find(&["50%\n"], b"50%\r\x1b[K\n").unwrap().end, 8);
    let mut matcher = matcher(&["50%x", r"\n$"]);
    assert_eq!((matcher.feed(b"50%\r"), matcher.pause()), (None, None));
    assert_eq!(matcher.feed(b"\n"), None);
    assert_eq!(matcher.pause().unwrap().matched, b"\n");
}

#[test]
fn word_boundaries_next_to_other_letters_do_not_stop_the_search() {
    let hit = find(&[r"\bREADY\b"], "aREADY éREADYé".as_bytes()).unwrap();
    assert_eq!((hit.start, hit.end), (9, 14));
}

#[test]
fn an_empty_match_is_found_at_once() {
    let mut matcher = matcher(&["x*"]);
    assert!(matcher.undecided());
    let hit = matcher.pause().unwrap();
    assert_eq!((hit.start, hit.end, hit.matched.len()), (0, 0, 0));
}

#[test]
fn a_list_of_ends_only_never_matches() {
    let list = Patterns::compile(&[Pattern::Eof, Pattern::Timeout], false).unwrap();
    let mut matcher = Matcher::new(Arc::new(list), 7, UTF_8);
    assert_eq!((matcher.feed(b"anything"), matcher.pause()), (None, None));
    assert_eq!(matcher.position(), 15);
}

#[test]
fn patterns_that_explode_in_other_engines_stay_linear() {
    let mut raw = vec![b'x'; 1 << 20];
    raw.push(b'\n');
    let explosive = [
        "(x+x+)+y",
        "(?:a?){50}a{50}",
        "(x*)*$y",
        "(x|xx)+c",
        "(.*x){12}b",
    ];
    assert_eq!(search(matcher(&explosive), &raw, &[4096]), None);
    // So many states that the automaton must discard some on the way.
    let bits: Vec<u8> = (0u32..400_000)
        .map(|n| b'a' + (n.wrapping_mul(2_654_435_761) >> 30) as u8 % 2)
        .collect();
    let forgetful = "[ab]*a[ab]{18}X(Y)";
    let mut raw = bits.clone();
    raw.extend_from_slice(b"\naaaaaaaaaaaaaaaaaaaaaaaaXY.");
    let hit = search(matcher(&[forgetful]), &raw, &[777]).unwrap();
    let (start, end) = (bits.len() + 1, raw.len() - 1);
    assert_eq!((hit.start, hit.end), (start as u64, end as u64));
}

#[test]
fn other_encodings_are_matched_as_text() {
    #[rustfmt::skip]
    let rows = [
        (SHIFT_JIS, "能(力)", "\x1b[1m性能力ソ\x1b[0m", (6, 10), "能力", "性"),
        (WINDOWS_1252, r"caf\w", "un café", (3, 7), "café", "un "),
    ];
    for (encoding, regex, text, span, matched, before) in rows {
        let (raw, _, _) = encoding.encode(text);
        let matcher = Matcher::new(patterns(&[regex], false), 0, encoding);
        let hit = search(matcher, &raw, &[1]).unwrap();
        assert_eq!(
            ((hit.start, hit.end), &*matched_text(&hit)),
            (span, matched)
        );
        assert_eq!(hit.before, before.as_bytes());
    }
}

#[test]
fn a_raw_search_sees_bytes() {
    let list = patterns(&[r"\x1b\[(\d+)m.\xff", r"(?-u:\xfe)"], true);
    let raw = b"ab\r\n\x1b[31m\xc3\xff\xfe";
    let hit = search(Matcher::new(list, 50, UTF_8), raw, &[2]).unwrap();
    assert_eq!((hit.index, hit.start, hit.end), (0, 54, 61));
    assert_eq!(hit.groups[1].as_deref(), Some(&b"31"[..]));
    assert_eq!(hit.before, b"ab\r\n");
}

#[test]
fn before_keeps_its_last_part_and_counts_the_rest() {
    let line = "é\x1b[1m0123456789\r\n".as_bytes();
    let lines = 300_000;
    let mut raw = line.repeat(lines);
    raw.extend_from_slice(b"READY>");
    let hit = search(matcher(&["READY(>|$)"]), &raw, &[100_000]).unwrap();
    let end = raw.len() as u64;
    assert_eq!((hit.start, hit.end), (end - 6, end));
    assert!(hit.before.len() > BEFORE_BYTES - 4 && hit.before.len() <= BEFORE_BYTES);
    let before = String::from_utf8(hit.before).unwrap();
    assert!(before.ends_with("\né0123456789\n"));
    let all = hit.before_omitted_bytes + before.len() as u64;
    assert_eq!(all, lines as u64 * 13);
}

#[test]
fn a_match_longer_than_the_look_back_keeps_its_ends() {
    let mut raw = b"--begin".to_vec();
    raw.resize(LOOK_BACK_BYTES * 2, b'.');
    raw.extend_from_slice(b"end --");
    let hit = search(matcher(&["(?s)b(egin.*)end "]), &raw, &[50_000]).unwrap();
    assert!(hit.matched_truncated && hit.matched.ends_with(b"...end "));
    assert_eq!((hit.start, hit.end), (2, raw.len() as u64 - 2));
    assert_eq!((hit.before, hit.before_omitted_bytes), (b"--".to_vec(), 0));
    assert_eq!(hit.groups, [Some(hit.matched), None]);
    // The start of a match that did not succeed does not count.
    let mut raw = raw.clone();
    raw.splice(raw.len() - 6.., *b"\nend begin end ");
    let hit = search(matcher(&["begin.*end "]), &raw, &[50_000]).unwrap();
    assert!(!hit.matched_truncated);
    assert_eq!(hit.start, raw.len() as u64 - 10);
}

#[test]
fn buffers_of_a_finished_search_start_clean() {
    let list = patterns(&["(a+)b", "c$"], false);
    for round in 0..6u64 {
        let mut matcher = Matcher::new(Arc::clone(&list), round, UTF_8);
        assert_eq!(matcher.feed(b"xa\xc3"), None);
        let mut other = Matcher::new(Arc::clone(&list), 0, UTF_8);
        let hit = other.feed("é\x1b[1maab.".as_bytes()).unwrap();
        assert_eq!((hit.start, hit.end), (6, 9));
        assert_eq!(hit.before, "é".as_bytes());
    }
}
