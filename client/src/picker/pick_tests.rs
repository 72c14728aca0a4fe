//! Choosing a conversation.

use super::*;
use serde_json::json;

pub(crate) fn summary(number: usize, title: &str) -> Value {
    json!({
        "session_id": format!("{number:08}-0000"), "project": "shop", "cwd": "/srv/shop", "branch": "main", "title": title,
        "file": format!("/f/{number}"), "cost_usd": 0.5, "errors": 2, "turns": 0, "usage": {"total": {}},
    })
}

pub(crate) fn pick(titles: &[&str]) -> Pick {
    let mut pick = Pick::default();
    let conversations = titles.iter().enumerate();
    let conversations = conversations.map(|(number, title)| summary(number, title));
    let conversations: Vec<Value> = conversations.collect();
    pick.listed(json!({"total": titles.len(), "conversations": conversations}));
    pick
}

fn typed(pick: &mut Pick, text: &str) {
    text.chars()
        .for_each(|c| assert_eq!(pick.key(Key::Char(c)), None));
}

#[test]
fn a_page_of_the_list_that_comes_later_is_filtered_too() {
    let mut pick = pick(&["one"]);
    typed(&mut pick, "two");
    assert_eq!(pick.len(), 0);
    let page = json!({"total": 2, "conversations": [summary(7, "two")]});
    pick.report(Report::Listed(page));
    assert_eq!(pick.command().unwrap()[2], "00000007-0000");
}

#[test]
fn a_preview_is_asked_for_once_and_kept() {
    let mut pick = pick(&["one", "two"]);
    assert_eq!(pick.wanted_preview().as_deref(), Some("/f/0"));
    assert_eq!(pick.wanted_preview(), None);
    pick.key(Key::Down);
    assert_eq!(pick.wanted_preview().as_deref(), Some("/f/1"));
    assert!(pick.preview().is_none());
    pick.report(Report::Preview {
        file: "/f/0".to_owned(),
        preview: Ok(Preview::default()),
    });
    pick.key(Key::Up);
    assert_eq!(pick.preview(), Some(&Ok(Preview::default())));
    assert_eq!(pick.wanted_preview(), None);
}
