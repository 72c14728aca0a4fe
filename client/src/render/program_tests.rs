//! How program configurations look.

use crate::render::printer::printed;
use serde_json::Value;

#[test]
fn a_configuration_is_read_from_top_to_bottom() {
    let json = r#"{"name": "db", "command_template": "psql -U {user}", "typical_timeout": 20.5,
        "expect_sequences": [
            {"pattern": "word: ", "response": {"secret": {"env": "PW", "prompt": "Password"}}, "optional": true},
            {"pattern": "a", "response": "b\u001b", "newline": false},
            {"keys": ["Up", "Enter"]},
            {"pattern": "\\(c"}],
        "ready_indicators": ["=> "], "notes": "n", "sample_output": ["1", "2"]}"#;
    let config: Value = serde_json::from_str(json).unwrap();
    let text = printed(|out| out.reply("program.get", &config));
    let expected = r#"name            db
command         psql -U {user}
timeout         20.5s
step 1          "word: " (optional) → secret from $PW, or prompt "Password"
step 2          "a" → "b\u{1b}" without Enter
step 3          when the program waits for input → keys Up Enter
step 4          "\(c"
ready           "=> "
notes           n
sample output   1
                2
"#;
    assert_eq!(text, expected);
}
