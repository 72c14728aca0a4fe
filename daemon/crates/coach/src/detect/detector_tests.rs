use super::Detector;
use crate::patterns::PatternSet;
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static BUILT_IN: LazyLock<Arc<PatternSet>> = LazyLock::new(|| Arc::new(PatternSet::built_in()));

fn detector() -> Detector {
    Detector::new(Arc::clone(&BUILT_IN))
}

fn detect(detector: &mut Detector, payload: &Value) -> Vec<Signal> {
    detector
        .detect(&Payload::parse(payload.to_string().as_bytes()).unwrap())
        .signals
}

fn prompt(detector: &mut Detector, text: &str) -> Vec<Signal> {
    detect(
        detector,
        &json!({"hook_event_name": "UserPromptSubmit", "prompt": text}),
    )
}

fn failed(command: &str, error: &str) -> Value {
    json!({"hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/p", "tool_name": "Bash",
        "tool_input": {"command": command}, "error": error})
}

fn succeeded(command: &str) -> Value {
    json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_response": {"stdout": "", "stderr": ""}})
}

#[test]
fn a_failure_has_the_context_of_the_seed() {
    let signals = detect(
        &mut detector(),
        &failed("cd x && npm test", "Exit code 1\nnpm ERR! boom"),
    );
    let context = signals[0].context();
    assert_eq!(context["command"], "cd x && npm test");
    assert_eq!(context["exit_code"], 1);
    assert_eq!(context["stderr_preview"], "npm ERR! boom");
    assert_eq!(context["action"], "bash");
    assert_eq!(context["signal_type"], "COMMAND_FAILURE");
    assert_eq!(context["matches"], json!(["npm ERR"]));
    assert!(context.values().all(|value| !value.is_null()));
    assert_eq!(signals[0].content, "npm ERR! boom");
}

#[test]
fn a_success_after_a_failure_of_the_same_base_is_reported_once() {
    let mut detector = detector();
    detect(
        &mut detector,
        &failed("npm install", "Exit code 1\nERESOLVE"),
    );
    let mut observed = |command: &str| {
        let payload = Payload::parse(succeeded(command).to_string().as_bytes()).unwrap();
        detector.detect(&payload).success
    };
    assert_eq!(observed("npm test"), None);
    assert_eq!(
        observed("npm install --legacy-peer-deps").as_deref(),
        Some("npm install --legacy-peer-deps")
    );
    assert_eq!(observed("npm install"), None);
}

#[test]
fn two_detectors_share_nothing() {
    let (mut one, mut other) = (detector(), detector());
    for _ in 0..2 {
        prompt(&mut one, "always run the formatter before you commit");
    }
    assert_eq!(
        prompt(&mut other, "always run the formatter before you commit"),
        []
    );
    let signals = prompt(&mut one, "always run the formatter before you commit");
    assert_eq!(signals[0].signal_type, SignalType::Repetition);
    assert_eq!(
        signals[0].detail["similar_messages"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_correction_counts_half_where_the_assistant_has_done_nothing_yet() {
    let mut detector = detector();
    detect(
        &mut detector,
        &json!({"hook_event_name": "SessionStart", "source": "startup"}),
    );
    for text in ["don't use tabs", "I said use tabs"] {
        assert_eq!(prompt(&mut detector, text)[0].confidence, 0.25);
    }
    detect(&mut detector, &succeeded("ls"));
    assert_eq!(prompt(&mut detector, "don't use tabs")[0].confidence, 0.5);
}

#[test]
fn what_a_tester_wrote_is_detected_once_the_assistant_has_acted() {
    let correction = SignalType::UserCorrection;
    for (text, expected) in [
        ("I don't want a class here", vec![correction]),
        ("instead of axios use fetch", vec![correction]),
        (
            "DO NOT TOUCH THE DATABASE",
            vec![correction, SignalType::ToneEscalation],
        ),
        (
            "Again: use yarn!",
            vec![correction, SignalType::ToneEscalation],
        ),
        ("no no no, the other one", vec![correction]),
        ("it's still not working", vec![]),
        ("I need to improve my SQL skill, any books?", vec![]),
    ] {
        let mut detector = detector();
        detect(&mut detector, &succeeded("ls"));
        let signals = prompt(&mut detector, text);
        let types: Vec<_> = signals.iter().map(|signal| signal.signal_type).collect();
        assert_eq!(types, expected, "{text}");
    }
}

#[test]
fn a_rejected_call_is_a_correction_and_counts_once() {
    let mut detector = detector();
    let said = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, \
        the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the make target";
    let mut failure = failed("rm -rf build", said);
    failure["tool_use_id"] = "t1".into();
    let signals = detect(&mut detector, &failure);
    assert_eq!(
        (signals[0].signal_type, signals[0].event_type),
        (SignalType::UserCorrection, EventType::Tool)
    );
    assert_eq!(
        (signals[0].content.as_str(), &signals[0].detail["command"]),
        ("use the make target", &json!("rm -rf build"))
    );
    let batch = json!({"hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "t1", "tool_response": said},
        {"tool_name": "Edit", "tool_input": {"file_path": "/p/a"}, "tool_use_id": "t2", "tool_response": said}]});
    let signals = detect(&mut detector, &batch);
    assert_eq!(signals.len(), 1);
    assert_eq!(signals[0].detail["action"], "edit");
    let denied = json!({"hook_event_name": "PermissionDenied", "tool_name": "Bash", "tool_input": {"command": "curl x"}, "tool_use_id": "t3"});
    assert_eq!(
        detect(&mut detector, &denied)[0].signal_type,
        SignalType::UserCorrection
    );
}

#[test]
fn a_failure_inside_a_sub_agent_counts_less() {
    let mut payload = failed("make", "Exit code 2\nboom");
    payload["agent_id"] = "a1".into();
    assert_eq!(detect(&mut detector(), &payload)[0].confidence, 0.525);
}

#[test]
fn an_edited_file_is_named_from_the_repository() {
    let edit = |cwd: &str, file: &str| {
        detect(
            &mut detector(),
            &json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": cwd,
            "transcript_path": "/home/dev/.claude/projects/x/1.jsonl", "tool_input": {"file_path": file}}),
        )
    };
    assert_eq!(
        edit("/p", "/p/.bare/config")[0].detail["file"],
        ".bare/config"
    );
    assert_eq!(
        edit("/home/dev/p", "/home/dev/p/.claude/skills/a/SKILL.md"),
        []
    );
    assert_eq!(
        edit("/home/dev", "/home/dev/.claude/skills/a/SKILL.md").len(),
        1
    );
}

#[test]
fn a_started_skill_is_what_a_supplement_is_about() {
    let mut detector = detector();
    detect(
        &mut detector,
        &json!({"hook_event_name": "PostToolUse", "tool_name": "Skill", "tool_input": {"skill": "deploy"}}),
    );
    assert_eq!(
        prompt(&mut detector, "it forgot the staging cluster")[0].detail["skill_name"],
        "deploy"
    );
    prompt(&mut detector, "thanks");
    assert_eq!(prompt(&mut detector, "it forgot the staging cluster"), []);
}

#[test]
fn a_context_has_no_nulls() {
    let signals = prompt(
        &mut detector(),
        "update the skill so that it checks the branch",
    );
    assert_eq!(signals[0].detail["skill_name"], Value::Null);
    assert!(!signals[0].context().contains_key("skill_name"));
}

#[test]
fn an_api_error_is_no_friction_of_the_user() {
    let failure = json!({"hook_event_name": "StopFailure", "error": "rate_limit", "last_assistant_message": "All tests pass. try again"});
    assert_eq!(detect(&mut detector(), &failure), []);
}

proptest! {
    #[test]
    fn no_prompt_makes_the_detector_panic(texts in prop::collection::vec("(?s).{0,80}|(no|don't|stop|skill|you did|AGAIN|!|again|```|\"|'|\\?|ß|İ| |\n){0,20}", 1..4)) {
        let mut detector = detector();
        for text in texts {
            prompt(&mut detector, &text);
            detect(&mut detector, &json!({"hook_event_name": "Stop", "last_assistant_message": text}));
        }
    }

    #[test]
    fn no_command_makes_the_detector_panic(
        command in "(?s).{0,60}|(git|merge|--squash|grep|&&|'|\\||;| |x){0,12}",
        error in "(?s).{0,60}|(Exit code 1|\n|error:|403|ä|upgrade |deprecated|\\.| |failed){0,12}",
    ) {
        let mut detector = detector();
        detect(&mut detector, &failed(&command, &error));
        let mut payload = succeeded(&command);
        payload["tool_response"]["stderr"] = error.into();
        detect(&mut detector, &payload);
    }
}
