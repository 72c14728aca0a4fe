//! Investigations of programs that are used by numbers or by single keys, and of one with many states.

use super::black_box::runs::{result, run};
use super::investigated::investigate_script;
use crate::support::Daemon;
use serde_json::json;

#[test]
fn the_entries_of_menus_are_commands() {
    const IN_ONE_LINE: &str = r#"#!/bin/sh
while printf '1) List  2) Add  3) Quit   Choice: ' && read -r choice; do
    case $choice in
        1) echo 'apples' ;;
        2) printf 'Name: '; read -r name; echo "added $name" ;;
        3) exit 0 ;;
        *) echo 'no such choice' ;;
    esac
done
"#;
    let daemon = Daemon::start();
    let found = investigate_script(&daemon, "line", IN_ONE_LINE);
    assert_eq!(found.state("main").commands, ["1", "2", "3"]);
    found.describes(&["1", "2", "3"]);
    assert_eq!(found.report.commands["1"].description, "List");
    assert!(found.sample("main", "1").contains("apples"));
    let name = &found.state("name").id;
    assert_eq!(found.state("main").transitions["2"], *name);
    found.ends_by(&["3", "C-d"]);
    found.is_sound();
}

#[test]
fn menus_below_menus_are_states_also_with_the_same_prompt() {
    const NESTED: &str = r#"#!/bin/sh
menu=main
while :; do
    case $menu in
        main) printf '1. List\n2. Settings\n3. Delete all\n0. Exit\nChoice: ' ;;
        settings) printf '1. Colour\n2. Size\n0. Back\nChoice: ' ;;
    esac
    read -r choice || exit 0
    case $menu$choice in
        main1) printf '1. milk\n2. eggs\n' ;;
        main2) menu=settings ;;
        main3) kill -SEGV $$ ;;
        main0) exit 0 ;;
        settings1) echo red ;;
        settings2) echo 12 ;;
        settings0) menu=main ;;
        *) echo 'no such choice' ;;
    esac
done
"#;
    let daemon = Daemon::start();
    let found = investigate_script(&daemon, "nested", NESTED);
    let [main, settings] = ["main", "settings"].map(|name| found.state(name));
    assert_eq!(main.commands, ["1", "2", "3", "0"]);
    assert_eq!(settings.commands, ["1", "2", "0"]);
    assert_eq!(main.transitions["2"], settings.id);
    assert_eq!(settings.transitions["0"], main.id);
    assert_eq!(found.report.states.len(), 2);
    assert!(found.sample("settings", "1").contains("red"));
    assert!(found.notes("refused 3 (destructive_help)"));
    found.ends_by(&["0", "C-d"]);
    found.is_sound();
}

#[test]
fn a_key_that_ends_a_program_is_reported_and_words_with_it_are_not() {
    const KEYS: &str = r#"#!/bin/bash
[ $# = 0 ] || exit 1
while read -rsn1 key; do
    [ "$key" = q ] && exit 0
    echo "no such key: $key"
done
"#;
    let daemon = Daemon::start();
    let found = investigate_script(&daemon, "keys", KEYS);
    found.ends_by(&["q"]);
    let exits = &found.report.exit_commands;
    let words: Vec<_> = exits.iter().map(|exit| &*exit.command).collect();
    assert_eq!(words, ["q", "C-c"], "{exits:?}");
    let params = json!({"program": daemon.home().join("keys"), "types": ["exit"]});
    let report = run(&daemon, params);
    let clean = &result(&report, "exit")["details"]["working_exits"];
    assert_eq!(*clean, json!(["q"]), "{report}");
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
    let found = investigate_script(&daemon, "many", MANY);
    let states = &found.report.states;
    assert_eq!(states.len(), 57);
    let explored = states.iter().map(|state| !state.output_samples.is_empty());
    let explored: Vec<bool> = explored.collect();
    assert_eq!(explored, [[true; 50].as_slice(), &[false; 7]].concat());
    assert!(found.notes("only the first 50 states were explored"));
}
