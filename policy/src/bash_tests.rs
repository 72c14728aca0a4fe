//! Command lines that try to get around a rule.

use super::bash_lines::{KEEPS, REMOVES};
use super::{Judgement, Policy, Rule, ToolCall, ToolMode};
use proptest::prelude::*;
use serde_json::json;

fn judge(mode: ToolMode, rules: &[&str], command: &str) -> Judgement {
    let rules = rules
        .iter()
        .map(|rule| Rule::parse(rule).unwrap())
        .collect();
    let policy = Policy {
        mode,
        rules,
        project: Some("/p".into()),
        home: None,
    };
    policy.judge(&ToolCall {
        tool_name: "Bash".into(),
        tool_input: json!({"command": command}),
        cwd: Some("/p".into()),
    })
}

#[test]
fn a_blacklist_finds_the_command_however_it_is_written() {
    for line in REMOVES {
        let judgement = judge(ToolMode::Blacklist, &["Bash(rm:*)"], line);
        assert!(!judgement.is_allowed(), "{line:?} was allowed");
    }
}

#[test]
fn a_blacklist_allows_what_is_not_the_command() {
    for line in KEEPS {
        assert_eq!(
            judge(ToolMode::Blacklist, &["Bash(rm:*)"], line),
            Judgement::Allowed,
            "{line:?}"
        );
    }
}

#[test]
fn a_whitelist_without_the_command_denies_all_ways_to_it() {
    for line in REMOVES {
        let rules = [
            "Bash(ls:*)",
            "Bash(echo:*)",
            "Bash(git:*)",
            "Bash(cat:*)",
            "Bash(env:*)",
            "Bash(find:*)",
            "Write",
        ];
        // Whoever allows git allows what git executes.
        if !line.starts_with("git ") {
            assert!(
                !judge(ToolMode::Whitelist, &rules, line).is_allowed(),
                "{line:?} was allowed"
            );
        }
    }
}

#[test]
fn a_whitelist_allows_lines_of_which_every_part_is_allowed() {
    for line in [
        "git",
        "git status",
        "git log --oneline | head -5",
        "git add . && git commit -m 'rm -rf; (x)'",
        "env X=1 git status",
        "X=1 git status",
        "timeout 5 git fetch",
        "bash -c 'git status; git log'",
        "git ls-files | xargs git add",
        "git log $(git rev-parse HEAD)",
        "(git status)",
        "if git diff --quiet; then git log; fi",
        "git log 2>/dev/null >&2",
        "for f in a b; do git add $f; done",
        "git add *.rs",
        "/usr/bin/env git log",
        "git commit -F - <<'EOF'\nrm x\nEOF",
        "command git status",
        // As Claude Code writes its commits.
        "git add -A && git commit -m \"$(cat <<'EOF'\nFix (it)\n\nFor `x`.\nEOF\n)\"",
    ] {
        let rules = ["Bash(git:*)", "Bash(head:*)", "Bash(cat:*)"];
        let judgement = judge(ToolMode::Whitelist, &rules, line);
        assert_eq!(judgement, Judgement::Allowed, "{line:?}");
    }
    for line in [
        "ls",
        "git status; ls",
        "git status | tee f",
        "git log $(ls)",
        "/tmp/evil/git status",
        "./git status",
        "sudo git status",
        "git status > f",
        "git log >> f",
        "gitx status",
        "git-status",
        "GIT status",
        "$x git",
        "> f",
        "",
        "# git",
        "git diff <(ls)",
        "find . -exec git add {} +",
        "xargs ls",
        "bash git",
        "/tmp/evil/env git log",
        "X=1",
        "git log &> f",
        "git log >| f",
        "git log >& f",
        "git log >&2f",
        "git log <> f",
    ] {
        let judgement = judge(ToolMode::Whitelist, &["Bash(git:*)", "Bash(head:*)"], line);
        assert!(!judgement.is_allowed(), "{line:?}");
    }
}

#[test]
fn a_rule_of_several_words_forbids_them_with_options_between() {
    let push = |line| judge(ToolMode::Blacklist, &["Bash(git push:*)"], line).is_allowed();
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
    let allows = |rule, line| judge(ToolMode::Whitelist, &[rule], line).is_allowed();
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
    let forbids = |rule, line| !judge(ToolMode::Blacklist, &[rule], line).is_allowed();
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
        reason(ToolMode::Blacklist, "Bash(rm:*)", "ls; rm -f x"),
        "the rule Bash(rm:*) forbids `rm -f x`"
    );
    assert_eq!(
        reason(ToolMode::Whitelist, "Bash(git:*)", "git log; ls"),
        "`ls` is not allowed: only Bash(git:*)"
    );
    assert_eq!(
        reason(ToolMode::Blacklist, "Bash(rm:*)", "[[ a ]]"),
        "the rules for Bash cannot be checked: it has `[[`; write it in a simpler form"
    );
    assert!(reason(ToolMode::Whitelist, "Bash(git:*)", "git log > f").contains("the file f"));
    assert!(
        reason(
            ToolMode::Blacklist,
            "Bash(rm:*)",
            &format!("rm {}", "ä".repeat(1000))
        )
        .len()
            < 600
    );
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
        assert!(!judge(ToolMode::Blacklist, rules, &line).is_allowed());
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_judge_panic(line in "(?s).{0,200}") {
        let _ = judge(ToolMode::Blacklist, &["Bash(rm:*)"], &line);
    }

    #[test]
    fn no_shell_text_makes_the_judge_panic(line in r#"[ab/.$&|;<>()\[\]{}'"`#=\n\\! -]{0,80}"#) {
        let _ = judge(ToolMode::Whitelist, &["Bash(a * b)"], &line);
    }

    #[test]
    fn a_command_is_found_after_any_harmless_one(before in prop::sample::select(KEEPS), separator in prop::sample::select(&["\n", " ; ", " && ", " || "][..])) {
        let ends_in_comment = before.contains('#') || before.ends_with('&') || before.is_empty();
        prop_assume!(separator == "\n" || (!ends_in_comment && !before.contains("EOF")));
        let line = format!("{before}{separator}rm x");
        prop_assert!(!judge(ToolMode::Blacklist, &["Bash(rm:*)"], &line).is_allowed(), "{}", line);
    }
}
