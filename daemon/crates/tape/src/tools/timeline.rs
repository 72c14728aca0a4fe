//! The times of everything on a tape: inputs, chunks, changes of size and markers.

use super::marks::{idle_ms, keys, markers, resizes};
use crate::format::{Chunk, Exchange, PtySize, Tape};
use std::borrow::Cow;

/// Maximum size of a screen that is drawn: a tape written by hand may have any size.
const MAX_SIDE: u16 = 1000;

#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Milliseconds since the start of the program.
    pub(super) at_ms: u64,
    pub(super) what: MomentKind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MomentKind<'a> {
    /// An exchange starts.
    Begin(&'a Exchange),
    /// An input, or a part of it that was typed at once.
    Keys(&'a [u8]),
    Output(&'a Chunk),
    Resize(PtySize),
    Marker(&'a str),
}

pub(super) fn moments(tape: &Tape) -> impl Iterator<Item = Moment<'_>> {
    let mut start_ms = 0;
    tape.exchanges.iter().flat_map(move |exchange| {
        let (moments, end_ms) = course(exchange, start_ms);
        start_ms = end_ms;
        moments
    })
}

pub(super) fn duration_ms(tape: &Tape) -> u64 {
    let exchanges = tape.exchanges.iter();
    exchanges.fold(0, |start_ms, exchange| course(exchange, start_ms).1)
}

/// Returns the events of an exchange that starts at `start_ms`, and when the next one starts.
/// On a tape edited by hand the exchange may last less than its chunks, and notes may come after its end.
fn course(exchange: &Exchange, start_ms: u64) -> (Vec<Moment<'_>>, u64) {
    let mut input = &exchange.input.bytes[..];
    let mut keys = keys(exchange).into_iter().peekable();
    // At equal times notes come first: a program redraws when the size changes.
    let mut timed = vec![(0, MomentKind::Begin(exchange))];
    timed.extend(notes(exchange));
    if keys.peek().is_none() && !input.is_empty() {
        timed.push((0, MomentKind::Keys(input)));
    }
    let mut at_ms = 0_u64;
    let chunks = exchange.chunks.iter().map(Some).chain([None]);
    for (printed, chunk) in (0..).zip(chunks) {
        while let Some(key) = keys.next_if(|key| chunk.is_none() || key.chunks <= printed) {
            at_ms = at_ms.max(key.at_ms);
            let len = usize::try_from(key.len_bytes).unwrap_or(usize::MAX);
            let (pressed, rest) = input.split_at(len.min(input.len()));
            input = rest;
            timed.push((at_ms, MomentKind::Keys(pressed)));
        }
        if let Some(chunk) = chunk {
            at_ms = at_ms.saturating_add(chunk.delay_ms);
            timed.push((at_ms, MomentKind::Output(chunk)));
        }
    }
    timed.sort_by_key(|(at_ms, _)| *at_ms);
    let end_ms = at_ms.max(exchange.dur_ms);
    let end_ms = end_ms.saturating_add(idle_ms(exchange).unwrap_or(0));
    let moments = timed.into_iter().map(|(at_ms, what)| Moment {
        at_ms: start_ms.saturating_add(at_ms.min(end_ms)),
        what,
    });
    (moments.collect(), start_ms.saturating_add(end_ms))
}

/// Returns the changes of size and the markers.
fn notes(exchange: &Exchange) -> impl Iterator<Item = (u64, MomentKind<'_>)> {
    let resizes = resizes(exchange).into_iter();
    let resizes = resizes.map(|resize| (resize.at_ms, MomentKind::Resize(resize.size)));
    let markers = markers(exchange).into_iter();
    resizes.chain(markers.map(|marker| (marker.at_ms, MomentKind::Marker(marker.label))))
}

/// Returns the bytes for a terminal: if the program had none, carriage returns are added before line feeds.
pub(super) fn for_terminal<'a>(tape: &Tape, data: &'a [u8]) -> Cow<'a, [u8]> {
    if tape.meta.pty.is_some() {
        return Cow::Borrowed(data);
    }
    with_returns(data)
}

/// Returns output as a terminal would print it.
pub fn with_returns(data: &[u8]) -> Cow<'_, [u8]> {
    if !data.contains(&b'\n') {
        return Cow::Borrowed(data);
    }
    let mut with_returns = Vec::with_capacity(data.len() + data.len() / 16);
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) if !text.ends_with(b"\r") => {
                with_returns.extend_from_slice(text);
                with_returns.extend_from_slice(b"\r\n");
            }
            _ => with_returns.extend_from_slice(line),
        }
    }
    Cow::Owned(with_returns)
}

/// Returns rows and columns of the terminal, each at most [`MAX_SIDE`]; without a terminal, the default.
pub fn size(tape: &Tape) -> (u16, u16) {
    tape.meta.pty.map_or((24, 80), drawn)
}

/// Returns a size as rows and columns, each at most [`MAX_SIDE`].
pub(super) fn drawn(size: PtySize) -> (u16, u16) {
    (size.rows.clamp(1, MAX_SIDE), size.cols.clamp(1, MAX_SIDE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_lasts_as_long_as_it_says_but_no_shorter_than_its_output() {
        let exchange = |dur_ms, delays: [u64; 2]| Exchange {
            dur_ms,
            chunks: Vec::from(delays.map(|delay_ms| Chunk {
                delay_ms,
                ..Chunk::default()
            })),
            ..Exchange::default()
        };
        let tape = super::super::tests::tape(vec![
            exchange(100, [10, 20]),
            exchange(5, [10, 20]),
            exchange(u64::MAX, [u64::MAX, 1]),
        ]);
        let times: Vec<u64> = moments(&tape).map(|moment| moment.at_ms).collect();
        assert_eq!(times, [0, 10, 30, 100, 110, 130, 130, u64::MAX, u64::MAX]);
        assert_eq!(duration_ms(&tape), u64::MAX);
    }

    /// Returns what happens on a tape of this exchange, followed by an empty one.
    fn course(exchange: Exchange) -> String {
        let tape = super::super::tests::tape(vec![exchange, Exchange::default()]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = moments(&tape).map(|Moment { at_ms, what }| match what {
            MomentKind::Begin(_) => format!("{at_ms} begin"),
            MomentKind::Keys(keys) => format!("{at_ms} typed {}", text(keys)),
            MomentKind::Output(chunk) => format!("{at_ms} printed {}", text(&chunk.data)),
            MomentKind::Resize(size) => format!("{at_ms} {}x{}", size.cols, size.rows),
            MomentKind::Marker(label) => format!("{at_ms} marker {label}"),
        });
        told.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn keys_sizes_and_markers_are_at_their_times() {
        let mut typed = super::super::tests::exchange("ls!", &["l", "s!", "\r\nfile"]);
        let notes = serde_json::json!({
            "keys": [[0, 1, 0], [200, 1, 1], [250, 1, 1]],
            "resizes": [{"at_ms": 260, "rows": 5, "cols": 9}, {"at_ms": 9_000, "rows": 6, "cols": 9}],
            "markers": [{"at_ms": 265, "label": "here"}],
            "idle_ms": 500,
        });
        typed.annotations = notes.as_object().unwrap().clone();
        let expected = "0 begin; 0 typed l; 10 printed l; 200 typed s; 250 typed !; 260 9x5; 260 printed s!; \
            265 marker here; 270 printed \r\nfile; 770 9x6; 770 begin";
        assert_eq!(course(typed.clone()), expected);
        // Without keys that fit, the input is typed at once.
        typed.input.bytes.pop();
        let expected = "0 begin; 0 typed ls; 10 printed l; 20 printed s!; ";
        assert!(course(typed).starts_with(expected));
    }

    #[test]
    fn line_feeds_get_returns_where_no_terminal_was() {
        let mut tape = super::super::tests::tape(Vec::new());
        assert_eq!(*for_terminal(&tape, b"a\nb\n"), *b"a\nb\n");
        tape.meta.pty = None;
        assert_eq!(*for_terminal(&tape, b"a\nb\r\n\nc"), *b"a\r\nb\r\n\r\nc");
    }
}
