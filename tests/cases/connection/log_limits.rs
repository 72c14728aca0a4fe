//! What clients cause again and again does not fill the log of the daemon.

use crate::support::{Daemon, eventually};
use serde_json::json;

/// Lines that one place in the code logs in a burst, and those that it may log while the test runs.
const SHOWN: std::ops::RangeInclusive<usize> = 50..=100;

/// Returns how many lines with `message` are in the log, and how many the reports in it add.
fn counted(log: &str, message: &str) -> (usize, usize) {
    let (mut shown, mut more) = (0, 0);
    for line in log.lines().filter(|line| line.contains(message)) {
        match line.split_once("more like this") {
            Some((before, _)) => {
                let number = before.rsplit_once("… ").unwrap().1;
                more += number.trim().replace(',', "").parse::<usize>().unwrap();
            }
            None => shown += 1,
        }
    }
    (shown, more)
}

#[test]
fn a_hundred_thousand_bad_notifications_are_a_few_lines_and_their_number() {
    const COUNT: usize = 100_000;
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n";
    for _ in 0..100 {
        connection.send_raw(line.repeat(COUNT / 100).as_bytes());
    }
    connection.ping();
    // The rest is reported at the end at the latest.
    daemon.stop();
    let log = daemon.log_text();
    let (shown, more) = counted(&log, "notification failed");
    assert!(
        SHOWN.contains(&shown) && shown + more == COUNT,
        "{shown} and {more}"
    );
    assert!(log.len() < 64 << 10, "{} bytes", log.len());
}

#[test]
fn a_full_file_of_the_log_says_so_and_errors_are_still_in_the_status() {
    let daemon =
        Daemon::with_config(r#"{"log_level": "debug", "logging": {"max_file_bytes": 65536}}"#);
    eventually("the file of the day is full", || {
        daemon.connect().ping();
        daemon.log_text().contains("max_file_bytes").then_some(())
    });
    let full = daemon.log_text();
    assert!(full.len() < (64 << 10) + 1000, "{} bytes", full.len());
    let session = daemon.connect().start_session(&["cat"]);
    let folder = daemon.home().join("sessions").join(&session);
    std::fs::create_dir_all(folder.join("output.log")).unwrap();
    let typed = json!({"session": session, "text": "x\n"});
    daemon.ok("session.send", &typed);
    daemon.reports_error(&session);
    assert_eq!(daemon.log_text(), full);
}
