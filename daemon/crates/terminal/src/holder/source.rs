//! What the holder waits for.

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The worker rang.
    Bell,
    /// The worker asks for something.
    Port,
    /// A signal that asks the daemon for something arrived.
    #[cfg(not(portable))]
    Signals,
    /// SIGCHLD arrived.
    Children,
    /// The terminal in this slot can be read.
    Terminal(usize),
    /// The leader of the session in this slot has ended.
    Leader(usize),
}
