//! Choosing a conversation.

use super::*;

pub(crate) fn summary(number: usize, title: &str) -> ConversationSummary {
    ConversationSummary {
        session_id: format!("{number:08}-0000"),
        project: "shop".to_owned(),
        cwd: Some("/srv/shop".to_owned()),
        branch: Some("main".to_owned()),
        title: Some(title.to_owned()),
        file: format!("/f/{number}"),
        cost_usd: Some(0.5),
        errors: 2,
        ..ConversationSummary::default()
    }
}

pub(crate) fn pick(titles: &[&str]) -> Pick {
    let mut pick = Pick::default();
    let conversations = titles.iter().enumerate();
    pick.listed(ConversationListReply {
        indexing: None,
        unreadable: None,
        total: titles.len() as u64,
        conversations: conversations
            .map(|(number, title)| summary(number, title))
            .collect(),
    });
    pick
}

fn typed(pick: &mut Pick, text: &str) {
    text.chars()
        .for_each(|c| assert_eq!(pick.key(Key::Char(c)), None));
}

fn line(action: Option<PickAction>) -> String {
    match action {
        Some(PickAction::Show(words) | PickAction::Run(words)) => words.join(" "),
        other => panic!("{other:?}"),
    }
}

#[test]
fn typed_words_filter_and_enter_shows() {
    let mut pick = pick(&["Sort a list", "Fix the PARSER", "Parse a date"]);
    pick.key(Key::Down);
    typed(&mut pick, "pars SHOP");
    assert_eq!(pick.matching, [1, 2]);
    assert_eq!(pick.selected, 0);
    pick.key(Key::End);
    for (key, verb) in [(Key::Enter, "show"), (Key::Control('o'), "open")] {
        let expected = format!("conversation {verb} 00000002-0000");
        assert_eq!(line(pick.key(key)), expected);
    }
    pick.key(Key::Control('w'));
    assert_eq!(pick.typed, "pars ");
    typed(&mut pick, "zzz");
    assert!(pick.key(Key::Enter).is_none() && pick.key(Key::Control('o')).is_none());
    // The first Escape clears, the second one leaves.
    assert_eq!(pick.key(Key::Escape), None);
    assert_eq!(pick.len(), 3);
    assert_eq!(pick.key(Key::Escape), Some(PickAction::Leave));
}

#[test]
fn a_page_of_the_list_that_comes_later_is_filtered_too() {
    let mut pick = pick(&["one"]);
    typed(&mut pick, "two");
    assert_eq!(pick.len(), 0);
    pick.report(Report::Listed(ConversationListReply {
        indexing: None,
        unreadable: None,
        total: 2,
        conversations: vec![summary(7, "two")],
    }));
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

#[test]
fn words_are_searched_in_everything_that_was_said() {
    let mut pick = pick(&["one", "two"]);
    assert_eq!(pick.wanted_search(), None);
    pick.key(Key::Tab);
    assert_eq!(pick.wanted_search(), None);
    typed(&mut pick, "needle");
    assert_eq!(pick.wanted_search().as_deref(), Some("needle"));
    assert!(pick.is_searching && pick.wanted_search().is_none());
    let hit = ConversationHit {
        session_id: "00000001-0000".to_owned(),
        uuid: "u1".to_owned(),
        ..ConversationHit::default()
    };
    let found = |words: &str| Report::Found {
        words: words.to_owned(),
        reply: Ok(ConversationSearchReply {
            indexing: None,
            unreadable: None,
            hits: vec![hit.clone()],
            total: 1,
            took_ms: 1.0,
        }),
    };
    pick.report(found("need"));
    assert_eq!(pick.len(), 0);
    pick.report(found("needle"));
    assert_eq!(
        line(pick.key(Key::Enter)),
        "conversation show 00000001-0000 --at u1"
    );
    assert_eq!(pick.conversation().unwrap().title.as_deref(), Some("two"));
    pick.key(Key::Tab);
    assert_eq!(pick.len(), 0);
    pick.key(Key::Control('u'));
    assert_eq!(pick.len(), 2);
}

#[test]
fn it_can_be_left_anywhere() {
    for key in [Key::Control('c'), Key::Control('d')] {
        let mut pick = pick(&[]);
        typed(&mut pick, "q");
        assert_eq!(pick.key(key), Some(PickAction::Leave));
    }
}
