use super::{Conversation, Defaults, Request, RequestError};
use ccd_policy::ToolMode;
use ccd_protocol::exec::ExecRunParams;
use std::time::Duration;

fn params() -> ExecRunParams {
    ExecRunParams {
        instruction: "Do it".into(),
        repo_path: Some("/p".into()),
        ..ExecRunParams::default()
    }
}

fn parse(params: ExecRunParams) -> Result<Request, RequestError> {
    let defaults = Defaults {
        timeout: Duration::from_secs(600),
        lock_timeout: Duration::from_secs(300),
    };
    Request::parse(params, &defaults)
}

fn message(change: impl FnOnce(&mut ExecRunParams)) -> String {
    let mut params = params();
    change(&mut params);
    parse(params).unwrap_err().to_string()
}

#[test]
fn defaults_are_those_of_the_seed() {
    let request = parse(params()).unwrap();
    assert_eq!(
        (request.timeout.as_secs(), request.lock_timeout.as_secs()),
        (600, 300)
    );
    assert_eq!(
        (request.tools.mode, &request.conversation),
        (ToolMode::All, &Conversation::New)
    );
    assert_eq!(
        (
            request.stall_timeout,
            request.permission_mode,
            request.max_turns
        ),
        (None, None, None)
    );
}

#[test]
fn the_messages_are_those_of_the_seed() {
    for blank in ["", " \n\t", "\u{3000}"] {
        assert_eq!(
            message(|params| params.instruction = blank.into()),
            "Instruction cannot be empty"
        );
    }
    for timeout in [0, -1, 3601, i64::MIN] {
        assert_eq!(
            message(|params| params.timeout = Some(timeout)),
            "Timeout must be between 1 and 3600 seconds"
        );
    }
    let both = |params: &mut ExecRunParams| {
        params.allowed_tools = vec!["Read".into()];
        params.disallowed_tools = vec!["Bash".into()];
    };
    assert_eq!(
        message(both),
        "Cannot specify both allowed_tools and disallowed_tools"
    );
    let both = |params: &mut ExecRunParams| {
        params.resume_session_id = Some("x".into());
        params.continue_last = true;
    };
    assert_eq!(
        message(both),
        "Cannot use both resume_session_id and continue_last"
    );
}

#[test]
fn other_mistakes_are_named() {
    assert!(message(|params| params.repo_path = None).starts_with("repo_path is missing"));
    assert_eq!(
        message(|params| params.repo_path = Some("a".into())),
        "repo_path \"a\" is not an absolute path"
    );
    assert!(message(|params| params.allowed_tools = vec!["bash".into()]).contains("Bash"));
    assert_eq!(
        message(|params| params.max_turns = Some(0)),
        "max_turns must be between 1 and 4294967295 turns"
    );
    assert_eq!(
        message(|params| params.lock_timeout = Some(-1)),
        "lock_timeout must be between 0 and 86400 seconds"
    );
    assert!(
        message(|params| params.permission_mode = Some("x".into()))
            .starts_with("permission_mode \"x\"")
    );
    assert!(message(|params| params.model = Some("--help".into())).contains("--help"));
    assert!(
        message(|params| params.instruction = "a".repeat(10_000_001)).contains("10000001 bytes")
    );
    assert!(
        message(|params| params.allowed_tools = vec![format!("Bash({}:*)", "a".repeat(70_000))])
            .contains("longer")
    );
}

#[test]
fn limits_and_names_are_accepted() {
    let request = parse(ExecRunParams {
        timeout: Some(3600),
        max_turns: Some(1),
        permission_mode: Some("DONTASK".into()),
        disallowed_tools: vec!["Bash(rm:*)".into(), "Bash(rm:*)".into()],
        continue_last: true,
        ..params()
    })
    .unwrap();
    assert_eq!(request.timeout.as_secs(), 3600);
    assert_eq!(request.permission_mode, Some("dontAsk"));
    assert_eq!(
        (request.tools.mode, request.tools.rules.len()),
        (ToolMode::Blacklist, 1)
    );
    assert_eq!(request.conversation, Conversation::Last);
}
