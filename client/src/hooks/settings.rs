//! Changes to Claude Code's settings, which may have comments: everything that is not ours is kept.

use super::command::is_ours;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject};
use jsonc_parser::cst::{CstObjectProp, CstRootNode, CstStringLit};
use jsonc_parser::errors::ParseError;
use serde::Serialize;
use serde_json::Value;

/// Seconds after which Claude Code stops the hook. Without it, the hooks of SessionEnd would share 1.5 seconds.
const TIMEOUT_S: usize = 5;

const MARK: char = '\u{feff}';

/// JSON with comments, and nothing else that JSON has not.
const FORM: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct InstalledHook {
    pub(super) event: String,
    pub(super) command: String,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Mistake {
    #[error(transparent)]
    Syntax(#[from] ParseError),
    #[error("{what} must be {wanted}")]
    Kind { what: String, wanted: &'static str },
}

pub(super) fn parse(text: &str) -> Result<Value, ParseError> {
    jsonc_parser::parse_to_serde_value(text.trim_start_matches(MARK), &FORM)
}

/// Returns the settings with `command` as a hook of each event. An earlier command of ours is replaced; settings that have
/// all are returned as they are.
pub(super) fn install(text: &str, events: &[&str], command: &str) -> Result<String, Mistake> {
    if is_blank(text) {
        return install("{}\n", events, command);
    }
    let (mark, root, settings) = opened(text)?;
    for event in events {
        let hooks = within(&settings, "hooks", object([]));
        let hooks = hooks
            .object_value()
            .ok_or_else(|| mistake("hooks", "an object"))?;
        let groups = within(&hooks, event, CstInputValue::Array(Vec::new()));
        let groups = groups.array_value();
        let groups = groups.ok_or_else(|| mistake(&format!("hooks.{event}"), "a list"))?;
        match hooks_of(&groups).find_map(|(.., hook)| our_command(&hook)) {
            None => _ = groups.append(group(command)),
            Some(found) if found.decoded_value().is_ok_and(|text| text == command) => {}
            Some(found) => found.set_raw_value(Value::from(command).to_string()),
        }
    }
    Ok(format!("{mark}{root}"))
}

/// Returns the settings without our hooks, and without what contained nothing else.
pub(super) fn uninstall(text: &str) -> Result<String, Mistake> {
    if is_blank(text) {
        return Ok(text.to_owned());
    }
    let (mark, root, settings) = opened(text)?;
    while let Some(next) = ours(&settings) {
        next.remove();
    }
    Ok(format!("{mark}{root}"))
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim_matches([MARK, ' ', '\t', '\r', '\n']).is_empty()
}

/// Returns the byte order mark, the document and its object.
fn opened(text: &str) -> Result<(&str, CstRootNode, CstObject), Mistake> {
    let (mark, json) = text.split_at(text.len() - text.trim_start_matches(MARK).len());
    let root = CstRootNode::parse(json, &FORM)?;
    let settings = root.object_value();
    let settings = settings.ok_or_else(|| mistake("the file", "an object"))?;
    Ok((mark, root, settings))
}

fn mistake(what: &str, wanted: &'static str) -> Mistake {
    Mistake::Kind {
        what: what.to_owned(),
        wanted,
    }
}

/// The last member of this name counts, as in JavaScript.
fn member(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    let mut members = object.properties().into_iter();
    members.rfind(|member| member.decoded_name().as_deref() == Some(name))
}

fn within(object: &CstObject, name: &str, new: CstInputValue) -> CstObjectProp {
    member(object, name).unwrap_or_else(|| object.append(name, new))
}

fn object<const N: usize>(members: [(&str, CstInputValue); N]) -> CstInputValue {
    let members = members.map(|(name, value)| (name.to_owned(), value));
    CstInputValue::Object(members.into())
}

/// A matcher group for everything. The command is run by a shell: a version of Claude Code that does not know `args` would
/// run `ccctl` without its argument.
fn group(command: &str) -> CstInputValue {
    let hook = object([
        ("type", "command".into()),
        ("command", command.into()),
        ("timeout", TIMEOUT_S.into()),
    ]);
    object([("hooks", vec![hook].into())])
}

/// The hooks of an event with the group and the list that they are in.
fn hooks_of(groups: &CstArray) -> impl Iterator<Item = (CstNode, CstArray, CstNode)> {
    let groups = groups.elements().into_iter();
    groups.flat_map(|group| {
        let list = group
            .as_object()
            .and_then(|group| member(&group, "hooks")?.array_value());
        let hooks = list.into_iter().flat_map(|list| {
            let hooks = list.elements().into_iter();
            hooks.map(move |hook| (list.clone(), hook))
        });
        hooks.map(move |(list, hook)| (group.clone(), list, hook))
    })
}

/// The command of a hook, if it is ours.
fn our_command(hook: &CstNode) -> Option<CstStringLit> {
    let hook = hook.as_object()?;
    let text = |name| member(&hook, name)?.value()?.as_string_lit();
    let command = text("command")?;
    let is_command = text("type")?.decoded_value().ok()? == "command";
    (is_command && is_ours(&command.decoded_value().ok()?)).then_some(command)
}

fn has_comment(node: &CstNode) -> bool {
    node.is_comment() || node.children().iter().any(has_comment)
}

/// The first of our hooks, or what contains it and nothing else. A comment is somebody's, unless it is on the line of our
/// hook and the group also has other hooks.
fn ours(settings: &CstObject) -> Option<CstNode> {
    let hooks_member = member(settings, "hooks")?;
    let hooks = hooks_member.object_value()?;
    hooks.properties().into_iter().find_map(|event| {
        let groups = event.array_value()?;
        let is_ours = |(.., hook): &(_, _, CstNode)| our_command(hook).is_some();
        let (group, list, mut found) = hooks_of(&groups).find(is_ours)?;
        let containers: [(CstContainerNode, CstNode); 3] = [
            (list.into(), group),
            (groups.into(), event.into()),
            (hooks.clone().into(), hooks_member.clone().into()),
        ];
        for (inside, around) in containers {
            let is_content = |child: &&CstNode| {
                !(child.is_token() || child.is_whitespace() || child.is_newline())
            };
            if inside.children().iter().filter(is_content).count() > 1 {
                break;
            }
            // What is removed takes the comments in it and next to it with it.
            let is_between =
                |node: &CstNode| node.is_comma() || node.is_trivia() && !node.is_newline();
            let before = around.previous_siblings().take_while(is_between);
            let after = around.next_siblings().take_while(is_between);
            if before
                .chain(after)
                .chain([around.clone()])
                .any(|node| has_comment(&node))
            {
                break;
            }
            found = around;
        }
        Some(found)
    })
}

/// Returns our hooks.
pub(super) fn installed(root: &Value) -> Vec<InstalledHook> {
    let all = all_hooks(root).filter(|(_, hook)| hook["type"] == "command");
    let commands = all.filter_map(|(event, hook)| Some((event, hook["command"].as_str()?)));
    let ours = commands.filter(|(_, command)| is_ours(command));
    let ours = ours.map(|(event, command)| InstalledHook {
        event: event.clone(),
        command: command.to_owned(),
    });
    ours.collect()
}

pub(super) fn commands(root: &Value) -> Vec<String> {
    let commands = all_hooks(root).filter_map(|(_, hook)| hook["command"].as_str());
    commands.map(str::to_owned).collect()
}

fn all_hooks(root: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let events = root["hooks"].as_object().into_iter().flatten();
    events.flat_map(|(event, groups)| {
        let hooks = items(groups)
            .iter()
            .flat_map(|group| items(&group["hooks"]));
        hooks.map(move |hook| (event, hook))
    })
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
