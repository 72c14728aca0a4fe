//! What to do about an error, in terms of the command line instead of the protocol.

use crate::args::command_of_method;
use ccd_protocol::{ErrorCode, ErrorObject};
use std::borrow::Cow;

/// Advice in terms of the command line, a line each, and the first that fits is given. Above the blank line, for errors: the
/// kind, members that the data has or has not (`!`), the methods (`@`), and the advice; `-` is none. Below it, for requests
/// without a reply: the methods, what is unknown, and how to find out. At the end, parameters and the options that set them.
const ADVICE: &str = include_str!("advice.txt");

/// Returns what to do about an error of a method or a command; `None` if the message is enough or there is no advice.
pub(crate) fn hint<'a>(method: &str, error: &'a ErrorObject) -> Option<Cow<'a, str>> {
    if error.known() == Some(ErrorCode::MethodNotFound) {
        let names = ccd_protocol::methods().map(|known| known.name);
        return Some(match ccd_base::nearest::nearest(method, names) {
            Some(name) => format!("did you mean {name}?").into(),
            None => "ccctl call rpc.discover lists all methods".into(),
        });
    }
    match lines(0).find(|(when, _)| fits(when, method, error)) {
        Some((_, "-")) => None,
        Some((_, advice)) => Some(advice.into()),
        None => {
            let hint = error.hint().filter(|hint| !error.message.contains(hint))?;
            in_commands(hint)
        }
    }
}

/// The lines of a paragraph of [`ADVICE`].
fn lines(paragraph: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = ADVICE
        .split("\n\n")
        .nth(paragraph)
        .unwrap_or_default()
        .lines();
    lines.filter_map(|line| line.split_once(": "))
}

/// Returns a message about a parameter, or an element of one, with the option that set it.
pub(super) fn in_options(message: &str) -> Cow<'_, str> {
    let of_option = |(parameter, option)| {
        let rest = message.strip_prefix(parameter)?;
        let element = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        Some(format!(
            "{option}{}",
            element.map_or(rest, |(_, rest)| rest)
        ))
    };
    lines(2)
        .find_map(of_option)
        .map_or(message.into(), Cow::Owned)
}

fn fits(when: &str, method: &str, error: &ErrorObject) -> bool {
    let has = |key: &str| {
        error
            .data
            .as_ref()
            .is_some_and(|data| data.contains_key(key))
    };
    let mut words = when.split(' ');
    let kind = error.known().map(ErrorCode::kind);
    let is_kind = words.next() == kind;
    is_kind
        && words.all(
            |word| match (word.strip_prefix('!'), word.strip_prefix('@')) {
                (Some(key), _) => !has(key),
                (_, Some(methods)) => methods.split(',').any(|one| one == method),
                _ => has(word),
            },
        )
}

/// What is unknown after the loss of a reply, and what to do; `None` for methods that change nothing.
pub(super) fn after_loss(method: &str) -> Option<String> {
    let (_, what) = lines(1).find(|(methods, _)| methods.split(',').any(|one| one == method))?;
    Some(format!("it is unknown whether {what}"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(kind: &str, data: &str) -> ErrorObject {
        let code = ErrorCode::ALL.iter().find(|code| code.kind() == kind);
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let error = json!({"code": *code.unwrap() as i32, "message": "no x: do y", "data": data});
        serde_json::from_value(error).unwrap()
    }

    #[test]
    fn hints_name_commands_instead_of_methods_and_nothing_is_said_twice() {
        for row in [
            r#"session_not_found | session.get | {"hint": "session.list {\"all\": true}"} | ccctl ls --all shows all sessions"#,
            // The daemon's own hint is kept where there is no better one.
            r#"session_not_found | session.get | {"hint": "give more letters", "candidates": ["a1"]} | give more letters"#,
            r#"busy | session.send | {"hint": "wait"} | wait"#,
            r#"not_found | config.get | {"hint": "config.list lists all keys"} | ccctl config list lists all keys"#,
            r#"not_found | config.get | {"hint": "detach some; session.get lists them"} | detach some; ccctl session show lists them"#,
            r#"not_found | config.get | {"hint": "session.send {\"keys\": [\"C-c\"]} interrupts it"} | "#,
            r#"not_found | config.get | {"hint": "rpc.discover lists the methods"} | "#,
            r#"invalid_pattern | session.expect | {"position": 0, "index": 0} | --exact matches the text as it is"#,
            r#"invalid_pattern | pattern.set | {"position": 0, "index": 0} | "#,
            r#"unavailable | session.pipe | {"hint": "do y"} | "#,
        ] {
            let [kind, method, data, told] = row.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let error = error(kind, data);
            assert_eq!(hint(method, &error).unwrap_or_default(), told, "{row}");
        }
    }

    #[test]
    fn a_parameter_is_named_by_its_option() {
        for (message, told) in [
            (
                "tape.match.ignore_args[0] is not: x",
                "--ignore-arg is not: x",
            ),
            ("tests.json: tape.tag is", "tests.json: tape.tag is"),
        ] {
            assert_eq!(in_options(message), told);
        }
    }

    #[test]
    fn every_line_of_advice_is_about_a_kind_or_methods_that_there_are() {
        for (when, _) in lines(0) {
            let mut known = ErrorCode::ALL.iter();
            let kind = when.split(' ').next().unwrap();
            assert!(known.any(|code| code.kind() == kind), "{when}");
        }
        for method in lines(1).flat_map(|(methods, _)| methods.split(',')) {
            let mut known = ccd_protocol::methods();
            assert!(known.any(|one| one.name == method), "{method}");
        }
    }

    #[test]
    fn an_injected_error_is_not_blamed_on_the_program() {
        for (kind, data, rest) in [
            (
                "expect_timeout",
                "{\"injected\": true}",
                "-v shows the output",
            ),
            (
                "timeout",
                "{\"injected\": true, \"output\": \"\"}",
                "-v shows the output",
            ),
            (
                "injected_error",
                "{\"recent_output\": \"x\"}",
                "-v shows its last output",
            ),
            (
                "injected_error",
                "{\"hint\": \"h\"}",
                "ccctl read still prints its output",
            ),
        ] {
            let error = error(kind, data);
            let said = hint("session.expect", &error).unwrap();
            assert!(said.contains("at fault") && said.ends_with(rest), "{said}");
        }
    }
}
