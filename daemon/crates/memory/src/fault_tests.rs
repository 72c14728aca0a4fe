//! A save that fails at any of its system calls: `strace` makes each fail, one a run.

use crate::store_tests::{git, memory};
use crate::{MEMORY_FILE, save};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Set in the process that saves: the project.
const PROJECT: &str = "CCD_MEMORY_SAVE_IN";
/// Looked for, before and after the save, to find it in the list of calls.
const MARK: &str = "/save-begins-and-ends";
const NAME: &str = "fault_tests::a_first_save_leaves_nothing_half_done_whichever_system_call_fails";
/// Calls that never fail, and those for memory and threads, of which the end of the process is the answer.
const OTHERS: &str = "geteuid,getuid,getegid,getgid,getpid,gettid,mmap,munmap,mremap,mprotect,madvise,brk,futex,getrandom,rt_sigprocmask,sigaltstack,exit,exit_group,sched_yield,clone,clone3";

#[test]
fn a_first_save_leaves_nothing_half_done_whichever_system_call_fails() {
    match std::env::var_os(PROJECT) {
        Some(project) => save_between_marks(Path::new(&project)),
        None => fail_each(true),
    }
}

#[test]
fn the_old_file_is_whole_whichever_system_call_fails() {
    fail_each(false);
}

fn fail_each(is_first: bool) {
    let tried = Command::new("strace")
        .args(["-qqf", "-o", "/dev/null", "true"])
        .output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: strace is not installed, or may not trace");
        return;
    }
    let calls = calls(is_first);
    let is_renamed = calls.keys().any(|call| call.starts_with("rename"));
    assert!(is_renamed, "{calls:?}");
    for (call, places) in calls {
        for number in places {
            fail(is_first, &call, number);
        }
    }
}

fn save_between_marks(project: &Path) {
    let _ = Path::new(MARK).exists();
    let _ = save(project, memory("new"), &Default::default());
    let _ = Path::new(MARK).exists();
}

/// A repository, and the content of its memory, if it has one.
fn project(is_first: bool) -> (tempfile::TempDir, Option<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    for part in ["objects", "refs", "info"] {
        fs::create_dir_all(folder.path().join(".git").join(part)).unwrap();
    }
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(folder.path().join("a.txt"), "a").unwrap();
    if is_first {
        return (folder, None);
    }
    save(folder.path(), memory("old"), &Default::default()).unwrap();
    let old = fs::read(folder.path().join(MEMORY_FILE)).unwrap();
    (folder, Some(old))
}

/// Saves in another process.
fn run(project: &Path, options: &[&str]) -> Vec<u8> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new("strace")
        .args(["-qqf", "-o"])
        .arg(trace.path())
        .args(options)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--test-threads=1"])
        .env(PROJECT, project)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    // The process that saves may fail; `strace` may not.
    let said = String::from_utf8_lossy(&status.stderr).into_owned();
    assert!(!said.contains("strace: "), "{options:?}: {said}");
    fs::read(trace.path()).unwrap()
}

/// Returns the calls of a save, and for each at which of the calls of its name, from 1, in its thread.
fn calls(is_first: bool) -> BTreeMap<String, Vec<usize>> {
    let (folder, _) = project(is_first);
    let filter = format!("trace=!{OTHERS}");
    let trace = run(folder.path(), &["-e", &filter]);
    let trace = String::from_utf8_lossy(&trace).into_owned();
    let saving = trace.lines().find(|line| line.contains(MARK)).unwrap();
    let thread = saving.split_whitespace().next().unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut is_saving = false;
    for line in trace.lines() {
        let line = line.strip_prefix(thread).map(str::trim);
        let Some((call, rest)) = line.and_then(|line| line.split_once('(')) else {
            continue;
        };
        let count = counts.entry(call.to_owned()).or_default();
        *count += 1;
        if rest.contains(MARK) {
            is_saving = !is_saving;
        } else if is_saving {
            found.entry(call.to_owned()).or_default().push(*count);
        }
    }
    assert!(!is_saving, "{trace}");
    found
}

fn fail(is_first: bool, call: &str, number: usize) {
    let (folder, old) = project(is_first);
    let inject = format!("inject={call}:error=EIO:when={number}");
    let trace = format!("trace={call}");
    let options = ["--seccomp-bpf", "-e", &trace, "-e", &inject];
    run(folder.path(), &options);
    let content = fs::read(folder.path().join(MEMORY_FILE)).ok();
    let is_new = content.as_deref().is_some_and(|content| {
        let text = String::from_utf8_lossy(content);
        text.ends_with('\n') && crate::file::parse(&text).memory == memory("new")
    });
    assert!(content == old || is_new, "{inject}: {content:?}");
    let status = git(folder.path(), &["status", "--porcelain", "-uall"]);
    assert_eq!(status, "?? a.txt\n", "{inject}");
    let entries = fs::read_dir(folder.path().join(".claude"));
    for entry in entries.into_iter().flatten() {
        let name = entry.unwrap().file_name();
        assert_eq!(name, "session-memory.md", "{inject}");
    }
}
