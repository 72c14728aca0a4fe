//! Inputs for one copy after the other, several at a time.

use super::super::draft::Draft;
use super::super::judge::{Fault, Verdict};
use super::super::tested_program::{END_OF_INPUT, TestedProgram};
use super::replay::{Copy, WINDOW};
use crate::drive::SessionResult;
use ccd_protocol::investigate::FindingKind;
use std::time::Instant;

#[derive(Debug, Clone)]
pub(super) struct Suspect {
    pub(super) number: usize,
    pub(super) fault: Fault,
    /// All inputs of the copy, the last of which broke it.
    pub(super) lines: Vec<Vec<u8>>,
}

pub(super) type Numbered = (usize, Vec<u8>);

/// Gives inputs to copies; after one has ended or broken, the rest goes to a fresh one. Starts no copy after `until`;
/// returns also how many inputs were left then.
pub(super) async fn run(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    inputs: &[Numbered],
    until: Instant,
) -> SessionResult<(Vec<Suspect>, usize)> {
    let mut suspects = Vec::new();
    let mut rest = inputs;
    // Programs that read keys may act on each, and throw away what is typed ahead.
    let widest = if tested.first.is_canonical { WINDOW } else { 1 };
    let mut window = widest;
    while !rest.is_empty() {
        if Instant::now() >= until {
            return Ok((suspects, rest.len()));
        }
        let Some(took) = until_end(tested, rest, window).await? else {
            break;
        };
        let used = took.inputs;
        // What a copy of a program that ends often does not read would need another copy.
        window = (used / 2).clamp(1, widest);
        let (of_copy, after) = rest.split_at(used);
        if let (Some((number, _)), Verdict::Broke(fault)) = (of_copy.last(), took.verdict) {
            let lines = of_copy.iter().map(|(_, input)| input.clone());
            let end = took.at_end.then(|| END_OF_INPUT.to_vec());
            suspects.push(Suspect {
                number: *number,
                fault,
                lines: lines.chain(end).collect(),
            });
        }
        draft.steps(used);
        rest = after;
    }
    Ok((suspects, 0))
}

struct Took {
    /// How many inputs it took, the last included.
    inputs: usize,
    verdict: Verdict,
    /// The end of the input after the last one did it.
    at_end: bool,
}

/// Gives inputs to one copy until it ends, at last the end of the input. None if the program no longer starts as it
/// should.
async fn until_end(
    tested: &TestedProgram<'_>,
    inputs: &[Numbered],
    window: usize,
) -> SessionResult<Option<Took>> {
    let Some(mut copy) = Copy::start(tested).await? else {
        return Ok(None);
    };
    let mut done = 0;
    for inputs_of_window in inputs.chunks(window) {
        let lines = lines_of(inputs_of_window);
        let verdict = copy.ask(&lines).await?;
        if verdict != Verdict::Fine {
            copy.release();
            let (inputs, verdict) = match lines.len() {
                1 => (done + 1, verdict),
                len => which(tested, inputs, done, len, window).await?,
            };
            return Ok(Some(Took {
                inputs,
                verdict,
                at_end: false,
            }));
        }
        done += lines.len();
    }
    let end = copy.ask(&[END_OF_INPUT]).await?;
    copy.release();
    // Anything else after it, such as another mode of the terminal, is for the test of exits.
    let at_end = matches!(end, Verdict::Broke(fault) if fault.kind == FindingKind::Crash);
    Ok(Some(Took {
        inputs: done,
        verdict: if at_end { end } else { Verdict::Fine },
        at_end,
    }))
}

/// Finds the input of a window that a copy did not survive, in a fresh copy: what came before at once again, then one
/// input after the other.
async fn which(
    tested: &TestedProgram<'_>,
    inputs: &[Numbered],
    before: usize,
    len: usize,
    window: usize,
) -> SessionResult<(usize, Verdict)> {
    let Some(mut copy) = Copy::start(tested).await? else {
        return Ok((before + len, Verdict::Fine));
    };
    for lines in inputs[..before].chunks(window) {
        copy.ask(&lines_of(lines)).await?;
    }
    let mut found = (before + len, Verdict::Fine);
    for (index, (_, input)) in inputs[before..before + len].iter().enumerate() {
        let verdict = copy.ask(&[input]).await?;
        if verdict != Verdict::Fine {
            found = (before + index + 1, verdict);
            break;
        }
    }
    copy.release();
    Ok(found)
}

fn lines_of(inputs: &[Numbered]) -> Vec<&[u8]> {
    inputs.iter().map(|(_, input)| &**input).collect()
}
