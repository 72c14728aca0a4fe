//! Ways in which git executes other commands.

use super::word::Word;

/// Starts of settings that `git -c` may have without executing anything.
const HARMLESS_SETTINGS: &str =
    "user. color. advice. core.quotepath core.autocrlf commit.gpgsign=false init.defaultbranch";

/// Starts of settings whose values git executes.
const EXECUTED_SETTINGS: &str = "alias. core.pager core.editor core.sshcommand core.hookspath core.fsmonitor core.askpass pager. filter. credential. diff. merge. mergetool. difftool. gpg. submodule. sequence. browser. sendemail. interactive. uploadpack.";

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

/// Returns whether a word is a setting whose value git executes.
fn sets_executed(word: &Word) -> bool {
    let key = word.text.to_ascii_lowercase();
    let is_remote = key.starts_with("remote.") && key.ends_with("pack");
    is_remote || word.splits || starts_with_one_of(&key, EXECUTED_SETTINGS)
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
    // An expansion can be an option, or the command.
    if arguments.iter().take(at + 1).any(|word| word.splits) {
        return true;
    }
    let Some((command, rest)) = arguments.get(at..).and_then(<[Word]>::split_first) else {
        return false;
    };
    let has = |starts| {
        let is_option = |word: &Word| word.splits || is_one_of(&word.text, starts);
        rest.iter().any(is_option)
    };
    let has_letter = |letter| {
        let is_cluster = |text: &str| text.starts_with('-') && !text.starts_with("--");
        let has = |word: &Word| is_cluster(&word.text) && word.text.contains(letter);
        rest.iter().any(has)
    };
    match &*command.text {
        "filter-branch" | "difftool" | "mergetool" | "fetch-pack" | "send-pack" | "remote-ext"
        | "remote-fd" | "send-email" | "instaweb" | "hook" => true,
        "submodule" => has("foreach"),
        "bisect" => has("run"),
        "rebase" => has("-x --exec") || has_letter('x'),
        "grep" => has("-O --open-files-in-pager") || has_letter('O'),
        "config" => rest.iter().any(sets_executed),
        "clone" if has_letter('u') || has_letter('c') => true,
        "clone" | "fetch" | "pull" | "push" | "ls-remote" | "archive" => has(EXECUTED_OPTIONS),
        _ => false,
    }
}
