//! Investigations of programs that are used by numbers or by single keys, and of one with many states.

use super::investigated::{Investigated, investigate_with};
use crate::support::Daemon;
use crate::support::executable::write_script;
use serde_json::json;

fn investigated(daemon: &Daemon, name: &str, text: &str) -> Investigated {
    let program = daemon.home().join(name);
    write_script(&program, text);
    investigate_with(daemon, &[program.to_str().unwrap()], &json!({}))
}

#[test]
fn of_very_many_states_the_first_are_explored() {
    const MANY: &str = r#"#!/bin/sh
prompt=main
names=$(for one in a b c d e f g h; do for two in i j k l m n o; do echo "go$one$two"; done; done)
while printf "$prompt> " && read -r line; do
    case $prompt$line in
        mainhelp) echo Commands:; for name in $names; do echo "  $name  Go"; done ;;
        maingo*) prompt=$line ;;
        *) echo "unknown: $line" ;;
    esac
done
"#;
    let daemon = Daemon::start();
    let found = investigated(&daemon, "many", MANY);
    let states = &found.report.states;
    assert_eq!(states.len(), 57);
    let explored = |state: &&_| {
        let state: &ccd_protocol::investigate::ProgramState = state;
        !state.output_samples.is_empty()
    };
    assert_eq!(states.iter().filter(explored).count(), 50);
    assert!(states[..50].iter().all(|state| explored(&state)));
    assert!(found.notes("only the first 50 states were explored"));
}
