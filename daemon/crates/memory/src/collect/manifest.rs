//! The manifests of a project: its name, what it is, and how its tests are run.

use super::facts::Part;
use super::project::{Collector, Project};
use super::read::read;
use std::path::Path;
use std::time::Instant;

/// What the manifests say.
#[derive(Debug, Clone, Default)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// The file that the name is from.
    pub(super) source: Option<String>,
    pub(super) unit: Runner,
    pub(super) e2e: Runner,
}

/// What runs a suite of tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Runner {
    pub(super) framework: Option<&'static str>,
    pub(super) command: Option<String>,
}

/// Of a manifest that are read.
pub(super) const MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

pub(super) struct ManifestCollector;

impl Collector for ManifestCollector {
    fn name(&self) -> &'static str {
        "manifests"
    }

    fn collect(&self, project: &Project, _deadline: Instant) -> Result<Part, String> {
        let root = &project.root;
        let mut manifest = Manifest::default();
        for (file, look) in MANIFESTS {
            if let Ok(content) = read(root, Path::new(file), MANIFEST_BYTES) {
                look(root, &content.text(), &mut manifest);
                if manifest.name.is_some() && manifest.source.is_none() {
                    manifest.source = Some((*file).to_owned());
                }
            }
        }
        let own = manifest
            .description
            .as_deref()
            .map(super::readme::shortened);
        manifest.description = own.or_else(|| super::readme::first_sentence(root));
        Ok(Part::Manifest(Box::new(manifest)))
    }
}

type Look = fn(&Path, &str, &mut Manifest);

const MANIFESTS: &[(&str, Look)] = &[
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

static UNIT: [(&str, &str); 5] = [
    ("vitest", "Vitest"),
    ("jest", "Jest"),
    ("mocha", "Mocha"),
    ("ava", "AVA"),
    ("jasmine", "Jasmine"),
];
static E2E: [(&str, &str); 3] = [
    ("@playwright/test", "Playwright"),
    ("cypress", "Cypress"),
    ("webdriverio", "WebDriver"),
];

fn package_json(root: &Path, text: &str, manifest: &mut Manifest) {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    set(&mut manifest.name, json["name"].as_str());
    set(&mut manifest.description, json["description"].as_str());
    let has = |name: &str| {
        ["dependencies", "devDependencies"]
            .iter()
            .any(|list| json[*list].get(name).is_some())
    };
    let first = |list: &'static [(&str, &'static str)]| {
        list.iter()
            .find(|(name, _)| has(name))
            .map(|(_, framework)| *framework)
    };
    let scripts = &json["scripts"];
    let run = |name: &str| {
        let manager = super::dependencies::manager_of(root).unwrap_or("npm");
        match (name, manager) {
            ("test", manager) => format!("{manager} test"),
            (name, "yarn" | "pnpm") => format!("{manager} {name}"),
            (name, manager) => format!("{manager} run {name}"),
        }
    };
    let exec = || match super::dependencies::manager_of(root) {
        Some("pnpm") => "pnpm exec",
        Some("yarn") => "yarn",
        Some("bun") => "bunx",
        _ => "npx",
    };
    // What a script runs says of which kind it is, not its name alone.
    let is_e2e = |name: &str| {
        let runs = scripts[name].as_str().unwrap_or_default();
        let has = |words: &[&str]| words.iter().any(|word| runs.contains(word));
        has(&["playwright", "cypress", "wdio"]) && !has(&["vitest", "jest", "mocha"])
    };
    let named = |names: &[&'static str]| {
        let mut names = names.iter().copied();
        names.find(|name| scripts[*name].is_string())
    };
    manifest.unit.framework = manifest.unit.framework.or_else(|| first(&UNIT));
    manifest.e2e.framework = manifest.e2e.framework.or_else(|| first(&E2E));
    let (units, e2es) = (
        ["test:unit", "unit"],
        ["test:e2e", "e2e", "test:browser", "e2e:test"],
    );
    let test = Some("test").filter(|name| scripts[*name].is_string());
    let unit = test.filter(|name| !is_e2e(name)).or_else(|| named(&units));
    let e2e = named(&e2es).or_else(|| test.filter(|name| is_e2e(name)));
    set(&mut manifest.unit.command, unit.map(run).as_deref());
    let e2e = e2e.map(run).or_else(|| match manifest.e2e.framework {
        Some("Playwright") => Some(format!("{} playwright test", exec())),
        Some("Cypress") => Some(format!("{} cypress run", exec())),
        _ => None,
    });
    set(&mut manifest.e2e.command, e2e.as_deref());
}

fn cargo(root: &Path, text: &str, manifest: &mut Manifest) {
    let field = |field: &str| toml_text(text, "[package]", field);
    set(&mut manifest.name, field("name").as_deref());
    set(&mut manifest.description, field("description").as_deref());
    let has_nextest = root.join(".config/nextest.toml").is_file();
    // In a workspace whose top is a package, the others need to be asked for.
    let has_package = text.lines().any(|line| line.trim() == "[package]");
    let has_members = text.lines().any(|line| line.trim() == "[workspace]") && has_package;
    manifest.unit.set(
        if has_nextest {
            "cargo-nextest"
        } else {
            "cargo test"
        },
        match (has_nextest, has_members) {
            (true, false) => "cargo nextest run",
            (true, true) => "cargo nextest run --workspace",
            (false, false) => "cargo test",
            (false, true) => "cargo test --workspace",
        },
    );
}

fn pyproject(root: &Path, text: &str, manifest: &mut Manifest) {
    for table in ["[project]", "[tool.poetry]"] {
        let field = |field: &str| toml_text(text, table, field);
        set(&mut manifest.name, field("name").as_deref());
        set(&mut manifest.description, field("description").as_deref());
    }
    let is_file = |name: &str| root.join(name).is_file();
    if text.contains("pytest")
        || is_file("pytest.ini")
        || is_file("conftest.py")
        || is_file("tests/conftest.py")
    {
        manifest.unit.set("pytest", pytest(root));
    }
}

/// Returns how pytest is run with the tool that installs for it.
pub(super) fn pytest(root: &Path) -> &'static str {
    let is_file = |name: &str| root.join(name).is_file();
    match () {
        () if is_file("uv.lock") => "uv run pytest",
        () if is_file("poetry.lock") => "poetry run pytest",
        () if is_file("pdm.lock") => "pdm run pytest",
        () => "pytest",
    }
}

/// Returns a text of a table in TOML, in one line.
fn toml_text(text: &str, table: &str, field: &str) -> Option<String> {
    let is_table = |line: &&str| line.split('#').next().map(str::trim_end) == Some(table);
    let mut lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| !is_table(line))
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let value = lines.find_map(|line| line.strip_prefix(field)?.trim_start().strip_prefix('='))?;
    let value = value.trim_start();
    for long in ["\"\"\"", "'''"] {
        if let Some(start) = value.strip_prefix(long) {
            // The lines of a text are parts of the same text.
            let at = start.as_ptr() as usize - text.as_ptr() as usize;
            let whole = text.get(at..)?.split(long).next()?;
            let words: Vec<&str> = whole
                .split_whitespace()
                .filter(|word| *word != "\\")
                .collect();
            return Some(words.join(" "));
        }
    }
    match value.strip_prefix('\'') {
        Some(literal) => literal.split('\'').next().map(str::to_owned),
        // Between quotes, a text is nearly always what it is in JSON.
        None => serde_json::Deserializer::from_str(value)
            .into_iter()
            .next()?
            .ok(),
    }
}

/// Returns the name of the Go module of a project.
pub(super) fn go_module(root: &Path) -> Option<String> {
    let text = read(root, Path::new("go.mod"), MANIFEST_BYTES).ok()?.text();
    module_of(&text).map(str::to_owned)
}

fn module_of(text: &str) -> Option<&str> {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let module = lines
        .filter_map(|line| line.trim().strip_prefix("module "))
        .next()?;
    Some(module.trim().trim_matches('"'))
}

fn go(_root: &Path, text: &str, manifest: &mut Manifest) {
    set(&mut manifest.name, module_of(text));
    manifest.unit.set("go test", "go test ./...");
}

fn maven(_root: &Path, text: &str, manifest: &mut Manifest) {
    // The name of the parent comes first in many files.
    let own = match text.find("</parent>") {
        Some(at) => &text[at..],
        None => text,
    };
    let own = own.split("<dependencies>").next().unwrap_or(own);
    let element = |name: &str| {
        let (_, rest) = own.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0)
    };
    set(&mut manifest.name, element("artifactId"));
    set(&mut manifest.description, element("description"));
    manifest.unit.set("JUnit", "mvn test");
}

fn gradle(root: &Path, text: &str, manifest: &mut Manifest) {
    let name = text.lines().find_map(|line| {
        let value = line
            .trim()
            .strip_prefix("rootProject.name")?
            .trim()
            .strip_prefix('=')?;
        Some(value.trim().trim_matches(['"', '\'']))
    });
    set(&mut manifest.name, name);
    let program = if root.join("gradlew").is_file() {
        "./gradlew test"
    } else {
        "gradle test"
    };
    manifest.unit.set("JUnit", program);
}

fn make(_root: &Path, text: &str, manifest: &mut Manifest) {
    let has_test = text
        .lines()
        .any(|line| line.starts_with("test:") || line.starts_with("check:"));
    if has_test {
        let target = if text.lines().any(|line| line.starts_with("test:")) {
            "make test"
        } else {
            "make check"
        };
        manifest.unit.set("make", target);
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
