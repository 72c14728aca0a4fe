//! Answers to the questions of agents. They are typed only if the screen shows the very question now.

use super::error::AgentError;
use super::look::shown;
use super::owner::Agents;
use crate::failure::Failure;
use ccd_agents::{Dialog, Shown};
use ccd_protocol::agent::{Agent, AgentAnswerParams, AgentQuestion};
use ccd_protocol::session::{InputVerdict, SessionSendParams};
use ccd_session::Session;
use ccd_session::peer::Peer;
use ccd_terminal::process;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// So long after a hook a program may take to draw the question.
const DRAWN_AFTER: Duration = Duration::from_secs(2);

/// So long an answer waits at least for the question to be drawn.
const DRAWN_WITHIN: Duration = Duration::from_millis(500);

/// So much longer a program that has drawn a question may take to read its terminal; a busy machine gives it no time.
const READS_AFTER: Duration = Duration::from_secs(5);

/// A screen is drawn when there was no output for so long.
const DRAWN: Duration = Duration::from_millis(200);

/// So long a dialog may take to follow a key; then it did not hear it.
const TAKEN_AFTER: Duration = Duration::from_secs(1);
const TRIES: usize = 3;

/// What a program prints of a letter that is typed, with its control sequences.
const MAX_ECHO_BYTES: u64 = 100;

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
        let Some(choice) = choice_of(&dialog, &params.answer) else {
            let answer = params.answer.clone();
            let choices = dialog.choices();
            return Err(AgentError::NoChoice { answer, choices }.into());
        };
        if dialog.choices.iter().any(|(_, text)| text.starts_with('[')) {
            return Err(AgentError::TakesSeveral { agent: name() }.into());
        }
        let screen = Screen {
            agents: self,
            agent: &agent,
            session: &session,
            peer,
        };
        let reads_lines = session.input.line().is_some_and(|line| line.canonical);
        let (key, _) = &dialog.choices[choice];
        if reads_lines {
            screen.send(Some(key.clone()), Some("Enter")).await?;
        } else if key.chars().all(char::is_alphabetic) {
            screen.type_letter(key).await?;
        } else {
            screen.select(&dialog, choice).await?;
        }
        self.looker.pause().await;
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
        let patience = DRAWN_AFTER.saturating_sub(age).max(DRAWN_WITHIN);
        let end = Instant::now() + patience;
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
            let reads = waiting.is_none_or(|waiting| waiting.verdict != InputVerdict::No);
            let is_late = Instant::now() >= end;
            let (is_typed_to, is_drawn) = (is_typed_to(agent), session.idle() >= DRAWN);
            match shown {
                _ if is_late && !is_typed_to => {
                    return Err(AgentError::NotInForeground { agent: name() });
                }
                // Keys that come while it draws may be lost.
                Some(dialog) if reads && is_typed_to && (is_drawn || is_late) => {
                    return Ok(dialog);
                }
                Some(_) if Instant::now() >= end + READS_AFTER => {
                    return Err(AgentError::NotReading { agent: name() });
                }
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
}

/// The screen of an agent, and the keys that go to it.
struct Screen<'a> {
    agents: &'a Agents,
    agent: &'a Agent,
    session: &'a Arc<Session>,
    peer: &'a Peer,
}

impl Screen<'_> {
    /// Moves the selection to a choice, and takes it. The selection may be in a text field, which would take a number as text.
    async fn select(&self, dialog: &Dialog, choice: usize) -> Result<(), Failure> {
        let mut selected = dialog.selected;
        for _ in 0..dialog.choices.len() * TRIES {
            let key = match selected.cmp(&choice) {
                Ordering::Less => "Down",
                Ordering::Greater => "Up",
                Ordering::Equal => break,
            };
            self.press(key).await?;
            let is_moved = |now: Option<&Dialog>| now.is_none_or(|now| now.selected != selected);
            match self.wait_for(dialog, is_moved).await {
                Some(Some(now)) => selected = now.selected,
                Some(None) => return Err(self.not_shown().await),
                None => {} // it was not ready for the key
            }
        }
        if selected != choice {
            return Err(self.not_taken());
        }
        let printed = self.session.output.end();
        self.press("Enter").await?;
        let end = Instant::now() + READS_AFTER;
        while Instant::now() < end {
            if self.wait_for(dialog, |now| now.is_none()).await.is_some() {
                return Ok(());
            }
            if self.is_unheard(printed).await {
                self.press("Enter").await?;
            }
        }
        Err(self.not_taken())
    }

    /// Types a letter, and presses Enter if the program has only shown the letter since.
    async fn type_letter(&self, letter: &str) -> Result<(), Failure> {
        let echoed = self.session.output.end() + MAX_ECHO_BYTES;
        self.send(Some(letter.to_owned()), None).await?;
        let end = Instant::now() + TAKEN_AFTER;
        while Instant::now() < end && self.session.output.end() <= echoed {
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        if self.is_unheard(echoed).await {
            self.press("Enter").await?;
        }
        Ok(())
    }

    /// Returns whether a program waits for a key, and has printed nothing after this offset: then it has not heard the last one.
    /// If it has, the next one may answer another question.
    async fn is_unheard(&self, printed: u64) -> bool {
        let waiting = self.session.waiting_for_input().await;
        let reads = waiting.is_some_and(|waiting| waiting.verdict != InputVerdict::No);
        reads && self.session.idle() >= DRAWN && self.session.output.end() <= printed
    }

    /// Waits until the dialog, or that it is gone, satisfies a condition; `None` if that does not happen in time.
    async fn wait_for(
        &self,
        dialog: &Dialog,
        is_met: impl Fn(Option<&Dialog>) -> bool,
    ) -> Option<Option<Dialog>> {
        let programs = self.agents.settings().programs;
        let end = Instant::now() + TAKEN_AFTER;
        while Instant::now() < end {
            tokio::time::sleep(LOOK_PAUSE).await;
            let now = match shown(self.session, &self.agent.program, &programs).await {
                Some(Shown::Dialog(now)) if is_same(&now, dialog) => Some(now),
                Some(_) => None,
                None => continue,
            };
            if is_met(now.as_ref()) {
                return Some(now);
            }
        }
        // It has ended, or left its terminal.
        (!is_typed_to(self.agent)).then_some(None)
    }

    async fn press(&self, key: &'static str) -> Result<(), Failure> {
        if !is_typed_to(self.agent) {
            let agent = self.agent.name.clone();
            return Err(AgentError::NotInForeground { agent }.into());
        }
        self.send(None, Some(key)).await
    }

    async fn send(&self, text: Option<String>, key: Option<&str>) -> Result<(), Failure> {
        let is_key = text.is_none();
        let params = SessionSendParams {
            session: self.session.id().to_string(),
            newline: !is_key && key.is_some(),
            keys: key.filter(|_| is_key).map(|key| vec![key.to_owned()]),
            text,
            ..SessionSendParams::default()
        };
        self.session.send(self.peer, params).await?;
        Ok(())
    }

    async fn not_shown(&self) -> Failure {
        let agent = self.agent.name.clone();
        let screen = self.agents.looker.screen_of(self.agent).await;
        let screen = screen.unwrap_or_default();
        AgentError::NotShown { agent, screen }.into()
    }

    fn not_taken(&self) -> Failure {
        let agent = self.agent.name.clone();
        AgentError::NotTaken { agent }.into()
    }
}

/// Returns whether keys go to an agent, and not to the shell that has started it.
fn is_typed_to(agent: &Agent) -> bool {
    agent.pid.is_none_or(process::is_in_foreground)
}

fn is_of(dialog: &Dialog, question: &AgentQuestion, agent: &Agent) -> bool {
    dialog.text == question.text || dialog.is_of(question, agent.known)
}

/// The selection may have moved, and a text field may have been filled.
fn is_same(now: &Dialog, dialog: &Dialog) -> bool {
    now.text == dialog.text
        && now.asked == dialog.asked
        && now.choices.len() == dialog.choices.len()
}

/// Returns the choice that `answer` means: its number, its text, or the start of one choice alone.
fn choice_of(dialog: &Dialog, answer: &str) -> Option<usize> {
    let answer = answer.trim().to_lowercase();
    let keys = dialog.choices.iter().map(|(key, _)| key.to_lowercase());
    let texts = dialog.choices.iter().map(|(_, text)| text.to_lowercase());
    let texts: Vec<String> = texts.collect();
    let by_key = keys.into_iter().position(|key| key == answer);
    let by_text = texts.iter().position(|text| *text == answer);
    match (by_key, by_text) {
        // A number that is the text of another one means neither.
        (Some(key), Some(text)) if key != text => return None,
        (None, None) => {}
        (by_key, by_text) => return by_key.or(by_text),
    }
    let mut starts = (0..texts.len()).filter(|at| texts[*at].starts_with(&answer));
    let found = starts.next().filter(|_| !answer.is_empty());
    found.filter(|_| starts.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog() -> Dialog {
        Dialog {
            text: String::new(),
            selected: 0,
            choices: [("1", "Yes"), ("2", "Yes, and always"), ("3", "No")]
                .map(|(key, text)| (key.into(), text.into()))
                .into(),
            letters: String::new(),
            asked: String::new(),
        }
    }

    #[test]
    fn a_choice_is_meant_by_its_number_or_its_text() {
        for (answer, choice) in [("1", 0), (" yes", 0), ("Yes, and", 1), ("no", 2), ("N", 2)] {
            assert_eq!(choice_of(&dialog(), answer), Some(choice), "{answer}");
        }
        for answer in ["", "ye", "4", "maybe"] {
            assert_eq!(choice_of(&dialog(), answer), None, "{answer}");
        }
        let mut numbers = dialog();
        numbers.choices[0].1 = "3".into();
        assert_eq!(choice_of(&numbers, "3"), None);
    }
}
