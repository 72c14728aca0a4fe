//! What was imported.

use crate::render::{Colour, Printer, counted, printable};
use ccd_protocol::conversation::ConversationImportReply;
use std::io;

pub(crate) fn imported(reply: &ConversationImportReply, out: &mut Printer<'_>) -> io::Result<()> {
    for one in &reply.conversations {
        let added = match one.added_lines {
            0 => "nothing new".to_owned(),
            lines => format!("{} added", counted(lines, "line")),
        };
        let added = out.paint(Colour::Dim, &added);
        writeln!(out, "{}  {added}", printable(&one.session_id))?;
    }
    Ok(())
}
