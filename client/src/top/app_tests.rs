//! Keys, the selection, and messages.

use super::*;
use crate::render::tests::record;
use serde_json::json;

fn session(id: &str, changes: Value) -> Value {
    let mut session = record(&changes);
    session["session_id"] = id.into();
    session
}

pub(in crate::top) fn app() -> App {
    let mut app = App::new("started", false, Duration::from_secs(1));
    let waits = json!({"verdict": "accepts", "hidden": false, "how": "read"});
    app.listed(vec![
        session("a1", json!({"name": "web", "program": "python3"})),
        session("b2", json!({"waiting_for_input": waits})),
        session(
            "c3",
            json!({"name": "old", "state": "dead", "exitstatus": 0}),
        ),
        session("d4", json!({"name": "db"})),
    ]);
    app
}

fn ids(app: &App) -> Vec<&str> {
    app.shown.iter().map(id).collect()
}

fn keys(app: &mut App, keys: &str) -> Option<TopAction> {
    keys.chars().fold(None, |_, c| app.key(Key::Char(c)))
}

fn selected(app: &App) -> &str {
    app.selected().map_or("", id)
}

fn follow(all: bool, preview: Option<&str>) -> Option<TopAction> {
    let preview = preview.map(str::to_owned);
    Some(TopAction::Follow(Wanted {
        agents: false,
        all,
        preview,
    }))
}

fn ask(ask: Ask) -> Option<TopAction> {
    Some(TopAction::Ask(ask))
}

#[test]
fn the_selection_stays_on_its_session() {
    let mut app = app();
    assert_eq!(selected(&app), "a1");
    keys(&mut app, "j");
    assert_eq!(selected(&app), "b2");
    let mut sessions = app.listed.clone();
    sessions.remove(0);
    app.listed(sessions.clone());
    assert_eq!(selected(&app), "b2");
    // The session was removed: the one on its row is selected.
    sessions.remove(0);
    app.listed(sessions);
    assert_eq!(selected(&app), "d4");
    app.listed(Vec::new());
    assert_eq!(selected(&app), "");
    assert_eq!(keys(&mut app, "r"), None);
    assert!(app.message.as_ref().is_some_and(Result::is_err));
}

#[test]
fn moving_stops_at_both_ends() {
    let mut app = app();
    app.key(Key::PageDown);
    assert_eq!(selected(&app), "d4");
    app.key(Key::Down);
    assert_eq!(selected(&app), "d4");
    app.key(Key::Home);
    app.key(Key::Up);
    assert_eq!(selected(&app), "a1");
}

#[test]
fn the_filter_looks_at_names_ids_and_programs() {
    let mut app = app();
    keys(&mut app, "/PYTHON");
    assert_eq!(ids(&app), ["a1"]);
    app.key(Key::Control('u'));
    keys(&mut app, "4");
    assert_eq!(ids(&app), ["d4"]);
    app.key(Key::Enter);
    assert_eq!(ids(&app), ["d4"]);
    // Typed characters are keys again; Escape first clears the filter, then quits.
    assert_eq!(app.key(Key::Escape), None);
    assert_eq!(ids(&app), ["a1", "b2", "d4"]);
    assert_eq!(app.key(Key::Escape), Some(TopAction::Quit));
}

#[test]
fn live_sessions_come_first_in_any_order() {
    let mut app = app();
    assert_eq!(keys(&mut app, "e"), follow(true, None));
    for (pressed, sort, order) in [
        ("", "started", ["a1", "b2", "d4", "c3"]),
        ("o", "waits", ["b2", "a1", "d4", "c3"]),
        ("ooo", "name", ["b2", "d4", "a1", "c3"]),
    ] {
        keys(&mut app, pressed);
        assert_eq!((app.sort, &*ids(&app)), (sort, &order[..]));
    }
}

#[test]
fn closing_is_asked_for() {
    let mut app = app();
    assert_eq!(keys(&mut app, "cn"), None);
    assert_eq!(keys(&mut app, "c"), None);
    assert_eq!(app.key(Key::Enter), None);
    assert_eq!(keys(&mut app, "cy"), ask(Ask::Close("a1".into())));
}

#[test]
fn what_has_ended_can_only_be_read() {
    let mut app = app();
    keys(&mut app, "eG");
    assert_eq!(selected(&app), "c3");
    for key in ["s", "c", "a"] {
        assert_eq!(keys(&mut app, key), None);
        assert!(matches!(app.mode, Mode::List));
        assert!(app.message.as_ref().is_some_and(Result::is_err));
    }
    assert_eq!(keys(&mut app, "r"), ask(Ask::Read("c3".into())));
}

#[test]
fn interrupts_leave_what_was_begun_and_then_top() {
    let mut app = app();
    for mode in ["/", "s", "c", "?"] {
        keys(&mut app, mode);
        assert!(!matches!(app.mode, Mode::List), "{mode}");
        assert_eq!(app.key(Key::Control('c')), None);
        assert!(matches!(app.mode, Mode::List), "{mode}");
    }
    assert_eq!(app.key(Key::Control('c')), Some(TopAction::Quit));
    assert_eq!(app.key(Key::Control('z')), Some(TopAction::Suspend));
}
