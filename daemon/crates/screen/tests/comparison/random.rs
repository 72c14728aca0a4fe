//! Random streams of well-formed sequences look as in tmux and avt.

use super::entry::{capabilities, expanded};
use super::grid::Comparison;
use super::streams::stream;
use super::terminals;
use super::tmux::Tmux;
use std::collections::BTreeSet;

/// A small screen: its edges are met often.
const ROWS: u16 = 10;
const COLS: u16 = 20;

const STREAMS_PER_ROUND: u64 = 15;
const ROUNDS: u64 = 10;
const PARTS: usize = 60;

/// Failed streams that are made shorter.
const MAX_SHORTENED: usize = 5;

/// Sequences of the terminfo entry that streams leave out: tmux does not know DECSTR, avt does not know DECCOLM, and
/// neither has left and right margins.
const LEFT_OUT: [&str; 4] = ["[!p", "[?3l", "[?69h", "[?69l"];

/// Returns the sequences of an output, without parameters other than modes.
fn sequences(output: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in output.split('\x1b').skip(1) {
        if let Some(body) = part.strip_prefix('[') {
            let len = body
                .find(|character| matches!(character, '@'..='~'))
                .unwrap()
                + 1;
            found.extend(controls(&body[..len]));
        } else {
            let len = if part.starts_with([']', '(']) { 2 } else { 1 };
            found.extend(part.get(..len).map(str::to_owned));
        }
    }
    found
}

fn controls(body: &str) -> Vec<String> {
    let (parameters, last) = body.split_at(body.len() - 1);
    if !matches!(last, "h" | "l") {
        let unnamed = |character: char| matches!(character, '0'..='9' | ';' | ':');
        return vec![format!("[{}", body.replace(unnamed, ""))];
    }
    let modes = parameters.trim_start_matches('?');
    let private = &parameters[..parameters.len() - modes.len()];
    let modes = modes
        .split(';')
        .map(|mode| format!("[{private}{mode}{last}"));
    modes.collect()
}

#[test]
fn the_streams_have_each_sequence_of_the_terminfo_entry() {
    let output = (0..STREAMS_PER_ROUND * ROUNDS)
        .flat_map(|seed| stream(seed, PARTS))
        .collect::<String>();
    let (mut unknown, known) = (BTreeSet::new(), sequences(&output));
    for (name, value) in capabilities() {
        // Keys, reports and pasted text are what programs get.
        let is_output = !name.starts_with('k') && !["u6", "u8", "xm", "PS", "PE"].contains(&name);
        if let Some(value) = value.filter(|_| is_output) {
            unknown.extend(sequences(&expanded(&value, &[1; 9])));
        }
    }
    unknown.retain(|sequence| !known.contains(sequence) && !LEFT_OUT.contains(&sequence.as_str()));
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn random_streams_look_as_in_tmux_and_avt() {
    let Some(tmux) = Tmux::start(ROWS, COLS) else {
        return;
    };
    let rounds = std::env::var("CCD_TEST_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let seeds = 0..STREAMS_PER_ROUND * rounds;
    let streams: Vec<Vec<String>> = seeds.map(|seed| stream(seed, PARTS)).collect();
    let results = compared(&tmux, &streams);
    let cells: usize = results.iter().map(|result| result.cells).sum();
    let disputed: usize = results.iter().map(|result| result.disputed.len()).sum();
    println!("tmux and avt disagree on {disputed} of {cells} cells");
    assert!(
        disputed * 50 < cells,
        "the streams have sequences on which they disagree"
    );
    let failed = results
        .iter()
        .zip(&streams)
        .zip(0..)
        .filter(|((result, _), _)| fails(result));
    let failed: Vec<String> = failed
        .take(MAX_SHORTENED)
        .map(|((_, parts), seed)| {
            let shortest = shortest(&tmux, parts.clone());
            let difference = compared(&tmux, std::slice::from_ref(&shortest))[0]
                .differences
                .remove(0);
            format!("seed {seed}: {:?}: {difference}", shortest.concat())
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

fn fails(result: &Comparison) -> bool {
    !result.differences.is_empty()
}

fn compared(tmux: &Tmux, streams: &[Vec<String>]) -> Vec<Comparison> {
    let outputs: Vec<String> = streams.iter().map(|parts| parts.concat()).collect();
    let drawn = tmux.draw(&outputs.iter().map(String::as_str).collect::<Vec<_>>());
    let compare = |(output, tmux): (&String, _)| {
        let [ours, avt] = [terminals::ours, terminals::avt].map(|draw| draw(ROWS, COLS, output));
        Comparison::new(&ours, &tmux, &avt)
    };
    outputs.iter().zip(drawn).map(compare).collect()
}

/// Leaves out as many parts of a failed stream as possible.
fn shortest(tmux: &Tmux, mut parts: Vec<String>) -> Vec<String> {
    let mut len = parts.len() / 2;
    while len > 0 {
        let starts = (0..parts.len()).step_by(len);
        let without =
            |start: usize| [&parts[..start], &parts[(start + len).min(parts.len())..]].concat();
        let candidates: Vec<Vec<String>> = starts.map(without).collect();
        match compared(tmux, &candidates).iter().position(fails) {
            Some(found) => parts.clone_from(&candidates[found]),
            None => len /= 2,
        }
    }
    parts
}
