//! Decisions, and the files that they change.

use super::candidate;
use crate::hook::{events, failure, hook, silent_hook};
use crate::support::client::Ran;
use crate::support::exec::Repository;
use crate::support::{Ccctl, Daemon, eventually, kind};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

#[test]
fn approving_writes_a_marked_block_and_undoing_restores_every_byte() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.root().join("CLAUDE.md");
    fs::write(&file, "# Project\r\n\r\nno newline at the end").unwrap();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"], "cwd": repository.root()});
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
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? CLAUDE.md");

    // What was edited elsewhere stays; an edited rule is left alone.
    daemon.call_value("coach.approve", &id).unwrap();
    let mine = format!("mine\n{}", fs::read_to_string(&file).unwrap());
    fs::write(&file, mine).unwrap();
    daemon.call_value("coach.undo", &id).unwrap();
    let rest = "mine\n# Project\r\n\r\nno newline at the end\r\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), rest);
    daemon.call_value("coach.approve", &id).unwrap();
    let edited = fs::read_to_string(&file)
        .unwrap()
        .replace("merge queue", "queue");
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

    // The diff is a patch that git applies, and a branch leaves the work tree alone.
    fs::remove_file(&file).unwrap();
    fs::write(repository.root().join("AGENTS.md"), "# Agents\n").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "agents"]);
    let id = candidate["id"].as_str().unwrap();
    let mut ccctl = Ccctl::new(&daemon).command(&["coach", "approve", id, "--diff"]);
    let diff = ccctl.current_dir(repository.root()).output().unwrap();
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
        .current_dir(repository.root())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(&diff.stdout).unwrap();
    assert!(
        git.wait().unwrap().success(),
        "{}",
        String::from_utf8_lossy(&diff.stdout)
    );

    let params = json!({"id": id, "cwd": repository.root(), "branch": "coach/rule"});
    daemon.call_value("coach.approve", &params).unwrap();
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    assert_eq!(repository.git(&["branch", "--show-current"]), "main");
    // Claude Code reads AGENTS.md only if its own file imports that.
    let text = repository.git(&["show", "coach/rule:CLAUDE.md"]);
    assert!(
        text.starts_with("@AGENTS.md\n") && text.contains("ccd:rule"),
        "{text}"
    );
}

#[test]
fn a_file_that_others_could_have_written_gets_no_rule() {
    use std::os::unix::fs::PermissionsExt as _;
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.root().join("CLAUDE.md");
    fs::write(&file, "# Project\n").unwrap();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"], "cwd": repository.root()});
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let refused = daemon.call_value("coach.approve", &id).unwrap_err();
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("writable for everybody"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Project\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    daemon.call_value("coach.approve", &id).unwrap();
}

#[test]
fn a_rule_is_written_to_a_project_in_which_it_was_seen_or_not_at_all() {
    let daemon = Daemon::start();
    let (seen, other) = (Repository::new(), Repository::new());
    let candidate = candidate(&daemon, &seen);
    let elsewhere = json!({"id": candidate["id"], "scope": "project", "cwd": other.root()});
    let approved = daemon.call_value("coach.approve", &elsewhere).unwrap();
    assert_eq!(approved["file"], json!(seen.root().join("CLAUDE.md")));
    daemon.call_value("coach.undo", &elsewhere).unwrap();
    let place = seen.root();
    let moved = place.with_extension("moved");
    fs::rename(place, &moved).unwrap();
    let gone = daemon.call_value("coach.approve", &elsewhere).unwrap_err();
    fs::rename(&moved, place).unwrap();
    assert_eq!(kind(&gone), "candidate_state");
    assert!(
        gone["message"]
            .as_str()
            .unwrap()
            .contains("no longer exists"),
        "{gone}"
    );
    assert!(!other.root().join("CLAUDE.md").exists());
    let empty = daemon.call_value("coach.forget", &json!({"session": ""}));
    assert_eq!(kind(&empty.unwrap_err()), "invalid_argument");

    // Rules in one file can be undone in any order.
    let mut payload = failure(
        "s",
        "t2",
        "git push",
        "Exit code 1\nerror: protected branch hook declined",
    );
    payload["cwd"] = json!(place);
    silent_hook(&daemon, &payload);
    let made = daemon.call_value("coach.aggregate", &json!({})).unwrap();
    let ids = [&candidate["id"], &made["candidates"][0]["id"]];
    for method in ["coach.approve", "coach.undo"] {
        for id in ids {
            let params = json!({"id": id, "scope": "project"});
            daemon.call_value(method, &params).unwrap();
        }
    }
    let left = fs::read_to_string(place.join("CLAUDE.md")).unwrap_or_default();
    assert!(!left.contains("ccd:rule"), "{left}");
}

#[test]
fn a_candidate_is_promoted_for_a_reason_edited_and_rejected_for_good() {
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
    // Approved for all projects, then promoted: it is there once, until both are undone.
    let global = json!({"id": candidate["id"], "scope": "global"});
    daemon.call_value("coach.approve", &global).unwrap();
    daemon.call_value("coach.promote", &forced).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("ccd:rule").count(), 1, "{text}");
    daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    daemon.call_value("coach.undo", &id).unwrap();
    assert!(!file.exists());
    // Approved for one project, then promoted: it moves, and back.
    let own = repository.root().join("CLAUDE.md");
    let count = || {
        [&own, &file].map(|file| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.matches("ccd:rule").count()
        })
    };
    daemon
        .call_value(
            "coach.approve",
            &json!({"id": candidate["id"], "scope": "project"}),
        )
        .unwrap();
    assert_eq!(count(), [1, 0]);
    daemon.call_value("coach.promote", &forced).unwrap();
    assert_eq!(count(), [0, 1]);
    daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(count(), [1, 0]);
    daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(count(), [0, 0]);
    let ledger = daemon.call_value("coach.ledger", &json!({})).unwrap();
    assert_eq!(ledger["candidates"][0]["status"], "pending");
    assert_eq!(ledger["candidates"][0]["current_scope"], "project");
    let reasons: Vec<_> = ledger["promotions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["reason"])
        .collect();
    assert_eq!(reasons, ["undo", "everywhere the same"].repeat(3));

    // Words can be edited before a decision.
    let edit = |params: Value| daemon.call_value("coach.edit", &params);
    let bad = edit(json!({"id": candidate["id"], "action": "a --> b"})).unwrap_err();
    assert_eq!(kind(&bad), "invalid_argument");
    let edited =
        edit(json!({"id": candidate["id"], "action": "ask before merging anything"})).unwrap();
    let new = &edited["candidate"];
    assert_eq!(new["title"], "Ask before merging anything");
    assert_ne!(new["fingerprint"], candidate["fingerprint"]);
    let gone = daemon
        .call_value("coach.get", &json!({"id": candidate["fingerprint"]}))
        .unwrap_err();
    assert_eq!(kind(&gone), "candidate_not_found");
    let undone = daemon
        .call_value("coach.undo", &json!({"id": new["id"]}))
        .unwrap();
    assert_eq!(undone["candidate"]["fingerprint"], candidate["fingerprint"]);

    // A rejected candidate does not come back, and its count goes on.
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
    assert_eq!(
        got["decisions"].as_array().unwrap().last().unwrap()["reason"],
        "we have no queue"
    );
    let mirror = fs::read_to_string(daemon.home().join(".claude-coach/candidates.json")).unwrap();
    let mirror: Value = serde_json::from_str(&mirror).unwrap();
    assert_eq!(mirror["rejected"][0]["id"], candidate["id"]);
    assert_eq!(mirror["pending"], json!([]));
}

#[test]
fn a_guard_refuses_the_command_of_its_rule_and_counts_unless_guards_are_switched_off() {
    let daemon = Daemon::builder().config("{}").start();
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
            "session_id": "s", "cwd": repository.root(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
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
    eventually("the refusal is counted", || {
        let status = daemon.call_value("coach.status", &json!({})).ok()?;
        (status["guards"][0]["hits"] == 1).then_some(())
    });
    for is_on in [false, true] {
        let config = json!({"coach": {"guards": is_on}}).to_string();
        fs::write(daemon.config_path(), config).unwrap();
        daemon.call_value("daemon.reload", &json!({})).unwrap();
        let answer = call(&format!("gh pr merge {}", i32::from(is_on)));
        assert_eq!(answer.contains("deny"), is_on, "{answer}");
    }
    daemon.call_value("coach.undo", &id).unwrap();
    assert_eq!(call("gh pr merge 9"), "", "the guard goes with the rule");
}

#[test]
fn a_rule_in_ones_own_words_is_made_of_an_event() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    candidate(&daemon, &repository);
    let event = events(&daemon, 1)[0]["id"].as_str().unwrap().to_owned();
    let rule = |event: &str, text: &str| {
        let mut ccctl = Ccctl::new(&daemon).command(&["coach", "rule", event, text]);
        Ran::of(ccctl.current_dir(repository.root()).output().unwrap())
    };
    let made = rule(&event[..6], "Ask me before you merge.");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("approved"), "{made:?}");
    let text = fs::read_to_string(repository.root().join("CLAUDE.md")).unwrap();
    assert!(
        text.contains("- Ask me before you merge. <!-- ccd:rule "),
        "{text}"
    );
    let masked = rule(&event, "Send password=hunter2secret along");
    assert_eq!(masked.code, Some(0), "{masked:?}");
    let text = fs::read_to_string(repository.root().join("CLAUDE.md")).unwrap();
    assert!(
        text.contains("- Send password=*** along. <!-- ccd:rule "),
        "{text}"
    );
    for (event, text) in [
        ("ffffffffff", "Ask me"),
        (&*event, "a <!-- b"),
        (&*event, ""),
    ] {
        assert_ne!(rule(event, text).code, Some(0), "{event} {text}");
    }
}
