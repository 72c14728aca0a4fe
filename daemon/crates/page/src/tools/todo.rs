//! TodoWrite: the list after the call, and what changed in it.

use super::{Call, Shown};
use crate::shown::plural;
use crate::value::{field, list, text_of};

pub(super) fn show(call: &Call<'_>) -> Shown {
    let meta = call.meta();
    let now = field(meta, "newTodos")
        .as_array()
        .map_or_else(|| list(field(call.input, "todos")), Vec::as_slice);
    let before = field(meta, "oldTodos");
    let mut old: Vec<(String, String)> = list(before)
        .iter()
        .map(|item| (text_of(item, "content"), text_of(item, "status")))
        .collect();
    let mut shown = Shown::default();
    let (mut done, mut changes) = (0, 0);
    shown.body.open("ul.todos");
    for item in now {
        let (text, status) = (text_of(item, "content"), text_of(item, "status"));
        done += usize::from(status == "completed");
        let at = old.iter().position(|(known, _)| *known == text);
        let known = at.map(|at| old.remove(at).1);
        let change = match known {
            // Without the details nothing says what the list was before.
            _ if !before.is_array() => String::new(),
            None => "added".to_owned(),
            Some(known) if known != status => format!("{} → {}", words(&known), words(&status)),
            Some(_) => String::new(),
        };
        changes += usize::from(!change.is_empty());
        add_item(&mut shown.body, &text, &status, &change);
    }
    for (text, _) in &old {
        add_item(&mut shown.body, text, "gone", "removed");
    }
    shown.body.close();
    shown.target = format!("{done} of {} done", plural(now.len(), "item"));
    if !call.is_done() {
        call.add_result(&mut shown.body);
    } else if changes + old.len() > 0 {
        shown.outcome = plural(changes + old.len(), "change");
    }
    shown
}

fn words(status: &str) -> String {
    match status {
        "" => "no status".to_owned(),
        status => status.replace('_', " "),
    }
}

fn add_item(body: &mut crate::markup::Markup, text: &str, status: &str, change: &str) {
    let (class, sign) = match status {
        "completed" => ("li.done", "☑"),
        "in_progress" => ("li.now", "◐"),
        "gone" => ("li.gone", "☐"),
        _ => ("li", "☐"),
    };
    body.within(class, |item| {
        item.open_with("span.tick", &words(status));
        item.text(sign);
        item.close();
        item.leaf("span.what", text);
        if !change.is_empty() {
            item.leaf("span.change", change);
        }
    });
    body.text("\n");
}
