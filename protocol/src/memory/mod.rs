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
    MemoryLoadReply, MemoryParams, MemoryRecent, MemoryRecentKind, MemorySaveParams,
    MemorySaveReply, MemoryStatusReply, MemoryValidateParams, MemoryValidateReply,
};

methods! {
    MemorySave = "memory.save" (MemorySaveParams) -> MemorySaveReply, "Collects the state of a project and writes it to `.claude/session-memory.md`, with recognised secrets masked, in at most 51,200 bytes. A part that cannot be collected in time is left out, with a warning. If writing fails, the old file is kept.";
    MemoryGet = "memory.get" (MemoryParams) -> MemoryGetReply, "Returns the session memory as it is in the file.";
    MemoryLoad = "memory.load" (MemoryLoadParams) -> MemoryLoadReply, "Returns the digest of the session memory that a new session gets, and which facts have changed since the save.";
    MemoryStatus = "memory.status" (MemoryParams) -> MemoryStatusReply, "Returns the age of the session memory and the changes since it was saved.";
    MemoryLink = "memory.link" (MemoryLinkParams) -> MemoryLinkReply, "Returns the change that makes the project's CLAUDE.md import the session memory; with `write`, also makes it. The diff is empty if CLAUDE.md already imports it.";
    MemoryValidate = "memory.validate" (MemoryValidateParams) -> MemoryValidateReply, "Checks a session memory, given by `path` or as `content`; exactly one is required.";
}
