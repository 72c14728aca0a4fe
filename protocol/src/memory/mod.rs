//! The memory of a project, which a new session starts with.

mod model;
pub mod place;
mod records;

use crate::method::methods;
pub use model::{
    BlockerEntry, BuildState, BuildStatus, DependencyState, DependencyStatus, EnvironmentState,
    ExecutiveSummary, FileReference, NextStep, PackageManager, PhaseStatus, Priority, ServerInfo,
    ServerStatus, SessionMemory, SessionMetadata, StepPriority, TaskReference, TaskStatus,
    TestFailure, TestResults, TestStatus, TestSuite,
};
pub use records::{
    MemoryCheck, MemoryFact, MemoryGetReply, MemoryLinkParams, MemoryLinkReply, MemoryLoadParams,
    MemoryLoadReply, MemoryParams, MemorySaveParams, MemorySaveReply, MemoryStatusReply,
    MemoryValidateParams, MemoryValidateReply,
};

methods! {
    MemorySave = "memory.save" (MemorySaveParams) -> MemorySaveReply, "Looks at a project and writes its session memory to `.claude/session-memory.md`, without secrets and within 51,200 bytes. Part of the project that cannot be looked at in time is left out with a warning. If nothing can be written, the old file stays.";
    MemoryGet = "memory.get" (MemoryParams) -> MemoryGetReply, "Returns the session memory as it is in the file.";
    MemoryLoad = "memory.load" (MemoryLoadParams) -> MemoryLoadReply, "Returns what a new session gets of the session memory: the most important first, with what no longer holds.";
    MemoryStatus = "memory.status" (MemoryParams) -> MemoryStatusReply, "Returns how old the session memory is, and what changed since.";
    MemoryLink = "memory.link" (MemoryLinkParams) -> MemoryLinkReply, "Returns how CLAUDE.md of a project would import its session memory, so that Claude Code always has all of it, and with `write` makes that change. The diff is empty if it does already.";
    MemoryValidate = "memory.validate" (MemoryValidateParams) -> MemoryValidateReply, "Checks a session memory: a file, or a text.";
}
