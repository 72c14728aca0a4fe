//! The commands that try things out, as scripts use them.

use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

#[test]
fn what_is_tried_out_is_seen_in_the_light_of_what_came_before_and_not_stored() {
    let daemon = Daemon::start();
    let failure = |command: &str| {
        crate::hook::failure(
            "s",
            command,
            command,
            "Exit code 101\nerror: could not compile",
        )
    };
    let lines = [
        failure("cargo build"),
        failure("cargo build -v"),
        json!({"hook_event_name": "Notification"}),
    ];
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str("not json\n");
    let mut command = Ccctl::new(&daemon).command(&["coach", "detect", "--json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let results: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(results.len(), 4);
    let confidence = |result: &Value| result["signals"][0]["confidence"].as_f64().unwrap();
    assert!((confidence(&results[0]) - 0.7).abs() < 0.005, "{results:?}");
    assert!((confidence(&results[1]) - 0.8).abs() < 0.005, "{results:?}");
    assert_eq!(results[2]["signals"], json!([]));
    assert!(results[3]["error"].is_string());
    let status = daemon.call_value("coach.status", &json!({})).unwrap();
    assert_eq!(status["pending_events"], 0);

    // A fingerprint is printed with the words that it is of.
    let words = [
        "coach",
        "fingerprint",
        "--type",
        "rule",
        "--trigger",
        "don't use the `any` type",
        "--action",
        "use unknown",
        "--json",
    ];
    let fingerprint: Value = serde_json::from_str(&Ccctl::new(&daemon).ok(&words)).unwrap();
    assert_eq!(
        fingerprint["normalized_text"],
        "dont use the any type use unknown"
    );
    assert_eq!(fingerprint["fingerprint"].as_str().unwrap().len(), 64);
}
