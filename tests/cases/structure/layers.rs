//! What the code promises about itself: who knows what, and what is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// All Rust files below a folder, as paths relative to it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(!files.is_empty());
    let relative = files
        .iter()
        .map(|file| file.strip_prefix(folder).unwrap().to_owned());
    relative.collect()
}

/// Whether a file has only tests in it.
fn is_test(path: &Path) -> bool {
    let in_tests = path.components().any(|part| part.as_os_str() == "tests");
    let name = path.file_stem().unwrap().to_str().unwrap();
    in_tests || name == "tests" || name.ends_with("_tests") || name.starts_with("test_")
}

/// A file without its tests, which stand at its end, and without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether `code` uses the crate.
fn uses(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::")).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
    })
}

#[test]
fn each_library_is_known_to_its_layer_alone() {
    let source = root().join("daemon/src");
    let files = sources(&source);
    for (library, homes) in [
        ("jsonrpsee", &["connection/", "rpc/"][..]),
        ("sqlx", &["store/"]),
        (
            "pty_process",
            &["holder/", "session/run/second_terminal.rs"],
        ),
        ("vt100", &["screen/"]),
        ("vte", &["tape/tools/"]),
        ("similar", &["tape/tools/"]),
        ("regex_automata", &["expect/"]),
        ("regex_syntax", &["expect/", "tape/format/"]),
        ("regex", &["redact/", "tape/"]),
        ("aho_corasick", &["redact/"]),
        ("directories", &["config/"]),
        ("schemars", &["rpc/discover.rs"]),
        ("clap", &["args.rs", "lib.rs"]),
        ("sd_notify", &["service.rs", "socket.rs"]),
        ("tracing_subscriber", &["log.rs"]),
        ("tracing_appender", &["log.rs"]),
    ] {
        let users = files
            .iter()
            .filter(|file| !is_test(file) && uses(&code(&source.join(file)), library));
        let users: Vec<&str> = users.map(|file| file.to_str().unwrap()).collect();
        assert!(
            !users.is_empty(),
            "{library} has no user: this test looks for the wrong name"
        );
        for user in users {
            let is_home = homes.iter().any(|home| user.starts_with(home));
            assert!(
                is_home,
                "{user} uses {library}, which only {homes:?} may know"
            );
        }
    }
}

#[test]
fn arrows_between_parts_go_one_way() {
    let source = root().join("daemon/src");
    for (part, unknown) in [
        (
            "expect",
            &[
                "session",
                "rpc",
                "connection",
                "store",
                "output",
                "holder",
                "daemon",
            ][..],
        ),
        (
            "screen",
            &[
                "session",
                "rpc",
                "connection",
                "store",
                "output",
                "holder",
                "daemon",
            ],
        ),
        (
            "redact",
            &[
                "session",
                "rpc",
                "connection",
                "store",
                "output",
                "holder",
                "daemon",
            ],
        ),
        (
            "holder",
            &[
                "session",
                "rpc",
                "connection",
                "store",
                "output",
                "expect",
                "screen",
                "daemon",
            ],
        ),
        (
            "probe",
            &["session", "rpc", "connection", "store", "output", "daemon"],
        ),
        (
            "output",
            &["session", "rpc", "connection", "store", "daemon"],
        ),
        (
            "store",
            &["session", "rpc", "connection", "output", "daemon"],
        ),
        ("session", &["rpc", "daemon"]),
        (
            "connection",
            &["session", "rpc", "store", "output", "holder", "daemon"],
        ),
    ] {
        for file in sources(&source.join(part))
            .iter()
            .filter(|file| !is_test(file))
        {
            let code = code(&source.join(part).join(file));
            for other in unknown {
                let knows = code.contains(&format!("crate::{other}::"));
                assert!(!knows, "{part}/{} knows {other}", file.display());
            }
        }
    }
}

#[test]
fn files_stay_short_enough_to_be_read() {
    for package in ["daemon", "client", "protocol"] {
        let source = root().join(package).join("src");
        for file in sources(&source) {
            let lines = fs::read_to_string(source.join(&file))
                .unwrap()
                .lines()
                .count();
            assert!(
                lines <= 500,
                "{package}/src/{} has {lines} lines",
                file.display()
            );
        }
    }
}

#[test]
fn the_client_has_no_runtime() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--package",
            "ccctl",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        eprintln!(
            "skipped: cargo tree does not work here: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let packages: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        packages.contains("ccd-protocol") && packages.contains("clap"),
        "{packages:?}"
    );
    for unwanted in [
        "tokio",
        "async-std",
        "smol",
        "hyper",
        "jsonrpsee",
        "sqlx",
        "regex",
        "ccd",
    ] {
        assert!(
            !packages.contains(unwanted),
            "the client depends on {unwanted}"
        );
    }
}

#[test]
fn what_a_repository_needs_is_there() {
    for path in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "LICENSE",
        "Cargo.lock",
        "config.example.json",
        "clippy.toml",
        "deny.toml",
        ".ci/run",
        "docs/PROTOCOL.md",
        "systemd/ccd.service",
        "systemd/ccd.socket",
        "launchd/ccd.plist",
        "tests/fuzz/Cargo.toml",
    ] {
        let meta = fs::metadata(root().join(path));
        assert!(meta.is_ok_and(|meta| meta.len() > 0), "{path} is missing");
    }
    let licence = fs::read_to_string(root().join("LICENSE")).unwrap();
    assert!(licence.contains("MIT License"));
    let changes = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(
        changes.contains(env!("CARGO_PKG_VERSION")) || changes.contains("Unreleased"),
        "{changes}"
    );
}

#[test]
fn links_between_documents_lead_somewhere() {
    let folders = [root(), root().join("docs")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = entries.map(|entry| entry.unwrap().path());
    let documents =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    for path in documents {
        let document = path.display();
        let text = fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains(' ') {
                continue;
            }
            assert!(
                path.parent().unwrap().join(file).exists(),
                "{document} links to {target}"
            );
        }
    }
}
