//! Calls the user when an agent begins to need somebody: by a program, on the desktop, in attached terminals.

use super::owner::Agents;
use super::settings::NotifySettings;
use crate::config::TerminalNotice;
use ccd_base::visible::is_invisible;
use ccd_protocol::agent::{Agent, AgentState};
use ccd_store::blocking;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::HashMap;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// An agent that somebody has typed to so recently needs no call.
const ATTENDED: Duration = Duration::from_secs(60);

/// The end of a turn that was shorter calls nobody.
const SHORT_TURN: Duration = Duration::from_secs(10);

/// A question that is answered so soon calls nobody.
const SETTLE: Duration = Duration::from_secs(1);

/// Programs that notify at a time.
const MAX_PROGRAMS: usize = 8;

/// How long a program may take, and how often it is looked whether it has ended.
const PROGRAM_LIMIT: Duration = Duration::from_secs(10);
const PROGRAM_PAUSE: Duration = Duration::from_millis(20);

/// Follows the agents as long as somebody is to be called.
pub(crate) async fn run(agents: Arc<Agents>, stop: CancellationToken) {
    let mut settings = agents.watch_settings();
    let places = Arc::new(Semaphore::new(MAX_PROGRAMS));
    loop {
        let off = settings.wait_for(|settings| !settings.notify.is_off());
        match stop.run_until_cancelled(off).await {
            Some(Ok(_)) => {}
            _ => return,
        }
        let mut followed = agents.follow();
        let mut seen = HashMap::new();
        agents.refresh().await;
        for agent in followed.news().0 {
            seen.insert(agent.agent_id, (agent.state, Instant::now()));
        }
        while !settings.borrow().notify.is_off() {
            if stop.run_until_cancelled(followed.next()).await.is_none() {
                return;
            }
            let (changed, removed) = followed.news();
            seen.retain(|id, _| !removed.contains(id));
            for agent in changed {
                let now = (agent.state, Instant::now());
                let before = seen.insert(agent.agent_id.clone(), now);
                if calls(before, agent.state) && !agents.is_attended(&agent, ATTENDED) {
                    let notify = settings.borrow().notify.clone();
                    let (agents, places) = (Arc::clone(&agents), Arc::clone(&places));
                    agents.spawn(call(Arc::clone(&agents), agent, notify, places));
                }
            }
        }
    }
}

/// Returns whether an agent that has come into a state needs somebody. `before` is its state until then, and since when.
fn calls(before: Option<(AgentState, Instant)>, state: AgentState) -> bool {
    let worked = before.filter(|(state, _)| *state == AgentState::Working);
    let is_other = before.is_none_or(|(before, _)| before != state);
    match state {
        AgentState::Asks | AgentState::Stuck | AgentState::Failed => is_other,
        AgentState::Idle | AgentState::Done => {
            worked.is_some_and(|(_, since)| since.elapsed() >= SHORT_TURN)
        }
        AgentState::Working | AgentState::Gone => false,
    }
}

async fn call(
    agents: Arc<Agents>,
    mut agent: Agent,
    notify: NotifySettings,
    places: Arc<Semaphore>,
) {
    if agent.state == AgentState::Asks {
        // A question that answers itself, as in a run that nobody attends, calls nobody.
        tokio::time::sleep(SETTLE).await;
        match agents.record_of(&agent.agent_id) {
            Some(now) if now.state == AgentState::Asks => agent = now,
            _ => return,
        }
    }
    let text = text(&agent);
    if let Some(sequence) = sequence(notify.terminals, &agent.name, &text) {
        agents.tell_terminals(sequence);
    }
    let Ok(_place) = places.try_acquire() else {
        tracing::warn!("{MAX_PROGRAMS} notifications are still being shown; one is dropped");
        return;
    };
    let run = move || {
        if !notify.command.is_empty() {
            report(
                &notify.command[0],
                run_program(&notify.command, &agent, &text),
            );
        }
        if notify.desktop {
            let title = format!("{} {}", agent.name, agent.state.name());
            let words = desktop(&title, &text);
            report(&words[0], run_program(&words, &agent, &text));
        }
    };
    blocking(run).await;
}

/// What is asked, or what has happened.
fn text(agent: &Agent) -> String {
    let question = agent
        .question
        .as_ref()
        .map(|question| question.text.clone());
    let said = question.or(agent.error.clone()).or(agent
        .last_answer
        .clone()
        .filter(|_| agent.state != AgentState::Stuck));
    said.or(agent.doing.clone()).unwrap_or_default()
}

fn sequence(notice: TerminalNotice, name: &str, text: &str) -> Option<Vec<u8>> {
    // A semicolon separates the parts of some.
    let clean = |text: &str| -> String {
        let shown = text.chars().filter(|c| !is_invisible(*c) || *c == ' ');
        shown
            .map(|c| if c == ';' { ',' } else { c })
            .take(200)
            .collect()
    };
    let (name, text) = (clean(name), clean(text));
    let sequence = match notice {
        TerminalNotice::None => return None,
        TerminalNotice::Osc9 => format!("\x1b]9;{name}: {text}\x1b\\"),
        TerminalNotice::Osc99 => format!("\x1b]99;;{name}: {text}\x1b\\"),
        TerminalNotice::Osc777 => format!("\x1b]777;notify;{name};{text}\x1b\\"),
    };
    Some(sequence.into_bytes())
}

fn desktop(title: &str, text: &str) -> Vec<String> {
    let words: &[&str] = if cfg!(target_os = "macos") {
        const SCRIPT: &str = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
        &["osascript", "-e", SCRIPT, title, text]
    } else {
        &["notify-send", "--app-name=ccd", "--", title, text]
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn report(program: &str, ran: io::Result<()>) {
    if let Err(error) = ran {
        tracing::warn!(program, %error, "could not notify the user of an agent");
    }
}

/// Runs a program with the agent's record on its standard input, for at most [`PROGRAM_LIMIT`]. Blocks.
fn run_program(words: &[String], agent: &Agent, text: &str) -> io::Result<()> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .env("CCD_AGENT_NAME", &agent.name)
        .env("CCD_AGENT_STATE", agent.state.name())
        .env("CCD_AGENT_TEXT", text.replace('\0', ""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Smaller than a pipe, so this does not wait; a program need not read it.
        let _ = stdin.write_all(&serde_json::to_vec(agent)?);
    }
    let end = Instant::now() + PROGRAM_LIMIT;
    loop {
        if let Some(status) = child.try_wait()? {
            let failed = || io::Error::other(status.to_string());
            return if status.success() {
                Ok(())
            } else {
                Err(failed())
            };
        }
        if Instant::now() >= end {
            // With what it has started.
            if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Err(io::ErrorKind::TimedOut.into());
        }
        std::thread::sleep(PROGRAM_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_called_once_for_what_needs_somebody() {
        use AgentState::*;
        let since = |seconds| {
            Instant::now()
                .checked_sub(Duration::from_secs(seconds))
                .unwrap()
        };
        for (before, state, expected) in [
            (Some((Working, since(1))), Asks, true),
            (None, Asks, true),
            (Some((Asks, since(1))), Asks, false),
            (Some((Working, since(1))), Idle, false),
            (Some((Working, since(60))), Idle, true),
            (Some((Working, since(60))), Done, true),
            (Some((Asks, since(60))), Idle, false),
            (Some((Asks, since(60))), Working, false),
            (Some((Working, since(60))), Gone, false),
            (Some((Working, since(1))), Failed, true),
        ] {
            assert_eq!(calls(before, state), expected, "{before:?} {state:?}");
        }
    }

    #[test]
    fn texts_cannot_end_their_sequence() {
        let made = sequence(TerminalNotice::Osc777, "a;b", "x\u{1b}\\y\u{7}\n").unwrap();
        assert_eq!(made, b"\x1b]777;notify;a,b;x\\y\x1b\\");
        assert_eq!(sequence(TerminalNotice::None, "a", "b"), None);
    }
}
