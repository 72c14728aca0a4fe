//! Between the holder and the worker: messages over a socket, sets and flags in shared memory, and wake-ups.

pub(super) mod port;
pub(super) mod shared;
pub(super) mod wake;
pub(super) mod wire;
