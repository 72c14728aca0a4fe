//! What tapes have to do with a session: it is recorded, played, or first played and then live.

mod far_side;
mod filter;
mod finished_tape;
mod kept;
mod play;
mod proxy;
mod session_tape;
mod start;

pub(super) use kept::{KeptTape, PastTape};
pub(super) use session_tape::SessionTape;
pub(super) use start::Beginning;
