//! What to do about an error, in words of the command line instead of the protocol's.

use ccd_protocol::{ErrorCode, ErrorObject};

/// Returns what to do; `None` when the message says it all or nobody knows.
pub(crate) fn hint(error: &ErrorObject) -> Option<&str> {
    let own = match error.known() {
        Some(ErrorCode::SessionNotFound) if !has(error, "candidates") => {
            "ccctl session list --all shows them"
        }
        Some(ErrorCode::SessionNotAlive) => "ccctl session read still has its output",
        Some(ErrorCode::ConfigNotFound) => "ccctl program list shows them",
        Some(ErrorCode::InvalidArgument) if has(error, "missing") => {
            "give each with --set NAME=VALUE"
        }
        Some(ErrorCode::SessionConflict) if !has(error, "session") => "--force replaces it",
        Some(ErrorCode::SessionConflict) => {
            "choose another name or close that session; --reuse takes only one of the same program, arguments, folder and size"
        }
        Some(ErrorCode::MaxSessions) => "ccctl session close ends one; max_sessions is the limit",
        Some(ErrorCode::ExpectTimeout) if has(error, "discarded") => {
            "the program threw away what was typed before it read it: ccctl session wait --input, then send it again"
        }
        Some(ErrorCode::ExpectTimeout) if has(error, "awaited") => {
            "the tape has these lines as one input and answers when the rest was typed: -v shows it as awaited"
        }
        Some(ErrorCode::ExpectTimeout) => "-v shows what came instead",
        Some(ErrorCode::Timeout) if has(error, "program") => "-v shows what the program was doing",
        Some(ErrorCode::Timeout) if has(error, "output") => {
            "ccctl session tail -f shows the rest, ccctl session send --keys C-c ends it"
        }
        Some(ErrorCode::ProcessEnded) => "-v shows its last output",
        Some(ErrorCode::InputFull) => "ccctl session show tells what the program does",
        Some(ErrorCode::NotAShell) => {
            "start one with ccctl session create --shell, or use ccctl session send --expect"
        }
        Some(ErrorCode::HandedOver) if has(error, "written_bytes") => {
            "send the rest, or look with ccctl session read first"
        }
        Some(ErrorCode::SpawnFailed) => return None,
        Some(ErrorCode::ChainNotFound) => "ccctl chain list shows them",
        Some(ErrorCode::TapeNotFound) if error.message.starts_with("there is no file") => {
            return None;
        }
        Some(ErrorCode::TapeNotFound) if !has(error, "candidates") => {
            "ccctl tape list shows them, with --tapes those of another folder"
        }
        Some(ErrorCode::TapeFormatNewer) => "ccctl daemon upgrade, or record it again",
        _ => return error.hint().filter(|hint| !error.message.contains(hint)),
    };
    Some(own)
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
    fn commands_are_named_instead_of_methods() {
        let data = json!({"hint": "session.list {\"all\": true}"});
        let unknown = error(ErrorCode::SessionNotFound, &data);
        assert_eq!(hint(&unknown), Some("ccctl session list --all shows them"));
    }

    #[test]
    fn the_daemons_own_hint_is_kept_where_there_is_no_better_one() {
        let ambiguous = json!({"hint": "give more letters", "candidates": ["a1", "a2"]});
        let ambiguous = error(ErrorCode::SessionNotFound, &ambiguous);
        assert_eq!(hint(&ambiguous), Some("give more letters"));
        let busy = error(ErrorCode::Busy, &json!({"hint": "wait"}));
        assert_eq!(hint(&busy), Some("wait"));
    }

    #[test]
    fn nothing_is_said_twice() {
        let told = error(ErrorCode::Unavailable, &json!({"hint": "do y"}));
        assert_eq!(hint(&told), None);
    }
}
