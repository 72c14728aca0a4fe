//! Maps: the states of a program, and the commands that lead from one to another.

mod dot;
mod graph;
mod label;
#[cfg(test)]
mod map_tests;
mod mermaid;

use ccd_protocol::investigate::{InvestigationReport, MapFormat, StateMap};

/// Returns the map of a report. States that the report mentions but does not have are left out.
pub fn of(report: &InvestigationReport) -> StateMap {
    graph::of(report)
}

/// Writes a map in a format; the same map always gives the same text.
pub fn write(map: &StateMap, format: MapFormat) -> String {
    match format {
        MapFormat::Json => serde_json::to_string_pretty(map).unwrap_or_default(),
        MapFormat::Dot => dot::write(map),
        MapFormat::Mermaid => mermaid::write(map),
    }
}
