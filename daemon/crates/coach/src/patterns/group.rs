//! The names of the lists.

use crate::table::document;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The built-in lists. Their spelling is what events and other tools refer to, so no entry is ever respelled.
static BUILT_IN: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| document(include_str!("built_in.json")));

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PatternGroup {
    Correction,
    Escalation,
    FailureStderr,
    FailureCommands,
    SkillSupplement,
    VerificationQuestion,
    VersionIssues,
    UnauthorizedSquash,
    CachePathEdit,
    PrematureSuccessClaims,
}

impl PatternGroup {
    /// All of them, each with its key in `signal_patterns`.
    pub(crate) const ALL: [(Self, &'static str); 10] = [
        (Self::Correction, "correction"),
        (Self::Escalation, "escalation"),
        (Self::FailureStderr, "failure_stderr"),
        (Self::FailureCommands, "failure_commands"),
        (Self::SkillSupplement, "skill_supplement"),
        (Self::VerificationQuestion, "verification_question"),
        (Self::VersionIssues, "version_issues"),
        (Self::UnauthorizedSquash, "unauthorized_squash"),
        (Self::CachePathEdit, "cache_path_edit"),
        (Self::PrematureSuccessClaims, "premature_success_claims"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    #[cfg(test)]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, other)| *other == name);
        found.map(|(group, _)| group)
    }

    pub(crate) fn built_in(self) -> &'static [String] {
        &BUILT_IN[self.name()]
    }
}
