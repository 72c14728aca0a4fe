//! Maps: the states of a program, and the commands that lead from one to another.

mod graph;
#[cfg(test)]
mod map_tests;
mod write;

use ccd_protocol::investigate::{MapFormat, StateMap};

pub use graph::from_report;

/// Writes a map in a format; the same map always gives the same text.
pub fn write(map: &StateMap, format: MapFormat) -> String {
    match format {
        MapFormat::Json => serde_json::to_string_pretty(map).unwrap_or_default(),
        MapFormat::Dot => write::dot(map),
        MapFormat::Mermaid => write::mermaid(map),
    }
}
