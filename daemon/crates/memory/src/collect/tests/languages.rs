//! Projects of other languages than those of the fixtures.

use crate::{Recorded, collect};
use ccd_protocol::memory::{SessionMemory, TestFailure, TestStatus};
use std::path::Path;

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

fn memory(files: &[(&str, &str)]) -> SessionMemory {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let collected = collect(folder.path(), None, &Recorded::default()).unwrap();
    assert_eq!(collected.notes.warnings, Vec::<String>::new());
    collected.memory
}

#[test]
fn a_python_project() {
    let memory = memory(&[
        (
            "pyproject.toml",
            "[project]\nname = \"lamp\"\ndescription = \"Lamps\"\n",
        ),
        ("uv.lock", ""),
        ("tests/test_a.py", "# TODO: more\n"),
        (
            "test-results/pytest.txt",
            "tests/test_a.py:7: AssertionError\n== short test summary info ==\nFAILED tests/test_a.py::test_x - assert 1 == 2\n========= 1 failed, 3 passed, 1 skipped in 0.12s =========\n",
        ),
    ]);
    assert_eq!(memory.metadata.project_name, "lamp");
    let unit = memory.test_results.unit;
    assert_eq!(
        (&*unit.framework, unit.passed, unit.failed, &*unit.command),
        ("pytest", 3, 1, "uv run pytest")
    );
    let failure = &unit.failures[0];
    assert_eq!(
        (&*failure.file, failure.line, failure.message.as_deref()),
        ("tests/test_a.py", Some(7), Some("assert 1 == 2"))
    );
    assert_eq!(memory.environment.dependencies.tool.as_deref(), Some("uv"));
}

#[test]
fn a_go_project() {
    let events = r#"{"Time":"2026-03-02T09:15:00Z","Action":"run","Package":"example.com/lamp/core","Test":"TestA"}
{"Action":"output","Package":"example.com/lamp/core","Test":"TestA/deep","Output":"    core_test.go:12: got 3\n"}
{"Action":"fail","Package":"example.com/lamp/core","Test":"TestA/deep"}
{"Action":"fail","Package":"example.com/lamp/core","Test":"TestA"}
{"Action":"pass","Package":"example.com/lamp/core","Test":"TestB"}
{"Action":"skip","Package":"example.com/lamp/core","Test":"TestC"}
"#;
    let memory = memory(&[
        ("go.mod", "module example.com/lamp\n"),
        ("go.sum", ""),
        ("core/core_test.go", ""),
        ("go-test-output.json", events),
    ]);
    assert_eq!(memory.metadata.project_name, "example.com/lamp");
    let tests = memory.test_results;
    assert_eq!(tests.last_run.as_deref(), Some("2026-03-02T09:15:00Z"));
    assert_eq!((tests.unit.passed, tests.unit.failed), (1, 1));
    let failure = &tests.unit.failures[0];
    assert_eq!(
        (&*failure.file, failure.line, &*failure.test_name),
        ("core/core_test.go", Some(12), "TestA/deep")
    );
    assert_eq!(memory.environment.dependencies.tool.as_deref(), Some("go"));
}

/// Failures as `file:line name message`.
fn failures(memory: &SessionMemory) -> Vec<String> {
    let failures = memory.test_results.unit.failures.iter();
    let text = |one: &TestFailure| {
        let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
        let message = one.message.as_deref().unwrap_or_default();
        format!("{}{line} {} {message}", one.file, one.test_name)
    };
    failures.map(text).collect()
}

#[test]
fn a_go_package_that_does_not_compile_has_failed() {
    let events = r##"{"ImportPath":"ex.com/gg/b [ex.com/gg/b.test]","Action":"build-output","Output":"# ex.com/gg/b [ex.com/gg/b.test]\n"}
{"ImportPath":"ex.com/gg/b [ex.com/gg/b.test]","Action":"build-output","Output":"b/b_test.go:6:2: undefined: nothing\n"}
{"ImportPath":"ex.com/gg/b [ex.com/gg/b.test]","Action":"build-fail"}
{"Time":"2026-03-02T09:15:00Z","Action":"start","Package":"ex.com/gg/a"}
{"Time":"2026-03-02T09:15:00Z","Action":"pass","Package":"ex.com/gg/a","Test":"TestA"}
{"Time":"2026-03-02T09:15:00Z","Action":"pass","Package":"ex.com/gg/a"}
{"Time":"2026-03-02T09:15:00Z","Action":"output","Package":"ex.com/gg/b","Output":"FAIL\tex.com/gg/b [build failed]\n"}
{"Time":"2026-03-02T09:15:00Z","Action":"fail","Package":"ex.com/gg/b","Elapsed":0,"FailedBuild":"ex.com/gg/b [ex.com/gg/b.test]"}
"##;
    let text = "# ex.com/gg/b [ex.com/gg/b.test]\nb/b_test.go:6:2: undefined: nothing\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tex.com/gg/a\t0.002s\nFAIL\tex.com/gg/b [build failed]\nFAIL\n";
    for (name, content) in [("go-test.json", events), ("go-test.txt", text)] {
        let name = format!("test-results/{name}");
        let memory = memory(&[("go.mod", "module ex.com/gg\n"), (&name, content)]);
        let unit = &memory.test_results.unit;
        assert_eq!(
            (unit.passed, unit.failed, unit.status),
            (1, 1, TestStatus::Failed),
            "{name}"
        );
        let expected = "b/b_test.go:6 ex.com/gg/b (build failed) undefined: nothing";
        assert_eq!(failures(&memory), [expected], "{name}");
        assert!(memory.blockers[0].title.contains("build failed"), "{name}");
    }
}

#[test]
fn messages_and_files_of_go_tests() {
    let quiet = "--- FAIL: TestA (0.00s)\n    a_test.go:7: want 1\n--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/deep (0.00s)\n        b_test.go:9: want 2\nFAIL\nFAIL\tex.com/gg/a\t0.002s\nFAIL\n";
    let verbose = "=== RUN   TestA\n    a_test.go:7: want 1\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n=== RUN   TestB/deep\n    b_test.go:9: want 2\n--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/deep (0.00s)\nFAIL\nFAIL\tex.com/gg/a\t0.002s\nFAIL\n";
    let events = r#"{"Action":"output","Package":"ex.com/gg/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"ex.com/gg/a","Test":"TestA","Output":"    a_test.go:7: want 1\n"}
{"Action":"output","Package":"ex.com/gg/a","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"ex.com/gg/a","Test":"TestA"}
{"Action":"output","Package":"ex.com/gg/a","Test":"TestB/deep","Output":"    b_test.go:9: want 2\n"}
{"Action":"fail","Package":"ex.com/gg/a","Test":"TestB/deep"}
{"Action":"fail","Package":"ex.com/gg/a","Test":"TestB"}
{"Action":"fail","Package":"ex.com/gg/a"}
"#;
    for (name, content) in [("q.txt", quiet), ("v.txt", verbose), ("e.json", events)] {
        let name = format!("test-results/{name}");
        // A file of the same name in another directory is another one.
        let files = [
            ("go.mod", "module ex.com/gg\n"),
            ("a_test.go", ""),
            (&*name, content),
        ];
        let expected = [
            "a/a_test.go:7 TestA want 1",
            "a/b_test.go:9 TestB/deep want 2",
        ];
        let found = failures(&memory(&files));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_java_project_has_one_report_a_class() {
    let report = |class: &str, case: &str| {
        format!(
            "<testsuite name=\"{class}\" timestamp=\"2026-03-02T09:15:00\"><testcase name=\"a\" classname=\"{class}\"/>{case}</testsuite>"
        )
    };
    let failed = "<testcase name=\"b\" classname=\"x.B\"><failure message=\"1 &lt; 2\">at x.B(B.java:9)</failure></testcase>";
    let memory = memory(&[
        (
            "pom.xml",
            "<project><parent><artifactId>up</artifactId></parent><artifactId>lamp</artifactId></project>",
        ),
        ("target/surefire-reports/TEST-x.A.xml", &report("x.A", "")),
        (
            "target/surefire-reports/TEST-x.B.xml",
            &report("x.B", failed),
        ),
    ]);
    assert_eq!(memory.metadata.project_name, "lamp");
    let tests = memory.test_results;
    assert_eq!(tests.last_run.as_deref(), Some("2026-03-02T09:15:00Z"));
    assert_eq!(
        (tests.unit.passed, tests.unit.failed, &*tests.unit.command),
        (2, 1, "mvn test")
    );
    assert_eq!(tests.unit.failures[0].message.as_deref(), Some("1 < 2"));
    assert_eq!(
        memory.environment.build.output_dir.as_deref(),
        Some("target/")
    );
}

#[test]
fn output_of_cargo_and_nextest() {
    let cargo = "running 2 tests\ntest a ... ok\ntest b::c ... FAILED\n\nthread 'b::c' panicked at src/lib.rs:9:5:\nno\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored;\n";
    let found = memory(&[
        ("Cargo.toml", "[package]\nname = \"lamp\"\n"),
        ("src/lib.rs", ""),
        ("test-output.txt", cargo),
    ]);
    let unit = found.test_results.unit;
    assert_eq!(
        (&*unit.framework, unit.passed, unit.failed),
        ("cargo test", 1, 1)
    );
    assert_eq!(
        (&*unit.failures[0].file, unit.failures[0].line),
        ("src/lib.rs", Some(9))
    );
    let nextest = "        FAIL [   0.004s] (1/3) lamp b::c\n------------\n     Summary [   1.2s] 3 tests run: 2 passed, 1 failed, 4 skipped\n        FAIL [   0.004s] lamp b::c\n";
    let found = memory(&[
        ("Cargo.toml", "[package]\nname = \"lamp\"\n"),
        ("nextest-output.txt", nextest),
    ]);
    let unit = found.test_results.unit;
    assert_eq!((unit.passed, unit.failed, unit.failures.len()), (2, 1, 1));
}

#[test]
fn saved_output_in_the_project_itself_is_found_by_its_name() {
    let output = "========= 1 failed, 3 passed in 0.12s =========\n";
    for name in [
        "pytest.log",
        "cargo-test.log",
        "go-test.txt",
        "my-tests.txt",
        "Test.LOG",
    ] {
        let found = memory(&[(name, output)]);
        assert_eq!(found.test_results.unit.failed, 1, "{name}");
    }
    assert_eq!(memory(&[("notes.txt", output)]).test_results.unit.failed, 0);
}

#[test]
fn a_plain_make_project() {
    let memory = memory(&[
        (
            "Makefile",
            "# TODO: install\nall:\n\tcc x.c\ntest: all\n\t./x\n",
        ),
        ("x.c", "/* FIXME(AB-3): leaks */\n"),
    ]);
    assert_eq!(memory.test_results.unit.command, "make test");
    assert_eq!(memory.blockers[0].task_id.as_deref(), Some("AB-3"));
    assert_eq!(memory.blockers.len(), 2);
}

#[test]
fn links_are_not_followed_and_ignored_files_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    write(
        outside.path(),
        &[
            ("a.rs", "// TODO: outside\n"),
            ("tasks.md", "- [ ] outside\n"),
        ],
    );
    write(
        folder.path(),
        &[
            (".gitignore", "made.rs\n"),
            ("made.rs", "// TODO: ignored\n"),
            ("own.rs", "// TODO: own\n"),
        ],
    );
    let link = |from: &str, to: &str| {
        std::os::unix::fs::symlink(outside.path().join(from), folder.path().join(to)).unwrap()
    };
    link("", "linked");
    link("a.rs", "b.rs");
    link("tasks.md", "tasks.md");
    link("", "specs");
    std::os::unix::fs::symlink("..", folder.path().join("loop")).unwrap();
    let memory = collect(folder.path(), None, &Recorded::default())
        .unwrap()
        .memory;
    let titles: Vec<&str> = memory.blockers.iter().map(|one| &*one.title).collect();
    assert_eq!(titles, ["own"]);
    assert_eq!(memory.task_status.phases, []);
}
