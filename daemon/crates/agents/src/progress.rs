//! What one conversation does: facts in, in the order in which they arrive; its state out.
//! Hooks are facts, and so is what the program reports about itself. What a screen shows, and silence, are guesses, which count
//! only if they are newer, and only if the program reports nothing.

use crate::hook::{Event, Hook, Notice, ToolUse};
use crate::look::{Dialog, Look, Shown, Tail};
use crate::moment::Moment;
use crate::words;
use ccd_conversation::ClaudeActivity;
use ccd_protocol::agent::{AgentQuestion, AgentState, Known, QuestionKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// So long after a fact a screen may still show what was before it.
const SETTLE: Duration = Duration::from_millis(500);

/// A program that shows no mark of its work, and is quiet for so long, waits for input.
const QUIET: Duration = Duration::from_millis(300);

/// So long a report may lag behind a hook. Of one that is older, the hook said nothing.
const LAG: Duration = Duration::from_secs(2);

/// A program that has reported nothing for so long is looked at again.
const REPORTS: Duration = Duration::from_secs(10);

/// Sub-agents, tools and questions that are remembered; more of them are not.
const MAX_SUB_AGENTS: usize = 256;
const MAX_TOOLS: usize = 64;
const MAX_QUESTIONS: usize = 16;

/// One line of work: the agent itself, or a sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Work {
    phase: Phase,
    since: Moment,
    known: Known,
    /// Tools at work, the newest last.
    tools: Vec<ToolUse>,
    /// Open questions, the oldest first.
    questions: Vec<Asked>,
    /// What a sub-agent is called.
    kind: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    #[default]
    Idle,
    Works,
    Compacts {
        was_idle: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Asked {
    question: AgentQuestion,
    tool: Option<ToolUse>,
    at: Moment,
    known: Known,
    /// A screen has shown it.
    was_shown: bool,
}

/// What a conversation does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    main: Work,
    subs: BTreeMap<String, Work>,
    pub last_prompt: Option<String>,
    pub last_answer: Option<String>,
    pub error: Option<String>,
    /// When a hook last said something.
    last_hook: Option<Moment>,
    /// When the program last reported what it does.
    reported: Option<Moment>,
    /// The screen has shown the mark of this program's work, so that its absence says something.
    has_mark: bool,
    /// When something last moved.
    moved: Moment,
}

/// A state, and how it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    pub state: AgentState,
    pub known: Known,
    pub since: Moment,
    pub doing: Option<String>,
    pub question: Option<AgentQuestion>,
}

impl Progress {
    /// A conversation about which nothing is known but that it is there.
    #[must_use]
    pub fn new(at: Moment) -> Self {
        let mut progress = Self {
            moved: at,
            ..Self::default()
        };
        progress.main.set(Phase::Idle, Known::Guess, at);
        progress
    }

    /// Takes what a hook says.
    pub fn hook(&mut self, hook: &Hook, at: Moment) {
        self.last_hook = Some(at);
        self.moved = at;
        if hook.event.asks() {
            // The screen or the report may have shown it before the hook arrived.
            let is_named = |asked: &Asked| asked.known == Known::Fact && !asked.is_unnamed();
            self.main.questions.retain(is_named);
        }
        match &hook.event {
            Event::Start { source } => self.start(source, at),
            Event::Prompt(prompt) => {
                self.error = None;
                if !is_machine_made(prompt) {
                    self.last_prompt = Some(prompt.clone());
                }
                self.main.begin(at);
            }
            Event::Stops { answer } => {
                self.last_answer = answer.clone().or(self.last_answer.take());
                self.main.end(Known::Fact, at);
            }
            // What happens to a sub-agent is not what happens to its agent.
            Event::Fails { .. } | Event::Compacts if hook.sub_agent.is_some() => {}
            Event::Fails { error } => {
                self.error = Some(error.clone());
                self.main.end(Known::Fact, at);
            }
            Event::SubAgentStops => {
                if let Some(sub) = &hook.sub_agent {
                    self.subs.remove(&sub.id);
                }
            }
            // A notice is of the whole program, and comes seconds after what it is about.
            Event::Notifies(notice) => self.notice(notice, at),
            Event::Compacts => {
                let was_idle = self.main.phase == Phase::Idle;
                self.main.set(Phase::Compacts { was_idle }, Known::Fact, at);
            }
            Event::Ends => {}
            event => {
                if let Some(work) = self.work_of(hook) {
                    work.step(event, at);
                }
            }
        }
    }

    fn start(&mut self, source: &str, at: Moment) {
        let goes_on = source == "compact" && self.main.phase != Phase::Compacts { was_idle: true };
        self.main.end(Known::Fact, at);
        if goes_on {
            self.main.begin(at);
        } else {
            self.subs.clear();
        }
    }

    fn work_of(&mut self, hook: &Hook) -> Option<&mut Work> {
        let Some(sub) = &hook.sub_agent else {
            return Some(&mut self.main);
        };
        if !self.subs.contains_key(&sub.id) && self.subs.len() == MAX_SUB_AGENTS {
            return None;
        }
        let work = self.subs.entry(sub.id.clone()).or_default();
        if !sub.kind.is_empty() {
            work.kind.clone_from(&sub.kind);
        }
        Some(work)
    }

    fn notice(&mut self, notice: &Notice, at: Moment) {
        let (kind, text) = match notice {
            Notice::Idle => {
                // The agent itself says that it waits for a prompt: whatever was open is not.
                if self.main.phase != Phase::Idle || self.question().is_some() {
                    self.main.end(Known::Fact, at);
                    self.subs.clear();
                }
                return;
            }
            Notice::Permission(text) => (QuestionKind::Permission, text),
            Notice::Elicitation(text) => (QuestionKind::Elicitation, text),
        };
        if self.question().is_none() {
            let question = AgentQuestion::new(kind, text.clone());
            self.main.ask(question, None, Known::Fact, at);
        }
    }

    /// An unattended run works.
    pub fn runs(&mut self, at: Moment) {
        if self.main.phase == Phase::Idle {
            self.main.set(Phase::Works, Known::Fact, at);
            self.moved = at;
        }
    }

    /// Takes what the program reports about itself since `unix_ms`. A hook says more, and sooner; but no hook says that a question
    /// was answered or a turn interrupted. Returns whether that has changed anything.
    pub fn report(&mut self, activity: &ClaudeActivity, unix_ms: u64, now: Moment) -> bool {
        self.reported = Some(now);
        let since = now.earlier(Duration::from_millis(now.unix_ms.saturating_sub(unix_ms)));
        let before = (self.main.clone(), self.subs.len());
        if *activity == ClaudeActivity::Works {
            self.close_questions(Known::Fact, since, |asked| asked.at.unix_ms < unix_ms);
        }
        let is_behind = |hook: Moment| unix_ms <= hook.unix_ms && hook.until(now) < LAG;
        if !self.last_hook.is_some_and(is_behind) {
            self.reports(activity, since);
        }
        let has_changed = before != (self.main.clone(), self.subs.len());
        if has_changed {
            self.moved = now;
        }
        has_changed
    }

    fn reports(&mut self, activity: &ClaudeActivity, since: Moment) {
        match activity {
            ClaudeActivity::Idle => {
                let is_open = self.main.phase != Phase::Idle || self.main.known == Known::Guess;
                if is_open || self.question().is_some() || !self.subs.is_empty() {
                    self.subs.clear();
                    self.main.end(Known::Fact, since);
                }
            }
            ClaudeActivity::Works => {
                let is_new = self.main.phase == Phase::Idle && self.subs.is_empty();
                if is_new || self.main.known == Known::Guess {
                    self.main.set(Phase::Works, Known::Fact, since);
                }
            }
            ClaudeActivity::Waits(wait) if self.question().is_none() => {
                let kind = if wait.is_permission {
                    QuestionKind::Permission
                } else {
                    QuestionKind::Question
                };
                let question = AgentQuestion::new(kind, words::line(&wait.what));
                self.main.ask(question, None, Known::Fact, since);
            }
            ClaudeActivity::Waits(_) => {
                self.questions_mut()
                    .for_each(|asked| asked.known = Known::Fact);
            }
        }
    }

    /// Takes what was seen of the program. Returns whether that has changed anything.
    pub fn look(&mut self, look: &Look) -> bool {
        let before = self.clone();
        if let Some(tail) = &look.transcript {
            self.transcript(tail);
        }
        match &look.shown {
            Shown::Dialog(dialog) => self.sees_dialog(dialog, look.at),
            Shown::Work if !self.is_reported(look.at) => self.sees_work(look.at),
            Shown::Nothing if !self.is_reported(look.at) => self.sees_nothing(look),
            _ => {}
        }
        let has_changed = *self != before;
        if look.has_moved {
            self.moved = look.at;
        }
        has_changed
    }

    fn is_reported(&self, now: Moment) -> bool {
        self.reported.is_some_and(|at| at.until(now) < REPORTS)
    }

    fn sees_dialog(&mut self, dialog: &Dialog, at: Moment) {
        // Of several questions one is drawn; those that were, and are no longer, are answered.
        self.close_questions(Known::Guess, at, |asked| {
            asked.was_shown && !asked.is_shown_by(dialog)
        });
        let mut drawn = self
            .questions_mut()
            .filter(|asked| asked.is_shown_by(dialog));
        if let Some(asked) = drawn.next() {
            asked.was_shown = true;
            asked.question.choices = dialog.choices();
            if asked.is_unnamed() {
                asked.question.text.clone_from(&dialog.text);
            }
            return;
        }
        drop(drawn);
        // It may be the one that was just answered.
        let is_early = self.last_hook.is_some_and(|hook| hook.until(at) < SETTLE);
        if self.question().is_none() && !is_early && !self.is_reported(at) {
            let question = AgentQuestion {
                choices: dialog.choices(),
                ..AgentQuestion::new(QuestionKind::Question, dialog.text.clone())
            };
            self.main.ask(question, None, Known::Guess, at);
            self.main
                .questions
                .iter_mut()
                .for_each(|asked| asked.was_shown = true);
        }
    }

    fn sees_work(&mut self, at: Moment) {
        self.has_mark = true;
        self.close_questions(Known::Guess, at, |asked| asked.was_shown);
        if self.main.phase == Phase::Idle && self.main.since.until(at) >= SETTLE {
            self.main.set(Phase::Works, Known::Guess, at);
        }
    }

    fn sees_nothing(&mut self, look: &Look) {
        let at = look.at;
        self.close_questions(Known::Guess, at, |asked| {
            asked.was_shown && asked.at.until(at) >= SETTLE
        });
        let is_settled = self.main.since.until(at) >= SETTLE && look.quiet >= QUIET;
        let says_something = self.has_mark || self.last_hook.is_none();
        if self.main.phase != Phase::Idle
            && self.question().is_none()
            && is_settled
            && says_something
            && look.reads != Some(false)
        {
            self.main.end(Known::Guess, at);
        }
        if self.main.phase == Phase::Idle && look.reads == Some(false) && self.last_hook.is_none() {
            self.main.set(Phase::Works, Known::Guess, at);
        }
    }

    /// Somebody has answered.
    fn close_questions(&mut self, known: Known, at: Moment, is_closed: impl Fn(&Asked) -> bool) {
        for work in std::iter::once(&mut self.main).chain(self.subs.values_mut()) {
            let open = work.questions.len();
            work.questions.retain(|asked| !is_closed(asked));
            if work.questions.len() < open {
                (work.since, work.known) = (at, known);
            }
        }
    }

    fn transcript(&mut self, tail: &Tail) {
        let hook = self.last_hook.map_or(0, |last| last.unix_ms);
        if tail.unix_ms > hook {
            self.last_prompt = tail.prompt.clone().or(self.last_prompt.take());
            self.last_answer = tail.answer.clone().or(self.last_answer.take());
        }
    }

    fn questions_mut(&mut self) -> impl Iterator<Item = &mut Asked> {
        let works = std::iter::once(&mut self.main).chain(self.subs.values_mut());
        works.flat_map(|work| &mut work.questions)
    }

    /// The question that is to be answered first, and who asks: the one that is drawn, the agent's own, then the oldest of a
    /// sub-agent.
    fn question(&self) -> Option<(&Asked, Option<&str>)> {
        let own = self.main.questions.iter().map(|asked| (asked, None));
        let subs = self.subs.iter().flat_map(|(id, sub)| {
            let asked = sub.questions.iter();
            asked.map(move |asked| (asked, Some(sub.name(id))))
        });
        own.chain(subs).min_by_key(|(asked, sub_agent)| {
            let at = sub_agent.map(|_| asked.at.boot_ms);
            (!asked.was_shown, sub_agent.is_some(), at)
        })
    }

    /// Returns whether it asks something, and nobody has seen yet what.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        let question = self.question();
        question.is_some_and(|(asked, _)| asked.is_unnamed() && !asked.was_shown)
    }

    /// Returns when something last moved.
    #[must_use]
    pub fn moved(&self) -> Moment {
        self.moved
    }

    /// Returns how many sub-agents are at work.
    #[must_use]
    pub fn sub_agents(&self) -> usize {
        self.subs.len()
    }

    /// Returns the state at `now`; nothing moved for `stuck_after` is stuck.
    #[must_use]
    pub fn status(&self, now: Moment, stuck_after: Duration) -> Status {
        if let Some((asked, sub_agent)) = self.question() {
            let question = AgentQuestion {
                sub_agent: sub_agent.map(str::to_owned),
                ..asked.question.clone()
            };
            return Status {
                state: AgentState::Asks,
                known: asked.known,
                since: asked.at,
                doing: asked.tool.as_ref().map(ToolUse::line),
                question: Some(question),
            };
        }
        let working = std::iter::once(&self.main)
            .chain(self.subs.values())
            .find(|work| work.phase != Phase::Idle);
        let status = |state, known, since, doing| Status {
            state,
            known,
            since,
            doing,
            question: None,
        };
        let Some(work) = working else {
            return status(AgentState::Idle, self.main.known, self.main.since, None);
        };
        let moved = if self.moved.boot_ms > work.since.boot_ms {
            self.moved
        } else {
            work.since
        };
        if moved.until(now) >= stuck_after {
            return status(AgentState::Stuck, Known::Guess, moved, work.doing());
        }
        status(AgentState::Working, work.known, work.since, work.doing())
    }
}

impl Asked {
    /// Notices and reports of Claude Code do not say what is asked.
    fn is_unnamed(&self) -> bool {
        self.known == Known::Fact
            && self.tool.is_none()
            && self.question.kind != QuestionKind::Elicitation
    }

    fn is_shown_by(&self, dialog: &Dialog) -> bool {
        self.is_unnamed() || dialog.is_of(&self.question, self.known)
    }
}

impl Work {
    fn set(&mut self, phase: Phase, known: Known, at: Moment) {
        (self.phase, self.known, self.since) = (phase, known, at);
    }

    /// A turn begins, or goes on: nothing of the one before is open.
    fn begin(&mut self, at: Moment) {
        self.end(Known::Fact, at);
        self.phase = Phase::Works;
    }

    fn end(&mut self, known: Known, at: Moment) {
        self.tools.clear();
        self.questions.clear();
        self.set(Phase::Idle, known, at);
    }

    fn ask(&mut self, question: AgentQuestion, tool: Option<ToolUse>, known: Known, at: Moment) {
        if self.questions.len() == MAX_QUESTIONS {
            return;
        }
        self.questions.push(Asked {
            question,
            tool,
            at,
            known,
            was_shown: false,
        });
    }

    fn step(&mut self, event: &Event, at: Moment) {
        match event {
            Event::ToolStarts(tool, question) => {
                self.set(Phase::Works, Known::Fact, at);
                if self.tools.len() < MAX_TOOLS {
                    self.tools.push(tool.clone());
                }
                if let Some(question) = question {
                    self.ask(question.clone(), Some(tool.clone()), Known::Fact, at);
                }
            }
            Event::ToolEnds(tool) => {
                self.set(Phase::Works, Known::Fact, at);
                remove_first(&mut self.tools, |one| one.is_same(tool));
                remove_first(&mut self.questions, |asked| {
                    asked.tool.as_ref().is_some_and(|one| one.is_same(tool))
                });
            }
            Event::BatchEnds => self.begin(at),
            Event::Asks(tool, question) => self.asks(tool, question, at),
            Event::Elicits(Some(question)) => {
                self.ask(question.clone(), None, Known::Fact, at);
            }
            Event::Elicits(None) => remove_first(&mut self.questions, |asked| {
                asked.question.kind == QuestionKind::Elicitation
            }),
            Event::SubAgentStarts => self.set(Phase::Works, Known::Fact, at),
            _ => {}
        }
    }

    /// A permission is asked without the id of the tool's use, which started just before.
    fn asks(&mut self, tool: &ToolUse, question: &AgentQuestion, at: Moment) {
        self.set(Phase::Works, Known::Fact, at);
        let started = self.tools.iter().rev().find(|one| one.is_same(tool));
        let tool = started.unwrap_or(tool).clone();
        let known = self
            .questions
            .iter_mut()
            .find(|asked| asked.tool.as_ref().is_some_and(|one| one.is_same(&tool)));
        match known {
            Some(asked) => asked.question.kind = question.kind,
            None => self.ask(question.clone(), Some(tool), Known::Fact, at),
        }
    }

    /// What a sub-agent is called, or its `id`.
    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        if self.kind.is_empty() { id } else { &self.kind }
    }

    fn doing(&self) -> Option<String> {
        match self.phase {
            Phase::Compacts { .. } => Some("compacting the conversation".into()),
            _ => self.tools.last().map(ToolUse::line),
        }
    }
}

fn remove_first<T>(list: &mut Vec<T>, is_meant: impl Fn(&T) -> bool) {
    if let Some(at) = list.iter().position(is_meant) {
        list.remove(at);
    }
}

/// Claude Code writes some prompts itself.
fn is_machine_made(prompt: &str) -> bool {
    prompt.starts_with('<')
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
