//! What to do about an error, in terms of the command line instead of the protocol.

use crate::args::command_of_method;
use ccd_protocol::{ErrorCode, ErrorObject};
use std::borrow::Cow;

/// Methods whose commands have `--exact`.
const WITH_EXACT: [&str; 3] = ["session.send", "session.expect", "run"];

/// Returns what to do about an error of a method or a command; `None` if the message is enough or there is no advice.
pub(crate) fn hint<'a>(method: &str, error: &'a ErrorObject) -> Option<Cow<'a, str>> {
    let own = match error.known() {
        Some(ErrorCode::MethodNotFound) => {
            let names = ccd_protocol::methods().map(|known| known.name);
            return Some(match ccd_base::nearest::nearest(method, names) {
                Some(name) => format!("did you mean {name}?").into(),
                None => "ccctl call rpc.discover lists all methods".into(),
            });
        }
        Some(ErrorCode::SessionNotFound) if !has(error, "candidates") => {
            "ccctl ls --all shows all sessions"
        }
        Some(ErrorCode::SessionNotAlive) => "ccctl read still prints its output",
        Some(ErrorCode::ConfigNotFound) => "ccctl program list shows all configurations",
        Some(ErrorCode::InvalidArgument) if has(error, "missing") => {
            "set each with --set NAME=VALUE"
        }
        Some(ErrorCode::InvalidArgument) if has(error, "key") => {
            "keys are named as in tmux and separated by commas: --keys C-c,Up,Enter; text is sent without --keys"
        }
        Some(ErrorCode::InvalidPattern)
            if has(error, "position") && WITH_EXACT.contains(&method) =>
        {
            "--exact matches the text as it is"
        }
        Some(ErrorCode::SessionConflict) if !has(error, "session") => "--force overwrites it",
        Some(ErrorCode::SessionConflict) => {
            "choose another name or close that session; --reuse accepts only a session with the same program, arguments, directory and size"
        }
        Some(ErrorCode::MaxSessions) => {
            "ccctl close ends one; the configuration key max_sessions sets the limit"
        }
        // The last lines of its output follow.
        Some(ErrorCode::ExpectTimeout | ErrorCode::ProcessEnded) if has(error, "step") => {
            return None;
        }
        Some(ErrorCode::ExpectTimeout) if has(error, "discarded") => {
            "the program discarded the input unread: run ccctl wait --input, then send it again"
        }
        Some(ErrorCode::ExpectTimeout | ErrorCode::Timeout) if has(error, "injected") => {
            "the error_rate of the tape options cut the output: neither the tape nor the program is at fault; -v shows the output"
        }
        Some(ErrorCode::InjectedError) if has(error, "recent_output") => {
            "neither the tape nor the program is at fault; -v shows its last output"
        }
        Some(ErrorCode::InjectedError) => {
            "neither the tape nor the program is at fault; ccctl read still prints its output"
        }
        Some(ErrorCode::ExpectTimeout) if has(error, "awaited") => {
            "the tape recorded these lines as one input and answers after all of it is typed: -v shows the missing rest as awaited"
        }
        Some(ErrorCode::ExpectTimeout) => "-v shows the output instead",
        Some(ErrorCode::Timeout) if has(error, "program") => "-v shows what the program was doing",
        Some(ErrorCode::Timeout) if has(error, "output") => {
            "ccctl logs -f shows the rest, ccctl send --keys C-c ends it"
        }
        Some(ErrorCode::ProcessEnded) => "-v shows its last output",
        Some(ErrorCode::InputFull) => "ccctl session show says whether the program waits for input",
        Some(ErrorCode::NotAShell) => {
            "start one with ccctl new --shell, or use ccctl send --expect"
        }
        Some(ErrorCode::HandedOver) if has(error, "written_bytes") => {
            "send the rest, or check with ccctl read first"
        }
        Some(ErrorCode::SpawnFailed) => return None,
        Some(ErrorCode::ChainNotFound) => "ccctl chain list shows all chains",
        // The daemon gives no hint where the name of a file was asked for.
        Some(ErrorCode::TapeNotFound) if error.hint().is_some() && !has(error, "candidates") => {
            "ccctl tape list shows all tapes, with --tapes those of another directory"
        }
        Some(ErrorCode::TapeFormatNewer) => "run ccctl daemon upgrade, or record it again",
        _ => {
            let hint = error.hint().filter(|hint| !error.message.contains(hint))?;
            return in_commands(hint);
        }
    };
    Some(own.into())
}

/// Returns a hint of the daemon with commands in place of methods; `None` if it is about a request.
fn in_commands(hint: &str) -> Option<Cow<'_, str>> {
    let is_in = |method: &&str| hint.contains(*method);
    let methods = ccd_protocol::methods()
        .map(|method| method.name)
        .chain(["rpc.discover"]);
    let Some(method) = methods.filter(is_in).max_by_key(|method| method.len()) else {
        return Some(hint.into());
    };
    if hint.contains('{') || method == "rpc.discover" {
        return None;
    }
    let command = match method {
        "session.get" => "session show".to_owned(),
        "tape.get" => "tape show".to_owned(),
        "coach.get" => "coach show".to_owned(),
        method => command_of_method(method),
    };
    Some(hint.replace(method, &format!("ccctl {command}")).into())
}

fn has(error: &ErrorObject, key: &str) -> bool {
    error
        .data
        .as_ref()
        .is_some_and(|data| data.contains_key(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(code: ErrorCode, data: &serde_json::Value) -> ErrorObject {
        let error = json!({"code": code as i32, "message": "no x: do y", "data": data});
        serde_json::from_value(error).unwrap()
    }

    #[test]
    fn hints_name_commands_instead_of_methods_and_nothing_is_said_twice() {
        use ErrorCode::{Busy, InvalidPattern, NotFound, SessionNotFound, Unavailable};
        let of_method = |hint: &str| json!({ "hint": hint });
        let position = json!({"position": 0, "index": 0});
        for (code, method, data, told) in [
            (
                SessionNotFound,
                "session.get",
                of_method("session.list {\"all\": true}"),
                Some("ccctl ls --all shows all sessions"),
            ),
            // The daemon's own hint is kept where there is no better one.
            (
                SessionNotFound,
                "session.get",
                json!({"hint": "give more letters", "candidates": ["a1", "a2"]}),
                Some("give more letters"),
            ),
            (Busy, "session.send", of_method("wait"), Some("wait")),
            (
                NotFound,
                "config.get",
                of_method("config.list lists all keys"),
                Some("ccctl config list lists all keys"),
            ),
            (
                NotFound,
                "config.get",
                of_method("detach some; session.get lists them"),
                Some("detach some; ccctl session show lists them"),
            ),
            (
                NotFound,
                "config.get",
                of_method("session.send {\"keys\": [\"C-c\"]} interrupts it"),
                None,
            ),
            (
                NotFound,
                "config.get",
                of_method("rpc.discover lists the methods"),
                None,
            ),
            (
                InvalidPattern,
                "session.expect",
                position.clone(),
                Some("--exact matches the text as it is"),
            ),
            (InvalidPattern, "pattern.set", position, None),
            (Unavailable, "session.pipe", of_method("do y"), None),
        ] {
            assert_eq!(hint(method, &error(code, &data)).as_deref(), told, "{data}");
        }
    }

    #[test]
    fn an_injected_error_is_not_blamed_on_the_program() {
        for (code, data, rest) in [
            (
                ErrorCode::ExpectTimeout,
                json!({"injected": true}),
                "-v shows the output",
            ),
            (
                ErrorCode::Timeout,
                json!({"injected": true, "output": ""}),
                "-v shows the output",
            ),
            (
                ErrorCode::InjectedError,
                json!({"recent_output": "x"}),
                "-v shows its last output",
            ),
            (
                ErrorCode::InjectedError,
                json!({"hint": "h"}),
                "ccctl read still prints its output",
            ),
        ] {
            let error = error(code, &data);
            let said = hint("session.expect", &error).unwrap();
            assert!(said.contains("at fault") && said.ends_with(rest), "{said}");
        }
    }
}
