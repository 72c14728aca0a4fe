//! Files that are made to cost much, and projects that are too much.

use super::{memory, saved, with};
use crate::{COLLECT_LIMIT, MemoryError, Recorded, collect, save};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[test]
fn manifests_that_are_no_manifests() {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let deep_object = format!("{}1{}", "{\"a\":".repeat(200_000), "}".repeat(200_000));
    let huge = format!("{{\"name\": \"{}\"}}", "x".repeat(5 << 20));
    let far = r#"{"name": "lamp", "dependencies": {"../../../etc": "1", "/etc": "1", "": "1"}}"#;
    let other = r#"{"name": 5, "scripts": [1], "dependencies": "x"}"#;
    let tables = format!("{}x = 1", "[a]\n".repeat(100_000));
    let bomb =
        "<!DOCTYPE a [<!ENTITY b \"&b;&b;\">]><project><artifactId>&b;</artifactId></project>";
    for (name, content) in [
        ("package.json", &*deep),
        ("package.json", &deep_object),
        ("package.json", &huge),
        ("package.json", far),
        ("package.json", other),
        ("package.json", "{\"name\": \"cut of"),
        ("Cargo.toml", &format!("a = {deep}")),
        ("pyproject.toml", &tables),
        ("pom.xml", bomb),
        ("go.mod", "module \u{0}\n"),
        ("build.gradle", "rootProject.name ="),
    ] {
        let folder = with(&[(name, content), ("package-lock.json", "{}")]);
        let (memory, warnings) = saved(folder.path());
        assert_eq!(warnings, Vec::<String>::new(), "{name}");
        assert!(memory.metadata.project_name.len() < 100, "{name}");
    }
}

#[test]
fn reports_that_are_no_reports() {
    let mut bomb = String::from("<?xml version=\"1.0\"?><!DOCTYPE t [<!ENTITY a \"aaaaaaaaaa\">");
    for level in 0..9_u8 {
        let (name, inner) = (char::from(b'b' + level), char::from(b'a' + level));
        let inner = format!("&{inner};").repeat(10);
        bomb.push_str(&format!("<!ENTITY {name} \"{inner}\">"));
    }
    bomb.push_str("<!ENTITY x SYSTEM \"file:///etc/passwd\">]><testsuite><testcase name=\"n&j;\"><failure message=\"&j;\">&j;&x;</failure></testcase></testsuite>");
    let deep = format!("<testsuite>{}", "<a>".repeat(500_000));
    let numbers = format!("[{}1]", "0,".repeat(2_000_000));
    let suites = [
        "{\"stats\": {\"expected\": 1}, \"suites\": ",
        &"[{\"suites\": ".repeat(50_000),
        &"}]".repeat(50_000),
        "}",
    ];
    let cut = "{\"numTotalTests\": 3, \"testResults\": [{\"name\"";
    for (name, content, failed) in [
        ("junit.xml", &*bomb, 1),
        ("junit.xml", &deep, 0),
        ("a.json", &numbers, 0),
        ("a.json", &suites.concat(), 0),
        (
            "a.json",
            "{\"numTotalTests\": \"x\", \"testResults\": 5}",
            0,
        ),
        ("a.json", cut, 0),
        ("a.jsonl", "{\"Action\": 5}\n", 0),
        ("a.txt", &"(".repeat(1_000_000), 0),
    ] {
        let folder = with(&[(&format!("test-results/{name}"), content)]);
        let (memory, warnings) = saved(folder.path());
        let is_cut_off = |warning: &String| warning.ends_with("is cut off");
        assert!(warnings.iter().all(is_cut_off), "{name}: {warnings:?}");
        let unit = memory.test_results.unit;
        assert_eq!(unit.failed, failed, "{name}");
        let text = format!("{:?}", unit.failures);
        assert!(text.len() < 1000 && !text.contains("root:"), "{text}");
    }
}

#[test]
fn the_whole_file_system_is_too_much_and_is_left_out_in_time() {
    let start = Instant::now();
    let collected = collect(Path::new("/"), None, &Recorded::default()).unwrap();
    assert_eq!(collected.memory.metadata.branch, "unknown");
    let took = start.elapsed();
    assert!(took < COLLECT_LIMIT * 10, "{took:?}");
}

#[test]
fn costly_rules_on_ignored_files_are_given_up_when_the_time_is_over() {
    let rules: String = (0..100_000).map(|rule| format!("*{rule}*x\n")).collect();
    let folder = with(&[(".gitignore", &rules)]);
    for number in 0..1000 {
        fs::create_dir(folder.path().join(format!("folder{number}"))).unwrap();
    }
    collect(folder.path(), None, &Recorded::default()).unwrap();
    let start = Instant::now();
    let is_walking = || {
        let mut threads = fs::read_dir("/proc/self/task").into_iter().flatten();
        threads.any(|thread| {
            let name = fs::read_to_string(thread.unwrap().path().join("comm"));
            name.is_ok_and(|name| name.trim() == "memory comments")
        })
    };
    while is_walking() {
        let took = start.elapsed();
        assert!(took < COLLECT_LIMIT * 10, "{took:?}");
    }
}

#[test]
fn a_home_directory_is_a_project_without_what_is_hidden_in_it() {
    let folder = with(&[
        (".claude/projects/-srv/a.py", "# TODO: theirs\n"),
        (".config/x/tasks.md", "- [ ] theirs\n"),
        ("own.py", "# TODO: own\n"),
    ]);
    let memory = memory(folder.path());
    assert_eq!(memory.blockers.len(), 1);
    assert_eq!(memory.task_status.source_file, "");
}

/// Set in the process that saves on a file system that cannot be written: the project.
const READ_ONLY: &str = "CCD_MEMORY_READ_ONLY";

#[test]
fn a_project_that_cannot_be_written_is_an_error_that_says_so() {
    if let Some(project) = std::env::var_os(READ_ONLY) {
        let collected = collect(Path::new(&project), None, &Recorded::default()).unwrap();
        assert_eq!(collected.memory.blockers.len(), 1);
        let error = save(Path::new(&project), collected.memory, &collected.notes).unwrap_err();
        assert!(matches!(error, MemoryError::NotWritable { .. }), "{error}");
        let said = error.to_string();
        return assert!(said.contains("Read-only file system"), "{said}");
    }
    let folder = with(&[("a.py", "# TODO: x\n")]);
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && echo mounted && shift && exec \"$@\"";
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("collect::tests::hostile::a_project_that_cannot_be_written_is_an_error_that_says_so")
        .env(READ_ONLY, folder.path())
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: unshare is not installed");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains("mounted") {
        let why = String::from_utf8_lossy(&output.stderr);
        eprintln!("skipped: no mounts here: {why}");
        return;
    }
    let is_done = output.status.success() && said.contains("1 passed");
    assert!(is_done, "{said}");
    assert!(fs::read_dir(folder.path()).unwrap().count() == 1);
}
