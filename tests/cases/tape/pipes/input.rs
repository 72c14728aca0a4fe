//! What a program between pipes was given is on its tape as the program has read it, and matches as such.

use crate::support::session::program;
use crate::support::{Ccctl, Daemon, taped};
use ccd_protocol::session::{SessionCreateParams, SessionSendParams};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};

struct Stage {
    daemon: Daemon,
}

impl Stage {
    fn new() -> Self {
        Self {
            daemon: Daemon::start(),
        }
    }

    fn run(&self, verb: &str, words: &[&str], input: &[u8]) -> Output {
        let words = [&[verb, "--tapes", "t", "--no-summary", "--"], words].concat();
        let mut command = Ccctl::new(&self.daemon).command(&words);
        command.env_remove("CI").current_dir(self.daemon.home());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let typing = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        typing.join().unwrap();
        output
    }

    fn only_tape(&self) -> (PathBuf, String) {
        let files = taped::files(&self.daemon.home().join("t"));
        let is_tape = |path: &&PathBuf| path.extension() == Some("json5".as_ref());
        let tapes: Vec<&PathBuf> = files.iter().filter(is_tape).collect();
        assert_eq!(tapes.len(), 1, "{tapes:?}");
        let text = std::fs::read_to_string(tapes[0]).unwrap();
        (tapes[0].clone(), text)
    }

    #[track_caller]
    fn answers(&self, verb: &str, words: &[&str], input: &[u8], expected: &str) {
        let output = self.run(verb, words, input);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed, expected, "{output:?}");
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn the_input_on_a_tape_is_what_the_program_has_read() {
    let stage = Stage::new();
    let wc = ["wc", "-lc"];
    let counted = String::from_utf8(stage.run("rec", &wc, b"a\r\nb\x15c\r\nd").stdout).unwrap();
    let (path, text) = stage.only_tape();
    for input in [
        r#"dataText: "a\r\n""#,
        r#"dataText: "b\u0015c\r\n""#,
        r#"dataText: "d\u0004""#,
    ] {
        assert!(text.contains(input), "{input}: {text}");
    }
    assert!(!text.contains("u0016"), "{text}");
    stage.answers("play", &wc, b"a\r\nb\x15c\r\nd", &counted);
    // Other ends of lines are the same question, and what a person writes is as good.
    stage.answers("play", &wc, b"a\nb\x15c\nd", &counted);
    std::fs::write(
        &path,
        text.replace(r#"dataText: "a\r\n""#, r#"dataText: "x\n""#),
    )
    .unwrap();
    stage.answers("play", &wc, b"x\r\nb\x15c\r\nd", &counted);
    let missed = stage.run("play", &wc, b"y\r\n");
    let told = String::from_utf8_lossy(&missed.stderr);
    assert!(
        told.contains("input \"y\"") && !told.contains("u{16}"),
        "{told}"
    );
}

#[test]
fn the_program_itself_gets_again_what_a_tape_says_it_has_read() {
    let stage = Stage::new();
    let script = "while IFS= read -r a; do printf %s \"$a\" | od -An -tx1; done; cat; echo over";
    let words = ["bash", "-c", script];
    let input = b"one\r\n\x03\x04\x7f\ntwo\n";
    let expected = " 6f 6e 65 0d\n 03 04 7f\n 74 77 6f\nover\n";
    stage.answers("rec", &words, input, expected);
    let (path, _) = stage.only_tape();
    let verify = ["tape", "verify", path.to_str().unwrap()];
    let verified = Ccctl::new(&stage.daemon).command(&verify).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let more = [&input[..], b"th\x04ree\r\nfour"].concat();
    let expected = " 6f 6e 65 0d\n 03 04 7f\n 74 77 6f\n 74 68 04 72 65 65 0d\nover\n";
    stage.answers("proxy", &words, &more, expected);
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
    let stage = Stage::new();
    let words = ["printf", r"a\nb\r\n\303\050\n"];
    let recorded = stage.run("rec", &words, b"").stdout;
    assert_eq!(recorded, b"a\nb\r\n\xc3(\n");
    let (path, _) = stage.only_tape();
    let play = ["tape", "play", path.to_str().unwrap()];
    let played = Ccctl::new(&stage.daemon).command(&play).output().unwrap();
    assert_eq!(played.stdout, recorded, "{played:?}");
}
