//! Conversations.

use crate::render::line::cut;
use crate::render::short::age;
use crate::render::table::{Cell, Table};
use crate::render::{Colour, Printer, printable, readable};
use ccd_protocol::exec::{ExecSessionInfo, ExecSessionStatus};
use std::io;
use std::time::SystemTime;

/// Columns of the table before the repository.
const BEFORE_REPOSITORY: usize = 42;

/// The path of a repository is cut to no less.
const MIN_REPOSITORY: usize = 20;

const NAMES: usize = 14;

pub(crate) fn exec_sessions(all: &[ExecSessionInfo], out: &mut Printer<'_>) -> io::Result<()> {
    let now = SystemTime::now();
    let mut table = Table::new(["CONVERSATION", "STATUS", "USED", "RUNS", "REPOSITORY"]);
    let room = out.room_after(BEFORE_REPOSITORY, MIN_REPOSITORY);
    for session in all {
        table.row([
            out.id(&session.session_id).into(),
            Cell::coloured(name(session.status), colour(session.status)),
            age(&session.last_accessed, now).into(),
            session.execution_count.to_string().into(),
            cut(&printable(&session.repo_path), room).into(),
        ]);
    }
    table.write(out)
}

pub(crate) fn exec_session(session: &ExecSessionInfo, out: &mut Printer<'_>) -> io::Result<()> {
    out.fields(
        NAMES,
        &[
            ("conversation", session.session_id.clone()),
            ("status", name(session.status).to_owned()),
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

fn name(status: ExecSessionStatus) -> &'static str {
    match status {
        ExecSessionStatus::Active => "active",
        ExecSessionStatus::Completed => "completed",
        ExecSessionStatus::Expired => "expired",
    }
}

fn colour(status: ExecSessionStatus) -> Colour {
    match status {
        ExecSessionStatus::Active => Colour::Good,
        ExecSessionStatus::Completed | ExecSessionStatus::Expired => Colour::Dim,
    }
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
        let text = printed(|out| exec_sessions(&[sample()], out));
        assert_eq!(text, "0b6f4e1c-52a0  active  -  2  /srv/x\n");
        let style = Style::TERMINAL;
        let text = printed_in(style, Some(80), |out| exec_sessions(&[sample()], out));
        let line = "0b6f4e1c      active  -     2     /srv/x\n";
        assert!(text.ends_with(line), "{text}");
        // With its messages.
        let text = printed(|out| exec_session(&sample(), out));
        let end = "runs          2\n\nuser\nadd\n\nassistant\ndone\n";
        assert!(text.ends_with(end), "{text}");
    }
}
