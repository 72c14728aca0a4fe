//! Programs that are driven: the only part of this crate that starts any.
//!
//! - `target`: [`Target`], a program with its arguments and environment, resolved before anything is started
//! - `driver`: [`Driver`], which starts copies of a target in throw-away folders
//! - `running`: [`Running`], one copy: type, wait until it wants more, read what it printed
//! - `tapes`: how copies are recorded
//! - `folder`: where these folders are
//! - `reply`: [`Reply`], what it printed after an input, without echo and prompt
//! - `exit`: how a program ended
//! - `terminal`: [`Terminal`], its modes, also after the end

mod driver;
mod exit;
mod folder;
mod reply;
mod running;
mod tapes;
mod target;
mod terminal;

pub use driver::{Driver, Ended, Limits};
pub use exit::{Exit, signal_name};
pub use folder::{folder_of, remove_strays};
pub use reply::{Reply, Settled};
pub use running::Running;
pub use tapes::recorded_in;
pub use target::{Target, TargetError};
pub use terminal::Terminal;
