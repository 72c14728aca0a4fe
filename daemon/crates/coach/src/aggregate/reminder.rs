//! What users have to say again: instructions, questions whether something was done, additions to skills.

use super::correction::is_standing;
use super::wording::{Wording, one_line};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::table::Lists;
use serde_json::Value;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("reminder.txt")));

/// An instruction that was given three times.
#[derive(Debug, Clone)]
pub(super) struct Repeated {
    pub(super) text: String,
    pub(super) similar_count: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) text: String,
}

/// Something that the user asked about, because it was not done.
#[derive(Debug, Clone)]
pub(super) struct Verified {
    action: &'static str,
    object: Option<String>,
}

pub(super) fn repetition(event: &Event) -> Option<Repeated> {
    let similar = event.context.similar_messages.as_array();
    let similar: Vec<&str> = similar
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let messages = similar.iter().copied().chain([event.message()]);
    // Of equally long ones the first in the alphabet, so that the order of the list does not decide.
    let instructions = messages.filter(|text| is_instruction(text) && is_standing(text));
    let longest = instructions.max_by_key(|text| {
        let chars = text.chars().count().min(MAX_INSTRUCTION);
        (chars, std::cmp::Reverse(*text))
    })?;
    let similar_count = event.context.similar_count.as_u64();
    let repeated = Repeated {
        text: instruction(longest, MAX_INSTRUCTION),
        similar_count: similar_count.unwrap_or(similar.len() as u64),
    };
    // A text that cannot be a rule by itself is none later either, when a longer one is like it.
    repeated.wording().is_some().then_some(repeated)
}

pub(super) fn skill(event: &Event) -> Option<Skill> {
    let text = event.message();
    let name = event.context.skill_name.to_lowercase();
    (text.chars().count() >= 20).then(|| Skill {
        name: one_line(&name, 60),
        text: addition(text),
    })
}

pub(super) fn verification(event: &Event) -> Option<Verified> {
    let text = event.message().to_lowercase();
    let (action, _) = verified_task(&event.context.verified_action)?;
    Some(refined(action, &text))
}

impl Repeated {
    pub(super) fn wording(&self) -> Option<Wording> {
        let trigger = match condition(&self.text) {
            Some(condition) if condition.chars().count() >= 15 => condition,
            _ => "when working on a task, and before finishing it",
        };
        Wording::new(CandidateType::Checklist, &self.text, trigger, &self.text)
    }
}

impl Skill {
    pub(super) fn wording(&self) -> Option<Wording> {
        let Self { name, text } = self;
        let (trigger, title) = if name.is_empty() {
            (
                "when using the skill that this is about".to_owned(),
                format!("Add to the skill: {text}"),
            )
        } else {
            (
                format!("when using the {name} skill"),
                format!("Add to the {name} skill: {text}"),
            )
        };
        let action = format!("add guidance: {text}");
        Wording::new(CandidateType::Skill, &title, &trigger, &action)
    }
}

impl Verified {
    /// "Did you update the changelog?" and "did you update the lock file?" ask for two things.
    pub(super) fn key(&self) -> String {
        match &self.object {
            Some(object) => format!("{} {object}", self.action),
            None => self.action.to_owned(),
        }
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        let Self { action, object } = self;
        let task = match object {
            Some(object) => format!("{action} the {object}, and say so"),
            None => verified_task(action)?.1.to_owned(),
        };
        let title = format!("Before saying that a task is done, {task}");
        let trigger = "when finishing a task, before saying that it is done";
        Wording::new(CandidateType::Checklist, &title, trigger, &task)
    }
}

const MAX_INSTRUCTION: usize = 150;

/// Returns the action of a verification question, and what to do when the question does not name the object.
fn verified_task(asked: &str) -> Option<(&'static str, &'static str)> {
    let mut rows = WORDS.get("verified").iter();
    rows.find_map(|row| row.split_once(": ").filter(|(action, _)| *action == asked))
}

/// Returns what is meant: "did you run the tests?" asks for tests, whatever the verb.
fn refined(action: &'static str, text: &str) -> Verified {
    let has = |words: &[&str]| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| words.contains(&word))
    };
    let is_open = matches!(action, "run" | "check");
    let action = match action {
        _ if is_open && has(&["test", "tests", "suite"]) => "test",
        _ if is_open && has(&["build"]) => "build",
        _ => action,
    };
    let is_named = matches!(action, "run" | "check" | "update" | "fix" | "add");
    Verified {
        action,
        object: object(text).filter(|_| is_named),
    }
}

/// Returns the words after the article: "have you updated the changelog?" asks about the changelog.
fn object(text: &str) -> Option<String> {
    let (_, after) = text.split_once(" the ")?;
    let words = after
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.')))
        .next()?
        .split(' ')
        .take_while(|word| !word.is_empty() && !WORDS.has("object ends", word))
        .take(3);
    let object = words.collect::<Vec<_>>().join(" ");
    let object = object.trim_end_matches(['.', ' ']);
    (!object.is_empty()).then(|| object.to_owned())
}

/// Returns whether a message can be an instruction: no question, no pasted log, no greeting.
fn is_instruction(text: &str) -> bool {
    let text = text.trim();
    !text.ends_with('?') && !text.starts_with(['<', '[', '{']) && text.lines().count() <= 6
}

fn instruction(text: &str, max_chars: usize) -> String {
    let line = one_line(text, max_chars);
    let lower = line.to_lowercase();
    let mut polite = WORDS.get("polite").iter();
    let start = polite.find(|word| lower.starts_with(**word));
    let start = start.map_or(0, |word| word.len());
    line.get(start..)
        .unwrap_or(&line)
        .trim_end_matches(['.', '!', ' '])
        .to_owned()
}

/// Returns when an instruction is to be followed: "before each commit".
fn condition(text: &str) -> Option<&str> {
    [" before ", " after ", " when ", " whenever ", " while "]
        .iter()
        .filter_map(|word| text.find(word))
        .min()
        .map(|at| text[at..].trim())
        .filter(|condition| condition.split(' ').count() >= 2)
}

/// Returns what a skill should say: without the words that only name the skill and say that it lacks something.
fn addition(text: &str) -> String {
    let line = instruction(text, 300);
    if let Some((before, after)) = line.split_once(": ")
        && before.contains("skill")
        && after.chars().count() >= MIN_ADDITION
    {
        return instruction(after, 200);
    }
    let mut rest = match line.split_once(" skill ") {
        Some((_, after)) if after.chars().count() >= MIN_ADDITION => after,
        _ => return instruction(&line, 200),
    };
    for list in ["lacking", "lacking verb", "lacking object"] {
        let mut openings = WORDS.get(list).iter();
        let opening = openings.find(|opening| rest.starts_with(**opening));
        rest = opening.map_or(rest, |opening| &rest[opening.len()..]);
    }
    instruction(rest, 200)
}

const MIN_ADDITION: usize = 15;
