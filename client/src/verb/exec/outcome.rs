//! How `ccctl exec` ends: exit statuses, and the result of a run that was refused.

use crate::fields::Fields as _;
use crate::{Exit, Failure};
use ccd_base::clock;
use ccd_protocol::exec::{ExecRunParams, ExecutionResult, ExecutionStatus};
use ccd_protocol::{Category, ErrorCode};
use serde_json::Value;
use std::time::SystemTime;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const CLAUDE_NOT_FOUND: u8 = 3;
const GIT: u8 = 4;
const DIRTY_WORKTREE: u8 = 5;
const BUSY: u8 = 6;
const TIMED_OUT: u8 = 7;
/// No such conversation or run, or one that cannot be resumed.
const NOT_FOUND: u8 = 8;
/// Also without a daemon.
const INTERNAL: u8 = 99;

pub(super) fn of_result(result: &Value) -> Exit {
    // The last one: a request that is no JSON-RPC is an `invalid_request` too.
    let mut known = ErrorCode::ALL.iter().rev();
    let kind = result.text("error_kind");
    let of_kind = known
        .find(|code| code.kind() == kind)
        .map(|code| of_code(*code));
    Exit::Program(match result.text("status") {
        "timeout" => TIMED_OUT,
        "success" => of_kind.unwrap_or(0),
        _ => of_kind.unwrap_or(FAILED),
    })
}

pub(super) fn of_failure(failure: &Failure) -> Exit {
    let code = match (failure, failure.exit()) {
        (_, Exit::BrokenPipe) => return Exit::BrokenPipe,
        (_, Exit::Usage) => USAGE,
        (Failure::Refused { error, .. }, _) => error.known().map_or(INTERNAL, of_code),
        (Failure::Failed(_) | Failure::Output(_), _) => FAILED,
        _ => INTERNAL,
    };
    Exit::Program(code)
}

fn of_code(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::ClaudeNotFound => CLAUDE_NOT_FOUND,
        ErrorCode::ClaudeUnusable | ErrorCode::TapeMiss | ErrorCode::TapeInvalid => FAILED,
        ErrorCode::RepositoryError | ErrorCode::StashConflict => GIT,
        ErrorCode::DirtyWorktree => DIRTY_WORKTREE,
        ErrorCode::ExecBusy => BUSY,
        ErrorCode::ExecSessionNotFound
        | ErrorCode::SessionExpired
        | ErrorCode::SessionCompleted
        | ErrorCode::SessionOfOtherRepository
        | ErrorCode::ExecutionNotFound => NOT_FOUND,
        code if code.category() == Category::Usage => USAGE,
        _ => INTERNAL,
    }
}

/// The result of a run that was refused before it started, or that could not be followed to its end.
pub(super) fn refused(
    failure: &Failure,
    params: &ExecRunParams,
    started: &Value,
) -> ExecutionResult {
    let (message, kind) = match failure.refusal() {
        Some(error) => {
            let kind = error
                .data
                .as_ref()
                .and_then(|data| data.get("kind")?.as_str());
            (error.message.clone(), kind.unwrap_or("internal"))
        }
        None if failure.exit() == Exit::Usage => {
            (failure.to_string(), ErrorCode::ExecInvalidRequest.kind())
        }
        None => (failure.to_string(), failure.exit().kind()),
    };
    let mode = match (&*params.allowed_tools, &*params.disallowed_tools) {
        ([], []) => "all",
        ([], _) => "blacklist",
        _ => "whitelist",
    };
    let of_start = |name: &str| started.text(name).to_owned();
    ExecutionResult {
        request_id: of_start("request_id"),
        session_id: of_start("session_id"),
        job: of_start("job"),
        status: ExecutionStatus::Failed,
        instruction: params.instruction.clone(),
        error_message: Some(message),
        error_kind: Some(kind.to_owned()),
        timestamp: clock::at_us(SystemTime::now()),
        repo_path: params.repo_path.clone().unwrap_or_default(),
        output_format: params.output_format,
        mode: mode.to_owned(),
        ..ExecutionResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn failure(code: ErrorCode) -> Failure {
        let error =
            json!({"code": code as i32, "message": "no: do y", "data": {"kind": code.kind()}});
        Failure::Refused {
            method: "exec.run".into(),
            error: Box::new(serde_json::from_value(error).unwrap()),
        }
    }

    fn ended(status: ExecutionStatus, kind: Option<ErrorCode>) -> u8 {
        let kind = kind.map(|code| code.kind());
        of_result(&json!({"status": status, "error_kind": kind})).code()
    }

    #[test]
    fn each_kind_of_error_has_its_exit_status_before_and_after_the_start() {
        for (code, status) in [
            (ErrorCode::ExecInvalidRequest, 2),
            (ErrorCode::InvalidParams, 2),
            (ErrorCode::ClaudeNotFound, 3),
            (ErrorCode::ClaudeUnusable, 1),
            (ErrorCode::TapeMiss, 1),
            (ErrorCode::TapeInvalid, 1),
            (ErrorCode::RepositoryError, 4),
            (ErrorCode::StashConflict, 4),
            (ErrorCode::DirtyWorktree, 5),
            (ErrorCode::ExecBusy, 6),
            (ErrorCode::ExecSessionNotFound, 8),
            (ErrorCode::SessionExpired, 8),
            (ErrorCode::SessionCompleted, 8),
            (ErrorCode::SessionOfOtherRepository, 8),
            (ErrorCode::ExecutionNotFound, 8),
            (ErrorCode::Internal, 99),
            (ErrorCode::Busy, 99),
        ] {
            assert_eq!(of_failure(&failure(code)).code(), status, "{code:?}");
            let ended = ended(ExecutionStatus::Failed, Some(code));
            assert_eq!(ended, status, "{code:?}");
        }
        let conflict = Some(ErrorCode::StashConflict);
        for (verdict, kind, status) in [
            (ExecutionStatus::Success, None, 0),
            (ExecutionStatus::Failed, None, 1),
            (ExecutionStatus::Timeout, None, 7),
            (ExecutionStatus::Success, conflict, 4),
            (ExecutionStatus::Timeout, conflict, 7),
        ] {
            assert_eq!(ended(verdict, kind), status, "{verdict:?}");
        }
        let lost = Failure::Lost {
            method: "exec".into(),
            was_read: true,
        };
        assert_eq!(of_failure(&lost).code(), 99);
        assert_eq!(of_failure(&Failure::Usage("x".into())).code(), 2);
        let closed = Failure::Output(std::io::ErrorKind::BrokenPipe.into());
        assert_eq!(of_failure(&closed), Exit::BrokenPipe);
    }

    #[test]
    fn a_refused_run_has_a_result_with_every_field() {
        let params = ExecRunParams {
            instruction: "x".into(),
            disallowed_tools: vec!["Bash".into()],
            ..ExecRunParams::default()
        };
        let result = refused(&failure(ErrorCode::DirtyWorktree), &params, &Value::Null);
        let document: Value = serde_json::to_value(&result).unwrap();
        for (field, value) in [
            ("status", json!("failed")),
            ("error_kind", json!("dirty_worktree")),
            ("error_message", json!("no: do y")),
            ("mode", json!("blacklist")),
            ("request_id", json!("")),
            ("diff", json!("")),
            ("commit_hash", Value::Null),
            ("files_changed", json!([])),
            ("diff_info", json!([])),
            ("commits", json!([])),
            ("policy_violations", json!([])),
            ("stdout", json!("")),
        ] {
            assert_eq!(document.get(field), Some(&value), "{field}");
        }
        let usage = refused(
            &Failure::Usage("f is not UTF-8".into()),
            &params,
            &Value::Null,
        );
        assert_eq!(usage.error_kind.as_deref(), Some("invalid_request"));
    }
}
