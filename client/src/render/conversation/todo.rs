//! A list of things to do, with what a call changed in it.

use crate::render::on_one_line;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Todo {
    pub(super) content: String,
    pub(super) state: TodoState,
    pub(super) change: TodoChange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TodoState {
    Pending,
    InProgress,
    Completed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TodoChange {
    None,
    Added,
    Removed,
    /// Its state before, and now.
    Moved(String, String),
}

impl Todo {
    /// Returns the change in parentheses, after a space; nothing if there is none.
    pub(super) fn note(&self) -> String {
        match &self.change {
            TodoChange::None => String::new(),
            TodoChange::Added => " (added)".to_owned(),
            TodoChange::Removed => " (removed)".to_owned(),
            TodoChange::Moved(old, new) => format!(" ({old} → {new})"),
        }
    }
}

/// True if the note of a result has such a list.
pub(super) fn is_todos(meta: &Value) -> bool {
    meta["newTodos"].is_array()
}

/// Returns the items of the list, and those that were removed.
pub(super) fn todos(meta: &Value) -> Vec<Todo> {
    let list = |name: &str| -> Vec<(String, String)> {
        let items = meta[name].as_array().into_iter().flatten();
        let text = |item: &Value, key: &str| on_one_line(item[key].as_str().unwrap_or_default());
        items
            .map(|item| (text(item, "content"), text(item, "status")))
            .collect()
    };
    let (old, new) = (list("oldTodos"), list("newTodos"));
    let is_new = |content: &String| new.iter().any(|(known, _)| known == content);
    let removed = old.iter().filter(|(content, _)| !is_new(content));
    let removed = removed.map(|(content, status)| Todo {
        content: content.clone(),
        state: state(status),
        change: TodoChange::Removed,
    });
    let kept = new.iter().map(|(content, status)| {
        let before = old.iter().find(|(known, _)| known == content);
        Todo {
            content: content.clone(),
            state: state(status),
            change: match before {
                None => TodoChange::Added,
                Some((_, known)) if known != status => {
                    TodoChange::Moved(known.clone(), status.clone())
                }
                Some(_) => TodoChange::None,
            },
        }
    });
    kept.chain(removed).collect()
}

fn state(status: &str) -> TodoState {
    match status {
        "completed" => TodoState::Completed,
        "in_progress" => TodoState::InProgress,
        _ => TodoState::Pending,
    }
}
