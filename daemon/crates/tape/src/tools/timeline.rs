//! The times of each input and each chunk on a tape.

use crate::format::{Chunk, Exchange, Tape};
use std::borrow::Cow;

/// Maximum size of a screen that is drawn: a tape written by hand may have any size.
const MAX_SIDE: u16 = 1000;

/// An event on a tape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Milliseconds since the start of the program.
    pub(super) at_ms: u64,
    pub(super) what: What<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What<'a> {
    /// An exchange starts; the input of the first one may be empty.
    Begin(&'a Exchange),
    Output(&'a Chunk),
}

/// Returns all events in order.
pub(super) fn moments(tape: &Tape) -> impl Iterator<Item = Moment<'_>> {
    let mut start_ms = 0u64;
    tape.exchanges.iter().flat_map(move |exchange| {
        let begin = Moment {
            at_ms: start_ms,
            what: What::Begin(exchange),
        };
        let mut at_ms = start_ms;
        start_ms = start_ms.saturating_add(len_ms(exchange));
        let output = exchange.chunks.iter().map(move |chunk| {
            at_ms = at_ms.saturating_add(chunk.delay_ms);
            Moment {
                at_ms,
                what: What::Output(chunk),
            }
        });
        std::iter::once(begin).chain(output)
    })
}

/// Returns the total time.
pub(super) fn duration_ms(tape: &Tape) -> u64 {
    let lens = tape.exchanges.iter().map(len_ms);
    lens.fold(0, u64::saturating_add)
}

/// Returns the time up to the next input: on a tape edited by hand it may be less than that of the chunks.
pub(super) fn len_ms(exchange: &Exchange) -> u64 {
    let delays = exchange.chunks.iter().map(|chunk| chunk.delay_ms);
    exchange.dur_ms.max(delays.fold(0, u64::saturating_add))
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

/// Returns the size of the terminal as rows and columns, each at most [`MAX_SIDE`]; without a terminal, the default
/// size.
pub fn size(tape: &Tape) -> (u16, u16) {
    tape.meta.pty.map_or((24, 80), |pty| {
        (pty.rows.clamp(1, MAX_SIDE), pty.cols.clamp(1, MAX_SIDE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_lasts_as_long_as_it_says_but_no_shorter_than_its_output() {
        let exchange = |dur_ms, delays: &[u64]| Exchange {
            dur_ms,
            chunks: delays
                .iter()
                .map(|&delay_ms| Chunk {
                    delay_ms,
                    ..Chunk::default()
                })
                .collect(),
            ..Exchange::default()
        };
        let tape = super::super::tests::tape(vec![
            exchange(100, &[10, 20]),
            exchange(5, &[10, 20]),
            exchange(u64::MAX, &[u64::MAX, 1]),
        ]);
        let times: Vec<u64> = moments(&tape).map(|moment| moment.at_ms).collect();
        assert_eq!(times, [0, 10, 30, 100, 110, 130, 130, u64::MAX, u64::MAX]);
        assert_eq!(duration_ms(&tape), u64::MAX);
    }

    #[test]
    fn line_feeds_get_returns_where_no_terminal_was() {
        let mut tape = super::super::tests::tape(Vec::new());
        assert_eq!(*for_terminal(&tape, b"a\nb\n"), *b"a\nb\n");
        tape.meta.pty = None;
        assert_eq!(*for_terminal(&tape, b"a\nb\r\n\nc"), *b"a\r\nb\r\n\r\nc");
    }
}
