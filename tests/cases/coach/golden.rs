//! The commands that try things out, as scripts use them.

use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};

#[test]
fn what_is_tried_out_is_seen_in_the_light_of_what_came_before_and_not_stored() {
    let daemon = Daemon::start();
    let error = "Exit code 101\nerror: could not compile";
    let failure = |command: &str| crate::hook::failure("s", command, command, error);
    let lines = [
        failure("cargo build"),
        failure("cargo build -v"),
        json!({"hook_event_name": "Notification"}),
    ];
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str("not json\n");
    let client = Ccctl::new(&daemon);
    let ran = client.run_with(&["coach", "detect", "--json"], text.as_bytes());
    let results = ran.stdout.lines().map(serde_json::from_str);
    let results: Vec<Value> = results.map(Result::unwrap).collect();
    assert_eq!(results.len(), 4);
    let confidence = |result: &Value| result["signals"][0]["confidence"].as_f64().unwrap();
    assert!((confidence(&results[0]) - 0.7).abs() < 0.005, "{results:?}");
    assert!((confidence(&results[1]) - 0.8).abs() < 0.005, "{results:?}");
    assert_eq!(results[2]["signals"], json!([]));
    assert!(results[3]["error"].is_string());
    let status = daemon.ok("coach.status", &json!({}));
    assert_eq!(status["pending_events"], 0);

    // A fingerprint is printed with the words that it is of.
    let (trigger, action) = ("don't use the `any` type", "use unknown");
    let words = ["coach", "fingerprint", "--json", "--type", "rule"];
    let words = [&words[..], &["--trigger", trigger, "--action", action]].concat();
    let fingerprint: Value = serde_json::from_str(&client.ok(&words)).unwrap();
    let text = "dont use the any type use unknown";
    assert_eq!(fingerprint["normalized_text"], text);
    assert_eq!(fingerprint["fingerprint"].as_str().unwrap().len(), 64);
}
