//! Tests wait for what they need: only `eventually` sleeps.

use super::sources::{closing, line_of, root, sources};
use super::workspace::packages;

/// Benchmarks sleep where they measure time: an idle daemon, a program that pauses, polling at a fixed rate.
const MEASURES_TIME: &str = "benches";

/// Functions that wait for time to pass.
const SLEEPS: [&str; 5] = [
    "sleep",
    "sleep_until",
    "sleep_ms",
    "park_timeout",
    "nanosleep",
];

/// Returns the lines of `code` that sleep outside a function whose name starts with `eventually`.
fn sleeps(code: &str) -> Vec<usize> {
    let patient = code.match_indices("fn eventually").map(|(start, _)| {
        let body = start + code[start..].find('{').unwrap_or_default();
        start..body + closing(&code[body..], '{', '}')
    });
    let patient: Vec<_> = patient.collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let calls = code.match_indices('(').filter(|&(at, _)| {
        let before = &code[..at];
        let name = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        let is_made_here = before[..at - name.len()].ends_with("fn ");
        SLEEPS.contains(&name) && !is_made_here && !patient.iter().any(|range| range.contains(&at))
    });
    calls.map(|(at, _)| line_of(code, at)).collect()
}

#[test]
fn tests_sleep_nowhere_but_in_eventually() {
    let mut found = Vec::new();
    for package in packages(&root()) {
        let is_tests = package.name == "ccd-tests";
        let folder = if is_tests { "" } else { "src" };
        for source in sources(&package.folder.join(folder)) {
            let mut lines = sleeps(&source.tests);
            if is_tests && !source.path.starts_with(MEASURES_TIME) {
                lines.extend(sleeps(&source.code));
            }
            let place = |line| format!("{}: {}:{line}", package.name, source.path.display());
            found.extend(lines.into_iter().map(place));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_sleep_of_a_test_is_found() {
    let code = "fn eventually<T>(f: impl Fn()) {\n    loop { std::thread::sleep(P); }\n}\nfn f() {\n    sleep(P);\n\
                }\nasync fn eventually_within() { tokio::time::sleep(P).await }\nfn try_sleep() {}\nfn sleep(x: u8) {\n\
                tokio::time::sleep_until(\n    x)\n}\nfn g() { try_sleep() }\n";
    assert_eq!(sleeps(code), [5, 10]);
}
