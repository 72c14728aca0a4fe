//! Session memory, as hooks and methods use it: loading when a session starts, saving on request and in the background.

mod hook;
mod load;
mod recorded;
mod save;

pub(crate) use hook::{Hook, answer};
pub(crate) use load::Load;
pub(crate) use save::{Saves, save, save_on_request};
