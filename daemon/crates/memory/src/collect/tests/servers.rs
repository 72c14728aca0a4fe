//! `servers.json`: what listens, in three forms.

use super::projects::fixtures;
use crate::collect::servers::{Listener, listening, servers};
use serde_json::{Value, json};
use std::path::Path;

fn listener(port: u16, process: &str, pid: u32) -> Listener {
    Listener {
        port,
        process: process.to_owned(),
        pid,
        folder: None,
    }
}

/// Reads the lines of `ss -ltnp`: the daemon itself reads `/proc`.
fn ss(output: &str) -> Vec<Listener> {
    let row = |line: &str| {
        let port = line
            .split_whitespace()
            .nth(3)?
            .rsplit_once(':')?
            .1
            .parse()
            .ok()?;
        let (_, user) = line.split_once("((\"")?;
        let (process, rest) = user.split_once("\",pid=")?;
        Some(listener(
            port,
            process,
            rest.split_once(',')?.0.parse().ok()?,
        ))
    };
    output.lines().skip(1).filter_map(row).collect()
}

/// Reads the lines of `lsof -nP -iTCP -sTCP:LISTEN`.
fn lsof(output: &str) -> Vec<Listener> {
    let row = |line: &str| {
        let (line, _) = line.split_once(" (LISTEN)")?;
        let mut fields = line.split_whitespace();
        let (process, pid) = (fields.next()?, fields.next()?.parse().ok()?);
        let port = line.rsplit_once(':')?.1.parse().ok()?;
        Some(listener(port, process, pid))
    };
    output.lines().skip(1).filter_map(row).collect()
}

fn proc_net(case: &Value, output: &str) -> Vec<Listener> {
    let owner = |(port, inode): (u16, u64)| {
        let owner = &case["owners"][inode.to_string()];
        listener(
            port,
            owner["process"].as_str().unwrap(),
            owner["pid"].as_u64().unwrap() as u32,
        )
    };
    listening(output).into_iter().map(owner).collect()
}

#[test]
fn servers_are_found_among_what_listens() {
    let fixture = std::fs::read(fixtures().join("servers.json")).unwrap();
    let fixture: Value = serde_json::from_slice(&fixture).unwrap();
    for case in fixture["cases"].as_array().unwrap() {
        let output = case["output"].as_str().unwrap_or_default();
        let listeners = match case["command"].as_str().unwrap() {
            "/proc/net/tcp" => proc_net(case, output),
            command if command.starts_with("ss") => ss(output),
            _ => lsof(output),
        };
        let found = servers(listeners, Path::new("/nowhere"));
        assert_eq!(json!(found), case["expected"], "{}", case["id"]);
    }
}

#[test]
fn a_program_of_the_project_counts_on_any_port() {
    let mut ours = listener(9123, "my-server", 7);
    ours.folder = Some("/p/sub".into());
    let mut daemon = listener(9124, "ccd", 8);
    daemon.folder = Some("/p".into());
    let found = servers(
        vec![ours, daemon, listener(9125, "node", 9)],
        Path::new("/p"),
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].port, 9123);
}

#[cfg(target_os = "linux")]
#[test]
fn a_listening_program_of_this_folder_is_found() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let collected = crate::collect(Path::new("."), None, &crate::Recorded::default()).unwrap();
    let servers = collected.memory.environment.servers;
    let ours = servers.iter().find(|server| server.port == port);
    assert_eq!(
        ours.and_then(|server| server.pid),
        Some(std::process::id()),
        "{servers:?}"
    );
}
