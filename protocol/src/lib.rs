//! The protocol between ccd and its clients: methods, records, errors, framing. Data only.
//!
//! Layers, top first; none uses one before it: `agent`, `chain`, `run`, `subscription` → `black_box`, `daemon`, `exec`,
//! `session` → `coach`, `conversation`, `data`, `hook`, `investigate`, `job`, `mcp`, `memory`, `pattern`, `program`,
//! `report`, `tape` → `error`, `frame`, `id`, `image`, `inherited`, `method`, `mistake`, `named`, `parents`, `socket`, `timeout`,
//! `trust`, `version`.

pub mod agent;
pub mod black_box;
pub mod chain;
pub mod coach;
pub mod conversation;
pub mod daemon;
pub mod data;
#[cfg(test)]
mod document;
pub mod error;
pub mod exec;
pub mod frame;
pub mod hook;
pub mod id;
pub mod image;
mod inherited;
pub mod investigate;
pub mod job;
pub mod mcp;
pub mod memory;
pub mod method;
mod mistake;
mod named;
pub mod parents;
pub mod pattern;
pub mod program;
mod report;
pub mod run;
pub mod session;
pub mod socket;
pub mod subscription;
pub mod tape;
pub mod timeout;
pub mod trust;
pub mod version;

pub use error::{Category, ErrorCode, ErrorData, ErrorObject};
pub use id::SessionId;
pub use inherited::{Inherited, Limits, Resource, Umask};
pub use method::{Done, JobStarted, Method, MethodInfo, NoParams};
pub use mistake::{JsonMistake, read};
pub use report::Reportable;
pub use timeout::Timeout;
pub use version::{Caller, PROTOCOL_VERSION};

/// True for a value that a message leaves out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Every method, in the order of the documentation.
pub fn methods() -> impl Iterator<Item = &'static MethodInfo> {
    [
        session::METHODS,
        run::METHODS,
        pattern::METHODS,
        chain::METHODS,
        program::METHODS,
        tape::METHODS,
        hook::METHODS,
        coach::METHODS,
        exec::METHODS,
        agent::METHODS,
        conversation::METHODS,
        memory::METHODS,
        investigate::METHODS,
        black_box::METHODS,
        job::METHODS,
        data::METHODS,
        daemon::METHODS,
    ]
    .into_iter()
    .flatten()
}
