//! Navigation of the menu: an entry, an action, and an answer for each value that the action needs.

use super::entries::{Action, ActionPart, ENTRIES, Entry};
use crate::fullscreen::Key;
use crate::names::{Name, NameKind};
use crate::render::{joined, printable};
use ccd_base::shell;

const MAX_TYPED: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MenuAction {
    Leave,
    Suspend,
    /// Get this list, and pass it to [`Walk::listed`].
    List(NameKind),
    Run(Vec<String>),
}

/// Where the user is, and the answers so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    entry: Option<&'static Entry>,
    action: Option<&'static Action>,
    /// Words for the first parts of the action that need an answer.
    answers: Vec<Vec<String>>,
    pub(super) items: Vec<Name>,
    pub(super) selected: usize,
    /// The first item shown.
    pub(super) first: usize,
    /// The selections in the lists further up.
    above: Vec<usize>,
    pub(super) typed: String,
    pub(super) mistake: Option<String>,
    /// Global options, with which every command starts.
    global: Vec<String>,
}

impl Walk {
    pub(super) fn new(global: Vec<String>) -> Self {
        let mut walk = Self {
            global,
            ..Self::default()
        };
        walk.items = walk.own_items();
        walk
    }

    pub(super) fn question(&self) -> String {
        match (self.entry, self.action, self.part()) {
            (None, ..) => "what do you want to work with?".to_owned(),
            (Some(_), None, _) => "what do you want to do?".to_owned(),
            (_, _, Some(ActionPart::Pick(source))) => format!("which {}?", source.noun()),
            (_, _, Some(ActionPart::Choose(what, _))) => format!("which {what}?"),
            (_, _, Some(ActionPart::Text(what) | ActionPart::Words(what, _))) => what.clone(),
            (_, _, Some(ActionPart::Option(_, what))) => what.clone(),
            (_, _, Some(ActionPart::Fixed(_)) | None) => String::new(),
        }
    }

    pub(super) fn path(&self) -> String {
        let names = [
            self.entry.map(|entry| &*entry.name),
            self.action.map(|action| &*action.name),
        ];
        let names = names.into_iter().flatten();
        joined(" › ", std::iter::once("ccctl").chain(names))
    }

    /// True if a text is to be typed, rather than an item chosen.
    pub(super) fn is_typing(&self) -> bool {
        matches!(
            self.part(),
            Some(ActionPart::Text(_) | ActionPart::Words(..) | ActionPart::Option(..))
        )
    }

    /// The command of the selection, with open questions in angle brackets.
    pub(super) fn command(&self) -> Option<String> {
        let action = match (self.entry, self.action) {
            (Some(entry), None) => entry.actions.get(self.selected)?,
            (_, action) => action?,
        };
        let mut line = format!("$ ccctl {}", shell::line(&self.global));
        let mut answers = self.answers.iter();
        let mut is_current = self.action.is_some();
        for part in &action.words {
            let answer = match part {
                ActionPart::Fixed(words) => Some(fixed(words).collect()),
                _ => answers.next().cloned().or_else(|| {
                    let is_this = std::mem::take(&mut is_current);
                    is_this.then(|| self.current()).flatten()
                }),
            };
            let text = match answer {
                Some(words) => shell::line(&words),
                None => placeholder(part),
            };
            if !text.is_empty() {
                line.push_str(if line.ends_with(' ') { "" } else { " " });
                line.push_str(&text);
            }
        }
        Some(line)
    }

    pub(super) fn listed(&mut self, items: Vec<Name>) {
        self.items = items;
        (self.selected, self.first) = (0, 0);
    }

    pub(super) fn key(&mut self, key: Key) -> Option<MenuAction> {
        self.mistake = None;
        match key {
            Key::Control('c' | 'd') => return Some(MenuAction::Leave),
            Key::Control('z') => return Some(MenuAction::Suspend),
            Key::Escape => return self.back(),
            Key::Enter => return self.take(),
            _ => {}
        }
        if self.is_typing() {
            self.type_key(key);
            return None;
        }
        let last = self.items.len().saturating_sub(1);
        match key {
            Key::Up | Key::Char('k') => self.selected = self.selected.saturating_sub(1),
            Key::Down | Key::Char('j') | Key::Tab => self.selected = (self.selected + 1).min(last),
            Key::Home | Key::PageUp | Key::Char('g') => self.selected = 0,
            Key::End | Key::PageDown | Key::Char('G') => self.selected = last,
            Key::Char('q') => return Some(MenuAction::Leave),
            Key::Left | Key::Backspace | Key::Char('h') => return self.back(),
            Key::Right | Key::Char('l') => return self.take(),
            Key::Char(c @ '1'..='9') => {
                let index = usize::from(c as u8 - b'1');
                if index < self.items.len() {
                    self.selected = index;
                    return self.take();
                }
            }
            _ => {}
        }
        None
    }

    pub(super) fn done(&mut self) {
        self.action = None;
        self.answers.clear();
        self.above.truncate(2);
        self.up();
    }

    fn type_key(&mut self, key: Key) {
        key.type_into(&mut self.typed, MAX_TYPED);
    }

    /// Takes the selected item or the typed text as the answer.
    fn take(&mut self) -> Option<MenuAction> {
        if self.part().is_some() {
            let words = match self.answer() {
                Ok(words) => words,
                Err(mistake) => {
                    self.mistake = Some(mistake);
                    return None;
                }
            };
            self.answers.push(words);
        } else if let Some(entry) = self.entry {
            self.action = Some(entry.actions.get(self.selected)?);
        } else {
            self.entry = Some(ENTRIES.get(self.selected)?);
        }
        self.above.push(self.selected);
        self.next()
    }

    fn next(&mut self) -> Option<MenuAction> {
        (self.selected, self.first) = (0, 0);
        self.typed.clear();
        self.items = self.own_items();
        match (self.action, self.part()) {
            (Some(_), Some(ActionPart::Pick(source))) => Some(MenuAction::List(*source)),
            (Some(action), None) => Some(MenuAction::Run(self.words(action))),
            _ => None,
        }
    }

    /// Goes one step back; from the first step, quits.
    fn back(&mut self) -> Option<MenuAction> {
        let is_left = self.answers.pop().is_none()
            && self.action.take().is_none()
            && self.entry.take().is_none();
        if is_left {
            return Some(MenuAction::Leave);
        }
        self.up();
        match self.part() {
            Some(ActionPart::Pick(source)) => Some(MenuAction::List(*source)),
            _ => None,
        }
    }

    fn up(&mut self) {
        self.typed.clear();
        self.items = self.own_items();
        self.selected = self.above.pop().unwrap_or(0);
        self.first = 0;
    }

    fn part(&self) -> Option<&'static ActionPart> {
        let asked = |part: &&ActionPart| !matches!(part, ActionPart::Fixed(_));
        let mut parts = self.action?.words.iter().filter(asked);
        parts.nth(self.answers.len())
    }

    /// The items of lists that need no daemon.
    fn own_items(&self) -> Vec<Name> {
        let item = |value: &str, about: &str| Name {
            value: value.to_owned(),
            about: about.to_owned(),
        };
        match (self.entry, self.action, self.part()) {
            (None, ..) => {
                let entries = ENTRIES.iter();
                entries
                    .map(|entry| item(&entry.name, &entry.about))
                    .collect()
            }
            (Some(entry), None, _) => {
                let actions = entry.actions.iter();
                actions
                    .map(|action| item(&action.name, &action.about))
                    .collect()
            }
            (_, _, Some(ActionPart::Choose(_, words))) => {
                words.iter().map(|word| item(word, "")).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The selected item or the typed text, as words of the command.
    fn answer(&self) -> Result<Vec<String>, String> {
        let typed = self.typed.trim();
        match self.part() {
            Some(ActionPart::Option(option, _)) if !typed.is_empty() => {
                Ok(vec![option.clone(), typed.to_owned()])
            }
            Some(ActionPart::Option(..)) => Ok(Vec::new()),
            Some(ActionPart::Words(_, example)) => match typed {
                "" => Err(format!("type words such as {example}")),
                _ => Ok(shell::split(typed)?.words),
            },
            Some(ActionPart::Text(_)) => Ok(vec![self.typed.clone()]),
            _ => match self.items.get(self.selected) {
                Some(item) => Ok(vec![item.value.clone()]),
                None => Err("the list is empty; press Esc".to_owned()),
            },
        }
    }

    /// The selected item or the typed text, if there is any yet.
    fn current(&self) -> Option<Vec<String>> {
        let is_empty = self.is_typing() && self.typed.trim().is_empty();
        self.answer().ok().filter(|_| !is_empty)
    }

    fn words(&self, action: &Action) -> Vec<String> {
        let mut answers = self.answers.iter();
        let mut words = self.global.clone();
        for part in &action.words {
            match part {
                ActionPart::Fixed(fixed) => words.extend(self::fixed(fixed)),
                _ => words.extend(answers.next().into_iter().flatten().cloned()),
            }
        }
        words
    }
}

fn fixed(words: &str) -> impl Iterator<Item = String> {
    words.split(' ').map(str::to_owned)
}

fn placeholder(part: &ActionPart) -> String {
    match part {
        ActionPart::Fixed(words) => words.clone(),
        ActionPart::Pick(source) => format!("<{}>", source.noun().to_uppercase()),
        ActionPart::Choose(what, _) => format!("<{}>", what.to_uppercase()),
        ActionPart::Text(_) => "<TEXT>".to_owned(),
        ActionPart::Words(..) => "<WORDS>".to_owned(),
        ActionPart::Option(option, _) => format!("[{}]", printable(option)),
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
