//! The sources of events for which the holder waits, and how it waits for a terminal.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventSource {
    /// The worker rang.
    Wake,
    /// The worker has sent a request.
    Port,
    #[cfg(not(portable))]
    Signals,
    /// Children have exited.
    Children,
    /// The terminal in this slot is readable.
    Terminal(usize),
}

/// How the holder learns that a terminal is readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalWatch {
    /// Through the poller.
    Quiet,
    /// It prints faster than it is read, so another thread reads it in turn with others.
    Flooding,
    /// Not at all: its ring is full until the worker frees space.
    Full,
    /// Not at all: another program has truncated or overwritten its ring, so the worker ends the session.
    Lost,
    /// Not at all: the worker reads it.
    Lent,
    /// All processes have closed it. The program may open it again, which the poller reports.
    Closed,
}
