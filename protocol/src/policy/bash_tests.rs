//! Command lines that try to get around a rule.

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

/// Lines that execute rm, or that could.
const REMOVES: &[&str] = &[
    "rm",
    "rm -rf x",
    "  rm x",
    "rm\t-f x",
    "/bin/rm x",
    "/usr/bin/../bin/rm x",
    "\\rm x",
    "'rm' x",
    "r\"m\" x",
    "r''m x",
    "$'rm' x",
    "$'\\x72m' x",
    "$\"rm\" x",
    "RM x",
    "ls; rm x",
    "ls && rm x",
    "false || rm x",
    "ls | rm x",
    "ls |& rm x",
    "ls & rm x",
    "ls\nrm x",
    "ls;rm x",
    "ls&&rm x",
    "(rm x)",
    "( ls; ( rm x ) )",
    "{ rm x; }",
    "! rm x",
    "if true; then rm x; fi",
    "while rm x; do ls; done",
    "until rm x; do :; done",
    "for f in a b; do rm $f; done",
    "for f in $(rm x); do ls; done",
    "case a in a) rm x;; esac",
    "echo $(rm x)",
    "echo \"$(rm x)\"",
    "echo \"a $(ls $(rm x)) b\"",
    "echo `rm x`",
    "echo \"`rm x`\"",
    "echo `echo \\`rm x\\``",
    "cat <(rm x)",
    "ls > >(rm x)",
    "cat <<EOF\n$(rm x)\nEOF",
    "cat <<EOF\n`rm x`\nEOF",
    "cat <<'EOF'\ntext\nEOF\nrm x",
    "cat <<-E\n\tt\n\tE\nrm x",
    "echo ${x:-$(rm x)}",
    "echo \"${x:-`rm x`}\"",
    "x=$(rm y) ls",
    "x=1 rm y",
    "x=1 y=2 rm z",
    ">f rm x",
    "2>&1 rm x",
    "<f rm x",
    "rm x # no",
    "rm \\\n x",
    "r\\\nm x",
    "env rm x",
    "env X=1 rm y",
    "env -i rm x",
    "env -u A -C /tmp rm x",
    "env -S 'rm x'",
    "sudo rm x",
    "sudo -u root rm x",
    "sudo -E X=1 rm x",
    "doas rm x",
    "nohup rm x &",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "timeout 5 rm x",
    "timeout -k 3 5 rm x",
    "timeout --signal=KILL 5 rm x",
    "time rm x",
    "stdbuf -oL rm x",
    "setsid rm x",
    "command rm x",
    "command -p rm x",
    "builtin rm x",
    "exec rm x",
    "exec -a ls rm x",
    "noglob rm x",
    "sudo env X=1 nice timeout 5 rm x",
    "nice --unknown 5 rm x",
    "x='5 rm'; timeout $x y",
    "env X=$y ls",
    "env X=\"$@\" ls",
    "nice -n ${x[@]} ls",
    "bash -o $x -c ls",
    "bash -c 'rm x'",
    "sh -c \"rm x\"",
    "/bin/bash -lc 'cd a && rm x'",
    "bash -o pipefail -c 'rm x'",
    "bash -ec 'bash -c \"rm x\"'",
    "bash -c \"$x\"",
    "bash -c '$0 x' rm",
    "bash -c '\"$@\"' _ rm x",
    "bash script.sh",
    "bash < f",
    "echo rm x | sh",
    "sh <<EOF\nrm x\nEOF",
    "bash -s < f",
    "bash <(echo rm x)",
    "bash --rcfile f -i",
    "eval rm x",
    "eval 'rm x'",
    "eval \"$x\"",
    "trap 'rm x' EXIT",
    "source f",
    ". ./f",
    "alias ls=rm; ls x",
    "ls | xargs rm",
    "xargs -n 1 -I{} rm {} < f",
    "xargs -0 sudo rm",
    "xargs sh -c 'rm \"$@\"' _",
    "xargs -I{} sh -c 'ls {}'",
    "xargs -I % % x",
    "find . -name x -exec rm {} +",
    "find . -exec rm {} \\;",
    "find . -exec ls {} \\; -exec rm {} \\;",
    "find . -execdir sh -c 'rm {}' \\;",
    "fd x -x rm",
    "$x y",
    "${x} y",
    "$(echo rm) x",
    "r$x y",
    "r* x",
    "/bin/r? x",
    "{rm,-rf,x}",
    "x=rm; $x y",
    "x=(rm y); \"${x[@]}\"",
    "=rm x",
    "f() { rm x; }; f",
    "function f { rm x; }; f",
    "ls() { rm x; }",
    "coproc rm x",
    "if [ a ] { rm x }",
    "{ ls } always { rm x }",
    "repeat 3 rm x",
    "[[ a == $(rm x) ]]",
    "[[ -v a ]] && ls",
    "echo $((x[$(rm y)]))",
    "x='a[$(rm y)]'; echo $((x))",
    "((x))",
    "let x=1",
    "declare -i 'x=a[$(rm y)]'",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' 1",
    "x='$(rm y)'; echo ${x@P}",
    "echo ${!x}",
    "echo ${x[$y]}",
    "echo $[x]",
    "PATH=/tmp/evil ls",
    "PATH=/tmp/evil; ls",
    "export PATH=/tmp/evil; ls",
    "env LD_PRELOAD=x ls",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "BASH_ENV=f bash -c ls",
    "PS4='$(rm x)' bash -xc ls",
    "PROMPT_COMMAND='rm x' bash -i",
    "git -c alias.x='!rm y' x",
    "git submodule foreach 'rm x'",
    "git bisect run rm x",
    "git rebase -x 'rm x' main",
    "git config alias.x '!rm y'",
    "watch rm x",
    "parallel rm ::: x",
    "ssh localhost rm x",
    "su -c 'rm x'",
    "busybox rm x",
    "flock f rm x",
    "script -c 'rm x'",
    "unshare rm x",
    "echo 'a",
    "echo \"a",
    "echo $(ls",
    "(ls",
    "ls)",
    "echo `ls",
    "ls >",
    "ls \\",
    "rm\0 x",
    "ls >! f rm x",
    "{fd}>f rm x",
    "case x in",
    "ls;; rm x",
];

/// Lines that do not execute rm, though some look like it.
const KEEPS: &[&str] = &[
    "ls",
    "ls -la; pwd",
    "rmdir x",
    "git rm x",
    "echo rm x",
    "echo 'rm x'",
    "echo '$(rm x)'",
    "echo \"; rm x\"",
    "echo \\; rm x",
    "ls # && rm x",
    "git commit -m \"rm x; done\" && git push",
    "cat <<'EOF'\n$(rm x)\nEOF",
    "grep -r 'rm -rf' .",
    "firm x",
    "./rm.sh",
    "bash -c 'ls; pwd'",
    "env X=1 ls",
    "env X=\"$y\" ls",
    "find . -name rm",
    "find . -exec ls {} +",
    "ls | xargs ls",
    "npm test 2>&1 | tail -5",
    "cargo test > log 2>&1",
    "for f in a b; do echo $f; done",
    "if [ -f x ]; then cat x; fi",
    "x=1; echo $x",
    "echo ${x:-a} ${x%.*} ${#x} ${a[0]} ${x:1:2}",
    "awk '{print $1}' f",
    "echo $((1 + 2))",
    "command -v rm",
    "diff <(ls a) <(ls b)",
    "echo {a,b}",
    "ls *.rs",
    "cd ~/x && make",
    "git show stash@{0}",
    "true && false || :",
    "sudo -n ls",
    "nohup ls > /dev/null 2>&1 &",
    "while read -r l; do echo \"$l\"; done < f",
    "git -c user.name=a commit -m b",
    "set -euo pipefail; ls",
    "export X=1; ls",
    "eval 'ls -l'",
    "printf '%s\\n' \"$x\"",
    "echo \"${x}\" '`rm`'",
    "",
];

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
    ] {
        let judgement = judge(ToolMode::Whitelist, &["Bash(git:*)", "Bash(head:*)"], line);
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
