//! The configuration file and the places on disk.
//! [`schema::KEYS`] is the one table of keys: reading, checking, listing and `config.example.json` all follow it.

mod check;
mod latency;
mod list;
mod list_of;
mod paths;
mod read;
mod refusal;
mod remark;
mod schema;
#[cfg(test)]
mod schema_tests;
mod setting;
mod values;
mod watch;

#[cfg(feature = "fuzzing")]
pub(crate) use check::remarks;
pub(crate) use list::{entries, entry};
pub(crate) use paths::{DirectoryProblem, Paths};
pub(crate) use read::{ConfigError, Loaded, Snapshot, Sources, check_file};
pub(crate) use refusal::ConfigRefusal;
pub(crate) use values::{
    Config, LogDestination, LogFormat, LogLevel, Logging, MemoryKeys, TestingKeys,
};
pub(crate) use watch::ConfigWatch;
