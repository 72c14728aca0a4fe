//! The client names methods in texts, which no compiler checks.

use super::sources::{files, root};
use ccd_protocol::methods;
use ccd_protocol::subscription::SUBSCRIPTIONS;
use std::collections::BTreeSet;
use std::fs;

/// Names that look like those of methods.
const OTHERS: [&str; 4] = [
    // Verbs that are several calls.
    "session.tail",
    "tape.play",
    // Files.
    "config.json",
    "exec.sqlite",
];

#[test]
fn the_client_calls_only_methods_that_exist() {
    let subscriptions = SUBSCRIPTIONS.iter();
    let subscriptions = subscriptions.flat_map(|one| [one.name, one.unsubscribe, one.notification]);
    let known: BTreeSet<&str> = methods()
        .map(|method| method.name)
        .chain(subscriptions)
        .collect();
    let noun = |name: &str| name.split_once('.').map(|(noun, _)| noun.to_owned());
    let nouns: BTreeSet<String> = known.iter().filter_map(|name| noun(name)).collect();
    let mut named = 0;
    for path in files(&root().join("client/src")) {
        let text = fs::read_to_string(&path).unwrap();
        let is_of_name = |c: char| c.is_ascii_lowercase() || matches!(c, '.' | '_');
        for name in text
            .split('"')
            .filter(|text| text.chars().all(is_of_name) && !text.ends_with('.'))
        {
            if noun(name).is_some_and(|noun| nouns.contains(&noun)) && !OTHERS.contains(&name) {
                assert!(known.contains(name), "{name} in {}", path.display());
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}
