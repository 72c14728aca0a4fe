//! The manifests of a project: its name, what it is, and how its tests are run.

use super::facts::{Manifest, Runner};
use super::paths::known;
use super::project::Project;
use crate::disk::{MANIFEST_BYTES, read};
use crate::model::pattern;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

pub(super) fn manifest(project: &Project) -> Result<Manifest, String> {
    let root = &project.root;
    let mut manifest = Manifest::default();
    for (file, look) in MANIFESTS {
        if let Ok(content) = read(root, Path::new(file), MANIFEST_BYTES) {
            look(root, &content.text(), &mut manifest);
            let source = manifest.name.as_ref().map(|_| *file);
            set(&mut manifest.source, source);
        }
    }
    let own = manifest.description.as_deref();
    let own = own.map(super::readme::shortened);
    manifest.description = own.or_else(|| super::readme::first_sentence(root));
    Ok(manifest)
}

type ManifestReader = fn(&Path, &str, &mut Manifest);

const MANIFESTS: &[(&str, ManifestReader)] = &[
    ("package.json", package_json),
    ("Cargo.toml", cargo),
    ("pyproject.toml", pyproject),
    ("go.mod", go),
    ("pom.xml", maven),
    ("settings.gradle", gradle),
    ("settings.gradle.kts", gradle),
    ("build.gradle", gradle),
    ("build.gradle.kts", gradle),
    ("Makefile", make),
];

fn set(place: &mut Option<String>, value: Option<&str>) {
    let value = value.map(str::trim).filter(|value| !value.is_empty());
    if place.is_none() {
        *place = value.map(str::to_owned);
    }
}

impl Runner {
    fn set(&mut self, framework: &'static str, command: &str) {
        self.framework.get_or_insert(framework);
        self.command.get_or_insert_with(|| command.to_owned());
    }
}

/// Scripts, the first of which counts.
const UNIT_SCRIPTS: &str = "test test:unit unit";
const E2E_SCRIPTS: &str = "test:e2e e2e test:browser e2e:test test";

fn package_json(root: &Path, text: &str, manifest: &mut Manifest) {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    set(&mut manifest.name, json["name"].as_str());
    set(&mut manifest.description, json["description"].as_str());
    let manager = super::dependencies::manager_of(root).unwrap_or("npm");
    let (run, exec) = match manager {
        "yarn" => ("yarn", "yarn"),
        "pnpm" => ("pnpm", "pnpm exec"),
        "bun" => ("bun run", "bunx"),
        _ => ("npm run", "npx"),
    };
    // What `test` runs says of which kind it is.
    let runs = json["scripts"]["test"].as_str().unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|word| runs.contains(word));
    let is_test_e2e = has(&["playwright", "cypress", "wdio"]) && !has(&["vitest", "jest", "mocha"]);
    for (runner, frameworks, scripts, is_e2e) in [
        (&mut manifest.unit, "unit", UNIT_SCRIPTS, false),
        (&mut manifest.e2e, "e2e", E2E_SCRIPTS, true),
    ] {
        let has = |list: &str, name: &str| json[list].get(name).is_some();
        let found = known(frameworks).find_map(|line| {
            let (package, rest) = line.split_once(' ')?;
            let (framework, command) = rest.split_once(' ').unwrap_or((rest, ""));
            let is_used = has("dependencies", package) || has("devDependencies", package);
            is_used.then_some((framework, command))
        });
        runner.framework = found.map(|(framework, _)| framework);
        let is_of_kind = |name: &&str| *name != "test" || is_test_e2e == is_e2e;
        let mut scripts = scripts.split(' ').filter(is_of_kind);
        // `npm init` writes one that only says that there is none.
        let is_script = |script: &str| !script.is_empty() && !script.contains("no test specified");
        let script = scripts.find(|name| json["scripts"][*name].as_str().is_some_and(is_script));
        let command = found
            .map(|(_, command)| command)
            .filter(|command| !command.is_empty());
        runner.command = match script {
            Some("test") => Some(format!("{manager} test")),
            Some(name) => Some(format!("{run} {name}")),
            None => command.map(|command| format!("{exec} {command}")),
        };
    }
}

fn cargo(root: &Path, text: &str, manifest: &mut Manifest) {
    set_from_toml(manifest, text, "[package]");
    let (framework, command) = if root.join(".config/nextest.toml").is_file() {
        ("cargo-nextest", "cargo nextest run")
    } else {
        ("cargo test", "cargo test")
    };
    // In a workspace whose top is a package, the others need to be asked for.
    let has = |table: &str| text.lines().any(|line| line.trim() == table);
    let is_both = has("[workspace]") && has("[package]");
    let all = if is_both { " --workspace" } else { "" };
    manifest.unit.set(framework, &format!("{command}{all}"));
}

fn pyproject(root: &Path, text: &str, manifest: &mut Manifest) {
    set_from_toml(manifest, text, "[project]");
    set_from_toml(manifest, text, "[tool.poetry]");
    let settings = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    if text.contains("pytest") || settings.iter().any(|name| root.join(name).is_file()) {
        manifest.unit.set("pytest", pytest(root));
    }
}

/// Returns how pytest is run with the tool that installs for it.
pub(super) fn pytest(root: &Path) -> &'static str {
    let mut runs = known("pytest").filter_map(|line| line.split_once(' '));
    let run = runs.find(|(lock, _)| root.join(lock).is_file());
    run.map_or("pytest", |(_, run)| run)
}

fn set_from_toml(manifest: &mut Manifest, text: &str, table: &str) {
    let field = |field: &str| toml_text(text, table, field);
    set(&mut manifest.name, field("name").as_deref());
    set(&mut manifest.description, field("description").as_deref());
}

/// Returns a text of a table in TOML, in one line.
fn toml_text(text: &str, table: &str, field: &str) -> Option<String> {
    let is_table = |line: &&str| line.split('#').next().map(str::trim) == Some(table);
    let lines = text.lines().map(str::trim);
    let lines = lines.skip_while(|line| !is_table(line)).skip(1);
    let mut lines = lines.take_while(|line| !line.starts_with('['));
    let value = lines.find_map(|line| line.strip_prefix(field)?.trim_start().strip_prefix('='))?;
    // A text may have more lines.
    let rest: Vec<&str> = std::iter::once(value.trim_start()).chain(lines).collect();
    let rest = rest.join(" ");
    let found = TOML_TEXT.captures(&rest)?;
    let text = match (found.name("json"), found.iter().flatten().nth(1)) {
        // Between quotes, a text is nearly always what it is in JSON.
        (Some(json), _) => serde_json::from_str(json.as_str()).ok()?,
        (None, literal) => literal?.as_str().to_owned(),
    };
    let words = text.split_whitespace().filter(|word| *word != "\\");
    Some(words.collect::<Vec<_>>().join(" "))
}

static TOML_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^(?:"{3}(.*?)"{3}|'{3}(.*?)'{3}|'([^']*)'|(?<json>"(?:[^"\\]|\\.)*"))"#)
});

pub(super) fn go_module(root: &Path) -> Option<String> {
    let text = read(root, Path::new("go.mod"), MANIFEST_BYTES).ok()?.text();
    first(&text, GO_MODULE).map(str::to_owned)
}

const GO_MODULE: &str = r#"(?m)^\s*module\s+"?([^\s"]+)"#;

fn first<'a>(text: &'a str, pattern_of: &str) -> Option<&'a str> {
    Some(pattern(pattern_of).captures(text)?.get(1)?.as_str())
}

fn go(_root: &Path, text: &str, manifest: &mut Manifest) {
    set(&mut manifest.name, first(text, GO_MODULE));
    manifest.unit.set("go test", "go test ./...");
}

fn maven(_root: &Path, text: &str, manifest: &mut Manifest) {
    // The name of the parent comes first in many files.
    let own = text.split_once("</parent>").map_or(text, |(_, own)| own);
    let own = own.split("<dependencies>").next().unwrap_or(own);
    set(&mut manifest.name, first(own, "<artifactId>([^<]*)</"));
    set(
        &mut manifest.description,
        first(own, "<description>([^<]*)</"),
    );
    manifest.unit.set("JUnit", "mvn test");
}

fn gradle(root: &Path, text: &str, manifest: &mut Manifest) {
    let name = r#"(?m)^\s*rootProject\.name\s*=\s*["']?([^"'\n]*)"#;
    set(&mut manifest.name, first(text, name));
    let has_own = root.join("gradlew").is_file();
    let program = if has_own { "./gradlew" } else { "gradle" };
    manifest.unit.set("JUnit", &format!("{program} test"));
}

fn make(_root: &Path, text: &str, manifest: &mut Manifest) {
    for (target, command) in [("test:", "make test"), ("check:", "make check")] {
        if text.lines().any(|line| line.starts_with(target)) {
            manifest.unit.set("make", command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_table_are_found() {
        let text = "name = \"no\"\n[a.b] # of b\n  name.workspace = true\nnames = 'no'\nname= \"a \\\"b\\\" #c\" # d\n\
             literal = 'c:\\d' # e\r\nnumber = 5\nlines = \"\"\"\nf\"\"\"\n[a.c]\nother = \"no\"\n";
        for (field, expected) in [
            ("name", Some("a \"b\" #c")),
            ("literal", Some("c:\\d")),
            ("number", None),
            ("lines", Some("f")),
            ("other", None),
        ] {
            assert_eq!(
                toml_text(text, "[a.b]", field).as_deref(),
                expected,
                "{field}"
            );
        }
        assert_eq!(toml_text(text, "[a]", "name"), None);
    }
}
