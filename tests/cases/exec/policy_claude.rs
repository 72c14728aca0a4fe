//! Tool policies with the real Claude Code: what is forbidden is not carried out, and is listed once.

use super::headless::{Ended, Headless, Run};
use crate::support::is_long_run;
use ccd_protocol::exec::ExecRunParams;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const BYPASS: &str = "bypassPermissions";

fn allowed(rules: &[&str], mode: Option<&str>) -> ExecRunParams {
    ExecRunParams {
        instruction: "please go on".into(),
        allowed_tools: rules.iter().map(|&rule| rule.into()).collect(),
        permission_mode: mode.map(str::to_owned),
        ..ExecRunParams::default()
    }
}

fn forbidden(rules: &[&str], mode: &str) -> ExecRunParams {
    ExecRunParams {
        disallowed_tools: rules.iter().map(|&rule| rule.into()).collect(),
        ..allowed(&[], Some(mode))
    }
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"id": id, "name": name, "input": input})
}

fn bash(id: &str, command: &str) -> Value {
    let input = json!({"command": command, "description": "work"});
    call(id, "Bash", &input)
}

fn write(id: &str, file: &str) -> Value {
    let input = json!({"file_path": format!("@REPO@/{file}"), "content": "x"});
    call(id, "Write", &input)
}

fn mcp(id: &str, tool: &str, file: &str) -> Value {
    call(id, &format!("mcp__files__{tool}"), &json!({ "name": file }))
}

/// A script in which the main conversation makes these calls in one answer.
fn calls(calls: &[Value]) -> Value {
    json!({"lanes": [{"name": "main", "steps": [{"tools": calls}, {"text": "done"}]}]})
}

/// A script in which a sub-agent makes the calls.
fn calls_of_agent(kind: &str, is_background: bool, calls: &[Value]) -> Value {
    let input = json!({"description": "work", "prompt": "please work", "subagent_type": kind,
        "run_in_background": is_background});
    json!({"lanes": [
        {"name": "agent", "match": {"is_subagent": true}, "steps": [{"tools": calls}, {"text": "worked"}]},
        {"name": "main", "steps": [{"tools": [call("agent", "Agent", &input)]}, {"text": "waiting"}, {"text": "done"}]},
    ]})
}

/// Checks which files were made and which calls are listed.
fn check(name: &str, ended: &Ended, made: &[&str], violations: &[&str]) {
    let outcome = ended.facts.outcome.as_ref();
    let is_good = outcome.is_some_and(|outcome| !outcome.is_error);
    assert!(is_good, "{name}: {}", ended.stderr);
    let made: BTreeSet<String> = made.iter().map(|&file| file.to_owned()).collect();
    let calls = &ended.facts.calls;
    assert_eq!(ended.made, made, "{name}: {calls:#?}");
    assert_eq!(ended.violations(), violations, "{name}: {calls:#?}");
}

/// Returns the first of these modes; all of them in long runs.
fn modes<'a>(all: &[Option<&'a str>]) -> Vec<Option<&'a str>> {
    let len = if is_long_run() { all.len() } else { 1 };
    all[..len].to_vec()
}

#[test]
fn a_whitelist_carries_out_nothing_else() {
    let Some(headless) = Headless::new() else {
        return;
    };
    let fetch = json!({"url": "http://localhost/", "prompt": "x"});
    let script = calls(&[
        bash("ok1", "git init -q git"),
        bash("ok2", "touch a,b"),
        bash("no1", "touch a"),
        bash("no2", "git status; touch bad"),
        bash("no3", "git status > bad"),
        bash("no4", "git log $(touch bad)"),
        write("no5", "bad"),
        call("no6", "WebFetch", &fetch),
        mcp("no7", "make", "bad"),
    ]);
    // A run that asks before each call is one of those with settings.
    for mode in modes(&[Some(BYPASS), None, Some("acceptEdits")]) {
        let name = format!("white_{}", mode.unwrap_or("default"));
        let params = allowed(&["Bash(git:*)", "Bash(touch a,b)", "Read"], mode);
        let ended = headless.run(&name, params, script.clone());
        let denied = ["no1", "no2", "no3", "no4", "no5", "no6", "no7"];
        check(&name, &ended, &["a,b", "git"], &denied);
    }
}

#[test]
fn a_whitelist_without_built_in_tools_leaves_none() {
    let Some(headless) = Headless::new() else {
        return;
    };
    let script = calls(&[
        bash("no1", "touch bad"),
        mcp("ok", "make", "made"),
        mcp("no2", "drop", "bad"),
    ]);
    for mode in modes(&[Some(BYPASS), None]) {
        let name = format!("none_{}", mode.unwrap_or("default"));
        let params = allowed(&["mcp__files__make"], mode);
        let ended = headless.run(&name, params, script.clone());
        check(&name, &ended, &["made"], &["no1", "no2"]);
    }
}

#[test]
fn a_blacklist_forbids_by_name_and_by_pattern() {
    let Some(headless) = Headless::new() else {
        return;
    };
    let script = calls(&[
        bash("no1", "touch bad"),
        bash("no2", "mkdir bad; touch bad/x"),
        bash("no3", "bash -c 'touch bad'"),
        bash("no4", "mkdir a,b"),
        write("no5", "secret/x"),
        mcp("no6", "drop", "bad"),
        bash("ok1", "mkdir made"),
        write("ok2", "written"),
    ]);
    let patterns = [
        "Bash(touch:*)",
        "Bash(mkdir a,b)",
        "Edit(secret/**)",
        "mcp__files__drop",
    ];
    // How a rule is written and the mode are independent: each is tried once.
    for (mode, rules, made, denied) in [
        (
            BYPASS,
            &patterns[..],
            ["made", "written"],
            "no1 no2 no3 no4 no5 no6",
        ),
        (
            "acceptEdits",
            &["Bash", "mcp__files"],
            ["secret", "written"],
            "no1 no2 no3 no4 no6 ok1",
        ),
    ] {
        let ended = headless.run(mode, forbidden(rules, mode), script.clone());
        check(mode, &ended, &made, &denied.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn a_policy_holds_in_sub_agents() {
    let Some(headless) = Headless::new() else {
        return;
    };
    // The definition gives its agent more than the run has.
    let rogue = "---\nname: rogue\ndescription: works\ntools: Bash, Write\npermissionMode: bypassPermissions\n---\nWork.\n";
    let work = [
        bash("no1", "touch bad"),
        write("no2", "secret/bad"),
        bash("ok", "mkdir made"),
    ];
    let (general, mkdir) = ("general-purpose", "Bash(mkdir:*)");
    let black = forbidden(&["Bash(touch:*)", "Edit(secret/**)"], BYPASS);
    // Which agent it is and which policy holds are independent: each is tried once.
    for (name, params, kind, is_background) in [
        ("white", allowed(&["Agent", mkdir], None), general, true),
        (
            "white_bypass",
            allowed(&["Task", mkdir], Some(BYPASS)),
            "rogue",
            false,
        ),
        ("black", black, general, false),
    ] {
        let run = Run {
            params,
            script: calls_of_agent(kind, is_background, &work),
            files: vec![("repo/.claude/agents/rogue.md", rogue.into())],
            ..Run::default()
        };
        let ended = headless.run_with(name, &run);
        check(name, &ended, &["made"], &["no1", "no2"]);
    }
}

#[test]
fn settings_of_user_and_project_cannot_loosen_a_policy() {
    let Some(headless) = Headless::new() else {
        return;
    };
    let hook = |answer: &Value| {
        let command = format!("echo '{answer}'");
        json!([{"matcher": "*", "hooks": [{"type": "command", "command": command}]}])
    };
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    let loose = json!({
        "disableAllHooks": true,
        "permissions": {"allow": ["Bash", "Write", "mcp__files"], "defaultMode": BYPASS},
        "hooks": {"PreToolUse": hook(&allow)},
        "env": {"CLAUDE_CODE_SIMPLE": "1", "CLAUDE_CODE_SAFE_MODE": "1"},
    });
    let hooks_only = json!({"hooks": {"PreToolUse": hook(&allow)}});
    let files = [
        ".claude/settings.json",
        "repo/.claude/settings.json",
        "repo/.claude/settings.local.json",
    ];
    let all_of = |settings: &Value| files.map(|file| (file, settings.to_string())).to_vec();
    // What may loosen the policy and the mode are independent: each is tried once.
    for (name, mode, files, variable) in [
        ("loose", Some(BYPASS), all_of(&loose), None),
        ("hook", None, all_of(&hooks_only), None),
        ("simple", Some(BYPASS), vec![], Some("CLAUDE_CODE_SIMPLE")),
        ("safe", Some(BYPASS), vec![], Some("CLAUDE_CODE_SAFE_MODE")),
    ] {
        let run = Run {
            params: allowed(&["Bash(git:*)"], mode),
            script: calls(&[
                bash("ok", "git init -q made"),
                bash("no1", "touch bad"),
                mcp("no2", "make", "bad"),
                write("no3", "bad"),
            ]),
            files,
            env: variable.map(|name| (name, "1")).into_iter().collect(),
            ..Run::default()
        };
        let ended = headless.run_with(name, &run);
        check(name, &ended, &["made"], &["no1", "no2", "no3"]);
    }
}

#[test]
fn without_its_policy_or_its_hook_a_run_does_nothing() {
    let Some(headless) = Headless::new() else {
        return;
    };
    for missing in ["policy.json", "ccctl"] {
        let run = Run {
            params: allowed(&["Bash", "Write"], Some(BYPASS)),
            script: calls(&[bash("no1", "touch bad"), write("no2", "bad")]),
            missing: Some(missing),
            ..Run::default()
        };
        let ended = headless.run_with(missing, &run);
        check(missing, &ended, &[], &["no1", "no2"]);
    }
}
