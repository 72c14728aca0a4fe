//! Programs of the project that listen on a port.

use super::facts::{Sourced, stamp};
use super::project::Project;
use ccd_protocol::memory::{ServerInfo, ServerStatus};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// A program that listens, and its working directory, if that can be read.
pub(super) type Listener = (ServerInfo, Option<PathBuf>);

pub(super) fn servers(project: &Project) -> Result<Sourced<Vec<ServerInfo>>, String> {
    let servers = servers_of(listeners(project.deadline)?, &project.root);
    let now = Some(stamp(SystemTime::now()));
    Ok(Sourced::new(servers, "listening ports", now))
}

/// Returns the servers among what listens, by port, one for each: those of the project, and programs that serve a page on a
/// port where development servers are.
pub(super) fn servers_of(mut listeners: Vec<Listener>, root: &Path) -> Vec<ServerInfo> {
    listeners.retain(|(server, folder)| {
        let name = server.process.to_lowercase();
        let is_known = is_program(&name) && matches!(server.port, 3000..=3099 | 5173 | 8000..=8080);
        let is_of_project = folder
            .as_ref()
            .is_some_and(|folder| folder.starts_with(root));
        (is_of_project || is_known) && !matches!(&*name, "ccd" | "ccctl")
    });
    listeners.sort_by_key(|(server, _)| (server.port, server.pid));
    listeners.dedup_by_key(|(server, _)| server.port);
    listeners.into_iter().map(|(server, _)| server).collect()
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

/// Returns the ports that something listens on and their inodes; nothing if no table can be read: the kernel's tables exist
/// on Linux only.
pub(crate) fn sockets() -> Option<Vec<(u16, u64)>> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let read = tables.map(|table| Some(listening(&std::fs::read_to_string(table).ok()?)));
    let read: Vec<_> = read.into_iter().flatten().collect();
    (!read.is_empty()).then(|| read.concat())
}

fn listeners(deadline: Instant) -> Result<Vec<Listener>, String> {
    let sockets = sockets().ok_or("listening ports can be read on Linux only")?;
    let socket = |inode| sockets.iter().find(|(_, other)| *other == inode);
    let processes = std::fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    let mut found = Vec::new();
    for process in processes.flatten() {
        if Instant::now() >= deadline {
            return Err("there are too many processes for the time it has".to_owned());
        }
        let folder = process.path();
        let name = process.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok());
        // Processes of other users cannot be read.
        let (Some(pid), Ok(descriptors)) = (pid, folder.join("fd").read_dir()) else {
            continue;
        };
        let descriptors = descriptors.flatten().map(|descriptor| descriptor.path());
        for (port, _) in descriptors.filter_map(|descriptor| socket(inode(&descriptor)?)) {
            let name = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
            let server = ServerInfo {
                process: name.trim().to_owned(),
                port: *port,
                url: format!("http://localhost:{port}"),
                pid: Some(pid),
                status: ServerStatus::Running,
            };
            found.push((server, folder.join("cwd").read_link().ok()));
        }
    }
    Ok(found)
}

/// Reads the inode of a socket from a link such as `socket:[4711]`.
fn inode(descriptor: &Path) -> Option<u64> {
    let target = descriptor.read_link().ok()?;
    let number = target.to_str()?.strip_prefix("socket:[")?;
    number.strip_suffix(']')?.parse().ok()
}
