//! The daemon itself.

use crate::method::{Done, JobStarted, NoParams, methods};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;

methods! {
    DaemonPing = "daemon.ping" (NoParams) -> Done, "Replies at once.";
    DaemonStatus = "daemon.status" (NoParams) -> DaemonStatusReply, "Returns the daemon's state, limits, paths and resource use.";
    DaemonStop = "daemon.stop" (DaemonStopParams) -> DaemonStopReply, "Ends all sessions and stops the daemon.";
    DaemonRestart = "daemon.restart" (NoParams) -> DaemonUpgradeReply, "Hands all sessions over to a new worker of the same build.";
    DaemonUpgrade = "daemon.upgrade" (DaemonUpgradeParams) -> DaemonUpgradeReply, "Hands all sessions over to a worker of another build; a build that does not start serving is rolled back.";
    DaemonReload = "daemon.reload" (NoParams) -> DaemonReloadReply, "Reads the configuration again; if it is invalid, it is rejected and the old one stays in effect.";
    DaemonLog = "daemon.log" (DaemonLogParams) -> DaemonLogReply, "Shows what the daemon logs, or changes it until its next start.", Large;
    DaemonCheck = "daemon.check" (NoParams) -> JobStarted, "Starts a job that checks the database and deletes expired sessions, logs, history and jobs (`ended_session_ttl`, `keep_log_days`, `ended_session_limit`). The job's result is {problems, removed_sessions}.";
    ConfigList = "config.list" (NoParams) -> ConfigListReply, "Lists every configuration key with its value and where it comes from.";
    ConfigGet = "config.get" (ConfigGetParams) -> ConfigEntry, "Returns one configuration key.";
    ConfigCheck = "config.check" (ConfigCheckParams) -> ConfigCheckReply, "Checks a configuration file without using it.";
}

/// Reply of `daemon.status`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonStatusReply {
    pub version: String,
    pub protocol: u32,
    pub pid: i32,
    /// Process id of the holder, the process that keeps the terminals; the same as `pid` on systems where holder and
    /// worker are one process.
    pub holder_pid: i32,
    /// The last handover to another worker; null if there was none.
    pub last_hand_over: Option<HandOver>,
    pub uptime_s: f64,
    pub socket: String,
    pub sessions: SessionCounts,
    pub jobs: JobCounts,
    pub connections: u64,
    /// `config` is the configuration file in force; absent if there is none. `tapes` is the default directory of tapes.
    pub paths: BTreeMap<String, String>,
    /// Bytes on disk, by part; `tapes` are those in all directories that have been used since the start.
    pub sizes: BTreeMap<String, u64>,
    /// Limits in effect; 0: no limit.
    pub limits: BTreeMap<String, u64>,
    /// Number of entries in internal queues.
    pub queues: BTreeMap<String, u64>,
    /// Number of things dropped since the start, by kind; empty if nothing was dropped.
    pub drops: BTreeMap<String, u64>,
    /// The last errors in the log, newest last; at most 10.
    pub last_errors: Vec<String>,
    /// Features that the daemon lacks on this system.
    pub lacks: Vec<String>,
    /// Warnings about the configuration.
    pub config_warnings: Vec<String>,
    /// Why the configuration on disk is not in force, as `file:line:column: text`; null when it is.
    #[serde(default)]
    pub config_error: Option<String>,
    /// Claude Code's hooks since the start, and the payloads that wait for the daemon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<crate::hook::HookStatus>,
}

/// Numbers of sessions.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCounts {
    pub live: u64,
    pub ended: u64,
    /// 0: no limit.
    pub max: u64,
}

/// Numbers of jobs.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobCounts {
    pub queued: u64,
    pub running: u64,
}

/// Parameters of `daemon.stop`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonStopParams {}

/// Reply of `daemon.stop`, sent before the daemon exits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonStopReply {
    /// The process that exits last: `holder_pid` of `daemon.status`.
    pub pid: i32,
    /// Number of live sessions that will be ended.
    pub sessions: u64,
}

/// Parameters of `daemon.upgrade`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonUpgradeParams {
    /// Absolute path of the `ccd` that takes over. Default: the running build, as with `daemon.restart`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
}

/// Reply of `daemon.restart` and `daemon.upgrade`, sent before the handover. Once another worker replies,
/// `last_hand_over` of `daemon.status` has a higher `number` and says how the handover went.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonUpgradeReply {
    /// Process id of the worker that hands over.
    pub pid: i32,
    /// Its version.
    pub version: String,
    /// The version that takes over.
    pub new_version: String,
    /// Number of live sessions that are handed over.
    pub sessions: u64,
    /// Number of unfinished jobs: the handover makes them fail, and their results so far are kept.
    #[serde(default)]
    pub jobs: u64,
    /// `number` of the previous handover; 0 if there was none.
    pub number: u64,
}

/// A handover: how the current worker took over the sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HandOver {
    /// Number of the handover, from 1.
    pub number: u64,
    pub cause: HandOverCause,
    /// The requested build did not start serving, and the previous build was restored.
    pub rolled_back: bool,
    /// Why it was rolled back, or how the previous worker ended.
    pub reason: Option<String>,
    /// When this worker started serving.
    pub at: String,
}

/// Cause of a handover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HandOverCause {
    /// The previous worker was killed.
    Crash,
    /// `daemon.restart` or `daemon.upgrade`.
    Upgrade,
}

/// Reply of `daemon.reload`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonReloadReply {
    /// The file that was read; null if there is none and the defaults apply.
    pub path: Option<String>,
    pub warnings: Vec<String>,
}

/// Parameters of `daemon.log`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonLogParams {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: Option<String>,
    /// Also log each matching and replay decision.
    pub debug: Option<bool>,
}

/// Reply of `daemon.log`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DaemonLogReply {
    pub level: String,
    pub debug: bool,
    /// The log file, if there is one.
    pub path: Option<String>,
}

/// Reply of `config.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigListReply {
    /// The file in use; null if there is none.
    pub path: Option<String>,
    /// Where the daemon looks for it; the first that exists is used.
    #[serde(default)]
    pub places: Vec<String>,
    pub entries: Vec<ConfigEntry>,
}

/// A configuration key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigEntry {
    pub key: String,
    pub value: serde_json::Value,
    /// The group to which the key belongs.
    pub category: String,
    pub default: serde_json::Value,
    #[serde(rename = "type")]
    pub value_type: String,
    /// The allowed values, in words.
    pub range: String,
    /// What the key does.
    pub effect: String,
    /// `default` or `file`.
    pub source: String,
}

/// Parameters of `config.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigGetParams {
    pub key: String,
}

/// Parameters of `config.check`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigCheckParams {
    /// Absolute path. Default: the file in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Reply of `config.check`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigCheckReply {
    pub path: Option<String>,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}
