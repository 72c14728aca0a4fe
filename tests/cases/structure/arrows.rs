//! Which crate of the workspace depends on which: the manifests against the table in ARCHITECTURE.md.

use super::sources::root;
use super::workspace::packages;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A package and the packages that it may depend on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Reads the table below the heading "Arrows between crates" of a document; `packages` are all packages.
fn table(document: &str, packages: &BTreeSet<&str>) -> Arrows {
    // The row `text` is the package `ccd-text`.
    let package = |cell: &str| {
        let name = cell.trim().trim_matches('`');
        if packages.contains(name) {
            name.to_owned()
        } else {
            format!("ccd-{name}")
        }
    };
    let (_, section) = document
        .split_once("Arrows between crates\n")
        .expect("ARCHITECTURE.md has a section of that name");
    let rows = section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let rows = rows.skip(2).map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let known = cells[cells.len() - 1].trim();
        let known = match known {
            "–" => BTreeSet::new(),
            known => known.split(',').map(package).collect(),
        };
        (package(cells[0]), known)
    });
    rows.collect()
}

/// Returns the differences between a table and the manifests of a workspace.
fn problems(document: &str, root: &Path) -> Vec<String> {
    let packages = packages(root);
    let names: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    let table = table(document, &names);
    let mut problems: Vec<String> = table
        .iter()
        .flat_map(|(name, known)| known.iter().chain([name]))
        .filter(|name| !names.contains(name.as_str()))
        .map(|name| format!("the table has {name}, which is no package"))
        .collect();
    for package in &packages {
        let Some(known) = table.get(&package.name) else {
            problems.push(format!("the table has no row for {}", package.name));
            continue;
        };
        let ours = package.dependencies.iter().map(|one| one.package.as_str());
        for other in ours.filter(|other| names.contains(other) && !known.contains(*other)) {
            problems.push(format!(
                "{} depends on {other}, which the table does not have",
                package.name
            ));
        }
    }
    problems
}

#[test]
fn crates_know_only_those_that_the_table_in_the_architecture_says() {
    let document = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let problems = problems(&document, &root());
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Writes a package of a workspace; `dependencies` are lines of its manifest.
fn write_package(root: &Path, folder: &str, name: &str, dependencies: &str) {
    let folder = root.join(folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    let text = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{dependencies}");
    fs::write(folder.join("Cargo.toml"), text).unwrap();
}

#[test]
fn an_arrow_that_the_table_does_not_have_is_found_in_the_manifests() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"daemon\", \"daemon/crates/*\"]\n\
        [workspace.dependencies]\nccd-text = { path = \"daemon/crates/text\" }\n";
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    let text = "[dependencies]\nccd-text.workspace = true\n";
    write_package(root, "daemon", "ccd", text);
    write_package(root, "daemon/crates/text", "ccd-text", "");
    let document = |rows: &str| {
        format!(
            "## Code map\n\n| crate | other table |\n|---|---|\n\n## Arrows between crates\n\nWords.\n\n\
             | crate | holds | knows of the others |\n|---|---|---|\n{rows}\n\n## Next\n\n| a | b |\n|---|---|\n| `c` | `d` |\n"
        )
    };
    let problems = |rows: &str| problems(&document(rows), root);
    let right = "| `ccd` | all | `text`, `screen` |\n| `text` | x | – |\n| `screen` | y | `text` |";
    let screen = "[target.'cfg(unix)'.dependencies]\nseen = { package = \"ccd-text\", path = \"../text\" }\n";
    write_package(root, "daemon/crates/screen", "ccd-screen", screen);
    assert!(problems(right).is_empty(), "{:?}", problems(right));
    assert_eq!(
        problems("| `ccd` | all | – |\n| `text` | x | – |\n| `screen` | y | `text` |"),
        ["ccd depends on ccd-text, which the table does not have"]
    );
    assert_eq!(
        problems("| `ccd` | all | `text` |\n| `text` | x | `tape` |"),
        [
            "the table has ccd-tape, which is no package",
            "the table has no row for ccd-screen"
        ]
    );
    // Dependencies that only tests or the build need are arrows too.
    for kind in ["dev-dependencies", "build-dependencies"] {
        let text = format!("[{kind}]\nccd-screen = {{ path = \"../screen\" }}\n");
        write_package(root, "daemon/crates/screen", "ccd-screen", "");
        write_package(root, "daemon/crates/text", "ccd-text", &text);
        assert_eq!(
            problems(right),
            ["ccd-text depends on ccd-screen, which the table does not have"]
        );
    }
}
