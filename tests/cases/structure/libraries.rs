//! Which parts may use which libraries.

use super::sources::root;
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
        &[
            "ccd-text",
            "ccd-tape",
            "ccd-coach",
            "ccd-memory",
            "ccd-conversation",
            "ccd-agents",
        ],
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

/// Packages that must stay small or simple, and what they must not depend on, even indirectly.
const UNKNOWN_TO: &[(&str, &str)] = &[
    (
        "ccctl",
        "tokio async-std smol hyper jsonrpsee sqlx regex ccd",
    ),
    ("ccd-base", "tokio"),
    ("ccd-protocol", "tokio rustix libc"),
    ("ccd-text", "tokio"),
];

#[test]
fn each_library_is_known_to_few_crates() {
    let packages = packages(&root()).into_iter();
    for package in packages.filter(|package| package.name != "ccd-tests") {
        for library in package.dependencies.iter().filter(|one| one.is_normal) {
            let known = KNOWN_TO.iter().find(|known| known.0 == library.package);
            let may = known.is_none_or(|known| known.1.contains(&&*package.name));
            assert!(may, "{}: {library:?}: {known:?}", package.name);
        }
    }
}

#[test]
fn small_packages_depend_on_nothing_large() {
    for (package, unwanted) in UNKNOWN_TO {
        let Some(dependencies) = dependencies(package) else {
            return;
        };
        assert!(dependencies.contains(*package), "{dependencies:?}");
        for unwanted in unwanted.split(' ') {
            let depends = dependencies.contains(unwanted);
            assert!(!depends, "{package} depends on {unwanted}");
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
    let lines = text.lines();
    let names = lines.filter_map(|line| line.split_whitespace().next());
    Some(names.map(str::to_owned).collect())
}
