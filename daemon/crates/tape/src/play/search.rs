//! Finds the exchange whose input was typed.
//! Input is a stream: one send may contain several inputs, and one input may be sent in parts. So each possible end of
//! an input is tried: after each line, and after all bytes.

use super::options::ReplayOptions;
use super::playback::InputModes;
use super::playing::Playing;
use crate::format::Exchange;
use crate::index::{Fits, Hit, Index};
use crate::key::{ends_line, is_open_text, normal_input};
use ccd_text::canonical::END_OF_INPUT;
use std::io;
use std::sync::Arc;

/// Maximum number of line ends that are tried as the end of an input.
const MAX_ENDS: usize = 64;

/// Maximum number of next exchanges that are compared with the pending bytes.
const MAX_CANDIDATES: usize = 1024;

/// Longer pending input is compared only if an input on a tape may be as long.
const LONG_BYTES: usize = 256 << 10;

pub(super) enum InputMatch {
    Answer {
        hit: Hit,
        /// How many of the pending bytes are the exchange's input.
        len: usize,
        /// Why this exchange was chosen, for the log.
        rule: &'static str,
    },
    /// The pending bytes may become an input, of this exchange if it is known. An unfinished exchange never gets
    /// further than this.
    Part(Option<Hit>),
    /// No input starts with the pending bytes, but they are a line that has not ended yet.
    Open,
    Nothing,
}

fn answer(hit: Hit, len: usize, rule: &'static str) -> InputMatch {
    InputMatch::Answer { hit, len, rule }
}

/// Searches for the start of the program, which has no input.
pub(super) fn find_start(fits: &Fits) -> InputMatch {
    let hit = fits.start().next();
    hit.map_or(InputMatch::Nothing, |hit| answer(hit, 0, "start"))
}

/// Searches in the order of the rules: the next exchange, then later ones of the same tape, then any tape.
pub(super) fn find(fits: &Fits, options: &ReplayOptions, playing: &Playing) -> InputMatch {
    let typed = &playing.pending;
    let ends = ends_of(typed);
    let longest = longest_input(fits, typed);
    // Comparing costs time in proportion to the length, and more arrives while the line is incomplete.
    let known: Vec<usize> = ends.iter().copied().filter(|end| *end <= longest).collect();
    let state = playing.state.fingerprint();
    let prompts = prompts(fits, playing);
    if let Some(found) = goes_on_piped(fits, playing) {
        return found;
    }
    let exact = |prompt: &String| {
        known.iter().rev().find_map(|&end| {
            let hit = fits.exact(prompt, &typed[..end], state)?;
            // For a hidden line, the end of the line is awaited first.
            (!hit.is_hidden()).then(|| answer(hit, end, "exact"))
        })
    };
    if let Some(found) = prompts.iter().find_map(exact) {
        return found;
    }
    let of_prompt = |prompt: &String| {
        let here = fits.candidates(Some(prompt), state);
        here.take(MAX_CANDIDATES).collect::<Vec<Hit>>()
    };
    let mut here: Vec<Hit> = prompts.iter().flat_map(of_prompt).collect();
    let next = next_on_tape(fits, playing);
    if !options.strict {
        here.extend(next.clone());
    }
    if let Some(found) = lines_of_many(&here, typed).or_else(|| keys_or_hidden(&here, typed)) {
        return found;
    }
    if options.ignore_stdin
        && let Some(hit) = next.iter().chain(&here).find(|hit| !hit.is_unfinished())
    {
        let len = ends.first().copied().unwrap_or(typed.len());
        return answer(hit.clone(), len, "place");
    }
    let mut prompts = prompts.iter().filter(|_| !options.strict);
    if let Some(found) = prompts.find_map(|prompt| elsewhere(fits, playing, prompt, &known)) {
        return found;
    }
    if typed.len() > longest {
        return InputMatch::Nothing;
    }
    begun(&here, typed)
}

/// Returns whether the typed bytes may become an input.
fn begun(here: &[Hit], typed: &[u8]) -> InputMatch {
    let whole = normal_input(typed);
    let begins_so = |hit: &&Hit| {
        let input = normal_input(hit.input());
        (input.len() > whole.len() || hit.is_unfinished()) && input.starts_with(&whole)
    };
    if let Some(hit) = here.iter().find(begins_so) {
        return InputMatch::Part(Some(hit.clone()));
    }
    // Somebody is typing a line, which Enter will end.
    if is_open_text(typed) {
        InputMatch::Open
    } else {
        InputMatch::Nothing
    }
}

/// Returns the next exchange of a tape that was recorded with pipes. When such a tape is recorded, chance decides which
/// exchange gets which part of the output, so all exchanges are taken from one tape as long as it has the input.
fn goes_on_piped(fits: &Fits, playing: &Playing) -> Option<InputMatch> {
    let hit = next_on_tape(fits, playing).filter(|_| plays_piped(fits, playing))?;
    let (input, typed) = (hit.input(), &playing.pending);
    let is_whole = ends_line(input) || input.ends_with(&[END_OF_INPUT]) || input == typed;
    let is_cut = input.ends_with(b"\r") && typed.get(input.len()) == Some(&b'\n');
    let is_next = is_whole
        && !is_cut
        && !hit.is_hidden()
        && !hit.is_unfinished()
        && hit.state() == playing.state.fingerprint()
        && !input.is_empty()
        && typed.starts_with(input);
    let len = input.len();
    is_next.then_some(answer(hit, len, "exact"))
}

/// Returns whether the current tape was recorded with pipes.
fn plays_piped(fits: &Fits, playing: &Playing) -> bool {
    let at = playing.at.as_ref();
    let tape = at.and_then(|(tape, exchange)| fits.index.exchange(tape, *exchange));
    tape.is_some_and(|hit| hit.meta().pty.is_none())
}

/// Returns the prompts that the next input may follow, the likeliest first: if the current tape was recorded with
/// pipes, an empty one, because such a program may print at any time; then the prompt that was printed.
pub(super) fn prompts(fits: &Fits, playing: &Playing) -> Vec<String> {
    let printed = playing.prompt.prompt();
    if plays_piped(fits, playing) && !printed.is_empty() {
        vec![String::new(), printed]
    } else {
        vec![printed]
    }
}

/// Returns the maximum length of typed bytes that can be an input of a tape. A tape may have a mask in place of a part
/// of an input.
fn longest_input(fits: &Fits, typed: &[u8]) -> usize {
    if typed.len() <= LONG_BYTES {
        return LONG_BYTES;
    }
    LONG_BYTES + 2 * fits.longest_input()
}

/// Finds an input that has more lines than the line ends that were tried.
fn lines_of_many(here: &[Hit], typed: &[u8]) -> Option<InputMatch> {
    here.iter().find_map(|hit| {
        let input = normal_input(hit.input());
        let lines = memchr::memchr_iter(b'\n', &input).count();
        if hit.is_hidden() || lines <= MAX_ENDS || !input.ends_with(b"\n") {
            return None;
        }
        let len = line_ends(typed).nth(lines - 1)?;
        let is_whole = normal_input(&typed[..len]) == input;
        is_whole.then(|| answer(hit.clone(), len, "exact"))
    })
}

/// Finds an input of single keys with which the typed bytes start, or a hidden line.
fn keys_or_hidden(here: &[Hit], typed: &[u8]) -> Option<InputMatch> {
    let answers = || here.iter().filter(|hit| !hit.is_unfinished());
    let keys = answers().filter(|hit| {
        let input = hit.input();
        !hit.is_hidden() && !ends_line(input) && typed.starts_with(input)
    });
    if let Some(hit) = keys.max_by_key(|hit| hit.input().len()) {
        return Some(answer(hit.clone(), hit.input().len(), "keys"));
    }
    let hidden = answers().find(|hit| hit.is_hidden())?;
    // A program that reads keys may accept one without a line end, whose length is not on the tape.
    let len = match line_ends(hidden.input()).take(MAX_ENDS).count() {
        0 => Some(typed.len()),
        lines => line_ends(typed).take(MAX_ENDS).nth(lines - 1),
    };
    Some(match len {
        Some(len) => answer(hidden.clone(), len, "hidden"),
        None => InputMatch::Part(None),
    })
}

/// Finds the same input at another position: later on the same tape, or on any tape.
fn elsewhere(fits: &Fits, playing: &Playing, prompt: &str, ends: &[usize]) -> Option<InputMatch> {
    let has_played = |hit: &Hit| {
        let of_tape = playing.played.get(&*hit.tape.id);
        of_tape.is_some_and(|played| played.contains(&hit.exchange))
    };
    if let Some((tape, exchange)) = &playing.at {
        for &len in ends {
            let input = &playing.pending[..len];
            let mut after = *exchange;
            while let Some(hit) = fits.next_in(tape, Some(after), prompt, Some(input)) {
                if !has_played(&hit) {
                    return Some(answer(hit, len, "same tape"));
                }
                after = hit.exchange;
            }
        }
    }
    for &len in ends {
        let mut anywhere = fits.loose(prompt, &playing.pending[..len]);
        if let Some(hit) = anywhere.find(|hit| !has_played(hit)) {
            return Some(answer(hit, len, "another place"));
        }
    }
    None
}

/// Returns the exchange after the one that was played last.
pub(super) fn next_on_tape(fits: &Fits, playing: &Playing) -> Option<Hit> {
    let (tape, exchange) = playing.at.as_ref()?;
    fits.index.exchange(tape, exchange + 1)
}

/// Returns how the terminal treats the next input, as recorded for the next exchange.
pub(super) fn modes_next(fits: &Fits, playing: &Playing) -> InputModes {
    let prompt = playing.prompt.prompt();
    let mut here = fits.candidates(Some(&prompt), playing.state.fingerprint());
    let here = here.next().or_else(|| next_on_tape(fits, playing));
    here.map_or(InputModes::default(), |hit| InputModes {
        hidden: hit.is_hidden(),
        keys: hit.reads_keys(),
    })
}

/// Returns the offsets at which an input may end: after each line, and at the end.
fn ends_of(typed: &[u8]) -> Vec<usize> {
    let mut ends: Vec<usize> = line_ends(typed).take(MAX_ENDS).collect();
    if ends.len() < MAX_ENDS && ends.last().copied().unwrap_or(0) < typed.len() {
        ends.push(typed.len());
    }
    ends
}

/// Returns the offsets at which lines end; `\r\n` is one line end.
fn line_ends(typed: &[u8]) -> impl Iterator<Item = usize> {
    let ends = memchr::memchr2_iter(b'\r', b'\n', typed).map(|at| at + 1);
    ends.filter(|&end| !(typed[end - 1] == b'\r' && typed.get(end) == Some(&b'\n')))
}

/// Reads an exchange from its file, on another thread if that has to wait for the disk.
pub(super) async fn read(index: &Arc<Index>, hit: &Hit) -> io::Result<Exchange> {
    if let Some(exchange) = index.read_cached(hit) {
        return Ok(exchange);
    }
    let (index, hit) = (Arc::clone(index), hit.clone());
    let reading = tokio::task::spawn_blocking(move || index.read(&hit).map_err(io::Error::other));
    reading.await.map_err(io::Error::other).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_may_end_behind_each_line_and_at_the_end() {
        for (typed, ends) in [
            (&b""[..], &[][..]),
            (b"a", &[1]),
            (b"a\r", &[2]),
            (b"a\r\nb", &[3, 4]),
            (b"a\rb\n\n", &[2, 4, 5]),
        ] {
            assert_eq!(ends_of(typed), ends, "{typed:?}");
        }
    }
}
