//! What a read of a terminal returns.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Received {
    Output(usize),
    /// A change of its state; there may be output too.
    #[cfg_attr(portable, expect(dead_code, reason = "changes are not reported there"))]
    Change {
        /// Unread input was discarded.
        input_flushed: bool,
    },
    /// No process has it open.
    Closed,
}
