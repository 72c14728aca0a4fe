//! What a session memory holds. Types and fields have the names of the seed.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The state of a project: finished tasks, failing tests, running servers, blockers and next steps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionMemory {
    pub metadata: SessionMetadata,
    pub summary: ExecutiveSummary,
    pub task_status: TaskStatus,
    /// At most 50.
    pub blockers: Vec<BlockerEntry>,
    pub test_results: TestResults,
    pub environment: EnvironmentState,
    /// At most 50.
    pub files_needing_attention: Vec<FileReference>,
    /// At most 10.
    pub next_steps: Vec<NextStep>,
}

/// When and where the memory was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionMetadata {
    pub project_name: String,
    /// RFC 3339; `unknown` if the file has no readable time.
    pub generated_at: String,
    /// `unknown` outside git, `HEAD` if it is detached.
    pub branch: String,
    /// Time between the previous save and this one, such as `2h 15m`; null if there was no previous save or its time is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_duration: Option<String>,
    /// Version of the format.
    pub version: String,
}

/// A summary in at most five lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecutiveSummary {
    pub project_description: String,
    /// Such as `60/155 tasks complete (38.7%)`.
    pub completion_status: String,
    pub current_phase: String,
    pub major_blocker: Option<String>,
    pub next_action: String,
}

/// Progress of the tasks in the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// Path of the plan, relative to the project; empty if there is none.
    pub source_file: String,
    pub phases: Vec<PhaseStatus>,
    /// Current entry of Claude Code's own task list, if that list is newer than the plan; otherwise the first open task of the plan,
    /// or null if none of its tasks is done yet or all are.
    pub current_task: Option<TaskReference>,
    /// At most 5.
    pub next_tasks: Vec<TaskReference>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PhaseStatus {
    pub name: String,
    pub completed: u64,
    pub total: u64,
    /// With one decimal.
    pub percentage: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TaskReference {
    /// Empty for a task without one.
    pub id: String,
    pub title: String,
    pub phase: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// Something that stops progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlockerEntry {
    pub priority: Priority,
    /// The task that it blocks; null if it concerns the whole project.
    pub task_id: Option<String>,
    /// At most 100 characters.
    pub title: String,
    pub description: String,
    /// Starts with a verb.
    pub required_action: String,
    /// Time at which a save first found it, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TestResults {
    /// RFC 3339; null if no test result was found.
    pub last_run: Option<String>,
    pub unit: TestSuite,
    pub e2e: TestSuite,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TestStatus {
    Passed,
    Failed,
    #[default]
    NotRun,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestSuite {
    pub framework: String,
    pub status: TestStatus,
    pub passed: u64,
    pub failed: u64,
    /// Without skipped tests.
    pub total: u64,
    /// Of tests that passed, with one decimal.
    pub percentage: f64,
    /// At most 20.
    pub failures: Vec<TestFailure>,
    /// Command that runs these tests; empty if unknown.
    pub command: String,
}

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TestFailure {
    /// Relative to the project.
    pub file: String,
    pub line: Option<u64>,
    pub test_name: String,
    /// First line, at most 200 characters.
    pub message: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnvironmentState {
    /// At most 20.
    pub servers: Vec<ServerInfo>,
    pub dependencies: DependencyStatus,
    pub build: BuildStatus,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ServerStatus {
    #[default]
    Running,
    /// It was running at the last save.
    Stopped,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerInfo {
    /// Name of the program.
    pub process: String,
    pub port: u16,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub status: ServerStatus,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DependencyState {
    UpToDate,
    Outdated,
    #[default]
    Unknown,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PackageManager {
    Npm,
    Yarn,
    Pnpm,
    Bun,
    #[default]
    Unknown,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DependencyStatus {
    pub status: DependencyState,
    /// RFC 3339.
    pub last_install: Option<String>,
    pub package_manager: PackageManager,
    /// Installed packages of a version that the manifest does not allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_count: Option<u64>,
    /// What installs dependencies where `packageManager` has no word for it: `cargo`, `uv`, `go`, `maven` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BuildState {
    Success,
    Failed,
    #[default]
    NotRun,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BuildStatus {
    pub status: BuildState,
    /// RFC 3339.
    pub last_build: Option<String>,
    /// Directory of what was built, with a slash at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_dir: Option<String>,
    /// At most 10, of 200 characters each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileReference {
    /// Relative to the project.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub reason: String,
    pub priority: Priority,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepPriority {
    Immediate,
    #[default]
    ShortTerm,
    MediumTerm,
    LongTerm,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextStep {
    pub priority: StepPriority,
    /// Starts with a verb.
    pub action: String,
    /// A file or a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}
