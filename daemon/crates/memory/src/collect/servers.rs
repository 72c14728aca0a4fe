//! Programs of the project that listen on a port.

use super::facts::{Part, Sourced, rfc3339};
use super::project::{Collector, Project};
use ccd_protocol::memory::{ServerInfo, ServerStatus};
use std::path::{Path, PathBuf};
use std::time::Instant;
use time::OffsetDateTime;

/// Something that listens.
#[derive(Debug, Clone, Default)]
pub(super) struct Listener {
    pub(super) port: u16,
    pub(super) process: String,
    pub(super) pid: u32,
    /// Nothing if it cannot be read.
    pub(super) folder: Option<PathBuf>,
}

pub(super) struct ServerCollector;

impl Collector for ServerCollector {
    fn name(&self) -> &'static str {
        "servers"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<Part, String> {
        let listeners = listeners(deadline)?;
        Ok(Part::Servers(Sourced {
            value: servers(listeners, &project.root),
            source: "listening ports".to_owned(),
            at: Some(rfc3339(OffsetDateTime::now_utc())),
        }))
    }
}

/// Returns the servers among what listens, by port, one for each: those of the project, and programs that serve a page on a
/// port where development servers are.
pub(super) fn servers(mut listeners: Vec<Listener>, root: &Path) -> Vec<ServerInfo> {
    listeners.retain(|listener| {
        let name = listener.process.to_lowercase();
        let is_ours = matches!(&*name, "ccd" | "ccctl");
        let is_known =
            is_program(&name) && matches!(listener.port, 3000..=3099 | 5173 | 8000..=8080);
        !is_ours
            && match &listener.folder {
                Some(folder) => folder.starts_with(root) || is_known && is_program(&name),
                None => is_known,
            }
    });
    listeners.sort_by_key(|listener| (listener.port, listener.pid));
    listeners.dedup_by_key(|listener| listener.port);
    let server = |listener: Listener| ServerInfo {
        process: listener.process,
        port: listener.port,
        url: format!("http://localhost:{}", listener.port),
        pid: Some(listener.pid),
        status: ServerStatus::Running,
    };
    listeners.into_iter().map(server).collect()
}

fn is_program(name: &str) -> bool {
    const NAMES: [&str; 8] = ["npm", "node", "bun", "deno", "vite", "ruby", "php", "java"];
    NAMES.contains(&name) || name.starts_with("python") || name.starts_with("next")
}

/// Reads `/proc/net/tcp`: ports in state "listening", with the socket's inode.
pub(super) fn listening(table: &str) -> Vec<(u16, u64)> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let (_, port) = address.rsplit_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        (*state == "0A").then_some((port, inode.parse().ok()?))
    };
    table.lines().skip(1).filter_map(row).collect()
}

/// Returns the ports that something listens on; nothing if they cannot be read.
pub(super) fn listening_ports() -> Option<Vec<u16>> {
    Some(sockets()?.into_iter().map(|(port, _)| port).collect())
}

/// The kernel's tables exist on Linux only.
fn sockets() -> Option<Vec<(u16, u64)>> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let read = tables.map(|table| std::fs::read_to_string(table).ok());
    let is_read = read.iter().any(Option::is_some);
    is_read.then(|| {
        read.iter()
            .flatten()
            .flat_map(|table| listening(table))
            .collect()
    })
}

#[cfg(target_os = "linux")]
fn listeners(deadline: Instant) -> Result<Vec<Listener>, String> {
    let sockets = sockets().ok_or("the list of listening ports cannot be read")?;
    let mut found = Vec::new();
    if sockets.is_empty() {
        return Ok(found);
    }
    let processes = std::fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    for process in processes.flatten() {
        if Instant::now() >= deadline {
            return Err("there are too many processes for the time it has".to_owned());
        }
        let Some(pid) = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let folder = process.path();
        let Ok(descriptors) = folder.join("fd").read_dir() else {
            continue; // of another user
        };
        for descriptor in descriptors.flatten() {
            let Some(port) = inode(&descriptor.path()).and_then(|inode| {
                sockets
                    .iter()
                    .find(|(_, other)| *other == inode)
                    .map(|(port, _)| *port)
            }) else {
                continue;
            };
            let name = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
            found.push(Listener {
                port,
                process: name.trim().to_owned(),
                pid,
                folder: folder.join("cwd").read_link().ok(),
            });
        }
    }
    Ok(found)
}

#[cfg(not(target_os = "linux"))]
fn listeners(_deadline: Instant) -> Result<Vec<Listener>, String> {
    Err("listening ports are read on Linux only".to_owned())
}

#[cfg(target_os = "linux")]
fn inode(descriptor: &Path) -> Option<u64> {
    let target = descriptor.read_link().ok()?;
    target
        .to_str()?
        .strip_prefix("socket:[")?
        .strip_suffix(']')?
        .parse()
        .ok()
}
