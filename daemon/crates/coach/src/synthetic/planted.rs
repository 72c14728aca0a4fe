//! Matters that come up again and must become candidates.

use super::Expected;
use super::calendar::{Calendar, DAYS, Moment, repo_key};
use super::texts::{
    CORRECTIONS, FOLDERS, GENERAL_FAILURES, OBSERVED, QUESTIONS, REMEDIES, REPEATED, SKILLS,
};
use crate::fingerprint::CandidateType;
use crate::signal::SignalType;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn plant(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    corrections(calendar, expected);
    failures(calendar, expected);
    observed(calendar, expected);
    reminders(calendar, expected);
    violations(calendar, expected);
}

struct Planting<'a> {
    calendar: &'a mut Calendar,
    expected: Expected,
}

impl<'a> Planting<'a> {
    fn new(calendar: &'a mut Calendar, candidate_type: CandidateType, words: &[&str]) -> Self {
        let expected = Expected {
            candidate_type,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            event_ids: BTreeSet::new(),
            repo_keys: BTreeSet::new(),
        };
        Self { calendar, expected }
    }

    fn event(&mut self, at: Moment, signal_type: SignalType, content: &str, context: Value) {
        let id = self.calendar.event(at, signal_type, content, context);
        self.expected.event_ids.insert(id);
        self.expected.repo_keys.insert(repo_key(at.repository));
    }
}

/// Returns moments of a matter: two within ten days, the others at any time of the rest of the year.
fn moments(calendar: &mut Calendar, most: u64) -> Vec<Moment> {
    let start = calendar.below(DAYS - 60);
    let first = calendar.moment(start, start + 1);
    let mut second = calendar.moment(start + 1, start + 10);
    second.minute = second.minute.max(first.minute + 24 * 60);
    let more = calendar.below(most.max(1));
    let later = (0..more)
        .map(|_| calendar.moment(start + 12, DAYS))
        .collect::<Vec<_>>();
    [first, second].into_iter().chain(later).collect()
}

fn corrections(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    for (words, wordings) in CORRECTIONS {
        let moments = moments(calendar, 20);
        let mut planting = Planting::new(calendar, CandidateType::Rule, words);
        for at in moments {
            let text = planting.calendar.pick(wordings);
            planting.event(
                at,
                SignalType::UserCorrection,
                text,
                json!({ "confidence": 0.5 }),
            );
        }
        expected.push(planting.expected);
    }
}

fn failures(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    for (words, commands, outputs, is_known) in REMEDIES
        .iter()
        .map(|(words, commands, outputs)| (words, commands, outputs, true))
        .chain(
            GENERAL_FAILURES
                .iter()
                .map(|(words, commands, outputs)| (words, commands, outputs, false)),
        )
    {
        let moments = moments(calendar, 30);
        let mut planting = Planting::new(calendar, CandidateType::Rule, words);
        for at in moments {
            let (command, output) = (
                planting.calendar.pick(commands),
                planting.calendar.pick(outputs),
            );
            planting.event(
                at,
                SignalType::CommandFailure,
                &output.to_lowercase(),
                failure(command, output),
            );
        }
        // That a command fails, however often, is no rule.
        if is_known {
            expected.push(planting.expected);
        }
    }
}

fn observed(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    for (words, failing, output, working) in OBSERVED {
        let moments = moments(calendar, 1);
        let mut planting = Planting::new(calendar, CandidateType::Rule, words);
        for mut at in moments {
            for command in *failing {
                planting.event(
                    at,
                    SignalType::CommandFailure,
                    output,
                    failure(command, output),
                );
                at.minute += 1;
            }
            at.minute -= 1;
            planting.calendar.success(at, working);
        }
        expected.push(planting.expected);
    }
}

fn reminders(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    for (words, wordings) in REPEATED {
        let moments = moments(calendar, 6);
        let mut planting = Planting::new(calendar, CandidateType::Checklist, words);
        for at in moments {
            let text = planting.calendar.pick(wordings);
            let context = json!({ "similar_count": 2, "similar_messages": wordings });
            planting.event(at, SignalType::Repetition, text, context);
        }
        expected.push(planting.expected);
    }
    for (words, action, questions) in QUESTIONS {
        let moments = moments(calendar, 25);
        let mut planting = Planting::new(calendar, CandidateType::Checklist, words);
        for at in moments {
            let text = planting.calendar.pick(questions);
            planting.event(
                at,
                SignalType::VerificationQuestion,
                text,
                json!({ "verified_action": action }),
            );
        }
        expected.push(planting.expected);
    }
    for (skill, wordings) in SKILLS {
        let moments = moments(calendar, 8);
        let mut planting = Planting::new(calendar, CandidateType::Skill, &[*skill]);
        for at in moments {
            let text = planting.calendar.pick(wordings);
            planting.event(
                at,
                SignalType::SkillSupplement,
                text,
                json!({ "skill_name": skill }),
            );
        }
        expected.push(planting.expected);
    }
}

fn violations(calendar: &mut Calendar, expected: &mut Vec<Expected>) {
    for (words, files) in FOLDERS {
        let moments = moments(calendar, 12);
        let mut planting = Planting::new(calendar, CandidateType::Rule, words);
        for at in moments {
            let file = planting.calendar.pick(files);
            let context = json!({ "file": file, "violations": [{ "kind": "cache_path_edit" }] });
            planting.event(at, SignalType::ProcessViolation, "", context);
        }
        expected.push(planting.expected);
    }
}

fn failure(command: &str, output: &str) -> Value {
    json!({ "command": command, "exit_code": 1, "stderr_preview": output })
}
