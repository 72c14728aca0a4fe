//! Answers to the questions of agents. They are typed only if the screen shows the very question now.

use super::error::AgentError;
use super::look::shown;
use super::owner::Agents;
use crate::failure::Failure;
use ccd_agents::{CLAUDE, Dialog, Shown};
use ccd_protocol::agent::{Agent, AgentAnswerParams, AgentQuestion};
use ccd_protocol::session::{InputVerdict, SessionSendParams};
use ccd_session::Session;
use ccd_session::peer::Peer;
use ccd_terminal::process;
use std::sync::Arc;
use std::time::Duration;

/// So long after a hook a program may take to draw the question.
const DRAWN_AFTER: Duration = Duration::from_secs(2);

/// So long a program that has drawn a question may take to read its terminal.
const READS_AFTER: Duration = Duration::from_millis(500);

/// A dialog that has not taken an answer after so long did not hear it, or wants the Enter key too.
const TAKEN_AFTER: Duration = Duration::from_secs(1);
const TRIES: usize = 3;

const LOOK_PAUSE: Duration = Duration::from_millis(20);

impl Agents {
    /// Types an answer, and returns the agent as it is afterwards.
    pub(crate) async fn answer(
        &self,
        peer: &Peer,
        params: &AgentAnswerParams,
    ) -> Result<Agent, Failure> {
        let agent = self.find(&params.agent).await?;
        let name = || agent.name.clone();
        let Some(question) = &agent.question else {
            let state = agent.state.name();
            return Err(AgentError::AsksNothing {
                agent: name(),
                state,
            }
            .into());
        };
        if params
            .question
            .as_ref()
            .is_some_and(|expected| *expected != question.text)
        {
            let question = question.text.clone();
            return Err(AgentError::OtherQuestion {
                agent: name(),
                question,
            }
            .into());
        }
        let session = agent
            .session_id
            .as_deref()
            .and_then(|id| self.looker.listed(id));
        let Some(session) = session else {
            return Err(AgentError::NoSession { agent: name() }.into());
        };
        let dialog = self.dialog_of(&agent, question, &session).await?;
        // The program had not drawn it when the agent was looked at.
        if params.question.is_some() && !is_of(&dialog, question, &agent) {
            let question = dialog.text;
            return Err(AgentError::OtherQuestion {
                agent: name(),
                question,
            }
            .into());
        }
        let Some(key) = key_of(&dialog, &params.answer) else {
            let answer = params.answer.clone();
            let choices = dialog.choices();
            return Err(AgentError::NoChoice { answer, choices }.into());
        };
        self.choose(&session, &agent, peer, &dialog, key).await?;
        Ok(self.get(&agent.agent_id).await?)
    }

    /// Returns the dialog of a question, once the program takes keys. A hook reports the question before the program draws it,
    /// and a program that draws reads nothing.
    async fn dialog_of(
        &self,
        agent: &Agent,
        question: &AgentQuestion,
        session: &Session,
    ) -> Result<Dialog, AgentError> {
        let programs = self.settings().programs;
        let age = Duration::from_secs_f64(agent.for_s);
        let patience = DRAWN_AFTER.saturating_sub(age).max(READS_AFTER);
        let end = tokio::time::Instant::now() + patience;
        let name = || agent.name.clone();
        loop {
            let shown = match shown(session, &agent.program, &programs).await {
                Some(Shown::Dialog(dialog)) => {
                    let is_it = is_of(&dialog, question, agent);
                    Some(dialog).filter(|_| is_it || self.is_unread(&agent.agent_id))
                }
                _ => None,
            };
            let waiting = session.waiting_for_input().await;
            let reads = waiting.is_none_or(|waiting| waiting.verdict != InputVerdict::No)
                && is_typed_to(agent);
            let is_late = tokio::time::Instant::now() >= end;
            match shown {
                Some(dialog) if reads => return Ok(dialog),
                Some(_) if is_late => return Err(AgentError::NotReading { agent: name() }),
                None if is_late => {
                    let screen = self.looker.screen_of(agent).await.unwrap_or_default();
                    return Err(AgentError::NotShown {
                        agent: name(),
                        screen,
                    });
                }
                _ => tokio::time::sleep(LOOK_PAUSE).await,
            }
        }
    }

    /// Presses the key of a choice. If the very same dialog is still there after a while, Claude Code, which takes a number at
    /// once, was not ready for it, and gets it again; others want the Enter key too.
    async fn choose(
        &self,
        session: &Arc<Session>,
        agent: &Agent,
        peer: &Peer,
        dialog: &Dialog,
        key: String,
    ) -> Result<(), Failure> {
        let send = |text: String, newline| SessionSendParams {
            session: session.id().to_string(),
            text: Some(text),
            newline,
            ..SessionSendParams::default()
        };
        let programs = self.settings().programs;
        let is_claude = agent.program == CLAUDE;
        let is_line = key.chars().all(char::is_alphabetic);
        let end_of_output = session.output.end();
        session.send(peer, send(key.clone(), is_line)).await?;
        if is_line {
            return Ok(());
        }
        for tries_left in (0..TRIES).rev() {
            let end = tokio::time::Instant::now() + TAKEN_AFTER;
            while tokio::time::Instant::now() < end {
                tokio::time::sleep(LOOK_PAUSE).await;
                match shown(session, &agent.program, &programs).await {
                    Some(Shown::Dialog(now)) if is_same(&now, dialog, is_claude) => {}
                    Some(_) => return Ok(()),
                    None => {}
                }
            }
            if !is_typed_to(agent) {
                return Ok(()); // it has ended, or left its terminal
            }
            if !is_claude {
                session.send(peer, send(String::new(), true)).await?;
                return Ok(());
            }
            // It has drawn the same again: it may be the next one.
            if tries_left == 0 || session.output.end() != end_of_output {
                break;
            }
            session.send(peer, send(key.clone(), false)).await?;
        }
        let agent = agent.name.clone();
        Err(AgentError::NotTaken { agent }.into())
    }
}

/// Returns whether keys go to an agent, and not to the shell that has started it.
fn is_typed_to(agent: &Agent) -> bool {
    let pid = agent.pid.and_then(|pid| i32::try_from(pid).ok());
    pid.is_none_or(process::is_in_foreground)
}

fn is_of(dialog: &Dialog, question: &AgentQuestion, agent: &Agent) -> bool {
    dialog.text == question.text || dialog.is_of(question, agent.known)
}

/// Two questions of Claude Code may differ in their boxes alone; other programs may echo what is typed.
fn is_same(now: &Dialog, dialog: &Dialog, is_claude: bool) -> bool {
    let is_equal = now.text == dialog.text && now.choices == dialog.choices;
    is_equal && (!is_claude || now.letters == dialog.letters)
}

/// Returns the key of the choice that `answer` means: its number, its text, or the start of one choice alone.
fn key_of(dialog: &Dialog, answer: &str) -> Option<String> {
    let answer = answer.trim().to_lowercase();
    let choices = dialog
        .choices
        .iter()
        .map(|(key, text)| (key, text.to_lowercase()));
    let choices: Vec<_> = choices.collect();
    let exact = choices
        .iter()
        .find(|(key, text)| key.to_lowercase() == answer || *text == answer);
    let starts: Vec<_> = choices
        .iter()
        .filter(|(_, text)| !answer.is_empty() && text.starts_with(&answer))
        .collect();
    let found = exact.or_else(|| match starts[..] {
        [one] => Some(one),
        _ => None,
    });
    // Two keys would be two answers.
    let key = found.map(|(key, _)| (*key).clone());
    key.filter(|key| key.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog() -> Dialog {
        Dialog {
            text: String::new(),
            choices: [("1", "Yes"), ("2", "Yes, and always"), ("3", "No")]
                .map(|(key, text)| (key.into(), text.into()))
                .into(),
            letters: "Createfilebtxt1bDoyouwanttocreatebtxt".into(),
        }
    }

    #[test]
    fn a_choice_is_meant_by_its_number_or_its_text() {
        for (answer, key) in [
            ("1", "1"),
            (" yes", "1"),
            ("Yes, and", "2"),
            ("no", "3"),
            ("N", "3"),
        ] {
            assert_eq!(key_of(&dialog(), answer).as_deref(), Some(key), "{answer}");
        }
        for answer in ["", "ye", "4", "maybe"] {
            assert_eq!(key_of(&dialog(), answer), None, "{answer}");
        }
    }
}
