//! Lists of conversations, and hits of a search.

use crate::fields::Fields as _;
use crate::render::line::cut;
use crate::render::{Colour, Printer, columns, fill, on_one_line};
use serde_json::Value;
use std::io;

pub(crate) fn conversations(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let shown = reply.list("conversations");
    out.headed_list(shown, &columns("conversation.list"))?;
    let (len, total) = (shown.len() as u64, reply.number("total"));
    if out.style.is_terminal && len < total {
        let note = format!("{len} of {total}; -n N shows more");
        out.line(Colour::Dim, &note)?;
    }
    Ok(())
}

pub(crate) fn conversation_hits(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    // There is not much room beside the id of the record.
    let at = if out.style.is_terminal {
        "age"
    } else {
        "moment"
    };
    let head = format!(
        "<bold>{{session_id:id}}</><dim>  {{at:{at}}}  {{role}}[  {{tool}}][{{is_sub_agent?}}  sub-agent]  {{uuid}}</>"
    );
    let (hits, room) = (reply.list("hits"), out.room_after(4, 0));
    for hit in hits {
        out.lines([fill(&head, hit, 0, out.style)], "")?;
        let snippet = on_one_line(hit.text("snippet"));
        writeln!(out, "    {}", cut(&snippet, room))?;
    }
    if out.style.is_terminal && !hits.is_empty() {
        let total = match reply.number("total") {
            10_000.. => "10,000 or more".to_owned(),
            total => total.to_string(),
        };
        let note = format!(
            "{} of {total}; ccctl conversation show SESSION --at ID starts there",
            hits.len()
        );
        out.line(Colour::Dim, &note)?;
    }
    Ok(())
}
