//! Compares the answers of a program with a tape, exchange by exchange, while both continue.
//! Where an exchange ends depends on when the next input was typed. A script types as soon as it has seen what it
//! waited for: the rest of that answer is in the next exchange, and the echo of the next input may be anywhere in it.
//! So an answer may be the start of what the program prints now; the next one must continue it. Until both are the same
//! again, they are compared from where they last were, and without the lines that were typed since.

use super::diff::normal_output;
use super::timeline::{size, with_returns};
use crate::format::{Chunk, Exchange, Tape, TypedInput};
use crate::key::{PromptTracker, normal_input, prompt_signature, scrub};
use ccd_screen::{RowPosition, ScrollingScreen};
use ccd_text::redact::{KnownTexts, redact};
use std::cmp::Reverse;

/// If there was no output for this long before an input, the answer to the input before it was complete.
pub const SILENCE_MS: u64 = 300;

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
    /// Those of exchanges before, of which a part or another echo may still come.
    earlier: Vec<String>,
    /// The first exchange of whose answer the tape had only the start.
    left_since: Option<usize>,
    /// The program reads keys: it shows again what was typed before it was ready.
    has_editor: bool,
    /// The tape was cut while a line editor drew a line: only what is shown when it is complete can be compared.
    is_drawing: bool,
    /// This exchange is keys that do not end a line.
    is_keys: bool,
    /// The tape has not started yet.
    is_before: bool,
    tracker: PromptTracker,
    index: usize,
}

/// One of the two.
struct ComparedSide {
    /// `None` without a terminal.
    screen: Option<ScrollingScreen>,
    /// The end of what was the same.
    same: RowPosition,
    /// Without a terminal: the output of this exchange.
    chunks: Vec<Chunk>,
}

impl ComparedSide {
    fn new(tape: &Tape) -> Self {
        let (rows, cols) = size(tape);
        Self {
            screen: tape.meta.pty.map(|_| ScrollingScreen::new(rows, cols)),
            same: RowPosition::default(),
            chunks: Vec::new(),
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

    /// Returns the same without blanks: lines are wrapped and redrawn.
    fn squeezed(&self, secrets: &KnownTexts) -> String {
        if self.is_alternate() {
            String::new()
        } else {
            squeezed(&self.text(secrets))
        }
    }

    /// A program on the alternate screen draws again and again, in parts that depend on time.
    fn is_alternate(&self) -> bool {
        self.screen
            .as_ref()
            .is_some_and(ScrollingScreen::is_alternate)
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
            secrets: KnownTexts::new(secrets),
            echoes: Vec::new(),
            earlier: Vec::new(),
            left_since: None,
            has_editor: false,
            is_drawing: false,
            is_keys: false,
            is_before: false,
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
        self.echoes = echoes_of(&exchange.input);
        let last = exchange.input.bytes.last();
        self.is_keys = last.is_some_and(|last| !matches!(last, b'\r' | b'\n'));
        self.tape.chunks.clear();
        self.now.chunks.clear();
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
        let is_mixed = may_be_cut || self.is_behind() || self.echoes.len() > 1;
        if self.tape.screen.is_none() || !is_mixed {
            return OutputLikeness::Differs;
        }
        self.likeness_without_echoes(may_be_cut)
    }

    /// Returns whether what follows on the tape may belong to an earlier exchange.
    pub fn is_behind(&self) -> bool {
        self.left_since.is_some() || !self.earlier.is_empty()
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
        if tape != now && self.likeness_without_echoes(true) != OutputLikeness::Same {
            self.left_since.get_or_insert(self.index);
        } else if tape != now || self.is_at_same_place() {
            self.settle();
        } else {
            // The program was still drawing, and the next exchange shows the rest.
            (self.left_since, self.is_drawing) = (None, false);
        }
        // Once a line was shown and the program asks for the next one, nothing of it comes later.
        let [shown, prompt] = [&now, &self.prompt()].map(|text| squeezed(text));
        let is_read = |echo: &String| shown.contains(echo) && !prompt.ends_with(echo);
        let is_over = tape == now && !prompt.is_empty() && self.echoes.iter().all(is_read);
        if !is_over && !self.is_keys && !self.now.is_alternate() {
            self.earlier.append(&mut self.echoes);
        }
    }

    /// Ends the exchange with an answer that differs; returns the exchange to which it belongs.
    pub fn reject(&mut self) -> usize {
        let since = self.left_since;
        self.settle();
        since.unwrap_or(self.index)
    }

    /// Returns what is compared: the texts of the tape and of the program.
    pub fn texts(&self) -> (String, String) {
        let of = |side: &ComparedSide| side.text(&self.secrets);
        (of(&self.tape), of(&self.now))
    }

    fn settle(&mut self) {
        (self.left_since, self.is_drawing) = (None, false);
        self.earlier.clear();
        self.tape.settle();
        self.now.settle();
    }

    fn draws(&self) -> bool {
        self.is_drawing || self.is_keys && self.has_editor
    }

    /// Compares what both sides show without the lines that were typed. A terminal echoes a line when it is typed, into
    /// whatever is printed then, and a line editor shows it when it reads it, at the latest then.
    fn likeness_without_echoes(&self, may_be_cut: bool) -> OutputLikeness {
        let [mut tape, mut now] = [&self.tape, &self.now].map(|side| side.squeezed(&self.secrets));
        let mut lines: Vec<&str> =
            (self.earlier.iter().chain(&self.echoes).map(String::as_str)).collect();
        // The longest first: it may contain others.
        lines.sort_by_key(|line| (Reverse(line.len()), *line));
        let mut has_all = true;
        for same in lines.chunk_by(|one, other| one == other) {
            let [on_tape, shown] = [&mut tape, &mut now].map(|text| remove(text, same[0]));
            // An editor shows a line that was typed early twice.
            let twice = if self.has_editor { same.len() } else { 0 };
            if on_tape > shown + twice {
                return OutputLikeness::Differs;
            }
            has_all &= shown <= on_tape + twice;
        }
        // The tape may end within an echo.
        let starts = lines
            .iter()
            .flat_map(|line| line.char_indices().map(|(at, _)| &line[..at]));
        let mut begun = starts.filter_map(|start| tape.strip_suffix(start));
        if tape == now && has_all {
            OutputLikeness::Same
        } else if may_be_cut && (now.starts_with(&tape) || begun.any(|tape| now.starts_with(tape)))
        {
            OutputLikeness::Start
        } else {
            OutputLikeness::Differs
        }
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

/// Removes a line wherever it is, also where its parts come together then; returns how often.
fn remove(text: &mut String, line: &str) -> usize {
    let mut removed = 0;
    let mut rest = String::with_capacity(text.len());
    for char in text.chars() {
        rest.push(char);
        if rest.ends_with(line) {
            rest.truncate(rest.len() - line.len());
            removed += 1;
        }
    }
    *text = rest;
    removed
}

#[cfg(test)]
#[path = "likeness_tests.rs"]
mod tests;
