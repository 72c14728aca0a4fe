//! Help and version of the command line, each from a process of its own.

use super::notebook::Notebook;
use super::run::Options;
use crate::answer::is_same_answer;
use crate::drive::{Driver, ProgramRun};
use crate::help::{HelpText, help_of, parse};
use crate::safety::refusal;
use ccd_session::session::SessionError;
use ccd_text::pattern::Compiled;
use futures_util::{StreamExt as _, stream};
use std::time::Duration;

/// Ways to ask for help, and an argument that no program knows.
const HELP: [&str; 3] = ["--help", "-h", "help"];
const NONSENSE: &str = "--xyzzy-4711";

/// Longer helps that are asked for if another help names them, in a line with this word.
const LONGER: [(&str, &str); 4] = [
    ("help -a", "list"),
    ("--list", "all commands"),
    ("--help all", ""),
    ("--help-all", ""),
];

/// Ways to ask for the version, the first that answers counts.
const VERSION: [&str; 3] = ["--version", "-V", "version"];

/// How long a page of the manual may take: the longest are formatted for seconds on a busy machine.
const MAN_LIMIT: Duration = Duration::from_secs(10);

const AT_A_TIME: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Outside {
    /// The form and its help.
    pub(super) help: Vec<(String, HelpText)>,
    pub(super) version: Option<String>,
}

pub(super) async fn ask(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
) -> Result<Outside, SessionError> {
    let forms: Vec<&'static str> = [NONSENSE].into_iter().chain(HELP).chain(VERSION).collect();
    let asked: Vec<_> = forms
        .into_iter()
        .map(|form| run(driver, notebook, options, form))
        .collect();
    let answers: Vec<_> = stream::iter(asked).buffered(AT_A_TIME).collect().await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let answer = |form: &str| {
        let found = answers.iter().find(|(other, _)| *other == form);
        found.and_then(|(_, ended)| ended.as_ref())
    };
    let nonsense = answer(NONSENSE);
    let mut outside = Outside::default();
    for form in HELP {
        let Some(ended) = answer(form) else { continue };
        if let Some(help) = help(form, ended, nonsense, notebook.library()) {
            outside.help.push((form.to_owned(), help));
        }
    }
    for (form, ended) in longer(driver, notebook, options, &answers).await? {
        if let Some(help) = help(form, &ended, nonsense, notebook.library()) {
            outside.help.push((form.to_owned(), help));
        }
    }
    outside.version = VERSION
        .iter()
        .find_map(|form| version_of(form, answer(form)?, nonsense));
    // The manual is about the interpreter of a script.
    if outside.help.is_empty() && driver.target.script().is_empty() {
        outside.help.extend(man_page(driver, notebook).await?);
    }
    Ok(outside)
}

/// Asks for the longer helps that the answers name.
async fn longer(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    answers: &[(&'static str, Option<ProgramRun>)],
) -> Result<Vec<(&'static str, ProgramRun)>, SessionError> {
    let texts = answers.iter().filter(|(form, _)| HELP.contains(form));
    let texts: Vec<&str> = texts
        .filter_map(|(_, ended)| Some(&*ended.as_ref()?.text))
        .collect();
    let mut found = Vec::new();
    for (form, word) in LONGER {
        let mut lines = texts.iter().flat_map(|text| text.lines());
        if lines.any(|line| line.contains(form) && line.contains(word)) {
            let (form, ended) = run(driver, notebook, options, form).await?;
            found.extend(ended.map(|ended| (form, ended)));
        }
    }
    Ok(found)
}

/// Runs the program with arguments, unless safe mode forbids it.
async fn run(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    form: &'static str,
) -> Result<(&'static str, Option<ProgramRun>), SessionError> {
    let words = form.split(' ').map(str::to_owned);
    let args: Vec<String> = driver
        .target
        .script()
        .iter()
        .cloned()
        .chain(words)
        .collect();
    let line = driver.target.command_line(&args);
    if let Some(rule) = refusal(&line).filter(|_| options.safe_mode) {
        notebook.refused(&line, rule);
        return Ok((form, None));
    }
    notebook.asking(form, "command line");
    let ended = driver.run(&args, driver.limits.step).await?;
    Ok((form, Some(ended)))
}

/// Returns what the answer to a form says, if it is help.
fn help(
    form: &str,
    ended: &ProgramRun,
    nonsense: Option<&ProgramRun>,
    library: &Compiled,
) -> Option<HelpText> {
    let exit = ended.exit.filter(|exit| exit.signal.is_none())?;
    let nonsense = nonsense.map(|nonsense| (NONSENSE, &*nonsense.text));
    help_of((form, &ended.text), exit.status(), nonsense, library)
}

/// Returns the first line with a digit, if it is no answer to anything.
fn version_of(form: &str, ended: &ProgramRun, nonsense: Option<&ProgramRun>) -> Option<String> {
    if ended.exit?.code != Some(0) {
        return None;
    }
    let is_same = nonsense
        .is_some_and(|nonsense| is_same_answer((form, &ended.text), (NONSENSE, &nonsense.text)));
    let mut lines = ended.text.lines().map(str::trim);
    let line = lines.find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    (!is_same && !line.contains(form)).then(|| line.chars().take(200).collect())
}

async fn man_page(
    driver: &Driver,
    notebook: &Notebook,
) -> Result<Option<(String, HelpText)>, SessionError> {
    let name = driver.target.name();
    notebook.asking(&format!("man {name}"), "command line");
    let args = ["-P", "cat", "--", name].map(str::to_owned);
    let Ok(ended) = driver.run_program("man", &args, MAN_LIMIT).await else {
        // There is no man.
        return Ok(None);
    };
    if ended.exit.and_then(|exit| exit.code) != Some(0) {
        return Ok(None);
    }
    // Warnings of the formatter come between the lines, as both print to the terminal.
    let is_warning = |line: &&str| line.starts_with("troff:") || line.starts_with("grotty:");
    let text: Vec<&str> = ended
        .text
        .lines()
        .filter(|line| !is_warning(line))
        .collect();
    let help = parse(&text.join("\n"), notebook.library());
    let is_page = !help.usage.is_empty() || !help.options.is_empty();
    Ok(is_page.then(|| (format!("man {name}"), help)))
}
