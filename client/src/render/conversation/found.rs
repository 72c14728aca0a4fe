//! Lists of conversations, and hits of a search.

use super::numbers::{all, cost_or_more, short};
use super::spoken::moment;
use crate::render::line::cut;
use crate::render::short::{age, size};
use crate::render::table::{Cell, Column, columns};
use crate::render::{Colour, Printer, on_one_line, printable};
use ccd_protocol::conversation::{
    ConversationListReply, ConversationSearchReply, ConversationSummary, Indexing, TurnRole,
    UnreadableFiles,
};
use std::io;
use std::time::SystemTime;

const CONVERSATIONS: &[Column<ConversationSummary>] = &columns! { |one|
    "SESSION" => Cell::id(&one.session_id),
    "USED" => Cell::age(one.ended_at.as_deref().unwrap_or_default()),
    "PROJECT" (12, 0) => &one.project,
    "TURNS" => one.turns,
    "FAILED" => Cell::problems(one.errors),
    "TOKENS" => short(all(&one.usage.total)) + more(one),
    "COST" => cost_or_more(one.cost_usd, one.cost_at_least_usd),
    "TITLE" (24, 0) => on_one_line(one.title.as_deref().unwrap_or_default()),
};

pub(crate) fn conversations(
    reply: &ConversationListReply,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    out.headed_table(&reply.conversations, CONVERSATIONS)?;
    let shown = reply.conversations.len() as u64;
    if out.style.is_terminal && shown < reply.total {
        let note = format!("{shown} of {}; -n N shows more", reply.total);
        out.line(Colour::Dim, &note)?;
    }
    Ok(())
}

/// Returns a plus sign if tokens are missing.
fn more(one: &ConversationSummary) -> &'static str {
    one.missing.map_or("", |_| "+")
}

pub(crate) fn conversation_hits(
    reply: &ConversationSearchReply,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let (now, room) = (SystemTime::now(), out.room_after(4, 0));
    for hit in &reply.hits {
        let role = match hit.role {
            TurnRole::User => "user",
            TurnRole::Assistant => "assistant",
        };
        let at = hit.at.as_deref().unwrap_or_default();
        let at = if out.style.is_terminal {
            // There is not much room beside the id of the record.
            age(at, now)
        } else {
            moment(at)
        };
        let tool = hit.tool.as_ref().map(|tool| format!("  {tool}"));
        let tool = tool.unwrap_or_default();
        let agent = if hit.is_sub_agent { "  sub-agent" } else { "" };
        let about = printable(&format!("  {at}  {role}{tool}{agent}  {}", hit.uuid));
        let session = out.paint(Colour::Heading, out.id(&hit.session_id));
        writeln!(out, "{session}{}", out.paint(Colour::Dim, &about))?;
        let snippet = on_one_line(&hit.snippet);
        writeln!(out, "    {}", cut(&snippet, room))?;
    }
    if out.style.is_terminal && !reply.hits.is_empty() {
        let total = match reply.total {
            10_000.. => "10,000 or more".to_owned(),
            total => total.to_string(),
        };
        let note = format!(
            "{} of {total}; ccctl conversation show SESSION --at ID starts there",
            reply.hits.len()
        );
        out.line(Colour::Dim, &note)?;
    }
    Ok(())
}

/// Returns what is not indexed yet, in one line.
pub(crate) fn what_is_left(left: Indexing) -> String {
    match (left.files_left, left.bytes_left) {
        (0, _) => "transcripts are still being indexed".to_owned(),
        (1, bytes) => format!("1 file ({}) is not indexed yet", size(bytes)),
        (files, bytes) => format!("{files} files ({}) are not indexed yet", size(bytes)),
    }
}

pub(crate) fn what_is_unreadable(files: &UnreadableFiles) -> String {
    let first = format!("{} ({})", printable(&files.file), files.error);
    match files.count {
        0 | 1 => format!("a transcript cannot be read: {first}"),
        count => format!("{count} transcripts cannot be read, the first is {first}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_indexed_is_counted() {
        let left = |files_left, bytes_left| {
            what_is_left(Indexing {
                files_left,
                bytes_left,
            })
        };
        assert_eq!(left(1, 12), "1 file (12B) is not indexed yet");
        assert_eq!(left(812, 1_234_567), "812 files (1.2M) are not indexed yet");
    }
}
