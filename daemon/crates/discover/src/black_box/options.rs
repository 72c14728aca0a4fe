//! What a run of tests may do.

use ccd_protocol::black_box::TestType;
use ccd_text::pattern::Compiled;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What decides whether a program passes, and how much it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestBounds {
    /// Peak memory of all processes.
    pub memory_mb: u64,
    /// Processor time of all processes while nothing is asked, in percent of one processor.
    pub cpu_percent: u64,
    /// Copies at the same time.
    pub copies: u64,
    pub fuzz_inputs: u64,
}

#[derive(Clone)]
pub struct Options {
    pub report: String,
    /// In the order of [`TestType::ALL`], without duplicates.
    pub types: Vec<TestType>,
    pub seed: u64,
    pub bounds: TestBounds,
    /// Dangerous inputs are not sent.
    pub safe_mode: bool,
    pub timeout: Duration,
    /// Commands that an investigation has found; if there are none, those of the program's help.
    pub words: Vec<String>,
    /// Where the tapes of findings are written.
    pub tapes: Option<PathBuf>,
    pub library: Arc<Compiled>,
}
