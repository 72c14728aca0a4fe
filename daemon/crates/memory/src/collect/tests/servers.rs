//! `servers.json`: what listens.

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
        let listeners = proc_net(case, case["output"].as_str().unwrap());
        let found = servers(listeners, Path::new("/nowhere"));
        assert_eq!(json!(found), case["expected"], "{}", case["id"]);
    }
    let listeners = [
        ("node", 3001),
        ("node", 3001),
        ("node", 30010),
        ("Python", 8000),
        ("postgres", 5432),
        ("ccd", 8080),
        ("sshd", 8022),
        ("node", 8081),
        ("next-server", 3002),
    ];
    let listeners = listeners.map(|(process, port)| listener(port, process, 7));
    let found = servers(listeners.into(), Path::new("/nowhere"));
    let found = found.iter().map(|server| (&*server.process, server.port));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [("node", 3001), ("next-server", 3002), ("Python", 8000)]
    );
    assert_eq!(servers(Vec::new(), Path::new("/nowhere")), []);
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
