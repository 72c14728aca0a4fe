use super::ToolMode::{self, All, Blacklist, Whitelist};
use super::{Judgement, Policy, Rule, RuleError, ToolCall, split_list};
use serde_json::{Value, json};

pub(super) fn policy(mode: ToolMode, rules: &[&str]) -> Policy {
    let rules = rules
        .iter()
        .map(|rule| Rule::parse(rule).unwrap())
        .collect();
    Policy {
        mode,
        rules,
        project: Some("/p".into()),
        home: Some("/home/a".into()),
    }
}

fn allows(mode: ToolMode, rule: &str, tool: &str, input: &Value) -> bool {
    let call = ToolCall {
        tool_name: tool.into(),
        tool_input: input.clone(),
        cwd: Some("/p/sub".into()),
    };
    policy(mode, &[rule]).judge(&call).is_allowed()
}

/// Checks calls: mode, rule, tool, input, and whether it is allowed.
fn check<'a>(rows: impl IntoIterator<Item = (ToolMode, &'a str, &'a str, Value, bool)>) {
    for (mode, rule, tool, input, is_allowed) in rows {
        let found = allows(mode, rule, tool, &input);
        assert_eq!(found, is_allowed, "{mode:?} {rule} {tool} {input}");
    }
}

#[test]
fn rules_without_a_pattern_are_about_the_whole_tool() {
    check([
        (Whitelist, "Read", "Read", json!({}), true),
        (Whitelist, "Read", "Write", json!({}), false),
        (Whitelist, "Read", "ReadX", json!({}), false),
        (Blacklist, "Read", "Read", json!({}), false),
        (Blacklist, "Read", "Write", json!({}), true),
        (All, "Read", "Write", json!({}), true),
        (Blacklist, "Task", "Agent", json!({}), false),
        (Whitelist, "Agent", "Task", json!({}), true),
    ]);
}

#[test]
fn rules_name_mcp_servers_and_their_tools() {
    let tool = "mcp__github__get_issue";
    let named = ["", "__*", "__get_*", "__get_issue"].map(|end| format!("mcp__github{end}"));
    for rule in named.iter().map(String::as_str).chain(["mcp__*"]) {
        check([
            (Whitelist, rule, tool, json!({}), true),
            (Blacklist, rule, tool, json!({}), false),
        ]);
    }
    for rule in [
        "mcp__git",
        "mcp__github__get",
        "mcp__github__set_*",
        "mcp__git__*",
        "Bash",
    ] {
        check([(Whitelist, rule, tool, json!({}), false)]);
    }
}

#[test]
fn a_tool_that_executes_commands_is_judged_as_bash_on_a_blacklist() {
    let rm = || json!({"command": "rm x"});
    check([
        (Blacklist, "Bash(rm:*)", "Monitor", rm(), false),
        (Blacklist, "Bash", "Monitor", rm(), false),
        (Whitelist, "Bash", "Monitor", rm(), false),
        (
            Blacklist,
            "Bash(rm:*)",
            "Bash",
            json!({"command": 7}),
            false,
        ),
        (Whitelist, "Bash(git:*)", "Bash", Value::Null, false),
    ]);
}

#[test]
fn files_are_compared_with_patterns() {
    let file = |path: &str| json!({"file_path": path});
    let key = json!({"path": "/home/a/.ssh/x"});
    check([
        (Whitelist, "Edit(src/**)", "Edit", file("/p/src/a"), true),
        (
            Whitelist,
            "Edit(src/**)",
            "Edit",
            file("/p/src/../a"),
            false,
        ),
        (Whitelist, "Edit(src/**)", "Write", file("/p/src/a"), false),
        (Blacklist, "Edit(.env)", "Write", file("/p/.env"), false),
        (Blacklist, "Read(.env)", "Read", file("../.env"), false),
        (Blacklist, "Read(.env)", "Write", file("/p/.env"), true),
        (Blacklist, "Read(~/.ssh/**)", "Grep", key, false),
        // What cannot be told is denied.
        (Blacklist, "Read(.env)", "Read", json!({}), false),
    ]);
}

#[test]
fn hosts_and_names_are_compared_with_patterns() {
    let url = |url: &str| json!({"url": url});
    let (rule, any) = (
        "WebFetch(domain:example.com)",
        "WebFetch(domain:*.example.com)",
    );
    for (rule, address, is_allowed) in [
        (rule, "https://Example.com:8080/x", true),
        (rule, "https://evil.com/@example.com", false),
        (rule, "https://example.com@evil.com", false),
        (rule, "https://example.com.evil.com", false),
        (rule, "https://a.example.com", false),
        (rule, "x", false),
        (rule, "https://evil.com\\@example.com/", false),
        (any, "https://a.example.com", true),
        (rule, "https:/\\evil.com/://example.com", false),
    ] {
        check([(Whitelist, rule, "WebFetch", url(address), is_allowed)]);
    }
    for address in [
        "https://user:x@example.com./",
        "https://exa\tmple.com/",
        "https://example.com\t/",
        "https://%65xample.com/",
        "https://example.com%2e/",
        "https://ｅxample.com/",
        "https://example。com/",
        "https://exam\u{ad}ple.com/",
        "https://ⓔxample.com/",
        "https:/\\example.com/://other.org",
    ] {
        check([(Blacklist, rule, "WebFetch", url(address), false)]);
    }
    let local = "WebFetch(domain:127.0.0.1)";
    for (address, is_allowed) in [
        ("http://127.1/", false),
        ("http://2130706433/", false),
        ("http://0x7f.0.0.1/", false),
        ("http://127.0.0.2/", true),
        ("https://my_files.xn--bcher-kva.de:443/x", true),
    ] {
        check([(Blacklist, local, "WebFetch", url(address), is_allowed)]);
    }
    let kind = |kind: &str| json!({"subagent_type": kind});
    check([
        (Whitelist, "Agent(Explore)", "Agent", kind("Explore"), true),
        (Whitelist, "Task(Explore)", "Agent", kind("Plan"), false),
    ]);
}

#[test]
fn a_rule_that_would_mean_nothing_is_refused() {
    let error = |rule: &str| Rule::parse(rule).unwrap_err();
    assert_eq!(error(" "), RuleError::Empty);
    assert_eq!(
        error("bash").to_string(),
        "\"bash\" is not a tool; the tool's name is Bash"
    );
    for rule in ["Bash(rm", "(rm)", "--help", "Read Write"] {
        assert!(matches!(error(rule), RuleError::Shape(_)), "{rule}");
    }
    for rule in [
        "Bash()",
        "WebFetch(example.com)",
        "WebFetch(domain:bücher.de)",
        "WebFetch(domain:)",
        "Bash(echo \"a b\")",
        "Bash(a && b)",
        "Bash(a; b:*)",
        "Read(../x)",
    ] {
        assert!(matches!(error(rule), RuleError::Pattern { .. }), "{rule}");
    }
    assert!(matches!(error("mcp__a__b(x)"), RuleError::NoPattern { .. }));
}

#[test]
fn a_list_is_split_outside_parentheses() {
    assert_eq!(
        split_list("Bash(git add a,b:*), Read,,mcp__x "),
        ["Bash(git add a,b:*)", "Read", "mcp__x"]
    );
    assert!(split_list(" ").is_empty());
}

#[test]
fn a_policy_survives_its_file_and_denies_what_it_cannot_read() {
    let policy = policy(Blacklist, &["Bash(rm:*)", "WebFetch"]);
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    assert!(serde_json::from_str::<Policy>(r#"{"mode":"blacklist","rules":["bash"]}"#).is_err());
    let payload = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"},"agent_id":"a"}"#;
    assert!(!policy.judge_payload(payload).is_allowed());
    assert!(!policy.judge_payload(b"{").is_allowed());
    assert!(!policy.judge_payload(b"{}").is_allowed());
    assert_eq!(
        policy.judge_payload(br#"{"tool_name":"Read"}"#),
        Judgement::Allowed
    );
}

#[test]
fn a_denial_is_answered_as_claude_code_expects_it_and_an_allowed_call_by_silence() {
    let denied = Judgement::denied("why");
    let answer: Value = serde_json::from_str(&denied.hook_answer().unwrap()).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    assert_eq!(
        output["permissionDecisionReason"],
        format!("{}why", super::DENIAL)
    );
    assert_eq!(Judgement::Allowed.hook_answer(), None);
}

#[test]
fn a_path_is_judged_by_where_links_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
    link("src", "out");
    link("..", "src/up");
    link("../nothing", "src/dangling");
    let judge = |mode, path: &str| {
        let policy = policy(mode, &["Write(src/**)"]).at(root.to_str().unwrap(), None);
        let call = ToolCall {
            tool_name: "Write".into(),
            tool_input: json!({"file_path": root.join(path)}),
            cwd: None,
        };
        policy.judge(&call).is_allowed()
    };
    for (path, whitelist, blacklist) in [
        ("src/new", true, false),
        ("src/new/deep", true, false),
        ("other", false, true),
        ("out/evil", true, false),
        ("src/up/evil", false, false),
        ("src/dangling", false, false),
    ] {
        assert_eq!(judge(Whitelist, path), whitelist, "{path}");
        assert_eq!(judge(Blacklist, path), blacklist, "{path}");
    }
}
