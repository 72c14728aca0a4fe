//! Friction from which nothing follows: said once, said in one session only, or without any matter.

use super::calendar::{Calendar, DAYS, Moment};
use crate::signal::SignalType;
use serde_json::json;

/// Adds noise until there are so many events.
pub(super) fn fill(calendar: &mut Calendar, events: usize) {
    lone_questions(calendar);
    near_misses(calendar);
    let mut number = 0;
    while calendar.events.len() < events {
        number += 1;
        let at = calendar.moment(0, DAYS);
        match calendar.below(20) {
            0..4 => tone(calendar, at),
            4..10 => looking_around(calendar, at, number),
            10..12 => vague_correction(calendar, at),
            12..15 => lone_correction(calendar, at, number),
            15..18 => lone_failure(calendar, at, number),
            18 => vague_repetition(calendar, at),
            _ => lone_addition(calendar, at, number),
        }
    }
}

fn tone(calendar: &mut Calendar, at: Moment) {
    let text = calendar.pick(&[
        "WHY WHY WHY",
        "it is broken again!!",
        "AGAIN?!!",
        "how many times do I have to say this",
        "STOP IT NOW!!!",
    ]);
    calendar.event(
        at,
        SignalType::ToneEscalation,
        text,
        json!({ "confidence": 0.5 }),
    );
}

/// A failure that is an answer: the file is not there, the text does not occur.
fn looking_around(calendar: &mut Calendar, at: Moment, number: usize) {
    let command = calendar.pick(&[
        "ls",
        "cat",
        "cd app && ls",
        "git show",
        "head -20",
        "git diff --stat",
        "grep -rn parse",
        "find . -name",
    ]);
    let (folder, name) = (calendar.pick(NOUNS), calendar.pick(NOUNS));
    let line = format!("{command} src/{folder}/{name}_{}.rs", number % 97);
    let context =
        json!({ "command": line, "exit_code": 1, "stderr_preview": "No such file or directory" });
    calendar.event(
        at,
        SignalType::CommandFailure,
        "no such file or directory",
        context,
    );
}

fn vague_correction(calendar: &mut Calendar, at: Moment) {
    let text = calendar.pick(&[
        "no",
        "nope",
        "that's wrong",
        "stop",
        "no, not that",
        "wrong",
        "I said no",
        "don't do that",
        "no no no",
    ]);
    calendar.event(
        at,
        SignalType::UserCorrection,
        text,
        json!({ "confidence": 0.5 }),
    );
}

/// A correction about one place in the code.
fn lone_correction(calendar: &mut Calendar, at: Moment, number: usize) {
    let (verb, noun, other) = (
        calendar.pick(VERBS),
        calendar.pick(NOUNS),
        calendar.pick(NOUNS),
    );
    let function = format!("{verb}_{noun}_{number}");
    let opening = calendar.pick(&["no, ", "I said ", "stop. ", "", "that's not what I meant, "]);
    let text = match calendar.below(4) {
        0 => format!("{opening}don't {verb} the {noun} in {function}, {other}_{number} needs it"),
        1 => format!("{opening}use {function} instead of {other}_{number} for the {noun}"),
        2 => format!("{opening}you should {verb} {function} in {other}_{number}.rs"),
        _ => format!("{opening}never {verb} {function} before {other}_{number} is done"),
    };
    calendar.event(
        at,
        SignalType::UserCorrection,
        &text,
        json!({ "confidence": 0.5 }),
    );
}

/// A script that failed once, sometimes with a success that shows nothing.
fn lone_failure(calendar: &mut Calendar, at: Moment, number: usize) {
    let (verb, noun) = (calendar.pick(VERBS), calendar.pick(NOUNS));
    let script = format!("{verb}_{noun}_{number}");
    let output = calendar.pick(&[
        "it did not work",
        "assertion failed: left == right",
        "mismatched types",
        "exit status 3",
        "error: aborting",
    ]);
    let (line, success) = match calendar.below(5) {
        0 => (format!("./scripts/{script}.sh --all"), None),
        1 => (
            format!("npm run {script}"),
            Some(format!("npm run {script}")),
        ),
        2 => (
            format!("cd tools && ./{script} run"),
            Some(format!("./{script} run --no-verify")),
        ),
        3 => (
            format!("{script} {noun}.txt"),
            Some(format!("{script} other{number}.txt")),
        ),
        _ => (format!("make {script}"), Some(format!("make {script}"))),
    };
    let context = json!({ "command": line, "exit_code": 2, "stderr_preview": output });
    calendar.event(at, SignalType::CommandFailure, output, context);
    if let Some(command) = success {
        calendar.success(at, &command);
    }
}

/// A message that was sent three times and is no instruction.
fn vague_repetition(calendar: &mut Calendar, at: Moment) {
    let text = calendar.pick(&[
        "continue",
        "go on",
        "what is the state of the migration?",
        "ok",
        "is it done now?",
        "[Request interrupted by user]",
    ]);
    let context = json!({ "similar_count": 2, "similar_messages": [text, text] });
    calendar.event(at, SignalType::Repetition, text, context);
}

fn lone_addition(calendar: &mut Calendar, at: Moment, number: usize) {
    let (skill, noun, other) = (
        calendar.pick(&["deploy", "review", "release-notes"]),
        calendar.pick(NOUNS),
        calendar.pick(NOUNS),
    );
    let text =
        format!("the {skill} skill didn't know {noun}_{number} of the {other}_{number} table");
    calendar.event(
        at,
        SignalType::SkillSupplement,
        &text,
        json!({ "skill_name": skill }),
    );
}

/// Questions and warnings that come back only after more than 30 days.
fn lone_questions(calendar: &mut Calendar) {
    for (place, action) in ["commit", "push", "update", "fix", "add"]
        .into_iter()
        .enumerate()
    {
        for month in 0..8 {
            let day = month * 45 + place as u64;
            let at = calendar.moment(day, day + 1);
            let text = format!("did you {action} it?");
            calendar.event(
                at,
                SignalType::VerificationQuestion,
                &text,
                json!({ "verified_action": action }),
            );
        }
    }
    for (tool, day) in [("go", 5), ("pip", 9), ("go", 60), ("pip", 200)] {
        let at = calendar.moment(day, day + 1);
        let context = json!({ "command": format!("{tool} install x"), "stderr_preview": "version 1.2 is unsupported" });
        calendar.event(
            at,
            SignalType::VersionIssue,
            "version 1.2 is unsupported",
            context,
        );
    }
}

/// Corrections that share words with planted ones and mean something else. Each is said once.
fn near_misses(calendar: &mut Calendar) {
    for text in [
        "don't edit the migration files of last year",
        "don't generate files in the source folder",
        "use npm in the legacy folder of the website",
        "push the topic branch to the fork now",
        "don't push the image to the registry of production",
        "add a comment to the first line of the license header",
        "use spaces in the yaml of the pipeline",
        "return the error to the caller of parse_header",
        "edit the lockfile version in the renovate settings",
        "don't use expect in the test code of the parser",
        "use the new http server in the example",
        "update the snapshot of the login page",
        "rename the private helper functions of the lexer",
        "log the request id of each access",
    ] {
        let at = calendar.moment(0, DAYS);
        calendar.event(
            at,
            SignalType::UserCorrection,
            text,
            json!({ "confidence": 0.5 }),
        );
    }
}

const VERBS: &[&str] = &[
    "parse", "load", "merge", "render", "sync", "split", "check", "build", "fetch", "sort",
    "encode", "patch", "drain", "index",
];

const NOUNS: &[&str] = &[
    "invoice", "header", "ledger", "token", "cursor", "schema", "window", "socket", "bundle",
    "queue", "report", "cache", "buffer", "vendor", "widget", "folder", "matrix", "parcel",
    "signal", "kernel",
];
