//! Lists to choose from. No daemon is started for them, because its lists would be empty.

use super::entries::Source;
use super::walk::MenuItem;
use crate::Failure;
use crate::call::{DaemonAddress, call_at};
use crate::caller::claude_dirs;
use crate::render::{self, command_line};
use ccd_protocol::black_box::TestList;
use ccd_protocol::chain::ChainList;
use ccd_protocol::conversation::{ConversationList, ConversationListParams, ConversationScope};
use ccd_protocol::exec::{ExecList, ExecListParams, ExecSessions, ExecSessionsParams};
use ccd_protocol::investigate::{InvestigateList, ReportListParams};
use ccd_protocol::program::ProgramList;
use ccd_protocol::session::{Session, SessionList, SessionListParams};
use ccd_protocol::tape::{TapeList, TapeListParams};
use ccd_protocol::{Method, NoParams};

pub(super) fn list(source: Source, place: &DaemonAddress) -> Result<Vec<MenuItem>, Failure> {
    match source {
        Source::LiveSessions => sessions(false, place),
        Source::Sessions => sessions(true, place),
        Source::Programs => items::<ProgramList, _>(
            place,
            &NoParams {},
            |reply| reply.programs,
            |program| {
                (
                    program.name,
                    program.error.unwrap_or(program.command_template),
                )
            },
        ),
        Source::Chains => items::<ChainList, _>(
            place,
            &NoParams {},
            |reply| reply.chains,
            |chain| {
                let steps = || render::counted(chain.step_count as u64, "step");
                (chain.name, chain.problem.unwrap_or_else(steps))
            },
        ),
        Source::Tapes => items::<TapeList, _>(
            place,
            &TapeListParams::default(),
            |reply| reply.tapes,
            |tape| {
                (
                    tape.tape_id,
                    render::program_line(&tape.program, &tape.args),
                )
            },
        ),
        Source::Executions => items::<ExecList, _>(
            place,
            &ExecListParams::default(),
            |reply| reply.executions,
            |run| {
                let instruction = render::on_one_line(&run.instruction);
                let about = format!("{}  {instruction}", run.status.name());
                (run.request_id, about)
            },
        ),
        Source::Conversations => items::<ExecSessions, _>(
            place,
            &ExecSessionsParams::default(),
            |reply| reply.sessions,
            |session| (session.session_id, session.repo_path),
        ),
        Source::Investigations => items::<InvestigateList, _>(
            place,
            &ReportListParams::default(),
            |reply| reply.reports,
            |report| {
                (
                    report.id,
                    render::program_line(&report.program, &report.args),
                )
            },
        ),
        Source::TestReports => items::<TestList, _>(
            place,
            &ReportListParams::default(),
            |reply| reply.reports,
            |report| {
                let failed = match report.summary.failed {
                    0 => "passed".to_owned(),
                    failed => format!("{failed} failed"),
                };
                let command = render::program_line(&report.program, &report.args);
                (report.id, format!("{failed}  {command}"))
            },
        ),
        Source::Transcripts => {
            let params = ConversationListParams {
                scope: ConversationScope {
                    claude_dirs: claude_dirs(),
                    ..ConversationScope::default()
                },
                ..ConversationListParams::default()
            };
            items::<ConversationList, _>(
                place,
                &params,
                |reply| reply.conversations,
                |one| {
                    let title = one.title.unwrap_or_default();
                    (one.session_id, format!("{}  {title}", one.project))
                },
            )
        }
    }
}

fn sessions(all: bool, place: &DaemonAddress) -> Result<Vec<MenuItem>, Failure> {
    let params = SessionListParams {
        all,
        waiting: false,
    };
    items::<SessionList, _>(place, &params, |reply| reply.sessions, session)
}

/// The items of the list in the reply of method `M`; `item` returns the word for the command, and what is said about it.
fn items<M: Method, T>(
    place: &DaemonAddress,
    params: &M::Params,
    list: impl FnOnce(M::Reply) -> Vec<T>,
    item: impl Fn(T) -> (String, String),
) -> Result<Vec<MenuItem>, Failure> {
    let reply = call_at::<M>(place, params)?.value;
    let items = list(reply).into_iter().map(item);
    let items = items.map(|(value, about)| MenuItem { value, about });
    Ok(items.collect())
}

/// A live session by its name, an ended one by its id, because another session may have its name now. A name that looks
/// like an option is replaced by the id, because no command accepts it.
fn session(session: Session) -> (String, String) {
    let id = &session.session_id;
    let name = session
        .name
        .as_ref()
        .filter(|name| session.ended_at.is_none() && !name.starts_with('-'));
    let end = session
        .ended_at
        .as_ref()
        .map(|_| render::end(session.exitstatus, session.signal, session.end_reason) + "  ");
    let about = end.unwrap_or_default() + &command_line(&session);
    (name.unwrap_or(id).clone(), about)
}
