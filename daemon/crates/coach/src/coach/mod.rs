//! The coach: takes payloads, makes candidates of them, and carries out decisions.
//! `owner` is what handlers call; `work` processes payloads in a thread of its own; `batch` turns events into candidates;
//! `decide` (on top of `rule`), `enforce`, `list`, `manage` and `forget` are the methods.

mod arguments;
mod batch;
mod consent;
mod decide;
mod enforce;
mod error;
mod forget;
mod guard;
mod list;
mod manage;
mod owner;
mod projects;
mod received;
mod reports;
mod rule;
mod timing;
mod work;

pub use error::CoachError;
pub use owner::{Coach, CoachPaths, CoachSettings, Friction};
pub use work::Work;
