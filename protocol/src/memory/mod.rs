//! The memory of a project, which a new session starts with.

mod model;
mod records;

pub use model::{
    BlockerEntry, BuildState, BuildStatus, DependencyState, DependencyStatus, EnvironmentState,
    ExecutiveSummary, FileReference, NextStep, PackageManager, PhaseStatus, Priority, ServerInfo,
    ServerStatus, SessionMemory, SessionMetadata, StepPriority, TaskReference, TaskStatus,
    TestFailure, TestResults, TestStatus, TestSuite,
};
pub use records::{MemoryFact, MemoryValidateReply};
