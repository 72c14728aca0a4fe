//! What a program says about single commands, where its list of commands has only names.

use super::explore::rule_against;
use super::inside::{Inside, NONSENSE, Path, bring, read_on, same_prompt};
use super::notebook::Notebook;
use super::run::Options;
use crate::answer::is_same_answer;
use crate::drive::Driver;
use crate::help::HelpCommand;
use ccd_session::session::SessionError;

/// Help words after which the name of a command may stand.
const WORDS: [&str; 3] = ["help", ".help", "?"];

/// Maximum number of commands that are asked about.
const MAX_ASKED: usize = 50;

const MAX_CHARS: usize = 500;

/// Asks `help NAME` for the commands without description, in one copy, before any of them is tried.
pub(super) async fn explain(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    (inside, path): (&mut Inside, &Path),
) -> Result<(), SessionError> {
    let words = &inside.help_words;
    let Some(word) = WORDS
        .iter()
        .find(|&word| words.iter().any(|known| known == word))
    else {
        return Ok(());
    };
    let is_unknown = |command: &&mut HelpCommand| {
        command.description.is_empty() && rule_against(options, command).is_none()
    };
    let mut unknown = inside
        .commands
        .iter_mut()
        .filter(is_unknown)
        .take(MAX_ASKED);
    let Some(first) = unknown.next() else {
        return Ok(());
    };
    let (_, name, prompt) = notebook.state_facts(inside.state);
    let Some(mut running) = bring(driver, path, prompt.as_deref()).await? else {
        return Ok(());
    };
    let mut nonsense = running.ask(&format!("{word} {}", NONSENSE[0])).await?;
    read_on(&mut running, &mut nonsense).await?;
    let is_back = |prompt_now: Option<&str>| same_prompt(prompt_now, prompt.as_deref());
    if nonsense.waits() && is_back(nonsense.prompt.as_deref()) {
        for command in std::iter::once(first).chain(unknown) {
            let line = format!("{word} {}", command.name);
            notebook.asking(&line, &name);
            let mut reply = running.ask(&line).await?;
            read_on(&mut running, &mut reply).await?;
            if !reply.waits() || !is_back(reply.prompt.as_deref()) {
                break;
            }
            if !is_same(&command.name, &reply.text, &nonsense.text) {
                command.description = description(&command.name, &reply.text);
            }
        }
    }
    driver.release(running);
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
