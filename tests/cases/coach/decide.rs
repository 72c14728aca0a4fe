//! Decisions, and the files that they change.

use super::candidate;
use crate::hook::{events, failure, hook, silent_hook};
use crate::support::exec::Repository;
use crate::support::worker::kill_worker;
use crate::support::{
    Ccctl, Daemon, any_moment, assert_fields, assert_has, eventually, kind, rounds,
};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

#[test]
fn approving_writes_a_marked_block_and_undoing_restores_every_byte() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.root().join("CLAUDE.md");
    fs::write(&file, "# Project\r\n\r\nno newline at the end").unwrap();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"], "cwd": repository.root()});
    let approved = daemon.ok("coach.approve", &id);
    assert_fields(
        &approved,
        json!({"candidate": {"status": "approved"}, "file": file}),
    );
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("<!-- ccd:rule "), "{written}");
    assert!(written.contains("merge queue"), "{written}");
    let again = daemon.error("coach.approve", &id);
    assert_eq!(kind(&again), "candidate_state");
    let undone = daemon.ok("coach.undo", &id);
    assert_eq!(undone["candidate"]["status"], "pending");
    let before = "# Project\r\n\r\nno newline at the end";
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? CLAUDE.md");

    // An edited rule is left alone.
    daemon.ok("coach.approve", &id);
    let written = fs::read_to_string(&file).unwrap();
    let edited = written.replace("merge queue", "queue");
    fs::write(&file, &edited).unwrap();
    let refused = daemon.error("coach.undo", &id);
    assert_eq!(kind(&refused), "target_changed");
    assert_has(&refused["data"]["block"], ["ccd:rule"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);

    // Taken out by hand, as the error says.
    fs::write(&file, "mine").unwrap();
    let undone = daemon.ok("coach.undo", &id);
    assert_eq!(undone["candidate"]["status"], "pending");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");

    // A diff writes nothing, and a branch leaves the work tree alone.
    fs::remove_file(&file).unwrap();
    fs::write(repository.root().join("AGENTS.md"), "# Agents\n").unwrap();
    repository.commit("agents");
    let id = candidate["id"].as_str().unwrap();
    let client = Ccctl::new(&daemon);
    let diff = client.run_in(repository.root(), &["coach", "approve", id, "--diff"]);
    assert_has(&diff.stdout, ["+++ b/CLAUDE.md", "ccd:rule"]);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    let params = json!({"id": id, "cwd": repository.root(), "branch": "coach/rule"});
    daemon.ok("coach.approve", &params);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    assert_eq!(repository.git(&["branch", "--show-current"]), "main");
    // Claude Code reads AGENTS.md only if its own file imports that.
    let text = repository.git(&["show", "coach/rule:CLAUDE.md"]);
    assert!(text.starts_with("@AGENTS.md\n"), "{text}");
    assert!(text.contains("ccd:rule"), "{text}");
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
    let refused = daemon.error("coach.approve", &id);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("writable for everybody"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Project\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    daemon.ok("coach.approve", &id);
}

#[test]
fn a_rule_is_written_to_a_project_in_which_it_was_seen_or_not_at_all() {
    let daemon = Daemon::start();
    let (seen, other) = (Repository::new(), Repository::new());
    let candidate = candidate(&daemon, &seen);
    let elsewhere = json!({"id": candidate["id"], "scope": "project", "cwd": other.root()});
    let approved = daemon.ok("coach.approve", &elsewhere);
    assert_eq!(approved["file"], json!(seen.root().join("CLAUDE.md")));
    daemon.ok("coach.undo", &elsewhere);
    let place = seen.root();
    let moved = place.with_extension("moved");
    fs::rename(place, &moved).unwrap();
    let gone = daemon.error("coach.approve", &elsewhere);
    fs::rename(&moved, place).unwrap();
    assert_eq!(kind(&gone), "candidate_state");
    assert_has(&gone["message"], ["no longer exists"]);
    assert!(!other.root().join("CLAUDE.md").exists());
    let empty = json!({"session": ""});
    let mut connection = daemon.connect();
    connection.refused("coach.forget", &empty, "invalid_argument");

    // Rules in one file can be undone in any order.
    let error = "Exit code 1\nerror: protected branch hook declined";
    let mut payload = failure("s", "t2", "git push", error);
    payload["cwd"] = json!(place);
    silent_hook(&daemon, &payload);
    let made = daemon.ok("coach.aggregate", &json!({}));
    let ids = [&candidate["id"], &made["candidates"][0]["id"]];
    for method in ["coach.approve", "coach.undo"] {
        for id in ids {
            let params = json!({"id": id, "scope": "project"});
            daemon.ok(method, &params);
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
    let mut connection = daemon.connect();
    connection.refused("coach.promote", &id, "candidate_state");
    let forced = json!({"id": candidate["id"], "force": "everywhere the same"});
    let promoted = daemon.ok("coach.promote", &forced);
    assert_fields(
        &promoted,
        json!({"candidate": {"status": "promoted", "current_scope": "global"}}),
    );
    let file = daemon.home().join(".claude/CLAUDE.md");
    assert!(fs::read_to_string(&file).unwrap().contains("ccd:rule"));
    daemon.ok("coach.undo", &id);
    assert!(!file.exists());
    // Approved for all projects, then promoted: it is there once, until both are undone.
    let global = json!({"id": candidate["id"], "scope": "global"});
    daemon.ok("coach.approve", &global);
    daemon.ok("coach.promote", &forced);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("ccd:rule").count(), 1, "{text}");
    daemon.ok("coach.undo", &id);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    daemon.ok("coach.undo", &id);
    assert!(!file.exists());
    // Approved for one project, then promoted: it moves, and back.
    let own = repository.root().join("CLAUDE.md");
    let count = || {
        [&own, &file].map(|file| {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.matches("ccd:rule").count()
        })
    };
    let project = json!({"id": candidate["id"], "scope": "project"});
    daemon.ok("coach.approve", &project);
    assert_eq!(count(), [1, 0]);
    daemon.ok("coach.promote", &forced);
    assert_eq!(count(), [0, 1]);
    daemon.ok("coach.undo", &id);
    assert_eq!(count(), [1, 0]);
    daemon.ok("coach.undo", &id);
    assert_eq!(count(), [0, 0]);
    let ledger = daemon.ok("coach.ledger", &json!({}));
    assert_eq!(ledger["candidates"][0]["status"], "pending");
    assert_eq!(ledger["candidates"][0]["current_scope"], "project");
    let promotions = ledger["promotions"].as_array().unwrap().iter();
    let reasons: Vec<_> = promotions.map(|one| &one["reason"]).collect();
    assert_eq!(reasons, ["undo", "everywhere the same"].repeat(3));

    // Words can be edited before a decision.
    let edit = |action: &str| json!({"id": candidate["id"], "action": action});
    connection.refused("coach.edit", &edit("a --> b"), "invalid_argument");
    let edited = daemon.ok("coach.edit", &edit("ask before merging anything"));
    let new = &edited["candidate"];
    assert_eq!(new["title"], "Ask before merging anything");
    assert_ne!(new["fingerprint"], candidate["fingerprint"]);
    let old = json!({"id": candidate["fingerprint"]});
    connection.refused("coach.get", &old, "candidate_not_found");
    let undone = daemon.ok("coach.undo", &json!({"id": new["id"]}));
    assert_eq!(undone["candidate"]["fingerprint"], candidate["fingerprint"]);

    // A rejected candidate does not come back, and its count goes on.
    let params = json!({"id": candidate["id"], "reason": "we have no queue"});
    daemon.ok("coach.reject", &params);
    let error = "Exit code 1\nmerge queue is required";
    silent_hook(&daemon, &failure("s2", "t9", "gh pr merge 8", error));
    events(&daemon, 2);
    let again = daemon.ok("coach.aggregate", &json!({}));
    assert_eq!(again["candidates"], json!([]));
    let review = daemon.ok("coach.review", &json!({}));
    assert_eq!(review["candidates"], json!([]));
    let got = daemon.ok("coach.get", &params);
    assert_fields(
        &got,
        json!({"candidate": {"status": "rejected", "count": 2}}),
    );
    let last = got["decisions"].as_array().unwrap().last().unwrap();
    assert_eq!(last["reason"], "we have no queue");
    let mirror = fs::read_to_string(daemon.home().join(".claude-coach/candidates.json")).unwrap();
    let mirror: Value = serde_json::from_str(&mirror).unwrap();
    assert_eq!(mirror["rejected"][0]["id"], candidate["id"]);
    assert_eq!(mirror["pending"], json!([]));
}

#[test]
fn a_guard_refuses_the_command_of_its_rule_and_counts_unless_guards_are_switched_off() {
    let daemon = Daemon::with_config("{}");
    let repository = Repository::new();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"]});
    let mut connection = daemon.connect();
    connection.refused("coach.guard", &id, "candidate_state");
    daemon.ok("coach.approve", &id);
    // The rule itself recommends `gh pr merge --auto`.
    connection.refused("coach.guard", &id, "invalid_argument");
    let everything = json!({"id": candidate["id"], "pattern": "x*"});
    connection.refused("coach.guard", &everything, "invalid_argument");
    let params = json!({"id": candidate["id"], "pattern": r"^gh pr merge \d+$"});
    daemon.ok("coach.guard", &params);
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
        daemon.ok("daemon.reload", &json!({}));
        let answer = call(&format!("gh pr merge {}", i32::from(is_on)));
        assert_eq!(answer.contains("deny"), is_on, "{answer}");
    }
    daemon.ok("coach.undo", &id);
    assert_eq!(call("gh pr merge 9"), "", "the guard goes with the rule");
}

#[test]
fn a_rule_in_ones_own_words_is_made_of_an_event() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    candidate(&daemon, &repository);
    let event = events(&daemon, 1)[0]["id"].as_str().unwrap().to_owned();
    let client = Ccctl::new(&daemon);
    let rule =
        |event: &str, text: &str| client.run_in(repository.root(), &["coach", "rule", event, text]);
    let made = rule(&event[..6], "Ask me before you merge.");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("approved"), "{made:?}");
    let text = fs::read_to_string(repository.root().join("CLAUDE.md")).unwrap();
    assert_has(&text, ["- Ask me before you merge. <!-- ccd:rule "]);
    let masked = rule(&event, "Send password=hunter2secret along");
    assert_eq!(masked.code, Some(0), "{masked:?}");
    let text = fs::read_to_string(repository.root().join("CLAUDE.md")).unwrap();
    assert_has(&text, ["- Send password=*** along. <!-- ccd:rule "]);
    for (event, text) in [
        ("ffffffffff", "Ask me"),
        (&*event, "a <!-- b"),
        (&*event, ""),
    ] {
        assert_ne!(rule(event, text).code, Some(0), "{event} {text}");
    }
}

#[test]
fn an_undo_that_a_kill_interrupts_is_done_or_can_be_repeated() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.root().join("CLAUDE.md");
    let before = "# Project\n";
    fs::write(&file, before).unwrap();
    let candidate = candidate(&daemon, &repository);
    let id = json!({"id": candidate["id"], "cwd": repository.root()});
    for round in 0..rounds() {
        daemon.ok("coach.approve", &id);
        assert_ne!(fs::read_to_string(&file).unwrap(), before);
        std::thread::scope(|scope| {
            scope.spawn(|| daemon.try_call_value("coach.undo", &id));
            any_moment(round, Duration::from_millis(30));
            kill_worker(&daemon);
        });
        let status = daemon.ok("coach.get", &id)["candidate"]["status"].clone();
        if status != "pending" {
            daemon.ok("coach.undo", &id);
        }
        let undone = daemon.ok("coach.get", &id);
        assert_eq!(undone["candidate"]["status"], "pending", "round {round}");
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "round {round}");
    }
}

#[test]
fn an_undo_says_whether_the_file_had_the_rule() {
    let daemon = Daemon::start();
    let repository = Repository::new();
    let file = repository.root().join("CLAUDE.md");
    let candidate = candidate(&daemon, &repository);
    let params = json!({"id": candidate["id"], "cwd": repository.root()});
    let (id, client) = (candidate["id"].as_str().unwrap(), Ccctl::new(&daemon));
    let said = |removes: bool| {
        daemon.ok("coach.approve", &params);
        if removes {
            fs::remove_file(&file).unwrap();
        }
        client
            .run_in(repository.root(), &["coach", "undo", id])
            .stdout
    };
    assert_has(&said(false), ["restored", "CLAUDE.md"]);
    let gone = said(true);
    assert!(!gone.contains("restored"), "{gone}");
    assert_has(&gone, ["CLAUDE.md was not changed"]);
}
