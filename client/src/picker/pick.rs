//! The list, what was typed, and the effect of keys.

use super::feed::Report;
use super::preview::Preview;
use crate::fullscreen::Key;
use crate::render::on_one_line;
use ccd_protocol::conversation::{
    ConversationHit, ConversationListReply, ConversationSearchReply, ConversationSummary,
};
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
    pub(super) all: Vec<ConversationSummary>,
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
    pub(super) found: ConversationSearchReply,
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

#[derive(Debug, Clone, Copy)]
pub(super) enum Selected<'a> {
    Conversation(&'a ConversationSummary),
    Hit(&'a ConversationHit),
}

impl Selected<'_> {
    pub(super) fn session(&self) -> &str {
        match self {
            Selected::Conversation(one) => &one.session_id,
            Selected::Hit(hit) => &hit.session_id,
        }
    }
}

impl Pick {
    pub(super) fn listed(&mut self, page: ConversationListReply) {
        self.total = page.total;
        for one in page.conversations {
            let parts = [
                one.title.as_deref().unwrap_or_default(),
                one.cwd.as_deref().unwrap_or(&one.project),
                one.branch.as_deref().unwrap_or_default(),
                &one.session_id,
            ];
            self.names.push(parts.join("\n").to_lowercase());
            self.all.push(one);
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
                    ConversationSearchReply::default()
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
            Mode::Texts => self.found.hits.len(),
        }
    }

    pub(super) fn selected(&self) -> Option<Selected<'_>> {
        match self.mode {
            Mode::Names => {
                let index = self.matching.get(self.selected)?;
                self.all.get(*index).map(Selected::Conversation)
            }
            Mode::Texts => self.found.hits.get(self.selected).map(Selected::Hit),
        }
    }

    pub(super) fn conversation(&self) -> Option<&ConversationSummary> {
        match self.selected()? {
            Selected::Conversation(one) => Some(one),
            Selected::Hit(hit) => self.all.iter().find(|one| one.session_id == hit.session_id),
        }
    }

    pub(super) fn preview(&self) -> Option<&Result<Preview, String>> {
        self.previews.get(&self.conversation()?.file)
    }

    /// Returns the file of a conversation whose preview is to be requested, once.
    pub(super) fn wanted_preview(&mut self) -> Option<String> {
        let file = self.conversation()?.file.clone();
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
            self.found = ConversationSearchReply::default();
            self.is_searching = false;
            return None;
        }
        self.is_searching = true;
        Some(words)
    }

    pub(super) fn command(&self) -> Option<Vec<String>> {
        let selected = self.selected()?;
        let mut words = ["conversation", "show", selected.session()]
            .map(str::to_owned)
            .to_vec();
        if let Selected::Hit(hit) = selected {
            words.extend(["--at".to_owned(), hit.uuid.clone()]);
        }
        Some(words)
    }

    pub(super) fn key(&mut self, key: Key) -> Option<PickAction> {
        self.mistake = None;
        let last = self.len().saturating_sub(1);
        let page = self.page.saturating_sub(1).max(1);
        match key {
            Key::Control('c' | 'd') => return Some(PickAction::Leave),
            Key::Control('z') => return Some(PickAction::Suspend),
            Key::Control('l') => return Some(PickAction::Redraw),
            Key::Escape if self.typed.is_empty() => return Some(PickAction::Leave),
            Key::Escape => self.typed.clear(),
            Key::Enter => return self.command().map(PickAction::Show),
            Key::Control('o') => {
                let session = self.selected()?.session().to_owned();
                let words = ["conversation", "open", &session].map(str::to_owned);
                return Some(PickAction::Run(words.to_vec()));
            }
            Key::Tab => {
                self.mode = match self.mode {
                    Mode::Names => Mode::Texts,
                    Mode::Texts => Mode::Names,
                };
            }
            Key::Up | Key::Control('p') => return self.select(self.selected.saturating_sub(1)),
            Key::Down | Key::Control('n') => return self.select((self.selected + 1).min(last)),
            Key::PageUp => return self.select(self.selected.saturating_sub(page)),
            Key::PageDown => return self.select((self.selected + page).min(last)),
            Key::Home => return self.select(0),
            Key::End => return self.select(last),
            key if key.type_into(&mut self.typed, MAX_TYPED) => {}
            _ => return None,
        }
        (self.selected, self.first) = (0, 0);
        self.filter();
        None
    }

    fn select(&mut self, index: usize) -> Option<PickAction> {
        self.selected = index;
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
