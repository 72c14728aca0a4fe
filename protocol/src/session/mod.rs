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
    SessionCreate = "session.create" (SessionCreateParams) -> Session, "Starts a program in its own terminal and returns the session record.";
    SessionList = "session.list" (SessionListParams) -> SessionListReply, "Lists live sessions; with `all`, ended ones as well.";
    SessionGet = "session.get" (SessionGetParams) -> Session, "Returns one session's record, live or ended.";
    SessionSend = "session.send" (SessionSendParams) -> SessionSendReply, "Types text, keys, bytes or a paste; with `expect`, waits for the answer in the same request.";
    SessionExpect = "session.expect" (SessionExpectParams) -> ExpectResult, "Waits for the first of several patterns.";
    SessionWait = "session.wait" (SessionWaitParams) -> SessionWaitReply, "Waits until the program exits, goes silent, shows a prompt or waits for input.";
    SessionRead = "session.read" (SessionReadParams) -> SessionReadReply, "Reads output without consuming it; without `since`, `lines` and `max_bytes`, all that is in memory or, of an ended session, the last 16 MiB.", Bulk;
    SessionScreen = "session.screen" (SessionScreenParams) -> SessionScreenReply, "Returns the current screen, or the last one of an ended session: as text, with styles, or as an image.", Bulk;
    SessionRun = "session.run" (SessionRunParams) -> SessionRunReply, "Runs one command in a session's shell and returns exactly its output and exit status.";
    SessionSignal = "session.signal" (SessionSignalParams) -> Done, "Sends a signal to the terminal's foreground process group.";
    SessionResize = "session.resize" (SessionResizeParams) -> Done, "Changes the size of the terminal.";
    SessionRename = "session.rename" (SessionRenameParams) -> Done, "Gives a live session another name, or a name if it has none. Its id does not change.";
    SessionPan = "session.pan" (SessionPanParams) -> Done, "On a connection that is attached: moves the part of the screen that a smaller terminal shows. The view then stays there until the next `session.resize` on this connection, and follows the cursor again after it.";
    SessionEcho = "session.echo" (SessionEchoParams) -> SessionEchoReply, "Turns the terminal's echo on or off, or reports whether it is on. The program can change it too; a shell with a line editor does so for each line.";
    SessionClose = "session.close" (SessionCloseParams) -> SessionCloseReply, "Ends the program and everything it started: asks the processes to exit, then kills those that are still running.";
    SessionPipe = "session.pipe" (SessionPipeParams) -> NamedPipe, "Opens or closes the session's named pipe, which streams events or output to its reader.";
    SessionHistory = "session.history" (SessionHistoryParams) -> SessionHistoryReply, "Returns the history, newest row last.", Bulk;
    SessionCleanup = "session.cleanup" (SessionCleanupParams) -> SessionCleanupReply, "Removes ended sessions; can also close idle or all live sessions.";
}
