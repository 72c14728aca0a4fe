//! Tapes of a session: it is recorded, replayed, or first replayed and then live.

mod far_side;
mod filter;
mod finished_tape;
mod kept;
mod past;
mod play;
mod proxied;
mod proxy;
mod retry;
mod session_tape;
mod start;

pub(super) use kept::KeptTape;
pub(super) use past::PastTape;
pub(super) use session_tape::SessionTape;
