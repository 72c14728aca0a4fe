//! Programs that are driven: the only part of this crate that starts any.

mod driver;
mod exit;
mod folder;
mod reply;
mod running;
mod tapes;
mod target;
mod terminal;

pub use driver::{Driver, Limits, ProgramRun};
pub use exit::{Exit, signal_name};
pub use folder::{folder_of, remove_strays};
pub use reply::{Reply, Settled};
pub(crate) use running::kept;
pub use running::{Running, SessionResult};
pub use tapes::recorded_in;
pub use target::{Target, TargetError};
pub use terminal::Terminal;
