//! Why a request is refused.

use ccd_policy::RuleError;

/// Maximum length of an instruction: Claude Code reads no more from its standard input.
pub(super) const MAX_INSTRUCTION_BYTES: usize = 10_000_000;

/// Maximum length of all rules: Linux accepts 128 KiB in one argument of a program.
pub(super) const MAX_RULES_BYTES: usize = 64 * 1024;

/// What is wrong with a request; `invalid_request` to a client. The first four messages are the seed's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("Instruction cannot be empty")]
    EmptyInstruction,
    #[error("Timeout must be between 1 and 3600 seconds")]
    Timeout,
    #[error("Cannot specify both allowed_tools and disallowed_tools")]
    BothToolLists,
    #[error("Cannot use both resume_session_id and continue_last")]
    BothConversations,
    #[error("the instruction has {0} bytes: at most {MAX_INSTRUCTION_BYTES} are accepted")]
    LongInstruction(usize),
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error("the list of tools is longer than {MAX_RULES_BYTES} bytes")]
    LongToolList,
    #[error("repo_path is missing: give the absolute path of a git work tree")]
    NoRepository,
    #[error("repo_path {0:?} is not an absolute path")]
    RelativeRepository(String),
    #[error("resume_session_id is empty")]
    EmptyConversation,
    #[error("{name} must be between {least} and {most} {unit}")]
    OutOfRange {
        name: &'static str,
        least: i64,
        most: i64,
        unit: &'static str,
    },
    #[error(
        "permission_mode {0:?} is not one of default, manual, acceptEdits, plan, dontAsk, auto, bypassPermissions"
    )]
    PermissionMode(String),
    #[error("model {0:?} is not the name of a model")]
    Model(String),
}
