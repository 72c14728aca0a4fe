//! Walks with scripted answers and a daemon that only keeps a list of calls.

use super::*;
use crate::render::candidate_tests::{quote, sample};
use serde_json::json;
use std::collections::VecDeque;

#[derive(Default)]
struct Fake {
    answers: VecDeque<&'static str>,
    calls: Vec<String>,
    /// Calls that the daemon refuses.
    refused: Vec<&'static str>,
    words: Option<Value>,
    shown: String,
}

fn of(id: &str, status: &str) -> Value {
    let mut candidate = sample(id, &format!("Title {id}"));
    candidate["status"] = json!(status);
    candidate
}

impl Desk for Fake {
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let id = params["id"].as_str().unwrap();
        let verb = method.trim_start_matches("coach.");
        let call = match &params["reason"] {
            Value::String(reason) => format!("{verb} {id} {reason:?}"),
            _ => format!("{verb} {id}"),
        };
        let error = json!({"code": 8002, "message": "it is \u{1b}[2Japproved already"});
        let is_refused = self.refused.contains(&call.as_str());
        self.calls.push(call);
        if is_refused {
            return Err(Failure::Refused {
                method: "coach.approve".into(),
                error: serde_json::from_value(error).unwrap(),
            });
        }
        let candidate = match verb {
            "approve" => of(id, "approved"),
            "reject" => of(id, "rejected"),
            "edit" => of(&format!("{id}e"), "pending"),
            _ => of(id, "pending"),
        };
        Ok(json!({
            "candidate": candidate,
            "evidence": [quote("all of it")],
            "decisions": [],
            "file": "/p/CLAUDE.md",
            "diff": "+a rule\n",
            "warnings": ["it is long"],
            "undone": {"at": "", "decision": "approve", "file": "/p/CLAUDE.md", "undone": true},
            "restored": "/p/CLAUDE.md",
        }))
    }

    fn reword(&mut self, _: &Value) -> Result<Option<Value>, Failure> {
        Ok(self.words.clone())
    }

    fn answer(&mut self) -> Option<String> {
        self.answers.pop_front().map(|answer| format!("{answer}\n"))
    }

    fn print(&mut self, text: &[u8]) -> Result<(), Failure> {
        let text = std::str::from_utf8(text).unwrap();
        self.shown.push_str(&crate::writer::visible(text));
        Ok(())
    }
}

/// Walks through candidates c1, c2 and c3.
fn walk(answers: &[&'static str], mut fake: Fake) -> Fake {
    fake.answers = answers.iter().copied().collect();
    let candidates = ["c1", "c2", "c3"].map(|id| of(id, "pending"));
    let walk = Walk::new(&candidates, None, Style::default());
    walk.run(&mut fake).unwrap();
    fake
}

#[test]
fn each_candidate_is_shown_and_decided() {
    let fake = walk(&["a", "r", "not here", "s"], Fake::default());
    assert_eq!(fake.calls, ["approve c1", "reject c2 \"not here\""]);
    for part in [
        "\nTitle c1\nid          c1\n",
        "(1/3) Approve this rule [a,e,r,s,v,d,q,?]? ",
        "approved c1 (Title c1): written to /p/CLAUDE.md\nwarning: it is long\n",
        "(2/3) Approve this rule [a,e,r,s,v,d,u,q,?]? Reason (may be empty): rejected c2 (Title c2)\n",
    ] {
        assert!(
            fake.shown.contains(part),
            "{part:?} is not in\n{}",
            fake.shown
        );
    }
    assert!(
        fake.shown
            .ends_with("? 1 approved, 1 rejected, 1 skipped\n"),
        "{}",
        fake.shown
    );
}

#[test]
fn looking_and_help_decide_nothing() {
    let fake = walk(&["v", "d", "?", "x", "", "q"], Fake::default());
    assert_eq!(fake.calls, ["get c1", "get c1"]);
    assert!(fake.shown.contains("all of it") && fake.shown.contains("+a rule\n"));
    assert_eq!(fake.shown.matches("q - quit").count(), 2);
    assert_eq!(fake.shown.matches("id          c1").count(), 1);
    assert!(fake.shown.ends_with("? 3 left\n"));
}

#[test]
fn pasted_words_and_the_end_of_input_decide_nothing() {
    let fake = walk(&["approve", "aa", "a rule", "\u{1b}[A"], Fake::default());
    assert!(fake.calls.is_empty(), "{:?}", fake.calls);
    assert_eq!(fake.shown.matches("one letter is expected").count(), 4);
    assert!(fake.shown.ends_with("\n3 left\n"));
    let fake = walk(&["r"], Fake::default());
    assert!(fake.calls.is_empty(), "{:?}", fake.calls);
}

#[test]
fn an_undo_goes_back_to_the_candidate_and_then_on() {
    let fake = walk(&["u", "a", "r", "", "u", "u", "s", "a"], Fake::default());
    assert_eq!(
        fake.calls,
        [
            "approve c1",
            "reject c2",
            "undo c2",
            "undo c1",
            "approve c2"
        ]
    );
    assert!(fake.shown.contains("nothing was decided in this review\n"));
    assert!(
        fake.shown.contains(
            "undid approve of c1 (Title c1): it is pending again; restored /p/CLAUDE.md\n"
        )
    );
    assert!(fake.shown.ends_with("1 approved, 1 skipped, 1 left\n"));
}

#[test]
fn decided_candidates_are_not_asked_about_again() {
    // c1 is skipped and c2 edited; the undo of the edit goes back to c2.
    let words = json!({"title": "New"});
    let fake = Fake {
        words: Some(words),
        ..Fake::default()
    };
    let fake = walk(&["s", "e", "u", "e", "a", "s"], fake);
    // An edit changes the id.
    assert_eq!(
        fake.calls,
        ["edit c2", "undo c2e", "edit c2e", "approve c2ee"]
    );
    assert!(fake.shown.ends_with("1 approved, 2 skipped\n"));
}

#[test]
fn an_edit_without_changes_asks_again() {
    let fake = walk(&["e", "q"], Fake::default());
    assert!(fake.calls.is_empty());
    assert!(fake.shown.contains("nothing was changed\n(1/3)"));
}

#[test]
fn an_error_about_one_candidate_is_shown_and_the_walk_goes_on() {
    let fake = Fake {
        refused: vec!["approve c1", "get c2"],
        ..Fake::default()
    };
    let fake = walk(&["a", "v", "a", "A"], fake);
    assert_eq!(
        fake.calls,
        ["approve c1", "get c2", "approve c2", "approve c3"]
    );
    assert!(
        fake.shown
            .contains("ccctl: coach.approve: it is \\u{1b}[2Japproved already\n"),
        "{}",
        fake.shown
    );
    assert!(fake.shown.ends_with("2 approved, 1 failed\n"));
}
