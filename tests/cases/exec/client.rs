//! `ccctl exec`, as scripts and people use it.

use super::desk::Desk;
use crate::support::client::{CCCTL, Ran};
use crate::support::eventually;
use crate::support::worker::{is_one_process, kill_worker};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::{Child, Stdio};

const CHANGES: &str =
    "init; say 'Looking.'; bash_call 'echo two >> a.txt'; echo two >> a.txt; say 'Done.'; result";
const WAITS: &str = "init; wait_for_go; result";

/// The fields of a result that are never absent.
const FIELDS: &str = "request_id status instruction diff commit_hash files_changed stdout stderr error_message execution_time \
                      session_id timestamp diff_info commits policy_violations";

#[test]
fn text_has_what_changed_on_standard_error_and_json_is_one_document_with_every_field() {
    let desk = Desk::with_script(CHANGES);
    let (code, document) = desk.document(&["do it"]);
    assert_eq!((code, &document["status"]), (0, &"success".into()));
    for field in FIELDS.split(' ') {
        assert!(document.get(field).is_some(), "{field}: {document}");
    }
    assert_eq!(document["files_changed"], serde_json::json!(["a.txt"]));
    assert_eq!(document["diff_info"][0]["additions"], 1);
    let repository = desk.repository();
    assert_eq!(document["repo_path"], repository.to_str().unwrap());
    desk.write("a.txt", "one\n");
    let ran = desk.run(&["do it"]);
    let note = "ccctl: changed 1 file, +1 -0: a.txt\n";
    assert_eq!((&*ran.stdout, &*ran.stderr), ("Done.\n", note));
    assert_eq!(ran.code, Some(0));
    let ran = desk.run(&["--json", "--dirty-worktree", "allow", "again"]);
    let same: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(same["output_format"], "json");
}

#[test]
fn a_stream_has_claudes_own_lines_and_the_result_at_its_end() {
    let line = r#"{"type":"odd", "of" : "the future ","ls":"\u2028"}"#;
    let desk = Desk::with_script(&format!("init; line '{line}'; line 'no json'; result"));
    let ran = desk.run(&["do it", "--output-format", "stream-json"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{ran:?}");
    assert_eq!(lines[1], line);
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let unparsed = json!({"type": "unparsed_line", "line": "no json"});
    assert_eq!(parsed(lines[2]), unparsed);
    let last = parsed(lines[4]);
    assert_eq!(last["type"], "execution_result");
    assert_eq!(last["status"], "success");
    assert!(last["request_id"].is_string());
    let printed = lines[..4].join("\n") + "\n";
    assert_eq!(last["stdout"], printed);
}

#[test]
fn options_reach_claude_and_an_instruction_arrives_as_it_was_given() {
    let desk = Desk::with_script("result");
    let arrived = || std::fs::read_to_string(desk.home().join("instruction")).unwrap();
    let odd = "-x \"a\" 'b'\n$HOME `c` \u{1f389}\n";
    let options = "--model opus --max-turns 3 --permission-mode plan --disallowed-tools";
    let options = options
        .split(' ')
        .chain(["Bash(rm:*), WebFetch", "--", odd]);
    let ran = desk.run(&options.collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(arrived(), odd);
    let arguments = std::fs::read_to_string(desk.home().join("arguments")).unwrap();
    for part in [
        "--model opus",
        "--max-turns 3",
        "--permission-mode plan",
        "WebFetch",
    ] {
        assert!(arguments.contains(part), "{part}: {arguments}");
    }
    let long = format!("{}\n", "long ".repeat(200_000));
    assert_eq!(desk.run_with(&["-"], &long).code, Some(0));
    assert!(arrived() == long);
    let file = desk.home().join("task.md");
    std::fs::write(&file, "list").unwrap();
    assert_eq!(desk.run(&["--file", file.to_str().unwrap()]).code, Some(0));
    assert_eq!(arrived(), "list");
    assert_eq!(desk.run(&["--", "list"]).code, Some(0));
    assert_eq!(arrived(), "list");
}

#[test]
fn what_is_wrong_with_a_request_has_its_exit_status_and_its_document() {
    let desk = Desk::with_script("result");
    let unknown = "00000000-0000-4000-8000-000000000000";
    for (args, code, kind) in [
        (&[" "][..], 2, "invalid_request"),
        (&["x", "--timeout", "0"], 2, "invalid_request"),
        (&["x", "--resume", "a", "--continue"], 2, "invalid_request"),
        (&["--file", "/no/such/file"], 2, "invalid_request"),
        (&["x", "--repo-path", "/"], 4, "repository_error"),
        (&["x", "--resume", unknown], 8, "exec_session_not_found"),
        (&["x", "--continue"], 8, "exec_session_not_found"),
    ] {
        let document = desk.failed(args, code, kind);
        assert_eq!(document["diff"], "");
        let ran = desk.run(args);
        let message = document["error_message"].as_str().unwrap();
        assert_eq!((ran.code, &*ran.stdout), (Some(code), ""), "{args:?}");
        let is_one_line = ran.stderr.contains(message) && ran.stderr.lines().count() == 1;
        assert!(is_one_line, "{ran:?}");
        let ran = desk.run(&[args, &["--output-format", "stream-json"]].concat());
        let start = r#"{"type":"execution_result","request_id":"#;
        assert!(ran.stdout.starts_with(start), "{ran:?}");
        assert_eq!((ran.code, ran.stdout.lines().count()), (Some(code), 1));
    }
    for args in [
        &["x", "--timeout", "soon"][..],
        &[],
        &["x", "list"],
        &["lits"],
        &["help"],
    ] {
        assert_eq!(desk.run(args).code, Some(2), "{args:?}");
    }
    assert_eq!(desk.run(&["--", "lits"]).code, Some(0));
    desk.write("b\u{1b}.txt", "not committed");
    let document = desk.failed(&["x"], 5, "dirty_worktree");
    let message = document["error_message"].as_str().unwrap();
    assert!(message.contains("b\u{1b}.txt"), "{message}");
    let said = desk.run(&["x"]).stderr;
    assert!(said.contains("b\\u{1b}.txt"), "{said}");
    desk.remove_claude();
    desk.failed(&["x", "--dirty-worktree", "allow"], 3, "claude_not_found");
}

#[test]
fn the_verdict_is_the_exit_status() {
    let desk = Desk::with_script(
        "init; touch \"$HOME/started\"; [ -e \"$HOME/go\" ] && exit 3; exec sleep 300",
    );
    let (exit, document) = desk.document(&["x", "--timeout", "1"]);
    assert_eq!((exit, &document["status"]), (7, &"timeout".into()));
    std::fs::write(desk.home().join("go"), "").unwrap();
    let ran = desk.run(&["x"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.starts_with("ccctl: exec: "), "{ran:?}");
    let (exit, document) = desk.document(&["x"]);
    assert_eq!((exit, &document["status"]), (1, &"failed".into()));
}

#[test]
fn without_a_daemon_the_exit_status_is_99() {
    let mut desk = Desk::with_script("result");
    assert!(desk.daemon().stop().success());
    desk.failed(&["x"], 99, "no_daemon");
    assert_eq!(desk.run(&["list"]).code, Some(99));
}

fn start(desk: &Desk, args: &[&str]) -> Child {
    let mut command = desk.command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    eventually("the run has started", || {
        desk.home().join("started").exists().then_some(())
    });
    child
}

fn interrupt(child: &Child) {
    let pid = Pid::from_child(child);
    kill_process(pid, Signal::INT).unwrap();
}

#[test]
fn an_interrupt_cancels_the_run_and_waits_for_its_result() {
    let desk = Desk::with_script("trap 'exit 0' INT; init; wait_for_go");
    let child = start(&desk, &["x", "--output-format", "json"]);
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(document["status"], "failed");
    assert!(ran.stderr.contains("cancelling run "), "{ran:?}");
}

#[test]
fn a_second_interrupt_leaves_at_once() {
    let desk = Desk::with_script("trap '' INT TERM; init; wait_for_go");
    let child = start(&desk, &["x"]);
    interrupt(&child);
    eventually("the run is being cancelled", || {
        let list = desk.run(&["list", "--json"]).stdout;
        let list: Value = serde_json::from_str(&list).unwrap();
        let job = Ran::of(desk.ccctl(&["job", "list", "--json"]).output().unwrap()).stdout;
        (list["executions"][0]["status"] == "running" && job.contains("exec.run")).then_some(())
    });
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!([Some(130), Some(1)].contains(&ran.code), "{ran:?}");
}

#[test]
fn a_run_survives_its_client() {
    let desk = Desk::with_script("init; wait_for_go; say 'More.'; result");
    let mut child = start(&desk, &["x", "--output-format", "stream-json"]);
    drop(child.stdout.take());
    std::fs::write(desk.home().join("go"), "").unwrap();
    child.wait().unwrap();
    let run = eventually("the run has ended", || {
        let list: Value = serde_json::from_str(&desk.run(&["list", "--json"]).stdout).unwrap();
        let run = list["executions"][0].clone();
        (run["status"] == "success").then_some(run)
    });
    let id = run["request_id"].as_str().unwrap();
    let printed = desk.run(&["get", &id[..8], "--stdout"]).stdout;
    assert!(printed.contains("More."), "{printed}");
}

#[test]
fn a_run_is_started_without_waiting_for_it() {
    let desk = Desk::with_script(WAITS);
    let ran = desk.run(&["x", "--detach"]);
    let id = ran.stdout.trim();
    assert_eq!((ran.code, id.len()), (Some(0), 36), "{ran:?}");
    std::fs::write(desk.home().join("go"), "").unwrap();
    eventually("the run has ended", || {
        desk.run(&["get", id])
            .stdout
            .starts_with("status        success")
            .then_some(())
    });
}

#[test]
fn a_client_gets_the_result_after_the_worker_was_killed() {
    // Its job ends with the worker, the run 7 s later: the client waits for that.
    let mut desk = Desk::with_script("trap '' INT TERM; init; wait_for_go");
    if is_one_process(desk.daemon()) {
        return;
    }
    let child = start(&desk, &["x", "--output-format", "json"]);
    kill_worker(desk.daemon());
    let ran = Ran::of(child.wait_with_output().unwrap());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["status"], "failed", "{ran:?}");
    let message = document["error_message"].as_str().unwrap();
    assert!(message.contains("the run was ended"), "{ran:?}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

#[test]
fn runs_are_listed_shown_and_removed() {
    let desk = Desk::with_script(CHANGES);
    let ran = desk.run(&["list"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""));
    let (_, document) = desk.document(&["add two"]);
    let id = document["request_id"].as_str().unwrap();
    let list = desk.run(&["ls"]).stdout;
    let is_listed = list.starts_with(id) && list.contains("  success  ");
    assert!(is_listed && list.trim_end().ends_with("add two"), "{list}");
    let page = desk.run(&["show", &id[..8]]).stdout;
    for part in [
        "status        success\n",
        "  M a.txt +1\n",
        "\ninstruction\n  add two\n",
        "\nanswer\n  Done.\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(desk.run(&["get", id, "--diff"]).stdout, document["diff"]);
    let stdout = desk.run(&["get", id, "--stdout"]).stdout;
    assert_eq!(stdout, document["stdout"]);
    assert_eq!(desk.run(&["get", "ffff-ffff"]).code, Some(8));
    let none = desk.run(&["list", "--status", "failed"]);
    assert_eq!((none.code, &*none.stdout), (Some(0), ""));
    let removed = desk.run(&["cleanup", "--older-than", "30"]).stdout;
    assert_eq!(removed, "removed 0 conversations, 0 runs\n");
    let forget = |args: &[&str]| {
        let mut forget = desk.ccctl(&[&["data", "forget", "runs"], args].concat());
        Ran::of(forget.output().unwrap()).stdout
    };
    let repository = desk.repository().to_str().unwrap();
    let elsewhere = forget(&["--project", "/elsewhere", "--yes"]);
    assert_eq!(elsewhere, "nothing to delete\n");
    let preview = forget(&["--project", repository, "--dry-run"]);
    let kept = preview
        .trim_end()
        .strip_suffix("would delete 1 run, 1 conversation");
    assert_eq!(kept, Some("runs          "));
    let removed = desk.run(&["cleanup", "--older-than", "0"]).stdout;
    assert_eq!(removed, "removed 1 conversation, 1 run\n");
}

#[test]
fn a_conversation_is_resumed_shown_and_ended() {
    let desk = Desk::with_script("init; result \"I know: $(cat \"$HOME/instruction\")\"");
    let (_, first) = desk.document(&["one"]);
    let id = first["session_id"].as_str().unwrap();
    for more in [&["two", "--resume", id][..], &["three", "--continue"]] {
        let (exit, next) = desk.document(more);
        assert_eq!(next["session_id"], first["session_id"], "{next}");
        assert_eq!(exit, 0);
    }
    let list = desk.run(&["sessions", "--repo-path", "."]).stdout;
    let is_listed = list.starts_with(id) && list.contains("  active  ");
    assert!(is_listed, "{list}");
    let page = desk.run(&["session", &id[..8]]).stdout;
    let said = "\nuser\ntwo\n\nassistant\nI know: two\n";
    assert!(page.contains(said), "{page}");
    assert_eq!(desk.run(&["end", id]).code, Some(0));
    desk.failed(&["four", "--resume", id], 8, "session_completed");
}

#[test]
fn at_a_terminal_calls_of_tools_and_a_summary_are_shown() {
    let desk = Desk::with_script(&format!("{CHANGES}; sleep 1"));
    let words = ["run", "--size", "70x24", "--", CCCTL, "exec", "add two"];
    let ran = Ran::of(desk.ccctl(&words).env("TERM", "xterm").output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in [
        "Looking.\n",
        "• Bash echo two >> a.txt\n",
        "turn ",
        "success in ",
        "1 file, +1 -0",
        "$0.2500",
        "  M a.txt +1\n",
        "ccctl exec --resume ",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("Done.").count(), 1, "{}", ran.stdout);
}
