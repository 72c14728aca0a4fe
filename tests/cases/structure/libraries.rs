//! Which parts may use which libraries.

use super::sources::{root, sources};
use super::workspace::packages;
use std::collections::BTreeSet;
use std::process::Command;

/// Libraries that only one or a few packages may use, so that they can be replaced there.
const KNOWN_TO: &[(&str, &[&str])] = &[
    ("aho-corasick", &["ccd-text"]),
    ("alacritty_terminal", &["ccd-screen"]),
    ("clap", &["ccd", "ccctl"]),
    ("directories", &["ccd"]),
    ("git2", &["ccd-repository"]),
    ("hyper", &["ccd-connection"]),
    ("jsonrpsee", &["ccd", "ccd-connection"]),
    ("notify", &["ccd-watch"]),
    ("png", &["ccd-screen"]),
    ("pty-process", &["ccd-terminal", "ccd-session"]),
    (
        "regex",
        &["ccd-text", "ccd-tape", "ccd-coach", "ccd-memory"],
    ),
    ("regex-automata", &["ccd-text"]),
    ("regex-syntax", &["ccd-text", "ccd-base"]),
    ("rmcp", &["ccd-mcp"]),
    ("sd-notify", &["ccd"]),
    ("similar", &["ccd-text"]),
    ("sqlx", &["ccd-store"]),
    ("tracing-subscriber", &["ccd"]),
    ("vte", &["ccd-tape"]),
    ("zeno", &["ccd-screen"]),
];

/// The same within the package `ccd`: directories, or files by name.
const KNOWN_IN_DAEMON: &[(&str, &[&str])] = &[
    ("clap", &["args.rs", "lib.rs"]),
    ("directories", &["config/"]),
    ("jsonrpsee", &["rpc/"]),
    ("sd_notify", &["service.rs", "socket.rs"]),
    ("tracing_subscriber", &["log.rs", "log/"]),
];

/// Packages that must stay small or simple, and what they must not depend on, even indirectly.
const UNKNOWN_TO: &[(&str, &[&str])] = &[
    (
        "ccctl",
        &[
            "tokio",
            "async-std",
            "smol",
            "hyper",
            "jsonrpsee",
            "sqlx",
            "regex",
            "ccd",
        ],
    ),
    ("ccd-base", &["tokio"]),
    ("ccd-protocol", &["tokio", "rustix", "libc"]),
    ("ccd-text", &["tokio"]),
];

#[test]
fn each_library_is_known_to_few_crates() {
    let packages = packages(&root());
    let products = packages
        .iter()
        .filter(|package| package.name != "ccd-tests");
    for package in products {
        let libraries = package.dependencies.iter().filter(|one| one.is_normal);
        for library in libraries {
            let known = KNOWN_TO.iter().find(|(name, _)| *name == library.package);
            let Some((_, names)) = known else {
                continue;
            };
            assert!(
                names.contains(&package.name.as_str()),
                "{} depends on {}, which only {names:?} may use",
                package.name,
                library.package
            );
        }
    }
}

#[test]
fn each_library_of_the_daemon_is_known_to_its_folder_alone() {
    let sources = sources(&root().join("daemon/src"));
    for (library, homes) in KNOWN_IN_DAEMON {
        let users = sources
            .iter()
            .filter(|source| has_path(&source.code, library));
        let users: Vec<&str> = users.map(|source| source.path.to_str().unwrap()).collect();
        assert!(
            !users.is_empty(),
            "{library} has no user: this test looks for the wrong name"
        );
        for user in users {
            let is_home = |home: &&str| user.starts_with(home) || user.ends_with(home);
            assert!(
                homes.iter().any(is_home),
                "{user} uses {library}, which only {homes:?} may use"
            );
        }
    }
}

#[test]
fn commands_and_handles_of_git_are_made_in_one_place() {
    let sources = sources(&root().join("daemon/crates/repository/src"));
    for (maker, home) in [
        ("Command::new(", "program.rs"),
        ("Repository::open", "open.rs"),
    ] {
        let users = sources.iter().filter(|source| source.code.contains(maker));
        let users: Vec<&str> = users.map(|source| source.path.to_str().unwrap()).collect();
        assert_eq!(users, [home], "{maker}");
    }
}

/// Returns whether a path in `code` starts with the crate's name.
fn has_path(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::")).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
    })
}

#[test]
fn small_packages_depend_on_nothing_large() {
    for (package, unwanted) in UNKNOWN_TO {
        let Some(dependencies) = dependencies(package) else {
            return;
        };
        assert!(dependencies.contains(*package), "{dependencies:?}");
        for unwanted in *unwanted {
            assert!(
                !dependencies.contains(*unwanted),
                "{package} depends on {unwanted}"
            );
        }
    }
}

/// Returns everything that a package depends on, including itself; `None` if this cannot be determined without a
/// network.
fn dependencies(package: &str) -> Option<BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .args(["--format", "{p}", "--package", package])
        .current_dir(root())
        .output()
        .unwrap();
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        eprintln!("skipped: cargo tree does not work here: {reason}");
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Some(names.map(str::to_owned).collect())
}
