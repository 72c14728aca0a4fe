use crate::redact::*;
use crate::test_lines::lines;
use proptest::prelude::*;

/// Redacts output in place; returns how many secrets were replaced.
pub(in crate::redact) fn redact_output(chunks: &mut Vec<Vec<u8>>) -> usize {
    let redacted = redact_chunks(std::mem::take(chunks), Source::Output);
    let count = redacted.count();
    *chunks = redacted.chunks;
    count
}

/// Redacts output that comes as a whole.
pub(in crate::redact) fn redact_bytes(raw: &[u8]) -> (Vec<u8>, usize) {
    let redacted = redact_chunks([raw], Source::Output);
    (redacted.concat(), redacted.count())
}

/// Redacts one input.
pub(in crate::redact) fn redact_input(raw: &[u8]) -> (Vec<u8>, usize) {
    let redacted = redact_chunks([raw], Source::Typed);
    (redacted.concat(), redacted.count())
}

#[track_caller]
fn becomes(raw: &[u8], expected: &[u8]) {
    let (clean, removed) = redact_bytes(raw);
    assert_eq!(
        String::from_utf8_lossy(&clean),
        String::from_utf8_lossy(expected)
    );
    assert_eq!(clean, expected);
    assert!(removed > 0);
}

#[test]
fn sequences_inside_of_a_secret_go_and_others_stay() {
    #[rustfmt::skip]
    let rows = [
        (&b"\x1b[1mpassword=\x1b[31mhun\x1b[32mter2\x1b[0m ok\x1b[K"[..],
            &b"\x1b[1mpassword=\x1b[31m***\x1b[0m ok\x1b[K"[..]),
        (b"pass\x1b[7mword\x1b[m=hunter2\r\n", b"pass\x1b[7mword\x1b[m=***\r\n"),
        (b"\x1b]0;run --token abc1\x07$ ", b"\x1b]0;run --token ***\x07$ "),
        (b"\x1b]2;a\x1b\\\x1b]0;PASSWORD=\"ab c\x07 \"x", b"\x1b]2;a\x1b\\\x1b]0;PASSWORD=\"***\x07 \"x"),
    ];
    for (raw, expected) in rows {
        becomes(raw, expected);
    }
}

#[test]
fn bytes_that_are_not_text_hide_nothing_and_are_kept() {
    becomes(
        b"\xff\xfepassword=hunter2 \xc3\x28",
        b"\xff\xfepassword=*** \xc3\x28",
    );
    becomes(b"password=hun\xffter2 x", b"password=*** x");
    becomes(b"\xe4password: hunter2\n", b"\xe4password: ***\n");
    let broken = b"\xff\x80\x1b[\xff";
    assert_eq!(redact_bytes(broken), (broken.to_vec(), 0));
}

#[test]
fn what_is_invisible_ends_a_word() {
    #[rustfmt::skip]
    let rows = [
        (&b"key AKIAIOSFODNN7EXAMPLQ\x1b[0mfoo\n"[..], &b"key ***\x1b[0mfoo\n"[..]),
        (b"\x1b[1mAWS_KEY_ID\x1b[0m\x1b[32mAKIAIOSFODNN7EXAMPLQ\x1b[0m\n",
            b"\x1b[1mAWS_KEY_ID\x1b[0m\x1b[32m***\x1b[0m\n"),
        (b"x\x01AKIAIOSFODNN7EXAMPLQ\x02y", b"x\x01***\x02y"),
        (b"id\x07AKIAIO\x1b[7mSFODNN7EX\x1b[mAMPLQ\x0ey\r\n", b"id\x07***\x0ey\r\n"),
        (b"to\x1b[0mbearer abcd1234\r\n", b"to\x1b[0mbearer ***\r\n"),
        (b"a\x1b[mcurl -u me:pw h", b"a\x1b[mcurl -u me:*** h"),
        (b"a\x1b[mCookie: sid=abc\n", b"a\x1b[mCookie: sid=***\n"),
        // Also in text that a line editor left.
        (b"no\x08\x1b[1mAKIAIOSX\x08FODNN7EXAMPLQ\x1b[mx", b"no\x08\x1b[1m***\x1b[mx"),
    ];
    for (raw, expected) in rows {
        becomes(raw, expected);
    }
    let live = concat!("sk_li", "ve_aBcD1234efGH5678ijKL9012");
    becomes(format!("x\0{live}\0y").as_bytes(), b"x\0***\0y");
    assert_eq!(redact_bytes(b"task-\x1b[1m1234567890abcdef12345").1, 0);
}

#[test]
fn a_separator_ends_what_a_line_break_ends() {
    becomes(
        b"A=1\0DB_PASSWORD=abc b\0PATH=/bin\0Authorization: Basic dXNlcjpwYXNz\0X: y\0",
        b"A=1\0DB_PASSWORD=*** b\0PATH=/bin\0Authorization: Basic ***\0X: y\0",
    );
    becomes(b"token: abc\x1fx\x1e", b"token: ***\x1fx\x1e");
    assert_eq!(redact_input(b"PASSWORD=abc\0x\n").0, b"PASSWORD=***\0x\n");
    let wide: Vec<u8> = b"password=hunter2 x"
        .iter()
        .flat_map(|&byte| [byte, 0])
        .collect();
    let clean = redact_bytes(&wide).0;
    assert!(memchr::memmem::find(&clean, b"h\0u").is_none(), "{clean:?}");
}

#[test]
fn what_was_erased_or_wrapped_hides_nothing() {
    #[rustfmt::skip]
    let rows = [
        (&b"password=hux\x08 \x08nter2 ok"[..], &b"password=*** ok"[..]),
        (b"passwx\x08 \x08ord=hunter2 ok", b"passwx\x08 \x08ord=*** ok"),
        (b"export PASSWORD=hun \rter2\r\n", b"export PASSWORD=***\r\n"),
        (b"export PASSWORD=hunt\rter2\r\n", b"export PASSWORD=***\r\n"),
        (b"password=hunter2\x08 \x08\x08 \x08\r\n", b"password=***\r\n"),
        (b"password=hunter2\x08\x08", b"password=***"),
    ];
    for (raw, expected) in rows {
        becomes(raw, expected);
    }
}

#[test]
fn typed_lines_keep_their_enter() {
    let typed = |raw: &[u8]| redact_input(raw).0;
    assert_eq!(typed(b"PASSWORD=abc\rcd x\r"), b"PASSWORD=***\rcd x\r");
    assert_eq!(typed(b"PASSWORD=abx\x7fc\r"), b"PASSWORD=***\r");
    let pasted = typed(b"\x1b[200~token=abc\x1b[201~\r");
    assert_eq!(pasted, b"\x1b[200~token=***\x1b[201~\r");
}

#[test]
fn a_mask_is_where_its_secret_starts() {
    #[rustfmt::skip]
    let rows = [
        (&["pass", "word=hun", "", "te", "r2 ok"][..], &["pass", "word=***", "", "", " ok"][..], 1),
        (&["password=", "\x1b[1mhun", "ter2\x1b[0m"], &["password=", "\x1b[1m***", "\x1b[0m"], 1),
        (&[], &[], 0),
        (&["a token", " bucket"], &["a token", " bucket"], 0),
    ];
    for (chunks, expected, count) in rows {
        let mut chunks: Vec<Vec<u8>> = chunks.iter().map(|chunk| chunk.as_bytes().into()).collect();
        assert_eq!(redact_output(&mut chunks), count);
        assert!(
            chunks
                .iter()
                .eq(expected.iter().map(|chunk| chunk.as_bytes())),
            "{chunks:?}"
        );
    }
}

/// Bytes that consist mostly of what rules and views look for.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    // Next to a mask, two asterisks cannot be told from it.
    let text = lines("parts_of_secrets").into_iter();
    let text = text.filter(|text| text != "**").map(String::into_bytes);
    #[rustfmt::skip]
    let others = [
        "\r", " \r", "\x1b[31m", "\x1b[", "\x1b]0;", "\x07", "\x1b\\", "\x08", "\x08 \x08", "\x7f", "\0", "\x01", "\x1f",
    ];
    let bytes = [b"\xff".to_vec(), b"\xc3".to_vec()];
    let others = others.map(|text| text.as_bytes().to_vec());
    let piece = prop::sample::select(text.chain(others).chain(bytes).collect::<Vec<_>>());
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns whether `part` is `whole` with some pieces replaced by masks.
fn is_masked(whole: &[u8], part: &[u8]) -> bool {
    let mut rest = whole;
    let mut from = 0;
    let masks = memchr::memmem::find_iter(part, MASK).map(|at| (at, at + MASK.len()));
    masks.chain([(part.len(), part.len())]).all(|(end, next)| {
        let piece = &part[std::mem::replace(&mut from, next)..end];
        let found = memchr::memmem::find(rest, piece);
        rest = &rest[found.map_or(0, |at| at + piece.len())..];
        found.is_some()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_bytes_are_redacted_without_a_panic_and_only_once(
        raw in prop_oneof![soup(), prop::collection::vec(any::<u8>(), 0..200)],
    ) {
        for redacted in [redact_bytes, redact_input] {
            let (clean, removed) = redacted(&raw);
            prop_assert_eq!(removed == 0, clean == raw);
            prop_assert!(is_masked(&raw, &clean), "{:?} became {:?}", raw, clean);
            prop_assert_eq!(redacted(&clean), (clean.clone(), 0), "from {:?}", raw);
        }
    }

    #[test]
    fn borders_of_chunks_change_nothing(raw in soup(), cuts in prop::collection::vec(0usize..9, 1..30)) {
        let mut chunks = Vec::new();
        let mut rest = &raw[..];
        for cut in cuts {
            let (chunk, after) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk.to_vec());
            rest = after;
        }
        chunks.push(rest.to_vec());
        let count = chunks.len();
        let removed = redact_output(&mut chunks);
        prop_assert_eq!((chunks.concat(), removed), redact_bytes(&raw));
        prop_assert_eq!(chunks.len(), count);
    }

    #[test]
    fn text_is_redacted_as_text(text in "[ -~\\n]{0,80}") {
        let redacted = redact(&text);
        prop_assert_eq!(redact_bytes(text.as_bytes()), (redacted.text.into_owned().into_bytes(), redacted.removed));
    }
}

/// The texts are made to be read again and again.
#[test]
fn hostile_text_takes_no_longer_than_its_length() {
    for piece in &lines("repeated_for_rules") {
        let raw = piece.repeat((64 << 10) / piece.len());
        let started = cpu_time();
        redact_bytes(raw.as_bytes());
        let took = cpu_time().saturating_sub(started);
        assert!(took.as_secs() < 5, "{piece:?} took {took:?}");
    }
}

/// Returns how long this thread has run, which does not depend on what else the machine does; where the system does not
/// tell, 0.
fn cpu_time() -> std::time::Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    std::time::Duration::from_nanos(nanos.unwrap_or(0))
}

#[test]
fn each_line_of_an_input_is_judged_as_if_it_were_typed_alone() {
    #[rustfmt::skip]
    let rows = [
        ("PASS Hunter2\nauth Hunter3\r", "PASS ***\nauth ***\r"),
        ("AUTH Hunter2\rPASS Hunter3", "AUTH ***\rPASS ***"),
        ("select 1;\nauth Hunter2\n", "select 1;\nauth ***\n"),
        ("AUTH Hunter2\nALTER x\nauth Hunter3\n", "AUTH ***\nALTER x\nauth ***\n"),
        ("ls\r\n  PASSWORD 'Hunter2';\r\n", "ls\r\n  PASSWORD '***';\r\n"),
        ("\u{1b}[200~ls\rPASS Hunter2\u{1b}[201~\r", "\u{1b}[200~ls\rPASS ***\u{1b}[201~\r"),
        ("ls\nPASS Hunx\u{7f}ter2\r", "ls\nPASS ***\r"),
        ("PASS test_login\nauth failed\nls\n", "PASS test_login\nauth failed\nls\n"),
    ];
    for (typed, expected) in rows {
        assert_eq!(redact_typed(typed), expected);
        assert_eq!(redact_input(typed.as_bytes()).0, expected.as_bytes());
    }
    // In output, a line like this may be the result of a test.
    let output = "PASS login\nPASS logout\n3 tests\n";
    assert_eq!(redact_bytes(output.as_bytes()), (output.into(), 0));
    assert_eq!(redact(output).text, output);
}

#[test]
fn a_secret_is_known_together_with_its_line() {
    let texts = |text: &str| redact_chunks([text], Source::Typed).texts;
    let found = texts("curl \\\n  -u me:hunter2 https://example.org/");
    assert_eq!(found, ["-u me:hunter2", "hunter2"]);
    let long = "x".repeat(100);
    let found = texts(&format!("{long} password=hunter2"));
    let line = format!("{} password=hunter2", &long[..54]);
    assert_eq!(found, [&*line, "hunter2"]);
}
