//! Ways in which git executes other commands.

use super::word::Word;

/// Starts of settings that `git -c` may have without executing anything.
const HARMLESS_SETTINGS: &str =
    "user. color. advice. core.quotepath core.autocrlf commit.gpgsign=false init.defaultbranch";

/// Starts of settings whose values git executes.
const EXECUTED_SETTINGS: &str = "alias. core.pager core.editor core.sshcommand core.hookspath core.fsmonitor pager. filter. credential.";

/// Options with which a command that talks to another repository executes something.
const EXECUTED_OPTIONS: &str = "-c --config --upload-pack --receive-pack --exec -u= ext::";

fn starts_with_one_of(word: &str, starts: &str) -> bool {
    starts.split(' ').any(|start| word.starts_with(start))
}

/// Returns whether a word is one of these options; git accepts their abbreviations.
fn is_one_of(word: &str, options: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let is_short_for =
        |option: &str| name.len() > 2 && name.starts_with("--") && option.starts_with(name);
    starts_with_one_of(word, options) || options.split(' ').any(is_short_for)
}

/// Returns whether git is asked to execute other commands.
pub(super) fn executes(arguments: &[Word]) -> bool {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        let text = &*word.text;
        if text.starts_with("--config-env") || text.starts_with("--exec-path=") {
            return true;
        }
        if text == "-c" {
            let setting = arguments.get(at + 1).filter(|word| word.known);
            let is_harmless = |word: &Word| {
                starts_with_one_of(&word.text.to_ascii_lowercase(), HARMLESS_SETTINGS)
            };
            if !setting.is_some_and(is_harmless) {
                return true;
            }
        }
        let with_value = ["-c", "-C", "--git-dir", "--work-tree", "--namespace"];
        at += 1 + usize::from(with_value.contains(&text));
    }
    let Some((command, rest)) = arguments.get(at..).and_then(<[Word]>::split_first) else {
        return false;
    };
    let has = |starts| rest.iter().any(|word| is_one_of(&word.text, starts));
    match &*command.text {
        "filter-branch" | "difftool" | "mergetool" => true,
        "submodule" => has("foreach"),
        "bisect" => has("run"),
        "rebase" => has("-x --exec"),
        "grep" => has("-O --open-files-in-pager"),
        "config" => rest
            .iter()
            .any(|word| starts_with_one_of(&word.text.to_ascii_lowercase(), EXECUTED_SETTINGS)),
        "clone" | "fetch" | "pull" | "push" | "ls-remote" | "archive" => has(EXECUTED_OPTIONS),
        _ => false,
    }
}
