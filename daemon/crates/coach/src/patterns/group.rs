//! The names of the lists.

use super::built_in;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatternGroup {
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
    pub const ALL: [Self; 10] = [
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
    pub fn name(self) -> &'static str {
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

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    pub fn built_in(self) -> &'static [&'static str] {
        match self {
            Self::Correction => built_in::CORRECTION,
            Self::Escalation => built_in::ESCALATION,
            Self::FailureStderr => built_in::FAILURE_STDERR,
            Self::FailureCommands => built_in::FAILURE_COMMANDS,
            Self::SkillSupplement => built_in::SKILL_SUPPLEMENT,
            Self::VerificationQuestion => built_in::VERIFICATION_QUESTION,
            Self::VersionIssues => built_in::VERSION_ISSUES,
            Self::UnauthorizedSquash => built_in::UNAUTHORIZED_SQUASH,
            Self::CachePathEdit => built_in::CACHE_PATH_EDIT,
            Self::PrematureSuccessClaims => built_in::PREMATURE_SUCCESS_CLAIMS,
        }
    }
}
