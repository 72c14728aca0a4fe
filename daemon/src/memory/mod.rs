//! Session memory, as hooks and methods use it: loading when a session starts, saving on request and in the background.

mod command;
mod hook;
mod load;
mod owner;
mod recent;
mod recorded;
mod save;
mod saves;

pub(crate) use hook::Hook;
pub(crate) use load::Load;
pub(crate) use owner::Memories;
