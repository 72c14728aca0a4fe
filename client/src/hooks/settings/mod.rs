//! Changes of Claude Code's settings as text: whatever is not ours keeps its bytes.

mod change;
mod edit;
mod json;
mod layout;

pub(super) use change::{InstalledHook, commands, install, installed, uninstall};
pub(super) use json::{Mistake, Value, parse};
