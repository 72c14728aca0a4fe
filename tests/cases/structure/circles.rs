//! The modules of a folder do not import each other in a circle.

use super::sources::{Source, line_of, root, sources};
use super::workspace::{Package, packages};
use crate::support::assert_has;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// For each pair of an importing and an imported module of one folder, the places of all imports.
pub(super) type Imports = BTreeMap<(String, String), Vec<String>>;

/// A word or symbol of the code, and its offset.
type Token<'a> = (&'a str, usize);

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the words and symbols of `code`; `::` is one symbol.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        let len = match c {
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        if !c.is_whitespace() {
            tokens.push((&rest[..len], at));
        }
        at += len;
    }
    tokens
}

/// A path in the code.
#[derive(Debug)]
struct CodePath {
    /// From the root of the package.
    names: Vec<String>,
    /// Under which a `use` makes it known.
    alias: String,
    /// The module that has it in a `use`.
    used_in: Option<Vec<String>>,
    at: usize,
}

/// Returns the path that starts at the token `at` of a module `base`; a `use` with braces has several.
fn paths(tokens: &[Token<'_>], mut at: usize, mut base: Vec<String>) -> Vec<CodePath> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.0);
    let start = at;
    loop {
        match word(at) {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            "self" | "*" => {}
            "{" => {
                let branches = branches(tokens, at).into_iter();
                return branches
                    .flat_map(|at| paths(tokens, at, base.clone()))
                    .collect();
            }
            name if name.starts_with(is_word) => base.push(name.to_owned()),
            _ => return Vec::new(),
        }
        if word(at + 1) != "::" || word(at + 2) == "<" {
            break;
        }
        at += 2;
    }
    let alias = match word(at + 1) {
        "as" => word(at + 2),
        _ => base.last().map_or("", |name| name),
    };
    vec![CodePath {
        alias: alias.to_owned(),
        names: base,
        used_in: None,
        at: tokens[start].1,
    }]
}

/// Returns where the branches of a `use` start whose brace is at `open`.
fn branches(tokens: &[Token<'_>], open: usize) -> Vec<usize> {
    let mut depth = 0;
    let mut starts = Vec::new();
    for (at, (word, _)) in tokens.iter().enumerate().skip(open) {
        match *word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(*word, "{" | ",") {
            starts.push(at + 1);
        }
    }
    starts
}

/// Returns the module in a file, as names from the root of its package.
pub(super) fn module(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_str().unwrap().to_owned());
    let mut parts: Vec<String> = parts.collect();
    parts.pop_if(|last| ["lib", "main", "mod"].contains(&&**last));
    parts
}

/// The modules of a package, and what each makes known by `use`.
#[derive(Debug, Default)]
struct Modules {
    all: BTreeSet<Vec<String>>,
    uses: BTreeMap<Vec<String>, BTreeMap<String, Vec<String>>>,
}

impl Modules {
    /// Follows a path until it leaves the folders that `file` is in. Returns how many it shares with `file`, and the
    /// module in the last of them to which it leads.
    fn leaves_at(
        &self,
        file: &[String],
        path: &[String],
        patience: u32,
    ) -> Option<(usize, String)> {
        for (len, name) in path.iter().enumerate() {
            if self.all.contains(&path[..=len]) {
                if file.get(len) != Some(name) {
                    return (len < file.len()).then(|| (len, name.clone()));
                }
                continue;
            }
            // What a folder imports can be imported from the folder.
            let imported = self.uses.get(&path[..len])?.get(name)?;
            let path = [&imported[..], &path[len + 1..]].concat();
            return self.leaves_at(file, &path, patience.checked_sub(1)?);
        }
        None
    }
}

/// Returns the imports between the modules of each folder of a package, without those of tests.
pub(super) fn imports(sources: &[Source]) -> BTreeMap<Vec<String>, Imports> {
    let mut modules = Modules::default();
    let mut found = Vec::new();
    for source in sources {
        let file = module(&source.path);
        modules
            .all
            .extend((1..=file.len()).map(|len| file[..len].to_vec()));
        for path in paths_in(&source.code, &file) {
            if let Some(module) = &path.used_in {
                let uses = modules.uses.entry(module.clone()).or_default();
                let names = || path.names.clone();
                uses.entry(path.alias.clone()).or_insert_with(names);
            }
            found.push((source, path));
        }
    }
    let mut imports: BTreeMap<_, Imports> = BTreeMap::new();
    for (source, path) in found {
        let file = module(&source.path);
        if let Some((shared, to)) = modules.leaves_at(&file, &path.names, 8) {
            let folder = imports.entry(file[..shared].to_vec()).or_default();
            let line = line_of(&source.code, path.at);
            let places = folder.entry((file[shared].clone(), to)).or_default();
            let place = format!("{}:{line}", source.path.display());
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    imports
}

/// Returns the paths in `code`; `file` is the module in the file.
fn paths_in(code: &str, file: &[String]) -> Vec<CodePath> {
    let tokens = tokens(code);
    let mut base = file.to_vec();
    // Inline modules of the file, each with the bracket depth outside it.
    let mut inner = Vec::new();
    let (mut depth, mut at, mut found) = (0, 0, Vec::new());
    while at < tokens.len() {
        let before = at.checked_sub(1).map_or("", |at| tokens[at].0);
        let next = tokens.get(at + 1).map_or("", |token| token.0);
        match tokens[at].0 {
            "{" => {
                if at > 1 && tokens[at - 2].0 == "mod" {
                    inner.push(depth);
                    base.push(before.to_owned());
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                if inner.last() == Some(&depth) {
                    inner.pop();
                    base.pop();
                }
            }
            "use" if next != "<" => {
                for path in paths(&tokens, at + 1, base.clone()) {
                    let used_in = Some(base.clone());
                    found.push(CodePath { used_in, ..path });
                }
                at += tokens[at..]
                    .iter()
                    .take_while(|token| token.0 != ";")
                    .count();
            }
            "crate" | "super" | "self" if next == "::" && before != "::" => {
                found.extend(paths(&tokens, at, base.clone()));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns whether imports lead from one module to another.
fn leads(imports: &Imports, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = open.pop() {
        let next = imports.keys().filter(|(from, _)| from == module);
        open.extend(
            next.map(|(_, next)| &**next)
                .filter(|next| seen.insert(next)),
        );
    }
    seen.contains(to)
}

/// Returns all imports that are part of a circle, as lines; `None` if there is no circle.
fn circles(imports: &Imports) -> Option<String> {
    let circular = imports
        .iter()
        .filter(|((from, to), _)| leads(imports, to, from));
    let lines = circular.map(|((from, to), places)| {
        let count = places.len();
        format!("{from} -> {to}: {} ({count} in all)", places[0])
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Folders whose modules still import each other in a circle.
const STILL_WITH_CIRCLES: &[(&str, &[&str])] = &[("ccd-session", &["live"])];

/// The sources of all packages.
pub(super) static PACKAGES: LazyLock<Vec<(Package, Vec<Source>)>> = LazyLock::new(|| {
    let with_sources = packages(&root()).into_iter().map(|package| {
        let is_tests = package.name == "ccd-tests";
        let folder = if is_tests { "cases" } else { "src" };
        let sources = sources(&package.folder.join(folder));
        (package, sources)
    });
    with_sources.collect()
});

#[test]
fn modules_of_a_folder_do_not_import_each_other_in_a_circle() {
    for (package, sources) in PACKAGES.iter() {
        let known = STILL_WITH_CIRCLES
            .iter()
            .find(|known| known.0 == package.name);
        let mut known: BTreeSet<&str> = known.iter().flat_map(|known| known.1).copied().collect();
        for (folder, imports) in imports(sources) {
            let folder = folder.join("/");
            let circles = circles(&imports);
            let name = &package.name;
            if known.remove(&*folder) {
                assert!(circles.is_some(), "{name}: {folder} has none: unlist it");
            } else {
                assert_eq!(circles, None, "{name}: {folder}");
            }
        }
        assert!(known.is_empty(), "{} has no {known:?}", package.name);
    }
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let package = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = package.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let found = |folder: &[&str]| {
        let folder: Vec<String> = folder.iter().map(|name| (*name).to_owned()).collect();
        let imports = imports(&sources(package.path()));
        imports.get(&folder).and_then(circles)
    };
    let root = "mod a; mod b; mod c;\npub use c::{Deep, inner::Thing as Other};";
    write("lib.rs", root);
    write("a/mod.rs", "mod d;\n// crate::c::X\nuse crate::{self, b};");
    write("b.rs", "#[cfg(test)]\nmod tests { use crate::a::X; }");
    write("c.rs", "fn c() -> &'static str { \"crate::a::X\" }");
    assert_eq!(found(&[]), None);
    for (path, text) in [
        ("b.rs", "use crate::a::X;"),
        ("b.rs", "\n\nuse crate::{\n c::{self},\n a::{X, Y},\n};"),
        ("b.rs", "fn b() { super::a::x() }"),
        ("b.rs", "use super::{c, a};"),
        ("b.rs", "mod inner { fn b() { super::super::a::x() } }"),
        ("b/e.rs", "use super::super::a;"),
        ("b/e/f.rs", "use super::{super::super::{a::X}};"),
    ] {
        write(path, text);
        let line = line_of(text, text.rfind('a').unwrap());
        let circle = format!("a -> b: a/mod.rs:3 (1 in all)\nb -> a: {path}:{line} (1 in all)");
        assert_eq!(found(&[]), Some(circle), "{text}");
        write(path, "");
    }
    // Through three modules, and through the root.
    write("b.rs", "use crate::Other;");
    write("c.rs", "use crate::a;");
    let through_b =
        "a -> b: a/mod.rs:3 (1 in all)\nb -> c: b.rs:1 (1 in all)\nc -> a: c.rs:1 (1 in all)";
    assert_eq!(found(&[]).as_deref(), Some(through_b));
    let text = "fn a() { let x: super::super::Deep; self::super::x() }";
    write("a/d.rs", text);
    assert_has(&found(&[]).unwrap(), ["a -> c: a/d.rs:1 (1 in all)"]);
    // In a folder, and through what it imports.
    write("a/mod.rs", "mod d; mod g;\npub(crate) use d::X;");
    write("a/g.rs", "use super::X;");
    assert_eq!(found(&["a"]), None);
    write("a/d.rs", "use crate::a::g::Y;");
    let both = "d -> g: a/d.rs:1 (1 in all)\ng -> d: a/g.rs:1 (1 in all)";
    assert_eq!(found(&["a"]).as_deref(), Some(both));
}
