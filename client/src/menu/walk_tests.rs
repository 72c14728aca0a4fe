//! Navigation through the menu.

use super::*;
use ccd_base::shell;

fn walk() -> Walk {
    Walk::new(Vec::new())
}

fn sessions() -> Vec<Name> {
    let item = |name: &str| Name {
        value: name.to_owned(),
        about: String::new(),
    };
    vec![item("py"), item("web")]
}

fn typed(walk: &mut Walk, text: &str) -> Option<MenuAction> {
    text.chars().for_each(|c| drop(walk.key(Key::Char(c))));
    walk.key(Key::Enter)
}

/// Chooses by name.
fn choose(walk: &mut Walk, name: &str) -> Option<MenuAction> {
    let mut items = walk.items.iter();
    walk.selected = items.position(|item| item.value == name).unwrap();
    walk.key(Key::Enter)
}

fn line(todo: Option<MenuAction>) -> String {
    match todo {
        Some(MenuAction::Run(words)) => shell::line(&words),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_is_started_step_by_step() {
    let mut walk = walk();
    assert_eq!(walk.command(), None);
    choose(&mut walk, "sessions");
    assert_eq!(walk.command().unwrap(), "$ ccctl session list");
    choose(&mut walk, "start");
    assert_eq!(walk.path(), "ccctl › sessions › start");
    assert_eq!(
        walk.command().unwrap(),
        "$ ccctl session create [--name] -- <WORDS>"
    );
    typed(&mut walk, "py");
    assert_eq!(
        walk.command().unwrap(),
        "$ ccctl session create --name py -- <WORDS>"
    );
    let todo = typed(&mut walk, "python3 -q 'a b'");
    assert_eq!(line(todo), "session create --name py -- python3 -q 'a b'");
    walk.done();
    assert_eq!(walk.path(), "ccctl › sessions");
    assert_eq!(walk.items[walk.selected].value, "start");
    // What is optional can be left out.
    choose(&mut walk, "start");
    assert_eq!(typed(&mut walk, "  "), None);
    assert_eq!(line(typed(&mut walk, "cat")), "session create -- cat");
}

#[test]
fn a_session_is_picked_from_a_list() {
    let mut walk = walk();
    choose(&mut walk, "sessions");
    assert_eq!(
        choose(&mut walk, "signal"),
        Some(MenuAction::List(NameKind::LiveSessions))
    );
    walk.listed(sessions());
    assert_eq!(
        walk.command().unwrap(),
        "$ ccctl session signal py <SIGNAL>"
    );
    walk.key(Key::Down);
    assert_eq!(walk.key(Key::Enter), None);
    assert_eq!(walk.items[0].value, "INT");
    // Back to the session, and choose the other one.
    assert_eq!(
        walk.key(Key::Escape),
        Some(MenuAction::List(NameKind::LiveSessions))
    );
    walk.listed(sessions());
    walk.key(Key::Char('1'));
    assert_eq!(line(walk.key(Key::Char('2'))), "session signal py TERM");
}

#[test]
fn a_mistake_is_told_and_asked_again() {
    let mut walk = walk();
    choose(&mut walk, "run");
    choose(&mut walk, "program");
    assert_eq!(walk.key(Key::Enter), None);
    let mistake = walk.mistake.take().unwrap();
    assert!(mistake.starts_with("type words such as python3"));
    assert_eq!(typed(&mut walk, "it's"), None);
    let told = "the ' at byte 2 of the command is not closed";
    assert_eq!(walk.mistake.as_deref(), Some(told));
    walk.key(Key::Control('u'));
    assert_eq!(line(typed(&mut walk, "ls -l")), "run -- ls -l");
    let mut walk = self::walk();
    choose(&mut walk, "sessions");
    choose(&mut walk, "close");
    walk.listed(Vec::new());
    assert_eq!(walk.key(Key::Enter), None);
    assert_eq!(
        walk.mistake.as_deref(),
        Some("the list is empty; press Esc")
    );
}

#[test]
fn back_leads_out_step_by_step() {
    let mut walk = walk();
    choose(&mut walk, "run");
    choose(&mut walk, "with timeout");
    typed(&mut walk, "5");
    // Letters are text here.
    assert_eq!(walk.key(Key::Char('q')), None);
    assert_eq!(walk.key(Key::Escape), None);
    assert_eq!(walk.question(), "seconds, or nothing for no limit");
    assert_eq!(walk.key(Key::Escape), None);
    assert_eq!(walk.items[walk.selected].value, "with timeout");
    assert_eq!(walk.key(Key::Left), None);
    assert_eq!(walk.items[walk.selected].value, "run");
    assert_eq!(walk.key(Key::Escape), Some(MenuAction::Leave));
}

#[test]
fn it_can_be_left_anywhere() {
    for key in [Key::Control('c'), Key::Control('d')] {
        let mut walk = walk();
        assert_eq!(walk.key(key), Some(MenuAction::Leave));
        choose(&mut walk, "run");
        choose(&mut walk, "program");
        assert_eq!(walk.key(key), Some(MenuAction::Leave));
    }
    assert_eq!(walk().key(Key::Char('q')), Some(MenuAction::Leave));
}

#[test]
fn global_options_are_part_of_every_command() {
    let mut walk = Walk::new(vec!["--socket".to_owned(), "/a b".to_owned()]);
    choose(&mut walk, "status");
    assert_eq!(
        walk.command().unwrap(),
        "$ ccctl --socket '/a b' daemon status"
    );
    assert_eq!(line(walk.key(Key::Enter)), "--socket '/a b' daemon status");
}
