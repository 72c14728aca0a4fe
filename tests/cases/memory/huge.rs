//! A report that has far more failures than a memory keeps.

use super::{FILE, project, shown};
use crate::support::processes::private_memory;
use crate::support::worker::worker;
use crate::support::{Ccctl, Daemon, eventually};
use std::fmt::Write as _;

const FAILURES: usize = 50_000;

#[test]
fn what_a_memory_does_not_keep_of_a_report_is_not_kept_while_it_is_read() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let (small, project) = (project(), project());
    let at = small.root().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let at = project.root().to_str().unwrap();
    let mut report =
        format!("<testsuite name=\"all\" tests=\"{FAILURES}\" failures=\"{FAILURES}\">\n");
    for number in 0..FAILURES {
        let _ = writeln!(
            report,
            "<testcase name=\"t{number}\" file=\"main.rs\"><failure message=\"no\"/></testcase>"
        );
    }
    report += "</testsuite>\n";
    project.write("junit.xml", &report);
    let before = private_memory(worker(&daemon));
    client.ok(&["memory", "save", "--project", at]);
    let memory = shown(&client, at);
    assert_eq!(memory["testResults"]["unit"]["failed"], FAILURES);
    let file = std::fs::read_to_string(project.root().join(FILE)).unwrap();
    assert!(file.contains("... and 49980 more failures"), "{file}");
    eventually("the memory is given back", || {
        let grown = private_memory(worker(&daemon)).saturating_sub(before);
        (grown < 32 << 20).then_some(())
    });
}
