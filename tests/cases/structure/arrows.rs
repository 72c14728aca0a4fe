//! Which crate of the workspace depends on which: the manifests against the table in ARCHITECTURE.md.

use super::sources::root;
use super::workspace::{Dependency, Package, packages};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

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

/// Returns the differences between a table and the manifests of packages.
fn problems(document: &str, packages: &[Package]) -> Vec<String> {
    let names: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    let table = table(document, &names);
    let mut problems: Vec<String> = table
        .iter()
        .flat_map(|(name, known)| known.iter().chain([name]))
        .filter(|name| !names.contains(name.as_str()))
        .map(|name| format!("the table has {name}, which is no package"))
        .collect();
    for package in packages {
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
    let problems = problems(&document, &packages(&root()));
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn an_arrow_that_the_table_does_not_have_is_found_in_the_manifests() {
    // Dependencies that only tests or the build need are arrows too.
    let only_for_tests = |name: &&str| Dependency {
        package: (*name).to_owned(),
        is_normal: false,
    };
    let package = |name: &str, known: &[&str]| Package {
        name: name.to_owned(),
        folder: PathBuf::new(),
        dependencies: known.iter().map(only_for_tests).collect(),
    };
    let packages = [
        package("ccd", &["ccd-text", "serde"]),
        package("ccd-text", &[]),
        package("ccd-screen", &["ccd-text"]),
    ];
    let problems = |rows: &str| {
        let document = format!(
            "## Code map\n\n| a |\n|---|\n\n## Arrows between crates\n\nWords.\n\n| crate | holds | knows |\n\
             |---|---|---|\n{rows}\n\n## Next\n\n| a |\n|---|\n"
        );
        problems(&document, &packages)
    };
    let rest = "| `text` | x | – |\n| `screen` | y | `text` |";
    let right = format!("| `ccd` | all | `text`, `screen` |\n{rest}");
    assert_eq!(problems(&right), [""; 0]);
    let missing = "ccd depends on ccd-text, which the table does not have";
    assert_eq!(problems(&format!("| `ccd` | all | – |\n{rest}")), [missing]);
    let gone = [
        "the table has ccd-tape, which is no package",
        "the table has no row for ccd-screen",
    ];
    let other = "| `ccd` | all | `text` |\n| `text` | x | `tape` |";
    assert_eq!(problems(other), gone);
}
