//! The sub-agents of a conversation.

use super::numbers::all;
use crate::render::short::{cost, short};
use crate::render::{Colour, Printer, counted, on_one_line, printable};
use ccd_protocol::conversation::{ConversationTree, ConversationUsage, SubAgentNode};
use std::io;

/// Writes one line per sub-agent, below the one that started it.
pub(crate) fn sub_agents(reply: &ConversationTree, out: &mut Printer<'_>) -> io::Result<()> {
    nodes(&reply.tree, 0, out)?;
    for orphan in &reply.orphan_parents {
        let note = out.paint(Colour::Notice, "its call is not in the conversation");
        writeln!(out, "{}  {note}", printable(orphan))?;
    }
    Ok(())
}

fn nodes(level: &[SubAgentNode], depth: usize, out: &mut Printer<'_>) -> io::Result<()> {
    for node in level {
        let tokens = short(all(&node.usage));
        let amount = match node.records.len() {
            0 if node.usage == ConversationUsage::default() => "no records".to_owned(),
            0 => format!("no records; its result reports {tokens} tokens"),
            count => format!(
                "{}, {tokens} tokens, {}",
                counted(count as u64, "record"),
                cost(node.cost_usd)
            ),
        };
        let mut parts = vec![format!(
            "{}{}",
            "  ".repeat(depth),
            printable(&node.parent_tool_use_id)
        )];
        parts.extend(node.description.as_deref().map(on_one_line));
        parts.push(out.paint(Colour::Dim, &amount));
        writeln!(out, "{}", parts.join("  "))?;
        nodes(&node.children, depth + 1, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn a_sub_agent_without_records_has_the_tokens_that_its_result_reports() {
        let node = |records: &[&str], output_tokens| SubAgentNode {
            parent_tool_use_id: "t1".to_owned(),
            usage: ConversationUsage {
                output_tokens,
                ..ConversationUsage::default()
            },
            records: records.iter().map(|uuid| (*uuid).to_owned()).collect(),
            ..SubAgentNode::default()
        };
        for (node, expected) in [
            (node(&["u1"], 5), "t1  1 record, 5 tokens, -\n"),
            (
                node(&[], 5),
                "t1  no records; its result reports 5 tokens\n",
            ),
            (node(&[], 0), "t1  no records\n"),
        ] {
            assert_eq!(printed(|out| nodes(&[node], 0, out)), expected);
        }
    }
}
