//! The sub-agents of a conversation.

use super::numbers::{all, cost, short};
use crate::render::tape::counted;
use crate::render::{Colour, Style, on_one_line, printable};
use ccd_protocol::conversation::{ConversationTree, SubAgentNode};
use std::io::{self, Write};

/// Writes one line per sub-agent, below the one that started it.
pub(crate) fn sub_agents(
    reply: &ConversationTree,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    nodes(&reply.tree, 0, out, style)?;
    for orphan in &reply.orphan_parents {
        let note = style.paint(Colour::Notice, "its call is not in the conversation");
        writeln!(out, "{}  {note}", printable(orphan))?;
    }
    Ok(())
}

fn nodes(
    level: &[SubAgentNode],
    depth: usize,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    for node in level {
        let records = counted(node.records.len() as u64, "record");
        let amount = format!(
            "{records}, {} tokens, {}",
            short(all(&node.usage)),
            cost(node.cost_usd)
        );
        let mut parts = vec![format!(
            "{}{}",
            "  ".repeat(depth),
            printable(&node.parent_tool_use_id)
        )];
        parts.extend(node.description.as_deref().map(on_one_line));
        parts.push(style.paint(Colour::Dim, &amount));
        writeln!(out, "{}", parts.join("  "))?;
        nodes(&node.children, depth + 1, out, style)?;
    }
    Ok(())
}
