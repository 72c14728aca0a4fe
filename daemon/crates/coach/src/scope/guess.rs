//! The scope that a candidate should have.

use super::indicators::Indicators;
use super::rule_file::RuleFile;
pub(crate) use ccd_protocol::coach::Scope;

/// The rules that there are: of the project's file, and of the global one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules<'a> {
    pub(crate) project: Option<&'a RuleFile>,
    pub(crate) global: Option<&'a RuleFile>,
}

/// Returns the scope of a candidate; `words` are its trigger, action and title.
/// In this order: a like rule in the global file makes it global, one in the project's file project; enough repositories
/// make it global; then its words decide.
pub(crate) fn guess(
    words: [&str; 3],
    is_eligible: bool,
    rules: Rules<'_>,
    indicators: &Indicators,
) -> Scope {
    let [trigger, action, _] = words;
    let has_like =
        |rules: Option<&RuleFile>| rules.is_some_and(|all| all.has_like(trigger, action));
    if has_like(rules.global) {
        Scope::Global
    } else if has_like(rules.project) {
        Scope::Project
    } else if is_eligible {
        Scope::Global
    } else {
        by_words(&words.join(" "), indicators)
    }
}

/// Returns whether enough repositories have seen a candidate. One is never enough.
pub(crate) fn promotion_eligible(repositories: usize, promotion_threshold_repos: usize) -> bool {
    repositories >= promotion_threshold_repos.max(2)
}

/// A lower score is a single tool name, which says nothing about where the rule holds.
const MIN_GLOBAL_SCORE: u32 = 3;

fn by_words(words: &str, indicators: &Indicators) -> Scope {
    let scores = indicators.scores(words);
    // Global must be more than one and a half times project.
    let is_global = scores.global >= MIN_GLOBAL_SCORE
        && u64::from(scores.global) * 2 > u64::from(scores.project) * 3;
    if is_global {
        Scope::Global
    } else {
        Scope::Project
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const FIXTURE: &str = include_str!("../../tests/fixtures/scope.json");

    fn guessed(
        trigger: &str,
        action: &str,
        repositories: usize,
        project: &str,
        global: &str,
    ) -> Scope {
        let rules = Rules {
            project: Some(&RuleFile::parse(project)),
            global: Some(&RuleFile::parse(global)),
        };
        let is_eligible = promotion_eligible(repositories, 2);
        guess(
            [trigger, action, ""],
            is_eligible,
            rules,
            &Indicators::default(),
        )
    }

    #[test]
    fn every_case_of_the_fixture_has_its_scores_and_its_scope() {
        let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
        let cases = fixture["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 15);
        for case in cases {
            let text = |key: &str| case[key].as_str().unwrap();
            let (trigger, action) = (text("trigger"), text("action"));
            let scores = Indicators::default().scores(&format!("{trigger} {action} "));
            assert_eq!(
                f64::from(scores.project),
                case["project_score"].as_f64().unwrap(),
                "{trigger}"
            );
            assert_eq!(
                f64::from(scores.global),
                case["global_score"].as_f64().unwrap(),
                "{trigger}"
            );
            let expected = serde_json::from_value(case["expected"].clone()).unwrap();
            assert_eq!(guessed(trigger, action, 1, "", ""), expected, "{trigger}");
        }
    }

    #[test]
    fn a_like_rule_goes_before_repositories_and_repositories_before_words() {
        let (trigger, action) = (
            "when pushing to the main branch",
            "open a pull request instead",
        );
        let like = "- When pushing to main branch: open a pull request.";
        assert_eq!(guessed(trigger, action, 1, "", like), Scope::Global);
        assert_eq!(guessed(trigger, action, 9, like, ""), Scope::Project);
        assert_eq!(guessed(trigger, action, 1, like, like), Scope::Global);
        assert_eq!(guessed(trigger, action, 2, "", ""), Scope::Global);
        assert_eq!(guessed(trigger, action, 1, "", ""), Scope::Project);
    }

    #[test]
    fn one_repository_is_never_enough() {
        assert!(!promotion_eligible(1, 0));
        assert!(promotion_eligible(2, 2));
        assert!(!promotion_eligible(2, 3));
    }
}
