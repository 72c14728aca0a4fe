//! What was imported.

use crate::render::tape::counted;
use crate::render::{Colour, Style, printable};
use ccd_protocol::conversation::ConversationImportReply;
use std::io::{self, Write};

pub(crate) fn imported(
    reply: &ConversationImportReply,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    for one in &reply.conversations {
        let added = match one.added_lines {
            0 => "nothing new".to_owned(),
            lines => format!("{} added", counted(lines, "line")),
        };
        let added = style.paint(Colour::Dim, &added);
        writeln!(out, "{}  {added}", printable(&one.session_id))?;
    }
    Ok(())
}
