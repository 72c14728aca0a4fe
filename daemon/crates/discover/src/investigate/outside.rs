//! Help and version of the command line, each from a process of its own.

use super::investigation::Investigation;
use crate::answer::is_same_answer;
use crate::drive::{ProgramRun, SessionResult};
use crate::help::{HelpText, help_of, parse};
use ccd_text::pattern::Compiled;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
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

pub(super) async fn ask(investigation: &Investigation) -> SessionResult<Outside> {
    let forms = [NONSENSE].into_iter().chain(HELP).chain(VERSION);
    let asked: Vec<_> = forms.map(|form| run(investigation, form)).collect();
    let asked = stream::iter(asked).buffered(AT_A_TIME);
    let answers: Vec<Option<_>> = asked.try_collect().await?;
    let mut answers: Vec<(&str, ProgramRun)> = answers.into_iter().flatten().collect();
    let longer = LONGER.iter().filter(|(form, word)| {
        let helps = answers.iter().filter(|(form, _)| HELP.contains(form));
        let mut lines = helps.flat_map(|(_, ended)| ended.text.lines());
        lines.any(|line| line.contains(form) && line.contains(word))
    });
    let longer: Vec<&str> = longer.map(|(form, _)| *form).collect();
    for form in &longer {
        answers.extend(run(investigation, form).await?);
    }
    let answer = |form: &str| {
        let found = answers.iter().find(|(other, _)| *other == form);
        found.map(|(_, ended)| ended)
    };
    let nonsense = answer(NONSENSE);
    let library = investigation.notebook.library();
    let mut outside = Outside::default();
    for form in HELP.into_iter().chain(longer) {
        let help = answer(form).and_then(|ended| help(form, ended, nonsense, library));
        outside
            .help
            .extend(help.map(|help| (form.to_owned(), help)));
    }
    outside.version = VERSION
        .iter()
        .find_map(|form| version_of(form, answer(form)?, nonsense));
    // The manual is about the interpreter of a script.
    if outside.help.is_empty() && investigation.driver.target.script().is_empty() {
        outside.help.extend(man_page(investigation).await?);
    }
    Ok(outside)
}

/// Runs the program with arguments, unless safe mode forbids it.
async fn run(
    investigation: &Investigation,
    form: &'static str,
) -> SessionResult<Option<(&'static str, ProgramRun)>> {
    let driver = &investigation.driver;
    let script = driver.target.script().iter().cloned();
    let args: Vec<String> = script.chain(form.split(' ').map(str::to_owned)).collect();
    if investigation.refuses(&driver.target.command_line(&args)) {
        return Ok(None);
    }
    investigation.notebook.asking(form, "command line");
    let ended = driver.run(&args, driver.limits.step).await?;
    Ok(Some((form, ended)))
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

async fn man_page(investigation: &Investigation) -> SessionResult<Option<(String, HelpText)>> {
    let Investigation {
        driver, notebook, ..
    } = investigation;
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
