//! The port between the holder and the worker: no bytes are more than an error, and pieces are read like the whole.
#![no_main]

use ccd_fuzz::pieces;
use ccd_terminal::holder::messages_in;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [seed, bytes @ ..] = bytes else { return };
    let whole = messages_in(&[bytes]).expect("a socket");
    assert_eq!(messages_in(&pieces(*seed, bytes)).expect("a socket"), whole);
});
