//! Which steps change a prompt or an input to its normal form, for the log: names and numbers, never the text.

use super::input::{edited, erased, redacted, without_blanks};
use super::scrub::scrub;
use ccd_text::expect::clean_lossy;
use ccd_text::redact::redact;

/// What [`scrub`] puts in place of volatile text.
const MARKS: [&str; 6] = ["<time>", "<uuid>", "<hex>", "<pid>", "<tmp>", "~"];

/// Returns the steps that change a prompt: `control sequences, <time> 1`; empty if none does.
pub(crate) fn prompt_steps(prompt: &str) -> String {
    let mut steps = Vec::new();
    let clean = clean_lossy(prompt.as_bytes(), encoding_rs::UTF_8);
    note(&mut steps, "control sequences", clean != prompt);
    let redacted = redact(&clean).text;
    note(&mut steps, "secrets", redacted != clean);
    let trimmed = redacted.trim_end_matches([' ', '\t', '\r']);
    note(&mut steps, "trailing blanks", trimmed != redacted);
    note_scrubbed(&mut steps, trimmed);
    steps.join(", ")
}

/// Returns the steps that change an input: `secrets, line ends, <uuid> 2`; empty if none does.
pub(crate) fn input_steps(raw: &[u8]) -> String {
    let mut steps = Vec::new();
    let redacted = redacted(raw);
    note(&mut steps, "secrets", redacted != raw);
    note(&mut steps, "line ends", redacted.contains(&b'\r'));
    let lines = || redacted.split(|byte| b"\r\n".contains(byte));
    let is_edited = |line: &[u8]| {
        let edited = edited(line);
        edited != line || *erased(&edited) != *edited
    };
    note(&mut steps, "editing keys", lines().any(is_edited));
    // The last piece has not ended, so its blanks count.
    let mut ended: Vec<&[u8]> = lines().collect();
    ended.pop();
    let has_blanks = |line: &&[u8]| without_blanks(line).len() < line.len();
    let has_blanks = ended.iter().any(has_blanks);
    note(&mut steps, "trailing blanks", has_blanks);
    note_scrubbed(&mut steps, &String::from_utf8_lossy(&redacted));
    steps.join(", ")
}

fn note(steps: &mut Vec<String>, step: &str, is_taken: bool) {
    if is_taken {
        steps.push(step.to_owned());
    }
}

/// Notes how often each mark is put in place of volatile text.
fn note_scrubbed(steps: &mut Vec<String>, text: &str) {
    let scrubbed = scrub(text);
    for mark in MARKS {
        let before = text.matches(mark).count();
        let added = scrubbed.matches(mark).count().saturating_sub(before);
        if added > 0 {
            steps.push(format!("{mark} {added}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_prompt_are_named_without_its_text() {
        assert_eq!(prompt_steps("sqlite>"), "");
        assert_eq!(
            prompt_steps("\x1b[32m/home/ann\x1b[0m at 12:34:56$ "),
            "control sequences, trailing blanks, <time> 1, ~ 1"
        );
    }

    #[test]
    fn the_steps_of_an_input_are_named_without_its_text() {
        assert_eq!(input_steps(b"select 1;"), "");
        assert_eq!(
            input_steps(b"cat /tmp/a /tmp/bx\x7f \r0x1f ~"),
            "line ends, editing keys, trailing blanks, <hex> 1, <tmp> 2"
        );
        assert_eq!(input_steps(b"password=hunter2hunter2\n"), "secrets");
    }
}
