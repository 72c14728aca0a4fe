//! `servers.json`: what listens.

use super::projects::fixture;
use crate::collect::servers::{Listener, listening, servers_of};
use ccd_protocol::memory::{ServerInfo, ServerStatus};
use serde_json::{Value, json};
use std::path::Path;

fn listener(port: u16, process: &str, pid: u32) -> Listener {
    let server = ServerInfo {
        process: process.to_owned(),
        port,
        url: format!("http://localhost:{port}"),
        pid: Some(pid),
        status: ServerStatus::Running,
    };
    (server, None)
}

fn proc_net(case: &Value, output: &str) -> Vec<Listener> {
    let owner = |(port, inode): (u16, u64)| {
        let owner = &case["owners"][inode.to_string()];
        let pid = owner["pid"].as_u64().unwrap() as u32;
        listener(port, owner["process"].as_str().unwrap(), pid)
    };
    listening(output).into_iter().map(owner).collect()
}

#[test]
fn servers_are_found_among_what_listens() {
    for case in fixture("servers.json")["cases"].as_array().unwrap() {
        let listeners = proc_net(case, case["output"].as_str().unwrap());
        let found = servers_of(listeners, Path::new("/nowhere"));
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
    let found = servers_of(listeners.into(), Path::new("/nowhere"));
    let found = found.iter().map(|server| (&*server.process, server.port));
    let expected = [("node", 3001), ("next-server", 3002), ("Python", 8000)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(servers_of(Vec::new(), Path::new("/nowhere")), []);
}

#[test]
fn a_program_of_the_project_counts_on_any_port() {
    let mut ours = listener(9123, "my-server", 7);
    ours.1 = Some("/p/sub".into());
    let mut daemon = listener(9124, "ccd", 8);
    daemon.1 = Some("/p".into());
    let listeners = vec![ours, daemon, listener(9125, "node", 9)];
    let found = servers_of(listeners, Path::new("/p"));
    let ports: Vec<u16> = found.iter().map(|server| server.port).collect();
    assert_eq!(ports, [9123]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_listening_program_of_this_folder_is_found() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let servers = super::memory(Path::new(".")).environment.servers;
    let ours = servers.iter().find(|server| server.port == port);
    let pid = ours.and_then(|server| server.pid);
    assert_eq!(pid, Some(std::process::id()), "{servers:?}");
}
