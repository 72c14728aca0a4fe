use super::*;
use crate::tools::tests::{exchange, tape};
use serde_json::json;

fn redacted(mut tape: Tape) -> (Tape, Vec<String>) {
    let removals = redact_tape(&mut tape);
    let mut again = tape.clone();
    assert_eq!(redact_tape(&mut again), [], "a second time finds nothing");
    assert_eq!(again, tape);
    let shown = removals
        .iter()
        .map(|removal| format!("{} {}", removal.place, removal.count));
    (tape, shown.collect())
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn texts(exchange: &Exchange) -> (String, Vec<String>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let chunks = exchange.chunks.iter().map(|chunk| text(&chunk.data));
    (text(&exchange.input.bytes), chunks.collect())
}

#[test]
fn of_a_masked_echo_no_empty_chunks_are_left_but_their_time() {
    let mut exchange = exchange("", &["password: hun", "t", "er2hunter2\r\n", "ok"]);
    for (chunk, delay_ms) in exchange.chunks.iter_mut().zip([1, 20, 300, 4_000]) {
        chunk.delay_ms = delay_ms;
    }
    let mut tape = tape(vec![exchange]);
    redact_tape(&mut tape);
    let (_, chunks) = texts(&tape.exchanges[0]);
    assert_eq!(chunks.concat(), "password: ***\r\nok");
    assert!(chunks.iter().all(|text| !text.is_empty()), "{chunks:?}");
    let delays = tape.exchanges[0].chunks.iter().map(|chunk| chunk.delay_ms);
    assert_eq!(delays.sum::<u64>(), 4_321);
}

#[test]
fn every_part_of_a_tape_loses_its_secrets() {
    let mut tape = tape(vec![
        exchange("", &["$ "]),
        exchange(
            "password=hunter2\r",
            &["pass", "word=hun", "ter2\r\nok\r\n$ "],
        ),
        exchange("ls\r", &["ls\r\n"]),
    ]);
    tape.meta.args = ["--token", "abc"].map(String::from).to_vec();
    tape.meta.env = [("API_TOKEN", "a b"), ("LANG", "C")].map(owned).into();
    tape.meta.cwd = "/srv/https://me:abc@h".to_owned();
    tape.meta.tag = Some("password=abc".to_owned());
    let last = &mut tape.exchanges[2];
    last.pre.prompt = "token=abc $ ".to_owned();
    last.annotations
        .insert("note".into(), json!({"api_key": "abc"}));
    let (tape, removals) = redacted(tape);
    assert_eq!(
        removals,
        [
            "meta.args[1] 1",
            "meta.env.API_TOKEN 1",
            "meta.cwd 1",
            "meta.tag 1",
            "exchanges[1].input 1",
            "exchanges[1].output 1",
            "exchanges[2].pre.prompt 1",
            "exchanges[2].annotations 1",
        ]
    );
    assert_eq!(tape.meta.args, ["--token", "***"]);
    assert_eq!(tape.meta.env["API_TOKEN"], "***");
    assert_eq!(tape.meta.cwd, "/srv/https://me:***@h");
    let (input, output) = texts(&tape.exchanges[1]);
    assert_eq!(input, "password=***\r");
    assert_eq!(output, ["pass", "word=***", "\r\nok\r\n$ "]);
    assert_eq!(tape.exchanges[2].pre.prompt, "token=*** $ ");
    let exchanges = tape.exchanges.iter();
    let counts = exchanges.map(|exchange| &exchange.annotations["redacted"]);
    assert!(counts.eq(&[json!(4), json!(2), json!(2)]));
    assert!(tape.meta.redact);
}

#[test]
fn a_secret_that_is_typed_key_by_key_is_one() {
    let keys = "TOKEN=ab\r".chars().map(String::from);
    let (tape, removals) = redacted(tape(keys.map(|key| exchange(&key, &[&key])).collect()));
    assert_eq!(removals, ["exchanges[6].input 1", "exchanges[6].output 1"]);
    let texts = tape.exchanges.iter().map(texts);
    let (inputs, outputs): (Vec<String>, Vec<Vec<String>>) = texts.unzip();
    assert_eq!(inputs.concat(), "TOKEN=******\r");
    assert_eq!(outputs.concat().concat(), "TOKEN=***\r");
    assert_eq!(inputs.len(), 9);
}

#[test]
fn a_key_of_a_secret_is_one_that_was_typed_hidden() {
    let keys = ["ipassw", "ord=hu", "n", "ter22x", "\u{1b}", ":q!\r"];
    let (tape, removals) = redacted(tape(keys.map(|key| exchange(key, &[])).to_vec()));
    assert_eq!(removals, ["exchanges[1].input 1"]);
    let inputs: Vec<String> = tape
        .exchanges
        .iter()
        .map(|exchange| texts(exchange).0)
        .collect();
    assert_eq!(inputs, ["ipassw", "***", "***", "***", "\u{1b}", ":q!\r"]);
    let hidden = tape.exchanges.iter().map(|exchange| exchange.pre.hidden);
    assert!(hidden.eq([false, true, true, true, false, false]));
}

#[test]
fn what_is_known_from_the_start_or_an_input_goes_where_it_was_printed() {
    let mut tape = tape(vec![
        exchange(
            "",
            &["started with Arg9secret and En", "v9secret, test\r\n"],
        ),
        exchange("export DB_PASSWORD=Qx7hunterzz\r", &["ok\r\n"]),
        exchange("export PIN_PASSWORD=test\r", &["a test\r\n"]),
        exchange("echo $DB_PASSWORD\r", &["<Qx7hun", "terzz>\r\n"]),
    ]);
    tape.meta.args = ["--password", "Arg9secret"].map(String::from).to_vec();
    tape.meta.env = [("API_KEY", "Env9secret")].map(owned).into();
    let (tape, _) = redacted(tape);
    let shown: Vec<String> = tape
        .exchanges
        .iter()
        .map(|exchange| texts(exchange).1.concat())
        .collect();
    let start = "started with *** and ***, test\r\n";
    assert_eq!(shown, [start, "ok\r\n", "a test\r\n", "<***>\r\n"]);
}

#[test]
fn the_password_of_a_netrc_that_is_typed_line_by_line_goes() {
    let lines = [
        "machine h\n",
        "  login u\n",
        "  password netrcPassQQ77\n",
        "ls\n",
    ];
    let typed = lines.map(|line| exchange(line, &["netrcPassQQ77 ", line]));
    let (tape, removals) = redacted(tape(typed.to_vec()));
    assert!(!format!("{tape:?}").contains("netrcPassQQ77"), "{tape:?}");
    let input = "exchanges[2].input 1".to_owned();
    assert!(removals.contains(&input), "{removals:?}");
    assert_eq!(texts(&tape.exchanges[2]).0, "***\n");
    assert!(tape.exchanges[2].pre.hidden && !tape.exchanges[3].pre.hidden);
}

#[test]
fn a_private_key_that_is_typed_line_by_line_is_one() {
    let body = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
    let typed = |line: &str| exchange(&format!("{line}\r"), &[line, "\r\n", "> "]);
    let exchanges = vec![
        exchange("", &["$ "]),
        typed("cat > key"),
        typed("-----BEGIN PRIVATE KEY-----"),
        typed(&body),
        typed("Zz9="),
        typed("-----END PRIVATE KEY-----"),
        exchange(
            "cat key\r",
            &["cat key\r\n", &body[..30], &body[30..], "\r\n$ "],
        ),
    ];
    let (tape, removals) = redacted(tape(exchanges));
    let text = format!("{tape:?}");
    assert!(!text.contains("Ab1C"), "{text}");
    let input = "exchanges[3].input 1".to_owned();
    assert!(removals.contains(&input), "{removals:?}");
    let hidden = tape.exchanges.iter().map(|exchange| exchange.pre.hidden);
    assert!(hidden.eq([false, false, false, true, true, false, false]));
    assert_eq!(texts(&tape.exchanges[3]).0, "***\r");
    assert_eq!(texts(&tape.exchanges[6]).1.concat(), "cat key\r\n***\r\n$ ");
}

#[test]
fn without_a_terminal_each_stream_is_a_text_of_its_own() {
    let mut split = tape(vec![exchange("", &["password=", "note\n", "hunter2\n"])]);
    split.meta.pty = None;
    split.exchanges[0].chunks[1].stream = Stream::Stderr;
    let (split, _) = redacted(split);
    let (_, chunks) = texts(&split.exchanges[0]);
    assert_eq!(chunks, ["password=", "note\n", "***\n"]);
}

#[test]
fn a_tape_without_secrets_stays_and_counts_go_on() {
    let mut clean = tape(vec![
        exchange("", &["a token bucket\r\n", "Password: "]),
        exchange("\r", &["\r\nok"]),
    ]);
    let (same, removals) = redacted(clean.clone());
    assert_eq!((&same, removals.len()), (&clean, 0));
    let first = &mut clean.exchanges[0];
    first.annotations.insert("redacted".into(), json!(2));
    first.chunks[1].data = b"TOKEN=abc".to_vec();
    let (more, _) = redacted(clean);
    assert_eq!(more.exchanges[0].annotations["redacted"], json!(3));
}
