//! Each command in a fresh copy of the program, breadth first.

use super::explain::explain;
use super::inside::{self, HELP_WORDS, Inside, bring, same_prompt};
use super::notebook::Notebook;
use super::run::Options;
use crate::drive::{Driver, Reply, Settled};
use crate::help::{HelpCommand, menu};
use crate::safety::{Rule, refusal_of};
use ccd_protocol::investigate::{Finding, FindingKind};
use ccd_session::session::SessionError;
use futures_util::{StreamExt as _, stream};
use std::collections::VecDeque;

/// Maximum number of commands that are tried in a state, and of states whose commands are.
const MAX_TRIED: usize = 200;
const MAX_STATES: usize = 50;

const AT_A_TIME: usize = 3;

/// A state whose commands are to be tried, and how to get there.
struct ReachedState {
    inside: Inside,
    path: Vec<String>,
}

struct Tried {
    command: HelpCommand,
    reply: Reply,
    /// A shell reads what is typed now.
    is_shell: bool,
}

struct NewState {
    command: String,
    state: usize,
    menu: Vec<HelpCommand>,
}

/// Tries the commands of a state, and of the states that they lead to.
pub(super) async fn explore(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    entry: Inside,
) -> Result<(), SessionError> {
    // What helps in the first state is asked in the others.
    let mut words = entry.help_words.clone();
    if words.is_empty() {
        words.extend(HELP_WORDS.map(str::to_owned));
    }
    let mut places = VecDeque::from([ReachedState {
        inside: entry,
        path: Vec::new(),
    }]);
    let mut explored = 1;
    while let Some(mut place) = places.pop_front() {
        explain(driver, notebook, options, (&mut place.inside, &place.path)).await?;
        let found = try_all(driver, notebook, options, &place).await?;
        for found in found {
            let mut path = place.path.clone();
            path.push(found.command);
            if path.len() >= options.max_depth as usize {
                notebook.note(format!(
                    "not explored: {}, the limit is reached",
                    path.join(" → ")
                ));
                continue;
            }
            if explored == MAX_STATES {
                notebook.note(format!(
                    "only the first {MAX_STATES} states were explored, which is the limit"
                ));
                continue;
            }
            explored += 1;
            let at = (found.state, &*path);
            let mut inside = inside::ask(driver, notebook, options, at, &words).await?;
            inside.take_menu(notebook, found.menu);
            places.push_back(ReachedState { inside, path });
        }
        notebook.keep();
    }
    Ok(())
}

/// Tries all commands of a state; returns the new states that can be explored.
async fn try_all(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    place: &ReachedState,
) -> Result<Vec<NewState>, SessionError> {
    let commands = place.inside.commands.iter();
    let mut allowed: Vec<HelpCommand> = commands
        .filter(|command| is_allowed(notebook, options, command))
        .cloned()
        .collect();
    if allowed.len() > MAX_TRIED {
        let (_, name, _) = notebook.state_facts(place.inside.state);
        notebook.note(format!(
            "only the first {MAX_TRIED} of {} commands of {name} were tried",
            allowed.len()
        ));
        allowed.truncate(MAX_TRIED);
    }
    let tries: Vec<_> = allowed
        .into_iter()
        .map(|command| try_one(driver, notebook, place, command))
        .collect();
    let mut tried = stream::iter(tries).buffered(AT_A_TIME);
    let mut found = Vec::new();
    while let Some(tried) = tried.next().await {
        if let Some(tried) = tried? {
            found.extend(note(notebook, place, tried));
        }
    }
    Ok(found)
}

fn is_allowed(notebook: &Notebook, options: &Options, command: &HelpCommand) -> bool {
    let rule = rule_against(options, command);
    if let Some(rule) = rule {
        notebook.refused(&command.name, rule);
    }
    rule.is_none()
}

pub(super) fn rule_against(options: &Options, command: &HelpCommand) -> Option<Rule> {
    refusal_of(&command.name, command).filter(|_| options.safe_mode)
}

/// Gives a command to a fresh copy; none if the copy does not get to the state.
async fn try_one(
    driver: &Driver,
    notebook: &Notebook,
    place: &ReachedState,
    command: HelpCommand,
) -> Result<Option<Tried>, SessionError> {
    let (_, name, prompt) = notebook.state_facts(place.inside.state);
    notebook.asking(&command.name, &name);
    let Some(mut running) = bring(driver, &place.path, prompt.as_deref()).await? else {
        return Ok(None);
    };
    let reply = running.ask(&command.name).await?;
    let changed = reply.waits() && !same_prompt(reply.prompt.as_deref(), prompt.as_deref());
    let is_shell = changed && running.is_read_by_shell(&driver.target).await;
    driver.release(running);
    Ok(Some(Tried {
        command,
        reply,
        is_shell,
    }))
}

/// Notes what a command did; returns the new state that it leads to, if it can be explored.
fn note(notebook: &Notebook, place: &ReachedState, tried: Tried) -> Option<NewState> {
    let Tried {
        command,
        reply,
        is_shell,
    } = tried;
    let state = place.inside.state;
    let name = command.name;
    notebook.tested(&name, &reply);
    let answer = notebook.answer(Some(state), &name, &reply);
    if let Some(finding) = finding(notebook, state, &name, &reply) {
        notebook.finding(finding);
        return None;
    }
    if let Some(exit) = reply.exit() {
        notebook.exit_command(&name, exit.status());
        return None;
    }
    let (_, _, prompt) = notebook.state_facts(state);
    let is_unknown = place.inside.nonsense.is_answered_like(&name, &reply.text);
    let is_paged = reply.prompt.as_deref().is_some_and(is_pager);
    let is_new_prompt = !is_paged && !same_prompt(reply.prompt.as_deref(), prompt.as_deref());
    let menu = menu(&reply.shown());
    let with_menu = notebook.state_with_menu(&menu);
    // If the program does not show its menu each time, another one may just be a list.
    let is_new_menu = place.inside.repeats_menu && !menu.is_empty() && with_menu != Some(state);
    let title = Some(command.description.to_lowercase());
    let title = title.filter(|_| is_new_menu && !is_new_prompt);
    let said = announced(&reply, answer.state.as_deref()).or(title.as_deref());
    if is_unknown || !(is_new_prompt || said.is_some()) {
        return None;
    }
    let (to, is_new) = match with_menu.filter(|_| is_new_menu) {
        Some(known) => (known, false),
        None => notebook.state(reply.prompt.as_deref(), said),
    };
    notebook.transition(state, &name, to);
    if reply.is_hidden() {
        notebook.note(format!(
            "{name} asks for hidden input: nothing was typed there"
        ));
    }
    if is_shell {
        notebook.note(format!(
            "{name} starts a shell: its commands were not tried"
        ));
    }
    (is_new && !reply.is_hidden() && !is_shell).then_some(NewState {
        command: name,
        state: to,
        menu,
    })
}

/// Returns whether a line asks to show more of a long answer.
pub(super) fn is_pager(line: &str) -> bool {
    let line = line.to_lowercase();
    line == "(end)" || (line.starts_with("--") && line.contains("more"))
}

/// Returns the state that an answer announces. A long answer, such as a list of settings, announces none.
fn announced<'a>(reply: &Reply, state: Option<&'a str>) -> Option<&'a str> {
    const MAX_LINES: usize = 3;
    let lines = reply.text.lines().filter(|line| !line.trim().is_empty());
    state.filter(|_| !reply.is_hidden() && lines.count() <= MAX_LINES)
}

pub(super) fn finding(
    notebook: &Notebook,
    state: usize,
    command: &str,
    reply: &Reply,
) -> Option<Finding> {
    let (kind, signal, exit_status, message) = match reply.settled {
        Settled::Ended(exit) if exit.is_crash() => {
            let signal = exit.signal_name();
            let message = format!("ended by {}", signal.as_deref().unwrap_or_default());
            (FindingKind::Crash, signal, Some(exit.status()), message)
        }
        Settled::Hangs => {
            // Whole seconds, so that two reports of the same program are the same.
            let message = format!(
                "neither an answer nor a prompt after {:.0} s",
                reply.took.as_secs_f64()
            );
            (FindingKind::Hang, None, None, message)
        }
        Settled::Floods => {
            let message = "printed without end".to_owned();
            (FindingKind::Flood, None, None, message)
        }
        Settled::Ended(_) | Settled::Waits { .. } => return None,
    };
    let (state, _, _) = notebook.state_facts(state);
    Some(Finding {
        kind,
        command: Some(command.to_owned()),
        state: Some(state),
        input: None,
        input_b64: None,
        signal,
        exit_status,
        message,
        tape: None,
    })
}
