//! A program that believes the terminfo entry of `xterm-256color` gets what the entry promises.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod effects;
mod entry;
mod look;
mod silent;

use effects::{EFFECTS, PROMISES};
use entry::{capabilities, expanded};
use look::look;
use silent::SILENT;
use std::collections::BTreeSet;

/// Returns the value of a capability that is a string.
fn value(name: &str) -> String {
    let found = capabilities().into_iter().find(|(known, _)| *known == name);
    found
        .unwrap_or_else(|| panic!("{name} is not in the entry"))
        .1
        .unwrap()
}

/// What the terminal sends or what is sent to programs, not what they print.
const INPUT: [&str; 5] = ["u6", "u8", "xm", "PS", "PE"];

fn is_key(name: &str) -> bool {
    name.starts_with('k') && name != "km"
}

#[test]
fn each_capability_has_the_effect_that_it_promises() {
    let mut wrong = Vec::new();
    for (name, parameters, before, after, expected) in EFFECTS {
        let capability = expanded(&value(name), parameters);
        let shown = look(&format!("{before}{capability}{after}"));
        let without = look(&format!("{before}{after}"));
        if shown != *expected || shown == without {
            wrong.push(format!(
                "{name} {parameters:?}: {shown:?}, expected {expected:?}, without it {without:?}"
            ));
        }
    }
    for (name, output, expected) in PROMISES {
        let shown = look(output);
        if shown != *expected {
            wrong.push(format!("{name}: {shown:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn capabilities_without_an_effect_change_nothing() {
    const BEFORE: &str = "abc\r\ndef\r\n\x1b[1mghi\x1b[2;2H";
    let before = look(&format!("{BEFORE}x"));
    for (name, reason) in SILENT {
        let value = capabilities()
            .into_iter()
            .find(|(known, _)| known == name)
            .unwrap()
            .1;
        let Some(value) = value.filter(|_| !INPUT.contains(name)) else {
            continue;
        };
        let capability = expanded(&value, &[1, 2, 3, 4]);
        assert_eq!(
            look(&format!("{BEFORE}{capability}x")),
            before,
            "{name}: {reason}"
        );
    }
}

#[test]
fn each_capability_is_looked_at() {
    let entry: BTreeSet<&str> = capabilities()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| !is_key(name))
        .collect();
    let effects = EFFECTS
        .iter()
        .map(|(name, ..)| *name)
        .chain(PROMISES.iter().map(|(name, ..)| *name));
    let effects: BTreeSet<&str> = effects.collect();
    let silent: BTreeSet<&str> = SILENT.iter().map(|(name, _)| *name).collect();
    assert_eq!(silent.len(), SILENT.len());
    assert!(
        effects.is_disjoint(&silent),
        "{:?}",
        effects.intersection(&silent)
    );
    let known: BTreeSet<&str> = effects.union(&silent).copied().collect();
    assert_eq!(known, entry, "left: the tables, right: the entry");
}
