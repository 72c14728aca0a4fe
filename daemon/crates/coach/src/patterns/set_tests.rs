use super::set::{MAX_PATTERN_BYTES, MAX_PATTERNS};
use super::{PatternGroup, PatternSet};
use std::collections::BTreeMap;

fn with(group: &str, patterns: &[&str]) -> (PatternSet, Vec<String>) {
    let patterns = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    PatternSet::with_config(&BTreeMap::from([(group.to_owned(), patterns)]))
}

fn sources(set: &PatternSet, group: PatternGroup) -> Vec<&str> {
    set.sources(group).collect()
}

#[test]
fn every_built_in_pattern_compiles() {
    let (set, errors) = PatternSet::with_config(&BTreeMap::new());
    assert_eq!(errors, [""; 0]);
    for (group, name) in PatternGroup::ALL {
        assert_eq!(sources(&set, group), group.built_in());
        assert!(set.has_built_ins(group));
        assert_eq!(PatternGroup::from_name(name), Some(group));
    }
}

#[test]
fn a_group_of_the_configuration_replaces_that_list_only() {
    let (set, errors) = with("correction", &[r"\bno\b", "argh"]);
    assert_eq!(errors, [""; 0]);
    assert_eq!(sources(&set, PatternGroup::Correction), [r"\bno\b", "argh"]);
    assert!(
        !set.has_built_ins(PatternGroup::Correction) && set.has_built_ins(PatternGroup::Escalation)
    );
}

#[test]
fn a_broken_pattern_is_named_and_its_built_in_list_holds() {
    let (set, errors) = with("escalation", &["fine", "broken("]);
    let problem = r#"signal_patterns.escalation: entry 2 ("broken(") is not a regular expression: unclosed group"#;
    assert_eq!(errors, [problem]);
    assert!(set.has_built_ins(PatternGroup::Escalation));
}

#[test]
fn what_would_be_too_much_or_match_everything_is_refused() {
    let long = "a".repeat(MAX_PATTERN_BYTES + 1);
    for (patterns, problem) in [
        (&[&*long][..], "entry 1 is longer than"),
        (&["a"; MAX_PATTERNS + 1], "201 patterns; at most"),
        (&["a*"], "matches an empty text"),
        (&["(?:a{1000}){1000}"], "is not a regular expression"),
    ] {
        let problems = with("correction", patterns).1;
        assert!(problems[0].contains(problem), "{problems:?}");
    }
}

#[test]
fn only_patterns_about_capitals_regard_case() {
    let (set, _) = with("escalation", &["[A-Z]{3,}", "literally", "[A-Za-z]{12}"]);
    let found = |text| set.find(PatternGroup::Escalation, text, |_| true).len();
    assert_eq!(found("hello"), 0);
    assert_eq!(found("HELLO"), 1);
    assert_eq!(found("LITERALLY"), 2);
}
