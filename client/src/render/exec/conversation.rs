//! Conversations.

use crate::render::table::{Cell, Column, columns};
use crate::render::words::word;
use crate::render::{Colour, Printer, printable, readable};
use ccd_protocol::exec::{ExecSessionInfo, ExecSessionStatus};
use std::io;

/// The path of a repository is cut to no less.
const MIN_REPOSITORY: usize = 20;

const NAMES: usize = 14;

pub(crate) const EXEC_SESSIONS: &[Column<ExecSessionInfo>] = &columns! { |session|
    "CONVERSATION" => Cell::id(&session.session_id),
    "STATUS" => {
        let colour = match session.status {
            ExecSessionStatus::Active => Colour::Good,
            ExecSessionStatus::Completed | ExecSessionStatus::Expired => Colour::Dim,
        };
        Cell::coloured(word(&session.status), colour)
    },
    "USED" => Cell::age(&session.last_accessed),
    "RUNS" => session.execution_count,
    "REPOSITORY" (MIN_REPOSITORY, 0) => &session.repo_path,
};

pub(crate) fn exec_session(session: &ExecSessionInfo, out: &mut Printer<'_>) -> io::Result<()> {
    out.fields(
        NAMES,
        &[
            ("conversation", session.session_id.clone()),
            ("status", word(&session.status)),
            ("repository", session.repo_path.clone()),
            ("created", session.created_at.clone()),
            ("last used", session.last_accessed.clone()),
            ("runs", session.execution_count.to_string()),
        ],
    )?;
    for message in session.conversation_history.iter().flatten() {
        let colour = match message.role.as_str() {
            "user" => Colour::Heading,
            _ => Colour::Good,
        };
        let role = out.paint(colour, &printable(&message.role));
        writeln!(out, "\n{role}\n{}", readable(&message.content).trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::{printed, printed_in};
    use ccd_protocol::exec::ConversationMessage;

    fn sample() -> ExecSessionInfo {
        let message = |role: &str, content: &str| ConversationMessage {
            role: role.into(),
            content: content.into(),
        };
        ExecSessionInfo {
            session_id: "0b6f4e1c-52a0".into(),
            created_at: "then".into(),
            last_accessed: "now".into(),
            conversation_history: Some(vec![
                message("user", "add\n"),
                message("assistant", "done\x1b"),
            ]),
            status: ExecSessionStatus::Active,
            repo_path: "/srv/x".into(),
            execution_count: 2,
        }
    }

    #[test]
    fn a_conversation_is_a_line_with_its_whole_id_for_scripts() {
        let text = printed(|out| out.table(&[sample()], EXEC_SESSIONS));
        assert_eq!(text, "0b6f4e1c-52a0  active  -  2  /srv/x\n");
        let style = Style::TERMINAL;
        let text = printed_in(style, Some(80), |out| out.table(&[sample()], EXEC_SESSIONS));
        let line = "0b6f4e1c      active  -     2     /srv/x\n";
        assert!(text.ends_with(line), "{text}");
        // With its messages.
        let text = printed(|out| exec_session(&sample(), out));
        let end = "runs          2\n\nuser\nadd\n\nassistant\ndone\n";
        assert!(text.ends_with(end), "{text}");
    }
}
