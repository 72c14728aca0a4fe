//! Compares the answers of a program with a tape, exchange by exchange, while both continue.
//! Where an exchange ends depends on when the next input was typed. A script types as soon as it has seen what it
//! waited for: the rest of that answer is in the next exchange, and the echo of the next input may be in front of it.
//! So an answer may be the start of what the program prints now; the next one must continue it.

use super::diff::normal_output;
use super::timeline::{size, with_returns};
use crate::format::{Chunk, Exchange, Tape, TypedInput};
use crate::key::{PromptTracker, normal_input, prompt_signature, scrub};
use ccd_screen::{RowPosition, ScrollingScreen};
use ccd_text::redact::{KnownTexts, redact};
use std::collections::BTreeSet;

/// If there was no output for this long before an input, the answer to the input before it was complete.
pub const SILENCE_MS: u64 = 300;

/// Maximum number of ways in which echoes may be mixed with an answer, and of places for each echo.
const MAX_WAYS: usize = 64;
const MAX_PLACES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLikeness {
    Same,
    /// The tape has only the start of the answer.
    Start,
    Differs,
}

pub struct Comparison {
    tape: ComparedSide,
    now: ComparedSide,
    secrets: KnownTexts,
    /// The lines that were typed for this exchange, as their echo shows them.
    echoes: Vec<String>,
    /// Those of exchanges before, which a line editor may still have to show again.
    earlier: Vec<String>,
    /// What the program had printed after the end of the exchange before, and the tape had not. There may be several
    /// possibilities.
    left: BTreeSet<UnmatchedOutput>,
    /// The first exchange of which that is true.
    left_since: Option<usize>,
    /// The program reads keys: it shows again what was typed before it was ready.
    has_editor: bool,
    /// The tape was cut while a line editor drew a line: only what is shown when it is complete can be compared.
    is_drawing: bool,
    /// This exchange is keys that do not end a line.
    is_keys: bool,
    /// The tape has not started yet.
    is_before: bool,
    /// The prompt at which this exchange was typed.
    prompt: String,
    tracker: PromptTracker,
    index: usize,
}

/// What one side had and the other had not at the end of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct UnmatchedOutput {
    now: String,
    /// The start of an echo that a line editor showed again.
    tape: String,
}

/// One of the two.
struct ComparedSide {
    /// `None` without a terminal.
    screen: Option<ScrollingScreen>,
    /// The end of what was the same.
    same: RowPosition,
    /// The start of this exchange.
    began: RowPosition,
    /// Without a terminal: the output of this exchange.
    chunks: Vec<Chunk>,
}

impl ComparedSide {
    fn new(tape: &Tape) -> Self {
        let (rows, cols) = size(tape);
        Self {
            screen: tape.meta.pty.map(|_| ScrollingScreen::new(rows, cols)),
            same: RowPosition::default(),
            began: RowPosition::default(),
            chunks: Vec::new(),
        }
    }

    fn start(&mut self) {
        self.chunks.clear();
        if let Some(screen) = &self.screen {
            self.began = screen.place();
        }
    }

    fn print(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        for chunk in chunks {
            match &mut self.screen {
                Some(screen) if screen.is_alternate() => screen.feed(&chunk.data),
                // Whether the terminal adds them may depend on when a program changes its modes.
                Some(screen) => screen.feed(&with_returns(&chunk.data)),
                None => self.chunks.push(chunk),
            }
        }
    }

    /// Returns what is shown since the last position that was the same.
    fn text(&self, secrets: &KnownTexts) -> String {
        let text = match &self.screen {
            Some(screen) => screen.since(self.same),
            None => normal_output(&self.chunks, None),
        };
        clean(&text, secrets)
    }

    /// Returns what is shown of this exchange. A program on the alternate screen draws again and again, in parts that
    /// depend on time.
    fn answer(&self, secrets: &KnownTexts) -> String {
        let screen = self.screen.as_ref().filter(|screen| !screen.is_alternate());
        let text = screen.map(|screen| screen.since(self.began));
        squeezed(&clean(&text.unwrap_or_default(), secrets))
    }

    /// Returns how far the cursor has come.
    fn way(&self) -> Option<(isize, isize)> {
        let screen = self.screen.as_ref()?;
        Some(self.same.to(screen.place()))
    }

    fn settle(&mut self) {
        if let Some(screen) = &mut self.screen {
            self.same = screen.place();
            screen.forget();
        }
    }
}

impl Comparison {
    /// Starts the comparison of a tape's program; `secrets` are masked in what it prints.
    pub fn new(tape: &Tape, secrets: &[String]) -> Self {
        Self {
            tape: ComparedSide::new(tape),
            now: ComparedSide::new(tape),
            secrets: KnownTexts::of(secrets),
            echoes: Vec::new(),
            earlier: Vec::new(),
            left: BTreeSet::from([UnmatchedOutput::default()]),
            left_since: None,
            has_editor: false,
            is_drawing: false,
            is_keys: false,
            is_before: false,
            prompt: String::new(),
            tracker: PromptTracker::default(),
            index: 0,
        }
    }

    /// Starts a tape without the program's start: what the program prints before the first exchange is on both sides.
    pub fn start_before(&mut self) {
        self.is_before = true;
    }

    /// Starts the next exchange, before its input is typed.
    pub fn start(&mut self, index: usize, exchange: &Exchange) {
        if std::mem::take(&mut self.is_before) {
            self.settle();
        }
        self.index = index;
        self.prompt = squeezed(&self.prompt());
        self.echoes = echoes_of(&exchange.input);
        let last = exchange.input.bytes.last();
        self.is_keys = last.is_some_and(|last| !matches!(last, b'\r' | b'\n'));
        self.tape.start();
        self.now.start();
        self.tape.print(exchange.chunks.iter().cloned());
    }

    pub fn print(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        let chunks: Vec<Chunk> = chunks.into_iter().collect();
        for chunk in &chunks {
            self.tracker.feed(&chunk.data);
        }
        if self.is_before {
            self.tape.print(chunks.iter().cloned());
        }
        self.now.print(chunks);
    }

    /// Notes that the program has read keys.
    pub fn note_editor(&mut self) {
        self.has_editor = true;
    }

    /// Returns the current prompt of the program, in the form in which prompts are compared.
    pub fn prompt(&self) -> String {
        prompt_signature(&self.tracker.prompt())
    }

    /// Compares the answer so far. `may_be_cut`: the tape may lack its end.
    pub fn likeness(&self, may_be_cut: bool) -> OutputLikeness {
        let texts = self.texts();
        if texts.0 == texts.1 {
            return OutputLikeness::Same;
        }
        if may_be_cut && self.draws() {
            return OutputLikeness::Start;
        }
        if self.is_drawing {
            return OutputLikeness::Differs;
        }
        let has_rest = self
            .left
            .iter()
            .any(|rest| *rest != UnmatchedOutput::default());
        let is_mixed = may_be_cut || has_rest || self.echoes.len() > 1;
        if self.tape.screen.is_none() || !is_mixed {
            return OutputLikeness::Differs;
        }
        let left = self.left_now(may_be_cut);
        if left.contains(&UnmatchedOutput::default()) {
            OutputLikeness::Same
        } else if may_be_cut && !left.is_empty() {
            OutputLikeness::Start
        } else {
            OutputLikeness::Differs
        }
    }

    /// Returns whether the tape lacked the end of an earlier answer, so that what follows on it may belong to that one.
    pub fn is_behind(&self) -> bool {
        self.left_since.is_some()
    }

    /// Returns whether the cursor is where it was. A line editor may have shown the rest of a line before it is typed.
    pub fn is_at_same_place(&self) -> bool {
        self.tape.way() == self.now.way()
    }

    /// Ends the exchange with an answer that is the same, or of which the tape has the start.
    pub fn accept(&mut self) {
        let (tape, now) = self.texts();
        if tape != now && self.draws() {
            self.is_drawing = true;
            self.left_since.get_or_insert(self.index);
            return;
        }
        self.left = if tape == now {
            BTreeSet::from([UnmatchedOutput::default()])
        } else {
            self.left_now(true)
        };
        if self.left.contains(&UnmatchedOutput::default()) {
            // Otherwise the program was still drawing, and the next exchange shows the rest.
            if tape != now || self.is_at_same_place() {
                self.settle();
            }
            self.forget();
        } else {
            self.left_since.get_or_insert(self.index);
            self.earlier.append(&mut self.echoes);
        }
    }

    /// Ends the exchange with an answer that differs; returns the exchange to which it belongs.
    pub fn reject(&mut self) -> usize {
        let since = self.left_since;
        self.left = BTreeSet::from([UnmatchedOutput::default()]);
        self.settle();
        since.unwrap_or(self.index)
    }

    /// Returns what is compared: the texts of the tape and of the program.
    pub fn texts(&self) -> (String, String) {
        let of = |side: &ComparedSide| side.text(&self.secrets);
        (of(&self.tape), of(&self.now))
    }

    fn settle(&mut self) {
        self.forget();
        self.tape.settle();
        self.now.settle();
    }

    fn forget(&mut self) {
        self.left_since = None;
        self.is_drawing = false;
        self.earlier.clear();
    }

    fn draws(&self) -> bool {
        self.is_drawing || self.is_keys && self.has_editor
    }

    /// Returns what the program has printed and the tape has not, in any order of echoes and answers; empty if the tape
    /// has anything else.
    fn left_now(&self, may_be_cut: bool) -> BTreeSet<UnmatchedOutput> {
        let now = self.now.answer(&self.secrets);
        let answer = self.tape.answer(&self.secrets);
        let prompt = self.has_editor.then_some(&*self.prompt);
        let mut left = BTreeSet::new();
        for before in &self.left {
            let tape = format!("{}{answer}", before.tape);
            // An echo that is on one side only is still to come on the other.
            let is_shown = |echo: &&String| tape.contains(*echo) && now.contains(*echo);
            let echoes: Vec<&String> = self.echoes.iter().filter(is_shown).collect();
            let mut tapes = without_echoes(&tape, &echoes, prompt);
            for (echo, prompt) in self.earlier.iter().zip(prompt.into_iter().cycle()) {
                let again = |way: &String| without_one(way, echo, prompt);
                let fewer: Vec<String> = tapes.iter().flat_map(again).take(MAX_WAYS).collect();
                tapes.extend(fewer);
            }
            // Only lines that were typed together come early now.
            let prompt_now = prompt.filter(|_| self.echoes.len() > 1);
            let nows = without_echoes(&now, &echoes, prompt_now);
            let mut ways: Vec<(&str, &str)> = tapes.iter().map(|tape| (&**tape, "")).collect();
            if let (Some(prompt), true) = (prompt, may_be_cut) {
                ways.extend(tapes.iter().flat_map(|tape| self.begun(tape, prompt)));
            }
            let ways = ways.into_iter();
            let pairs = ways.flat_map(|way| nows.iter().map(move |now| (way, now)));
            let unchanged = ((&*tape, ""), &now);
            left.extend(pairs.chain([unchanged]).filter_map(|((tape, begun), now)| {
                let whole = format!("{}{now}", before.now);
                Some(UnmatchedOutput {
                    now: whole.strip_prefix(tape)?.to_owned(),
                    tape: begun.to_owned(),
                })
            }));
        }
        left.into_iter().take(MAX_WAYS).collect()
    }

    /// Returns a text in two parts for each echo that a line editor had begun to show again, after its prompt, at the end.
    fn begun<'a>(&self, text: &'a str, prompt: &str) -> Vec<(&'a str, &'a str)> {
        let echoes = self.echoes.iter().chain(&self.earlier);
        let starts = echoes.flat_map(|echo| echo.char_indices().skip(1).map(|(at, _)| &echo[..at]));
        let before = starts.filter_map(|start| text.strip_suffix(start)?.strip_suffix(prompt));
        let cuts = before.map(str::len);
        cuts.map(|cut| text.split_at(cut))
            .take(MAX_PLACES)
            .collect()
    }
}

/// Returns the text without what differs from run to run, and without secrets.
fn clean(text: &str, secrets: &KnownTexts) -> String {
    let mut text = [scrub(text.trim_end()).into_owned().into_bytes()];
    secrets.mask(&mut text);
    let [text] = text;
    redact(&String::from_utf8_lossy(&text)).text.into_owned()
}

/// Returns the text without blanks: lines are wrapped and redrawn.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the lines of an input as their echo shows them.
fn echoes_of(input: &TypedInput) -> Vec<String> {
    let text = String::from_utf8_lossy(&normal_input(&input.bytes)).into_owned();
    let lines = text.lines().map(squeezed);
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns what a text may be without the echo of each line. A line that was typed before the program asked for it is
/// shown by the terminal, and by a line editor once more at its prompt, which is given.
fn without_echoes(text: &str, echoes: &[&String], prompt: Option<&str>) -> BTreeSet<String> {
    let mut ways = BTreeSet::from([text.to_owned()]);
    for echo in echoes {
        let mut fewer = BTreeSet::new();
        for way in ways {
            let once = without_one(&way, echo, "");
            if once.is_empty() {
                fewer.insert(way);
                continue;
            }
            if let Some(prompt) = prompt {
                let twice = once.iter().flat_map(|way| without_one(way, echo, prompt));
                fewer.extend(twice.take(MAX_WAYS));
            }
            fewer.extend(once);
        }
        ways = fewer.into_iter().take(MAX_WAYS).collect();
    }
    ways
}

/// Returns what a text may be without one occurrence of `echo` after `before`.
fn without_one(text: &str, echo: &str, before: &str) -> Vec<String> {
    let places = text.match_indices(echo).map(|(at, _)| at);
    let places = places.filter(|at| text[..*at].ends_with(before));
    let ways = places.map(|at| format!("{}{}", &text[..at], &text[at + echo.len()..]));
    ways.take(MAX_PLACES).collect()
}

#[cfg(test)]
#[path = "likeness_tests.rs"]
mod tests;
