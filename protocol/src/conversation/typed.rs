//! What a user typed, out of the markup that Claude Code keeps it in.

use std::borrow::Cow;

/// Elements whose content is shown without them.
const SHOWN: [&str; 6] = [
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-stdout",
    "bash-stderr",
    "bash-input",
];

/// Elements around the text of a result, or a part of it.
const AROUND_RESULTS: [&str; 3] = [
    "tool_use_error",
    "persisted-output",
    "tools-used-before-summary",
];

/// Elements that Claude Code adds to what the user typed, wherever in it.
const ADDED: [&str; 7] = [
    "system-reminder",
    "task-notification",
    "user-prompt-submit-hook",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
];

/// An element that Claude Code puts around what the user typed or a command printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element<'a> {
    pub name: &'a str,
    pub content: &'a str,
}

/// Returns the elements that a text starts with, and what follows them.
#[must_use]
pub fn elements(text: &str) -> (Vec<Element<'_>>, &str) {
    let (mut elements, mut rest) = (Vec::new(), text.trim_start());
    while let Some((element, after)) = element(rest) {
        elements.push(element);
        rest = after.trim_start();
    }
    (elements, rest)
}

fn element(text: &str) -> Option<(Element<'_>, &str)> {
    let (name, inside) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let (content, rest) = inside.split_once(&format!("</{name}>"))?;
    Some((Element { name, content }, rest))
}

/// Cuts a text of the user's into what Claude Code added to it, and what is around that: elements without a name.
#[must_use]
pub fn with_added(text: &str) -> Vec<Element<'_>> {
    let (mut parts, mut rest, mut at) = (Vec::new(), text, 0);
    // No later element of these names has an end either.
    let mut unclosed: Vec<&str> = Vec::new();
    let around = |content| Element { name: "", content };
    while let Some(next) = rest[at..].find('<').map(|next| at + next) {
        at = next + 1;
        let is_here = |name: &&&str| {
            rest[at..].starts_with(**name) && rest[at + name.len()..].starts_with('>')
        };
        let Some(name) = { ADDED.iter().find(is_here) }.filter(|name| !unclosed.contains(*name))
        else {
            continue;
        };
        let Some((added, after)) = element(&rest[next..]) else {
            unclosed.push(name);
            continue;
        };
        parts.extend([around(&rest[..next]), added]);
        (rest, at) = (after, 0);
    }
    parts.push(around(rest));
    parts.retain(|part| !part.name.is_empty() || !part.content.trim().is_empty());
    parts
}

/// Returns a text of the user's as it was typed: a slash command with its arguments, a shell command after `!`. Of what such a
/// command printed, it returns the text alone; any other text is as it was.
#[must_use]
pub fn typed(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('<') {
        return Cow::Borrowed(text);
    }
    let (elements, rest) = elements(text);
    let content = |name: &str| elements.iter().find(|one| one.name == name);
    let mut lines: Vec<String> = Vec::new();
    if let Some(command) = content("command-name") {
        let name = command.content.trim().trim_start_matches('/');
        let args = content("command-args").map_or("", |args| args.content.trim());
        lines.push(format!("/{name} {args}").trim_end().to_owned());
    } else if !elements.is_empty() && elements.iter().all(|one| SHOWN.contains(&one.name)) {
        let shown = elements.iter().map(|one| match one.name {
            "bash-input" => format!("! {}", one.content.trim()),
            _ => one.content.trim_end().to_owned(),
        });
        lines.extend(shown.filter(|text| !text.is_empty()));
    } else {
        return Cow::Borrowed(text);
    }
    lines.extend((!rest.is_empty()).then(|| rest.to_owned()));
    Cow::Owned(lines.join("\n"))
}

/// Returns the text of a tool's result without the markup that Claude Code starts it with.
#[must_use]
pub fn printed(text: &str) -> Cow<'_, str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((element, after)) = element(rest.trim_start())
        && AROUND_RESULTS.contains(&element.name)
    {
        parts.push(element.content.trim_matches('\n'));
        rest = after;
    }
    if parts.is_empty() {
        return Cow::Borrowed(text);
    }
    parts.push(rest.trim_start());
    parts.retain(|part| !part.is_empty());
    Cow::Owned(parts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_shown_without_the_markup_around_it() {
        for (text, expected) in [
            (
                "<tool_use_error>File does not exist.</tool_use_error>",
                "File does not exist.",
            ),
            (
                "<persisted-output>\nOutput too large.\n\n  1 a\n</persisted-output>",
                "Output too large.\n\n  1 a",
            ),
            (
                "  <tools-used-before-summary>Read</tools-used-before-summary>\n  \nThe report:\n  x",
                "Read\nThe report:\n  x",
            ),
            (
                "<tools-used-before-summary></tools-used-before-summary>\nx",
                "x",
            ),
            (
                "  x <tool_use_error>y</tool_use_error>",
                "  x <tool_use_error>y</tool_use_error>",
            ),
            ("<b>x</b>", "<b>x</b>"),
            ("<tool_use_error>cut", "<tool_use_error>cut"),
        ] {
            assert_eq!(printed(text), expected);
        }
    }

    #[test]
    fn a_command_is_shown_as_it_was_typed() {
        for (text, expected) in [
            (
                "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 123</command-args>",
                "/fix issue 123",
            ),
            (
                "<command-name>/model</command-name>\n            <command-message>model</command-message>\n            <command-args></command-args>",
                "/model",
            ),
            (
                "<command-name>test</command-name><command-args>--all\n-v</command-args><command-contents>{}</command-contents>",
                "/test --all\n-v",
            ),
            (
                "<command-message>init is analyzing…</command-message>\n<command-name>/init</command-name>",
                "/init",
            ),
            (
                "<command-name>/a:b</command-name><command-args>see <b>x</b></command-args>\nand more",
                "/a:b see <b>x</b>\nand more",
            ),
            ("<bash-input>git status</bash-input>", "! git status"),
            (
                "<bash-stdout>one\ntwo\n</bash-stdout><bash-stderr></bash-stderr>",
                "one\ntwo",
            ),
            ("<local-command-stdout>Bye!</local-command-stdout>", "Bye!"),
            ("<local-command-stdout></local-command-stdout>", ""),
        ] {
            assert_eq!(typed(text), expected);
        }
    }

    #[test]
    fn what_claude_code_adds_is_apart_from_what_was_typed() {
        for (text, expected) in [
            ("sort it", &[("", "sort it")][..]),
            (
                "a <system-reminder>b</system-reminder>\n<ide_selection>c <d></ide_selection>",
                &[
                    ("", "a "),
                    ("system-reminder", "b"),
                    ("ide_selection", "c <d>"),
                ],
            ),
            (
                "<task-notification><status>done</status></task-notification> e",
                &[("task-notification", "<status>done</status>"), ("", " e")],
            ),
            (
                "<b>x</b> <system-reminder>",
                &[("", "<b>x</b> <system-reminder>")],
            ),
            ("  ", &[]),
        ] {
            let parts = with_added(text);
            let parts: Vec<_> = parts.iter().map(|one| (one.name, one.content)).collect();
            assert_eq!(parts, expected, "{text}");
        }
    }

    #[test]
    fn any_other_text_stays_as_it_is() {
        for text in [
            "",
            "fix the <command-name>/x</command-name> tag",
            "<div>what is wrong here?</div>",
            "<command-name>/cut",
            "<command-message>no name</command-message>",
            "<>x</>",
            "<bash-input>ls</bash-input><b>x</b>",
            "a < b",
        ] {
            assert_eq!(typed(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(<(/)?(command-name|command-args|bash-input|system-reminder|b)>|[a-z/\u{e4}]){0,12}") {
            let _ = typed(&text);
            let whole = |part: &Element<'_>| match part.name {
                "" => part.content.to_owned(),
                name => format!("<{name}>{}</{name}>", part.content),
            };
            let again: String = with_added(&text).iter().map(whole).collect();
            proptest::prop_assert_eq!(again, text);
        }
    }
}
