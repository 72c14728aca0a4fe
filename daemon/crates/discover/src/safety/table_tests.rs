//! Tests the tables of lines that are refused, and of those that pass.

use super::{Rule, refusal, refusal_of};
use crate::help::HelpCommand;
use ccd_text::pattern::Compiled;
use proptest::prelude::*;

const REFUSED: &str = include_str!("../../tests/fixtures/safety/refused.txt");
const PASSED: &str = include_str!("../../tests/fixtures/safety/passed.txt");

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn each_line_of_the_table_is_refused_by_its_rule() {
    let mut wrong = Vec::new();
    for line in lines(REFUSED) {
        let (rule, line) = line.split_once(char::is_whitespace).unwrap();
        let found = refusal(&line.trim_start().replace("\\n", "\n")).map(Rule::name);
        if found != Some(rule) {
            wrong.push(format!(
                "{}: {found:?} instead of {rule}",
                line.trim_start()
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(lines(REFUSED).count() >= 200);
}

#[test]
fn each_harmless_line_passes() {
    let wrong: Vec<_> = lines(PASSED)
        .filter_map(|line| Some((line, refusal(line)?)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(lines(PASSED).count() >= 150);
}

#[test]
fn a_command_whose_help_says_that_it_deletes_is_refused_but_may_be_explained() {
    let command = HelpCommand {
        name: "zap".to_owned(),
        description: "Delete all items".to_owned(),
        ..HelpCommand::default()
    };
    assert_eq!(refusal_of("zap", &command), Some(Rule::DestructiveHelp));
    assert_eq!(
        refusal_of("zap now; help", &command),
        Some(Rule::DestructiveHelp)
    );
    assert_eq!(refusal_of("help zap", &command), None);
    assert_eq!(refusal_of("zap --help", &command), None);
    let harmless = HelpCommand {
        description: "Show deleted items".to_owned(),
        ..command
    };
    assert_eq!(refusal_of("zap", &harmless), None);
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "(?s).{0,300}") {
        let _ = refusal(&line);
    }

    #[test]
    fn a_command_before_or_after_does_not_hide_a_deletion(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
        let rest = format!("echo {before}; rm -rf x; echo {after}");
        prop_assert_eq!(refusal(&rest), Some(Rule::Deletion));
    }
}
/// Returns the commands in a help text that are refused.
fn refused(fixture: &str) -> Vec<String> {
    let path = format!(
        "{}/tests/fixtures/help/{fixture}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let commands = crate::help::parse(&text, &Compiled::built_in()).commands;
    let refused = commands
        .into_iter()
        .filter(|command| refusal_of(&command.name, command).is_some());
    refused.map(|command| command.name).collect()
}

#[test]
fn of_the_commands_of_real_programs_those_that_destroy_are_refused() {
    assert_eq!(refused("sqlite3_dot"), [""; 0]);
    assert_eq!(refused("node_help"), [""; 0]);
    assert_eq!(
        refused("psql_slash"),
        ["\\r", "\\lo_unlink", "\\password", "\\unset"]
    );
    assert_eq!(refused("cobra_kubectl"), ["delete"]);
    assert_eq!(refused("gdb_help_data"), ["mem", "set logging overwrite"]);
    assert_eq!(
        refused("systemctl"),
        ["reset-failed", "halt", "poweroff", "reboot", "kexec"]
    );
    let of_git = refused("git_help_all");
    for name in ["branch", "clean", "reset", "rm", "tag"] {
        assert!(of_git.iter().any(|refused| refused == name), "{name}");
    }
    assert!(
        !of_git
            .iter()
            .any(|refused| refused == "log" || refused == "status")
    );
}
