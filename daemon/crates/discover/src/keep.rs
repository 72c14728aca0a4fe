//! What becomes of progress and reports while work runs.

/// Takes the progress of an investigation or of tests, and the report while it grows.
pub trait Keep<Progress, Report>: Send + Sync {
    /// Called for each step.
    fn progress(&self, progress: &Progress);

    /// Called with the report so far: what is kept now is what a crash leaves.
    fn keep(&self, report: Report);
}
