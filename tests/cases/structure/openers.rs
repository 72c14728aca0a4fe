//! Who opens files. In the daemon, files of ccd are opened by `store:own_file.rs` alone, which waits for no named pipe and
//! follows no link; the client opens few.

use super::sources::{line_of, root, sources};

/// The packages whose files are checked.
const FOLDERS: [&str; 7] = [
    "client/src",
    "daemon/src",
    "daemon/crates/store/src",
    "daemon/crates/session/src",
    "daemon/crates/coach/src",
    "daemon/crates/exec/src",
    "daemon/crates/conversation/src",
];

/// What opens a file, and is a word of its own.
const OPENERS: [&str; 12] = [
    "File::open(",
    "File::create(",
    "File::create_new(",
    "File::options(",
    "OpenOptions::new(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
    "fs::open(",
    "openat(",
    " Mode::empty())",
];

/// Files that open something else, and what it is.
const EXCEPTIONS: [(&str, &[&str]); 9] = [
    ("the opener", &["daemon/crates/store/src/own_file.rs"]),
    (
        "what the client opens beside the socket: in a directory that it has checked, no links, no waiting",
        &[
            "client/src/call/start_files.rs",
            "client/src/call/processes.rs",
        ],
    ),
    (
        "files of ccd that the client reads or writes in directories of this user alone",
        &[
            "client/src/demo/home.rs",
            "client/src/doctor/daemon.rs",
            "client/src/doctor/databases.rs",
            "client/src/hook/memory.rs",
            "client/src/hook/policy.rs",
            "client/src/hook/spool.rs",
            "client/src/hooks/recording.rs",
            "client/src/verb/logs.rs",
        ],
    ),
    (
        "files that the user names or edits, and the terminal",
        &[
            "client/src/ask.rs",
            "client/src/hooks/file.rs",
            "client/src/man.rs",
            "client/src/named_file.rs",
            "client/src/tape/shim.rs",
            "client/src/verb/coach/editor.rs",
            "client/src/whole_file.rs",
        ],
    ),
    (
        "directories, and a file without a name that tells a used-up quota",
        &[
            "daemon/crates/store/src/error.rs",
            "daemon/crates/store/src/folder.rs",
        ],
    ),
    (
        "files of the system, in /proc, /dev and /etc",
        &[
            "client/src/doctor/limits.rs",
            "client/src/doctor/processes.rs",
            "daemon/crates/session/src/peer.rs",
            "daemon/crates/session/src/session/attach/viewers.rs",
            "daemon/crates/session/src/session/output/thread.rs",
            "daemon/crates/session/src/session/run/target.rs",
            "daemon/crates/session/src/session/shell/integration.rs",
            "daemon/crates/session/src/session/shell/wrap.rs",
            "daemon/crates/session/src/session/start/environment.rs",
            "daemon/crates/session/src/session/tape/far_side.rs",
            "daemon/src/life/lock.rs",
        ],
    ),
    (
        "named pipes that ccd makes for readers, and the build that takes over",
        &[
            "daemon/crates/session/src/session/pipe/fifo.rs",
            "daemon/src/upgrade/look.rs",
        ],
    ),
    (
        "documents of the user: configuration, memory, prices, rules; checked to be regular files where the daemon reads them unasked",
        &[
            "daemon/src/config/read.rs",
            "daemon/src/rpc/memory.rs",
            "daemon/crates/conversation/src/price/source.rs",
        ],
    ),
    (
        "files of Claude Code and their copies",
        &[
            "daemon/crates/conversation/src/task_list.rs",
            "daemon/crates/conversation/src/source/archive.rs",
            "daemon/crates/conversation/src/source/files.rs",
            "daemon/crates/conversation/src/source/loaded.rs",
            "daemon/crates/conversation/src/source/older_agent.rs",
            "daemon/crates/conversation/src/source/stamp.rs",
            "daemon/crates/conversation/src/follow/growing.rs",
            "daemon/crates/conversation/src/import/imports.rs",
            "daemon/crates/conversation/src/index/feed.rs",
            "daemon/crates/conversation/src/index/follow.rs",
            "daemon/crates/conversation/src/index/search.rs",
        ],
    ),
];

/// Returns the lines of `code` that open a file.
fn openings(code: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = OPENERS.iter().flat_map(|opener| {
        let places = code.match_indices(opener);
        // `own_file::read(` does not end with `fs::read(`, but `OwnFile::open(` with `File::open(`.
        places.filter(|&(at, _)| !code[..at].ends_with(is_word))
    });
    let mut lines: Vec<usize> = found.map(|(at, _)| line_of(code, at)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn whoever_opens_files_is_listed() {
    let listed: Vec<&str> = EXCEPTIONS
        .iter()
        .flat_map(|(_, files)| *files)
        .copied()
        .collect();
    let (mut found, mut used) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        for source in sources(&root().join(folder)) {
            let path = format!("{folder}/{}", source.path.display());
            let lines = openings(&source.code);
            if !listed.contains(&path.as_str()) {
                found.extend(lines.iter().map(|line| format!("{path}:{line}")));
            } else if !lines.is_empty() {
                used.push(path);
            }
        }
    }
    assert!(
        found.is_empty(),
        "use ccd_store::own_file, or say why not: {found:#?}"
    );
    let unused: Vec<_> = listed
        .iter()
        .filter(|path| !used.iter().any(|used| used == *path))
        .collect();
    assert!(unused.is_empty(), "these open nothing: {unused:#?}");
}

#[test]
fn an_opening_is_found() {
    let code = "fn f() {\n    let a = File::open(p);\n    std::fs::read(p)?;\n    own_file::read(p)?;\n    OwnFile::open(p);\n\
                rustix::fs::open(\n    p)\n}\n";
    assert_eq!(openings(code), [2, 3, 6]);
}
