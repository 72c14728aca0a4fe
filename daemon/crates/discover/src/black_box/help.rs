//! Which ways of asking for help work: on the command line, and as words at the prompt.

use super::draft::Draft;
use super::judge::Verdict;
use super::sample::sample;
use super::tested_program::{Patience, TestedProgram};
use crate::drive::{ProgramRun, SessionResult};
use crate::help::{HelpCommand, HelpText, help_of};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Arguments that print help in some program, and what no program knows.
const ARGUMENTS: [&str; 3] = ["--help", "-h", "help"];
const ALL_ARGUMENTS: [&str; 5] = ["--help", "-h", "help", "--xyzzyq", "xyzzyq"];

/// Words that print help in some program.
const WORDS: [&str; 7] = ["help", "?", "h", ".help", "\\?", ":help", "\\h"];

/// Returns a word of the same form that no program knows.
fn nonsense_like(word: &str) -> &'static str {
    let words = ["--xyzzyq", ".xyzzyq", "\\xyzzyq", ":xyzzyq"];
    let mut alike = words.into_iter().filter(|like| like[..1] == word[..1]);
    alike.next().unwrap_or("xyzzyq")
}

/// How long a command line may take, and how many run at a time.
const LIMIT: Duration = Duration::from_secs(2);
const AT_A_TIME: usize = 3;

#[derive(Debug, Clone, Default)]
pub(super) struct ProgramHelp {
    /// Commands at its prompt.
    pub(super) commands: Vec<HelpCommand>,
    /// The first word at its prompt that prints help.
    pub(super) word: Option<&'static str>,
}

pub(super) async fn run(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<ProgramHelp> {
    draft.begin(ARGUMENTS.len() + WORDS.len());
    tested.note_skipped(draft);
    let outside = outside(tested, draft).await?;
    let mut found = ProgramHelp::default();
    let mut inside = Vec::new();
    if tested.can_be_asked() {
        for (word, help) in at_prompt(tested, draft).await? {
            found.word.get_or_insert(word);
            inside.push(word);
            HelpCommand::add_new(&mut found.commands, help.commands);
        }
    }
    let mut forms = outside.clone();
    forms.extend(inside.iter().filter(|word| !outside.contains(word)));
    if forms.is_empty() {
        draft.fail("no way of asking for help prints any");
    }
    draft.set("forms", json!(forms));
    draft.set("command_line", json!(outside));
    draft.set("inside", json!(inside));
    draft.set("commands", found.commands.len() as u64);
    draft.finish();
    Ok(found)
}

async fn outside(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<Vec<&'static str>> {
    let running: Vec<_> = ALL_ARGUMENTS.map(|form| tested.run(form, LIMIT)).into();
    let running = stream::iter(running).buffered(AT_A_TIME);
    let answers: Vec<Option<ProgramRun>> = running.try_collect().await?;
    let answer = |form: &str| {
        let mut both = ALL_ARGUMENTS.iter().zip(&answers);
        let (_, ended) = both.find(|(other, _)| **other == form)?;
        ended.as_ref()
    };
    let mut works = Vec::new();
    for form in ARGUMENTS {
        draft.step();
        let other = nonsense_like(form);
        let (Some(ended), Some(nonsense)) = (answer(form), answer(other)) else {
            continue;
        };
        let is_clean = ended.exit.is_some_and(|exit| exit.code == Some(0));
        let nonsense = [(other, &*nonsense.text)];
        let library = &tested.options.library;
        if is_clean && help_of((form, &ended.text), 0, nonsense, library).is_some() {
            works.push(form);
            draft.set("output", sample(&ended.text));
        }
    }
    Ok(works)
}

/// Returns what the words at the prompt print, if that is help.
async fn at_prompt(
    tested: &TestedProgram<'_>,
    draft: &Draft,
) -> SessionResult<Vec<(&'static str, HelpText)>> {
    let mut works = Vec::new();
    let mut nonsense: BTreeMap<&str, String> = BTreeMap::new();
    for word in WORDS {
        let other = nonsense_like(word);
        if !nonsense.contains_key(other) {
            nonsense.insert(other, answer(tested, other).await?);
        }
        let text = answer(tested, word).await?;
        let nonsense = [(other, &*nonsense[other])];
        if let Some(help) = help_of((word, &text), 0, nonsense, &tested.options.library) {
            works.push((word, help));
        }
        draft.step();
    }
    Ok(works)
}

/// Returns the answer to a word in a fresh copy; nothing if it does not wait for more after it.
async fn answer(tested: &TestedProgram<'_>, word: &str) -> SessionResult<String> {
    let Some(mut running) = tested.copy().await? else {
        return Ok(String::new());
    };
    let lines = [word.as_bytes()];
    let (reply, verdict) = tested.ask(&mut running, &lines, Patience::Suspect).await?;
    tested.driver.release(running);
    Ok(match verdict {
        Verdict::Fine => reply.text,
        _ => String::new(),
    })
}
