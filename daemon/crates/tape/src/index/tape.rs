//! The part of a tape that the index keeps.

use crate::format::{Meta, Outline, Outlined};
use crate::key::{Fingerprint, Invocation, StateHash, ends_line, program_name};
use ccd_text::canonical::END_OF_INPUT;
use ccd_text::redact::{MASK, Source, Values, redact, redact_chunks, redact_values};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;

/// Path of a tape under its root, without `.json5`.
pub type TapeId = Arc<str>;

/// Identifies the version of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    pub modified_ns: i64,
    /// Changes if a file is replaced by renaming within one tick of the file system's clock.
    inode: u64,
}

impl From<&Metadata> for Stamp {
    fn from(meta: &Metadata) -> Self {
        let seconds = meta.mtime().saturating_mul(1_000_000_000);
        Self {
            bytes: meta.len(),
            modified_ns: seconds.saturating_add(meta.mtime_nsec()),
            inode: meta.ino(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexedTape {
    pub id: TapeId,
    pub stamp: Stamp,
    /// Without the keys that this version does not know.
    #[serde(with = "super::cache::as_json")]
    pub meta: Meta,
    pub invocation: Arc<Invocation>,
    pub exit: Option<ccd_protocol::tape::TapeExit>,
    /// When it was recorded; the latest possible time if it does not say.
    pub(super) created_ns: i64,
    pub(super) prompts: Vec<TapePrompt>,
    /// All inputs, concatenated.
    pub(super) inputs: Vec<u8>,
    pub(super) rows: Vec<ExchangeRow>,
    /// The hash chain of inputs after the last exchange.
    pub(super) end_state: Fingerprint,
    /// Its file contains secrets, which no cache may repeat.
    #[serde(skip)]
    pub(super) has_secrets: bool,
}

/// A prompt of a tape; most tapes have one or two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TapePrompt {
    pub(super) text: String,
    pub(super) signature: Fingerprint,
}

/// An exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExchangeRow {
    pub(super) state: Fingerprint,
    pub(super) input: Fingerprint,
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) line: u32,
    pub(super) prompt: u32,
    pub(super) input_start: u32,
    pub(super) input_len: u32,
    /// Typed while the terminal did not echo.
    pub(super) hidden: bool,
    /// The program read keys, not lines.
    pub(super) keys: bool,
    /// The recording ended before the input was complete.
    pub(super) unfinished: bool,
}

impl IndexedTape {
    /// Makes the keys from an outline.
    pub(super) fn new(id: TapeId, stamp: Stamp, outline: Outline) -> Self {
        let mut meta = outline.meta;
        meta.other.clear();
        let exchanges = outline.exchanges;
        let mut inputs = Vec::with_capacity(exchanges.iter().map(|e| e.input.bytes.len()).sum());
        let mut prompts = Prompts::default();
        let (before, end_state) = states(&exchanges);
        let mut rows = Vec::with_capacity(exchanges.len());
        for (exchange, state) in exchanges.iter().zip(&before) {
            let input = &exchange.input.bytes;
            rows.push(ExchangeRow {
                state: *state,
                input: input_fingerprint(exchange),
                // Files are far smaller than 4 GiB.
                start: narrow(exchange.span.start as u64),
                len: narrow(exchange.span.len() as u64),
                line: narrow(exchange.line),
                prompt: prompts.number(&exchange.pre.prompt),
                input_start: narrow(inputs.len() as u64),
                input_len: narrow(input.len() as u64),
                hidden: exchange.pre.hidden,
                keys: exchange.pre.keys,
                unfinished: exchange.input.unfinished,
            });
            inputs.extend_from_slice(input);
        }
        let has_secrets = has_secrets(&meta, &exchanges, &inputs, &prompts.list);
        Self {
            invocation: Arc::new(Invocation::new(&meta)),
            exit: exchanges.last().and_then(|last| last.exit),
            created_ns: created_ns(&meta),
            prompts: prompts.list,
            end_state,
            has_secrets,
            id,
            stamp,
            meta,
            inputs,
            rows,
        }
    }

    pub fn exchanges(&self) -> u32 {
        narrow(self.rows.len() as u64)
    }

    /// Returns the hash chain of inputs before its first exchange; `None` if that is the start of the program.
    pub fn begin(&self) -> Option<Fingerprint> {
        let first = self.rows.first()?;
        let has_input = first.input_len > 0 && !self.is_run(first);
        let is_start = !has_input && first.state == StateHash::start().fingerprint();
        (!is_start).then_some(first.state)
    }

    /// Returns whether the program got all of its input at once, and exited: see [`crate::run`]. In a recording through pipes,
    /// the end of the input is a part of it.
    fn is_run(&self, first: &ExchangeRow) -> bool {
        self.rows.len() == 1
            && self.meta.has_terminal() == Some(false)
            && self.exit.is_some()
            && self.input(first).last() != Some(&END_OF_INPUT)
    }

    /// Returns the line of its first exchange.
    pub fn first_line(&self) -> u64 {
        self.rows.first().map_or(1, |row| u64::from(row.line))
    }

    pub(super) fn input(&self, row: &ExchangeRow) -> &[u8] {
        let start = row.input_start as usize;
        let input = self.inputs.get(start..start + row.input_len as usize);
        input.unwrap_or_default()
    }

    pub(super) fn prompt(&self, row: &ExchangeRow) -> &TapePrompt {
        // A row's prompt is one of its tape's.
        &self.prompts[row.prompt as usize]
    }

    /// Returns the hash chain of inputs after an exchange.
    pub(super) fn state_after(&self, exchange: u32) -> Fingerprint {
        let next = self.rows.get(exchange as usize + 1);
        next.map_or(self.end_state, |next| next.state)
    }

    /// Returns the order of tapes with the same exchange: the oldest comes first.
    pub(super) fn age(&self) -> (i64, &str) {
        (self.created_ns, &self.id)
    }
}

/// Returns when a tape was recorded, in nanoseconds since 1970; without a time, the latest one.
fn created_ns(meta: &Meta) -> i64 {
    let ns = meta.recorded_at().map(|time| time.unix_timestamp_nanos());
    ns.and_then(|ns| i64::try_from(ns).ok()).unwrap_or(i64::MAX)
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn input_fingerprint(exchange: &Outlined) -> Fingerprint {
    if exchange.pre.hidden {
        return Fingerprint::hidden_input();
    }
    Fingerprint::from_input(&exchange.input.bytes)
}

/// Returns whether the parts that the index keeps contain secrets: the tape was written by hand, by an older version, or
/// without redaction.
fn has_secrets(meta: &Meta, exchanges: &[Outlined], inputs: &[u8], prompts: &[TapePrompt]) -> bool {
    let is_secret = |typed: &[u8]| redact_chunks([typed], Source::Typed).count() > 0;
    let is_hidden = |exchange: &Outlined| {
        exchange.pre.hidden && exchange.input.bytes.trim_ascii() != MASK.as_bytes()
    };
    let (mut args, mut env) = (meta.args.clone(), meta.env.clone());
    let program = program_name(&meta.program);
    let args = &mut args;
    let in_meta = !redact_values(Values::Args { program, args }).is_empty()
        || !redact_values(Values::Env(&mut env)).is_empty();
    // In one piece for inputs of single keys, and one by one for those that are a secret as a whole.
    let is_known = |exchange: &Outlined| is_hidden(exchange) || is_secret(&exchange.input.bytes);
    let has_secret = |prompt: &TapePrompt| redact(&prompt.text).removed > 0;
    in_meta || is_secret(inputs) || exchanges.iter().any(is_known) || prompts.iter().any(has_secret)
}

/// The distinct prompts of a tape.
#[derive(Default)]
struct Prompts {
    list: Vec<TapePrompt>,
    numbers: HashMap<String, u32>,
}

impl Prompts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = narrow(self.list.len() as u64);
        self.list.push(TapePrompt {
            text: text.to_owned(),
            signature: Fingerprint::from_prompt(text),
        });
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// Returns the hash chain of inputs before each exchange, and after the last: as on the tape, and where it has none, as
/// it follows from the inputs.
fn states(exchanges: &[Outlined]) -> (Vec<Fingerprint>, Fingerprint) {
    let mut before = Vec::with_capacity(exchanges.len());
    let says_all = exchanges
        .iter()
        .all(|exchange| exchange.pre.state_hash.is_some());
    let mut chain = StateHash::start();
    for exchange in exchanges {
        match &exchange.pre.state_hash {
            Some(state) => before.push(Fingerprint::parse(state)),
            None => before.push(chain.fingerprint()),
        }
        if !says_all {
            // A state on the tape takes precedence; in the middle of a line, both are the same.
            if let Some(said) = before.last()
                && *said != chain.fingerprint()
            {
                chain = StateHash::after_line(*said);
            }
            chain.follow(exchange.pre.hidden, &exchange.input.bytes);
        }
    }
    if says_all && !exchanges.is_empty() {
        let from = begin_of_last_line(exchanges);
        chain = StateHash::after_line(before[from]);
        for exchange in &exchanges[from..] {
            chain.follow(exchange.pre.hidden, &exchange.input.bytes);
        }
    }
    (before, chain.fingerprint())
}

/// Returns the exchange with which the line of the last one starts: only there can the chain be continued.
fn begin_of_last_line(exchanges: &[Outlined]) -> usize {
    let is_end = |exchange: &Outlined| exchange.pre.hidden || ends_line(&exchange.input.bytes);
    let before_last = &exchanges[..exchanges.len() - 1];
    before_last
        .iter()
        .rposition(is_end)
        .map_or(0, |end| end + 1)
}
