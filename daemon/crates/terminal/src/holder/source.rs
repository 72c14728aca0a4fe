//! The sources of events for which the holder waits.

/// The source of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The worker rang.
    Bell,
    /// The worker has sent a request.
    Port,
    /// A signal to the daemon has arrived.
    #[cfg(not(portable))]
    Signals,
    /// SIGCHLD has arrived.
    Children,
    /// The terminal in this slot is readable.
    Terminal(usize),
    /// The leader of the session in this slot has exited.
    Leader(usize),
}
