//! `ccctl play` on the terminal of a build, where nobody is there to type something else.

use crate::support::client::{CCCTL, person};
use crate::support::{Ccctl, Daemon, executable};

#[test]
fn a_miss_on_a_terminal_ends_a_build_and_not_a_person() {
    let daemon = Daemon::start();
    let program = daemon.home().join("asking");
    executable::write_script(
        &program,
        "#!/bin/sh\nprintf 'ask> '\nwhile read -r line; do printf 'answer to %s\\nask> ' \"$line\"; done\n",
    );
    let tapes = daemon.home().join("t");
    let person = person(&daemon, 24, 100);
    let words = format!("--tapes '{}' -- '{}'", tapes.display(), program.display());
    person.line(&format!("'{CCCTL}' rec {words}"));
    person.expect("ask>");
    person.line("known");
    person.shows("answer to known");
    person.keys(&["C-d"]);
    person.expect("recorded");
    std::fs::remove_file(&program).unwrap();
    for (command, status) in [("play", 1), ("run", 1)] {
        person.line(&format!(
            "clear; CI=1 '{CCCTL}' {command} {words}; echo \"status $?\""
        ));
        person.expect("ask>");
        person.line("unknown");
        person.expect("closest.*\n");
        person.expect(&format!("status {status}\\b"));
    }
    person.line(&format!(
        "clear; env -u CI '{CCCTL}' play {words}; echo \"status $?\""
    ));
    person.expect("ask>");
    person.line("unknown");
    person.expect("closest");
    person.line("known");
    person.expect("answer to known");
    assert!(Ccctl::new(&daemon).run(&["ls"]).stdout.contains("asking"));
}
