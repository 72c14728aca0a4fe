//! Agents on other hosts and in containers. The engines are stand-ins, which run the command here.

use super::post;
use crate::support::client::CCCTL;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon, assert_has};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Makes `docker` and `kubectl` in a directory with `ccctl`; the daemon over there is at `home`. `dead` never answers.
fn engines(folder: &Path, home: &Path) -> String {
    fs::create_dir(folder).unwrap();
    symlink(CCCTL, folder.join("ccctl")).unwrap();
    let run = format!(
        "export CCD_HOME='{}'\nunset CCD_SOCKET\nexec \"$@\"",
        home.display()
    );
    let docker = format!(
        "#!/bin/sh\n[ \"$1 $2\" = 'exec -i' ] || exit 9\n[ $3 = dead ] && exec sleep 20\nshift 3\n{run}\n"
    );
    write_script(&folder.join("docker"), &docker);
    let kubectl = format!(
        "#!/bin/sh\n[ \"$1 $2 $3 $4 $6\" = 'exec -i -n ns --' ] || exit 9\nshift 6\n{run}\n"
    );
    write_script(&folder.join("kubectl"), &kubectl);
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

#[test]
fn agents_of_other_hosts_are_in_the_same_table_and_one_that_does_not_answer_is_a_row() {
    let there = Daemon::start();
    let hosts = json!(["docker://box", "docker://dead", "k8s://ns/pod"]);
    let here = Daemon::with_config(&json!({"agents": {"hosts": hosts}}).to_string());
    let path = engines(&here.home().join("engines"), there.home());
    post(&mut here.connect(), "local", "Stop", json!({}));
    post(
        &mut there.connect(),
        "remote",
        "UserPromptSubmit",
        json!({"prompt": "build it"}),
    );
    let client = Ccctl::new(&here);
    let listed = client
        .command(&["agents"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut rows: Vec<Vec<&str>> = listed
        .lines()
        .map(|row| row.split_whitespace().take(3).collect())
        .collect();
    // Both have worked for as long.
    rows.sort_unstable();
    let expected = [
        ["failed", "docker://dead", "docker://dead"],
        ["idle", "shop", "-"],
        ["working", "shop", "docker://box"],
        ["working", "shop", "k8s://ns/pod"],
    ];
    assert_eq!(rows, expected, "{listed}");
    assert_has(&listed, ["no answer within 2 s", "build it"]);
    // Every command reaches the daemon in a container.
    for host in ["docker://box", "k8s://ns/pod"] {
        let shown = client
            .command(&["-H", host, "agents", "show", "remote"])
            .env("PATH", &path)
            .output();
        let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
        assert_has(&shown, ["last prompt  build it"]);
    }
    let wrong = client.run(&["-H", "podman://box", "ls"]);
    assert_has(&wrong.stderr, ["docker://container"]);
}
