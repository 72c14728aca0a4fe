//! Adding our hooks to settings, finding them, and removing them.

use super::edit::{insert, remove};
use super::json::{Kind, Mistake, Value, parse};
use super::layout::{Layout, Node};
use crate::hooks::command::is_ours;

/// Seconds after which Claude Code stops the hook. Without it, the hooks of SessionEnd would share 1.5 seconds.
const TIMEOUT_S: &str = "5";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hooks) struct InstalledHook {
    pub(in crate::hooks) event: String,
    pub(in crate::hooks) command: String,
}

/// Returns the settings with `command` as a hook of each event. An earlier command of ours is replaced; settings that have
/// all are returned as they are.
pub(in crate::hooks) fn install(
    text: &str,
    events: &[&'static str],
    command: &str,
) -> Result<String, Mistake> {
    let mut text = match text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']) {
        "" => "{}\n".to_owned(),
        _ => text.to_owned(),
    };
    for event in events {
        text = install_one(&text, event, command)?;
    }
    Ok(text)
}

fn install_one(text: &str, event: &'static str, command: &str) -> Result<String, Mistake> {
    let root = parse(text)?;
    let layout = Layout::of(text, &root);
    let groups = Node::Array(vec![group(command)]);
    let members = Node::Object(vec![(event, groups)]);
    let Some(hooks) = of_kind(text, &root, "the settings", true)?.get("hooks") else {
        return Ok(insert(text, layout, &root, Some("hooks"), &members));
    };
    let Some(groups) = of_kind(text, hooks, "hooks", true)?.get(event) else {
        let groups = Node::Array(vec![group(command)]);
        return Ok(insert(text, layout, hooks, Some(event), &groups));
    };
    let mut ours = of_kind(text, groups, &format!("hooks.{event}"), false)?
        .items()
        .iter()
        .flat_map(hooks_of)
        .filter_map(our_command);
    Ok(match ours.next() {
        None => insert(text, layout, groups, None, &group(command)),
        Some(found) if found.text() == Some(command) => text.to_owned(),
        Some(found) => {
            let mut text = text.to_owned();
            text.replace_range(found.span.clone(), &quoted(command));
            text
        }
    })
}

/// A matcher group for everything. The command is run by a shell: a version of Claude Code that does not know `args` would
/// run `ccctl` without its argument.
fn group(command: &str) -> Node {
    let word = |text: &str| Node::Word(text.to_owned());
    let hook = Node::Object(vec![
        ("type", word("\"command\"")),
        ("command", Node::Word(quoted(command))),
        ("timeout", word(TIMEOUT_S)),
    ]);
    Node::Object(vec![("hooks", Node::Array(vec![hook]))])
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns a value that must be an object, or a list.
fn of_kind<'a>(
    text: &str,
    value: &'a Value,
    name: &str,
    is_object: bool,
) -> Result<&'a Value, Mistake> {
    let (fits, wanted) = if is_object {
        (matches!(value.kind, Kind::Object(_)), "an object")
    } else {
        (matches!(value.kind, Kind::Array(_)), "a list")
    };
    let mistake = || {
        let what = format!("{name} must be {wanted}, but is {}", value.name());
        Mistake::at(text, value.span.start, what)
    };
    fits.then_some(value).ok_or_else(mistake)
}

fn hooks_of(group: &Value) -> &[Value] {
    group.get("hooks").map_or(&[], Value::items)
}

/// The command of a hook, if it is ours.
fn our_command(hook: &Value) -> Option<&Value> {
    let is_command = hook.get("type").and_then(Value::text) == Some("command");
    let command = hook.get("command").filter(|_| is_command)?;
    is_ours(command.text()?).then_some(command)
}

/// Returns our hooks, in the order of the file.
pub(in crate::hooks) fn installed(root: &Value) -> Vec<InstalledHook> {
    let mut all = Vec::new();
    for member in root.get("hooks").map_or(&[][..], Value::members) {
        let hooks = member.value.items().iter().flat_map(hooks_of);
        let commands = hooks.filter_map(|hook| our_command(hook)?.text());
        all.extend(commands.map(|command| InstalledHook {
            event: member.key.clone(),
            command: command.to_owned(),
        }));
    }
    all
}

pub(in crate::hooks) fn commands(root: &Value) -> Vec<String> {
    let events = root.get("hooks").map_or(&[][..], Value::members).iter();
    let hooks = events.flat_map(|event| event.value.items().iter().flat_map(hooks_of));
    let commands = hooks.filter_map(|hook| hook.get("command")?.text());
    commands.map(str::to_owned).collect()
}

/// Returns the settings without our hooks, and without what contained nothing else.
pub(in crate::hooks) fn uninstall(text: &str) -> Result<String, Mistake> {
    let mut text = text.to_owned();
    while let Some(next) = uninstall_one(&text)? {
        text = next;
    }
    Ok(text)
}

/// A value that contains our hook, and the index of the child that does.
type Step<'a> = (&'a Value, usize);

fn uninstall_one(text: &str) -> Result<Option<String>, Mistake> {
    if text
        .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
        .is_empty()
    {
        return Ok(None);
    }
    let root = parse(text)?;
    let Some((path, hook)) = way_to_ours(&root) else {
        return Ok(None);
    };
    // Go up as long as our hook is all that there is. A comment is somebody's.
    let (mut step, mut inner) = (hook, &hook.0.items()[hook.1]);
    for outer in path.into_iter().rev() {
        let around = container_text(text, step.0, inner);
        let is_alone = step.0.children().len() == 1;
        if !is_alone || around.contains("//") || around.contains("/*") {
            break;
        }
        (inner, step) = (step.0, outer);
    }
    remove(text, step.0, step.1).map(Some)
}

/// What a container has besides the value.
fn container_text(text: &str, container: &Value, inner: &Value) -> String {
    let before = &text[container.span.start..inner.span.start];
    let after = &text[inner.span.end..container.span.end];
    format!("{before}{after}")
}

/// The containers from the root to the first of our hooks, except the innermost, and the innermost.
fn way_to_ours(root: &Value) -> Option<([Step<'_>; 3], Step<'_>)> {
    let index = |value: &Value, key: &str| value.members().iter().rposition(|m| m.key == key);
    let hooks_at = index(root, "hooks")?;
    let hooks = &root.members()[hooks_at].value;
    for (event_at, event) in hooks.members().iter().enumerate() {
        for (group_at, group) in event.value.items().iter().enumerate() {
            let Some(list) = group.get("hooks") else {
                continue;
            };
            let hook_at = list
                .items()
                .iter()
                .position(|hook| our_command(hook).is_some());
            if let Some(hook_at) = hook_at {
                let path = [
                    (root, hooks_at),
                    (hooks, event_at),
                    (&event.value, group_at),
                ];
                return Some((path, (list, hook_at)));
            }
        }
    }
    None
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
