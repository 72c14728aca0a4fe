//! Takes a rule out of its file.

use super::apply::{
    OTHERS_IMPORT, PlaceError, failed, heading_of, listed, read, remove_empty, replace,
};
use super::block::{HEADING, MARK_START, mark_in};
use std::fs;
use std::path::Path;

#[derive(Debug, Clone)]
pub(crate) struct Written {
    /// `None` if there was no file.
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Vec<u8>,
    pub(crate) block: String,
    /// It was not undone.
    pub(crate) is_in_force: bool,
}

/// Takes what was written at `target` out of a file again. `all` is what was ever written to it, in order, and `made` the
/// topmost directory that was created for it.
/// If nothing else has changed since, the file has the same bytes as before, in whatever order rules are undone. A file from
/// which somebody has taken the rule, by hand or by restoring it, is left as it is. From any other file, the rule is taken.
/// Returns whether the file had the rule. An error if the rule was edited; nothing is changed then.
pub(crate) fn restore(
    path: &Path,
    all: &[Written],
    target: usize,
    made: Option<&Path>,
) -> Result<bool, PlaceError> {
    let written = &all[target];
    let is_left = |at: usize| all[at].is_in_force && at != target;
    let now = read(path)?;
    let text = String::from_utf8_lossy(now.as_deref().unwrap_or_default());
    // Since this one, nobody else has changed the file.
    let in_force = |first: usize| replayed(&all[first..], |at| all[first + at].is_in_force);
    let first = (0..=target).find(|first| now.is_some() && *text == in_force(*first));
    let rest = match first {
        _ if now.as_deref() == Some(&written.after) => written.before.clone(),
        Some(first) if !(first..all.len()).any(is_left) => all[first].before.clone(),
        Some(first) => Some(replayed(&all[first..], |at| is_left(first + at)).into_bytes()),
        None if !text.contains(mark_in(&written.block))
            && !text.contains(sentence(&written.block)) =>
        {
            return Ok(false);
        }
        None => {
            let rest = without_rule(&text, all, written);
            let rest = rest.ok_or_else(|| PlaceError::Changed {
                path: path.to_owned(),
                block: written.block.clone(),
            })?;
            // Nothing is left of a file that was made for rules.
            let is_made = all[0].before.is_none() && rest.trim().is_empty();
            (!is_made).then(|| rest.into_bytes())
        }
    };
    match rest {
        Some(rest) => replace(path, &rest).map_err(|source| failed(path, source))?,
        None => {
            fs::remove_file(path).map_err(|source| failed(path, source))?;
            made.iter().for_each(|made| remove_empty(path, made));
        }
    }
    Ok(true)
}

/// Returns the file with only some of what was written to it.
fn replayed(all: &[Written], is_wanted: impl Fn(usize) -> bool) -> String {
    let first = &all[0];
    let import = first.after.starts_with(OTHERS_IMPORT.as_bytes());
    let import = if import { OTHERS_IMPORT } else { "" };
    let base = first.before.as_deref().unwrap_or(import.as_bytes());
    let base = String::from_utf8_lossy(base).into_owned();
    let wanted = all.iter().enumerate().filter(|(at, _)| is_wanted(*at));
    wanted.fold(base, |text, (_, one)| listed(&text, &one.block))
}

/// Returns the words of a rule without its mark.
fn sentence(block: &str) -> &str {
    block.split(MARK_START).next().unwrap_or(block).trim()
}

/// Returns a text without a rule; `None` if the rule itself was edited. The heading goes with the last rule, unless it was
/// there before.
fn without_rule(now: &str, all: &[Written], written: &Written) -> Option<String> {
    // Older builds wrote a rule of several lines after an empty one.
    let before = written.before.as_deref().unwrap_or_default();
    let added = std::str::from_utf8(&written.after).ok().and_then(|after| {
        let added = after.strip_prefix(std::str::from_utf8(before).ok()?)?;
        (!added.contains(HEADING)).then(|| added.to_owned())
    });
    let block = &written.block;
    let forms = [
        added,
        Some(block.clone()),
        Some(block.replace('\n', "\r\n")),
    ];
    let mut forms = forms.into_iter().flatten().filter(|form| !form.is_empty());
    let form = forms.find(|form| now.matches(form.as_str()).count() == 1)?;
    let rest = now.replacen(&form, "", 1);
    let lines: Vec<&str> = rest.split_inclusive('\n').collect();
    let has_heading = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        heading_of(&text.split_inclusive('\n').collect::<Vec<_>>()).is_some()
    };
    let is_added = |one: &Written| {
        has_heading(&one.after) && !has_heading(one.before.as_deref().unwrap_or_default())
    };
    let is_ours = !rest.contains(MARK_START) && all.iter().any(is_added);
    let Some(heading) = heading_of(&lines).filter(|_| is_ours) else {
        return Some(rest);
    };
    let is_empty = |line: Option<&&str>| line.is_some_and(|line| line.trim().is_empty());
    let first = heading - usize::from(heading > 0 && is_empty(lines.get(heading - 1)));
    let last = heading + usize::from(is_empty(lines.get(heading + 1)));
    Some(lines[..first].concat() + &lines[last + 1..].concat())
}
