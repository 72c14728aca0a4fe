use super::{Judgement, Policy, Rule, RuleError, ToolCall, ToolMode, split_list};
use serde_json::{Value, json};

fn policy(mode: ToolMode, rules: &[&str]) -> Policy {
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

fn allows(mode: ToolMode, rules: &[&str], tool: &str, input: &Value) -> bool {
    let call = ToolCall {
        tool_name: tool.into(),
        tool_input: input.clone(),
        cwd: Some("/p/sub".into()),
    };
    policy(mode, rules).judge(&call).is_allowed()
}

#[test]
fn rules_without_a_pattern_are_about_the_whole_tool() {
    let none = json!({});
    assert!(allows(ToolMode::Whitelist, &["Read"], "Read", &none));
    assert!(!allows(ToolMode::Whitelist, &["Read"], "Write", &none));
    assert!(!allows(ToolMode::Whitelist, &["Read"], "ReadX", &none));
    assert!(!allows(ToolMode::Blacklist, &["Read"], "Read", &none));
    assert!(allows(ToolMode::Blacklist, &["Read"], "Write", &none));
    assert!(allows(ToolMode::All, &[], "Write", &none));
    assert!(!allows(ToolMode::Blacklist, &["Task"], "Agent", &none));
    assert!(allows(ToolMode::Whitelist, &["Agent"], "Task", &none));
}

#[test]
fn rules_name_mcp_servers_and_their_tools() {
    let none = json!({});
    for rule in [
        "mcp__github",
        "mcp__github__*",
        "mcp__github__get_*",
        "mcp__github__get_issue",
        "mcp__*",
    ] {
        assert!(
            allows(
                ToolMode::Whitelist,
                &[rule],
                "mcp__github__get_issue",
                &none
            ),
            "{rule}"
        );
        assert!(
            !allows(
                ToolMode::Blacklist,
                &[rule],
                "mcp__github__get_issue",
                &none
            ),
            "{rule}"
        );
    }
    for rule in [
        "mcp__git",
        "mcp__github__get",
        "mcp__github__set_*",
        "mcp__git__*",
        "Bash",
    ] {
        assert!(
            !allows(
                ToolMode::Whitelist,
                &[rule],
                "mcp__github__get_issue",
                &none
            ),
            "{rule}"
        );
    }
}

#[test]
fn a_tool_that_executes_commands_is_judged_as_bash_on_a_blacklist() {
    let input = json!({"command": "rm x"});
    assert!(!allows(
        ToolMode::Blacklist,
        &["Bash(rm:*)"],
        "Monitor",
        &input
    ));
    assert!(!allows(ToolMode::Blacklist, &["Bash"], "Monitor", &input));
    assert!(!allows(ToolMode::Whitelist, &["Bash"], "Monitor", &input));
    assert!(!allows(
        ToolMode::Blacklist,
        &["Bash(rm:*)"],
        "Bash",
        &json!({"command": 7})
    ));
    assert!(!allows(
        ToolMode::Whitelist,
        &["Bash(git:*)"],
        "Bash",
        &Value::Null
    ));
}

#[test]
fn files_are_compared_with_patterns() {
    let file = |path: &str| json!({"file_path": path});
    assert!(allows(
        ToolMode::Whitelist,
        &["Edit(src/**)"],
        "Edit",
        &file("/p/src/a")
    ));
    assert!(!allows(
        ToolMode::Whitelist,
        &["Edit(src/**)"],
        "Edit",
        &file("/p/src/../a")
    ));
    assert!(!allows(
        ToolMode::Whitelist,
        &["Edit(src/**)"],
        "Write",
        &file("/p/src/a")
    ));
    assert!(!allows(
        ToolMode::Blacklist,
        &["Edit(.env)"],
        "Write",
        &file("/p/.env")
    ));
    assert!(!allows(
        ToolMode::Blacklist,
        &["Read(.env)"],
        "Read",
        &file("../.env")
    ));
    assert!(allows(
        ToolMode::Blacklist,
        &["Read(.env)"],
        "Write",
        &file("/p/.env")
    ));
    assert!(!allows(
        ToolMode::Blacklist,
        &["Read(~/.ssh/**)"],
        "Grep",
        &json!({"path": "/home/a/.ssh/x"})
    ));
    assert!(
        !allows(ToolMode::Blacklist, &["Read(.env)"], "Read", &json!({})),
        "what cannot be told is denied"
    );
}

#[test]
fn hosts_and_names_are_compared_with_patterns() {
    let url = |url: &str| json!({"url": url});
    let rule = &["WebFetch(domain:example.com)"];
    assert!(allows(
        ToolMode::Whitelist,
        rule,
        "WebFetch",
        &url("https://Example.com:8080/x")
    ));
    for other in [
        "https://evil.com/@example.com",
        "https://example.com@evil.com",
        "https://example.com.evil.com",
        "https://a.example.com",
        "x",
        "https://evil.com\\@example.com/",
    ] {
        assert!(
            !allows(ToolMode::Whitelist, rule, "WebFetch", &url(other)),
            "{other}"
        );
    }
    assert!(allows(
        ToolMode::Whitelist,
        &["WebFetch(domain:*.example.com)"],
        "WebFetch",
        &url("https://a.example.com")
    ));
    assert!(!allows(
        ToolMode::Blacklist,
        rule,
        "WebFetch",
        &url("https://user:x@example.com./")
    ));
    assert!(allows(
        ToolMode::Whitelist,
        &["Agent(Explore)"],
        "Agent",
        &json!({"subagent_type": "Explore"})
    ));
    assert!(!allows(
        ToolMode::Whitelist,
        &["Task(Explore)"],
        "Agent",
        &json!({"subagent_type": "Plan"})
    ));
}

#[test]
fn a_rule_that_would_mean_nothing_is_refused() {
    let error = |rule: &str| Rule::parse(rule).unwrap_err();
    assert_eq!(error(" "), RuleError::Empty);
    assert_eq!(
        error("bash").to_string(),
        "\"bash\" is not a tool; the tool's name is Bash"
    );
    assert!(matches!(error("Bash(rm"), RuleError::Shape(_)));
    assert!(matches!(error("(rm)"), RuleError::Shape(_)));
    assert!(matches!(error("--help"), RuleError::Shape(_)));
    assert!(matches!(error("Read Write"), RuleError::Shape(_)));
    assert!(matches!(error("Bash()"), RuleError::Pattern { .. }));
    assert!(matches!(
        error("WebFetch(example.com)"),
        RuleError::Pattern { .. }
    ));
    for pattern in ["Bash(echo \"a b\")", "Bash(a && b)", "Bash(a; b:*)"] {
        assert!(
            matches!(error(pattern), RuleError::Pattern { .. }),
            "{pattern}"
        );
    }
    assert!(matches!(error("mcp__a__b(x)"), RuleError::NoPattern { .. }));
    assert!(matches!(error("Read(../x)"), RuleError::Pattern { .. }));
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
    let policy = policy(ToolMode::Blacklist, &["Bash(rm:*)", "WebFetch"]);
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
        let policy = Policy {
            mode,
            rules: vec![Rule::parse("Write(src/**)").unwrap()],
            project: Some(root.to_string_lossy().into_owned()),
            home: None,
        };
        let call = ToolCall {
            tool_name: "Write".into(),
            tool_input: serde_json::json!({"file_path": root.join(path)}),
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
        assert_eq!(judge(ToolMode::Whitelist, path), whitelist, "{path}");
        assert_eq!(judge(ToolMode::Blacklist, path), blacklist, "{path}");
    }
}
