//! Transcripts that are kept after Claude Code has deleted them.

use super::library::{Library, assistant, call, result, user};
use crate::support::files::files;
use crate::support::{any_moment, assert_has, rounds};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

const ID: &str = "00000000-0000-4000-8000-000000000000";

/// Returns one that keeps transcripts, and has one with a sub-agent.
fn filled() -> Library {
    let library = Library::configured(&json!({"archive": true}));
    let lines = [
        user(ID, "u1", "find the needle"),
        call(ID, "u2", "t1", "Agent", json!({"prompt": "go"})),
        result(ID, "u3", "t1", "went", json!({"agentId": "a1"})),
        assistant(ID, "u4", "m1", "needle found", 30),
    ];
    library.write(&library.path(ID), &lines);
    let agent = assistant(ID, "s1", "ms1", "a needle", 9);
    library.write_agent(ID, "a1", "t1", &[agent]);
    library
}

/// Returns what is known of everything, and where it was found.
fn answers(library: &Library) -> (Value, Value, Vec<PathBuf>) {
    let mut hits = library.call("conversation.search", json!({"query": "needle"}))["hits"].take();
    let mut files = Vec::new();
    for hit in hits.as_array_mut().unwrap() {
        files.push(PathBuf::from(hit["file"].take().as_str().unwrap()));
    }
    let mut one = library.newest();
    files.push(PathBuf::from(one["file"].take().as_str().unwrap()));
    (hits, json!([library.stats(), one]), files)
}

#[test]
fn what_claude_code_has_deleted_is_found_shown_and_counted_once() {
    let library = filled();
    let archive = library.daemon.home().join("archive");
    let with_originals = answers(&library);
    assert_eq!(library.tokens(), [30, 44, 10, 9]);
    let show = || {
        let shown = library.ok(&["show", &ID[..8]]);
        let lines = shown.lines().filter(|line| !line.starts_with("file "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let shown = show();
    let project = library.path(ID).parent().unwrap().to_owned();
    let aside = library.dir().join("aside");
    fs::rename(&project, &aside).unwrap();
    let kept = answers(&library);
    // The numbers of hits too: nothing was read again.
    assert_eq!((&kept.0, &kept.1), (&with_originals.0, &with_originals.1));
    let are_kept = kept.2.iter().all(|file| file.starts_with(&archive));
    assert!(are_kept, "{kept:?}");
    assert_eq!(show(), shown);
    assert_has(&library.ok(&["record", ID, "u1"]), ["find the needle"]);
    assert_has(&library.ok(&["tool", ID, "t1"]), ["went"]);
    let links = fs::metadata(&kept.2[0]).unwrap().nlink();
    assert_eq!(links, 2, "no second copy");
    let above = kept.2[0].ancestors().skip(1);
    for folder in above.take_while(|folder| folder.starts_with(&archive)) {
        let mode = fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
    // Restored, and deleted again without a daemon.
    fs::rename(&aside, &project).unwrap();
    assert_eq!(answers(&library), with_originals);
    let mut library = library;
    library.daemon.stop();
    fs::remove_dir_all(&project).unwrap();
    fs::write(library.daemon.config_path(), "{}").unwrap();
    library.daemon.restart();
    assert_eq!(answers(&library), kept, "what is kept stays");
    let main = kept.2.last().unwrap();
    fs::remove_file(main).unwrap();
    assert!(library.listed().is_empty());
    assert_eq!(library.tokens(), [0; 4]);
}

#[test]
fn nothing_is_kept_unless_it_is_wanted_and_then_what_is_there_already() {
    let library = Library::new();
    library.write(&library.path(ID), &[user(ID, "u1", "needle")]);
    assert_eq!(library.listed(), [ID]);
    assert!(!library.daemon.home().join("archive").exists());
    let config = json!({"conversations": {"archive": true}}).to_string();
    fs::write(library.daemon.config_path(), config).unwrap();
    library.call("daemon.reload", json!({}));
    assert_eq!(library.listed(), [ID]);
    fs::remove_file(library.path(ID)).unwrap();
    assert_eq!(library.listed(), [ID]);
}

/// Returns the contents of all files in a directory, by their path in it.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let all = files(folder).into_iter();
    let mut all: Vec<_> = all
        .map(|path| {
            (
                path.strip_prefix(folder).unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_kept_and_keeps_the_rest_later() {
    let mut library = filled();
    for round in 0..rounds() {
        for number in 0..20 {
            let id = format!("{round:04}{number:04}-0000-4000-8000-000000000000");
            library.add(&library.path(&id), user(&id, &format!("u-{id}"), "needle"));
        }
        let line = user(ID, &format!("u{round}x"), "needle");
        library.add(&library.path(ID), line);
        any_moment(round, Duration::from_millis(60));
        library.daemon.kill();
        library.daemon.restart();
        library.stats();
        let archive = library.daemon.home().join("archive");
        let kept = fs::read_dir(archive).unwrap().next().unwrap();
        let kept = contents(&kept.unwrap().path().join("projects"));
        let projects = contents(&library.dir().join("projects"));
        assert_eq!(kept, projects, "round {round}");
    }
    let all = || {
        let query = json!({"query": "needle", "limit": 1});
        let hits = library.call("conversation.search", query);
        (library.listed(), hits["total"].clone())
    };
    let before = all();
    fs::remove_dir_all(library.dir().join("projects")).unwrap();
    assert_eq!(all(), before);
}
