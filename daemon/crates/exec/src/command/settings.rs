//! The settings of one run, for the option `--settings`.

use ccd_base::shell::quoted;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Time limit of the hook in seconds. A hook that exceeds its limit decides nothing, so the limit is far beyond what it
/// needs.
const HOOK_TIMEOUT_S: u32 = 600;

/// Variables that turn all hooks off if they are true, and that the user's settings could set as well.
const WITHOUT_HOOKS: [&str; 2] = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];

/// Returns settings whose hook judges every call of a tool by the policy in a file, with this `ccctl`.
/// Claude Code carries a call out if its hook fails in any other way than with exit code 2, or if the program is
/// missing, so the command line turns every failure into that code. Settings and variables of the user and of the project cannot
/// turn the hook off; the settings of the system's administrator can.
#[must_use]
pub fn settings(ccctl: &str, policy_file: &str) -> Value {
    let command = format!(
        "{} hook --policy {} || exit 2",
        quoted(ccctl),
        quoted(policy_file)
    );
    json!({
        "disableAllHooks": false,
        "env": WITHOUT_HOOKS.map(|name| (name, "0")).into_iter().collect::<BTreeMap<_, _>>(),
        "hooks": {"PreToolUse": [{
            "matcher": "*",
            "hooks": [{"type": "command", "command": command, "timeout": HOOK_TIMEOUT_S}],
        }]},
    })
}

#[cfg(test)]
mod tests {
    use super::settings;

    #[test]
    fn the_hook_fails_closed_and_its_paths_are_quoted() {
        let settings = settings("/opt/a b/ccctl", "/run/{x,y}/it's");
        let group = &settings["hooks"]["PreToolUse"][0];
        assert_eq!(group["matcher"], "*");
        assert_eq!(settings["disableAllHooks"], false);
        assert_eq!(settings["env"]["CLAUDE_CODE_SIMPLE"], "0");
        assert_eq!(
            group["hooks"][0]["command"],
            r"'/opt/a b/ccctl' hook --policy '/run/{x,y}/it'\''s' || exit 2"
        );
    }
}
