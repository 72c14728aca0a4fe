//! Ways in which git executes other commands.

use super::word::Word;

/// Settings that `git -c` may have without executing anything.
const HARMLESS_SETTINGS: &[&str] = &[
    "user.",
    "color.",
    "advice.",
    "core.quotepath",
    "core.autocrlf",
    "commit.gpgsign=false",
    "init.defaultbranch",
];

/// Settings whose values git executes.
const EXECUTED_SETTINGS: &[&str] = &[
    "alias.",
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.hookspath",
    "core.fsmonitor",
    "pager.",
    "filter.",
    "credential.",
];

/// Returns whether git is asked to execute other commands.
pub(super) fn executes(arguments: &[Word]) -> bool {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        let text = &*word.text;
        if text.starts_with("--config-env") || text.starts_with("--exec-path=") {
            return true;
        }
        if text == "-c" {
            let setting = arguments
                .get(at + 1)
                .filter(|word| word.known)
                .map(|word| word.text.to_ascii_lowercase());
            let is_harmless = |setting: &String| {
                HARMLESS_SETTINGS
                    .iter()
                    .any(|harmless| setting.starts_with(harmless))
            };
            if !setting.as_ref().is_some_and(is_harmless) {
                return true;
            }
        }
        at += if matches!(
            text,
            "-c" | "-C" | "--git-dir" | "--work-tree" | "--namespace"
        ) {
            2
        } else {
            1
        };
    }
    let Some((command, rest)) = arguments.get(at..).and_then(<[Word]>::split_first) else {
        return false;
    };
    let has = |options: &[&str]| {
        rest.iter()
            .any(|word| options.iter().any(|option| word.text.starts_with(option)))
    };
    match &*command.text {
        "filter-branch" | "difftool" | "mergetool" => true,
        "submodule" => has(&["foreach"]),
        "bisect" => has(&["run"]),
        "rebase" => has(&["-x", "--exec"]),
        "grep" => has(&["-O", "--open-files-in-pager"]),
        "config" => has(EXECUTED_SETTINGS),
        "clone" | "fetch" | "pull" | "push" | "ls-remote" | "archive" => has(&[
            "-c",
            "--config",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "-u=",
            "ext::",
        ]),
        _ => false,
    }
}
