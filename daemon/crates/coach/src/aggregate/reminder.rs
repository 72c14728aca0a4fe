//! What users have to say again: instructions, questions whether something was done, additions to skills.

use super::finding::{Detail, Finding, content, text_of, value_of};
use super::known::GroupKind;
use super::wording::{Wording, one_line};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use serde_json::Value;

/// An instruction that was given three times.
#[derive(Debug, Clone)]
pub(super) struct Repeated {
    text: String,
    pub(super) similar_count: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Skill {
    name: String,
    text: String,
}

/// Something that the user asked about, because it was not done.
#[derive(Debug, Clone)]
pub(super) struct Verified {
    action: &'static str,
    object: Option<String>,
}

pub(super) fn repetition(event: &Event) -> Option<Finding> {
    let similar: Vec<&str> = value_of(event, "similar_messages")
        .and_then(Value::as_array)
        .map(|texts| texts.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let messages = similar.iter().copied().chain([content(event)]);
    // Of equally long ones the first in the alphabet, so that the order of the list does not decide.
    let longest = messages
        .filter(|text| is_instruction(text) && is_standing(text))
        .max_by_key(|text| {
            (
                text.chars().count().min(MAX_INSTRUCTION),
                std::cmp::Reverse(*text),
            )
        })?;
    let similar_count = value_of(event, "similar_count").and_then(Value::as_u64);
    let repeated = Repeated {
        text: instruction(longest, MAX_INSTRUCTION),
        similar_count: similar_count.unwrap_or(similar.len() as u64),
    };
    let sample = repeated.text.clone();
    let finding = Finding::new(
        GroupKind::Repetition,
        String::new(),
        &sample,
        Detail::Repeated(repeated),
    );
    // A text that cannot be a rule by itself is none later either, when a longer one is like it.
    (finding.has_matter() && wording(&[&finding]).is_some()).then_some(finding)
}

pub(super) fn skill(event: &Event) -> Option<Finding> {
    let text = content(event);
    if text.chars().count() < 20 {
        return None;
    }
    let name = text_of(event, "skill_name").to_lowercase();
    let skill = Skill {
        name: one_line(&name, 60),
        text: addition(text),
    };
    let sample = skill.text.clone();
    let finding = Finding::new(
        GroupKind::Skill,
        skill.name.clone(),
        &sample,
        Detail::Skill(skill),
    );
    finding.has_matter().then_some(finding)
}

pub(super) fn verification(event: &Event) -> Option<Finding> {
    let text = content(event).to_lowercase();
    let asked = text_of(event, "verified_action");
    let action = VERIFIED.iter().find(|(action, _)| *action == asked)?.0;
    let verified = refined(action, &text);
    // "Did you update the changelog?" and "did you update the lock file?" ask for two things.
    let key = match &verified.object {
        Some(object) => format!("{} {object}", verified.action),
        None => verified.action.to_owned(),
    };
    Some(Finding::new(
        GroupKind::Verification,
        key,
        "",
        Detail::Verified(verified),
    ))
}

pub(super) fn wording(findings: &[&Finding]) -> Option<Wording> {
    match &findings.first()?.detail {
        Detail::Repeated(repeated) => {
            let trigger = match condition(&repeated.text) {
                Some(condition) if condition.chars().count() >= 15 => condition.to_owned(),
                _ => "when working on a task, and before finishing it".to_owned(),
            };
            Wording::new(
                CandidateType::Checklist,
                &repeated.text,
                &trigger,
                &repeated.text,
            )
        }
        Detail::Skill(skill) => {
            let (trigger, title) = if skill.name.is_empty() {
                (
                    "when using the skill that this is about".to_owned(),
                    format!("Add to the skill: {}", skill.text),
                )
            } else {
                let name = &skill.name;
                (
                    format!("when using the {name} skill"),
                    format!("Add to the {name} skill: {}", skill.text),
                )
            };
            Wording::new(
                CandidateType::Skill,
                &title,
                &trigger,
                &format!("add guidance: {}", skill.text),
            )
        }
        Detail::Verified(verified) => verified_wording(verified),
        Detail::Failure(_) | Detail::Said(_) | Detail::Violation(_) => None,
    }
}

const MAX_INSTRUCTION: usize = 150;

/// Actions of a verification question, with what to do when the question does not name the object.
const VERIFIED: &[(&str, &str)] = &[
    (
        "run",
        "run the changed program once and look at what it prints",
    ),
    ("test", "run the tests and report the result"),
    ("check", "check the result against what was asked for"),
    ("commit", "commit the finished work"),
    ("push", "push the commits, if that was asked for"),
    ("build", "run the build and report the result"),
    (
        "update",
        "update what depends on the change, such as documents and tests",
    ),
    (
        "fix",
        "make sure that the reported problem is fixed, by trying it",
    ),
    ("add", "add what was asked for, such as tests"),
];

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
        .take_while(|word| !OBJECT_ENDS.contains(word))
        .take(3);
    let object = words.collect::<Vec<_>>().join(" ");
    let object = object.trim_end_matches(['.', ' ']);
    (!object.is_empty()).then(|| object.to_owned())
}

const OBJECT_ENDS: &[&str] = &[
    "", "after", "and", "as", "at", "before", "by", "first", "for", "from", "in", "now", "of",
    "on", "or", "so", "that", "this", "to", "too", "with", "yet",
];

fn verified_wording(verified: &Verified) -> Option<Wording> {
    let Verified { action, object } = verified;
    let task = match object {
        Some(object) => format!("{action} the {object}, and say so"),
        None => VERIFIED
            .iter()
            .find(|(name, _)| name == action)?
            .1
            .to_owned(),
    };
    Wording::new(
        CandidateType::Checklist,
        &format!("Before saying that a task is done, {task}"),
        "when finishing a task, before saying that it is done",
        &task,
    )
}

/// Returns whether a message can be an instruction: no question, no pasted log, no greeting.
fn is_instruction(text: &str) -> bool {
    let text = text.trim();
    !text.ends_with('?') && !text.starts_with(['<', '[', '{']) && text.lines().count() <= 6
}

/// Words with which somebody says that an instruction holds each time. Without one, three requests are three tasks.
const STANDING: &[&str] = &[
    "each",
    "every",
    "always",
    "never",
    "whenever",
    "from now on",
    "in future",
    "before you",
    "after you",
    "before committing",
    "before pushing",
    "before the commit",
    "after each",
    "jedes",
    "jede",
    "jeden",
    "immer",
    "nie",
    "niemals",
    "toujours",
    "chaque",
    "jamais",
    "siempre",
    "cada",
    "nunca",
    "sempre",
    "ogni",
    "mai",
    "altijd",
    "elke",
    "nooit",
    "zawsze",
    "nigdy",
    "всегда",
    "никогда",
    "каждый",
    "每次",
    "总是",
    "永远",
    "必ず",
    "毎回",
    "常に",
    "항상",
];

fn is_standing(text: &str) -> bool {
    let lower = text.to_lowercase();
    STANDING.iter().any(|words| {
        lower.match_indices(words).any(|(at, _)| {
            let is_word =
                |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphabetic());
            !words.is_ascii()
                || !is_word(lower[..at].chars().next_back())
                    && !is_word(lower[at + words.len()..].chars().next())
        })
    })
}

fn instruction(text: &str, max_chars: usize) -> String {
    let line = one_line(text, max_chars);
    let lower = line.to_lowercase();
    let polite = [
        "please ",
        "can you ",
        "could you ",
        "and ",
        "again, ",
        "ok, ",
        "now ",
    ];
    let start = polite
        .iter()
        .find(|word| lower.starts_with(*word))
        .map_or(0, |word| word.len());
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
    for openings in LACKING {
        let opening = openings.iter().find(|opening| rest.starts_with(**opening));
        rest = opening.map_or(rest, |opening| &rest[opening.len()..]);
    }
    instruction(rest, 200)
}

const MIN_ADDITION: usize = 15;

/// How a sentence about a skill goes on before it comes to the matter, first and then.
const LACKING: &[&[&str]] = &[
    &[
        "doesn't ",
        "does not ",
        "didn't ",
        "did not ",
        "should also ",
        "should ",
        "also ",
        "is missing ",
        "missed ",
        "forgot ",
    ],
    &[
        "mention ",
        "know about ",
        "know ",
        "say ",
        "cover ",
        "include ",
        "tell ",
        "have ",
        "needs ",
        "need ",
        "to ",
    ],
    &["that ", "to "],
];
