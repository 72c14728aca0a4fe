//! The sources of events for which the holder waits.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The worker rang.
    Wake,
    /// The worker has sent a request.
    Port,
    #[cfg(not(portable))]
    Signals,
    /// SIGCHLD has arrived.
    Children,
    /// The terminal in this slot is readable.
    Terminal(usize),
    /// The leader of the session in this slot has exited.
    Leader(usize),
}
