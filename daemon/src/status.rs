//! The contents of `daemon.status`.

use crate::config::{Config, Loaded};
use crate::daemon::{Daemon, own_pid};
use ccd_protocol::PROTOCOL_VERSION;
use ccd_protocol::daemon::{DaemonStatusReply, SessionCounts};
use ccd_tape::settings::root_of;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

pub(crate) async fn status(daemon: &Daemon) -> DaemonStatusReply {
    let sessions = &daemon.sessions;
    let loaded = daemon.loaded();
    let counts = sessions.count_all().await.unwrap_or_else(|error| {
        tracing::error!(%error, "ended sessions could not be counted");
        sessions.counts()
    });
    DaemonStatusReply {
        version: env!("CARGO_PKG_VERSION").into(),
        protocol: PROTOCOL_VERSION,
        pid: own_pid(),
        holder_pid: ccd_terminal::holder::holder_pid(),
        last_hand_over: daemon.hand_over.clone(),
        uptime_s: daemon.started.elapsed().as_secs_f64(),
        socket: shown(&daemon.paths.socket),
        sessions: SessionCounts {
            live: counts.live,
            ended: counts.ended,
            max: number(loaded.config.max_sessions.unwrap_or(0)),
        },
        jobs: daemon.jobs.counts(),
        connections: daemon.open_connections(),
        paths: paths(daemon, &loaded),
        sizes: sizes(daemon).await,
        limits: limits(&loaded.config),
        queues: queues(daemon),
        drops: drops(daemon),
        last_errors: daemon.log.last_errors(),
        lacks: lacks(),
        config_warnings: loaded.warning_lines(),
        config_error: daemon.config_error(),
        hooks: Some(daemon.coach.hook_status()),
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn number(value: usize) -> u64 {
    value as u64
}

fn paths(daemon: &Daemon, loaded: &Loaded) -> BTreeMap<String, String> {
    let paths = &daemon.paths;
    let tapes = root_of(None, &loaded.config.replay, &paths.base).ok();
    let paths = [
        ("base", Some(paths.base.as_path())),
        ("sessions", Some(&paths.sessions)),
        ("logs", Some(&paths.logs)),
        ("database", Some(&paths.database)),
        ("coach", Some(&paths.coach)),
        ("spool", Some(&paths.spool)),
        ("runtime", Some(&paths.runtime)),
        ("tapes", tapes.as_deref()),
        ("cache", Some(daemon.roots.caches())),
        ("config", loaded.path.as_deref()),
    ];
    let known = |(name, path): (&str, Option<&Path>)| Some((name.to_owned(), shown(path?)));
    paths.into_iter().filter_map(known).collect()
}

fn limits(config: &Config) -> BTreeMap<String, u64> {
    // A limit below a second is not none.
    let seconds =
        |limit: Option<Duration>| limit.map_or(0, |limit| limit.as_millis().div_ceil(1000) as u64);
    let limits = [
        ("max_sessions", number(config.max_sessions.unwrap_or(0))),
        ("session_timeout_s", seconds(config.session_timeout)),
        ("max_session_runtime_s", seconds(config.max_session_runtime)),
        ("connections", number(config.limits.connections)),
        ("in_flight", number(config.limits.in_flight)),
        ("batch", number(config.limits.batch)),
        ("frame_bytes", number(config.limits.frame_bytes)),
        ("reply_bytes", number(config.limits.reply_bytes)),
        ("rows", config.limits.rows.into()),
        ("cols", config.limits.cols.into()),
        ("output_limit", number(config.output_limit)),
        ("max_output_size", config.max_output_size.unwrap_or(0)),
        ("hook_timeout_ms", config.hooks.timeout_ms),
        ("hook_spool_bytes", config.hooks.spool_bytes),
    ];
    limits.map(|(name, value)| (name.to_owned(), value)).into()
}

fn queues(daemon: &Daemon) -> BTreeMap<String, u64> {
    let queues = [
        ("interactions", number(daemon.services.recorder.queue_len())),
        ("database", number(daemon.services.store.queue_len())),
        ("hook_bytes", daemon.coach.queues().0),
    ];
    queues.map(|(name, len)| (name.to_owned(), len)).into()
}

fn drops(daemon: &Daemon) -> BTreeMap<String, u64> {
    let interactions = daemon.services.recorder.dropped();
    let mut drops = BTreeMap::new();
    if interactions > 0 {
        drops.insert("interactions".to_owned(), interactions);
    }
    drops
}

async fn sizes(daemon: &Daemon) -> BTreeMap<String, u64> {
    let folders = [
        ("sessions", daemon.paths.sessions.clone()),
        ("logs", daemon.paths.logs.clone()),
        ("rings", daemon.paths.rings.clone()),
        ("cache", daemon.roots.caches().to_owned()),
        ("investigations", daemon.investigations.folder().to_owned()),
        ("test_reports", daemon.test_reports.folder().to_owned()),
    ];
    let walked = tokio::task::spawn_blocking(move || {
        folders.map(|(name, folder)| (name.to_owned(), file_bytes(&folder)))
    });
    let mut sizes: BTreeMap<String, u64> = walked.await.map(BTreeMap::from).unwrap_or_default();
    sizes.insert("coach".into(), daemon.coach.size_bytes());
    sizes.insert("database".into(), daemon.services.store.size_bytes());
    let tapes = daemon.roots.all().iter().map(|root| root.bytes()).sum();
    sizes.insert("tapes".into(), tapes);
    sizes
}

/// Returns the size on disk of a file, or of all files in a directory; files that disappear meanwhile do not count.
pub(crate) fn file_bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| file_bytes(&entry.path())).sum()
        }
        Ok(meta) => meta.blocks() * 512,
        Err(_) => 0,
    }
}

/// Returns the daemon's promises that it cannot keep on this system.
fn lacks() -> Vec<String> {
    let mut lacks = Vec::new();
    if cfg!(portable) {
        lacks.push(
            "sessions end with the daemon: holder and worker are one process on this system".into(),
        );
        lacks.push(
            "no input probe: whether a program is waiting for input is guessed from its terminal and its last line".into(),
        );
        lacks.push(
            "setsid: a process that left its session and lost its parent is found only if its environment can be read".into(),
        );
    }
    lacks
}
