//! How lists of runs look.

use crate::render::Style;
use crate::render::printer::printed_in;
use serde_json::{Value, json};

fn runs() -> [Value; 2] {
    let good = json!({"request_id": "3f2a91bc-52a0-4000-8000-000000000000",
        "instruction": "add a\ntest \u{1b}[2Jlast", "status": "success", "execution_time": 72.0,
        "repo_path": "/srv/my app", "files_changed_count": 3, "cost_usd": 0.25});
    let running = json!({"request_id": "4a", "instruction": "fix", "status": "running", "repo_path": "/srv/x"});
    [good, running]
}

fn shown(width: Option<usize>, style: Style) -> String {
    printed_in(style, width, |out| {
        out.reply("exec.list", &json!({"executions": runs()}))
    })
}

#[test]
fn without_a_terminal_a_line_is_complete_and_has_a_word_a_column() {
    let expected = "\
3f2a91bc-52a0-4000-8000-000000000000  success  -  1m12s  3  $0.2500  /srv/my_app  add a test last
4a                                    running  -  -      -  -        /srv/x       fix
";
    assert_eq!(shown(None, Style::default()), expected);
}

#[test]
fn on_a_terminal_it_is_fitted() {
    let style = Style::TERMINAL;
    let expected = "\
RUN       STATUS   AGE  TIME   REPOSITORY  INSTRUCTION
3f2a91bc  success       1m12s  my app      add a test l…
4a        running              x           fix
";
    assert_eq!(shown(Some(56), style), expected);
    let narrow = shown(Some(30), style);
    assert!(narrow.lines().all(|line| line.chars().count() <= 30));
}
