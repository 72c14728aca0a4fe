//! The top-level modules of a package do not import each other in a circle.

use super::sources::{Source, line_of, root, sources};
use super::workspace;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// For each pair of an importing and an imported top-level module, the places of all imports.
type Imports = BTreeMap<(String, String), Vec<String>>;

/// A word or symbol of the code, and its offset.
type Token<'a> = (&'a str, usize);

/// Returns the words and symbols of `code`; `::` is one symbol.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
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

/// Follows the path that continues at `at` from the module `base`. Returns the names at the root of the package to
/// which it leads, each with the name that is finally imported.
fn leads_to<'a>(tokens: &[Token<'a>], at: usize, base: &[&str]) -> Vec<(Token<'a>, &'a str)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.0);
    match word(at) {
        "{" => {
            let mut found = Vec::new();
            let (mut depth, mut at) = (0, at);
            loop {
                let is_first = depth == 1 && matches!(word(at - 1), "{" | ",");
                if is_first {
                    found.extend(leads_to(tokens, at, base));
                }
                match word(at) {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                if depth == 0 || at >= tokens.len() {
                    return found;
                }
                at += 1;
            }
        }
        "super" if word(at + 1) == "::" => {
            let parent = &base[..base.len().saturating_sub(1)];
            leads_to(tokens, at + 2, parent)
        }
        "self" if word(at + 1) == "::" => leads_to(tokens, at + 2, base),
        "crate" if word(at + 1) == "::" => leads_to(tokens, at + 2, &[]),
        "super" | "self" | "*" | "}" | "" => Vec::new(),
        _ if !base.is_empty() => Vec::new(),
        _ => names(tokens, at)
            .into_iter()
            .map(|name| (tokens[at], name))
            .collect(),
    }
}

/// Returns the names that the path of a `use` that starts at `at` imports.
fn names<'a>(tokens: &[Token<'a>], mut at: usize) -> Vec<&'a str> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.0);
    while word(at + 1) == "::" && word(at + 2) != "{" {
        at += 2;
    }
    if word(at + 1) == "as" {
        return vec![word(at + 2)];
    }
    if word(at + 1) != "::" {
        return vec![word(at)];
    }
    let mut found = Vec::new();
    let mut depth = 0;
    for inner in at + 2..tokens.len() {
        match word(inner) {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 1 && matches!(word(inner), "{" | ",") && word(inner + 1) != "}" {
            found.extend(names(tokens, inner + 1));
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns the module in a file, as names from the root of its package.
fn module(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path
        .with_extension("")
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if ["lib", "main", "mod"]
        .map(String::from)
        .contains(&parts[parts.len() - 1])
    {
        parts.pop();
    }
    parts
}

/// Returns the imports between all top-level modules of a package, without those of tests.
fn imports(sources: &[Source]) -> Imports {
    let tops: BTreeSet<String> = sources
        .iter()
        .filter_map(|source| module(&source.path).first().cloned())
        .collect();
    let roots = sources
        .iter()
        .filter(|source| module(&source.path).is_empty());
    // What the root imports from a module can be imported from the root.
    let mut taken = BTreeMap::new();
    for source in roots {
        let tokens = tokens(&source.code);
        for at in (0..tokens.len()).filter(|&at| tokens[at].0 == "use") {
            for ((top, _), name) in leads_to(&tokens, at + 1, &[]) {
                taken.entry(name.to_owned()).or_insert(top.to_owned());
            }
        }
    }
    let mut imports = Imports::new();
    for source in sources {
        let file = module(&source.path);
        let Some(from) = file.first() else {
            continue;
        };
        for (top, at) in tops_in(&source.code, &file) {
            let to = if tops.contains(top) {
                Some(top)
            } else {
                taken.get(top).map(String::as_str)
            };
            if let Some(to) = to.filter(|to| to != from && tops.contains(*to)) {
                let line = line_of(&source.code, at);
                let place = format!("{}:{line}", source.path.display());
                let places = imports.entry((from.clone(), to.to_owned())).or_default();
                places.push(place);
            }
        }
    }
    imports
}

/// Returns the names at the root of the package with which paths in `code` start; `file` is the module in the file.
fn tops_in<'a>(code: &'a str, file: &[String]) -> Vec<Token<'a>> {
    let tokens = tokens(code);
    let mut base: Vec<&str> = file.iter().map(String::as_str).collect();
    // Inline modules of the file, each with the bracket depth outside it.
    let mut inner = Vec::new();
    let (mut depth, mut found) = (0, Vec::new());
    for at in 0..tokens.len() {
        let before = at.checked_sub(1).map_or("", |at| tokens[at].0);
        let next = tokens.get(at + 1).map_or("", |token| token.0);
        match tokens[at].0 {
            "{" => {
                if at > 1 && tokens[at - 2].0 == "mod" {
                    inner.push(depth);
                    base.push(before);
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
            "crate" | "super" | "self" if next == "::" && before != "::" => {
                let is_branch = matches!(before, "{" | ",") && is_in_use(&tokens[..at]);
                if !is_branch {
                    let tops = leads_to(&tokens, at, &base);
                    found.extend(tops.into_iter().map(|(top, _)| top));
                    found.dedup();
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns whether the next token is a branch of a `use`, which was followed from its start.
fn is_in_use(before: &[Token<'_>]) -> bool {
    let mut depth = 0;
    for (at, (word, _)) in before.iter().enumerate().rev() {
        match *word {
            "}" => depth += 1,
            "{" if depth == 0 => {
                return at > 0 && before[at - 1].0 == "::";
            }
            "{" => depth -= 1,
            ";" => return false,
            _ => {}
        }
    }
    false
}

/// Returns the shortest path of imports from one module to another, including both.
fn way<'a>(imports: &'a Imports, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut ways = VecDeque::from([vec![from]]);
    let mut seen = BTreeSet::from([from]);
    while let Some(way) = ways.pop_front() {
        let last = way[way.len() - 1];
        if last == to {
            return Some(way);
        }
        for (_, next) in imports.keys().filter(|(from, _)| from == last) {
            if seen.insert(next) {
                ways.push_back([&way[..], &[next]].concat());
            }
        }
    }
    None
}

/// Returns all imports that are part of a circle, as lines, after the shortest circle; `None` if there is no circle.
fn circles(imports: &Imports) -> Option<String> {
    let mut shortest: Option<Vec<&str>> = None;
    let mut lines = Vec::new();
    for ((from, to), places) in imports {
        if let Some(back) = way(imports, to, from) {
            let circle = [&[from.as_str()], &back[..]].concat();
            if shortest
                .as_ref()
                .is_none_or(|other| circle.len() < other.len())
            {
                shortest = Some(circle);
            }
            let count = places.len();
            lines.push(format!("{from} -> {to}: {} ({count} in all)", places[0]));
        }
    }
    Some(format!(
        "{}\nall imports that are part of a circle:\n{}",
        shortest?.join(" -> "),
        lines.join("\n")
    ))
}

#[test]
fn top_folders_do_not_import_each_other_in_a_circle() {
    for package in workspace::packages(&root()) {
        let folder = if package.name == "ccd-tests" {
            package.folder.join("cases")
        } else {
            package.folder.join("src")
        };
        let circles = circles(&imports(&sources(&folder)));
        assert!(circles.is_none(), "{}: {}", package.name, circles.unwrap());
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
    let found = || circles(&imports(&sources(package.path())));
    write(
        "lib.rs",
        "mod a; mod b; mod c;\npub use c::{Deep, inner::Thing as Other};",
    );
    write("a/mod.rs", "mod d;\n// crate::c::X\nuse crate::{self, b};");
    write("b.rs", "#[cfg(test)]\nmod tests { use crate::a::X; }");
    write("c.rs", "fn c() -> &'static str { \"crate::a::X\" }");
    assert_eq!(found(), None);
    for (path, text) in [
        ("b.rs", "use crate::a::X;"),
        (
            "b.rs",
            "\n\nuse crate::{\n    c::{self},\n    a::{X, Y},\n};",
        ),
        ("b.rs", "fn b() { super::a::x() }"),
        ("b.rs", "use super::{c, a};"),
        (
            "b.rs",
            "mod inner { pub(super) fn b() { super::super::a::x() } }",
        ),
        ("b/e.rs", "use super::super::a;"),
        ("b/e/f.rs", "use super::{super::super::{a::X}};"),
    ] {
        write(path, text);
        let found = found().unwrap_or_else(|| panic!("{path}: {text}"));
        assert!(found.starts_with("a -> b -> a\n"), "{found}");
        let line = line_of(text, text.rfind('a').unwrap());
        assert!(
            found.contains(&format!("b -> a: {path}:{line} (1 in all)")),
            "{found}"
        );
        write(path, "");
    }
    // Through three modules, and through the root.
    write("b.rs", "use crate::Other;");
    write("c.rs", "use crate::a;");
    let text = found().unwrap();
    assert!(text.starts_with("a -> b -> c -> a\n"), "{text}");
    write(
        "a/d.rs",
        "fn a() { let x: super::super::Deep; self::super::x() }",
    );
    let text = found().unwrap();
    assert!(text.starts_with("a -> c -> a\n"), "{text}");
    assert!(text.contains("\na -> b: a/mod.rs:3 (1 in all)\n"), "{text}");
}
