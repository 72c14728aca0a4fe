//! The scope that a candidate should have.

use super::indicators::Indicators;
use super::rule_file::RuleFile;
pub(crate) use ccd_protocol::coach::Scope;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ScopeInput<'a> {
    pub(crate) title: &'a str,
    pub(crate) trigger: &'a str,
    pub(crate) action: &'a str,
    /// Different repositories in which it was seen; two clones of one count once.
    pub(crate) repositories: usize,
    pub(crate) promotion_threshold_repos: usize,
    pub(crate) project_rules: &'a RuleFile,
    pub(crate) global_rules: &'a RuleFile,
}

/// Returns the scope of a candidate.
/// In this order: a like rule in the global file makes it global, one in the project's file project; as many repositories
/// as the threshold make it global; then its words decide.
pub(crate) fn guess(input: &ScopeInput<'_>, indicators: &Indicators) -> Scope {
    if input.global_rules.has_like(input.trigger, input.action) {
        Scope::Global
    } else if input.project_rules.has_like(input.trigger, input.action) {
        Scope::Project
    } else if promotion_eligible(input.repositories, input.promotion_threshold_repos) {
        Scope::Global
    } else {
        by_words(input, indicators)
    }
}

/// Returns whether enough repositories have seen a candidate. One is never enough.
pub(crate) fn promotion_eligible(repositories: usize, promotion_threshold_repos: usize) -> bool {
    repositories >= promotion_threshold_repos.max(2)
}

/// A lower score is a single tool name, which says nothing about where the rule holds.
const MIN_GLOBAL_SCORE: u32 = 3;

fn by_words(input: &ScopeInput<'_>, indicators: &Indicators) -> Scope {
    let scores = indicators.scores(&format!(
        "{} {} {}",
        input.trigger, input.action, input.title
    ));
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
        let input = ScopeInput {
            title: "",
            trigger,
            action,
            repositories,
            promotion_threshold_repos: 2,
            project_rules: &RuleFile::parse(project),
            global_rules: &RuleFile::parse(global),
        };
        guess(&input, &Indicators::default())
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
