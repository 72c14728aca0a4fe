//! The plugin in the real Claude Code.

use super::claude::run_as_nobody;
use crate::support::assert_has;
use serde_json::{Value, json};
use std::fs;

/// What is run as nobody, in a network namespace of its own. Each run leaves its output in a file.
const SCRIPT: &str = r#"
set -eu
cd "$HOME/repo"
run() {
    out=$HOME/$1; shift
    python3 "$HOME/api.py" run -- "$CLAUDE" -p hello --output-format stream-json --verbose "$@" </dev/null >"$out" 2>&1 || { cat "$out" >&2; exit 1; }
}
ccctl hooks plugin "$HOME/plugin" >&2
"$CLAUDE" plugin validate --strict "$HOME/plugin" >&2
run named --plugin-dir "$HOME/plugin"
ccctl hooks plugin "$HOME/.claude/skills/ccd" >&2
run installed
ccctl hooks status --json > "$HOME/status" || true
ccctl hooks install >&2
ccctl hooks status > "$HOME/twice" || true
rm -r "$HOME/.claude/skills/ccd"
run removed
"#;

/// The names in a list of the first record that Claude Code prints.
fn names(init: &Value, list: &str) -> Vec<String> {
    let items = init[list].as_array().unwrap().iter();
    let name = |item: &Value| item.as_str().or(item["name"].as_str()).map(str::to_owned);
    items.filter_map(name).collect()
}

#[test]
fn the_real_claude_code_loads_every_part_of_the_plugin() {
    let Some((home, output)) = run_as_nobody(&[("script", SCRIPT)]) else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let parts = [
        ("plugins", "ccd"),
        ("skills", "ccd:terminal-sessions"),
        (
            "slash_commands",
            "ccd:coach ccd:memory ccd:exec ccd:terminal-sessions",
        ),
        ("mcp_servers", "plugin:ccd:ccd"),
    ];
    for (run, is_there) in [("named", true), ("installed", true), ("removed", false)] {
        let text = fs::read_to_string(home.path().join(run)).unwrap();
        let lines = text.lines();
        let mut records = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let init = records.find(|record| record["subtype"] == "init").unwrap();
        for (list, wanted) in parts {
            let found = names(&init, list);
            for name in wanted.split(' ') {
                let is_found = found.iter().any(|found| found == name);
                assert_eq!(is_found, is_there, "{run}: {name}: {found:?}");
            }
        }
    }
    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    let status: Value = serde_json::from_str(&read("status")).unwrap();
    assert_eq!(status["events"][0]["installed"][0], "plugin", "{status}");
    let twice = read("twice");
    assert_has(&twice, ["installed twice", "user, plugin"]);
}

/// Each run is a slash command, after which the model wants to carry out two commands.
const COMMANDS: &str = r#"
set -eu
cd "$HOME/repo"
git init -q
ccctl hooks plugin "$HOME/.claude/skills/ccd" >&2
run() {
    name=$1; shift
    python3 "$HOME/api.py" run --script "$HOME/$name.json" -- "$CLAUDE" -p "$@" --output-format json </dev/null >"$HOME/$name.out" 2>"$HOME/errors" || { cat "$HOME/errors" "$HOME/$name.out" >&2; exit 1; }
}
run coach '/ccd:coach'
run memory '/ccd:memory status'
run exec '/ccd:exec list'
ccctl daemon stop --force >&2
"#;

#[test]
fn commands_of_the_plugin_read_without_asking_and_decide_nothing() {
    let runs = [
        ("coach", "ccctl coach review", "ccctl coach approve 3f2a"),
        ("memory", "ccctl memory status", "ccctl memory link --yes"),
        ("exec", "ccctl exec list", "ccctl exec --worktree -- hello"),
    ];
    let bash = |command: &str| json!({"tool": {"name": "Bash", "input": {"command": command, "description": "run"}}});
    let scripts: Vec<(String, String)> = runs
        .iter()
        .map(|(name, read, decide)| {
            let steps = json!([bash(read), bash(decide), "Done."]);
            (format!("{name}.json"), steps.to_string())
        })
        .collect();
    let scripts = scripts.iter().map(|(name, text)| (&**name, &**text));
    let files: Vec<_> = [("script", COMMANDS)].into_iter().chain(scripts).collect();
    let Some((home, output)) = run_as_nobody(&files) else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    for (name, _, decide) in runs {
        let text = fs::read_to_string(home.path().join(format!("{name}.out"))).unwrap();
        let result: Value = serde_json::from_str(&text).unwrap();
        let denied = result["permission_denials"].as_array().unwrap().iter();
        let denied: Vec<&str> = denied
            .filter_map(|denial| denial["tool_input"]["command"].as_str())
            .collect();
        assert_eq!(denied, [decide], "{result:#}");
        assert_eq!(result["result"], "Done.", "{result:#}");
    }
}
