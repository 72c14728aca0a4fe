//! Whether several copies in the same directory work at the same time, and answer alike.

use super::draft::Draft;
use super::help::ProgramHelp;
use super::judge::{Verdict, judge};
use super::sample::sample;
use super::tested_program::{Patience, TestedProgram};
use crate::answer::is_same_answer;
use crate::drive::{Reply, Running, SessionResult, Settled};
use futures_util::future::try_join_all;
use std::path::Path;
use std::time::Duration;

/// A word that no program knows.
const NONSENSE: &str = "xyzzyq";

/// How long a program is watched that alone neither waits for input nor ends.
const BRIEFLY: Duration = Duration::from_millis(500);

pub(super) async fn run(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
) -> SessionResult<()> {
    let folder = tested.driver.new_folder()?;
    let words = [Some(NONSENSE), help.word];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    draft.begin(1 + words.len());
    tested.note_skipped(draft);
    let count = usize::try_from(tested.options.bounds.copies).unwrap_or(1);
    let starts = (0..count).map(|_| start(tested, folder.path()));
    let mut copies = try_join_all(starts).await?;
    draft.set("copies", count as u64);
    draft.step();
    if let Some((_, reply)) = copies.first()
        && !is_alike(tested.first.settled, reply.settled)
    {
        let (alone, together) = (does(tested.first.settled), does(reply.settled));
        draft.fail(format!(
            "alone, a copy {alone} after its start; among {count}, it {together}"
        ));
    }
    compare(draft, "the start", &copies);
    if tested.can_be_asked() {
        for word in words {
            let lines = [word.as_bytes()];
            let asked = copies
                .iter_mut()
                .map(|copy| tested.ask(&mut copy.0, &lines, Patience::Confirm));
            let answers = try_join_all(asked).await?;
            for (copy, (reply, _)) in copies.iter_mut().zip(answers) {
                copy.1 = reply;
            }
            compare(draft, &format!("{word:?}"), &copies);
            draft.step();
        }
    }
    let alive = copies.iter().filter(|copy| !copy.0.session().is_dead());
    draft.set("alive", alive.count() as u64);
    let outputs: Vec<String> = copies.iter().map(|copy| sample(&copy.1.text)).collect();
    draft.set("output", outputs);
    for (running, _) in copies {
        tested.driver.release(running);
    }
    draft.finish();
    Ok(())
}

async fn start(tested: &TestedProgram<'_>, folder: &Path) -> SessionResult<(Running, Reply)> {
    let mut running = tested.driver.start_in(folder, None).await?;
    let limit = match tested.first.settled {
        Settled::Hangs | Settled::Floods => BRIEFLY,
        Settled::Waits { .. } | Settled::Ended(_) => tested.driver.limits.start,
    };
    let reply = running.first(limit).await?;
    Ok((running, reply))
}

/// Compares what the copies printed and do now, with each other and with a copy that was alone.
fn compare(draft: &Draft, after: &str, copies: &[(Running, Reply)]) {
    let Some(((_, first), others)) = copies.split_first() else {
        return;
    };
    for (number, (_, reply)) in others.iter().enumerate() {
        let number = number + 2;
        if !is_alike(first.settled, reply.settled) {
            draft.fail(format!(
                "copy 1 {} after {after}, but copy {number} {}",
                does(first.settled),
                does(reply.settled)
            ));
        } else if !is_same_answer((NONSENSE, &first.text), (NONSENSE, &reply.text)) {
            draft.fail(format!(
                "copies 1 and {number} printed different texts after {after}"
            ));
        }
    }
    let verdict = |reply| judge(reply, [NONSENSE.as_bytes()]);
    for (_, reply) in copies.iter().filter(|_| after != "the start") {
        if let Verdict::Broke(fault) = verdict(reply) {
            draft.fail(format!("a copy {} after {after}", fault.in_words()));
        }
    }
}

fn is_alike(one: Settled, other: Settled) -> bool {
    match (one, other) {
        (Settled::Ended(one), Settled::Ended(other)) => one == other,
        _ => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}

fn does(settled: Settled) -> String {
    match settled {
        Settled::Waits { .. } => "waits for input".to_owned(),
        Settled::Ended(exit) => format!("ended with exit status {}", exit.status()),
        Settled::Hangs => "hangs".to_owned(),
        Settled::Floods => "prints without end".to_owned(),
    }
}
