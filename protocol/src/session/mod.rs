//! Sessions: one program on one pseudo-terminal.

mod control;
mod create;
mod expect;
mod history;
mod pipe;
mod read;
mod record;
mod run;
mod screen;
mod send;
mod subscribe;
mod wait;

pub use control::*;
pub use create::*;
pub use expect::*;
pub use history::*;
pub use pipe::*;
pub use read::*;
pub use record::*;
pub use run::*;
pub use screen::*;
pub use send::*;
pub use subscribe::*;
pub use wait::*;

use crate::method::{Done, methods};

methods! {
    SessionCreate = "session.create" (SessionCreateParams) -> Session, "Starts a program on a terminal of its own and returns its record.";
    SessionList = "session.list" (SessionListParams) -> SessionListReply, "Lists live sessions, with `all` ended ones too.";
    SessionGet = "session.get" (SessionParams) -> Session, "Returns one session's record, live or ended.";
    SessionSend = "session.send" (SessionSendParams) -> SessionSendReply, "Types text, keys, bytes or a paste; with `expect` it waits for the answer in the same request.";
    SessionExpect = "session.expect" (SessionExpectParams) -> ExpectResult, "Waits for the first of several patterns.";
    SessionWait = "session.wait" (SessionWaitParams) -> SessionWaitReply, "Waits for the exit, for silence, for a prompt or until the program reads its terminal.";
    SessionRead = "session.read" (SessionReadParams) -> SessionReadReply, "Reads output without consuming it.";
    SessionScreen = "session.screen" (SessionScreenParams) -> SessionScreenReply, "Returns the screen as a terminal shows it now, or showed it last: as text, with styles, or as a picture.";
    SessionRun = "session.run" (SessionRunParams) -> SessionRunReply, "Runs one command in a session's shell and returns exactly its output and exit status.";
    SessionSignal = "session.signal" (SessionSignalParams) -> Done, "Sends a signal to the terminal's foreground process group.";
    SessionResize = "session.resize" (SessionResizeParams) -> Done, "Changes the size of the terminal.";
    SessionClose = "session.close" (SessionCloseParams) -> SessionCloseReply, "Ends the program and everything it started, gracefully first, then by force.";
    SessionPipe = "session.pipe" (SessionPipeParams) -> NamedPipe, "Opens or closes the session's named pipe, which streams what happens to whoever reads it.";
    SessionHistory = "session.history" (SessionHistoryParams) -> SessionHistoryReply, "Returns the interaction log, newest last.";
    SessionCleanup = "session.cleanup" (SessionCleanupParams) -> SessionCleanupReply, "Collects ended sessions; can close idle or all live ones too.";
}
