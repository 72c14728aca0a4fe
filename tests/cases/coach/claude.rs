//! The real Claude Code: approved rules are in its next request.

use crate::hook::claude::run_as_nobody;
use std::fs;

/// What is run as nobody, in a network namespace of its own.
const SCRIPT: &str = r#"
set -eu
cd "$HOME/repo"
git init -q .
ccctl daemon start >&2
hook() {
    printf '{"hook_event_name": "UserPromptSubmit", "session_id": "%s", "cwd": "%s", "prompt_id": "%s", "prompt": "%s"}' \
        "$1" "$PWD" "$2" "$3" | ccctl hook
}
hook s1 p1 'No, we put tests next to the source file'
hook s2 p2 'No, we put tests next to the source file'
hook s1 p3 'did you update the changelog?'
hook s2 p4 'did you update the changelog?'
ccctl coach aggregate >&2
ccctl coach review --json >&2 </dev/null
for id in $(ccctl coach review --json </dev/null | grep -o '"id":"[0-9a-f]*"' | cut -d'"' -f4); do
    ccctl coach approve "$id" --scope project >&2
done
mkdir "$HOME/bodies"
python3 "$HOME/api.py" run --dump-bodies "$HOME/bodies" -- "$CLAUDE" -p hello --output-format json </dev/null >"$HOME/out" 2>&1 || { cat "$HOME/out" >&2; exit 1; }
ccctl daemon stop --force >&2
"#;

#[test]
fn approved_rules_are_in_the_next_request() {
    let files = [("script", SCRIPT), ("repo/AGENTS.md", "Answer in verse.\n")];
    let Some((home, output)) = run_as_nobody(&files) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let entries = fs::read_dir(home.path().join("bodies")).unwrap();
    let bodies: String = entries
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for rule in [
        "Put tests next to the source file.",
        "Before saying that a task is done, update the changelog",
        // The project's instructions for other agents come with them.
        "Answer in verse.",
    ] {
        assert!(bodies.contains(rule), "{rule}: {said}");
    }
}
