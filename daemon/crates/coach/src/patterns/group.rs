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
    pub(crate) const ALL: [Self; 10] = [
        Self::Correction,
        Self::Escalation,
        Self::FailureStderr,
        Self::FailureCommands,
        Self::SkillSupplement,
        Self::VerificationQuestion,
        Self::VersionIssues,
        Self::UnauthorizedSquash,
        Self::CachePathEdit,
        Self::PrematureSuccessClaims,
    ];

    /// Returns the key of the group in `signal_patterns`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Escalation => "escalation",
            Self::FailureStderr => "failure_stderr",
            Self::FailureCommands => "failure_commands",
            Self::SkillSupplement => "skill_supplement",
            Self::VerificationQuestion => "verification_question",
            Self::VersionIssues => "version_issues",
            Self::UnauthorizedSquash => "unauthorized_squash",
            Self::CachePathEdit => "cache_path_edit",
            Self::PrematureSuccessClaims => "premature_success_claims",
        }
    }

    #[cfg(test)]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    pub(crate) fn built_in(self) -> &'static [String] {
        &BUILT_IN[self.name()]
    }
}
