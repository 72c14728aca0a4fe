use super::*;
use crate::args::Ccctl;
use clap::Parser as _;

/// A command with every part given.
fn example(action: &'static Action) -> Vec<&'static str> {
    let mut words = vec!["ccctl"];
    for part in &action.words {
        match part {
            ActionPart::Fixed(fixed) => words.extend(fixed.split(" ")),
            ActionPart::Pick(_) => words.push("py"),
            ActionPart::Choose(_, all) => words.push(&all[0]),
            ActionPart::Text(_) => words.push(if words.contains(&"--") { "-x" } else { "x" }),
            ActionPart::Words(..) => words.extend(["cat", "-u"]),
            ActionPart::Option(option, _) => {
                let value = if option == "--set" { "a=5" } else { "5" };
                words.extend([option, value]);
            }
        }
    }
    words
}

#[test]
fn everything_that_is_offered_is_a_command() {
    for action in ENTRIES.iter().flat_map(|entry| &entry.actions) {
        let words = example(action);
        let parsed = Ccctl::try_parse_from(&words);
        assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
    }
}
