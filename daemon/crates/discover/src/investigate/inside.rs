//! What a program says at its prompt: the prompt itself, and its answers to words that ask for help.

use super::finding::finding;
use super::investigation::Investigation;
use super::notebook::Notebook;
use super::state::same_prompt;
use crate::answer::is_same_answer;
use crate::drive::{Driver, Reply, Running, SessionResult};
use crate::help::{HelpCommand, help_of};
use ccd_protocol::investigate::FindingKind;
use std::collections::VecDeque;

/// Words that ask for help in some program.
pub(super) const HELP_WORDS: [&str; 14] = [
    "help", "?", "h", "--help", "-h", ".help", "\\?", "\\h", ":help", "commands", "usage", "man",
    "info", "about",
];

/// The only one that is asked at the prompt of a shell: there, the others are names of programs.
pub(super) const HELP_WORD_OF_SHELLS: &str = "help";

/// Words for a longer help, which are asked if the answer to another word names them.
const LONGER: [&str; 2] = ["help all", "help -a"];

/// Words that no program knows.
pub(super) const NONSENSE: [&str; 2] = ["xyzzyq", "plughv"];

/// A state, and what is known of it before its commands are tried.
pub(super) struct Inside {
    pub(super) state: usize,
    pub(super) name: String,
    prompt: Option<String>,
    /// The commands that lead to it from the start.
    pub(super) path: Vec<String>,
    pub(super) nonsense: Nonsense,
    pub(super) help_words: Vec<String>,
    pub(super) commands: Vec<HelpCommand>,
    /// The program shows its menu again after an input that makes no sense.
    pub(super) repeats_menu: bool,
}

impl Inside {
    /// Adds the entries of the menu that the state shows: they are typed as commands.
    pub(super) fn take_menu(&mut self, notebook: &Notebook, menu: Vec<HelpCommand>) {
        if menu.is_empty() {
            return;
        }
        let mut answers = self.nonsense.0.iter().map(|(.., answer)| answer);
        self.repeats_menu = answers.any(|answer| crate::help::menu(answer) == menu);
        notebook.commands(&menu, Some(self.state));
        notebook.menu(&menu, self.state);
        self.commands.extend(menu);
    }

    /// Starts a copy and brings it to the state; none if it does not get there.
    pub(super) async fn bring(&self, driver: &Driver) -> SessionResult<Option<Running>> {
        let (mut running, mut reply) = driver.start_and_wait().await?;
        for command in &self.path {
            if !reply.waits() {
                break;
            }
            reply = running.ask(command).await?;
        }
        // The first prompt may differ from the later ones, and prompts may count.
        if reply.waits() && (self.path.is_empty() || self.is_at_prompt(&reply)) {
            return Ok(Some(running));
        }
        driver.release(running);
        Ok(None)
    }

    pub(super) fn is_at_prompt(&self, reply: &Reply) -> bool {
        same_prompt(reply.prompt.as_deref(), self.prompt.as_deref())
    }
}

/// Words that no program knows, with what stands before them and their answers: many programs have commands that start
/// with a dot, a backslash or a colon, and answer other errors to them.
#[derive(Debug, Default)]
pub(super) struct Nonsense(Vec<(&'static str, String, String)>);

/// What may stand before a command.
const MARKS: [&str; 4] = ["", ".", "\\", ":"];

impl Nonsense {
    /// Returns whether a word is answered as one that makes no sense.
    pub(super) fn is_answered_like(&self, word: &str, answer: &str) -> bool {
        let mut nonsense = self.like(word);
        nonsense.any(|nonsense| is_same_answer((word, answer), nonsense))
    }

    /// Returns the words that start as `word` does, and those without a mark, with their answers.
    fn like(&self, word: &str) -> impl Iterator<Item = (&str, &str)> {
        let is_marked = |mark: &&'static str| !mark.is_empty() && word.starts_with(mark);
        let mark = MARKS.iter().find(|mark| is_marked(mark));
        let mark = mark.copied().unwrap_or("");
        let known = self.0.iter();
        let known = known.filter(move |(known, ..)| [mark, ""].contains(known));
        known.map(|(_, word, answer)| (&**word, &**answer))
    }
}

/// Asks nonsense and help words in a state, in as few copies as possible: a word may end the program or change its
/// state, and then the next is asked in a new copy.
pub(super) async fn ask(
    investigation: &Investigation,
    state: usize,
    path: Vec<String>,
    words: &[String],
) -> SessionResult<Inside> {
    let Investigation {
        driver, notebook, ..
    } = investigation;
    let (_, name, prompt) = notebook.state_facts(state);
    let mut inside = Inside {
        state,
        name,
        prompt,
        path,
        nonsense: Nonsense::default(),
        help_words: Vec::new(),
        commands: Vec::new(),
        repeats_menu: false,
    };
    let mut copy = None;
    let mut questions = questions(words);
    while let Some((mark, word)) = questions.pop_front() {
        if investigation.refuses(&word) {
            continue;
        }
        let is_used = copy.is_some();
        let found = match copy.take() {
            Some(running) => Some(running),
            None => inside.bring(driver).await?,
        };
        let Some(mut running) = found else { break };
        notebook.asking(&word, &inside.name);
        let reply = ask_and_read_on(&mut running, &word).await?;
        if is_used && reply.exit().is_some() {
            // What was asked before may have ended it.
            driver.release(running);
            questions.push_front((mark, word));
            continue;
        }
        if reply.waits() && inside.is_at_prompt(&reply) {
            copy = Some(running);
        } else {
            driver.release(running);
        }
        for longer in note(notebook, &mut inside, mark, word, reply) {
            if !questions.iter().any(|(_, word)| word == longer) {
                questions.push_back((None, longer.to_owned()));
            }
        }
    }
    if let Some(running) = copy {
        driver.release(running);
    }
    notebook.commands(&inside.commands, Some(state));
    Ok(inside)
}

/// Notes the answer to a word; returns words for a longer help that it names and that have not been asked.
fn note(
    notebook: &Notebook,
    inside: &mut Inside,
    mark: Option<&'static str>,
    word: String,
    reply: Reply,
) -> Vec<&'static str> {
    let finding = finding(notebook, inside.state, &word, &reply);
    // What is no command may well take long.
    if let Some(finding) = finding.filter(|finding| finding.kind != FindingKind::Hang) {
        notebook.finding(finding);
    }
    if let Some(mark) = mark {
        notebook.answer(Some(inside.state), &word, &reply);
        inside.nonsense.0.push((mark, word, reply.text));
    } else if reply.waits() && take_help(notebook, inside, &word, &reply) {
        let is_asked = |longer: &str| inside.help_words.iter().any(|word| word == longer);
        let named = LONGER
            .into_iter()
            .filter(|longer| reply.text.contains(longer));
        return named.filter(|longer| !is_asked(longer)).collect();
    }
    Vec::new()
}

/// Types a line and reads all of the answer, also if it is shown page by page.
pub(super) async fn ask_and_read_on(running: &mut Running, line: &str) -> SessionResult<Reply> {
    const MAX_PAGES: usize = 20;
    let mut reply = running.ask(line).await?;
    for _ in 0..MAX_PAGES {
        if !reply.is_paged() {
            break;
        }
        let next = running.ask("").await?;
        let text = format!("{}\n{}", reply.text.trim_end(), next.text);
        reply = Reply { text, ..next };
    }
    Ok(reply)
}

/// Returns what is asked, nonsense first; with it, the mark that stands before it.
fn questions(words: &[String]) -> VecDeque<(Option<&'static str>, String)> {
    let is_asked_with =
        |mark: &&&str| mark.is_empty() || words.iter().any(|word| word.starts_with(**mark));
    let nonsense = MARKS.iter().filter(is_asked_with);
    let nonsense = nonsense.map(|mark| (Some(*mark), format!("{mark}{}", NONSENSE[0])));
    let words = words.iter().map(|word| (None, (*word).to_owned()));
    nonsense.chain(words).collect()
}

/// Reads the answer to a word, if it is help; returns whether it is.
fn take_help(notebook: &Notebook, inside: &mut Inside, word: &str, reply: &Reply) -> bool {
    let nonsense = inside.nonsense.like(word);
    let answer = (word, &*reply.text);
    let Some(help) = help_of(answer, 0, nonsense, notebook.library()) else {
        return false;
    };
    notebook.help_command(word);
    notebook.note_limit(word, &help);
    notebook.answer(Some(inside.state), word, reply);
    notebook.options(Vec::new(), help.usage);
    inside.help_words.push(word.to_owned());
    if help.are_statements {
        notebook.commands(&help.commands, Some(inside.state));
        return true;
    }
    HelpCommand::add_new(&mut inside.commands, help.commands);
    true
}
