//! The screen model: never fails, and any slices, also those of bounded drawing, draw what the whole draws.
#![no_main]

use ccd_fuzz::pieces;
use ccd_screen::Screen;
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

/// Most screens are small, because a large one takes a thousand times as long.
const SMALL: u16 = 30;
const LARGE: u16 = 300;

fuzz_target!(|bytes: &[u8]| {
    let [seed, rows, cols, size, output @ ..] = bytes else {
        return;
    };
    let most = if *size == u8::MAX { LARGE } else { SMALL };
    let [rows, cols] = [rows, cols].map(|byte| u16::from(*byte) * 7 % most + 1);
    let [mut whole, mut cut, mut slow] = [(); 3].map(|()| Screen::new(rows, cols));
    whole.feed(output);
    pieces(*seed, output)
        .iter()
        .for_each(|piece| cut.feed(piece));
    let mut rest = output;
    while !rest.is_empty() {
        let done = slow.feed_for(rest, Duration::ZERO);
        rest = &rest[done..];
    }
    assert_eq!(drawn(&mut cut), drawn(&mut whole));
    assert_eq!(drawn(&mut slow), drawn(&mut whole));
    whole.resize(cols, rows);
    whole.feed(output);
    assert_eq!(whole.size(), (cols, rows));
    whole.snapshot();
});

fn drawn(screen: &mut Screen) -> (Vec<u8>, String, u64) {
    (screen.saved(), screen.before_cursor(), screen.open_bytes())
}
