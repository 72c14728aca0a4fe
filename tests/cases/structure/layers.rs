//! Each crate lists its folders in layers, in its `lib.rs`.

use super::circles::{PACKAGES, imports, module};
use super::sources::{Source, sources};
use std::collections::BTreeSet;

/// Returns the layers that a `lib.rs` lists, from the top.
fn layers(text: &str) -> Option<Vec<Vec<&str>>> {
    let (_, rest) = text.split_once("//! Layers, ")?;
    let (list, _) = rest.split_once(".\n")?;
    let names = |layer| str::split(layer, '`').skip(1).step_by(2).collect();
    Some(list.split('→').map(names).collect())
}

/// Returns what is wrong with the layers that a `lib.rs` lists.
fn problems_of_layers(text: &str, sources: &[Source]) -> Vec<String> {
    let Some(layers) = layers(text) else {
        return vec!["lib.rs lists no layers".to_owned()];
    };
    let layer = |name: &str| layers.iter().position(|layer| layer.contains(&name));
    let with_code = sources
        .iter()
        .filter(|source| !source.code.trim().is_empty());
    let modules: BTreeSet<String> = with_code
        .filter_map(|source| module(&source.path).first().cloned())
        .collect();
    let listed = layers.iter().flatten();
    let gone = listed.filter(|name| !modules.contains(**name));
    let mut problems: Vec<String> = gone.map(|name| format!("there is no {name}")).collect();
    let missing = modules.iter().filter(|name| layer(name).is_none());
    problems.extend(missing.map(|name| format!("{name} is in no layer")));
    let top: &[String] = &[];
    for ((from, to), places) in imports(sources).get(top).into_iter().flatten() {
        if layer(to).is_some_and(|below| layer(from) > Some(below)) {
            problems.push(format!(
                "{from} is below {to}, but imports it: {}",
                places[0]
            ));
        }
    }
    problems
}

#[test]
fn each_crate_lists_its_folders_in_layers() {
    for (package, sources) in PACKAGES.iter() {
        if package.name != "ccd-tests" {
            let text = std::fs::read_to_string(package.folder.join("src/lib.rs")).unwrap();
            let problems = problems_of_layers(&text, sources);
            assert!(problems.is_empty(), "{}: {problems:#?}", package.name);
        }
    }
}

#[test]
fn layers_that_are_wrong_are_found() {
    let package = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::X;"),
        ("b.rs", "pub struct X;"),
        ("c.rs", "#[cfg(test)]\nmod tests {}"),
    ] {
        std::fs::write(package.path().join(path), text).unwrap();
    }
    let sources = sources(package.path());
    let problems =
        |list: &str| problems_of_layers(&format!("//! Layers, top first: {list}.\n"), &sources);
    assert!(problems("`a` → `b`").is_empty() && problems("`b`,\n//! `a`").is_empty());
    let wrong_way = "a is below b, but imports it: a.rs:1";
    assert_eq!(problems("`b` → `a`"), [wrong_way]);
    assert_eq!(problems("`a` → `c`"), ["there is no c", "b is in no layer"]);
    let none = problems_of_layers("//! A crate.\n", &sources);
    assert_eq!(none, ["lib.rs lists no layers"]);
}
