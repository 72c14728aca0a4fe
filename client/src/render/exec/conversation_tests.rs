//! How conversations look.

use crate::render::Style;
use crate::render::printer::{printed, printed_in};
use serde_json::Value;
use serde_json::json;

fn sample() -> Value {
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    json!({"session_id": "0b6f4e1c-52a0", "created_at": "then", "last_accessed": "now", "status": "active",
        "conversation_history": [message("user", "add\n"), message("assistant", "done\u{1b}")],
        "repo_path": "/srv/x", "execution_count": 2})
}

#[test]
fn a_conversation_is_a_line_with_its_whole_id_for_scripts() {
    let text = printed(|out| out.reply("exec.sessions", &json!({"sessions": [sample()]})));
    assert_eq!(text, "0b6f4e1c-52a0  active  -  2  /srv/x\n");
    let style = Style::TERMINAL;
    let text = printed_in(style, Some(80), |out| {
        out.reply("exec.sessions", &json!({"sessions": [sample()]}))
    });
    let line = "0b6f4e1c      active  -     2     /srv/x\n";
    assert!(text.ends_with(line), "{text}");
    // With its messages.
    let text = printed(|out| out.reply("exec.session", &sample()));
    let end = "runs          2\n\nuser\nadd\n\nassistant\ndone\n";
    assert!(text.ends_with(end), "{text}");
}
