//! The daemon itself.

use crate::method::{Done, NoParams, methods};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

methods! {
    DaemonPing = "daemon.ping" (NoParams) -> Done, "Answers; costs nothing.";
    DaemonStatus = "daemon.status" (NoParams) -> DaemonStatusReply, "Tells what the daemon is, holds and uses.";
    DaemonStop = "daemon.stop" (DaemonStopParams) -> DaemonStopReply, "Ends all sessions and the daemon.";
    DaemonRestart = "daemon.restart" (NoParams) -> DaemonUpgradeReply, "Hands all sessions over to another process of the same build.";
    DaemonUpgrade = "daemon.upgrade" (DaemonUpgradeParams) -> DaemonUpgradeReply, "Hands all sessions over to a process of another build; one that does not get to serve is rolled back.";
    DaemonReload = "daemon.reload" (NoParams) -> DaemonReloadReply, "Reads the configuration again; a bad one is refused and the old one stays.";
    DaemonLog = "daemon.log" (DaemonLogParams) -> DaemonLogReply, "Shows or changes what is logged, until the next start.";
    DaemonCheck = "daemon.check" (NoParams) -> crate::job::JobStarted, "Starts a job that checks the databases and session folders and applies retention.";
    ConfigList = "config.list" (NoParams) -> ConfigListReply, "Lists every configuration key with its value and where it comes from.";
    ConfigGet = "config.get" (ConfigGetParams) -> ConfigEntry, "Returns one configuration key.";
    ConfigCheck = "config.check" (ConfigCheckParams) -> ConfigCheckReply, "Checks a configuration file without using it.";
}

/// Reply of `daemon.status`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonStatusReply {
    pub version: String,
    pub protocol: u32,
    pub pid: i32,
    /// The process that was started first and holds the terminals; where there is one process, the daemon itself.
    pub holder_pid: i32,
    /// The last time that another process went on with the sessions; null when that has not happened.
    pub last_hand_over: Option<HandOver>,
    pub uptime_s: f64,
    pub socket: String,
    pub sessions: SessionCounts,
    pub jobs: JobCounts,
    pub connections: u64,
    pub paths: BTreeMap<String, String>,
    /// Bytes on disk, by part.
    pub sizes: BTreeMap<String, u64>,
    /// Limits in force.
    pub limits: BTreeMap<String, u64>,
    /// Entries waiting in internal queues.
    pub queues: BTreeMap<String, u64>,
    /// Things that were dropped since the start, by kind; empty when nothing was.
    pub drops: BTreeMap<String, u64>,
    /// The last errors, newest last, at most 10.
    pub last_errors: Vec<String>,
    /// What this system lacks of the daemon's promises.
    pub lacks: Vec<String>,
    /// What was odd in the configuration.
    pub config_warnings: Vec<String>,
    /// Why the configuration on disk is not in force, as `file:line:column: text`; null when it is.
    #[serde(default)]
    pub config_error: Option<String>,
}

/// How many sessions there are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCounts {
    pub live: u64,
    pub ended: u64,
    /// 0: no limit.
    pub max: u64,
}

/// How many jobs there are.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobCounts {
    pub queued: u64,
    pub running: u64,
}

/// Parameters of `daemon.stop`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonStopParams {}

/// Reply of `daemon.stop`, sent before the daemon ends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonStopReply {
    /// The process that ends last: `holder_pid` of the status.
    pub pid: i32,
    /// Live sessions that will be ended.
    pub sessions: u64,
}

/// Parameters of `daemon.upgrade`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonUpgradeParams {
    /// Absolute path of the `ccd` that goes on. Default: the build that runs, as `daemon.restart`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
}

/// Reply of `daemon.restart` and `daemon.upgrade`, sent before the hand-over. How that went is in the `last_hand_over` of `daemon.status`
/// once another process answers: `number` is higher then.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonUpgradeReply {
    /// The process that hands over.
    pub pid: i32,
    /// Its version.
    pub version: String,
    /// The version that goes on.
    pub new_version: String,
    /// Live sessions that are handed over.
    pub sessions: u64,
    /// Jobs that have not ended: those that run fail with that reason, with what they have done so far.
    #[serde(default)]
    pub jobs: u64,
    /// `number` of the hand-over before this one; 0 when there was none.
    pub number: u64,
}

/// How the sessions came to the process that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandOver {
    /// Counts hand-overs from 1.
    pub number: u64,
    pub cause: HandOverCause,
    /// The build that was asked for did not get to serve, and the one before it goes on.
    pub rolled_back: bool,
    /// Why it was rolled back, or how the process before this one ended.
    pub reason: Option<String>,
    /// When this process began to serve.
    pub at: String,
}

/// Why another process went on with the sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HandOverCause {
    /// The one before it was killed.
    Crash,
    /// `daemon.restart` or `daemon.upgrade` asked for it.
    Upgrade,
}

/// Reply of `daemon.reload`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonReloadReply {
    /// The file that was read; null when there is none and the defaults hold.
    pub path: Option<String>,
    pub warnings: Vec<String>,
}

/// Parameters of `daemon.log`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonLogParams {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Decisions of matching and replay too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug: Option<bool>,
}

/// Reply of `daemon.log`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaemonLogReply {
    pub level: String,
    pub debug: bool,
    /// The file that is written, if one is.
    pub path: Option<String>,
}

/// Reply of `config.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigListReply {
    pub path: Option<String>,
    pub entries: Vec<ConfigEntry>,
}

/// A configuration key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigEntry {
    pub key: String,
    pub value: serde_json::Value,
    pub category: String,
    pub default: serde_json::Value,
    #[serde(rename = "type")]
    pub value_type: String,
    pub range: String,
    pub effect: String,
    /// `default` or `file`.
    pub source: String,
}

/// Parameters of `config.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigGetParams {
    pub key: String,
}

/// Parameters of `config.check`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigCheckParams {
    /// Absolute path. Default: the file in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Reply of `config.check`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigCheckReply {
    pub path: Option<String>,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}
