use super::*;
use crate::hook::ToolUse;
use ccd_conversation::{ClaudeActivity, ClaudeReport};

const STUCK_AFTER: Duration = Duration::from_secs(300);

fn at(second: u64) -> Moment {
    Moment {
        unix_ms: second * 1000,
        boot_ms: second * 1000,
    }
}

fn hook(conversation: &str, event: Event) -> Hook {
    Hook {
        conversation: conversation.into(),
        cwd: Some("/srv/shop".into()),
        transcript: None,
        model: None,
        sub_agent: None,
        event,
    }
}

fn start() -> Event {
    Event::Start {
        source: "startup".into(),
    }
}

fn origin(session: Option<&str>, pid: i32) -> Origin {
    Origin {
        session: session.map(str::to_owned),
        process: Some(Process { pid, started: 1 }),
    }
}

fn session(id: &str) -> AgentSession {
    AgentSession {
        id: id.into(),
        program: "claude".into(),
        cwd: "/srv/shop".into(),
        process: Process { pid: 7, started: 1 },
    }
}

fn report(id: &str, activity: ClaudeActivity, since: u64, written: u64) -> ClaudeReport {
    ClaudeReport {
        pid: 7,
        started_ticks: Some(1),
        conversation: id.into(),
        cwd: "/srv/shop".into(),
        title: None,
        transcript: "/c.jsonl".into(),
        activity: Some((activity, at(since).unix_ms)),
        written_ms: at(written).unix_ms,
    }
}

fn records(ledger: &Ledger, second: u64) -> Vec<Agent> {
    ledger.records(at(second), STUCK_AFTER, |_| None)
}

fn states(ledger: &Ledger, second: u64) -> Vec<(String, &'static str)> {
    let records = records(ledger, second).into_iter();
    records
        .map(|agent| (agent.agent_id, agent.state.name()))
        .collect()
}

#[test]
fn a_session_becomes_the_conversation_that_runs_in_it_and_clear_begins_another() {
    let mut ledger = Ledger::default();
    ledger.sessions(&[session("s")], at(1));
    assert_eq!(states(&ledger, 1), [("s".into(), "idle")]);
    ledger.hook(&hook("c1", start()), origin(Some("s"), 7), at(2));
    ledger.sessions(&[session("s")], at(3));
    assert_eq!(states(&ledger, 3), [("c1".into(), "idle")]);
    ledger.hook(&hook("c1", Event::Ends), Origin::default(), at(4));
    ledger.hook(&hook("c2", start()), origin(Some("s"), 7), at(5));
    assert_eq!(
        states(&ledger, 5),
        [("c2".into(), "idle"), ("c1".into(), "gone")]
    );
    // Without the hook that says that the first one has ended.
    ledger.hook(&hook("c3", start()), origin(Some("s"), 7), at(6));
    assert_eq!(states(&ledger, 6)[0], ("c3".into(), "idle"));
    assert_eq!(states(&ledger, 6)[2], ("c2".into(), "gone"));
}

#[test]
fn a_conversation_that_is_resumed_in_another_terminal_lives_there() {
    let mut ledger = Ledger::default();
    ledger.hook(&hook("c", start()), origin(Some("s"), 7), at(1));
    ledger.tidy(at(2), |_| false);
    let prompt = br#"{"session_id":"c","hook_event_name":"UserPromptSubmit"}"#;
    let prompt = HookPayload::read(prompt).unwrap();
    assert_eq!(states(&ledger, 2), [("c".into(), "gone")]);
    assert!(ledger.needs_origin(&prompt));
    ledger.hook(
        &hook(
            "c",
            Event::Start {
                source: "resume".into(),
            },
        ),
        origin(Some("t"), 8),
        at(3),
    );
    let agent = &records(&ledger, 3)[0];
    assert_eq!(
        (agent.session_id.as_deref(), agent.pid),
        (Some("t"), Some(8))
    );
    assert!(!ledger.needs_origin(&prompt));
    ledger.tidy(at(3 + 86_400), |entry| {
        entry.process == Some(Process { pid: 8, started: 1 })
    });
    assert_eq!(states(&ledger, 3)[0].1, "idle");
}

#[test]
fn an_unattended_run_has_a_verdict_and_asks_nobody() {
    let mut ledger = Ledger::default();
    let run = |state, error: Option<&str>| Run {
        conversation: "c".into(),
        cwd: "/srv/shop".into(),
        state,
        error: error.map(str::to_owned),
    };
    ledger.run(&run(AgentState::Working, None), at(1));
    let tool = ToolUse {
        id: None,
        name: "Bash".into(),
        about: String::new(),
    };
    let question = ccd_protocol::agent::AgentQuestion::new(
        ccd_protocol::agent::QuestionKind::Permission,
        "Bash".into(),
    );
    ledger.hook(
        &hook("c", Event::Asks(tool, question)),
        Origin::default(),
        at(2),
    );
    assert_eq!(states(&ledger, 3), [("c".into(), "working")]);
    ledger.hook(&hook("c", Event::Ends), Origin::default(), at(4));
    ledger.run(&run(AgentState::Failed, Some("limit")), at(5));
    let agent = &records(&ledger, 6)[0];
    assert_eq!(
        (agent.state, agent.error.as_deref()),
        (AgentState::Failed, Some("limit"))
    );
    ledger.run(&run(AgentState::Working, None), at(7));
    assert_eq!(states(&ledger, 8), [("c".into(), "working")]);
    // The daemon is restarted: nobody carries the run out any more.
    let ledger = Ledger::restored(ledger.entries().cloned(), at(9));
    assert_eq!(states(&ledger, 9), [("c".into(), "failed")]);
    // After a restart of the system nothing is left.
    assert!(
        Ledger::restored(ledger.entries().cloned(), at(0))
            .entries()
            .next()
            .is_none()
    );
}

#[test]
fn those_that_need_somebody_come_first_and_names_tell_them_apart() {
    let mut ledger = Ledger::default();
    for (second, conversation, event) in [
        (1, "works", Event::Prompt("x".into())),
        (2, "idle1", Event::Stops { answer: None }),
        (3, "idle2", Event::Stops { answer: None }),
        (
            4,
            "asks",
            Event::Elicits(Some(ccd_protocol::agent::AgentQuestion::new(
                ccd_protocol::agent::QuestionKind::Elicitation,
                "?".into(),
            ))),
        ),
    ] {
        ledger.hook(&hook(conversation, event), Origin::default(), at(second));
    }
    let agents = records(&ledger, 9);
    let ids: Vec<&str> = agents.iter().map(|agent| &*agent.agent_id).collect();
    assert_eq!(ids, ["asks", "idle1", "idle2", "works"]);
    assert_eq!(agents[0].name, "shop-asks");
    assert_eq!(find(&agents, "shop-work").unwrap().agent_id, "works");
    assert_eq!(find(&agents, "idle1").unwrap().agent_id, "idle1");
    assert_eq!(find(&agents, "as").unwrap().agent_id, "asks");
    assert!(matches!(find(&agents, "idle"), Err(NotFound::Several(ids)) if ids.len() == 2));
    assert_eq!(find(&agents, "").unwrap_err(), NotFound::None);
}

#[test]
fn what_ended_first_makes_room() {
    let mut ledger = Ledger::default();
    for number in 0..MAX_AGENTS as u64 + 10 {
        let id = format!("c{number}");
        ledger.hook(&hook(&id, start()), Origin::default(), at(number));
        ledger.hook(&hook(&id, Event::Ends), Origin::default(), at(number));
    }
    assert_eq!(ledger.entries().count(), MAX_AGENTS);
    assert!(ledger.get("c9").is_none() && ledger.get("c10").is_some());
    ledger.tidy(at(200_000), |_| true);
    assert_eq!(ledger.entries().count(), 0);
}

#[test]
fn what_claude_code_reports_about_itself_makes_an_agent_of_it() {
    let report = |id: &str, activity| ClaudeReport {
        title: Some("lamp".into()),
        ..report(id, activity, 2, 9)
    };
    let mut ledger = Ledger::default();
    ledger.sessions(&[session("s")], at(1));
    let here = || origin(Some("s"), 7);
    assert!(ledger.report(&report("c", ClaudeActivity::Works), here(), at(2)));
    assert!(!ledger.report(&report("c", ClaudeActivity::Works), here(), at(3)));
    assert_eq!(states(&ledger, 3), [("c".into(), "working")]);
    assert_eq!(records(&ledger, 3)[0].name, "lamp");
    // Another one in the same program, and the first one in another terminal.
    ledger.report(&report("d", ClaudeActivity::Idle), here(), at(4));
    assert_eq!(
        states(&ledger, 4),
        [("d".into(), "idle"), ("c".into(), "gone")]
    );
    ledger.report(&report("c", ClaudeActivity::Works), origin(None, 8), at(5));
    let found = records(&ledger, 5);
    let resumed = found.iter().find(|agent| agent.agent_id == "c").unwrap();
    assert_eq!(
        (resumed.session_id.as_deref(), resumed.pid),
        (None, Some(8))
    );
}

#[test]
fn an_unattended_run_is_not_what_its_program_reports() {
    let mut ledger = Ledger::default();
    let run = Run {
        conversation: "c".into(),
        cwd: "/srv/shop".into(),
        state: AgentState::Working,
        error: None,
    };
    ledger.run(&run, at(1));
    let report = report("c", ClaudeActivity::Idle, 2, 2);
    assert!(!ledger.report(&report, origin(None, 7), at(3)));
    assert_eq!(states(&ledger, 3), [("c".into(), "working")]);
}

#[test]
fn a_report_that_was_written_before_its_conversation_was_left_changes_nothing() {
    let mut ledger = Ledger::default();
    ledger.hook(&hook("c", start()), origin(None, 7), at(1));
    ledger.hook(&hook("c", Event::Ends), Origin::default(), at(3));
    ledger.hook(&hook("d", start()), origin(None, 7), at(4));
    let report = |written| report("c", ClaudeActivity::Idle, 2, written);
    ledger.report(&report(2), origin(None, 7), at(5));
    let expected = [("d".into(), "idle"), ("c".into(), "gone")];
    assert_eq!(states(&ledger, 5), expected);
    // It was resumed.
    ledger.report(&report(6), origin(None, 7), at(7));
    let expected = [("c".into(), "idle"), ("d".into(), "gone")];
    assert_eq!(states(&ledger, 7), expected);
}

#[test]
fn another_agent_in_the_same_shell_is_another_one() {
    let mut ledger = Ledger::default();
    let codex = |pid| AgentSession {
        program: "codex".into(),
        process: Process { pid, started: 1 },
        ..session("s")
    };
    ledger.sessions(&[codex(8)], at(1));
    // Claude Code is stopped there.
    let report = report("c", ClaudeActivity::Idle, 1, 1);
    ledger.report(&report, origin(Some("s"), 7), at(2));
    ledger.sessions(&[codex(8)], at(3));
    let found = records(&ledger, 3);
    let programs: Vec<_> = found.iter().map(|agent| &*agent.program).collect();
    assert_eq!(programs, ["claude", "codex"]);
}
