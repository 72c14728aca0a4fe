//! Decorators, which change a tape before it is written. They are pure, except that filters are run by the caller.

use super::format::{self, Chunk, Exchange, InputKind, Stream, Tape};
use super::key::in_one_line;
use super::telemetry::telemetry;
use ccd_protocol::tape::{Decorator, DecoratorTarget};
use ccd_text::redact::MASK;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};
use std::ops::Range;

pub const MAX_DECORATORS: usize = 32;

/// Maximum length of an expression or a replacement, in bytes.
const MAX_TEXT_BYTES: usize = 4096;

const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Maximum number of words in a filter's command line.
const MAX_WORDS: usize = 256;

/// Maximum input and output of a filter, in bytes.
pub const MAX_FILTERED_BYTES: usize = 16 << 20;

/// The annotation of an exchange that lists the decorators used.
const NOTE: &str = "decorators";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecoratorError {
    #[error("decorators has {found} entries: at most {MAX_DECORATORS} are allowed")]
    TooMany { found: usize },
    #[error("decorators[{index}] must have either `replace` and `with`, or `filter`")]
    Form { index: usize },
    #[error("decorators[{index}].replace is not a regular expression: {reason}")]
    Regex { index: usize, reason: String },
    #[error("decorators[{index}] is longer than {MAX_TEXT_BYTES} bytes or {MAX_WORDS} words")]
    TooLong { index: usize },
    #[error("decorators[{index}].filter must name a program")]
    NoProgram { index: usize },
}

impl DecoratorError {
    /// Returns the error without the position of the decorator.
    pub fn reason(&self) -> String {
        match self {
            Self::TooMany { .. } => self.to_string(),
            Self::Form { .. } => "give either replace and with, or filter".to_owned(),
            Self::Regex { reason, .. } => format!("replace is not a regular expression: {reason}"),
            Self::TooLong { .. } => {
                format!("it is longer than {MAX_TEXT_BYTES} bytes or {MAX_WORDS} words")
            }
            Self::NoProgram { .. } => "filter must name a program".to_owned(),
        }
    }
}

/// Why a decorator could not be applied; nothing was changed then.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecorateError {
    #[error("the filter {program} of decorators[{index}] failed: {reason}")]
    Filter {
        index: usize,
        program: String,
        reason: String,
    },
    #[error("decorators[{index}]: its input or output exceeds {MAX_FILTERED_BYTES} bytes")]
    TooLarge { index: usize },
    #[error("decorators[{index}] did not return a tape: {reason}")]
    NoTape { index: usize, reason: String },
}

/// Runs a filter with these words on its standard input. Returns its standard output, or why there is none: it could
/// not be started, took too long, or exited with a status other than 0.
pub type RunFilter<'a> = dyn FnMut(&[String], &[u8]) -> Result<Vec<u8>, String> + Send + 'a;

#[derive(Debug, Clone, Default)]
pub struct Decorators {
    all: Vec<CompiledDecorator>,
    /// Each use is logged, whatever the log level.
    is_logged: bool,
}

#[derive(Debug, Clone)]
struct CompiledDecorator {
    on: DecoratorTarget,
    change: DecoratorChange,
}

#[derive(Debug, Clone)]
enum DecoratorChange {
    Replace { pattern: Regex, with: String },
    Filter(Vec<String>),
}

struct Changed {
    /// Ranges and their new bytes, in order.
    pieces: Vec<(Range<usize>, Vec<u8>)>,
    /// It is one piece, by a filter, which does not say what it changed.
    is_whole: bool,
}

impl Decorators {
    pub fn new(decorators: &[Decorator]) -> Result<Self, DecoratorError> {
        if decorators.len() > MAX_DECORATORS {
            let found = decorators.len();
            return Err(DecoratorError::TooMany { found });
        }
        let all = decorators.iter().enumerate();
        let all = all.map(|(index, decorator)| CompiledDecorator::new(index, decorator));
        Ok(Self {
            all: all.collect::<Result<_, _>>()?,
            is_logged: false,
        })
    }

    /// Returns the same decorators; each use is logged whatever the log level if `is_logged`.
    #[must_use]
    pub fn logged(self, is_logged: bool) -> Self {
        Self { is_logged, ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// True when applying them runs programs.
    pub(crate) fn run_programs(&self) -> bool {
        let is_filter =
            |decorator: &CompiledDecorator| matches!(decorator.change, DecoratorChange::Filter(_));
        self.all.iter().any(is_filter)
    }

    /// Applies all decorators in order, and notes each use in the annotations. On an error, `tape` is unchanged.
    pub fn apply(&self, tape: &mut Tape, run: &mut RunFilter<'_>) -> Result<(), DecorateError> {
        let mut decorated = tape.clone();
        for (index, decorator) in self.all.iter().enumerate() {
            let mut user = DecoratorUse {
                index,
                decorator,
                is_logged: self.is_logged,
                run: &mut *run,
            };
            match decorator.on {
                DecoratorTarget::Input => user.change_inputs(&mut decorated)?,
                DecoratorTarget::Output => user.change_outputs(&mut decorated)?,
                DecoratorTarget::Tape => user.change_tape(&mut decorated)?,
            }
        }
        *tape = decorated;
        Ok(())
    }
}

impl CompiledDecorator {
    fn new(index: usize, decorator: &Decorator) -> Result<Self, DecoratorError> {
        let change = match (&decorator.replace, &decorator.with, &decorator.filter) {
            (Some(pattern), Some(with), None) => {
                if pattern.len().max(with.len()) > MAX_TEXT_BYTES {
                    return Err(DecoratorError::TooLong { index });
                }
                DecoratorChange::Replace {
                    pattern: compile(index, pattern)?,
                    with: with.clone(),
                }
            }
            (None, None, Some(words)) => {
                if words.first().is_none_or(String::is_empty) {
                    return Err(DecoratorError::NoProgram { index });
                }
                let bytes: usize = words.iter().map(String::len).sum();
                if words.len() > MAX_WORDS || bytes > MAX_TEXT_BYTES {
                    return Err(DecoratorError::TooLong { index });
                }
                DecoratorChange::Filter(words.clone())
            }
            _ => return Err(DecoratorError::Form { index }),
        };
        let on = decorator.on;
        Ok(Self { on, change })
    }

    /// Returns the decorator as it is written to the annotations.
    fn note(&self) -> Value {
        match &self.change {
            DecoratorChange::Replace { pattern, with } => {
                // A text that the decorator hides must not be repeated here.
                let is_text = regex::escape(pattern.as_str()) == pattern.as_str();
                let hides = is_text && with.contains(MASK);
                let pattern = if hides { MASK } else { pattern.as_str() };
                json!({"on": self.on, "replace": pattern, "with": with})
            }
            DecoratorChange::Filter(words) => json!({"on": self.on, "filter": words}),
        }
    }
}

fn compile(index: usize, pattern: &str) -> Result<Regex, DecoratorError> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| {
            let reason = in_one_line(&error);
            DecoratorError::Regex { index, reason }
        })
}

struct DecoratorUse<'a, 'b> {
    index: usize,
    decorator: &'a CompiledDecorator,
    is_logged: bool,
    run: &'a mut RunFilter<'b>,
}

impl DecoratorUse<'_, '_> {
    fn change_inputs(&mut self, tape: &mut Tape) -> Result<(), DecorateError> {
        for (number, exchange) in tape.exchanges.iter_mut().enumerate() {
            let input = &mut exchange.input;
            // Hidden input is not stored, so it cannot be changed. A line keeps its Enter.
            if exchange.pre.hidden || input.bytes.is_empty() {
                continue;
            }
            let typed = input.bytes.strip_suffix(b"\r");
            let enter = typed.is_some() && input.kind == InputKind::Line;
            let typed = typed.filter(|_| enter).unwrap_or(&input.bytes);
            let Some(changed) = self.change(typed)? else {
                continue;
            };
            let len = typed.len();
            let mut bytes = changed.over(typed);
            self.log(number, len, bytes.len());
            if enter {
                bytes.push(b'\r');
            }
            input.bytes = bytes;
            self.note(exchange);
        }
        Ok(())
    }

    fn change_outputs(&mut self, tape: &mut Tape) -> Result<(), DecorateError> {
        for (number, exchange) in tape.exchanges.iter_mut().enumerate() {
            let mut is_changed = false;
            for stream in [Stream::Stdout, Stream::Stderr] {
                let of_stream = |chunk: &&Chunk| chunk.stream == stream;
                let parts = exchange.chunks.iter().filter(of_stream);
                let data: Vec<u8> = parts.flat_map(|chunk| chunk.data.clone()).collect();
                if data.is_empty() {
                    continue;
                }
                if let Some(changed) = self.change(&data)? {
                    self.log(number, data.len(), changed.len(data.len()));
                    put_back(&mut exchange.chunks, stream, changed, data.len());
                    is_changed = true;
                }
            }
            if is_changed {
                self.note(exchange);
            }
        }
        Ok(())
    }

    fn change_tape(&mut self, tape: &mut Tape) -> Result<(), DecorateError> {
        let text = format::write_json(tape);
        let Some(changed) = self.change(text.as_bytes())? else {
            return Ok(());
        };
        let changed = changed.over(text.as_bytes());
        self.log(0, text.len(), changed.len());
        *tape = format::read(&changed).map_err(|error| DecorateError::NoTape {
            index: self.index,
            reason: error.to_string(),
        })?;
        if let Some(first) = tape.exchanges.first_mut() {
            self.note(first);
        }
        Ok(())
    }

    /// Returns the changed `data`; `None` if it is unchanged.
    fn change(&mut self, data: &[u8]) -> Result<Option<Changed>, DecorateError> {
        let index = self.index;
        match &self.decorator.change {
            DecoratorChange::Replace { pattern, with } => {
                let mut left = MAX_FILTERED_BYTES;
                let mut pieces = Vec::new();
                for captures in pattern.captures_iter(data) {
                    let mut piece = Vec::new();
                    captures.expand(with.as_bytes(), &mut piece);
                    left = left
                        .checked_sub(piece.len())
                        .ok_or(DecorateError::TooLarge { index })?;
                    let place = captures.get(0).map_or(0..0, |whole| whole.range());
                    if piece != data[place.clone()] {
                        pieces.push((place, piece));
                    }
                }
                Ok((!pieces.is_empty()).then_some(Changed {
                    pieces,
                    is_whole: false,
                }))
            }
            DecoratorChange::Filter(words) => {
                if data.len() > MAX_FILTERED_BYTES {
                    return Err(DecorateError::TooLarge { index });
                }
                let filtered = (self.run)(words, data).map_err(|reason| DecorateError::Filter {
                    index,
                    program: words.first().cloned().unwrap_or_default(),
                    reason,
                })?;
                if filtered.len() > MAX_FILTERED_BYTES {
                    return Err(DecorateError::TooLarge { index });
                }
                Ok((filtered != data).then(|| Changed {
                    pieces: vec![(0..data.len(), filtered)],
                    is_whole: true,
                }))
            }
        }
    }

    /// Logs a use: what was changed, and its length before and after.
    fn log(&self, exchange: usize, before_bytes: usize, after_bytes: usize) {
        let (decorator, on) = (self.index, self.decorator.on);
        let filters = matches!(self.decorator.change, DecoratorChange::Filter(_));
        telemetry!(
            self.is_logged,
            decorator,
            ?on,
            filters,
            exchange,
            before_bytes,
            after_bytes,
            "a decorator has changed the recording"
        );
    }

    fn note(&self, exchange: &mut Exchange) {
        let noted = exchange.annotations.entry(NOTE).or_insert(json!([]));
        if !noted.is_array() {
            *noted = json!([noted.take()]);
        }
        if let Some(noted) = noted.as_array_mut() {
            noted.push(self.decorator.note());
        }
    }
}

impl Changed {
    /// Returns the length of the result; `before` is that of the original.
    fn len(&self, before: usize) -> usize {
        let pieces = self.pieces.iter();
        pieces.fold(before, |len, (place, piece)| {
            len - place.len() + piece.len()
        })
    }

    fn over(self, data: &[u8]) -> Vec<u8> {
        let mut changed = Vec::new();
        let mut copied = 0;
        for (place, piece) in self.pieces {
            changed.extend_from_slice(&data[copied..place.start]);
            changed.extend_from_slice(&piece);
            copied = place.end;
        }
        changed.extend_from_slice(&data[copied..]);
        changed
    }
}

/// Distributes changed output over the chunks in which it arrived: a replacement goes to the chunk in which its match
/// started. If the output was changed as a whole and has another length, it becomes one chunk in place of the first.
fn put_back(chunks: &mut Vec<Chunk>, stream: Stream, changed: Changed, len: usize) {
    let of_stream = chunks.iter_mut().filter(|chunk| chunk.stream == stream);
    if changed.is_whole && changed.len(len) == len {
        let mut bytes = changed.pieces.into_iter().flat_map(|(_, piece)| piece);
        for chunk in of_stream {
            chunk.data = bytes.by_ref().take(chunk.data.len()).collect();
        }
        return;
    }
    let mut pieces = changed.pieces.into_iter().peekable();
    let (mut start, mut copied) = (0, 0);
    let mut of_stream = of_stream.peekable();
    while let Some(chunk) = of_stream.next() {
        let end = start + chunk.data.len();
        let is_last = of_stream.peek().is_none();
        let mut data = Vec::new();
        while let Some((place, piece)) = pieces.next_if(|(place, _)| place.start < end || is_last) {
            data.extend_from_slice(&chunk.data[copied.max(start) - start..place.start - start]);
            data.extend_from_slice(&piece);
            copied = place.end;
        }
        let rest = copied.clamp(start, end);
        data.extend_from_slice(&chunk.data[rest - start..]);
        chunk.data = data;
        start = end;
    }
    if changed.is_whole {
        chunks.retain(|chunk| chunk.stream != stream || !chunk.data.is_empty());
    }
}

#[cfg(test)]
#[path = "decorate_tests.rs"]
mod tests;
