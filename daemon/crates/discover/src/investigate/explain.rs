//! What a program says about single commands, where its list of commands has only names.

use super::inside::{Inside, NONSENSE, ask_and_read_on};
use super::investigation::Investigation;
use crate::answer::is_same_answer;
use crate::drive::SessionResult;

/// Help words after which the name of a command may stand.
const WORDS: [&str; 3] = ["help", ".help", "?"];

/// Maximum number of commands that are asked about.
const MAX_ASKED: usize = 50;

const MAX_CHARS: usize = 500;

/// Asks `help NAME` for the commands without description, in one copy, before any of them is tried.
pub(super) async fn explain(
    investigation: &Investigation,
    inside: &mut Inside,
) -> SessionResult<()> {
    let words = &inside.help_words;
    let is_known = |word: &&&str| words.iter().any(|known| known == **word);
    let Some(word) = WORDS.iter().find(is_known) else {
        return Ok(());
    };
    let is_unknown = |at: &usize| {
        let command = &inside.commands[*at];
        command.description.is_empty() && investigation.rule_against(command).is_none()
    };
    let unknown = (0..inside.commands.len()).filter(is_unknown);
    let unknown: Vec<usize> = unknown.take(MAX_ASKED).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let Some(mut running) = inside.bring(&investigation.driver).await? else {
        return Ok(());
    };
    let nonsense = ask_and_read_on(&mut running, &format!("{word} {}", NONSENSE[0])).await?;
    if nonsense.waits() && inside.is_at_prompt(&nonsense) {
        for at in unknown {
            let name = &inside.commands[at].name;
            let line = format!("{word} {name}");
            investigation.notebook.asking(&line, &inside.name);
            let reply = ask_and_read_on(&mut running, &line).await?;
            if !reply.waits() || !inside.is_at_prompt(&reply) {
                break;
            }
            if !is_same(name, &reply.text, &nonsense.text) {
                inside.commands[at].description = description(name, &reply.text);
            }
        }
    }
    investigation.driver.release(running);
    let notebook = &investigation.notebook;
    notebook.commands(&inside.commands, Some(inside.state));
    Ok(())
}

/// Returns whether an answer is the one to a word that makes no sense, or the list of all commands.
fn is_same(name: &str, answer: &str, nonsense: &str) -> bool {
    is_same_answer((name, answer), (NONSENSE[0], nonsense))
        || is_same_answer(("", answer), ("", nonsense))
}

/// Returns the first line of an explanation; also the second, if the first shows how to use the command.
fn description(name: &str, text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let is_usage = first.starts_with(name) || first.to_lowercase().starts_with("usage");
    let second = lines.next().filter(|_| is_usage).unwrap_or_default();
    let both = format!("{first} {second}");
    both.trim().chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_describes_and_usage_does_not() {
        assert_eq!(
            description("x", "\nWipe everything\nMore\n"),
            "Wipe everything"
        );
        assert_eq!(
            description("x", "x [NAME]\n\n  Wipe it\n"),
            "x [NAME] Wipe it"
        );
        assert_eq!(description("x", "Usage: x\n"), "Usage: x");
        assert!(is_same("x", "No help on x", "No help on xyzzyq"));
        assert!(is_same("x", "Commands: x y", "Commands: x y"));
        assert!(!is_same("x", "Wipe everything", "No help on xyzzyq"));
    }
}
