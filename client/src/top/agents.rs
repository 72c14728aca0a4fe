//! The page of `top` with the coding agents: looks, answers, attaches.

use super::feed::Ask;
use crate::fields::Fields as _;
use crate::fullscreen::{Key, moved};
use crate::render::{Colour, Line, agents as table, printable, scrolled};
use serde_json::Value;

pub(super) const KEYS: &str = "1-9 answer  a attach  up, down select  t sessions  q quit";

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AgentsAction {
    Attach(String),
    Ask(Ask),
}

#[derive(Debug, Default)]
pub(super) struct AgentsPage {
    agents: Vec<Value>,
    /// The selected one, with its question or its screen.
    shown: Value,
    selected: Option<String>,
    first: usize,
}

impl AgentsPage {
    /// Takes a new list; the selection stays on its agent or, if that is missing, on its row.
    pub(super) fn listed(&mut self, agents: Vec<Value>) {
        let place = self.place().unwrap_or(0);
        self.agents = agents;
        if self.place().is_none() {
            let place = place.min(self.agents.len().saturating_sub(1));
            self.selected = self.agents.get(place).map(|agent| id(agent).to_owned());
        }
    }

    pub(super) fn looked_at(&mut self, agent: Value) {
        self.shown = agent;
    }

    pub(super) fn selected(&self) -> Option<&str> {
        self.selected.as_deref()
    }

    fn place(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.agents.iter().position(|agent| id(agent) == *selected)
    }

    /// Returns what a key asks for, or why nothing can be done; `None` if it only moves the selection.
    pub(super) fn key(&mut self, key: Key, rows: usize) -> Option<Result<AgentsAction, String>> {
        let place = self.place().unwrap_or(0);
        let page = rows.saturating_sub(4).max(1);
        if let Some(place) = moved(key.as_in_less(), place, self.agents.len(), page) {
            self.selected = self.agents.get(place).map(|agent| id(agent).to_owned());
            return None;
        }
        let agent = &self.agents.get(self.place()?)?;
        match key {
            Key::Char(digit @ '1'..='9') => Some(self.answer(agent, digit)),
            Key::Char('a') | Key::Enter => {
                let elsewhere =
                    || "it does not run in a session; attach it where it was started".to_owned();
                let session = agent["session_id"].as_str().ok_or_else(elsewhere);
                Some(session.map(|session| AgentsAction::Attach(session.to_owned())))
            }
            _ => None,
        }
    }

    /// Answers the question that is shown, which the daemon compares with the one that is asked then.
    fn answer(&self, agent: &Value, digit: char) -> Result<AgentsAction, String> {
        let shown = Some(&self.shown).filter(|shown| id(shown) == id(agent));
        let question = shown.and_then(|shown| shown["question"]["text"].as_str());
        let Some(question) = question else {
            return Err(format!("no question of {} is shown", agent.text("name")));
        };
        Ok(AgentsAction::Ask(Ask::Answer {
            agent: id(agent).to_owned(),
            question: question.to_owned(),
            answer: digit.to_string(),
        }))
    }

    /// The table, and below it the question or the screen of the selected agent.
    pub(super) fn draw(&mut self, rows: usize, columns: usize, is_gone: bool) -> Vec<Line> {
        let asking = self
            .agents
            .iter()
            .filter(|agent| agent.text("state") == "asks");
        let title = format!(
            "ccctl top  {} agents, {} ask",
            self.agents.len(),
            asking.count()
        );
        let mut lines = vec![Line::of(title, Some(Colour::Heading))];
        if self.agents.is_empty() {
            let none = "no agents; ccctl agents new -- claude starts one";
            lines.push(Line::of(none, Some(Colour::Dim)));
            return lines;
        }
        let mut table = table(&self.agents, columns);
        lines.push(table.remove(0));
        let list_rows = (rows / 2).max(1).min(table.len());
        let place = self.place().unwrap_or(0);
        self.first = scrolled(self.first, place, table.len(), list_rows);
        let shown = table
            .into_iter()
            .enumerate()
            .skip(self.first)
            .take(list_rows);
        lines.extend(shown.map(|(index, line)| match index == place {
            true => line.filled(columns, Colour::Selected),
            false if is_gone => line.filled(0, Colour::Dim),
            false => line,
        }));
        let room = rows.saturating_sub(lines.len());
        lines.extend(self.preview(room, columns));
        lines
    }

    fn preview(&self, rows: usize, columns: usize) -> Vec<Line> {
        if rows < 2 || self.selected() != Some(id(&self.shown)) {
            return Vec::new();
        }
        let mut lines = vec![Line::of("─".repeat(columns), Some(Colour::Dim))];
        let question = self.shown.at("question");
        let choices = question.list("choices").iter().filter_map(Value::as_str);
        let asked = question["text"].as_str().into_iter().flat_map(str::lines);
        let asked = asked.map(|line| Line::of(printable(line), Some(Colour::Notice)));
        lines.extend(asked.take(rows.saturating_sub(1)));
        let choices = choices.enumerate();
        lines.extend(
            choices.map(|(at, text)| Line::of(printable(&format!("{}. {text}", at + 1)), None)),
        );
        if question.is_null() {
            let screen = self.shown.list("screen");
            let last = &screen[screen.len().saturating_sub(rows - 1)..];
            let texts = last.iter().filter_map(Value::as_str);
            lines.extend(texts.map(|text| Line::of(printable(text), None)));
        }
        lines.truncate(rows);
        lines
    }
}

fn id(agent: &Value) -> &str {
    agent.text("agent_id")
}
