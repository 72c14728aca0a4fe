//! Tests which last lines are prompts.

use super::Compiled;
use crate::test_lines::lines;

#[test]
fn prompts_are_recognised() {
    let prompts = lines("prompts");
    let library = Compiled::built_in();
    for line in &prompts {
        assert!(library.is_prompt(line), "{line:?} is a prompt");
    }
}

#[test]
fn prompts_are_recognised_with_and_without_the_blank_behind_them() {
    let prompts = lines("prompts_with_or_without_a_blank");
    let library = Compiled::built_in();
    for line in prompts {
        for blanks in ["", " ", "  "] {
            let line = format!("{line}{blanks}");
            // psql and Python print one blank; two mean something else.
            let known = ["db=#", "db=>", "(Cmd)", "sqlite>", "mysql>"];
            let is_fixed = blanks.len() == 2 && known.contains(&line.trim());
            assert!(is_fixed || library.is_prompt(&line), "{line:?} is a prompt");
        }
    }
}

#[test]
fn a_sign_at_the_end_is_a_prompt_where_the_program_is_seen_to_wait() {
    let library = Compiled::built_in();
    for line in &lines("prompts_where_a_program_waits") {
        assert!(library.ends_as_prompt(line), "{line:?}");
        assert!(!library.is_prompt(line), "{line:?}");
    }
    for line in ["", "  ", "done", "done.", "a > b", "$ sleep 5"] {
        assert!(!library.ends_as_prompt(line), "{line:?}");
    }
}

#[test]
fn other_output_is_not_taken_for_a_prompt() {
    let others = lines("other_lines");
    let library = Compiled::built_in();
    for line in &others {
        assert!(!library.is_prompt(line), "{line:?} is no prompt");
    }
}
