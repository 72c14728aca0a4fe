use super::*;
use crate::hook::SubAgent;
use ccd_conversation::ClaudeWait;

const STUCK_AFTER: Duration = Duration::from_secs(300);

fn moment(second: u64) -> Moment {
    Moment {
        unix_ms: 1_700_000_000_000 + second * 1000,
        boot_ms: second * 1000,
    }
}

fn tool(name: &str) -> ToolUse {
    ToolUse {
        id: Some(name.to_owned()),
        name: name.to_owned(),
        about: String::new(),
    }
}

fn question(name: &str) -> Option<AgentQuestion> {
    match name {
        "AskUserQuestion" => Some(AgentQuestion::new(QuestionKind::Question, "Which?".into())),
        "ExitPlanMode" => Some(AgentQuestion::new(QuestionKind::Plan, "the plan".into())),
        _ => None,
    }
}

/// A hook of the table.
fn hook(word: &str) -> Option<Hook> {
    let (sub, word) = match word.split_once('/') {
        Some((sub, word)) => (Some(sub), word),
        None => (None, word),
    };
    let (name, what) = word.split_once(':').unwrap_or((word, ""));
    let sub = if name == "sub" || name == "unsub" {
        Some(what)
    } else {
        sub
    };
    let event = match name {
        "start" => Event::Start {
            source: what.into(),
        },
        "prompt" => Event::Prompt("do it".into()),
        "pre" => Event::ToolStarts(tool(what), question(what)),
        "post" => Event::ToolEnds(tool(what)),
        "ask" => {
            let asked = ToolUse {
                id: None,
                ..tool(what)
            };
            let question = question(what)
                .unwrap_or_else(|| AgentQuestion::new(QuestionKind::Permission, what.into()));
            Event::Asks(asked, question)
        }
        "batch" => Event::BatchEnds,
        "stop" => Event::Stops {
            answer: Some("done".into()),
        },
        "fail" => Event::Fails {
            error: "overloaded".into(),
        },
        "compact" => Event::Compacts,
        "note" if what == "idle" => Event::Notifies(Notice::Idle),
        "note" => Event::Notifies(Notice::Permission("waiting".into())),
        "elicit" => Event::Elicits(Some(AgentQuestion::new(
            QuestionKind::Elicitation,
            "server".into(),
        ))),
        "answered" => Event::Elicits(None),
        "sub" => Event::SubAgentStarts,
        "unsub" => Event::SubAgentStops,
        _ => return None,
    };
    Some(Hook {
        conversation: "c".into(),
        cwd: None,
        transcript: None,
        model: None,
        sub_agent: sub.map(|id| SubAgent {
            id: id.into(),
            kind: String::new(),
        }),
        event,
    })
}

/// A report of the table.
fn activity(word: &str) -> Option<ClaudeActivity> {
    Some(match word {
        "says:idle" => ClaudeActivity::Idle,
        "says:works" => ClaudeActivity::Works,
        "says:waits" => ClaudeActivity::Waits(ClaudeWait {
            is_permission: true,
            what: "permission prompt".into(),
        }),
        _ => return None,
    })
}

/// A look of the table.
fn look(word: &str, at: Moment) -> Look {
    let dialog = |name: &str| Dialog {
        text: format!("{name}box"),
        selected: 0,
        choices: vec![("1".into(), "Yes".into()), ("2".into(), "No".into())],
        letters: format!("{name}Proceed1Yes2No"),
        asked: format!("{name}Proceed"),
    };
    let shown = match word {
        "see:dialog" => Shown::Dialog(dialog("Bash")),
        "see:edit" => Shown::Dialog(dialog("Edit")),
        "see:work" => Shown::Work,
        "see:nothing" | "see:busy" => Shown::Nothing,
        _ => Shown::Unknown,
    };
    Look {
        at,
        shown,
        reads: Some(word != "see:busy"),
        quiet: Duration::from_secs(1),
        has_moved: word == "see:moved",
        transcript: None,
    }
}

#[test]
fn the_state_follows_from_the_facts() {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in include_str!("progress_tests.txt").lines() {
        let Some((facts, expected)) = row.split_once(" -> ").filter(|_| !row.starts_with('#'))
        else {
            continue;
        };
        rows += 1;
        let mut second = 0;
        let mut progress = Progress::new(moment(0));
        for word in facts.split(' ') {
            if let Some(seconds) = word.strip_prefix('+') {
                second += seconds.parse::<u64>().unwrap();
                continue;
            }
            second += 1;
            let now = moment(second);
            // What was reported before the last hook.
            let is_late = word.ends_with(":late");
            let word = word.trim_end_matches(":late");
            match (hook(word), activity(word)) {
                (Some(hook), _) => progress.hook(&hook, now),
                (None, Some(activity)) => {
                    let at = now.unix_ms - if is_late { 1500 } else { 0 };
                    progress.report(&activity, at, now);
                }
                (None, None) => drop(progress.look(&look(word, now))),
            }
            // What survives a restart is all there is.
            let kept = serde_json::to_string(&progress).unwrap();
            progress = serde_json::from_str(&kept).unwrap();
        }
        let status = progress.status(moment(second), STUCK_AFTER);
        let asked = status.question.map(|question| question.text);
        let what = asked.or(status.doing).unwrap_or_default();
        let mut words = expected.splitn(3, ' ');
        let is_right = words.next() == Some(status.state.name())
            && words.next() == Some(status.known.name())
            && match words.next() {
                Some(expected) => what.contains(expected),
                None => true,
            };
        if !is_right {
            let (state, known) = (status.state.name(), status.known.name());
            wrong.push(format!("{row}\n  is {state} {known} {what}"));
        }
    }
    assert!(rows > 50, "{rows}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_clock_that_jumps_changes_no_order() {
    let mut progress = Progress::new(moment(100));
    progress.hook(&hook("prompt").unwrap(), moment(101));
    // The clock of the wall is set back an hour.
    let back = Moment {
        unix_ms: moment(0).unix_ms - 3_600_000,
        boot_ms: 102_000,
    };
    progress.hook(&hook("stop").unwrap(), back);
    let now = Moment {
        boot_ms: 110_000,
        ..back
    };
    let status = progress.status(now, STUCK_AFTER);
    assert_eq!(
        (status.state, status.since.until(now)),
        (AgentState::Idle, Duration::from_secs(8))
    );
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut progress = Progress::new(moment(0));
    for number in 0..2000 {
        for name in ["pre", "ask"] {
            let mut one = hook(&format!("s{number}/{name}:Tool{number}")).unwrap();
            progress.hook(&one, moment(number));
            one.sub_agent = None;
            progress.hook(&one, moment(number));
        }
    }
    let kept = serde_json::to_string(&progress).unwrap();
    assert!(kept.len() < 500_000, "{}", kept.len());
}
