//! A list of things to do, with what a call changed in it.

use crate::fields::Fields as _;
use crate::render::{on_one_line, text};
use serde_json::{Value, json};

/// True if the note of a result has such a list.
pub(super) fn is_todos(meta: &Value) -> bool {
    meta["newTodos"].is_array()
}

/// Returns the items of the list, and those that were removed, each with its `change` and a `note` on that.
pub(super) fn todos(meta: &Value) -> Vec<Value> {
    let list = |name: &str| -> Vec<Value> {
        let item = |item: &Value| {
            let text = |name: &str| on_one_line(item.text(name));
            json!({"content": text("content"), "status": text("status"), "before": null})
        };
        meta.list(name).iter().map(item).collect()
    };
    let (mut old, mut all) = (list("oldTodos"), list("newTodos"));
    for item in &mut all {
        let before = old.iter().find(|one| one["content"] == item["content"]);
        item["change"] = match before {
            None => "added".into(),
            Some(before) if before["status"] != item["status"] => {
                item["before"] = before["status"].clone();
                "moved".into()
            }
            Some(_) => Value::Null,
        };
    }
    old.retain(|item| !all.iter().any(|one| one["content"] == item["content"]));
    old.iter_mut()
        .for_each(|item| item["change"] = "removed".into());
    all.append(&mut old);
    for item in &mut all {
        item["note"] = text("todo note", item).into();
    }
    all
}
