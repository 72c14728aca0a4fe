//! Takes the secrets out of a tape.

use super::mask::COUNT;
use super::typed_key::redact_typed_keys;
use crate::redact::{
    MASK, Source, redact, redact_args, redact_each, redact_members, redact_variable,
};
use crate::tape::format::{Chunk, Exchange, Meta, Stream, Tape};

/// Secrets that were removed from one part of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Removal {
    /// `meta.args[1]`, `exchanges[3].output`.
    pub(crate) place: String,
    pub(crate) count: usize,
}

/// Replaces every secret in a tape by [`MASK`]; returns where there were some, in the order of the file.
///
/// Output is looked at over the borders of chunks and exchanges, and so is what was typed up to its Enter: a person
/// types key by key. How many went is added to `annotations.redacted` of each exchange, with those of `meta` in the
/// first. A second time finds nothing.
pub(crate) fn redact_tape(tape: &mut Tape) -> Vec<Removal> {
    let mut removals = Vec::new();
    redact_parts(&mut tape.meta, &mut removals);
    note(
        &mut removals,
        "session".to_owned(),
        redact_members(&mut tape.session.other),
    );
    let before = removals.iter().map(|removal| removal.count).sum();
    let mut counts = vec![0; tape.exchanges.len()];
    if let Some(first) = counts.first_mut() {
        *first = before;
    }
    let keys = redact_typed_keys(&mut tape.exchanges);
    let inputs = redact_inputs(&mut tape.exchanges);
    let outputs = redact_outputs(&mut tape.exchanges, tape.meta.pty.is_some());
    for (index, exchange) in tape.exchanges.iter_mut().enumerate() {
        let count = exchange.annotations.remove(COUNT);
        let parts = [
            ("pre.prompt", redact_text(&mut exchange.pre.prompt)),
            ("input", inputs[index] + keys[index].0),
            ("output", outputs[index] + keys[index].1),
            ("annotations", redact_members(&mut exchange.annotations)),
        ];
        for (part, removed) in parts {
            counts[index] += removed;
            note(&mut removals, format!("exchanges[{index}].{part}"), removed);
        }
        let earlier = count.as_ref().and_then(serde_json::Value::as_u64);
        if counts[index] > 0 {
            let sum = earlier.unwrap_or(0) + counts[index] as u64;
            exchange.annotations.insert(COUNT.to_owned(), sum.into());
        } else if let Some(count) = count {
            exchange.annotations.insert(COUNT.to_owned(), count);
        }
    }
    if !removals.is_empty() {
        tape.meta.redact = true;
    }
    removals
}

/// Replaces every secret in what a program is started with; returns how many there were.
pub(crate) fn redact_meta(meta: &mut Meta) -> u64 {
    let mut removals = Vec::new();
    redact_parts(meta, &mut removals);
    removals.iter().map(|removal| removal.count as u64).sum()
}

fn redact_parts(meta: &mut Meta, removals: &mut Vec<Removal>) {
    let args = redact_args(&meta.program, &meta.args);
    for (index, (arg, clean)) in meta.args.iter().zip(&args).enumerate() {
        note(
            removals,
            format!("meta.args[{index}]"),
            usize::from(arg != clean),
        );
    }
    meta.args = args;
    for (name, value) in &mut meta.env {
        let clean = redact_variable(name, value);
        note(
            removals,
            format!("meta.env.{name}"),
            usize::from(*value != clean),
        );
        *value = clean;
    }
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

/// Returns how many secrets the input of each exchange lost.
fn redact_inputs(exchanges: &mut [Exchange]) -> Vec<usize> {
    // An exchange 0, and what was typed hidden, has nothing that could belong to the next.
    let ends = |exchange: &Exchange| {
        exchange.pre.hidden || matches!(exchange.input.bytes.last(), None | Some(b'\r' | b'\n'))
    };
    let mut counts = Vec::with_capacity(exchanges.len());
    for line in exchanges.chunk_by_mut(|before, _| !ends(before)) {
        let typed: Vec<Vec<u8>> = line
            .iter_mut()
            .map(|exchange| std::mem::take(&mut exchange.input.bytes))
            .collect();
        let mut clean = typed.clone();
        let removed = redact_each(&mut clean, Source::Typed);
        for ((exchange, typed), mut clean) in line.iter_mut().zip(typed).zip(clean) {
            if clean.is_empty() && !typed.is_empty() {
                clean = MASK.into(); // the rest of a secret: the exchange still has an input
            }
            exchange.input.bytes = clean;
        }
        counts.extend(removed);
    }
    counts
}

/// Returns how many secrets the output of each exchange lost.
fn redact_outputs(exchanges: &mut [Exchange], has_terminal: bool) -> Vec<usize> {
    let mut counts = vec![0; exchanges.len()];
    // On a terminal both are one; else nobody reads them as one text.
    let streams: &[&[Stream]] = if has_terminal {
        &[&[Stream::Stdout, Stream::Stderr]]
    } else {
        &[&[Stream::Stdout], &[Stream::Stderr]]
    };
    for streams in streams {
        let mut places: Vec<(usize, &mut Chunk)> = Vec::new();
        for (index, exchange) in exchanges.iter_mut().enumerate() {
            let chunks = exchange
                .chunks
                .iter_mut()
                .filter(|chunk| streams.contains(&chunk.stream));
            places.extend(chunks.map(|chunk| (index, chunk)));
        }
        let mut data: Vec<Vec<u8>> = places
            .iter_mut()
            .map(|(_, chunk)| std::mem::take(&mut chunk.data))
            .collect();
        let removed = redact_each(&mut data, Source::Output);
        for (((index, chunk), data), removed) in places.into_iter().zip(data).zip(removed) {
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

/// Removes chunks of which nothing is left, such as the echo of single keys; the next one waits for their time too.
fn drop_empty(chunks: &mut Vec<Chunk>) {
    let mut waited_ms = 0_u64;
    chunks.retain_mut(|chunk| {
        if chunk.data.is_empty() {
            waited_ms = waited_ms.saturating_add(chunk.delay_ms);
            return false;
        }
        chunk.delay_ms = chunk
            .delay_ms
            .saturating_add(std::mem::take(&mut waited_ms));
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::format::{InputKind, PtySize, Recorder, TypedInput};
    use serde_json::json;

    fn exchange(input: &str, output: &[&str]) -> Exchange {
        let chunk = |data: &&str| Chunk {
            data: data.as_bytes().to_vec(),
            ..Chunk::default()
        };
        Exchange {
            input: TypedInput {
                kind: InputKind::Raw,
                bytes: input.as_bytes().to_vec(),
            },
            chunks: output.iter().map(chunk).collect(),
            ..Exchange::default()
        }
    }

    fn tape(exchanges: Vec<Exchange>) -> Tape {
        Tape {
            meta: Meta {
                program: "app".to_owned(),
                pty: Some(PtySize { rows: 24, cols: 80 }),
                ..Meta::default()
            },
            session: Recorder::default(),
            exchanges,
        }
    }

    fn redacted(mut tape: Tape) -> (Tape, Vec<String>) {
        let removals = redact_tape(&mut tape);
        let mut again = tape.clone();
        assert_eq!(redact_tape(&mut again), [], "a second time finds nothing");
        assert_eq!(again, tape);
        let shown = removals
            .iter()
            .map(|removal| format!("{} {}", removal.place, removal.count));
        (tape, shown.collect())
    }

    fn texts(exchange: &Exchange) -> (String, Vec<String>) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let chunks = exchange.chunks.iter().map(|chunk| text(&chunk.data));
        (text(&exchange.input.bytes), chunks.collect())
    }

    #[test]
    fn of_a_masked_echo_no_empty_chunks_are_left_but_their_time() {
        let mut exchange = exchange("", &["password: hun", "t", "er2hunter2\r\n", "ok"]);
        for (chunk, delay_ms) in exchange.chunks.iter_mut().zip([1, 20, 300, 4_000]) {
            chunk.delay_ms = delay_ms;
        }
        let mut tape = tape(vec![exchange]);
        redact_tape(&mut tape);
        let chunks: Vec<(&str, u64)> = tape.exchanges[0]
            .chunks
            .iter()
            .map(|chunk| (std::str::from_utf8(&chunk.data).unwrap(), chunk.delay_ms))
            .collect();
        let all: String = chunks.iter().map(|chunk| chunk.0).collect();
        assert_eq!(all, "password: ***\r\nok");
        assert!(chunks.iter().all(|chunk| !chunk.0.is_empty()), "{chunks:?}");
        assert_eq!(chunks.iter().map(|chunk| chunk.1).sum::<u64>(), 4_321);
    }

    #[test]
    fn every_part_of_a_tape_loses_its_secrets() {
        let mut tape = tape(vec![
            exchange("", &["$ "]),
            exchange(
                "password=hunter2\r",
                &["pass", "word=hun", "ter2\r\nok\r\n$ "],
            ),
            exchange("ls\r", &["ls\r\n"]),
        ]);
        tape.meta.args = vec!["--token".to_owned(), "abc".to_owned()];
        tape.meta
            .env
            .insert("API_TOKEN".to_owned(), "a b".to_owned());
        tape.meta.env.insert("LANG".to_owned(), "C".to_owned());
        tape.meta.cwd = "/srv/https://me:abc@h".to_owned();
        tape.meta.tag = Some("password=abc".to_owned());
        tape.exchanges[2].pre.prompt = "token=abc $ ".to_owned();
        tape.exchanges[2]
            .annotations
            .insert("note".to_owned(), json!({"api_key": "abc"}));
        let (tape, removals) = redacted(tape);
        assert_eq!(
            removals,
            [
                "meta.args[1] 1",
                "meta.env.API_TOKEN 1",
                "meta.cwd 1",
                "meta.tag 1",
                "exchanges[1].input 1",
                "exchanges[1].output 1",
                "exchanges[2].pre.prompt 1",
                "exchanges[2].annotations 1",
            ]
        );
        assert_eq!(tape.meta.args, ["--token", "***"]);
        assert_eq!(tape.meta.env["API_TOKEN"], "***");
        assert_eq!(tape.meta.cwd, "/srv/https://me:***@h");
        let (input, output) = texts(&tape.exchanges[1]);
        assert_eq!(input, "password=***\r");
        assert_eq!(output, ["pass", "word=***", "\r\nok\r\n$ "]);
        assert_eq!(tape.exchanges[2].pre.prompt, "token=*** $ ");
        let counts = tape
            .exchanges
            .iter()
            .map(|exchange| exchange.annotations.get("redacted"));
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [Some(&json!(4)), Some(&json!(2)), Some(&json!(2))]
        );
        assert!(tape.meta.redact);
    }

    #[test]
    fn a_secret_that_is_typed_key_by_key_is_one() {
        let keys = "TOKEN=ab\r".chars().map(String::from);
        let (tape, removals) = redacted(tape(keys.map(|key| exchange(&key, &[&key])).collect()));
        assert_eq!(removals, ["exchanges[6].input 1", "exchanges[6].output 1"]);
        let inputs: Vec<String> = tape
            .exchanges
            .iter()
            .map(|exchange| texts(exchange).0)
            .collect();
        assert_eq!(inputs.concat(), "TOKEN=******\r");
        let outputs: Vec<String> = tape
            .exchanges
            .iter()
            .map(|exchange| texts(exchange).1.concat())
            .collect();
        assert_eq!(outputs.concat(), "TOKEN=***\r");
        assert_eq!(inputs.len(), 9);
    }

    #[test]
    fn a_private_key_that_is_typed_line_by_line_is_one() {
        let body = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        let typed = |line: &str| exchange(&format!("{line}\r"), &[line, "\r\n", "> "]);
        let mut exchanges = vec![
            exchange("", &["$ "]),
            typed("cat > key"),
            typed("-----BEGIN PRIVATE KEY-----"),
            typed(&body),
            typed("Zz9="),
            typed("-----END PRIVATE KEY-----"),
            exchange(
                "cat key\r",
                &["cat key\r\n", &body[..30], &body[30..], "\r\n$ "],
            ),
        ];
        let mut state = crate::tape::key::StateHash::start();
        for exchange in &mut exchanges {
            exchange.pre.state_hash = Some(state.value());
            state.feed(&exchange.input.bytes);
        }
        let before: Vec<_> = exchanges
            .iter()
            .map(|exchange| exchange.pre.state_hash.clone())
            .collect();
        let (tape, removals) = redacted(tape(exchanges));
        let text = format!("{tape:?}");
        assert!(!text.contains("Ab1C"), "{text}");
        assert!(
            removals.contains(&"exchanges[3].input 1".to_owned()),
            "{removals:?}"
        );
        let hidden: Vec<bool> = tape
            .exchanges
            .iter()
            .map(|exchange| exchange.pre.hidden)
            .collect();
        assert_eq!(hidden, [false, false, false, true, true, false, false]);
        assert_eq!(texts(&tape.exchanges[3]).0, "***\r");
        assert_eq!(texts(&tape.exchanges[6]).1.concat(), "cat key\r\n***\r\n$ ");
        let after: Vec<_> = tape
            .exchanges
            .iter()
            .map(|exchange| exchange.pre.state_hash.clone())
            .collect();
        assert_eq!(before[..4], after[..4]);
        let mut state = crate::tape::key::StateHash::start();
        for exchange in &tape.exchanges {
            assert_eq!(exchange.pre.state_hash, Some(state.value()));
            match exchange.pre.hidden {
                true => state.feed_hidden(),
                false => state.feed(&exchange.input.bytes),
            }
        }
    }

    #[test]
    fn without_a_terminal_each_stream_is_a_text_of_its_own() {
        let mut split = tape(vec![exchange("", &["password=", "note\n", "hunter2\n"])]);
        split.meta.pty = None;
        split.exchanges[0].chunks[1].stream = Stream::Stderr;
        let (split, _) = redacted(split);
        assert_eq!(
            texts(&split.exchanges[0]).1,
            ["password=", "note\n", "***\n"]
        );
    }

    #[test]
    fn a_tape_without_secrets_stays_and_counts_go_on() {
        let mut clean = tape(vec![
            exchange("", &["a token bucket\r\n", "Password: "]),
            exchange("\r", &["\r\nok"]),
        ]);
        let (same, removals) = redacted(clean.clone());
        assert_eq!((&same, removals.len()), (&clean, 0));
        clean.exchanges[0]
            .annotations
            .insert("redacted".to_owned(), json!(2));
        clean.exchanges[0].chunks[1].data = b"TOKEN=abc".to_vec();
        let (more, _) = redacted(clean);
        assert_eq!(more.exchanges[0].annotations["redacted"], json!(3));
    }
}
