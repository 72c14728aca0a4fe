//! The sub-agents of a conversation.

use crate::fields::Fields as _;
use crate::render::{Printer, text_line};
use serde_json::Value;
use std::io;

/// Writes one line per sub-agent, below the one that started it.
pub(crate) fn sub_agents(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    nodes(reply.list("tree"), 0, out)?;
    out.reply("conversation.tree", reply)
}

fn nodes(level: &[Value], depth: usize, out: &mut Printer<'_>) -> io::Result<()> {
    for node in level {
        let line = text_line("sub-agent", node, out.style);
        out.lines([line], &"  ".repeat(depth))?;
        nodes(node.list("children"), depth + 1, out)?;
    }
    Ok(())
}
