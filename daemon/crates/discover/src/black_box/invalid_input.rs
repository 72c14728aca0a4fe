//! Whether the program survives inputs that make no sense.

use super::draft::Draft;
use super::fuzz::shortened;
use super::judge::{Fault, Verdict, verdict_on_exit};
use super::sample::{sample, shown};
use super::tested_program::{Patience, TestedProgram};
use crate::drive::{ProgramRun, SessionResult};
use ccd_protocol::investigate::{Finding, FindingKind};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a command line may take.
const LIMIT: Duration = Duration::from_secs(3);

/// The lines of each input, with the name of the input.
fn inputs() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    // Neither line ends nor the keys that interrupt, suspend, stop or end.
    let control: Vec<u8> = (1..32)
        .filter(|byte| !matches!(byte, 3 | 4 | 10 | 13 | 15 | 17 | 19 | 22 | 26 | 28))
        .collect();
    vec![
        ("unknown_word", vec![b"xyzzyq".to_vec()]),
        ("unknown_words", vec![b"xyzzyq --plughv=1 'a b'".to_vec()]),
        ("punctuation", vec![b"!@#%^&*()[]{}<>?".to_vec()]),
        ("empty_lines", vec![Vec::new(); 3]),
        ("blanks", vec![b"   \t ".to_vec()]),
        ("control_characters", vec![control]),
        ("nul", vec![b"a\0b".to_vec()]),
        ("invalid_utf8", vec![b"\xff\xfe\xc3\x28".to_vec()]),
        ("1000_characters", vec![vec![b'a'; 1_000]]),
        ("100000_characters", vec![vec![b'a'; 100_000]]),
    ]
}

/// Gives the program each input, in a copy that is replaced when it has ended.
pub(super) async fn run(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<()> {
    tested.note_skipped(draft);
    if tested.can_be_asked() {
        at_prompt(tested, draft).await?;
    } else {
        on_command_line(tested, draft).await?;
    }
    draft.finish();
    Ok(())
}

async fn at_prompt(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<()> {
    let inputs = inputs();
    draft.begin(inputs.len());
    let (mut outcomes, mut says_something) = (Vec::<Value>::new(), Vec::new());
    let mut found: Vec<Finding> = Vec::new();
    for (name, lines) in inputs {
        let is_shell = tested.driver.target.is_shell();
        if tested.options.safe_mode && is_shell && name == "punctuation" {
            draft.step();
            continue;
        }
        let Some(mut running) = tested.copy().await? else {
            continue;
        };
        let mut last = None;
        for line in &lines {
            let asked = tested.ask(&mut running, &[line], Patience::Confirm).await?;
            let is_fine = asked.1 == Verdict::Fine;
            last = Some((line, asked));
            if !is_fine {
                break;
            }
        }
        tested.driver.release(running);
        if let Some((line, (reply, verdict))) = last {
            let is_echo = reply.text.trim() == String::from_utf8_lossy(line).trim();
            if !reply.text.trim().is_empty() && !is_echo {
                says_something.push(name);
            }
            outcomes.push(json!({
                "input": name, "outcome": outcome(&verdict), "output": sample(&reply.text),
                "exit_status": reply.exit().map(|exit| exit.status()),
            }));
            if let Verdict::Broke(fault) = verdict {
                let short = shortened(tested, fault, line).await?;
                let finding = short.unwrap_or_else(|| fault.finding(Some(line), &after(name)));
                // Two long lines are often the same short one.
                if !found.iter().any(|known| is_same(known, &finding)) {
                    draft.find(finding.clone());
                    found.push(finding);
                }
            }
        }
        draft.step();
    }
    draft.set("inputs", outcomes);
    draft.set("says_something", json!(says_something));
    Ok(())
}

/// Starts a program that reads nothing with arguments that make no sense.
async fn on_command_line(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<()> {
    let long = "a".repeat(100_000);
    let arguments = [
        ("unknown_option", "--xyzzyq"),
        ("unknown_word", "xyzzyq"),
        ("empty", ""),
        ("100000_characters", &*long),
    ];
    draft.begin(arguments.len());
    let mut outcomes = Vec::<Value>::new();
    let runs = arguments.map(|(_, argument)| tested.run(argument, LIMIT));
    let all = try_join_all(runs).await?;
    for ((name, argument), ended) in arguments.into_iter().zip(all) {
        draft.step();
        let Some(ended) = ended else { continue };
        let verdict = verdict_on(&ended);
        outcomes.push(json!({
            "argument": name, "outcome": outcome(&verdict), "output": sample(&ended.text),
            "exit_status": ended.exit.map(|exit| exit.status()),
        }));
        if let Verdict::Broke(fault) = verdict {
            let short = shortest(tested, fault, argument).await?;
            let when = if short.len() == argument.len() {
                after(name)
            } else {
                format!("after {}", shown(short.as_bytes()))
            };
            draft.find(fault.finding(Some(short.as_bytes()), &when));
        }
    }
    draft.set("arguments", outcomes);
    Ok(())
}

fn verdict_on(ended: &ProgramRun) -> Verdict {
    // It may work on for long without input, as a server does.
    ended.exit.map_or(Verdict::Fine, verdict_on_exit)
}

/// Returns the shortest start of an argument that breaks the program, if each longer one does too.
async fn shortest<'a>(
    tested: &TestedProgram<'_>,
    fault: Fault,
    argument: &'a str,
) -> SessionResult<&'a str> {
    let (mut fine, mut breaks) = (0, argument.len());
    while fine + 1 < breaks {
        let middle = fine.midpoint(breaks);
        let ended = tested.run(&argument[..middle], LIMIT).await?;
        if ended.is_some_and(|ended| verdict_on(&ended) == Verdict::Broke(fault)) {
            breaks = middle;
        } else {
            fine = middle;
        }
    }
    Ok(&argument[..breaks])
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    let input = |finding: &Finding| (finding.input.clone(), finding.input_b64.clone());
    one.kind == other.kind && input(one) == input(other)
}

fn outcome(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fine => "waits",
        Verdict::Ended(_) => "ended",
        Verdict::Broke(fault) => match fault.kind {
            FindingKind::Crash => "crash",
            FindingKind::Hang => "hang",
            FindingKind::Flood => "flood",
            _ => "broken_output",
        },
    }
}

fn after(name: &str) -> String {
    format!("after {}", name.replace('_', " "))
}
