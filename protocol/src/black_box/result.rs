//! The result of one test.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A test. It passes if its sentence is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum TestType {
    /// The program waits for input, keeps running without input, or exits with status 0.
    Startup,
    /// At least one way of asking for help works.
    Help,
    /// It survives inputs that make no sense.
    InvalidInput,
    /// At least one word or key makes it exit with status 0, and no process is left.
    Exit,
    /// Its processes stay within the limits of memory and processor time, and memory does not grow with each input; threads
    /// and descriptors are only reported.
    Resource,
    /// Several copies run at the same time in one directory and give the same answers.
    Concurrent,
    /// It survives its own commands and random inputs.
    Fuzz,
}

impl TestType {
    /// All of them, in the order in which they run.
    pub const ALL: [TestType; 7] = [
        TestType::Startup,
        TestType::Help,
        TestType::InvalidInput,
        TestType::Exit,
        TestType::Resource,
        TestType::Concurrent,
        TestType::Fuzz,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TestType::Startup => "startup",
            TestType::Help => "help",
            TestType::InvalidInput => "invalid_input",
            TestType::Exit => "exit",
            TestType::Resource => "resource",
            TestType::Concurrent => "concurrent",
            TestType::Fuzz => "fuzz",
        }
    }
}

/// The result of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestResult {
    /// A UUID.
    pub id: String,
    pub program: String,
    /// When the test began.
    pub timestamp: String,
    pub test_type: TestType,
    pub passed: bool,
    /// Evidence. Depending on the test: `started`, `has_output`, `has_errors`, `has_prompt`, `cpu_percent`, `memory_mb`, and
    /// `findings`, a list of Finding; one that is also in the baseline has `known`: true.
    pub details: Map<String, Value>,
    /// Why it failed; null if it passed.
    pub error: Option<String>,
}
