//! The file there and back: the cases of the fixtures, of the seed, and generated ones.

mod fixtures;
mod generated;
mod seed;

use super::{Parsed, parse, write};
use ccd_protocol::memory::SessionMemory;

/// Writes and reads; the lists that the file groups are compared in the file's order.
fn there_and_back(memory: &SessionMemory) -> (Parsed, SessionMemory) {
    let text = write(memory, &Default::default(), &Default::default());
    let mut expected = memory.clone();
    expected.blockers.sort_by_key(|blocker| blocker.priority);
    expected.next_steps.sort_by_key(|step| step.priority);
    (parse(&text), expected)
}

fn assert_lossless(memory: &SessionMemory) {
    let (parsed, expected) = there_and_back(memory);
    let text = write(memory, &Default::default(), &Default::default());
    assert_eq!(parsed.memory, expected, "{text}");
    assert_eq!(parsed.warnings, Vec::<String>::new(), "{text}");
}
