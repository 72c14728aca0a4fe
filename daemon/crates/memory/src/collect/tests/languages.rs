//! Projects of other languages than those of the fixtures.

use super::{memory, with};
use std::os::unix::fs::symlink;

#[test]
fn a_project_of_each_language_is_known_by_its_manifest() {
    let java = "<project><parent><artifactId>up</artifactId></parent><artifactId>lamp</artifactId></project>";
    let python = "[project]\nname = \"lamp\"\ndescription = \"Lamps\"\n";
    let rust = "[package]\nname = \"lamp\"\n";
    for (manifest, text, other, tool, command) in [
        ("pyproject.toml", python, "tests/conftest.py", "", "pytest"),
        (
            "pyproject.toml",
            &format!("{python}[tool.pytest]"),
            "uv.lock",
            "uv",
            "uv run pytest",
        ),
        ("go.mod", "module lamp\n", "go.sum", "go", "go test ./..."),
        ("pom.xml", java, "target/x", "maven", "mvn test"),
        ("Cargo.toml", rust, "Cargo.lock", "cargo", "cargo test"),
        (
            "Cargo.toml",
            rust,
            ".config/nextest.toml",
            "",
            "cargo nextest run",
        ),
    ] {
        let found = memory(with(&[(manifest, text), (other, "")]).path());
        assert_eq!(found.metadata.project_name, "lamp", "{text}");
        let dependencies = &found.environment.dependencies;
        assert_eq!(
            dependencies.tool.as_deref().unwrap_or_default(),
            tool,
            "{other}"
        );
        assert_eq!(found.test_results.unit.command, command, "{other}");
    }
    let build = memory(with(&[("pom.xml", java), ("target/x", "")]).path())
        .environment
        .build;
    assert_eq!(build.output_dir.as_deref(), Some("target/"));
}

#[test]
fn a_java_project_has_one_report_a_class() {
    let report = |class: &str, case: &str| {
        format!(
            "<testsuite name=\"{class}\" timestamp=\"2026-03-02T09:15:00\"><testcase name=\"a\" classname=\"{class}\"/>{case}</testsuite>"
        )
    };
    let failed = "<testcase name=\"b\" classname=\"x.B\"><failure message=\"1 &lt; 2\">at x.B(B.java:9)</failure></testcase>";
    let folder = with(&[
        ("target/surefire-reports/TEST-x.A.xml", &report("x.A", "")),
        (
            "target/surefire-reports/TEST-x.B.xml",
            &report("x.B", failed),
        ),
    ]);
    let tests = memory(folder.path()).test_results;
    assert_eq!(tests.last_run.as_deref(), Some("2026-03-02T09:15:00Z"));
    assert_eq!((tests.unit.passed, tests.unit.failed), (2, 1));
    let message = &tests.unit.failures[0].message;
    assert_eq!(message.as_deref(), Some("1 < 2"));
}

#[test]
fn a_plain_make_project() {
    let make = "# TODO: install\nall:\n\tcc x.c\ntest: all\n\t./x\n";
    let folder = with(&[("Makefile", make), ("x.c", "/* FIXME(AB-3): leaks */\n")]);
    let memory = memory(folder.path());
    assert_eq!(memory.test_results.unit.command, "make test");
    assert_eq!(memory.blockers[0].task_id.as_deref(), Some("AB-3"));
    assert_eq!(memory.blockers.len(), 2);
}

#[test]
fn links_are_not_followed_and_ignored_files_not_read() {
    let outside = with(&[
        ("a.rs", "// TODO: outside\n"),
        ("tasks.md", "- [ ] outside\n"),
    ]);
    let folder = with(&[
        (".gitignore", "made.rs\n"),
        ("made.rs", "// TODO: ignored\n"),
        ("own.rs", "// TODO: own\n"),
    ]);
    for (from, to) in [
        ("", "linked"),
        ("a.rs", "b.rs"),
        ("tasks.md", "tasks.md"),
        ("", "specs"),
    ] {
        symlink(outside.path().join(from), folder.path().join(to)).unwrap();
    }
    symlink("..", folder.path().join("loop")).unwrap();
    let memory = memory(folder.path());
    assert_eq!(super::titles(&memory), ["own"]);
    assert_eq!(memory.task_status.phases, []);
}
