//! The rows of the table, in its order.

mod agents;
mod attach;
mod beside_floods;
mod client_process;
mod conversation;
mod conversation_totals;
mod discover;
mod exec;
mod far_match;
mod hook;
mod hostile_clients;
mod idle;
mod mcp;
pub(crate) mod memory;
mod memory_save;
mod page;
pub(crate) mod pipe;
mod processor_time;
mod python_clients;
mod recovery;
mod round_trip;
mod start;
mod tape;
mod throughput;

use crate::Result;
use crate::args::Args;
use crate::report::Report;

/// Measures a row, or several together.
type Measure = fn(&Args, &mut Report) -> Result<()>;

/// Everything that is measured, by name.
pub(crate) const ALL: [(&str, Measure); 23] = [
    ("round-trip", round_trip::measure),
    ("processor-time", processor_time::measure),
    ("python-clients", python_clients::measure),
    ("attach", attach::measure),
    ("client-process", client_process::measure),
    ("hook", hook::measure),
    ("agents", agents::measure),
    ("mcp", mcp::measure),
    ("start", start::measure),
    ("throughput", throughput::measure),
    ("beside-floods", beside_floods::measure),
    ("hostile-clients", hostile_clients::measure),
    ("pipe", pipe::measure),
    ("memory", memory::measure),
    ("idle", idle::measure),
    ("recovery", recovery::measure),
    ("far-match", far_match::measure),
    ("tape", tape::measure),
    ("exec", exec::measure),
    ("conversation", conversation::measure),
    ("memory-save", memory_save::measure),
    ("discover", discover::measure),
    ("page", page::measure),
];
