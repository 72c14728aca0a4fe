//! The result of one test.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TestType {
    /// It starts, prints and waits for input, or exits without an error.
    Startup,
    /// Which ways of asking for help work.
    Help,
    /// It survives inputs that make no sense.
    InvalidInput,
    /// Which words and keys end it.
    Exit,
    /// Memory, processor time, threads and descriptors of all its processes.
    Resource,
    /// Several copies work at the same time.
    Concurrent,
    /// Random inputs, from a seed.
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

/// One result: TEST_RESULT of the seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestResult {
    /// A UUID.
    pub id: String,
    pub program: String,
    pub timestamp: String,
    pub test_type: TestType,
    pub passed: bool,
    /// Evidence. Where they apply: `started`, `has_output`, `has_errors`, `has_prompt`, `cpu_percent`, `memory_mb`, and
    /// `findings`, a list of findings.
    pub details: Map<String, Value>,
    /// Why it failed; null if it passed.
    pub error: Option<String>,
}
