//! A caller that writes a payload and keeps its end of the pipe open.

use super::{events, failure, prompt};
use crate::support::{Ccctl, Daemon};
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Far below the second that an unfinished payload is waited for. The page promises 100 ms, on a machine that is not busy.
const SOON: Duration = Duration::from_millis(700);

#[test]
fn a_complete_payload_is_handed_over_at_once_though_the_input_stays_open() {
    let daemon = Daemon::start();
    let payloads = [
        failure("s", "t1", "make test", "Exit code 2\nerror: no rule"),
        prompt("s", "p1", "no, use {the} \"other\" [file"),
    ];
    for payload in payloads {
        let mut command = Ccctl::new(&daemon).command(&["hook"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let start = Instant::now();
        input.write_all(payload.to_string().as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        drop(input);
    }
    events(&daemon, 2);
}
