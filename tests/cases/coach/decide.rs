//! Decisions, and the files that they change.

use super::{Repository, candidate};
use crate::hook::{events, failure, hook, silent_hook};
use crate::support::{Ccctl, Daemon, kind};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

#[test]
fn approving_writes_a_marked_block_and_undoing_restores_every_byte() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.path().join("CLAUDE.md");
    fs::write(&file, "# Project\r\n\r\nno newline at the end").unwrap();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"], "cwd": repository.path()});
    let approved = daemon.call_value("coach.approve", &id).unwrap();
    assert_eq!(approved["candidate"]["status"], "approved");
    assert_eq!(approved["file"], json!(file));
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("<!-- ccd:rule "), "{written}");
    assert!(written.contains("merge queue"), "{written}");
    let again = daemon.call_value("coach.approve", &id).unwrap_err();
    assert_eq!(kind(&again), "candidate_state");
    let undone = daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(undone["candidate"]["status"], "pending");
    assert_eq!(
        fs::read(&file).unwrap(),
        b"# Project\r\n\r\nno newline at the end"
    );
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? CLAUDE.md\n");

    // Edited since, with the rule still there: left alone.
    daemon.call_value("coach.approve", &id).unwrap();
    let edited = format!("mine\n{}", fs::read_to_string(&file).unwrap());
    fs::write(&file, &edited).unwrap();
    let refused = daemon.call_value("coach.undo", &id).unwrap_err();
    assert_eq!(kind(&refused), "target_changed");
    assert!(
        refused["data"]["block"]
            .as_str()
            .unwrap()
            .contains("ccd:rule")
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);

    // Taken out by hand, as the error says.
    fs::write(&file, "mine").unwrap();
    let undone = daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(undone["candidate"]["status"], "pending");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn the_diff_is_a_patch_that_git_applies_and_a_branch_leaves_the_work_tree_alone() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    fs::write(repository.path().join("AGENTS.md"), "# Agents\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "agents"]);
    let candidate = candidate(&daemon, &repository);
    let id = candidate["id"].as_str().unwrap();
    let mut ccctl = Ccctl::new(&daemon).command(&["coach", "approve", id, "--diff"]);
    let diff = ccctl.current_dir(repository.path()).output().unwrap();
    assert!(
        diff.status.success(),
        "{}",
        String::from_utf8_lossy(&diff.stderr)
    );
    assert_eq!(
        repository.git(&["status", "--porcelain"]),
        "",
        "nothing is written yet"
    );
    let mut git = Command::new("git")
        .args(["apply", "--check", "-"])
        .current_dir(repository.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(&diff.stdout).unwrap();
    assert!(
        git.wait().unwrap().success(),
        "{}",
        String::from_utf8_lossy(&diff.stdout)
    );

    let params = json!({"id": id, "cwd": repository.path(), "branch": "coach/rule"});
    daemon.call_value("coach.approve", &params).unwrap();
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    assert_eq!(repository.git(&["branch", "--show-current"]), "main\n");
    assert!(
        repository
            .git(&["show", "coach/rule:AGENTS.md"])
            .contains("ccd:rule")
    );
}

#[test]
fn a_rule_is_written_to_a_project_in_which_it_was_seen_or_not_at_all() {
    let daemon = Daemon::start();
    let (seen, other) = (Repository::new(), Repository::new());
    let candidate = candidate(&daemon, &seen);
    let elsewhere = json!({"id": candidate["id"], "scope": "project", "cwd": other.path()});
    let approved = daemon.call_value("coach.approve", &elsewhere).unwrap();
    assert_eq!(approved["file"], json!(seen.path().join("CLAUDE.md")));
    daemon.call_value("coach.undo", &elsewhere).unwrap();
    let place = seen.path();
    let moved = place.with_extension("moved");
    fs::rename(&place, &moved).unwrap();
    let gone = daemon.call_value("coach.approve", &elsewhere).unwrap_err();
    fs::rename(&moved, &place).unwrap();
    assert_eq!(kind(&gone), "candidate_state");
    assert!(
        gone["message"]
            .as_str()
            .unwrap()
            .contains("no longer exists"),
        "{gone}"
    );
    assert!(!other.path().join("CLAUDE.md").exists());
    let empty = daemon.call_value("coach.forget", &json!({"session": ""}));
    assert_eq!(kind(&empty.unwrap_err()), "invalid_argument");
}

#[test]
fn a_rejected_candidate_does_not_come_back_and_its_count_goes_on() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let candidate = candidate(&daemon, &repository);
    let params = json!({"id": candidate["id"], "reason": "we have no queue"});
    daemon.call_value("coach.reject", &params).unwrap();
    silent_hook(
        &daemon,
        &failure(
            "s2",
            "t9",
            "gh pr merge 8",
            "Exit code 1\nmerge queue is required",
        ),
    );
    events(&daemon, 2);
    let again = daemon.call_value("coach.aggregate", &json!({})).unwrap();
    assert_eq!(again["candidates"], json!([]));
    let review = daemon.call_value("coach.review", &json!({})).unwrap();
    assert_eq!(review["candidates"], json!([]));
    let got = daemon.call_value("coach.get", &params).unwrap();
    assert_eq!(got["candidate"]["status"], "rejected");
    assert_eq!(got["candidate"]["count"], 2);
    assert_eq!(got["decisions"][0]["reason"], "we have no queue");
    let mirror = fs::read_to_string(daemon.home().join(".claude-coach/candidates.json")).unwrap();
    let mirror: Value = serde_json::from_str(&mirror).unwrap();
    assert_eq!(mirror["rejected"][0]["id"], candidate["id"]);
    assert_eq!(mirror["pending"], json!([]));
}

#[test]
fn promotion_needs_two_projects_or_a_reason_and_can_be_undone() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"]});
    let refused = daemon.call_value("coach.promote", &id).unwrap_err();
    assert_eq!(kind(&refused), "candidate_state");
    let forced = json!({"id": candidate["id"], "force": "everywhere the same"});
    let promoted = daemon.call_value("coach.promote", &forced).unwrap();
    assert_eq!(promoted["candidate"]["status"], "promoted");
    assert_eq!(promoted["candidate"]["current_scope"], "global");
    let file = daemon.home().join(".claude/CLAUDE.md");
    assert!(fs::read_to_string(&file).unwrap().contains("ccd:rule"));
    daemon.call_value("coach.undo", &id).unwrap();
    assert!(!file.exists());
    let ledger = daemon.call_value("coach.ledger", &json!({})).unwrap();
    assert_eq!(ledger["candidates"][0]["status"], "pending");
    assert_eq!(ledger["candidates"][0]["current_scope"], "project");
    let reasons: Vec<_> = ledger["promotions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["reason"])
        .collect();
    assert_eq!(reasons, ["undo", "everywhere the same"]);
}

#[test]
fn a_guard_refuses_the_command_of_its_rule_and_counts() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"]});
    let early = daemon.call_value("coach.guard", &id).unwrap_err();
    assert_eq!(kind(&early), "candidate_state");
    daemon.call_value("coach.approve", &id).unwrap();
    // The rule itself recommends `gh pr merge --auto`.
    let derived = daemon.call_value("coach.guard", &id).unwrap_err();
    assert_eq!(kind(&derived), "invalid_argument");
    let everything = json!({"id": candidate["id"], "pattern": "x*"});
    let everything = daemon.call_value("coach.guard", &everything).unwrap_err();
    assert_eq!(kind(&everything), "invalid_argument");
    let params = json!({"id": candidate["id"], "pattern": r"^gh pr merge \d+$"});
    daemon.call_value("coach.guard", &params).unwrap();
    let call = |command: &str| {
        let payload = json!({
            "session_id": "s", "cwd": repository.path(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_use_id": command, "tool_input": {"command": command},
        });
        let ran = hook(&daemon, payload.to_string().as_bytes());
        assert_eq!(ran.code, Some(0));
        ran.stdout
    };
    let answer: Value = serde_json::from_str(&call("gh pr merge 9")).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(call("gh pr merge 9 --auto"), "");
    assert_eq!(call("gh pr view 9"), "");
    daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(call("gh pr merge 9"), "", "the guard goes with the rule");
}

#[test]
fn words_can_be_edited_before_a_rule_is_approved() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let candidate = candidate(&daemon, &repository);
    let edit = |params: Value| daemon.call_value("coach.edit", &params);
    let bad = edit(json!({"id": candidate["id"], "action": "a --> b"})).unwrap_err();
    assert_eq!(kind(&bad), "invalid_argument");
    let edited =
        edit(json!({"id": candidate["id"], "action": "ask before merging anything"})).unwrap();
    let new = &edited["candidate"];
    assert_ne!(new["fingerprint"], candidate["fingerprint"]);
    let gone = daemon
        .call_value("coach.get", &json!({"id": candidate["fingerprint"]}))
        .unwrap_err();
    assert_eq!(kind(&gone), "candidate_not_found");
    let undone = daemon
        .call_value("coach.undo", &json!({"id": new["id"]}))
        .unwrap();
    assert_eq!(undone["candidate"]["fingerprint"], candidate["fingerprint"]);
}

#[test]
fn rules_in_one_file_can_be_undone_in_any_order() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let first = candidate(&daemon, &repository);
    let mut payload = failure(
        "s",
        "t2",
        "git push",
        "Exit code 1\nerror: protected branch hook declined",
    );
    payload["cwd"] = json!(repository.path());
    silent_hook(&daemon, &payload);
    let made = daemon.call_value("coach.aggregate", &json!({})).unwrap();
    let second = &made["candidates"][0];
    for one in [&first, second] {
        let params = json!({"id": one["id"], "scope": "project"});
        daemon.call_value("coach.approve", &params).unwrap();
    }
    for one in [&first, second] {
        daemon
            .call_value("coach.undo", &json!({"id": one["id"]}))
            .unwrap();
    }
    let left = fs::read_to_string(repository.path().join("CLAUDE.md")).unwrap_or_default();
    assert!(!left.contains("ccd:rule"), "{left}");
}
