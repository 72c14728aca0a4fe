//! The rows of the table, in its order.

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

/// A row, or several that are measured together.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) measure: fn(&Args, &mut Report) -> Result<()>,
}

/// Everything that is measured.
pub(crate) const ALL: [Row; 22] = [
    Row {
        name: "round-trip",
        measure: round_trip::measure,
    },
    Row {
        name: "processor-time",
        measure: processor_time::measure,
    },
    Row {
        name: "python-clients",
        measure: python_clients::measure,
    },
    Row {
        name: "attach",
        measure: attach::measure,
    },
    Row {
        name: "client-process",
        measure: client_process::measure,
    },
    Row {
        name: "hook",
        measure: hook::measure,
    },
    Row {
        name: "mcp",
        measure: mcp::measure,
    },
    Row {
        name: "start",
        measure: start::measure,
    },
    Row {
        name: "throughput",
        measure: throughput::measure,
    },
    Row {
        name: "beside-floods",
        measure: beside_floods::measure,
    },
    Row {
        name: "hostile-clients",
        measure: hostile_clients::measure,
    },
    Row {
        name: "pipe",
        measure: pipe::measure,
    },
    Row {
        name: "memory",
        measure: memory::measure,
    },
    Row {
        name: "idle",
        measure: idle::measure,
    },
    Row {
        name: "recovery",
        measure: recovery::measure,
    },
    Row {
        name: "far-match",
        measure: far_match::measure,
    },
    Row {
        name: "tape",
        measure: tape::measure,
    },
    Row {
        name: "exec",
        measure: exec::measure,
    },
    Row {
        name: "conversation",
        measure: conversation::measure,
    },
    Row {
        name: "memory-save",
        measure: memory_save::measure,
    },
    Row {
        name: "discover",
        measure: discover::measure,
    },
    Row {
        name: "page",
        measure: page::measure,
    },
];
