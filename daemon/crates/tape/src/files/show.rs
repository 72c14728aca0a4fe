//! `tape.get`.

use super::error::FilesError;
use super::folder::{LoadedTape, TapeFile, TapeFolder};
use super::list::begin;
use crate::format::{Exchange, Meta, Tape, meta_json, outline, session_json};
use crate::index::{beginning, ending, shown_input};
use crate::key::{ContextRules, Fingerprint, Invocation, StateHash, prompt_signature};
use crate::tools::{input_in_one_line, size};
use ccd_protocol::tape::{ExchangeRecord, TapeRecord};
use ccd_screen::shown_start;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum output of one exchange.
const MAX_OUTPUT_BYTES: usize = 64 << 10;

/// Maximum output of all exchanges of a tape, because replies are limited.
const MAX_OUTPUTS_BYTES: usize = 16 << 20;

/// Returns a tape for display; with `keys`, including the parts of each exchange's key.
pub fn show(
    folder: &TapeFolder,
    which: TapeFile,
    rules: &ContextRules,
    keys: bool,
) -> Result<TapeRecord, FilesError> {
    let LoadedTape { which, text, tape } = which.load()?;
    let outline = outline(&text).map_err(|error| which.wrong(error))?;
    let meta = &tape.meta;
    let invocation = Invocation::new(meta);
    let context = keys.then(|| rules.context_of(&invocation).components());
    let mut room = MAX_OUTPUTS_BYTES;
    let mut exchanges = Vec::with_capacity(tape.exchanges.len());
    for (index, (exchange, outlined)) in tape.exchanges.iter().zip(&outline.exchanges).enumerate() {
        let output = shown_output(&tape, exchange, &mut room);
        exchanges.push(ExchangeRecord {
            index: index as u64,
            prompt: exchange.pre.prompt.clone(),
            state_hash: exchange.pre.state_hash.clone(),
            input: input_in_one_line(&exchange.input),
            unfinished: exchange.input.unfinished,
            output,
            output_bytes: exchange.output_len(),
            chunks: exchange.chunks.len() as u64,
            exit: exchange.exit,
            dur_ms: exchange.dur_ms,
            annotations: Value::Object(exchange.annotations.clone()),
            line: outlined.line,
            key: context.as_ref().map(|context| key(context, exchange)),
        });
    }
    Ok(TapeRecord {
        tape_id: which.id,
        path: which.path.display().to_string(),
        meta: meta_of(&tape.meta),
        session: Value::Object(session_json(&tape.session)),
        begin: begin(folder, first_state(&tape), &invocation, rules),
        exchanges,
    })
}

/// Returns the state of the first exchange; `None` if that is the start of the program.
fn first_state(tape: &Tape) -> Option<Fingerprint> {
    let first = tape.exchanges.first()?;
    let start = StateHash::start().fingerprint();
    let said = first.pre.state_hash.as_deref();
    let state = said.map_or(start, Fingerprint::parse);
    (state != start || !first.input.bytes.is_empty()).then_some(state)
}

fn key(context: &BTreeMap<String, String>, exchange: &Exchange) -> BTreeMap<String, String> {
    let mut key = context.clone();
    let input = if exchange.pre.hidden {
        "any hidden input".to_owned()
    } else {
        beginning(&shown_input(&exchange.input.bytes))
    };
    let prompt = prompt_signature(&exchange.pre.prompt);
    key.insert("prompt".into(), ending(&prompt));
    key.insert("input".into(), input);
    if let Some(state) = &exchange.pre.state_hash {
        key.insert("state".into(), state.clone());
    }
    key
}

fn shown_output(tape: &Tape, exchange: &Exchange, room: &mut usize) -> String {
    let most = MAX_OUTPUT_BYTES.min(*room);
    let chunks = exchange.chunks.iter().map(|chunk| &*chunk.data);
    let text = shown_start(chunks, tape.meta.pty.map(|_| size(tape).1), most);
    *room = room.saturating_sub(text.len());
    text
}

/// Returns `meta` as in the file, except `plain`, which only a replay needs.
fn meta_of(meta: &Meta) -> Value {
    let mut members = meta_json(meta);
    members.remove("plain");
    Value::Object(members)
}
