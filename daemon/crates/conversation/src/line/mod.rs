//! One line of a transcript or a stream.
//! The stream (`--output-format stream-json`) and the transcript on disk spell the same fields in two ways; both are read
//! into [`Line`]. New versions of Claude Code add types and fields every few weeks, so a field of an unexpected type counts
//! as absent, and an unknown type of line is kept as [`LineType::Other`].

mod about;
mod block;
mod header;
mod loose;
mod meta;
pub(crate) mod model_name;
mod run;
mod time;
mod usage;

pub use about::About;
pub(crate) use about::said;
pub use block::{Block, blocks, call_in, raw_blocks, text_of};
pub use header::{Line, LineType, Message, TitleKind, Wrong, read};
pub use meta::agent_report;
pub use run::ModelUse;
pub use time::milliseconds;
pub use usage::{MessageUsage, SideCall, Usage};
