//! Removes the secrets from a tape.

use super::marks::forget_keys;
use super::mask::{count_removed, mask_known};
use super::typed_lines::{hide, rechain, redact_typed_lines};
use crate::format::{Chunk, Exchange, Meta, Stream, Tape, WORK_TREE_PATCH};
use ccd_text::redact::{
    KnownTexts, MaskedValue, Source, Values, redact, redact_chunks, redact_values,
};
use serde_json::{Map, Value};

/// Secrets that were removed from one part of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// `meta.args[1]`, `exchanges[3].output`.
    pub place: String,
    pub count: usize,
}

/// What was removed from the invocation.
#[derive(Debug, Default)]
pub struct RemovedSecrets {
    pub count: u64,
    /// Secrets in its arguments and its environment.
    pub texts: Vec<String>,
}

/// Replaces every secret on a tape by a mask; returns where they were, in the order of the file.
/// Output is searched across chunks and exchanges, and input up to each Enter, because people type key by key. Secrets
/// known from the invocation or from an input are masked wherever they were printed. The number of removed secrets is
/// added to `annotations.redacted` of each exchange, those of `meta` to the first. A second run finds nothing.
pub fn redact_tape(tape: &mut Tape) -> Vec<Removal> {
    let mut removals = Vec::new();
    let mut known = Vec::new();
    redact_parts(&mut tape.meta, &mut removals, &mut known);
    let session = redact_members(&mut tape.session.other);
    note(&mut removals, "session".to_owned(), session);
    let mut before: usize = removals.iter().map(|removal| removal.count).sum();
    let is_hidden = |exchange: &Exchange| exchange.pre.hidden;
    let were_hidden: Vec<bool> = tape.exchanges.iter().map(is_hidden).collect();
    let (lines, shown) = redact_typed_lines(&mut tape.exchanges);
    let inputs = redact_inputs(&mut tape.exchanges, &mut known);
    let mut hidden = tape.exchanges.iter().zip(were_hidden);
    if let Some(first) = hidden.position(|(exchange, before)| exchange.pre.hidden && !before) {
        rechain(&mut tape.exchanges, first);
    }
    let known = known.iter();
    let known = known.flat_map(|text| KnownTexts::distinctive_lines(text));
    let known = [KnownTexts::new(shown), KnownTexts::new(known)];
    let outputs = redact_shown(&mut tape.exchanges, tape.meta.pty.is_some(), &known);
    for (index, exchange) in tape.exchanges.iter_mut().enumerate() {
        if exchange.pre.hidden || inputs[index] + lines[index] > 0 {
            forget_keys(exchange);
        }
        let parts = [
            ("pre.prompt", redact_text(&mut exchange.pre.prompt)),
            ("input", inputs[index] + lines[index]),
            ("output", outputs[index]),
            ("annotations", redact_members(&mut exchange.annotations)),
        ];
        let mut count = std::mem::take(&mut before);
        for (part, removed) in parts {
            count += removed;
            note(&mut removals, format!("exchanges[{index}].{part}"), removed);
        }
        count_removed(exchange, count);
    }
    if !removals.is_empty() {
        tape.meta.redact = true;
    }
    removals
}

/// Replaces every secret in the invocation of a program.
pub fn redact_meta(meta: &mut Meta) -> RemovedSecrets {
    let (mut removals, mut texts) = (Vec::new(), Vec::new());
    redact_parts(meta, &mut removals, &mut texts);
    let count = removals.iter().map(|removal| removal.count as u64).sum();
    RemovedSecrets { count, texts }
}

fn redact_parts(meta: &mut Meta, removals: &mut Vec<Removal>, known: &mut Vec<String>) {
    let mut take = |container: &str, masked: Vec<MaskedValue>| {
        for value in masked {
            known.extend(value.texts);
            note(removals, format!("{container}{}", value.place), value.count);
        }
    };
    let args = Values::Args {
        program: &meta.program,
        args: &mut meta.args,
    };
    take("meta.args", redact_values(args));
    take("meta.env.", redact_values(Values::Env(&mut meta.env)));
    note(removals, "meta.cwd".to_owned(), redact_text(&mut meta.cwd));
    if let Some(tag) = &mut meta.tag {
        note(removals, "meta.tag".to_owned(), redact_text(tag));
    }
    note(removals, "meta".to_owned(), redact_members(&mut meta.other));
}

fn note(removals: &mut Vec<Removal>, place: String, count: usize) {
    if count > 0 {
        removals.push(Removal { place, count });
    }
}

fn redact_text(text: &mut String) -> usize {
    let redacted = redact(text);
    let removed = redacted.removed;
    if removed > 0 {
        *text = redacted.text.into_owned();
    }
    removed
}

fn redact_members(members: &mut Map<String, Value>) -> usize {
    let patch = members.get_mut(WORK_TREE_PATCH).map(Value::take);
    let masked = redact_values(Values::Members(members));
    if let Some(patch) = patch {
        members.insert(WORK_TREE_PATCH.to_owned(), patch);
    }
    masked.iter().map(|value| value.count).sum()
}

/// Redacts the inputs. Returns how many secrets were in each exchange's, and adds them to the known ones.
fn redact_inputs(exchanges: &mut [Exchange], known: &mut Vec<String>) -> Vec<usize> {
    // Exchange 0 and hidden input cannot continue in the next exchange. For an editor, Esc ends a text.
    let ends = |exchange: &Exchange| {
        let last = exchange.input.bytes.last();
        exchange.pre.hidden || matches!(last, None | Some(b'\r' | b'\n' | 0x1b))
    };
    let mut counts = Vec::with_capacity(exchanges.len());
    for line in exchanges.chunk_by_mut(|before, _| !ends(before)) {
        let inputs = line
            .iter_mut()
            .map(|exchange| std::mem::take(&mut exchange.input.bytes));
        let typed: Vec<Vec<u8>> = inputs.collect();
        let redacted = redact_chunks(typed.clone(), Source::Typed);
        known.extend(redacted.texts);
        for ((exchange, typed), clean) in line.iter_mut().zip(typed).zip(redacted.chunks) {
            // By itself, as it will be typed again, it does not look like a secret.
            let alone = || redact_chunks([&typed[..]], Source::Typed).concat();
            let is_part = clean != typed && alone() != clean;
            exchange.input.bytes = if is_part { typed } else { clean };
            if is_part {
                hide(exchange);
            }
        }
        counts.extend(redacted.removed);
    }
    counts
}

/// Redacts the output, by the rules and for known secrets; returns how many there were in each exchange.
/// Lines that were typed one by one come first: there are prompts between them, which a rule would take for a part of
/// the secret. Other known texts come last: a mask inside a secret may hide the rest of it from a rule.
fn redact_shown(
    exchanges: &mut [Exchange],
    has_terminal: bool,
    [lines, known]: &[KnownTexts; 2],
) -> Vec<usize> {
    let mut counts = mask_each(exchanges, lines);
    let mut add = |more: Vec<usize>| {
        for (count, more) in counts.iter_mut().zip(&more) {
            *count += more;
        }
        more.iter().any(|more| *more > 0)
    };
    add(redact_outputs(exchanges, has_terminal));
    if add(mask_each(exchanges, known)) {
        add(redact_outputs(exchanges, has_terminal));
    }
    counts
}

/// Masks known texts; returns how many there were in each exchange.
fn mask_each(exchanges: &mut [Exchange], texts: &KnownTexts) -> Vec<usize> {
    let counts = exchanges.iter_mut().map(|exchange| {
        let count = mask_known(exchange, texts);
        if count > 0 {
            drop_empty(&mut exchange.chunks);
        }
        count
    });
    counts.collect()
}

/// Returns how many secrets the output of each exchange lost.
fn redact_outputs(exchanges: &mut [Exchange], has_terminal: bool) -> Vec<usize> {
    let mut counts = vec![0; exchanges.len()];
    // On a terminal the streams are one; otherwise nobody reads them as one text.
    let streams: &[&[Stream]] = if has_terminal {
        &[&[Stream::Stdout, Stream::Stderr]]
    } else {
        &[&[Stream::Stdout], &[Stream::Stderr]]
    };
    for streams in streams {
        let mut places: Vec<(usize, &mut Chunk)> = Vec::new();
        for (index, exchange) in exchanges.iter_mut().enumerate() {
            let chunks = exchange.chunks.iter_mut();
            let chunks = chunks.filter(|chunk| streams.contains(&chunk.stream));
            places.extend(chunks.map(|chunk| (index, chunk)));
        }
        let data = places
            .iter_mut()
            .map(|(_, chunk)| std::mem::take(&mut chunk.data));
        let redacted = redact_chunks(data, Source::Output);
        let clean = redacted.chunks.into_iter().zip(redacted.removed);
        for ((index, chunk), (data, removed)) in places.into_iter().zip(clean) {
            chunk.data = data;
            counts[index] += removed;
        }
    }
    for (exchange, count) in exchanges.iter_mut().zip(&counts) {
        if *count > 0 {
            drop_empty(&mut exchange.chunks);
        }
    }
    counts
}

/// Removes chunks that are empty now, such as the echo of single keys; their delay is added to the next one.
fn drop_empty(chunks: &mut Vec<Chunk>) {
    let mut waited_ms = 0_u64;
    chunks.retain_mut(|chunk| {
        if chunk.data.is_empty() {
            waited_ms = waited_ms.saturating_add(chunk.delay_ms);
            return false;
        }
        let waited_ms = std::mem::take(&mut waited_ms);
        chunk.delay_ms = chunk.delay_ms.saturating_add(waited_ms);
        true
    });
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
