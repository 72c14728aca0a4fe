//! The input of a program over pipes is on its tape as the program read it, and matches in that form.

use crate::support::pipeline::{Did, Pipeline};
use crate::support::session::program;
use crate::support::{Daemon, assert_has, assert_lacks};
use ccd_protocol::session::{SessionCreateParams, SessionSendParams};

#[track_caller]
fn answers(pipeline: &Pipeline, verb: &str, words: &[&str], input: &[u8], expected: &str) {
    let did = run(pipeline, verb, words, input);
    let printed = String::from_utf8_lossy(&did.stdout);
    assert_eq!(printed, expected, "{did:?}");
    assert_eq!(did.status, 0, "{did:?}");
}

fn run(pipeline: &Pipeline, verb: &str, words: &[&str], input: &[u8]) -> Did {
    Did::with_input(&mut pipeline.with_verb(&[verb], words), input)
}

#[test]
fn the_input_on_a_tape_is_what_the_program_has_read() {
    let pipeline = Pipeline::new();
    let wc = ["wc", "-lc"];
    let counted =
        String::from_utf8(run(&pipeline, "rec", &wc, b"a\r\nb\x15c\r\nd").stdout).unwrap();
    let (id, text) = pipeline.only_tape();
    let inputs = [r"a\r\n", r"b\u0015c\r\n", r"d\u0004"];
    assert_has(&text, inputs.map(|input| format!("dataText: \"{input}\"")));
    assert_lacks(&text, ["u0016"]);
    answers(&pipeline, "play", &wc, b"a\r\nb\x15c\r\nd", &counted);
    // Other line endings match too, and so do inputs that were written by hand.
    answers(&pipeline, "play", &wc, b"a\nb\x15c\nd", &counted);
    let other = text.replace(r#"dataText: "a\r\n""#, r#"dataText: "x\n""#);
    std::fs::write(pipeline.path_of(&id), other).unwrap();
    answers(&pipeline, "play", &wc, b"x\r\nb\x15c\r\nd", &counted);
    let missed = run(&pipeline, "play", &wc, b"y\r\n");
    let told = String::from_utf8_lossy(&missed.stderr);
    assert_has(&told, ["input \"y\""]);
    assert_lacks(&told, ["u{16}"]);
}

#[test]
fn the_program_itself_gets_again_what_a_tape_says_it_has_read() {
    let pipeline = Pipeline::new();
    let script = "while IFS= read -r a; do printf %s \"$a\" | od -An -tx1; done; cat; echo over";
    let words = ["bash", "-c", script];
    let input = b"one\r\n\x03\x04\x7f\ntwo\n";
    let expected = " 6f 6e 65 0d\n 03 04 7f\n 74 77 6f\nover\n";
    answers(&pipeline, "rec", &words, input, expected);
    let (id, _) = pipeline.only_tape();
    let verified = pipeline.tape(&["verify", &id]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let more = [&input[..], b"th\x04ree\r\nfour"].concat();
    let expected = " 6f 6e 65 0d\n 03 04 7f\n 74 77 6f\n 74 68 04 72 65 65 0d\nover\n";
    answers(&pipeline, "proxy", &words, &more, expected);
}

#[test]
fn a_line_between_pipes_may_be_as_long_as_it_is() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        pipes: true,
        ..program(&daemon, "wc", &["-c"])
    });
    let send = |text: String, eof: bool| {
        let params = SessionSendParams {
            session: session.id().to_owned(),
            text: Some(text),
            eof,
            ..SessionSendParams::default()
        };
        session.try_send(params).unwrap();
    };
    send("x".repeat(3_000), false);
    send("x".repeat(9_000) + "\n", false);
    send("x".repeat(5_000), true);
    let ended = session.ended();
    assert_eq!(ended.exitstatus, Some(0));
    assert_eq!(session.output().trim(), "17001");
}

#[test]
fn a_tape_that_nobody_watches_is_printed_as_it_was_recorded() {
    let pipeline = Pipeline::new();
    let words = ["printf", r"a\nb\r\n\303\050\n"];
    let recorded = run(&pipeline, "rec", &words, b"").stdout;
    assert_eq!(recorded, b"a\nb\r\n\xc3(\n");
    let (id, _) = pipeline.only_tape();
    let tapes = pipeline.tapes();
    let play = ["tape", "play", &id, "--tapes", tapes.to_str().unwrap()];
    let played = pipeline.ccctl(&play).output().unwrap();
    assert_eq!(played.stdout, recorded, "{played:?}");
}
