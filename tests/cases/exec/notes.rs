//! What a run reports beside its answer: on standard error for people and scripts that read the text, and as warnings.

use super::desk::Desk;

const DENIED: &str = r#"line '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Permission to use Bash with command x has been denied."}]}}'"#;

#[test]
fn text_without_a_terminal_has_changes_and_denied_calls_on_standard_error() {
    let desk = Desk::with_script(&format!(
        "init; bash_call 'rm -rf /'; {DENIED}; echo two >> a.txt; echo x > b.txt; result"
    ));
    let ran = desk.run(&["do it"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "Done.\n"), "{ran:?}");
    assert_eq!(
        ran.stderr,
        "ccctl: changed 2 files, +2 -0: a.txt, b.txt\nccctl: denied 1 tool call: Bash: rm -rf /\n"
    );
    let quiet = Desk::with_script("init; result");
    assert_eq!(quiet.run(&["do it"]).stderr, "");
    let ran = quiet.run(&["do it", "--worktree"]);
    let place = ran.stderr.strip_prefix("ccctl: the work is in ").unwrap();
    let (path, branch) = place.trim_end().split_once(", on the branch ").unwrap();
    let head = std::fs::read_to_string(
        quiet
            .repository()
            .join(".git/worktrees")
            .join(std::path::Path::new(path).file_name().unwrap())
            .join("HEAD"),
    )
    .unwrap();
    assert_eq!(head, format!("ref: refs/heads/{branch}\n"));
}

#[test]
fn a_rule_that_names_no_tool_is_a_warning() {
    let tools =
        r#"line '{"type":"system","subtype":"init","tools":["Bash","Brandnew","mcp__a__b"]}'"#;
    let desk = Desk::with_script(&format!("{tools}; result"));
    let warned =
        "Claude Code has no tool of this name, so the rule does nothing; check its spelling: ";
    for (option, rules, unknown) in [
        ("--allowed-tools", "Nosuch", Some("Nosuch")),
        ("--allowed-tools", "Read,Nosuch,Bsh", Some("Nosuch, Bsh")),
        ("--disallowed-tools", "WebFetsh", Some("WebFetsh")),
        (
            "--allowed-tools",
            "Bash(git:*),Edit(src/**),Task,TaskCreate,mcp__x",
            None,
        ),
        ("--allowed-tools", "Brandnew", None),
        ("--disallowed-tools", "WebFetch,Workflow", None),
    ] {
        let (code, document) = desk.document(&["do it", option, rules]);
        assert_eq!(code, 0, "{document}");
        let expected: Vec<String> = unknown
            .iter()
            .map(|unknown| format!("{warned}{unknown}"))
            .collect();
        assert_eq!(document["warnings"], serde_json::json!(expected), "{rules}");
    }
    let ran = desk.run(&["do it", "--allowed-tools", "Nosuch"]);
    assert_eq!(ran.stderr, format!("ccctl: {warned}Nosuch\n"));
}
