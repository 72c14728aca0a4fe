//! `tape.verify` takes only as long as the program.

use crate::support::conversation::{converse, tape};
use crate::support::{Connection, Daemon};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

fn verified(daemon: &Daemon, root: &Path) -> Value {
    // The program ends with the connection that requested it.
    let mut connection: Connection = daemon.connect();
    let params = json!({"root": root, "tape": "it"});
    let started = connection.call_value("tape.verify", &params).unwrap();
    let wait = json!({"job": started["job"], "wait_ms": 60_000});
    connection.call_value("job.get", &wait).unwrap()["result"].clone()
}

#[test]
fn a_program_without_a_prompt_is_not_waited_for_longer_than_it_takes() {
    const LINES: usize = 60;
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let options = tape(&root, json!({"record": "new", "name": "it"}));
    let program = ["sh", "-c", "while read -r x; do echo \"so $x\"; done"];
    let lines: Vec<(String, String)> = (0..LINES)
        .map(|number| (format!("l{number}"), format!("so l{number}\n")))
        .collect();
    let steps: Vec<_> = lines
        .iter()
        .map(|(line, answer)| (Some(line.as_str()), answer.as_str()))
        .collect();
    converse(&daemon, &program, &options, &steps, "\u{4}");
    let begun = Instant::now();
    let verdict = verified(&daemon, &root);
    assert_eq!(verdict["same"], true, "{verdict}");
    assert_eq!(verdict["exchanges"], LINES + 2, "{verdict}");
    // Waiting for 300 ms of silence after each answer would take longer.
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(300 * LINES as u64), "{took:?}");
}

#[test]
fn an_end_that_came_before_the_last_recorded_input_is_the_same_end() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    std::fs::create_dir_all(&root).unwrap();
    let text = |code: u8| {
        format!(
            "{{ meta: {{ program: \"sh\", args: [\"-c\", \"read -r x; echo bye; exit 3\"], pty: {{ rows: 24, cols: 80 }} }}, exchanges: [\n\
             {{ input: {{ type: \"raw\", dataText: \"\" }} }},\n\
             {{ input: {{ type: \"line\", dataText: \"x\" }}, output: {{ chunks: [{{ delay_ms: 0, dataText: \"x\\r\\nbye\\r\\n\" }}] }} }},\n\
             {{ input: {{ type: \"raw\", dataText: \"\\u0004\" }}, exit: {{ code: {code}, signal: null }} }} ] }}"
        )
    };
    std::fs::write(root.join("it.json5"), text(3)).unwrap();
    let verdict = verified(&daemon, &root);
    assert_eq!(
        verdict,
        json!({"tape_id": "it", "same": true, "exchanges": 3, "drifts": []})
    );
    std::fs::write(root.join("it.json5"), text(0)).unwrap();
    let verdict = verified(&daemon, &root);
    assert_eq!(verdict["drifts"][0]["what"], "exit", "{verdict}");
}
