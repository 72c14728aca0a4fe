//! Friction events from Claude Code hooks, and the rules that come of them.
//! A hook's payload is read ([`payload`]), its signals are detected in the light of the session so far ([`detect`]),
//! and events that recur become candidates for rules ([`aggregate`]).
//!
//! Layers, top first; none uses one before it: `coach` → `ledger`, `record` → `aggregate`, `detect`, `config`,
//! `report`, `synthetic` → `scope`, `event`, `payload` → `command`, `deliver`, `patterns`, `place`, `fingerprint`,
//! `similarity`, `signal`, `instant`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod aggregate;
mod coach;
pub mod command;
mod config;
mod deliver;
pub mod detect;
pub mod event;
pub mod fingerprint;
mod instant;
mod ledger;
pub mod patterns;
pub mod payload;
mod place;
mod record;
pub mod report;
pub mod scope;
pub mod signal;
pub mod similarity;
#[cfg(any(test, feature = "synthetic"))]
pub mod synthetic;

/// Memory that a connection to one of the coach's databases may use for pages: an aggregation changes most of them.
const CACHE_KIB: u32 = 16_384;

pub use coach::{Coach, CoachError, CoachPaths, CoachSettings, Friction, Work};
pub use deliver::{Delivery, DeliveryError, JournalError, delivery_of};
pub use place::PlaceError;
