//! Computes the position of each exchange in the conversation.

use crate::format::Tape;
use crate::key::{PromptTracker, StateHash};

/// Sets each exchange's prompt from the output before it, and its state from the inputs before it, as a player computes
/// them. A program that runs with pipes prints at any time, so its output does not show what it waits for.
pub fn chain(tape: &mut Tape, before: &[u8], mut state: StateHash) {
    let mut prompt = PromptTracker::after(before);
    let is_piped = tape.meta.pty.is_none();
    for exchange in &mut tape.exchanges {
        exchange.pre.prompt = if is_piped {
            String::new()
        } else {
            prompt.prompt()
        };
        exchange.pre.state_hash = Some(state.value());
        state.follow(exchange.pre.hidden, &exchange.input.bytes);
        for chunk in &exchange.chunks {
            prompt.feed(&chunk.data);
        }
    }
}
