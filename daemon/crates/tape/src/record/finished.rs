//! What has become of a recording.

/// The result of a recording.
#[derive(Debug, Default, Clone)]
pub struct Finished {
    /// Tapes that were written.
    pub written: Vec<String>,
    /// Exchanges on them.
    pub recorded: u64,
    /// Exchanges that were already on a tape.
    pub known: u64,
    pub problem: Option<String>,
    /// Programs must run to finish it, and none may run yet.
    pub is_put_off: bool,
}
