//! The configuration file and the places on disk.
//! [`keys::KEYS`] is the one table of keys: reading, checking, listing and `config.example.json` all follow it.

mod accepts;
mod check;
mod keys;
#[cfg(test)]
mod keys_tests;
mod latency;
mod list;
mod list_of;
mod paths;
mod read;
mod refusal;
mod remark;
mod setting;
mod watch;

#[cfg(feature = "fuzzing")]
pub(crate) use check::remarks;
pub(crate) use keys::{Config, Logging, MemoryKeys, TestingKeys};
pub(crate) use list::{entries, entry};
pub(crate) use paths::{DirectoryProblem, Paths};
pub(crate) use read::{ConfigError, Loaded, Snapshot, Sources, check_file};
pub(crate) use refusal::ConfigRefusal;
pub(crate) use setting::{LogDestination, LogFormat, LogLevel, TerminalNotice};
pub(crate) use watch::ConfigWatch;
