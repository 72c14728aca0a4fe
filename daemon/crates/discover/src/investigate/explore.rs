//! Each command in a fresh copy of the program, breadth first.

use super::explain::explain;
use super::finding::finding;
use super::inside::{self, HELP_WORDS, Inside};
use super::investigation::Investigation;
use super::notebook::Notebook;
use crate::drive::{Reply, SessionResult};
use crate::help::{HelpCommand, menu};
use futures_util::{StreamExt as _, stream};
use std::collections::VecDeque;

/// Maximum number of commands that are tried in a state, and of states whose commands are.
const MAX_TRIED: usize = 200;
const MAX_STATES: usize = 50;

const AT_A_TIME: usize = 3;

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
pub(super) async fn explore(investigation: &Investigation, entry: Inside) -> SessionResult<()> {
    let notebook = &investigation.notebook;
    // What helps in the first state is asked in the others.
    let mut words = entry.help_words.clone();
    if words.is_empty() {
        words.extend(HELP_WORDS.map(str::to_owned));
    }
    let mut states = VecDeque::from([entry]);
    let mut explored = 1;
    while let Some(mut inside) = states.pop_front() {
        explain(investigation, &mut inside).await?;
        for found in try_all(investigation, &inside).await? {
            let path = [&inside.path[..], &[found.command]].concat();
            if path.len() >= investigation.options.max_depth as usize {
                let path = path.join(" → ");
                notebook.note(format!("not explored: {path}, the limit is reached"));
                continue;
            }
            if explored == MAX_STATES {
                notebook.note(format!(
                    "only the first {MAX_STATES} states were explored, which is the limit"
                ));
                continue;
            }
            explored += 1;
            let mut next = inside::ask(investigation, found.state, path, &words).await?;
            next.take_menu(notebook, found.menu);
            states.push_back(next);
        }
        notebook.keep();
    }
    Ok(())
}

/// Tries all commands of a state; returns the new states that can be explored.
async fn try_all(investigation: &Investigation, inside: &Inside) -> SessionResult<Vec<NewState>> {
    let notebook = &investigation.notebook;
    let commands = inside.commands.iter();
    let mut allowed: Vec<&HelpCommand> = commands
        .filter(|command| !investigation.refuses_command(command))
        .collect();
    if allowed.len() > MAX_TRIED {
        notebook.note(format!(
            "only the first {MAX_TRIED} of {} commands of {} were tried",
            allowed.len(),
            inside.name
        ));
        allowed.truncate(MAX_TRIED);
    }
    let tries: Vec<_> = allowed
        .into_iter()
        .map(|command| try_one(investigation, inside, command.clone()))
        .collect();
    let mut tried = stream::iter(tries).buffered(AT_A_TIME);
    let mut found = Vec::new();
    while let Some(tried) = tried.next().await {
        if let Some(tried) = tried? {
            found.extend(note(notebook, inside, tried));
        }
    }
    Ok(found)
}

/// Gives a command to a fresh copy; none if the copy does not get to the state.
async fn try_one(
    investigation: &Investigation,
    inside: &Inside,
    command: HelpCommand,
) -> SessionResult<Option<Tried>> {
    let driver = &investigation.driver;
    investigation.notebook.asking(&command.name, &inside.name);
    let Some(mut running) = inside.bring(driver).await? else {
        return Ok(None);
    };
    let reply = running.ask(&command.name).await?;
    let is_changed = reply.waits() && !inside.is_at_prompt(&reply);
    let is_shell = is_changed && running.is_read_by_shell(&driver.target).await;
    driver.release(running);
    Ok(Some(Tried {
        command,
        reply,
        is_shell,
    }))
}

/// Notes what a command did; returns the new state that it leads to, if it can be explored.
fn note(notebook: &Notebook, inside: &Inside, tried: Tried) -> Option<NewState> {
    let Tried {
        command,
        reply,
        is_shell,
    } = tried;
    let state = inside.state;
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
    let is_unknown = inside.nonsense.is_answered_like(&name, &reply.text);
    let is_paged = reply.is_paged();
    let is_new_prompt = !is_paged && !inside.is_at_prompt(&reply);
    let menu = menu(&reply.shown());
    let with_menu = notebook.state_with_menu(&menu);
    // If the program does not show its menu each time, another one may just be a list.
    let is_new_menu = inside.repeats_menu && !menu.is_empty() && with_menu != Some(state);
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

/// Returns the state that an answer announces. A long answer, such as a list of settings, announces none.
fn announced<'a>(reply: &Reply, state: Option<&'a str>) -> Option<&'a str> {
    const MAX_LINES: usize = 3;
    let lines = reply.text.lines().filter(|line| !line.trim().is_empty());
    state.filter(|_| !reply.is_hidden() && lines.count() <= MAX_LINES)
}
