//! The list, what was typed, and the effect of keys.

use super::feed::Report;
use super::preview::Preview;
use crate::fields::Fields as _;
use crate::fullscreen::{Key, moved};
use crate::render::on_one_line;
use serde_json::Value;
use std::collections::HashMap;

const MAX_TYPED: usize = 256;

const MAX_PREVIEWS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PickAction {
    Leave,
    Suspend,
    Redraw,
    /// Run this command, which shows a text in the pager.
    Show(Vec<String>),
    Run(Vec<String>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// In titles, projects, branches and ids.
    #[default]
    Names,
    /// In everything that was said.
    Texts,
}

#[derive(Debug, Default)]
pub(super) struct Pick {
    pub(super) all: Vec<Value>,
    /// Number of conversations, of which some may not be listed yet.
    pub(super) total: u64,
    /// What the words are looked for in, for each conversation.
    names: Vec<String>,
    pub(super) mode: Mode,
    pub(super) typed: String,
    /// Indexes of the conversations with the typed words.
    pub(super) matching: Vec<usize>,
    /// The words that were searched for last, and what was found.
    searched: Option<String>,
    pub(super) found: Value,
    pub(super) is_searching: bool,
    pub(super) selected: usize,
    /// The first item shown.
    pub(super) first: usize,
    /// By the file of the conversation.
    previews: HashMap<String, Result<Preview, String>>,
    asked: Option<String>,
    pub(super) mistake: Option<String>,
    /// Items on the screen, which `PageDown` moves by.
    pub(super) page: usize,
}

impl Pick {
    pub(super) fn listed(&mut self, page: Value) {
        self.total = page.number("total");
        for one in page.list("conversations") {
            let place = one["cwd"].as_str().unwrap_or_else(|| one.text("project"));
            let parts = [
                one.text("title"),
                place,
                one.text("branch"),
                one.text("session_id"),
            ];
            self.names.push(parts.join("\n").to_lowercase());
            self.all.push(one.clone());
        }
        self.filter();
    }

    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Listed(page) => self.listed(page),
            Report::Incomplete(why) => self.mistake = Some(why),
            Report::Preview { file, preview } => {
                if self.previews.len() >= MAX_PREVIEWS {
                    self.previews.clear();
                }
                self.previews.insert(file, preview);
            }
            Report::Found { words, reply } if words == self.query() => {
                self.is_searching = false;
                self.found = reply.unwrap_or_else(|why| {
                    self.mistake = Some(why);
                    Value::Null
                });
                (self.selected, self.first) = (0, 0);
            }
            // Of words that have been changed since.
            Report::Found { .. } => {}
        }
    }

    pub(super) fn len(&self) -> usize {
        match self.mode {
            Mode::Names => self.matching.len(),
            Mode::Texts => self.found.list("hits").len(),
        }
    }

    /// The selected conversation or hit.
    pub(super) fn selected(&self) -> Option<&Value> {
        match self.mode {
            Mode::Names => self.all.get(*self.matching.get(self.selected)?),
            Mode::Texts => self.found.list("hits").get(self.selected),
        }
    }

    pub(super) fn conversation(&self) -> Option<&Value> {
        self.conversation_of(self.selected()?)
    }

    /// The conversation with a hit, if it is listed.
    pub(super) fn conversation_of(&self, hit: &Value) -> Option<&Value> {
        let mut all = self.all.iter();
        all.find(|one| one["session_id"] == hit["session_id"])
    }

    pub(super) fn preview(&self) -> Option<&Result<Preview, String>> {
        self.previews.get(self.conversation()?.text("file"))
    }

    /// Returns the file of a conversation whose preview is to be requested, once.
    pub(super) fn wanted_preview(&mut self) -> Option<String> {
        let file = self.conversation()?.text("file").to_owned();
        if self.previews.contains_key(&file) || self.asked.as_ref() == Some(&file) {
            return None;
        }
        self.asked = Some(file.clone());
        Some(file)
    }

    /// Returns words that are to be searched for, once.
    pub(super) fn wanted_search(&mut self) -> Option<String> {
        let words = self.query();
        if self.mode != Mode::Texts || self.searched.as_ref() == Some(&words) {
            return None;
        }
        self.searched = Some(words.clone());
        if words.is_empty() {
            self.found = Value::Null;
            self.is_searching = false;
            return None;
        }
        self.is_searching = true;
        Some(words)
    }

    pub(super) fn command(&self) -> Option<Vec<String>> {
        let selected = self.selected()?;
        let words = ["conversation", "show", selected.text("session_id")];
        let at = self.mode == Mode::Texts;
        let at = at.then(|| ["--at", selected.text("uuid")]);
        let words = words.into_iter().chain(at.into_iter().flatten());
        Some(words.map(str::to_owned).collect())
    }

    pub(super) fn key(&mut self, key: Key) -> Option<PickAction> {
        self.mistake = None;
        let page = self.page.saturating_sub(1).max(1);
        let key = match key {
            Key::Control('p') => Key::Up,
            Key::Control('n') => Key::Down,
            key => key,
        };
        if let Some(selected) = moved(key, self.selected, self.len(), page) {
            self.selected = selected;
            return None;
        }
        match key {
            Key::Control('c' | 'd') => return Some(PickAction::Leave),
            Key::Control('z') => return Some(PickAction::Suspend),
            Key::Control('l') => return Some(PickAction::Redraw),
            Key::Escape if self.typed.is_empty() => return Some(PickAction::Leave),
            Key::Escape => self.typed.clear(),
            Key::Enter => return self.command().map(PickAction::Show),
            Key::Control('o') => {
                let session = self.selected()?.text("session_id");
                let words = ["conversation", "open", session].map(str::to_owned);
                return Some(PickAction::Run(words.to_vec()));
            }
            Key::Tab => {
                self.mode = match self.mode {
                    Mode::Names => Mode::Texts,
                    Mode::Texts => Mode::Names,
                };
            }
            key if key.type_into(&mut self.typed, MAX_TYPED) => {}
            _ => return None,
        }
        (self.selected, self.first) = (0, 0);
        self.filter();
        None
    }

    fn query(&self) -> String {
        on_one_line(&self.typed)
    }

    fn filter(&mut self) {
        let typed = self.typed.to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let names = self.names.iter().enumerate();
        self.matching = names
            .filter(|(_, name)| words.iter().all(|word| name.contains(word)))
            .map(|(index, _)| index)
            .collect();
        self.selected = self.selected.min(self.len().saturating_sub(1));
    }
}

#[cfg(test)]
#[path = "pick_tests.rs"]
pub(super) mod tests;
