//! The result of one test.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

named! {
    /// A test. It passes if its sentence is true.
    TestType {
        /// The program waits for input, keeps running without input, or exits with status 0.
        Startup = "startup",
        /// At least one way of asking for help works.
        Help = "help",
        /// It survives inputs that make no sense.
        InvalidInput = "invalid_input",
        /// At least one word or key makes it exit with status 0, and no process is left.
        Exit = "exit",
        /// Its processes stay within the limits of memory and processor time, and memory does not grow with each input; threads
        /// and descriptors are only reported.
        Resource = "resource",
        /// Several copies run at the same time in one directory and give the same answers.
        Concurrent = "concurrent",
        /// It survives its own commands and random inputs.
        Fuzz = "fuzz",
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
