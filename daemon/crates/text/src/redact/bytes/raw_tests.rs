use crate::redact::*;
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
    becomes(
        b"\x1b[1mpassword=\x1b[31mhun\x1b[32mter2\x1b[0m ok\x1b[K",
        b"\x1b[1mpassword=\x1b[31m***\x1b[0m ok\x1b[K",
    );
    becomes(
        b"pass\x1b[7mword\x1b[m=hunter2\r\n",
        b"pass\x1b[7mword\x1b[m=***\r\n",
    );
    becomes(
        b"\x1b]0;run --token abc1\x07$ ",
        b"\x1b]0;run --token ***\x07$ ",
    );
    becomes(
        b"\x1b]2;a\x1b\\\x1b]0;PASSWORD=\"ab c\x07 \"x",
        b"\x1b]2;a\x1b\\\x1b]0;PASSWORD=\"***\x07 \"x",
    );
}

#[test]
fn bytes_that_are_not_text_hide_nothing_and_are_kept() {
    becomes(
        b"\xff\xfepassword=hunter2 \xc3\x28",
        b"\xff\xfepassword=*** \xc3\x28",
    );
    becomes(b"password=hun\xffter2 x", b"password=*** x");
    becomes(b"\xe4password: hunter2\n", b"\xe4password: ***\n");
    assert_eq!(
        redact_bytes(b"\xff\x80\x1b[\xff"),
        (b"\xff\x80\x1b[\xff".to_vec(), 0)
    );
}

#[test]
fn what_is_invisible_ends_a_word() {
    let live = concat!("sk_li", "ve_aBcD1234efGH5678ijKL9012");
    becomes(format!("x\0{live}\0y").as_bytes(), b"x\0***\0y");
    becomes(
        b"key AKIAIOSFODNN7EXAMPLQ\x1b[0mfoo\n",
        b"key ***\x1b[0mfoo\n",
    );
    becomes(
        b"\x1b[1mAWS_KEY_ID\x1b[0m\x1b[32mAKIAIOSFODNN7EXAMPLQ\x1b[0m\n",
        b"\x1b[1mAWS_KEY_ID\x1b[0m\x1b[32m***\x1b[0m\n",
    );
    becomes(b"x\x01AKIAIOSFODNN7EXAMPLQ\x02y", b"x\x01***\x02y");
    becomes(
        b"id\x07AKIAIO\x1b[7mSFODNN7EX\x1b[mAMPLQ\x0ey\r\n",
        b"id\x07***\x0ey\r\n",
    );
    becomes(b"to\x1b[0mbearer abcd1234\r\n", b"to\x1b[0mbearer ***\r\n");
    becomes(b"a\x1b[mcurl -u me:pw h", b"a\x1b[mcurl -u me:*** h");
    becomes(b"a\x1b[mCookie: sid=abc\n", b"a\x1b[mCookie: sid=***\n");
    // Also in text that a line editor left.
    becomes(
        b"no\x08\x1b[1mAKIAIOSX\x08FODNN7EXAMPLQ\x1b[mx",
        b"no\x08\x1b[1m***\x1b[mx",
    );
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
    becomes(b"password=hux\x08 \x08nter2 ok", b"password=*** ok");
    becomes(
        b"passwx\x08 \x08ord=hunter2 ok",
        b"passwx\x08 \x08ord=*** ok",
    );
    becomes(
        b"export PASSWORD=hun \rter2\r\n",
        b"export PASSWORD=***\r\n",
    );
    becomes(
        b"export PASSWORD=hunt\rter2\r\n",
        b"export PASSWORD=***\r\n",
    );
    becomes(
        b"password=hunter2\x08 \x08\x08 \x08\r\n",
        b"password=***\r\n",
    );
    becomes(b"password=hunter2\x08\x08", b"password=***");
}

#[test]
fn typed_lines_keep_their_enter() {
    let typed = |raw: &[u8]| redact_input(raw).0;
    assert_eq!(typed(b"PASSWORD=abc\rcd x\r"), b"PASSWORD=***\rcd x\r");
    assert_eq!(typed(b"PASSWORD=abx\x7fc\r"), b"PASSWORD=***\r");
    assert_eq!(
        typed(b"\x1b[200~token=abc\x1b[201~\r"),
        b"\x1b[200~token=***\x1b[201~\r"
    );
}

#[test]
fn a_mask_is_where_its_secret_starts() {
    let redacted = |chunks: &[&[u8]]| {
        let mut chunks: Vec<Vec<u8>> = chunks.iter().map(|chunk| chunk.to_vec()).collect();
        let removed = redact_output(&mut chunks);
        let chunks: Vec<String> = chunks
            .iter()
            .map(|chunk| String::from_utf8_lossy(chunk).into_owned())
            .collect();
        (chunks, removed)
    };
    assert_eq!(
        redacted(&[b"pass", b"word=hun", b"", b"te", b"r2 ok"]),
        (
            ["pass", "word=***", "", "", " ok"]
                .map(String::from)
                .to_vec(),
            1
        )
    );
    assert_eq!(
        redacted(&[b"password=", b"\x1b[1mhun", b"ter2\x1b[0m"]),
        (
            ["password=", "\x1b[1m***", "\x1b[0m"]
                .map(String::from)
                .to_vec(),
            1
        )
    );
    assert_eq!(redacted(&[]), (Vec::new(), 0));
    assert_eq!(
        redacted(&[b"a token", b" bucket"]),
        (["a token", " bucket"].map(String::from).to_vec(), 0)
    );
}

/// Bytes that consist mostly of what rules and views look for.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"password"[..],
        b"my password is ",
        b"hunter2.",
        b"123456789:AA",
        b"token",
        b"API_KEY",
        b"=",
        b": ",
        b"\"",
        b"'",
        b"--",
        b"Bearer ",
        b"***",
        b"ghp_a1b2c3d4e5f6a7b8c9d0e1f2",
        b"https://me:",
        b"@",
        b"curl -u ",
        b"mysql -p",
        b"echo ",
        b" | sudo -S ",
        b"<<< ",
        b"IDENTIFIED BY ",
        b"ALTER ROLE me PASSWORD ",
        b"PASS ",
        b"AUTH ",
        b"htpasswd -b ",
        b" pass:",
        b"-----BEGIN PRIVATE KEY-----",
        b"-----END PRIVATE KEY-----",
        b"\n",
        b"\r\n",
        b"\r",
        b" \r",
        b" ",
        b"x",
        b"Hunter2",
        "é".as_bytes(),
        b"\xff",
        b"\xc3",
        b"\x1b[31m",
        b"\x1b[",
        b"\x1b]0;",
        b"\x07",
        b"\x1b\\",
        b"\x08",
        b"\x08 \x08",
        b"\x7f",
        b"\x00",
        b"\x01",
        b"\x1f",
        b"AKIAIOSFODNN7EXAMPLE",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns whether `part` is `whole` with some pieces replaced by masks.
fn is_masked(whole: &[u8], part: &[u8]) -> bool {
    let mut rest = whole;
    let pieces = part.split_str_masks();
    pieces
        .into_iter()
        .all(|piece| match memchr::memmem::find(rest, piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
}

trait SplitMasks {
    fn split_str_masks(&self) -> Vec<&[u8]>;
}

impl SplitMasks for [u8] {
    fn split_str_masks(&self) -> Vec<&[u8]> {
        let mut pieces = Vec::new();
        let mut rest = self;
        while let Some(at) = memchr::memmem::find(rest, MASK.as_bytes()) {
            pieces.push(&rest[..at]);
            rest = &rest[at + MASK.len()..];
        }
        pieces.push(rest);
        pieces
    }
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
    for piece in [
        "curl ",
        "curl -u ",
        "mysql -p",
        "openssl passwd ",
        "htpasswd -b ",
        "echo ",
        "echo '",
        "echo a|",
        "sudo -S <<<",
        "identified by ",
        "set password for ",
        "alter role password '",
        "pass:",
        "\nPASS a",
        "\nAUTH a b\n",
        "\na1 LOGIN a",
        "acl setuser a",
        "auth=('",
        "password=",
        "password=\"",
        "token: ",
        "://a:",
        "AKIA",
        "sk-",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----\n",
        "\x08",
        "a\x08",
        " \r",
        "a\r",
        "\x1b]0;",
        "\x1b[",
        "\x1b]0;a\x07\x08",
        "password=a ",
        "https://a:b@c ",
        "Bearer ",
        "sig=",
        "\u{e9}\x08",
        "[password (",
    ] {
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
    for (typed, expected) in [
        ("PASS Hunter2\nauth Hunter3\r", "PASS ***\nauth ***\r"),
        ("AUTH Hunter2\rPASS Hunter3", "AUTH ***\rPASS ***"),
        ("select 1;\nauth Hunter2\n", "select 1;\nauth ***\n"),
        (
            "AUTH Hunter2\nALTER x\nauth Hunter3\n",
            "AUTH ***\nALTER x\nauth ***\n",
        ),
        (
            "ls\r\n  PASSWORD 'Hunter2';\r\n",
            "ls\r\n  PASSWORD '***';\r\n",
        ),
        (
            "\u{1b}[200~ls\rPASS Hunter2\u{1b}[201~\r",
            "\u{1b}[200~ls\rPASS ***\u{1b}[201~\r",
        ),
        ("ls\nPASS Hunx\u{7f}ter2\r", "ls\nPASS ***\r"),
        (
            "PASS test_login\nauth failed\nls\n",
            "PASS test_login\nauth failed\nls\n",
        ),
    ] {
        assert_eq!(redact_typed(typed), expected);
        assert_eq!(
            String::from_utf8_lossy(&redact_input(typed.as_bytes()).0),
            expected
        );
    }
    // In output, a line like this may be the result of a test.
    let output = "PASS login\nPASS logout\n3 tests\n";
    assert_eq!(redact_bytes(output.as_bytes()), (output.into(), 0));
    assert_eq!(redact(output).text, output);
}

#[test]
fn a_secret_is_known_together_with_its_line() {
    let texts = |text: &str| redact_chunks([text], Source::Typed).texts;
    assert_eq!(
        texts("curl \\\n  -u me:hunter2 https://example.org/"),
        ["-u me:hunter2", "hunter2"]
    );
    let long = "x".repeat(100);
    let found = texts(&format!("{long} password=hunter2"));
    assert_eq!(
        found,
        [
            format!("{} password=hunter2", &long[..54]),
            "hunter2".into()
        ]
    );
}
