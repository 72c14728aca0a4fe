//! Command lines that try to get around a rule.

use super::ToolMode::{self, Blacklist, Whitelist};
use super::policy_tests::policy;
use super::{Judgement, ToolCall};
use proptest::prelude::*;
use serde_json::json;

/// Lines that execute rm, or that could. The last ones were found by comparing random lines with what bash, zsh and dash
/// execute.
fn removes() -> Vec<String> {
    let mut all = lines(include_str!("../tests/fixtures/removes.jsonl"));
    // Each `-exec` may begin a command, and all of these together would not fit into memory.
    let many = "-exec ".repeat(40_000);
    all.push(format!("find . -exec rm x \\; -exec true {many}\\;"));
    all
}

/// Lines that do not execute rm, though some look like it.
fn keeps() -> Vec<String> {
    lines(include_str!("../tests/fixtures/keeps.jsonl"))
}

fn lines(file: &str) -> Vec<String> {
    let lines = file.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn judge(mode: ToolMode, rules: &[&str], command: &str) -> Judgement {
    policy(mode, rules).judge(&ToolCall {
        tool_name: "Bash".into(),
        tool_input: json!({"command": command}),
        cwd: Some("/p".into()),
    })
}

#[test]
fn a_blacklist_finds_the_command_however_it_is_written() {
    for line in removes() {
        let judgement = judge(Blacklist, &["Bash(rm:*)"], &line);
        assert!(!judgement.is_allowed(), "{line:?} was allowed");
    }
}

#[test]
fn a_blacklist_allows_what_is_not_the_command() {
    for line in keeps() {
        let judgement = judge(Blacklist, &["Bash(rm:*)"], &line);
        assert_eq!(judgement, Judgement::Allowed, "{line:?}");
    }
}

#[test]
fn a_whitelist_without_the_command_denies_all_ways_to_it() {
    for line in removes() {
        let builtins = include_str!("shell/evaluating.txt").lines();
        let programs = [
            "ls", "echo", "git", "cat", "env", "find", "builtin", "eval", "trap",
        ]
        .into_iter()
        .chain(builtins);
        let rules: Vec<String> = programs
            .map(|program| format!("Bash({program}:*)"))
            .collect();
        let rules = rules.iter().map(String::as_str).chain(["Write"]);
        let judgement = judge(Whitelist, &rules.collect::<Vec<_>>(), &line);
        // Whoever allows git allows what git executes.
        let is_right = line.starts_with("git ") || !judgement.is_allowed();
        assert!(is_right, "{line:?} was allowed");
    }
}

#[test]
fn a_whitelist_allows_lines_of_which_every_part_is_allowed() {
    for line in lines(include_str!("../tests/fixtures/allowed.jsonl")) {
        let programs = [
            "git", "head", "cat", "printf", "test", "[", "read", "export", "alias", "hash", "eval",
        ];
        let rules = programs.map(|program| format!("Bash({program}:*)"));
        let judgement = judge(Whitelist, &rules.each_ref().map(String::as_str), &line);
        assert_eq!(judgement, Judgement::Allowed, "{line:?}");
    }
    for line in lines(include_str!("../tests/fixtures/denied.jsonl")) {
        let judgement = judge(Whitelist, &["Bash(git:*)", "Bash(head:*)"], &line);
        assert!(!judgement.is_allowed(), "{line:?}");
    }
}

#[test]
fn a_rule_of_several_words_forbids_them_with_options_between() {
    let push = |line| judge(Blacklist, &["Bash(git push:*)"], line).is_allowed();
    for line in [
        "git push",
        "git push -f",
        "git -C x push",
        "git --no-pager -C x push origin",
        "/usr/bin/git push",
        "git $x",
        "git \"$@\"",
        "git pus*",
        "echo push | xargs git",
    ] {
        assert!(!push(line), "{line}");
    }
    for line in [
        "git pull",
        "git commit -m push",
        "git log push",
        "git log $x",
        "echo git push",
    ] {
        assert!(push(line), "{line}");
    }
}

#[test]
fn patterns_have_three_forms() {
    let allows = |rule, line| judge(Whitelist, &[rule], line).is_allowed();
    for (rule, line, is_allowed) in [
        ("Bash(git status)", "git status", true),
        ("Bash(git status)", "git status -s", false),
        ("Bash(git status:*)", "git status -s", true),
        ("Bash(git status:*)", "git statusx", false),
        ("Bash(git status *)", "git status", true),
        ("Bash(npm run test*)", "npm run test:unit", true),
        ("Bash(npm run test*)", "npm run lint", false),
        ("Bash(* --version)", "node --version", true),
        ("Bash(* --version)", "$x --version", false),
        ("Bash(git * main)", "git push origin main", true),
        ("Bash(git push:*)", "git -C x push", false),
        ("Bash(git push:*)", "git $x", false),
        ("Bash(*)", "anything; at all $(x)", true),
        ("Bash(:*)", "ls", true),
        ("Bash(bash:*)", "bash script.sh", true),
        ("Bash(bash:*)", "bash -c 'rm x'", false),
        ("Bash(./run.sh)", "./run.sh", true),
    ] {
        assert_eq!(allows(rule, line), is_allowed, "{rule} {line}");
    }
    let forbids = |rule, line| !judge(Blacklist, &[rule], line).is_allowed();
    for (rule, line, is_forbidden) in [
        ("Bash(git push)", "git push", true),
        ("Bash(git push)", "git push -f", false),
        ("Bash(git * --force*)", "git push --force-with-lease", true),
        ("Bash(git * --force*)", "git push", false),
        ("Bash(* --force)", "git push --force", true),
        ("Bash(* --force)", "git push $x", true),
        ("Bash(curl *)", "/usr/bin/curl x", true),
    ] {
        assert_eq!(forbids(rule, line), is_forbidden, "{rule} {line}");
    }
}

#[test]
fn the_reason_names_the_rule_or_what_is_not_understood() {
    let reason = |mode, rule, line| match judge(mode, &[rule], line) {
        Judgement::Denied { reason } => reason,
        Judgement::Allowed => panic!("{line}"),
    };
    assert_eq!(
        reason(Blacklist, "Bash(rm:*)", "ls; rm -f x"),
        "the rule Bash(rm:*) forbids `rm -f x`"
    );
    assert_eq!(
        reason(Whitelist, "Bash(git:*)", "git log; ls"),
        "`ls` is not allowed: only Bash(git:*)"
    );
    assert_eq!(
        reason(Blacklist, "Bash(rm:*)", "[[ a ]]"),
        "the rules for Bash cannot be checked: it has `[[`; write it in a simpler form"
    );
    assert_eq!(
        reason(Blacklist, "Bash(rm:*)", "make -j $(nproc)"),
        "the rules for Bash cannot be checked: an expansion without quotation marks can be an option of `make`; write it in a simpler form"
    );
    assert!(reason(Whitelist, "Bash(git:*)", "git log > f").contains("the file f"));
    let long = format!("rm {}", "ä".repeat(1000));
    assert!(reason(Blacklist, "Bash(rm:*)", &long).len() < 600);
}

#[test]
fn long_and_deep_lines_are_denied_quickly() {
    let rules = &["Bash(rm:*)"];
    for line in [
        "$(".repeat(100_000),
        "(".repeat(100_000),
        "`".repeat(100_000),
        "bash -c ".repeat(10_000),
        "ls;".repeat(200_000),
        "\"$(".repeat(50_000),
        "${x:-".repeat(50_000),
        "sudo ".repeat(20_000),
    ] {
        assert!(!judge(Blacklist, rules, &line).is_allowed());
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_judge_panic(line in "(?s).{0,200}") {
        let _ = judge(Blacklist, &["Bash(rm:*)"], &line);
    }

    #[test]
    fn no_shell_text_makes_the_judge_panic(line in r#"[ab/.$&|;<>()\[\]{}'"`#=\n\\! -]{0,80}"#) {
        let _ = judge(Whitelist, &["Bash(a * b)"], &line);
    }

    #[test]
    fn a_command_is_found_after_any_harmless_one(before in prop::sample::select(keeps()), separator in prop::sample::select(&["\n", " ; ", " && ", " || "][..])) {
        let ends_in_comment = before.contains('#') || before.ends_with('&') || before.is_empty();
        prop_assume!(separator == "\n" || (!ends_in_comment && !before.contains("EOF")));
        let line = format!("{before}{separator}rm x");
        prop_assert!(!judge(Blacklist, &["Bash(rm:*)"], &line).is_allowed(), "{}", line);
    }
}
