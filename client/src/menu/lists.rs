//! Lists to choose from. No daemon is started for them, because its lists would be empty.

use super::entries::Source;
use super::walk::MenuItem;
use crate::Failure;
use crate::call::{DaemonAddress, call_at};
use crate::caller::claude_dirs;
use crate::render::{self, command_line};
use ccd_protocol::NoParams;
use ccd_protocol::black_box::{TestList, TestReportSummary};
use ccd_protocol::chain::{ChainList, ChainSummary};
use ccd_protocol::conversation::{
    ConversationList, ConversationListParams, ConversationScope, ConversationSummary,
};
use ccd_protocol::exec::{
    ExecList, ExecListParams, ExecSessionInfo, ExecSessions, ExecSessionsParams, ExecutionSummary,
};
use ccd_protocol::investigate::{InvestigateList, InvestigationSummary, ReportListParams};
use ccd_protocol::program::{ProgramList, ProgramSummary};
use ccd_protocol::session::{Session, SessionList, SessionListParams};
use ccd_protocol::tape::{TapeList, TapeListParams, TapeSummary};

pub(super) fn list(source: Source, place: &DaemonAddress) -> Result<Vec<MenuItem>, Failure> {
    match source {
        Source::LiveSessions => sessions(false, place),
        Source::Sessions => sessions(true, place),
        Source::Programs => {
            let reply = call_at::<ProgramList>(place, &NoParams {})?.value;
            Ok(reply.programs.into_iter().map(program).collect())
        }
        Source::Chains => {
            let reply = call_at::<ChainList>(place, &NoParams {})?.value;
            Ok(reply.chains.into_iter().map(chain).collect())
        }
        Source::Tapes => {
            let reply = call_at::<TapeList>(place, &TapeListParams::default())?.value;
            Ok(reply.tapes.into_iter().map(tape).collect())
        }
        Source::Executions => {
            let reply = call_at::<ExecList>(place, &ExecListParams::default())?.value;
            Ok(reply.executions.into_iter().map(execution).collect())
        }
        Source::Conversations => {
            let reply = call_at::<ExecSessions>(place, &ExecSessionsParams::default())?.value;
            Ok(reply.sessions.into_iter().map(conversation).collect())
        }
        Source::Investigations => {
            let reply = call_at::<InvestigateList>(place, &ReportListParams::default())?.value;
            Ok(reply.reports.into_iter().map(investigation).collect())
        }
        Source::TestReports => {
            let reply = call_at::<TestList>(place, &ReportListParams::default())?.value;
            Ok(reply.reports.into_iter().map(test_report).collect())
        }
        Source::Transcripts => {
            let params = ConversationListParams {
                scope: ConversationScope {
                    claude_dirs: claude_dirs(),
                    ..ConversationScope::default()
                },
                ..ConversationListParams::default()
            };
            let reply = call_at::<ConversationList>(place, &params)?.value;
            Ok(reply.conversations.into_iter().map(transcript).collect())
        }
    }
}

fn sessions(all: bool, place: &DaemonAddress) -> Result<Vec<MenuItem>, Failure> {
    let params = SessionListParams {
        all,
        waiting: false,
    };
    let reply = call_at::<SessionList>(place, &params)?.value;
    Ok(reply.sessions.iter().map(session).collect())
}

/// A live session by its name, an ended one by its id, because another session may have its name now. A name that looks
/// like an option is replaced by the id, because no command accepts it.
fn session(session: &Session) -> MenuItem {
    let id = &session.session_id;
    let name = session
        .name
        .as_ref()
        .filter(|name| session.ended_at.is_none() && !name.starts_with('-'));
    let end = session
        .ended_at
        .as_ref()
        .map(|_| render::end(session.exitstatus, session.signal, session.end_reason) + "  ");
    MenuItem {
        value: name.unwrap_or(id).clone(),
        about: end.unwrap_or_default() + &command_line(session),
    }
}

fn program(program: ProgramSummary) -> MenuItem {
    MenuItem {
        value: program.name,
        about: program.error.unwrap_or(program.command_template),
    }
}

fn tape(tape: TapeSummary) -> MenuItem {
    MenuItem {
        about: render::program_line(&tape.program, &tape.args),
        value: tape.tape_id,
    }
}

fn chain(chain: ChainSummary) -> MenuItem {
    let steps = || render::counted(chain.step_count as u64, "step");
    MenuItem {
        value: chain.name,
        about: chain.problem.unwrap_or_else(steps),
    }
}

fn execution(run: ExecutionSummary) -> MenuItem {
    let instruction = render::on_one_line(&run.instruction);
    MenuItem {
        about: format!("{}  {instruction}", run.status.name()),
        value: run.request_id,
    }
}

fn conversation(session: ExecSessionInfo) -> MenuItem {
    MenuItem {
        value: session.session_id,
        about: session.repo_path,
    }
}

fn transcript(one: ConversationSummary) -> MenuItem {
    MenuItem {
        about: format!("{}  {}", one.project, one.title.unwrap_or_default()),
        value: one.session_id,
    }
}

fn investigation(report: InvestigationSummary) -> MenuItem {
    MenuItem {
        about: render::program_line(&report.program, &report.args),
        value: report.id,
    }
}

fn test_report(report: TestReportSummary) -> MenuItem {
    let failed = match report.summary.failed {
        0 => "passed".to_owned(),
        failed => format!("{failed} failed"),
    };
    let command = render::program_line(&report.program, &report.args);
    MenuItem {
        about: format!("{failed}  {command}"),
        value: report.id,
    }
}
