//! Friction events from Claude Code hooks, and the rules that come of them.
//! A hook's payload is read ([`payload`]), its signals are detected in the light of the session so far (`detect`),
//! and events that recur become candidates for rules (`aggregate`).
//!
//! Layers, top first; none uses one before it: `coach` → `ledger`, `record` → `aggregate`, `detect`, `config`,
//! `report` → `scope`, `event`, `payload` → `command`, `deliver`, `patterns`, `place`, `fingerprint`,
//! `similarity`, `signal`, `instant` → `json_rows`, `table`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod aggregate;
mod coach;
pub mod command;
mod config;
mod deliver;
mod detect;
mod event;
mod fingerprint;
mod instant;
mod json_rows;
mod ledger;
mod patterns;
pub mod payload;
mod place;
mod record;
mod report;
mod scope;
mod signal;
mod similarity;
#[cfg(test)]
mod synthetic;
mod table;

/// Memory that a connection to one of the coach's databases may use for pages: an aggregation changes most of them.
const CACHE_KIB: u32 = 16_384;

pub use coach::{Coach, CoachError, CoachPaths, CoachSettings, Friction, Work};
pub use deliver::{Delivery, DeliveryError, JournalError, delivery_of};
pub use place::PlaceError;
